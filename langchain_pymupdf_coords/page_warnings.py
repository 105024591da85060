"""Warnings about pages: one per event, and one per file for scans that nobody could read."""

import logging
import warnings
from collections.abc import Sequence

from langchain_pymupdf_coords.errors import (
    PageFallbackWarning,
    PyMuPDFCoordsWarning,
    UnplacedTextWarning,
    UnreadableContentWarning,
)
from langchain_pymupdf_coords.pages import ParsedPage

logger = logging.getLogger(__name__)

_CATEGORIES: dict[str, type[PyMuPDFCoordsWarning]] = {
    "fallback": PageFallbackWarning,
    "unplaced": UnplacedTextWarning,
    "unreadable": UnreadableContentWarning,
}


class PageWarnings:
    """Issues the notes of the pages of one file as warnings."""

    def __init__(self, name: str) -> None:
        """Name the file as messages shall name it."""
        self._name = name
        self._scans: list[int] = []

    def page(self, page: ParsedPage) -> None:
        """Warn of what could not be read or placed on a page; remember it if it is a scan."""
        for note in page.notes:
            if note.kind == "scan":
                self._scans.append(page.number)
            else:
                message = f"{self._name}, page {page.number}: {note.message}"
                warnings.warn(message, _CATEGORIES[note.kind], stacklevel=2)

    def close(self) -> None:
        """Warn of the scanned pages, all at once."""
        if self._scans:
            message = (
                f"{self._name}: no readable text on {len(self._scans)} page(s) that show something: "
                f'{page_ranges(self._scans)}; install langchain-pymupdf-coords[ocr], and pass ocr="auto"'
            )
            warnings.warn(message, UnreadableContentWarning, stacklevel=2)
            self._scans.clear()


def page_ranges(numbers: Sequence[int]) -> str:
    """Write sorted page numbers shortly: ``1-3, 7``."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
