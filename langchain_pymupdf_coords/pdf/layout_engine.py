"""What is asked of PyMuPDF's layout engine: the boxes of pages, their Markdown, and the cells of tables.

``Document.to_markdown`` parses pages and writes them in one go, and does not say where the cells of a table are.
So its two steps are called one after the other; ``tests/pdf/test_layout_engine.py`` holds the engine to it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_pymupdf_coords.layout.grid import Grid
from langchain_pymupdf_coords.layout.repair import LayoutBox
from langchain_pymupdf_coords.pdf.opening import PrivateDocument

try:
    from pymupdf4llm.helpers.document_layout import parse_document
except ImportError as error:
    raise ImportError(
        "The installed pymupdf4llm does not parse pages in the way that the installed PyMuPDF needs. Install the "
        "two in the versions that belong together: pip install --upgrade 'pymupdf>=2.0,<3' pymupdf4llm"
    ) from error


def layout_boxes(document: PrivateDocument, indices: Sequence[int]) -> list[list[LayoutBox]]:
    """Return the boxes of each page, given by its index from 0, in reading order."""
    parsed = parse_document(document, pages=list(indices), use_ocr=False, force_text=True)
    grids = [[_grid(box.table) for box in page.boxes] for page in parsed.pages]
    chunks = parsed.to_markdown(page_chunks=True)
    return [_boxes(chunk, cells) for chunk, cells in zip(chunks, grids, strict=True)]


def _boxes(chunk: Mapping[str, Any], grids: Sequence[Grid]) -> list[LayoutBox]:
    return [
        _layout_box(chunk["text"], box, grid) for box, grid in zip(chunk["page_boxes"], grids, strict=True)
    ]


def _grid(table: Mapping[str, Any] | None) -> Grid:
    return tuple(tuple(row) for row in (table or {}).get("cells") or ())


def _layout_box(text: str, box: Mapping[str, Any], grid: Grid) -> LayoutBox:
    start, stop = box["pos"]
    x0, y0, x1, y1 = map(float, box["bbox"])
    return LayoutBox(box["class"], (x0, y0, x1, y1), text[start:stop], grid)
