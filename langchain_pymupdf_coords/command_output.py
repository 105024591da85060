"""What the command line prints: JSON lines for programs, text for people."""

import json
from collections.abc import Iterator, Sequence

from langchain_core.documents import Document

from langchain_pymupdf_coords.geometry import BBox, quad_to_bbox
from langchain_pymupdf_coords.provenance import QuoteMatch, SourceBox

_CONTROLS = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}


def json_line(document: Document) -> str:
    """Return a Document as one line of JSON: ``id``, ``page_content`` and ``metadata`` as a store gets them.

    ``Document(**json.loads(line))`` gives it back. No control character is left that a terminal would obey.
    """
    record = {"id": document.id, "page_content": document.page_content, "metadata": document.metadata}
    return json.dumps(record, ensure_ascii=False, allow_nan=False).translate(_CONTROLS)


def passage_lines(number: int, document: Document) -> Iterator[str]:
    """Yield the lines that say where a passage stands, and where in it each of its quotes.

    Args:
        number: Its rank, from 1.
        document: A Document with ``metadata["quotes"]``.
    """
    metadata = document.metadata
    first, last = metadata["page"], metadata["page_end"]
    pages = f"page {first}" if first == last else f"pages {first} to {last}"
    yield plain(f"{number}. {pages} of {metadata['total_pages']}: {metadata['section'] or 'no heading'}")
    for match in QuoteMatch.from_document(document):
        yield f"   “{plain(match.text)}”"
        for region in match.regions:
            rectangles = [quad_to_bbox(quad) for quad in region.quads]
            yield f"   {match.status}, by {match.precision}, on page {region.page}: {_row(rectangles)}"
    for page, boxes in _boxes_by_page(document).items():
        yield f"   passage on page {page}: {_row([box.bbox for box in boxes])}"


def plain(text: str) -> str:
    """Return text on one line, without characters that a terminal would obey instead of showing."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable())


def _boxes_by_page(document: Document) -> dict[int, list[SourceBox]]:
    pages: dict[int, list[SourceBox]] = {}
    for box in SourceBox.from_document(document):
        pages.setdefault(box.page, []).append(box)
    return pages


def _row(rectangles: Sequence[BBox]) -> str:
    return " ".join("[" + ", ".join(f"{edge:.1f}" for edge in rectangle) + "]" for rectangle in rectangles)
