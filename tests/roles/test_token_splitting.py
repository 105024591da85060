"""Sizes in tokens, and pieces that are decoded tokens."""

import pytest
import tiktoken
from langchain_text_splitters import (
    RecursiveCharacterTextSplitter,
    TokenTextSplitter,
)
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from langchain_pymupdf_coords.folding import fold_letters
from tests.support.parsed_boxes import page_of, text_box
from tests.support.pdf_factory import report_pdf
from tests.support.read_once import parsed
from tests.support.sample_report import TRAFFIC, YEAR
from tests.support.split_documents import LINES, bboxes, chunk_of, line_texts, split


def subword_tokenizer(text: str) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator([text], trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet))
    return tokenizer


def test_chunk_sizes_in_tokens_of_a_hugging_face_tokenizer() -> None:
    tokenizer = subword_tokenizer(YEAR + TRAFFIC)

    def tokens(text: str) -> int:
        return len(tokenizer.encode(text).ids)

    documents = parsed(report_pdf(), chunk_size=40, length_function=tokens)
    by_tables = [document for document in documents if "|" in document.page_content]
    assert max(tokens(document.page_content) for document in documents if document not in by_tables) <= 40
    # The table's rows are longer than that in tokens.
    assert all(
        document.page_content.count("\n") <= 1 for document in by_tables if tokens(document.page_content) > 40
    )
    whole = "".join(fold_letters(document.page_content) for document in parsed(report_pdf()))
    assert "".join(fold_letters(document.page_content) for document in documents) == whole


@pytest.fixture
def tiny_encoding(monkeypatch: pytest.MonkeyPatch) -> str:
    """A tiktoken encoding of single bytes and a few longer tokens: the real ones have to be downloaded."""
    pairs = [b" t", b"he", b" the", b"in", b"er", b"re", b"on", b"an", b" a", b" of"]
    ranks = {bytes([byte]): byte for byte in range(256)} | {pair: 256 + k for k, pair in enumerate(pairs)}
    encoding = tiktoken.Encoding("tiny", pat_str=r"\s?\S+|\s+", mergeable_ranks=ranks, special_tokens={})
    monkeypatch.setitem(tiktoken.registry.ENCODINGS, "tiny", encoding)
    return "tiny"


@pytest.mark.parametrize("overlap", [0, 7])
def test_token_text_splitter(tiny_encoding: str, overlap: int) -> None:
    document = chunk_of(page_of(text_box("Fähren überqueren die Meerenge", "für 5 € — das ist günstig.")))
    pieces = split(document, TokenTextSplitter(tiny_encoding, chunk_size=12, chunk_overlap=overlap))
    assert any("\ufffd" in piece.page_content for piece in pieces) or not overlap
    for piece in pieces:
        assert fold_letters("".join(line_texts(piece))) == fold_letters(piece.page_content)
        assert bboxes(piece)
    assert pieces[-1].metadata["start_index"] + len(pieces[-1].page_content.strip("\ufffd")) == len(
        document.page_content
    )


def test_recursive_splitter_with_a_token_length(tiny_encoding: str) -> None:
    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        tiny_encoding, chunk_size=30, chunk_overlap=10, add_start_index=True
    )
    document = chunk_of(page_of(text_box(*LINES)))
    for piece in split(document, splitter):
        start = piece.metadata["start_index"]
        assert document.page_content[start : start + len(piece.page_content)] == piece.page_content
        assert "".join(line_texts(piece)).replace(" ", "") == piece.page_content.replace(" ", "")
