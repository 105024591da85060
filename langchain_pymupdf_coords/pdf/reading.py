"""Reading a PDF window by window, so that memory does not grow with the file."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import pymupdf

from langchain_pymupdf_coords.pages import DocumentInfo, ParsedPage
from langchain_pymupdf_coords.pdf.engine import engine, trim_memory
from langchain_pymupdf_coords.pdf.ocr import Recogniser
from langchain_pymupdf_coords.pdf.opening import open_upright
from langchain_pymupdf_coords.pdf.parsing import PageParser

# Pages after which memory is given back: taking it again costs as much as a few percent of a window.
_TRIM_AFTER = 32

_INFO_KEYS = {
    "title": "title",
    "author": "author",
    "producer": "producer",
    "creator": "creator",
    "creationDate": "creationdate",
    "modDate": "moddate",
}


# The engine keeps things of each page until the document is closed, about 4 MB a page: it is opened anew.
PAGES_PER_HANDLE = 16


class PDFReader:
    """Pages of one file, read in windows. A context manager; the engine is held for a window at a time."""

    def __init__(
        self,
        file: Path | bytes,
        *,
        name: str,
        password: str | None = None,
        recognise: Recogniser | None = None,
    ) -> None:
        """Open a file on a private handle.

        Args:
            file: Path or contents.
            name: Name of the file in messages.
            password: User or owner password.
            recognise: Called once with each page and its text; may give it another text (OCR).

        Raises:
            PDFPasswordError: A password is needed, or this one is wrong.
            PDFOpenError: The file is damaged or not a PDF.
        """
        self._name = name
        self._read = 0
        self._open = partial(open_upright, file, name=name, password=password)
        self._recognise = recognise
        with engine(name):
            self._begin()
            self.info = _info(self._document)

    def _begin(self) -> None:
        self._document = self._open()
        self._parser = PageParser(self._document, recognise=self._recognise)
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
