"""Documents made of known boxes, and what their pieces say."""

from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import (
    RecursiveCharacterTextSplitter,
    TextSplitter,
)

from langchain_pymupdf_coords.chunking.chunks import Chunker
from langchain_pymupdf_coords.chunking.documents import DocumentFactory
from langchain_pymupdf_coords.layout.pages import ParsedPage
from langchain_pymupdf_coords.provenance import LineBox, SourceBox
from langchain_pymupdf_coords.text_splitters import CoordsTextSplitter

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
