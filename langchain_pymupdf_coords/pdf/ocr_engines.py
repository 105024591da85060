"""The OCR engines: a picture of a page in, the text to put into the page out.

Tesseract as it is built into PyMuPDF, and RapidOCR 3.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any, Protocol

import pymupdf

from langchain_pymupdf_coords.errors import OCRUnavailableError
from langchain_pymupdf_coords.geometry import BBox, union_bboxes
from langchain_pymupdf_coords.pdf.tessdata import PageMode, data_with_mode

# Letters are rarely narrower, on average of a line, than this part of the line's height.
_NARROWEST = 0.125

# RapidOCR turns what is so much higher than wide before it reads it.
_SIDEWAYS = 1.5


class TextLayer(Protocol):
    """What was recognised on a page."""

    def write(self, page: pymupdf.Page) -> None:
        """Put the words into an upright page as invisible text, each where it was seen."""


class OCREngine(Protocol):
    """An OCR engine, ready for its language."""

    def read(self, picture: pymupdf.Pixmap) -> TextLayer | None:
        """Recognise a picture of a whole page: RGB, with its resolution set. None where nothing is found."""


@dataclass(frozen=True, slots=True)
class Tesseract:
    """Tesseract; it needs nothing but the data of its languages.

    Attributes:
        language: Languages joined with ``+``.
        tessdata: Folder of the data.
    """

    language: str
    tessdata: str

    def read(self, picture: pymupdf.Pixmap) -> TextLayer | None:
        """Recognise a picture; see ``OCREngine``.

        Where Tesseract takes a line for part of a picture, the line gets the height of that picture, up to the
        whole page. Such lines are looked for once more, when all others have been covered.
        """
        layer = self._recognised(picture, PageMode.COLUMNS)
        words, lost = _sorted_out(_words(layer))
        if lost:
            scale = picture.xres / 72
            # clear_with writes a row too many, which must not be beyond the end of the picture.
            inside = pymupdf.IRect(0, 0, picture.width, picture.height - 1)
            for word in words:
                picture.clear_with(255, pymupdf.IRect(pymupdf.Rect(word.bbox) * scale) & inside)
            found, _ = _sorted_out(_words(self._recognised(picture, PageMode.SCATTERED)))
            words += [word for word in found if any(_is_centred(word.bbox, line) for line in lost)]
        return _WordLayer(layer, tuple(words)) if words else None

    def _recognised(self, picture: pymupdf.Pixmap, mode: PageMode) -> pymupdf.Document:
        tessdata = data_with_mode(self.tessdata, self.language, mode)
        data = picture.pdfocr_tobytes(compress=False, language=self.language, tessdata=tessdata)
        return pymupdf.open("pdf", data)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word with its rectangle in points: as wide as the word, as high as its line; and the line's number."""

    text: str
    bbox: BBox
    line: tuple[int, int]


def _words(layer: pymupdf.Document) -> Iterator[_Word]:
    textpage = layer[0].get_textpage(flags=pymupdf.TEXT_ACCURATE_BBOXES)
    for x0, y0, x1, y1, text, block, line, _ in textpage.extractWORDS():
        yield _Word(text, (x0, y0, x1, y1), (block, line))


def _sorted_out(words: Iterable[_Word]) -> tuple[list[_Word], list[BBox]]:
    """Return the words of lines whose height is likely, and the rectangles of the other lines."""
    lines: dict[tuple[int, int], list[_Word]] = defaultdict(list)
    for word in words:
        lines[word.line].append(word)
    likely: list[_Word] = []
    unlikely: list[BBox] = []
    for members in lines.values():
        width = sum(word.bbox[2] - word.bbox[0] for word in members)
        x0, y0, x1, y1 = union_bboxes(word.bbox for word in members)
        if width >= _NARROWEST * (y1 - y0) * sum(len(word.text) for word in members):
            likely += members
        else:
            unlikely.append((x0, y0, x1, y1))
    return likely, unlikely


def _is_centred(bbox: BBox, around: BBox) -> bool:
    x, y = (bbox[0] + bbox[2]) / 2, (bbox[1] + bbox[3]) / 2
    return around[0] <= x <= around[2] and around[1] <= y <= around[3]


@dataclass(frozen=True, slots=True)
class _WordLayer:
    """Words, and the page that Tesseract made: it has a font of empty glyphs for all of Unicode."""

    document: pymupdf.Document
    words: tuple[_Word, ...]

    def write(self, page: pymupdf.Page) -> None:
        layer = self.document[0]
        [content, *_] = layer.get_contents()
        self.document.update_stream(content, _content(self.words, layer.rect.height))
        self.document.xref_set_key(layer.xref, "Resources/XObject", "null")
        page.show_pdf_page(layer.rect, self.document, 0, keep_proportion=False)


def _content(words: Sequence[_Word], height: float) -> bytes:
    """Write invisible text (ISO 32000-1, 9.3 and 9.4) in the font F0 of a page, coded in UTF-16.

    Its glyphs are half as wide as they are high; a space stands between the words of a line.
    """
    parts = ["BT 3 Tr"]
    for word, after in pairwise([*words, None]):
        if word is None:
            continue
        x0, y0, x1, y1 = word.bbox
        parts.append(_shown(word.text, (x0, y0, x1, y1), height))
        if after is not None and after.line == word.line and after.bbox[0] > x1:
            parts.append(_shown(" ", (x1, y0, after.bbox[0], y1), height))
    return "\n".join([*parts, "ET"]).encode()


def _shown(text: str, bbox: BBox, height: float) -> str:
    x0, y0, x1, y1 = bbox
    size = y1 - y0
    code = text.encode("utf-16-be")
    stretch = 100 * (x1 - x0) / (size * len(code) / 4)
    return f"/F0 {size:.3f} Tf {stretch:.3f} Tz 1 0 0 1 {x0:.3f} {height - y1:.3f} Tm <{code.hex()}> Tj"


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
