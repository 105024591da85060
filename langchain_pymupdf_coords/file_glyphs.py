"""The glyphs of a file that may be gone or damaged, which is then the same as having none."""

from dataclasses import dataclass

from langchain_pymupdf_coords.errors import PDFOpenError, PDFPasswordError, SourceUnavailableError
from langchain_pymupdf_coords.line_recovery import recover_lines
from langchain_pymupdf_coords.page_glyphs import PageGlyphs
from langchain_pymupdf_coords.pdf.glyphs import page_count, page_glyphs
from langchain_pymupdf_coords.provenance import LineBox, SourceBox
from langchain_pymupdf_coords.sources import SourceFile


@dataclass(frozen=True, slots=True)
class FileGlyphs:
    """The glyphs of a Document's file, where it can be read.

    Attributes:
        file: The file, or None.
        password: User or owner password.

    Raises:
        PDFPasswordError: From each method: a password is needed, or this one is wrong.
    """

    file: SourceFile | None
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
