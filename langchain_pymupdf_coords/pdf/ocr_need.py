"""Which pages OCR can do something for: those that show text which is no text of theirs."""

from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import groupby, pairwise
from statistics import median
from typing import Any

import pymupdf

from langchain_pymupdf_coords.pdf.engine import ENGINE_ERRORS
from langchain_pymupdf_coords.pdf.text import TEXT_FLAGS, text_runs

# A page with fewer letters has no text of its own: a page number, a stamp.
_NO_TEXT = 20

# Pictures that fill less of a page, and drawings of fewer lines, say nothing.
_PICTURED = 0.05

_DRAWN = 30

# Of a page with text, a picture that covers more than the text and this part of the page may be a scan.
_SCANNED = 0.2

_PICTURES = ("fill-image", "fill-imgmask")

_PATHS = ("fill-path", "stroke-path")

# A line of print is so many pixels high at this resolution, and changes between paper and ink so many times in
# a strip of the picture; between lines it hardly does.
_DPI = 100

_STRIPS = 3

_LINE_HEIGHTS = range(4, 40)

_CHANGES = 10

_QUIET = 3

_FEWEST_LINES = 3

# Ink and paper differ by this much of 255.
_CONTRAST = 64


class Need(Enum):
    """What OCR can do for a page."""

    NOTHING = "its text is good, or there is nothing to see"
    MORE = "it shows text in a picture beside its own"
    ALL = "it shows something, and has no text"
    OTHER = "its text is illegible"


def page_need(page: pymupdf.Page, textpage: pymupdf.TextPage) -> Need:
    """Tell whether a page lacks a usable text layer, at little cost for a page that has one."""
    words = textpage.extractWORDS()
    text = "".join([word[4] for word in words])
    letters = sum(map(str.isalnum, text))
    if 2 * letters < len(text) and letters < sum(map(_is_illegible, text)):
        return Need.OTHER
    try:
        return _need_of_view(page, letters) if letters < _NO_TEXT else _need_beside(page, textpage, words)
    except ENGINE_ERRORS:
        return Need.NOTHING


def _is_illegible(char: str) -> bool:
    """Tell whether a character stands for a glyph of which the file does not say what it means."""
    return char == "\ufffd" or "\ue000" <= char <= "\uf8ff"


def _need_of_view(page: pymupdf.Page, letters: int) -> Need:
    drawn = _drawn(page)
    if letters and any(kind == "ignore-text" for kind, _ in drawn):
        return Need.NOTHING
    pictures = sum(abs(bbox) for kind, bbox in drawn if kind in _PICTURES and not bbox.is_empty)
    paths = sum(kind in _PATHS for kind, _ in drawn)
    return Need.ALL if pictures / abs(page.rect) >= _PICTURED or paths >= _DRAWN else Need.NOTHING


def _drawn(page: pymupdf.Page) -> list[tuple[str, pymupdf.Rect]]:
    return [(kind, pymupdf.Rect(bbox) & page.rect) for kind, bbox in page.get_bboxlog()]


def _need_beside(page: pymupdf.Page, textpage: pymupdf.TextPage, words: Sequence[tuple[Any, ...]]) -> Need:
    """Tell whether a page with text shows more of it in a picture that covers more than the text does."""
    blocks = (pymupdf.Rect(block[:4]) & page.rect for block in textpage.extractBLOCKS() if block[6] == 1)
    pictures = [rect for rect in blocks if not rect.is_empty]
    covered = sum(map(abs, pictures))
    written = sum((word[2] - word[0]) * (word[3] - word[1]) for word in words)
    if covered < _SCANNED * abs(page.rect) or covered <= written:
        return Need.NOTHING
    # Invisible text is the work of OCR already.
    if any(kind == "ignore-text" for kind, _ in _drawn(page)):
        return Need.NOTHING
    return Need.MORE if _shows_lines(page, pictures) else Need.NOTHING


def _shows_lines(page: pymupdf.Page, pictures: Iterable[pymupdf.Rect]) -> bool:
    """Tell whether pictures of a page show lines of print that are not its own text."""
    around = pymupdf.Rect()
    for rect in pictures:
        around |= rect
    pixmap = page.get_pixmap(dpi=_DPI, colorspace=pymupdf.csGRAY, clip=around)
    samples, width = bytes(without_text(pixmap, page)), pixmap.width
    rows = [samples[at * pixmap.stride : at * pixmap.stride + width] for at in range(pixmap.height)]
    edges = [width * strip // _STRIPS for strip in range(_STRIPS + 1)]
    return any(_lines([row[left:right] for row in rows]) >= _FEWEST_LINES for left, right in pairwise(edges))


def _lines(rows: Sequence[bytes]) -> int:
    """Return how many lines of print there are in a strip of a grey picture."""
    if not rows or not rows[0]:
        return 0
    paper = median(rows[len(rows) // 2] + rows[len(rows) // 3] + rows[2 * len(rows) // 3])
    inked = bytes(abs(value - paper) > _CONTRAST for value in range(256))
    changes = [row.translate(inked).count(b"\x00\x01") for row in rows]
    bands = [list(group) for _, group in groupby(changes, key=lambda count: count >= _QUIET)]
    # The first and the last band may be cut off, and are not counted.
    return sum(len(band) in _LINE_HEIGHTS and max(band) >= _CHANGES for band in bands[1:-1])


def without_text(picture: pymupdf.Pixmap, page: pymupdf.Page) -> bytearray:
    """Return the samples of a page's picture with its text painted over.

    A slanted line, such as a watermark, would cover half of the page. ``Pixmap.clear_with`` writes a row too many,
    beyond the end of the picture.
    """
    samples, scale, depth = bytearray(picture.samples), picture.xres / 72, picture.n
    # The page's own method may be watched, and lead back to here.
    textpage = pymupdf.Page.get_textpage(page, flags=TEXT_FLAGS, clip=page.rect)
    for run in text_runs(textpage, glyphs=False):
        area = pymupdf.IRect(pymupdf.Rect(run.bbox) * scale) & picture.irect
        if 0 not in map(round, run.direction) or area.is_empty:
            continue
        start, length = (area.x0 - picture.x) * depth, area.width * depth
        for row in range(area.y0 - picture.y, area.y1 - picture.y):
            at = row * picture.stride + start
            samples[at : at + length] = b"\xff" * length
    return samples
