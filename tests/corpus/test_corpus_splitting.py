"""Splitting the corpus of public PDFs: nothing is lost, nothing is too long, and every line stays true.

By default a few small files are read; the whole corpus with ``-m "corpus and slow"``.
"""

import logging
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import langchain_text_splitters as splitters
import pytest
import tiktoken
from langchain_core.documents import Document

from langchain_pymupdf_coords.chunking.boxes import BoxSplitter
from langchain_pymupdf_coords.chunking.chunks import Chunker
from langchain_pymupdf_coords.chunking.documents import DocumentFactory
from langchain_pymupdf_coords.errors import PDFOpenError
from langchain_pymupdf_coords.folding import fold_letters
from langchain_pymupdf_coords.geometry import BBox
from langchain_pymupdf_coords.layout.pages import ParsedPage
from langchain_pymupdf_coords.pdf import PDFReader
from langchain_pymupdf_coords.provenance import LineBox, SourceBox
from langchain_pymupdf_coords.text_splitters import CoordsTextSplitter
from tests.support.corpus import CorpusFile, manifest

pytestmark = pytest.mark.corpus

SAMPLE = (
    "B17-2000-transportation-fuels.pdf",
    "Layer_pdf_-_322_High_Holborn_building_Brochure.pdf",
    "NCT06159946_Prot_000.pdf",
    "XiaoBiaoSong.pdf",
    "adversarial_short.pdf",
    "bug1997343.pdf",
    "column_separators.pdf",
    "edgar-rotated90.pdf",
    "hello-world.pdf",
    "issue14415.pdf",
    "korean-text-with-tables.pdf",
    "nics-background-checks-2015-11-rotated.pdf",
    "right_to_left_03.pdf",
    "turkish.pdf",
    "twotables.pdf",
)
SAMPLE_PAGES, MOST_PAGES = 2, 12
SIZES = (1500, 300)

Pages = dict[str, list[ParsedPage]]
Line = tuple[int, BBox]


def read(file: CorpusFile, most: int) -> list[ParsedPage]:
    try:
        with PDFReader(file.path, name=file.path.name, password=file.password) as reader:
            numbers = range(1, min(reader.info.total_pages, most) + 1)
            return reader.read(numbers)
    except PDFOpenError:
        return []


@pytest.fixture(scope="module", params=["sample", pytest.param("whole", marks=pytest.mark.slow)])
def pages(request: pytest.FixtureRequest, corpus_dir: object) -> Pages:
    whole = request.param == "whole"
    files = [file for file in manifest() if whole or file.path.name in SAMPLE]
    assert whole or len(files) == len(SAMPLE)
    return {file.path.name: read(file, MOST_PAGES if whole else SAMPLE_PAGES) for file in files}


def chunked(name: str, pages: list[ParsedPage], size: int, overlap: int = 0) -> list[Document]:
    chunker = Chunker(
        mode="chunk",
        chunk_size=size,
        chunk_overlap=overlap,
        length=len,
        exclude_classes=frozenset(),
        split=BoxSplitter(None, size, len, overlap=overlap),
    )
    factory = DocumentFactory(source=name, digest="", total_pages=len(pages), file_metadata={}, identity={})
    return [factory.document(chunk, index) for index, chunk in enumerate(chunker.chunks(pages))]


def lines_of(document: Document) -> Iterator[tuple[Line, str]]:
    """Where each line stands, and what it says, without white space."""
    for line in LineBox.from_document(document):
        yield (line.page, line.bbox), "".join(document.page_content[slice(*line.span)].split())


def line_map(documents: list[Document]) -> dict[Line, list[str]]:
    lines = defaultdict(list)
    for document in documents:
        for place, text in lines_of(document):
            lines[place].append(text)
    return lines


def letters_by_line(documents: list[Document]) -> Iterator[tuple[Line, int]]:
    for place, texts in line_map(documents).items():
        yield place, sum(len(fold_letters(text)) for text in texts)


