import asyncio
import json
import re
import uuid
import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
import tiktoken
from langchain_core.documents import Document
from langchain_core.documents.base import Blob
from langchain_text_splitters import (
    CharacterTextSplitter,
    ExperimentalMarkdownSyntaxTextSplitter,
    MarkdownHeaderTextSplitter,
    RecursiveCharacterTextSplitter,
    TextSplitter,
    TokenTextSplitter,
)
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from langchain_pymupdf_coords.chunk_documents import DocumentFactory
from langchain_pymupdf_coords.chunking import Chunker
from langchain_pymupdf_coords.document_loaders import PyMuPDFCoordsParser
from langchain_pymupdf_coords.errors import OptionError, ProvenanceError, UnplacedTextWarning
from langchain_pymupdf_coords.folding import fold_letters
from langchain_pymupdf_coords.pages import ParsedBox, ParsedPage
from langchain_pymupdf_coords.provenance import LineBox, SourceBox, page_sizes
from langchain_pymupdf_coords.text_splitters import CoordsTextSplitter
from tests.parsed_boxes import line_bbox, page_of, table_box, text_box
from tests.pdf_factory import report_pdf, table_two_pages_pdf
from tests.sample_report import TRAFFIC, YEAR

LINES = (
    "Ferries cross the strait every hour. In summer",
    "they carry tourists. In winter they carry mostly",
    "mail. In summer they carry tourists.",
)


def chunk_of(*pages: ParsedPage, mode: str = "chunk", **options: Any) -> Document:
    """The only chunk of some pages."""
    chunker = Chunker(
        mode=mode,  # type: ignore[arg-type]
        chunk_size=10_000,
        chunk_overlap=0,
        length=len,
        exclude_classes=frozenset(),
        split=lambda box: [box],
    )
    (chunk,) = chunker.chunks(pages)
    factory = DocumentFactory(
        source="report.pdf", digest="sha256:0", total_pages=9, file_metadata={}, identity={}, **options
    )
    return factory.document(chunk, 3)


def parsed(pdf: bytes, **options: Any) -> list[Document]:
    blob = Blob.from_data(pdf, metadata={"source": "report.pdf"})
    return list(PyMuPDFCoordsParser(**options).lazy_parse(blob))


def sentences(*, overlap: int = 0) -> TextSplitter:
    return RecursiveCharacterTextSplitter(
        separators=[r"(?<=\.)\s"], is_separator_regex=True, chunk_size=40, chunk_overlap=overlap
    )


def split(document: Document, splitter: object, **options: Any) -> list[Document]:
    return CoordsTextSplitter(splitter, **options).split_documents([document])  # type: ignore[arg-type]


def bboxes(document: Document) -> list[tuple[float, ...]]:
    return [box.bbox for box in SourceBox.from_document(document)]


def line_texts(document: Document) -> list[str]:
    return [document.page_content[slice(*line.span)] for line in LineBox.from_document(document)]


# --- boxes and lines ----------------------------------------------------------------------------------------


def test_the_box_of_a_sentence_is_not_that_of_the_paragraph() -> None:
    pieces = split(chunk_of(page_of(text_box(*LINES))), sentences())
    assert [piece.page_content for piece in pieces] == [
        "Ferries cross the strait every hour.",
        "In summer they carry tourists.",
        "In winter they carry mostly mail.",
        "In summer they carry tourists.",
    ]
    assert bboxes(pieces[0]) == [line_bbox(LINES[0], 0)]
    assert line_texts(pieces[0]) == ["Ferries cross the strait every hour."]
    assert line_texts(pieces[1]) == ["In summer", "they carry tourists."]
    assert bboxes(pieces[2]) == [(50.0, 112.0, 50 + 6 * 48, 134.0)]


def test_a_repeated_sentence_has_its_own_place() -> None:
    pieces = split(chunk_of(page_of(text_box(*LINES))), sentences())
    assert pieces[1].page_content == pieces[3].page_content
    assert bboxes(pieces[1]) == [(50.0, 100.0, 50 + 6 * 48, 122.0)]
    assert bboxes(pieces[3]) == [line_bbox(LINES[2], 2)]
    assert [piece.metadata["start_index"] for piece in pieces] == [0, 37, 68, 102]


def test_langchain_names_the_first_occurrence() -> None:
    """What this class is for; if this fails, TextSplitter has learnt it."""
    splitter = CharacterTextSplitter(
        separator=" ",
        chunk_size=3,
        chunk_overlap=2,
        length_function=lambda text: len(text.split()),
        add_start_index=True,
    )
    text = "one two three one two three one two three"
    starts = [piece.metadata["start_index"] for piece in splitter.create_documents([text])]
    document = chunk_of(page_of(text_box(text)))
    true = [piece.metadata["start_index"] for piece in split(document, splitter)]
    assert true == [0, 4, 8, 14, 18, 22, 28]
    assert starts != true


