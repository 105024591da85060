"""OCR engines: a picture of a page in, invisible text for the page out."""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Protocol

import pymupdf

from langchain_pymupdf_coords.errors import OCRUnavailableError
from langchain_pymupdf_coords.pdf.tessdata import column_aware

_HEIGHT_OF_SIDEWAYS_TEXT = 1.5


class TextLayer(Protocol):
    """What an engine recognised on a page."""

    def write(self, page: pymupdf.Page) -> None:
        """Put the words into an upright page as invisible text, each where it was seen."""


class OCREngine(Protocol):
    """An OCR engine, ready for its language."""

    def read(self, picture: pymupdf.Pixmap) -> TextLayer | None:
        """Recognise a picture of a whole page: RGB, with its resolution set. None where nothing is found."""


@dataclass(frozen=True, slots=True)
class Tesseract:
    """Tesseract as it is built into PyMuPDF; it needs nothing but the data of its languages.

    Attributes:
        language: Languages joined with ``+``.
        tessdata: Folder of the data.
    """

    language: str
    tessdata: str

    def read(self, picture: pymupdf.Pixmap) -> TextLayer | None:
        """Recognise a picture; see ``OCREngine``."""
        tessdata = column_aware(self.tessdata, self.language)
        data = picture.pdfocr_tobytes(compress=False, language=self.language, tessdata=tessdata)
        layer = pymupdf.open("pdf", data)
        page = layer[0]
        if not page.get_text().strip():
            return None
        page.add_redact_annot(page.rect, fill=False)
        page.apply_redactions(
            images=pymupdf.PDF_REDACT_IMAGE_REMOVE,
            graphics=pymupdf.PDF_REDACT_LINE_ART_NONE,
            text=pymupdf.PDF_REDACT_TEXT_NONE,
        )
        return _PageLayer(layer)


@dataclass(frozen=True, slots=True)
class _PageLayer:
    """A page of invisible text, of the size of the picture that was recognised."""

    document: pymupdf.Document

    def write(self, page: pymupdf.Page) -> None:
        page.show_pdf_page(self.document[0].rect, self.document, 0, keep_proportion=False)


class RapidOCR:
    """RapidOCR 3: its models come with its wheel, and one of them reads several dozen languages."""

    def read(self, picture: pymupdf.Pixmap) -> TextLayer | None:
        """Recognise a picture; see ``OCREngine``."""
        found = _rapidocr()(picture.tobytes("ppm"))
        if found.boxes is None or not found.txts:
            return None
        scale = 72 / picture.xres
        lines = []
        for corners, text in zip(found.boxes.tolist(), found.txts, strict=True):
            xs, ys = [x * scale for x, _ in corners], [y * scale for _, y in corners]
            lines.append((pymupdf.Rect(min(xs), min(ys), max(xs), max(ys)), text))
        return _LineLayer(tuple(lines))


@cache
def _rapidocr() -> Any:
    try:
        rapidocr = import_module("rapidocr")
    except ImportError as cause:
        raise OCRUnavailableError(f"RapidOCR is installed, but cannot be imported: {cause}") from cause
    return rapidocr.RapidOCR(params={"Global.log_level": "critical"})


@dataclass(frozen=True, slots=True)
class _LineLayer:
    """Lines of text with their rectangles in points."""

    lines: tuple[tuple[pymupdf.Rect, str], ...]

    def write(self, page: pymupdf.Page) -> None:
        for rect, text in self.lines:
            if text.strip() and not rect.is_empty:
                _write_line(page, rect, text)


def _write_line(page: pymupdf.Page, rect: pymupdf.Rect, text: str) -> None:
    """Fit a line into its rectangle; one that is far higher than wide runs down the page."""
    sideways = len(text) > 1 and rect.height > _HEIGHT_OF_SIDEWAYS_TEXT * rect.width
    font = _font()
    length, height = (rect.height, rect.width) if sideways else (rect.width, rect.height)
    size = height / (font.ascender - font.descender)
    if not (natural := font.text_length(text, size)):
        return
    corner = rect.tl if sideways else rect.bl
    start = corner + ((-font.descender * size, 0) if sideways else (0, font.descender * size))
    writer = pymupdf.TextWriter(page.rect)
    writer.append(start, text, font=font, fontsize=size)
    fit = pymupdf.Matrix(length / natural, 1)
    if sideways:
        fit *= pymupdf.Matrix(0, 1, -1, 0, 0, 0)
    writer.write_text(page, morph=(start, fit), render_mode=3)


@cache
def _font() -> pymupdf.Font:
    return pymupdf.Font("cjk")
