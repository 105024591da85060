"""Text runs and glyphs of a page."""

from collections.abc import Iterator, Mapping
from typing import Any

import pymupdf

from langchain_pymupdf_coords.geometry import BBox
from langchain_pymupdf_coords.pages import Glyph, TextRun

# What the engine itself reads a page with, so that both see the same characters: ink boxes, nothing from
# outside the page, and the glyphs rather than the ActualText that a file claims for them.
TEXT_FLAGS = (
    pymupdf.TEXT_COLLECT_STYLES
    | pymupdf.TEXT_ACCURATE_BBOXES
    | pymupdf.TEXT_MEDIABOX_CLIP
    | pymupdf.TEXT_IGNORE_ACTUALTEXT
)

# The font of Tesseract: its glyphs are empty cells as high as the line and stand on its bottom.
OCR_FONT = "GlyphLessFont"


def read_textpage(page: pymupdf.Page) -> pymupdf.TextPage:
    """Read the text of an upright page as the engine does; who watches the page is not told."""
    return pymupdf.Page.get_textpage(page, flags=TEXT_FLAGS, clip=page.rect)


def text_runs(textpage: pymupdf.TextPage, *, glyphs: bool) -> list[TextRun]:
    """Return the runs of a page that hold more than white space, in the order of the page.

    Args:
        textpage: Text of an upright page.
        glyphs: Whether to keep single characters; reading them takes several times as long.
    """
    blocks = (textpage.extractRAWDICT() if glyphs else textpage.extractDICT())["blocks"]
    runs = []
    number = 0
    for block_number, block in enumerate(blocks):
        for line in block.get("lines", ()):
            number += 1
            runs += _line_runs(line, number, block_number)
    return runs


def _line_runs(line: Mapping[str, Any], number: int, block: int) -> Iterator[TextRun]:
    top, bottom = line["bbox"][1], line["bbox"][3]
    for span in line["spans"]:
        chars = span.get("chars")
        text = "".join([char["c"] for char in chars]) if chars is not None else span["text"]
        if text.isspace() or not text:
            continue
        x0, y0, x1, y1 = span["bbox"]
        high, low = _extent(span, line["dir"])
        glyphs = () if chars is None else tuple(_glyph(char, high, low) for char in chars)
        origin = span["origin"][1]
        bbox = (x0, min(y0, origin - high), x1, max(y1, origin + low))
        ink = (x0, top, x1, bottom)
        yield TextRun(text, bbox, ink, number, block, line["dir"], span["size"], glyphs)


def _extent(span: Mapping[str, Any], direction: tuple[float, float]) -> tuple[float, float]:
    """Return how far a font reaches above and below the base line, in points of the page."""
    if span["font"] == OCR_FONT:
        return 0.0, 0.0
    cosine = direction[0]
    up, down = span["ascender"] * span["size"] * cosine, -span["descender"] * span["size"] * cosine
    return (up, down) if cosine >= 0 else (-down, -up)


def _glyph(char: Mapping[str, Any], high: float, low: float) -> Glyph:
    x0, y0, x1, y1 = char["bbox"]
    origin = char["origin"][1]
    return Glyph(char["c"], _bbox(x0, min(y0, origin - high), x1, max(y1, origin + low)))


def _bbox(x0: float, y0: float, x1: float, y1: float) -> BBox:
    return x0, y0, x1, y1
