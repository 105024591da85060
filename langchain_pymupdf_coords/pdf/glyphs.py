"""Glyphs of pages for locating, from open documents that are kept for a while."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

from langchain_pymupdf_coords.errors import PDFOpenError
from langchain_pymupdf_coords.page_glyphs import PageGlyphs
from langchain_pymupdf_coords.pdf.engine import ENGINE_ERRORS, engine
from langchain_pymupdf_coords.pdf.opening import PrivateDocument, open_upright
from langchain_pymupdf_coords.pdf.text import read_textpage, text_runs
from langchain_pymupdf_coords.source_files import SourceFile

_OPEN_DOCUMENTS = 8
_KEPT_PAGES = 64

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


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


def page_glyphs(file: SourceFile, page: int, *, password: str | None = None) -> PageGlyphs | None:
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
        glyphs = _read(_document(file, password), page)
        if glyphs is not None:
            _pages.put((*key, page), glyphs)
        return glyphs


def page_count(file: SourceFile, *, password: str | None = None) -> int:
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
        return _document(file, password).page_count


def _document(file: SourceFile, password: str | None) -> PrivateDocument:
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