# --- the default path ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_no_chunk_is_above_the_limit_unless_a_row_or_word_is(pages: Pages, size: int) -> None:
    for name, parsed in pages.items():
        for document in chunked(name, parsed, size):
            if len(document.page_content) > size:
                rows = document.page_content.split("\n")
                assert rows[0].startswith("|"), name
                assert len(rows) == 1 or (len(rows) == 2 and set(rows[1]) <= set("|-: ")), name


@pytest.mark.parametrize("size", SIZES)
def test_chunks_lose_nothing(pages: Pages, size: int) -> None:
    for name, parsed in pages.items():
        whole = "".join(fold_letters(document.page_content) for document in chunked(name, parsed, 10**9))
        letters = ""
        for document in chunked(name, parsed, size):
            spans = [box.span or (0, 0) for box in SourceBox.from_document(document)]
            for (start, end), (following, _) in pairwise([*spans, (0, 0)]):
                # Boxes are a blank line apart, but the repeated header of a table is followed by its rows.
                if following != end + 1:
                    letters += fold_letters(document.page_content[start:end])
        assert letters == whole, name


@pytest.mark.parametrize("overlap", [0, 100])
@pytest.mark.parametrize("size", SIZES)
def test_lines_of_chunks_are_true(pages: Pages, size: int, overlap: int) -> None:
    for name, parsed in pages.items():
        whole = line_map(chunked(name, parsed, 10**9))
        documents = chunked(name, parsed, size, overlap)
        for document in documents:
            assert_lines_from(document, whole)
        found = dict(letters_by_line(documents))
        for place, letters in letters_by_line(chunked(name, parsed, 10**9)):
            assert found[place] >= letters, (name, place)


def assert_lines_from(document: Document, whole: dict[Line, list[str]]) -> None:
    """Each line of a piece is a part of a line of the whole at the same place.

    White space does not count. Letters alone do not do, as a splitter may cut a tag in two; but if they
    agree, what differs are characters that are not printable, which some splitters drop.
    """
    for place, text in lines_of(document):
        letters = fold_letters(text)
        assert any(text in line or letters in fold_letters(line) for line in whole[place]), (place, text)


# --- every splitter that needs no model ---------------------------------------------------------------------


