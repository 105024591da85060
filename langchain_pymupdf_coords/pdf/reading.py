"""Reading a PDF: each page parsed by the engine's layout model and aligned with its glyphs.

A file is read window by window, so that memory does not grow with it.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pymupdf

from langchain_pymupdf_coords.geometry import PageSize
from langchain_pymupdf_coords.layout.alefs import with_alefs
from langchain_pymupdf_coords.layout.assembly import assemble, block_boxes, on_page, place
from langchain_pymupdf_coords.layout.pages import (
    NO_SIZE,
    DocumentInfo,
    PageNote,
    ParsedBox,
    ParsedPage,
    TextRun,
)
from langchain_pymupdf_coords.layout.repair import LayoutBox
from langchain_pymupdf_coords.layout.running import PageLines, Surroundings, page_lines
from langchain_pymupdf_coords.pdf.engine import ENGINE_ERRORS, engine, trim_memory
from langchain_pymupdf_coords.pdf.layout_engine import layout_boxes
from langchain_pymupdf_coords.pdf.ocr import Recogniser
from langchain_pymupdf_coords.pdf.opening import PrivateDocument, disarm_forms, open_upright
from langchain_pymupdf_coords.pdf.text import (
    TEXT_FLAGS,
    read_textpage,
    text_runs,
    whole_text,
    without_pictures,
)

# The layout model compares all lines of a page with each other: 4,000 scattered ones take 10 s and more than a
# gigabyte, 8,000 a minute and three.
MAX_LAYOUT_LINES = 4_000

# What MuPDF says when it goes on without the rest of a content stream.
_LOST = (
    "zlib error",
    "cannot load content stream",
    "content stream is not a stream",
    "premature end of data",
    "unknown filter",
    "treating as end of file",
)

# Pages after which memory is given back: taking it again costs as much as a few percent of a window.
_TRIM_AFTER = 32

# The engine keeps things of each page until the document is closed, about 4 MB a page: it is opened anew.
PAGES_PER_HANDLE = 16

# The pages before and after a page that its running heads are compared with: a head may stand on every other.
_AROUND = (-2, -1, 1, 2)

_INFO_KEYS = {
    "title": "title",
    "author": "author",
    "producer": "producer",
    "creator": "creator",
    "creationDate": "creationdate",
    "modDate": "moddate",
}


class PDFReader:
    """Pages of one file, read in windows. A context manager; the engine is held for a window at a time."""

    def __init__(
        self,
        file: Path | bytes,
        *,
        name: str,
        password: str | None = None,
        recognise: Recogniser | None = None,
        repair: bool = True,
    ) -> None:
        """Open a file on a private handle.

        Args:
            file: Path or contents.
            name: Name of the file in messages.
            password: User or owner password.
            recognise: Called once with each page and its text; may give it another text (OCR).
            repair: Whether to check the engine's text against the letters of the page.

        Raises:
            PDFPasswordError: A password is needed, or this one is wrong.
            PDFOpenError: The file is damaged or not a PDF.
        """
        self._name = name
        self._read = 0
        self._open = partial(open_upright, file, name=name, password=password)
        self._recognise = recognise
        self._repair = repair
        with engine(name):
            self._begin()
            self.info = _info(self._document)

    def _begin(self) -> None:
        self._document = self._open()
        self._parser = PageParser(self._document, recognise=self._recognise, repair=self._repair)
        self._pages_read = 0

    def read(self, numbers: Sequence[int]) -> list[ParsedPage]:
        """Return the pages with these numbers, from 1, in this order; they are all in memory at once."""
        with engine(self._name):
            if self._pages_read >= PAGES_PER_HANDLE:
                self._document.close()
                self._begin()
            pages = self._parser.parse([number - 1 for number in numbers])
            self._pages_read += len(pages)
            pymupdf.TOOLS.store_shrink(100)
            self._read += len(pages)
            if self._read >= _TRIM_AFTER:
                self._read = 0
                trim_memory()
        return pages

    def close(self) -> None:
        """Release the file."""
        with engine(self._name):
            self._document.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _info(document: pymupdf.Document) -> DocumentInfo:
    found = {_INFO_KEYS[key]: value for key, value in (document.metadata or {}).items() if key in _INFO_KEYS}
    return DocumentInfo(document.page_count, {key: str(value) for key, value in found.items() if value})


class _TooDenseError(Exception):
    """A page that the layout model should not see; carries its index."""

    def __init__(self, index: int, lines: int) -> None:
        super().__init__(f"it has {lines:,} lines of text, too many for the layout model")
        self.index = index


class PageParser:
    """Parses pages of one upright document.

    The engine is watched while it works: the text page that it makes for itself is the one that its Markdown
    is aligned with, so no page is read twice, and words that OCR found have their places.
    """

    def __init__(
        self, document: PrivateDocument, *, recognise: Recogniser | None = None, repair: bool = True
    ) -> None:
        """Take over an upright document.

        Args:
            document: The document; nobody else may use it any more.
            recognise: Called once with each page and its text; may give it another text (OCR).
            repair: Whether to check the engine's text against the letters of the page.
        """
        self._document = document
        self._recognise = recognise
        self._repair = repair
        self._pages: dict[int, pymupdf.Page] = {}
        self._textpages: dict[int, pymupdf.TextPage] = {}
        self._runs: dict[int, list[TextRun]] = {}
        self._lines: dict[int, PageLines] = {}
        self._recognised: dict[int, PageNote | None] = {}
        self._changed: set[int] = set()
        self._lost: dict[int, PageNote | None] = {}
        document.watch = self._watch
        self._has_labels = bool(document.is_pdf and document.get_page_labels())
        if document.is_pdf:
            disarm_forms(document)

    def parse(self, indices: Sequence[int]) -> list[ParsedPage]:
        """Parse pages by their index from 0; a page that defeats the layout model is read without it."""
        try:
            return self._with_layout(indices) if indices else []
        except _TooDenseError as error:
            at = list(indices).index(error.index)
            dense = self._without_layout(error.index, error)
            return [*self.parse(indices[:at]), dense, *self.parse(indices[at + 1 :])]
        except ENGINE_ERRORS as error:
            if len(indices) == 1:
                return [self._without_layout(indices[0], error)]
            return [page for index in indices for page in self.parse([index])]
        finally:
            self._release()

    def _release(self) -> None:
        """Let pages and texts go at once: a page that is watched holds on to itself."""
        for page in self._pages.values():
            page.__dict__.pop("get_textpage", None)
        self._pages.clear()
        self._textpages.clear()
        self._runs.clear()

    def _watch(self, page: pymupdf.Page) -> None:
        self._pages[page.number] = page
        page.get_textpage = partial(self._get_textpage, page, page.get_textpage)

    def _get_textpage(
        self, page: pymupdf.Page, get: Callable[..., pymupdf.TextPage], *args: Any, **kwargs: Any
    ) -> pymupdf.TextPage:
        """Stand in for the page's own method. The engine names a clip only when it reads the text itself."""
        index = page.number
        if "clip" not in kwargs or index in self._textpages:
            return get(*args, **kwargs)
        # The engine asks for all text however far out; what the page does not show is not its text.
        flags = kwargs.get("flags", TEXT_FLAGS)
        read = partial(get, *args, **{**kwargs, "clip": page.rect})
        textpage = self._read_text(page, lambda: whole_text(lambda flags: read(flags=flags), flags))
        self._textpages[index] = textpage
        if (lines := len({word[5:7] for word in textpage.extractWORDS()})) > MAX_LAYOUT_LINES:
            raise _TooDenseError(index, lines)
        return textpage

    def _read_text(self, page: pymupdf.Page, get: Callable[[], pymupdf.TextPage]) -> pymupdf.TextPage:
        """Read a page, after OCR where it needs that; a page that is parsed again has its words already."""
        pymupdf.TOOLS.reset_mupdf_warnings()
        textpage = get()
        self._lost[page.number] = _lost_content(pymupdf.TOOLS.mupdf_warnings())
        if self._recognise is None or page.number in self._recognised:
            return textpage
        recognition = self._recognise(page, textpage)
        self._recognised[page.number] = recognition.note
        if not recognition.changed:
            return textpage
        # What is recognised depends on what is read: the pages around a page are compared without it.
        self._lines[page.number] = page_lines(text_runs(textpage, glyphs=False), _size(page))
        self._changed.add(page.number)
        return get()

    def _with_layout(self, indices: Sequence[int]) -> list[ParsedPage]:
        boxes = layout_boxes(self._document, indices)
        return [self._aligned(index, found) for index, found in zip(indices, boxes, strict=True)]

    def _aligned(self, index: int, boxes: Sequence[LayoutBox]) -> ParsedPage:
        page = self._pages[index]
        read = partial(self._read_runs, index)
        parsed, notes = (
            assemble(boxes, read, self._surroundings(page)) if self._repair else place(boxes, read)
        )
        return self._parsed(page, parsed, notes)

    def _read_runs(self, index: int, glyphs: bool) -> list[TextRun]:
        """Return the runs of a page of the window."""
        if glyphs or index not in self._runs:
            page = self._pages[index]
            runs = text_runs(without_pictures(page, self._textpages[index]), glyphs=glyphs)
            read_all = partial(self._read_all, page)
            self._runs[index] = with_alefs(runs, read_all) if self._repair else runs
        return self._runs[index]

    def _read_all(self, page: pymupdf.Page) -> list[TextRun]:
        return text_runs(read_textpage(page), glyphs=True)

    def _surroundings(self, page: pymupdf.Page) -> Surroundings:
        index = page.number
        around = [
            index + distance for distance in _AROUND if 0 <= index + distance < self._document.page_count
        ]
        lines = tuple(self._lines_of(number) for number in around)
        for number in [number for number in self._lines if number < index - PAGES_PER_HANDLE]:
            del self._lines[number]
        return Surroundings(_size(page), lines, recognised=index in self._changed)

    def _lines_of(self, index: int) -> PageLines:
        """Return the lines of a page, which need not be one of the window."""
        if index not in self._lines:
            try:
                self._lines[index] = self._read_lines(index)
            except ENGINE_ERRORS:
                self._lines[index] = PageLines()
        return self._lines[index]

    def _read_lines(self, index: int) -> PageLines:
        if index in self._textpages:
            return page_lines(self._read_runs(index, glyphs=False), _size(self._pages[index]))
        self._document.watch = None
        try:
            page = self._document.load_page(index)
            return page_lines(text_runs(read_textpage(page), glyphs=False), _size(page))
        finally:
            self._document.watch = self._watch

    def _without_layout(self, index: int, cause: Exception) -> ParsedPage:
        notes = [PageNote("fallback", f"read without the layout model: {cause}")]
        try:
            page = self._document.load_page(index)
            runs = text_runs(self._read_text(page, partial(read_textpage, page)), glyphs=False)
            return self._parsed(page, block_boxes(runs), notes)
        except ENGINE_ERRORS as error:
            note = PageNote("unreadable", f"cannot be read: {error}")
            return ParsedPage(index + 1, NO_SIZE, "", (), (note,))

    def _parsed(self, page: pymupdf.Page, boxes: list[ParsedBox], notes: list[PageNote]) -> ParsedPage:
        size = _size(page)
        label = page.get_label() if self._has_labels else ""
        told = (self._lost.get(page.number), self._recognised.get(page.number))
        notes = [*notes, *filter(None, told)]
        return ParsedPage(page.number + 1, size, label, on_page(boxes, size), tuple(notes))


def _lost_content(messages: str) -> PageNote | None:
    """Return what to tell of a page, if MuPDF said while it read it that a part of its content is damaged."""
    lost = [line for line in messages.splitlines() if any(sign in line for sign in _LOST)]
    return PageNote("unreadable", f"a part of it is damaged and may be missing: {lost[0]}") if lost else None


def _size(page: pymupdf.Page) -> PageSize:
    return float(page.rect.width), float(page.rect.height)
