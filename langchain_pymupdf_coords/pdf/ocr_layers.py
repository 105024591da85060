"""What an OCR engine takes and gives: a picture of a page, and the text to put into the page."""

from typing import Protocol

import pymupdf


class TextLayer(Protocol):
    """What was recognised on a page."""

    def write(self, page: pymupdf.Page) -> None:
        """Put the words into an upright page as invisible text, each where it was seen."""


class OCREngine(Protocol):
    """An OCR engine, ready for its language."""

    def read(self, picture: pymupdf.Pixmap) -> TextLayer | None:
        """Recognise a picture of a whole page: RGB, with its resolution set. None where nothing is found."""