def tiny_encoding() -> str:
    """A tiktoken encoding of single bytes: the real ones have to be downloaded."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("bytes", pat_str=r"\s?\S+|\s+", mergeable_ranks=ranks, special_tokens={})
    tiktoken.registry.ENCODINGS["bytes"] = encoding
    return "bytes"


HEADERS = [("#" * level, f"h{level}") for level in range(1, 7)]
SIZE = {"chunk_size": 150, "chunk_overlap": 40}
SPLITTERS: dict[str, Callable[[], Any]] = {
    "character": lambda: splitters.CharacterTextSplitter(separator=" ", **SIZE),
    "regex": lambda: splitters.CharacterTextSplitter(
        separator=r"[.,]\s", is_separator_regex=True, keep_separator=True, chunk_size=150, chunk_overlap=0
    ),
    "recursive": lambda: splitters.RecursiveCharacterTextSplitter(**SIZE),
    "recursive, short": lambda: splitters.RecursiveCharacterTextSplitter(chunk_size=25, chunk_overlap=8),
    "recursive, tokens": lambda: splitters.RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        tiny_encoding(), **SIZE
    ),
    "token": lambda: splitters.TokenTextSplitter(tiny_encoding(), **SIZE),
    "Markdown": lambda: splitters.MarkdownTextSplitter(**SIZE),
    "Markdown headers": lambda: splitters.MarkdownHeaderTextSplitter(HEADERS, strip_headers=False),
    "Markdown lines": lambda: splitters.MarkdownHeaderTextSplitter(
        HEADERS, strip_headers=False, return_each_line=True
    ),
    "Markdown syntax": lambda: splitters.ExperimentalMarkdownSyntaxTextSplitter(strip_headers=False),
    "LaTeX": lambda: splitters.LatexTextSplitter(**SIZE),
    "Python": lambda: splitters.PythonCodeTextSplitter(**SIZE),
    "JavaScript": lambda: splitters.JSFrameworkTextSplitter(chunk_size=150),
    "HTML": lambda: splitters.RecursiveCharacterTextSplitter.from_language(splitters.Language.HTML, **SIZE),
}
# What they make of text that is not HTML may lack letters.
LOSSY = {
    "HTML headers": lambda: splitters.HTMLHeaderTextSplitter([("h1", "h1")]),
    "HTML sections": lambda: splitters.HTMLSectionSplitter([("h1", "h1")]),
}


@pytest.fixture(scope="module")
def documents(pages: Pages) -> list[Document]:
    logging.getLogger("langchain_text_splitters.base").setLevel(logging.ERROR)
    return [document for name, parsed in pages.items() for document in chunked(name, parsed, 1500)]


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_pieces_of_every_splitter(documents: list[Document], splitter: str) -> None:
    text_splitter = CoordsTextSplitter(SPLITTERS[splitter]())
    for document in documents:
        pieces = text_splitter.split_documents([document])
        whole = line_map([document])
        for piece in pieces:
            assert_lines_from(piece, whole)
            assert_inside(piece, document)
            assert_as_complete(piece, document)
        assert len({piece.id for piece in pieces}) == len(pieces)
        if "\ufffd" not in "".join(piece.page_content for piece in pieces):
            assert_nothing_lost(pieces, document)


@pytest.mark.parametrize("splitter", LOSSY)
def test_pieces_of_splitters_for_other_text(documents: list[Document], splitter: str) -> None:
    pytest.importorskip("bs4")
    pytest.importorskip("lxml")
    text_splitter = CoordsTextSplitter(LOSSY[splitter](), on_unaligned="warn")
    for document in documents:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pieces = text_splitter.split_documents([document])
        whole = line_map([document])
        for piece in pieces:
            assert_inside(piece, document)
            for place, text in lines_of(piece):
                assert any(is_part(text, line) for line in whole[place]), (document.metadata["source"], text)


def is_part(text: str, line: str) -> bool:
    """Whether the letters of a text are those of a line, in order, but for some that were left out."""
    letters = iter(fold_letters(line))
    return all(letter in letters for letter in fold_letters(text))


def assert_inside(piece: Document, document: Document) -> None:
    """Each box of a piece lies in a box of the chunk, of the same class."""
    parents = SourceBox.from_document(document)
    for box in SourceBox.from_document(piece):
        x0, y0, x1, y1 = box.bbox
        assert any(
            (box.page, box.box_class) == (parent.page, parent.box_class)
            and parent.bbox[0] <= x0 <= x1 <= parent.bbox[2]
            and parent.bbox[1] <= y0 <= y1 <= parent.bbox[3]
            for parent in parents
        ), (document.metadata["source"], box)
        assert box.span
        assert 0 <= box.span[0] <= box.span[1] <= len(piece.page_content)


def assert_as_complete(piece: Document, document: Document) -> None:
    """A piece that is a slice of the chunk has a line for each letter that has one in the chunk."""
    start = piece.metadata.get("start_index", 0)
    end = start + len(piece.page_content)
    if document.page_content[start:end] == piece.page_content:
        known = [" "] * len(document.page_content)
        for line in LineBox.from_document(document):
            known[slice(*line.span)] = document.page_content[slice(*line.span)]
        shown = "".join(piece.page_content[slice(*line.span)] for line in LineBox.from_document(piece))
        assert fold_letters(shown) == fold_letters("".join(known[start:end])), document.metadata["source"]


def assert_nothing_lost(pieces: list[Document], document: Document) -> None:
    """The pieces have all boxes of the chunk, and all letters of each of its lines."""
    found = dict(letters_by_line(pieces))
    for place, letters in letters_by_line([document]):
        assert not letters or found[place] >= letters, (document.metadata["source"], place)
    boxes = [box for piece in pieces for box in SourceBox.from_document(piece)]
    for parent in SourceBox.from_document(document):
        assert any(
            (box.page, box.box_class) == (parent.page, parent.box_class)
            and box.bbox[0] >= parent.bbox[0]
            and box.bbox[3] <= parent.bbox[3]
            for box in boxes
        ), (document.metadata["source"], parent)