def test_overlap_has_boxes_and_lines() -> None:
    pieces = split(
        chunk_of(page_of(text_box(*LINES))), RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=25)
    )
    for before, after in pairwise(pieces):
        end = before.metadata["start_index"] + len(before.page_content)
        overlap = before.page_content[after.metadata["start_index"] - end :]
        assert len(overlap) > 10
        assert after.page_content.startswith(overlap)
        assert fold_letters("".join(line_texts(after))) == fold_letters(after.page_content)
        shared = {line.bbox for line in LineBox.from_document(before)} & {
            line.bbox for line in LineBox.from_document(after)
        }
        assert shared


def test_a_whole_box_keeps_its_rectangle() -> None:
    box = text_box("All of it.")
    loose = ParsedBox("text", (10.0, 90.0, 400.0, 200.0), box.text, box.lines)
    document = chunk_of(page_of(loose, text_box("Another one.", top=300)))
    pieces = split(document, CharacterTextSplitter(separator="\n\n", chunk_size=12, chunk_overlap=0))
    assert bboxes(pieces[0]) == [(10.0, 90.0, 400.0, 200.0)]


def test_boxes_have_the_span_of_their_text_in_the_piece() -> None:
    document = chunk_of(
        page_of(text_box("One two three."), text_box("Four five.", top=200), text_box("Six.", top=300))
    )
    pieces = split(document, CharacterTextSplitter(separator=" ", chunk_size=18, chunk_overlap=0))
    assert [piece.page_content for piece in pieces] == ["One two", "three.\n\nFour", "five.\n\nSix."]
    assert [[box.span for box in SourceBox.from_document(piece)] for piece in pieces] == [
        [(0, 7)],
        [(0, 6), (8, 12)],
        [(0, 5), (7, 11)],
    ]


def test_a_piece_of_a_picture_shows_the_picture() -> None:
    picture = text_box("label one", "label two", box_class="picture", joint="\n")
    pieces = split(
        chunk_of(page_of(picture)), CharacterTextSplitter(separator="\n", chunk_size=9, chunk_overlap=0)
    )
    assert [bboxes(piece) for piece in pieces] == [[picture.bbox]] * 2
    assert line_texts(pieces[1]) == ["label two"]


def test_a_picture_without_text_goes_with_one_piece() -> None:
    picture = ParsedBox("picture", (300.0, 100.0, 400.0, 200.0), "")
    document = chunk_of(page_of(text_box("First text."), picture, text_box("Second text.", top=200)))
    pieces = split(document, CharacterTextSplitter(separator="\n\n", chunk_size=12, chunk_overlap=0))
    assert [[box.box_class for box in SourceBox.from_document(piece)] for piece in pieces] == [
        ["text", "picture"],
        ["text"],
    ]
    assert SourceBox.from_document(pieces[0])[1].span == (11, 11)


def test_without_lines_a_part_has_the_rectangle_of_its_box() -> None:
    box = text_box(*LINES)
    document = chunk_of(page_of(box), line_map=False)
    for piece in split(document, sentences()):
        assert bboxes(piece) == [box.bbox]
        assert "lines" not in piece.metadata


# --- tables -------------------------------------------------------------------------------------------------


def test_a_table_over_two_pages_gives_rectangles_on_both() -> None:
    rows = [("Name", "Age"), *((f"name {n}", str(n)) for n in range(4))]
    document = chunk_of(
        page_of(table_box(rows[:3], top=700), number=4, label="iv"),
        page_of(table_box(rows[3:]), number=5, label="v"),
    )
    whole, *_ = split(document, CharacterTextSplitter(separator="@", chunk_size=500, chunk_overlap=0))
    assert [(box.page, box.bbox[1]) for box in SourceBox.from_document(whole)] == [(4, 700.0), (5, 100.0)]
    assert (whole.metadata["page"], whole.metadata["page_end"], whole.metadata["page_label"]) == (4, 5, "iv")
    lines = CharacterTextSplitter(separator="\n", chunk_size=20, chunk_overlap=0)
    last = split(document, lines)[-1]
    assert (last.metadata["page"], last.metadata["page_end"]) == (5, 5)
    assert page_sizes(last) == {5: (600.0, 800.0)}
    assert "page_label" not in last.metadata


def test_a_real_table_over_two_pages() -> None:
    (document,) = parsed(table_two_pages_pdf(), chunk_size=5000)
    pieces = split(document, RecursiveCharacterTextSplitter(chunk_size=5000, chunk_overlap=0))
    assert {box.page for box in SourceBox.from_document(pieces[0]) if box.box_class == "table"} == {1, 2}


