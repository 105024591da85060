"""Glyphs of pages and words of files, from open documents; all of them are kept for a while.

What is kept is bounded, and known by the digest of the file: a changed file is another one. A file that is gone or
damaged is the same as one without glyphs.
"""

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from langchain_pymupdf_coords.errors import (
    PDFOpenError,
    PDFPasswordError,
    SourceChangedError,
    SourceUnavailableError,
)
from langchain_pymupdf_coords.layout.alignment import recover_lines
from langchain_pymupdf_coords.layout.glyphs import PageGlyphs
from langchain_pymupdf_coords.layout.pages import NO_SIZE
from langchain_pymupdf_coords.pdf.engine import ENGINE_ERRORS, engine
from langchain_pymupdf_coords.pdf.opening import PrivateDocument, open_upright
from langchain_pymupdf_coords.pdf.text import page_words, read_textpage, text_runs
from langchain_pymupdf_coords.placing.file_words import FileWords, PageWords
from langchain_pymupdf_coords.provenance.boxes import LineBox, SourceBox

if TYPE_CHECKING:
    from langchain_pymupdf_coords.sources.files import SourceFile


_OPEN_DOCUMENTS = 8

_KEPT_PAGES = 64

_KEPT_LETTERS = 4_000_000  # of whole files, some 1,500 pages

# Passwords are no keys of what is kept, in case that somebody looks into the memory: this is.
_SALT = secrets.token_bytes(16)

Key = TypeVar("Key", bound=Hashable)

Value = TypeVar("Value")


@dataclass(frozen=True)
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

    @cached_property
    def _opened(self) -> "_KeptFile | None":
        try:
            return None if self.file is None else _KeptFile.of(self.file, self.password)
        except (SourceUnavailableError, SourceChangedError):
            return None

    def _read(self, read: "Callable[[_KeptFile], Value]", otherwise: Value) -> Value:
        if self._opened is None:
            return otherwise
        try:
            return read(self._opened)
        except PDFPasswordError:
            raise
        except (PDFOpenError, SourceUnavailableError):
            return otherwise

    def page(self, number: int) -> PageGlyphs | None:
        """Return the glyphs of a page, from 1, or None."""
        return self._read(lambda file: file.glyphs(number), None)

    def words(self) -> FileWords | None:
        """Return the words of all pages, or None where the file cannot be read."""
        return self._read(lambda file: file.words(), None)

    def words_of(self, pages: Collection[int]) -> FileWords:
        """Return the words of some pages, from 1; all others, and those that cannot be read, have none."""
        nothing = FileWords(())
        return self._read(lambda file: file.words_of(pages), nothing)

    def page_count(self) -> int:
        """Number of pages; 0 where the file cannot be read."""
        return self._read(lambda file: file.page_count(), 0)

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
        SourceUnavailableError, SourceChangedError: The file is gone, or is being written.
    """
    return _KeptFile.of(file, password).glyphs(page)


def file_words(file: "SourceFile", *, password: str | None = None) -> FileWords:
    """Return the words of all pages of a file, in the displayed frame; a page that cannot be read has none.

    Args:
        file: The file, by path or with its bytes.
        password: User or owner password.

    Raises:
        PDFPasswordError, PDFOpenError, SourceUnavailableError, SourceChangedError: See ``page_glyphs``.
    """
    return _KeptFile.of(file, password).words()


def kept_document(file: "SourceFile", password: str | None) -> PrivateDocument:
    """Return a file, opened with upright pages, that stays open for a while. Called under the engine lock only.

    Raises:
        PDFPasswordError, PDFOpenError, SourceUnavailableError, SourceChangedError: See ``page_glyphs``.
    """
    return _KeptFile.of(file, password).document()


def clear_kept_files() -> None:
    """Close the documents that are kept open for repeated calls, and forget what was read from files."""
    with engine("kept files"):
        for document in _documents.clear():
            document.close()
        _pages.clear()
        _words.clear()


@dataclass(frozen=True, slots=True)
class _KeptFile:
    """A file, and the key that all that is kept of it has."""

    file: "SourceFile"
    password: str | None
    key: Hashable

    @classmethod
    def of(cls, file: "SourceFile", password: str | None) -> "_KeptFile":
        """Return a file as it is now."""
        access = hashlib.blake2b((password or "").encode("utf-8", "surrogatepass"), key=_SALT).digest()
        return cls(file, password, (file.digest, access))

    def glyphs(self, page: int) -> PageGlyphs | None:
        """Return the glyphs of a page, from 1."""
        with engine(self.file.name):
            if (kept := _pages.get((self.key, page))) is not None:
                return kept
            glyphs = _read(self.document(), page)
            if glyphs is not None:
                _pages.put((self.key, page), glyphs)
            return glyphs

    def words(self) -> FileWords:
        """Return the words of all pages; others may read between two of them."""
        with engine(self.file.name):
            if (kept := _words.get(self.key)) is not None:
                return kept
        words = FileWords([self._page_words(number) for number in range(self.page_count())])
        with engine(self.file.name):
            _words.put(self.key, words)
        return words

    def words_of(self, pages: Collection[int]) -> FileWords:
        """Return the words of some pages, from 1; the others have none."""
        numbers = range(1, min(self.page_count(), max(pages, default=0)) + 1)
        nothing = PageWords((), NO_SIZE)
        return FileWords([self._page_words(n - 1) if n in pages else nothing for n in numbers])

    def page_count(self) -> int:
        """Return the number of pages."""
        with engine(self.file.name):
            return self.document().page_count

    def _page_words(self, index: int) -> PageWords:
        with engine(self.file.name):
            try:
                page = self.document().load_page(index)
                return PageWords(page_words(read_textpage(page)), (page.rect.width, page.rect.height))
            except PDFOpenError:
                raise
            except ENGINE_ERRORS:
                return PageWords((), NO_SIZE)

    def document(self) -> PrivateDocument:
        """Return the open document. Called under the engine lock only."""
        document = _documents.get(self.key)
        if document is None:
            source = self.file.path or self.file.read_bytes()
            document = open_upright(source, name=self.file.source, password=self.password)
            for gone in _documents.put(self.key, document):
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

    def __init__(self, size: int, weigh: Callable[[Value], int] = lambda _: 1) -> None:
        self._size, self._weigh = size, weigh
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._weight = 0

    def get(self, key: Key) -> Value | None:
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def put(self, key: Key, value: Value) -> list[Value]:
        """Keep a value unless it is larger than all that is kept; return those that had to go."""
        if self._weigh(value) > self._size:
            return []
        gone = [self._values.pop(key)] if key in self._values else []
        self._values[key] = value
        self._weight += self._weigh(value) - sum(map(self._weigh, gone))
        while self._weight > self._size:
            gone.append(self._values.popitem(last=False)[1])
            self._weight -= self._weigh(gone[-1])
        return gone

    def clear(self) -> list[Value]:
        """Forget all values; return them."""
        gone = list(self._values.values())
        self._values.clear()
        self._weight = 0
        return gone


_documents: _Recent[Hashable, PrivateDocument] = _Recent(_OPEN_DOCUMENTS)

_pages: _Recent[Hashable, PageGlyphs] = _Recent(_KEPT_PAGES)

_words: _Recent[Hashable, FileWords] = _Recent(_KEPT_LETTERS, lambda words: len(words.letters))
