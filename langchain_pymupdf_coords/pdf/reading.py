"""Reading a PDF window by window, so that memory does not grow with the file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import pymupdf

from langchain_pymupdf_coords.pages import ParsedPage
from langchain_pymupdf_coords.pdf.engine import engine
from langchain_pymupdf_coords.pdf.ocr import Recogniser
from langchain_pymupdf_coords.pdf.opening import open_upright
from langchain_pymupdf_coords.pdf.parsing import PageParser

# Pages per call of the engine. Each call reads the outline again, so one page a call is quadratic on long
# files; the first chunk comes after one window.
WINDOW = 8

_INFO_KEYS = {
    "title": "title",
    "author": "author",
    "producer": "producer",
    "creator": "creator",
    "creationDate": "creationdate",
    "modDate": "moddate",
}


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """What a file says of itself.

    Attributes:
        total_pages: Number of pages.
        metadata: Document information under the names that LangChain's PDF loaders use; no empty values.
    """

    total_pages: int
    metadata: Mapping[str, str]


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
        with engine(name):
            self._document = open_upright(file, name=name, password=password)
            self._parser = PageParser(self._document, recognise=recognise)
            self.info = _info(self._document)

    def windows(self, numbers: Sequence[int]) -> Iterator[list[ParsedPage]]:
        """Yield the pages with these numbers (from 1), some at a time, in the order given."""
        for start in range(0, len(numbers), WINDOW):
            with engine(self._name):
                pages = self._parser.parse([number - 1 for number in numbers[start : start + WINDOW]])
                pymupdf.TOOLS.store_shrink(100)
            yield pages

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