def test_a_cell_of_many_lines_is_covered_by_its_piece() -> None:
    cell = "first line<br>second line<br>third line"
    document = chunk_of(page_of(table_box([("A", "B"), ("1", cell), ("2", "end")])))
    pieces = split(document, CharacterTextSplitter(separator="\n", chunk_size=40, chunk_overlap=0))
    piece = next(piece for piece in pieces if "third" in piece.page_content)
    assert [text for text in line_texts(piece) if "line" in text] == cell.split("<br>")
    # From the first line of the row, at y = 112, to the third line of its last cell.
    assert bboxes(piece) == [(50.0, 112.0, 216.0, 124.0)]


# --- other metadata -----------------------------------------------------------------------------------------


def test_metadata_of_a_piece() -> None:
    document = chunk_of(page_of(text_box(*LINES), number=7, label="A-7"))
    document.metadata |= {"quotes": "[]", "crops": "[]", "owner": {"name": "Anna"}}
    before = document.model_copy(deep=True)
    piece = split(document, sentences())[1]
    assert document == before
    assert piece.metadata["page"] == piece.metadata["page_end"] == 7
    assert piece.metadata["page_label"] == "A-7"
    assert piece.metadata["chunk_index"] == 3
    assert piece.metadata["source_digest"] == "sha256:0"
    assert not {"quotes", "crops"} & piece.metadata.keys()
    piece.metadata["owner"]["name"] = "Peter"
    assert document == before


def test_section_of_a_piece_of_a_page_with_headings() -> None:
    document = chunk_of(
        page_of(
            text_box("Report", box_class="title", font_size=20.0),
            text_box("Introduction of it.", top=120),
            text_box("Traffic", box_class="section-header", top=140, font_size=14.0),
            text_box("Routes", box_class="section-header", top=160, font_size=12.0),
            text_box("Traffic grew.", top=180),
            text_box("Outlook", box_class="section-header", top=200, font_size=14.0),
            text_box("It will grow.", top=220),
        ),
        mode="page",
    )
    pieces = split(document, CharacterTextSplitter(separator="\n\n", chunk_size=12, chunk_overlap=0))
    assert [(piece.page_content, piece.metadata["section"]) for piece in pieces] == [
        ("# Report", "Report"),
        ("Introduction of it.", "Report"),
        ("## Traffic", "Report > Traffic"),
        ("### Routes", "Report > Traffic > Routes"),
        ("Traffic grew.", "Report > Traffic > Routes"),
        ("## Outlook", "Report > Outlook"),
        ("It will grow.", "Report > Outlook"),
    ]


def test_ids_are_uuids_that_depend_on_the_piece_only() -> None:
    document = chunk_of(page_of(text_box(*LINES)))
    ids = [piece.id for piece in split(document, sentences())]
    assert len(set(ids)) == 4
    assert all(str(uuid.UUID(name)) == name for name in ids)
    assert ids == [piece.id for piece in split(document, sentences())]
    other = document.model_copy(update={"id": str(uuid.uuid4())})
    assert not set(ids) & {piece.id for piece in split(other, sentences())}
    nameless = document.model_copy(update={"id": None})
    assert len({piece.id for piece in split(nameless, sentences())}) == 4
    assert [piece.id for piece in split(nameless, sentences())] == [
        piece.id for piece in split(nameless, sentences())
    ]


def test_pieces_of_pieces_count_from_the_chunk() -> None:
    document = chunk_of(page_of(text_box(*LINES)))
    halves = split(document, RecursiveCharacterTextSplitter(chunk_size=80, chunk_overlap=0))
    words = CoordsTextSplitter(CharacterTextSplitter(separator=" ", chunk_size=1, chunk_overlap=0))
    pieces = words.split_documents(halves)
    for piece in pieces:
        start = piece.metadata["start_index"]
        assert document.page_content[start : start + len(piece.page_content)] == piece.page_content
    assert [text for piece in pieces for text in line_texts(piece)] == " ".join(LINES).split()


# --- splitters that rewrite ---------------------------------------------------------------------------------


def test_markdown_header_splitter() -> None:
    document = chunk_of(
        page_of(
            text_box("Traffic", box_class="section-header", font_size=14.0),
            text_box("Traffic  grew.", top=120),
            text_box("Not everywhere.", top=140),
        )
    )
    (piece,) = split(document, MarkdownHeaderTextSplitter([("#", "Header 1")]))
    assert piece.page_content == "Traffic  grew.  \nNot everywhere."
    assert piece.metadata["Header 1"] == "Traffic"
    assert [(box.bbox, box.span) for box in SourceBox.from_document(piece)] == [
        (line_bbox("Traffic  grew.", 0, top=120), (0, 14)),
        (line_bbox("Not everywhere.", 0, top=140), (17, 32)),
    ]
    assert line_texts(piece) == ["Traffic  grew.", "Not everywhere."]
    assert piece.metadata["section"] == "Traffic"


