"""Recognising the pages that need it, right before their text is read."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Literal

import pymupdf

from langchain_pymupdf_coords.layout.pages import PageNote
from langchain_pymupdf_coords.pdf.engine import ENGINE_ERRORS, logger
from langchain_pymupdf_coords.pdf.ocr_engines import OCREngine
from langchain_pymupdf_coords.pdf.ocr_lookup import find_engine, no_engine
from langchain_pymupdf_coords.pdf.ocr_need import Need, page_need, without_text

# Of 150 to 400 dpi, 200 found most words on average over scans of 100 to 300 dpi.
_DPI = 200

_LEAST_DPI = 72

_MOST_PIXELS = 16_000_000

_UNREAD = {
    Need.MORE: PageNote("scan", "a picture on it shows text"),
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
    covered = pymupdf.Pixmap(
        picture.colorspace, picture.width, picture.height, without_text(picture, page), False
    )
    covered.set_dpi(picture.xres, picture.yres)
    layer = engine.read(covered)
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
