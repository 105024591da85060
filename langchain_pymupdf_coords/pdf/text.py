"""Text runs and glyphs of a page."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pymupdf

from langchain_pymupdf_coords.layout.pages import Glyph, TextRun
from langchain_pymupdf_coords.placing.file_words import PageWord

# What the engine itself reads a page with, so that both see the same characters: ink boxes, nothing from
# outside the page, and the glyphs rather than the ActualText that a file claims for them. The engine also asks
# for underlines and the like, which takes seven times as long and changes neither characters nor places.
TEXT_FLAGS = pymupdf.TEXT_ACCURATE_BBOXES | pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_IGNORE_ACTUALTEXT

_PICTURE_BLOCK = 1

# Tesseract's glyphs are empty cells as high as the line, and stand on its lower edge.
_OCR_FONT = "GlyphLessFont"


def read_textpage(page: pymupdf.Page) -> pymupdf.TextPage:
    """Read the text of an upright page as the engine does."""
    return page.get_textpage(flags=TEXT_FLAGS, clip=page.rect)


def without_pictures(page: pymupdf.Page, textpage: pymupdf.TextPage) -> pymupdf.TextPage:
    """Return the engine's text of a page in a form that can be read without packing up its pictures.

    Reading a text page with pictures compresses each of them anew, which can take seconds. Underlines and the
    like are asked for as the engine does, since that also drops characters that are drawn twice.
    """
    if not any(block[6] == _PICTURE_BLOCK for block in textpage.extractBLOCKS()):
        return textpage
    return page.get_textpage(flags=TEXT_FLAGS | pymupdf.TEXT_COLLECT_STYLES, clip=page.rect)


def text_runs(textpage: pymupdf.TextPage, *, glyphs: bool) -> list[TextRun]:
    """Return the runs of a page that hold more than white space, in the order of the page.

    Args:
        textpage: Text of an upright page.
        glyphs: Whether to keep single glyphs; reading them takes several times as long.
    """
    runs: list[TextRun] = []
    number = 0
    with _no_collection():
        blocks = (textpage.extractRAWDICT() if glyphs else textpage.extractDICT())["blocks"]
        for block_number, block in enumerate(blocks):
            for line in block.get("lines", ()):
                number += 1
                runs += _line_runs(line, number, block_number)
        del blocks
    return runs


def page_words(textpage: pymupdf.TextPage) -> list[PageWord]:
    """Return the words of a page in its order. This takes a tenth of the time of reading glyphs."""
    return [
        PageWord(text, (x0, y0, x1, y1), line, block)
        for x0, y0, x1, y1, text, block, line, _ in textpage.extractWORDS()
    ]


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector out of the making of thousands of dicts that are dropped at once.

    It would run several times a page over everything that the process holds, which takes longer than reading.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _line_runs(line: Mapping[str, Any], number: int, block: int) -> Iterator[TextRun]:
    top, bottom = line["bbox"][1], line["bbox"][3]
    for span in line["spans"]:
        chars = span.get("chars")
        text = "".join([char["c"] for char in chars]) if chars is not None else span["text"]
        if text.isspace() or not text:
            continue
        x0, y0, x1, y1 = span["bbox"]
        high, low = _extent(span, line["dir"])
        origin = span["origin"][1]
        bbox = (x0, min(y0, origin - high), x1, max(y1, origin + low))
        glyphs = () if chars is None else tuple(_glyphs(chars, high, low))
        yield TextRun(text, bbox, (x0, top, x1, bottom), number, block, line["dir"], span["size"], glyphs)


def _extent(span: Mapping[str, Any], direction: tuple[float, float]) -> tuple[float, float]:
    """Return how far a font reaches above and below the base line, in points of the page."""
    if span["font"] == _OCR_FONT:
        return 0.0, 0.0
    cosine = direction[0]
    up, down = span["ascender"] * span["size"] * cosine, -span["descender"] * span["size"] * cosine
    return (up, down) if cosine >= 0 else (-down, -up)


def _glyphs(chars: Sequence[Mapping[str, Any]], high: float, low: float) -> Iterator[Glyph]:
    for char in chars:
        x0, y0, x1, y1 = char["bbox"]
        origin = char["origin"][1]
        top, bottom = origin - high, origin + low
        yield Glyph(char["c"], (x0, y0 if y0 < top else top, x1, y1 if y1 > bottom else bottom))