def test_a_splitter_that_uses_its_list_again() -> None:
    splitter = CoordsTextSplitter(ExperimentalMarkdownSyntaxTextSplitter())
    first, second = (chunk_of(page_of(text_box(text))) for text in ("First text.", "Second text."))
    assert [piece.page_content for piece in splitter.split_documents([first, second])] == [
        "First text.",
        "Second text.",
    ]


class Inventing(CharacterTextSplitter):
    def split_text(self, text: str) -> list[str]:
        return [*super().split_text(text), "Nothing of this is in the text."]


def test_a_piece_that_cannot_be_placed_is_an_error() -> None:
    document = chunk_of(page_of(text_box(*LINES), number=7))
    with pytest.raises(ProvenanceError, match=re.escape("report.pdf, page 7: a piece that Inventing made")):
        split(document, Inventing())


def test_or_it_warns_and_has_no_boxes() -> None:
    document = chunk_of(page_of(text_box(*LINES), number=7))
    with pytest.warns(UnplacedTextWarning, match="Nothing of this is in the text"):
        pieces = split(document, Inventing(), on_unaligned="warn")
    assert bboxes(pieces[0])
    assert (pieces[-1].metadata["boxes"], pieces[-1].metadata["lines"]) == ("[]", "[]")
    assert pieces[-1].metadata["page"] == 7
    assert "start_index" not in pieces[-1].metadata


# --- Documents of the article's form ------------------------------------------------------------------------


def test_boxes_without_span_are_kept_with_a_warning() -> None:
    boxes = json.dumps([{"page": 2, "bbox": [1, 2, 3, 4]}, {"page": 3, "bbox": [5, 6, 7, 8]}])
    document = Document(page_content=" ".join(LINES), metadata={"source": "a.pdf", "page": 2, "boxes": boxes})
    with pytest.warns(UnplacedTextWarning, match=r"a\.pdf, page 2: boxes without span"):
        pieces = split(document, sentences())
    assert [bboxes(piece) for piece in pieces] == [[(1.0, 2.0, 3.0, 4.0), (5.0, 6.0, 7.0, 8.0)]] * 4
    assert {piece.metadata["page"] for piece in pieces} == {2}
    assert not {"lines", "section", "page_sizes", "page_end"} & pieces[0].metadata.keys()


def test_no_boxes_are_an_error() -> None:
    with pytest.raises(ProvenanceError, match="boxes"):
        split(Document(page_content="Text.", metadata={"source": "a.pdf"}), sentences())


# --- tokens -------------------------------------------------------------------------------------------------


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


# --- the class ----------------------------------------------------------------------------------------------


def test_options_are_checked() -> None:
    with pytest.raises(OptionError, match="text_splitter has no split_text: object"):
        CoordsTextSplitter(object())  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="on_unaligned must be 'raise' or 'warn', not 'ignore'"):
        CoordsTextSplitter(sentences(), on_unaligned="ignore")  # type: ignore[arg-type]


def test_sync_and_async_give_the_same() -> None:
    documents = [chunk_of(page_of(text_box(*LINES)))]
    splitter = CoordsTextSplitter(sentences())
    expected = splitter.split_documents(documents)
    assert splitter.split_documents(iter(documents)) == expected
    assert splitter.transform_documents(documents) == expected

    async def both() -> list[Sequence[Document]]:
        return [await splitter.asplit_documents(documents), await splitter.atransform_documents(documents)]

    assert asyncio.run(both()) == [expected, expected]


def test_nothing_to_split() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert CoordsTextSplitter(sentences()).split_documents([]) == []
        assert split(chunk_of(page_of(), mode="page"), sentences()) == []


def test_sentences_of_a_real_page() -> None:
    """Each sentence of the report's paragraph has one rectangle, on lines that follow each other."""
    document = next(
        document for document in parsed(report_pdf()) if "The fleet carried" in document.page_content
    )
    splitter = RecursiveCharacterTextSplitter(
        separators=[r"(?<=\.)\s"], is_separator_regex=True, chunk_size=1, chunk_overlap=0
    )
    pieces = split(document, splitter)
    (paragraph,) = (
        box
        for box in SourceBox.from_document(document)
        if box.span and YEAR in document.page_content[slice(*box.span)]
    )
    storms = next(piece for piece in pieces if "Storms" in piece.page_content)
    assert storms.page_content.strip() == "Storms in January kept the boats in port for eleven days."
    (bbox,) = bboxes(storms)
    assert paragraph.bbox[1] < bbox[1]
    assert bbox[3] < paragraph.bbox[3]
    assert fold_letters("".join(line_texts(storms))) == fold_letters(storms.page_content)
