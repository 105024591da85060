"""Glyphs of pages for locating, from open documents that are kept for a while.

A file that is gone or damaged is the same as one without glyphs.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from langchain_pymupdf_coords.errors import PDFOpenError, PDFPasswordError, SourceUnavailableError
from langchain_pymupdf_coords.layout.alignment import recover_lines
from langchain_pymupdf_coords.layout.glyphs import PageGlyphs
from langchain_pymupdf_coords.pdf.engine import ENGINE_ERRORS, engine
from langchain_pymupdf_coords.pdf.opening import PrivateDocument, open_upright
from langchain_pymupdf_coords.pdf.text import read_textpage, text_runs
from langchain_pymupdf_coords.provenance.boxes import LineBox, SourceBox

if TYPE_CHECKING:
    from langchain_pymupdf_coords.sources.files import SourceFile


_OPEN_DOCUMENTS = 8

_KEPT_PAGES = 64

Key = TypeVar("Key", bound=Hashable)

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class FileGlyphs:
    """The glyphs of a Document's file, where it can be read.

    Attributes:
        file: The file, or None.
        password: User or owner password.

    Raises:
        PDFPasswordError: From each method: a password is needed, or this one is wrong.
    """

    file: "SourceFile | None"
    password: str | None

    def page(self, number: int) -> PageGlyphs | None:
        """Return the glyphs of a page, from 1, or None."""
        if self.file is None:
            return None
        try:
            return page_glyphs(self.file, number, password=self.password)
        except PDFPasswordError:
            raise
        except (PDFOpenError, SourceUnavailableError):
            return None

    def page_count(self) -> int:
        """Number of pages; 0 where the file cannot be read."""
        if self.file is None:
            return 0
        try:
            return page_count(self.file, password=self.password)
        except PDFPasswordError:
            raise
        except (PDFOpenError, SourceUnavailableError):
            return 0

    def lines(self, content: str, boxes: tuple[SourceBox, ...]) -> tuple[LineBox, ...]:
        """Make the lines of a Document that was stored without them."""
        pages = {box.page for box in boxes}
        glyphs = {page: found for page in pages if (found := self.page(page)) is not None}
        return recover_lines(content, boxes, glyphs)


def page_glyphs(file: "SourceFile", page: int, *, password: str | None = None) -> PageGlyphs | None:
    """Return the glyphs of a page in the displayed frame, or None if the file has no such readable page.

    Args:
        file: The file, by path or with its bytes.
        page: Page number, from 1.
        password: User or owner password.

    Raises:
        PDFPasswordError: A password is needed, or this one is wrong.
        PDFOpenError: The file is damaged or not a PDF.
        SourceUnavailableError: The file is gone.
    """
    key = (file.key, password)
    with engine(file.name):
        if (kept := _pages.get((*key, page))) is not None:
            return kept
        glyphs = _read(kept_document(file, password), page)
        if glyphs is not None:
            _pages.put((*key, page), glyphs)
        return glyphs


def page_count(file: "SourceFile", *, password: str | None = None) -> int:
    """Return the number of pages of a file.

    Args:
        file: The file, by path or with its bytes.
        password: User or owner password.

    Raises:
        PDFPasswordError: A password is needed, or this one is wrong.
        PDFOpenError: The file is damaged or not a PDF.
        SourceUnavailableError: The file is gone.
    """
    with engine(file.name):
        return kept_document(file, password).page_count


def kept_document(file: "SourceFile", password: str | None) -> PrivateDocument:
    """Return a file, opened with upright pages, that stays open for a while. Called under the engine lock only.

    Raises:
        PDFPasswordError: A password is needed, or this one is wrong.
        PDFOpenError: The file is damaged or not a PDF.
        SourceUnavailableError: The file is gone.
    """
    key = (file.key, password)
    document = _documents.get(key)
    if document is None:
        document = open_upright(file.path or file.read_bytes(), name=file.source, password=password)
        for gone in _documents.put(key, document):
            gone.close()
    return document


def _read(document: PrivateDocument, page: int) -> PageGlyphs | None:
    try:
        if not 1 <= page <= document.page_count:
            return None
        return PageGlyphs(text_runs(read_textpage(document.load_page(page - 1)), glyphs=True))
    except PDFOpenError:
        raise
    except ENGINE_ERRORS:
        return None


class _Recent(Generic[Key, Value]):
    """The most recently used values of a kind. Used under the engine lock only."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def put(self, key: Key, value: Value) -> list[Value]:
        """Keep a value; return those that had to go."""
        self._values[key] = value
        gone = []
        while len(self._values) > self._size:
            gone.append(self._values.popitem(last=False)[1])
        return gone


# Keys hold the state of a file (path, size, modification time, or digest), so a changed file is another one.
_documents: _Recent[tuple[Hashable, ...], PrivateDocument] = _Recent(_OPEN_DOCUMENTS)

_pages: _Recent[tuple[Hashable, ...], PageGlyphs] = _Recent(_KEPT_PAGES)
