"""Documents that carry a located quote: of a file, or made by hand."""

from pathlib import Path

from langchain_core.documents import Document

from langchain_pymupdf_coords import QuoteLocator
from langchain_pymupdf_coords.geometry import BBox, bbox_to_quad
from langchain_pymupdf_coords.provenance import QuoteMatch, Region, SourceBox, dump_boxes, dump_quotes
from tests.support.pdf_drawing import PAGE_TEXT
from tests.support.read_once import loaded

QUOTE = PAGE_TEXT[1]


def located(path: Path, quote: str = QUOTE, **options: str) -> list[Document]:
    """The Documents of a file, each with the quote where it is found."""
    documents = loaded(path, ocr="never", **options)
    locator = QuoteLocator(**options)
    for document in documents:
        match = locator.locate(document, quote)
        document.metadata["quotes"] = dump_quotes([match] if match else [])
    return documents


def by_hand(source: str | Path, boxes: list[SourceBox], matches: list[QuoteMatch], text: str) -> Document:
    """A Document of a source with these boxes and quotes."""
    metadata = {"source": str(source), "boxes": dump_boxes(boxes), "quotes": dump_quotes(matches)}
    return Document(text, metadata=metadata)


def match_at(page: int, *bboxes: BBox, status: str = "exact", quote: str = "Seven") -> QuoteMatch:
    """A quote that was found on a page, with one quad for each rectangle."""
    region = Region(page, tuple(bbox_to_quad(bbox) for bbox in bboxes))
    return QuoteMatch(quote, "Seven", (0, 5), status, 91.4, 1, "word", (region,))
