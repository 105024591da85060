"""RapidOCR 3."""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import pymupdf

from langchain_pymupdf_coords.errors import OCRUnavailableError
from langchain_pymupdf_coords.pdf.ocr_layers import TextLayer

# RapidOCR turns what is so much higher than wide before it reads it.
_SIDEWAYS = 1.5


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
        return LineLayer(tuple(lines))


@cache
def _rapidocr() -> Any:
    try:
        rapidocr = import_module("rapidocr")
    except ImportError as cause:
        raise OCRUnavailableError(f"RapidOCR is installed, but cannot be imported: {cause}") from cause
    return rapidocr.RapidOCR(params={"Global.log_level": "critical"})


@dataclass(frozen=True, slots=True)
class LineLayer:
    """Lines of text with their rectangles in points."""

    lines: tuple[tuple[pymupdf.Rect, str], ...]

    def write(self, page: pymupdf.Page) -> None:
        """Write the lines; see ``TextLayer``."""
        page.wrap_contents()  # else they would move what follows them, on a page that was turned
        for rect, text in self.lines:
            if text.strip() and not rect.is_empty:
                _write_line(page, rect, text)


def _write_line(page: pymupdf.Page, rect: pymupdf.Rect, text: str) -> None:
    """Fit a line into its rectangle; one that is far higher than wide runs down the page."""
    sideways = len(text) > 1 and rect.height > _SIDEWAYS * rect.width
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
        fit *= pymupdf.Matrix(0, -1, 1, 0, 0, 0)
    writer.write_text(page, morph=(start, fit), render_mode=3)


@cache
def _font() -> pymupdf.Font:
    return pymupdf.Font("cjk")
