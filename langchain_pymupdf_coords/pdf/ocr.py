"""Recognising the pages that need it, right before their text is read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from math import sqrt
from typing import Any, Literal

import pymupdf

from langchain_pymupdf_coords.layout.pages import PageNote
from langchain_pymupdf_coords.pdf.engine import ENGINE_ERRORS, logger
from langchain_pymupdf_coords.pdf.ocr_engines import OCREngine
from langchain_pymupdf_coords.pdf.ocr_lookup import find_engine, no_engine
from langchain_pymupdf_coords.pdf.text import TEXT_FLAGS, text_runs

# Of 150 to 400 dpi, 200 found most words on average over scans of 100 to 300 dpi.
_DPI = 200

_LEAST_DPI = 72

_MOST_PIXELS = 16_000_000

# A page with fewer letters has no text of its own: a page number, a stamp.
_NO_TEXT = 20

# A page with fewer letters, all near its upper or lower edge, and a picture over most of it is a scan with a
# header line or a stamp in print.
_LITTLE_TEXT = 200

_EDGE = 0.125

_COVERED = 0.8

# Pictures that fill less of a page, and drawings of fewer lines, say nothing.
_PICTURED = 0.05

_DRAWN = 30

_PICTURES = ("fill-image", "fill-imgmask")

_PATHS = ("fill-path", "stroke-path")


class Need(Enum):
    """What OCR can do for a page."""

    NOTHING = "its text is good, or there is nothing to see"
    MORE = "it shows something where no text is"
    ALL = "it shows something, and has no text"
    OTHER = "its text is illegible"


_UNREAD = {
    Need.ALL: PageNote("scan", "it shows something, and has no text"),
    Need.OTHER: PageNote("scan", "its fonts do not say which letters they show"),
}


@dataclass(frozen=True, slots=True)
class Recognition:
    """What became of a page.

    Attributes:
        changed: Whether its text is another one now.
        note: What the reader must be told.
    """

    changed: bool = False
    note: PageNote | None = None


Recogniser = Callable[[pymupdf.Page, pymupdf.TextPage], Recognition]


@dataclass(frozen=True)
class PageRecogniser:
    """Recognises upright pages; stateless but for the engine, which is looked for when it is needed.

    Attributes:
        mode: ``"auto"``: pages that need it; ``"force"``: all pages, in place of the text they have;
            ``"never"``: only tell which pages would need it.
        language: Languages as Tesseract names them, joined with ``+``.
    """

    mode: Literal["auto", "never", "force"]
    language: str

    def require_engine(self) -> None:
        """Check that what was asked for can be done.

        Raises:
            OCRUnavailableError: The mode is ``"force"``, and there is no engine or no data for the language.
        """
        if self.mode == "force" and self._engine is None:
            raise no_engine()

    def __call__(self, page: pymupdf.Page, textpage: pymupdf.TextPage) -> Recognition:
        """Add recognised words to a page as invisible text, where the mode asks for it.

        Args:
            page: An upright page.
            textpage: Its text.

        Raises:
            OCRUnavailableError: There is an engine, but no data for the language.
        """
        need = Need.OTHER if self.mode == "force" else page_need(page, textpage)
        if need is Need.NOTHING:
            return Recognition()
        if self.mode == "never" or not page.parent.is_pdf or self._engine is None:
            return Recognition(note=_UNREAD.get(need))
        try:
            return _recognise(page, self._engine, keep_text=need is not Need.OTHER)
        except ENGINE_ERRORS as error:
            return Recognition(changed=True, note=PageNote("unreadable", f"OCR failed: {error}"))

    @cached_property
    def _engine(self) -> OCREngine | None:
        return None if self.mode == "never" else find_engine(self.language)


def page_need(page: pymupdf.Page, textpage: pymupdf.TextPage) -> Need:
    """Tell whether a page lacks a usable text layer, at no cost for a page that has one."""
    words = textpage.extractWORDS()
    text = "".join([word[4] for word in words])
    letters = sum(map(str.isalnum, text))
    if 2 * letters < len(text) and letters < sum(map(_is_illegible, text)):
        return Need.OTHER
    if letters >= _LITTLE_TEXT:
        return Need.NOTHING
    try:
        return _need_of_view(page, words, letters)
    except ENGINE_ERRORS:
        return Need.NOTHING


def _is_illegible(char: str) -> bool:
    """Tell whether a character stands for a glyph of which the file does not say what it means."""
    return char == "\ufffd" or "\ue000" <= char <= "\uf8ff"


def _need_of_view(page: pymupdf.Page, words: Sequence[tuple[Any, ...]], letters: int) -> Need:
    drawn = [(kind, pymupdf.Rect(bbox) & page.rect) for kind, bbox in page.get_bboxlog()]
    if letters and any(kind == "ignore-text" for kind, _ in drawn):
        return Need.NOTHING
    pictures = sum(abs(bbox) for kind, bbox in drawn if kind in _PICTURES and not bbox.is_empty)
    share = pictures / abs(page.rect)
    if letters >= _NO_TEXT:
        is_stamped = share >= _COVERED and all(_is_at_edge(word, page.rect.height) for word in words)
        return Need.MORE if is_stamped else Need.NOTHING
    paths = sum(kind in _PATHS for kind, _ in drawn)
    return Need.ALL if share >= _PICTURED or paths >= _DRAWN else Need.NOTHING


def _is_at_edge(word: tuple[Any, ...], height: float) -> bool:
    middle = (word[1] + word[3]) / 2
    return bool(min(middle, height - middle) <= _EDGE * height)


def _recognise(page: pymupdf.Page, engine: OCREngine, *, keep_text: bool) -> Recognition:
    """Recognise what a page shows.

    Text that stays is covered in the picture first, so that no word gets into the page twice.
    """
    picture = page.get_pixmap(dpi=_resolution(page))
    if picture.is_unicolor:
        return Recognition()
    if not keep_text:
        page.add_redact_annot(page.rect, fill=False)
        page.apply_redactions(
            images=pymupdf.PDF_REDACT_IMAGE_NONE,
            graphics=pymupdf.PDF_REDACT_LINE_ART_NONE,
            text=pymupdf.PDF_REDACT_TEXT_REMOVE,
        )
    _cover_text(picture, page)
    layer = engine.read(picture)
    logger.info("page %d: OCR at %d dpi: %s", page.number + 1, picture.xres, "text" if layer else "no text")
    if layer is not None:
        layer.write(page)
    elif not keep_text:
        return Recognition(changed=True, note=PageNote("unreadable", "OCR found nothing instead of its text"))
    return Recognition(changed=layer is not None)


def _resolution(page: pymupdf.Page) -> int:
    most = int(72 * sqrt(_MOST_PIXELS / abs(page.rect)))
    if most < _LEAST_DPI:
        raise ValueError(f"a page of {page.rect.width:.0f} x {page.rect.height:.0f} points is too large")
    return min(_DPI, most)


def _cover_text(picture: pymupdf.Pixmap, page: pymupdf.Page) -> None:
    """Paint over the text of a page; a slanted line, such as a watermark, would cover half of it."""
    scale = picture.xres / 72
    # The page's own method may be watched, and lead back to here.
    textpage = pymupdf.Page.get_textpage(page, flags=TEXT_FLAGS, clip=page.rect)
    for run in text_runs(textpage, glyphs=False):
        if 0 in map(round, run.direction):
            picture.clear_with(255, pymupdf.IRect(pymupdf.Rect(run.bbox) * scale))
