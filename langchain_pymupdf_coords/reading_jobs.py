"""What is needed to read a PDF in this process or in another one, and the reader that does it.

PyMuPDF is loaded when the first page must be read, not before: it takes most of a second.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from uuid import uuid4

from langchain_pymupdf_coords.pages import DocumentInfo, ParsedPage

if TYPE_CHECKING:
    from langchain_pymupdf_coords.pdf import PDFReader


@dataclass(frozen=True, slots=True)
class PDFJob:
    """A file and the options that decide what is read from its pages. Picklable.

    Attributes:
        file: Path or contents.
        name: Name of the file in messages.
        password: User or owner password.
        ocr: Which pages OCR recognises: ``"auto"``, ``"never"`` or ``"force"``.
        ocr_language: Languages as Tesseract names them.
        spooled: Whether ``file`` is the path of a temporary file with the contents.
        token: Tells this job from any other.
    """

    file: Path | bytes = field(repr=False)
    name: str
    password: str | None = field(repr=False)
    ocr: Literal["auto", "never", "force"]
    ocr_language: str
    spooled: bool = False
    token: str = field(default_factory=lambda: uuid4().hex)

    def contents(self) -> Path | bytes:
        """Return what to open."""
        return self.file.read_bytes() if self.spooled and isinstance(self.file, Path) else self.file


class ReaderSlot:
    """Reads windows of pages; the file of the last one stays open for the next."""

    def __init__(self) -> None:
        self._token = ""
        self._reader: PDFReader | None = None

    def begin(
        self, job: PDFJob, pages: Sequence[int] | None, window: int, *, all_or_none: bool = False
    ) -> tuple[DocumentInfo, list[ParsedPage]]:
        """Open a file and read the first pages that are wanted.

        Args:
            job: The file.
            pages: Numbers of the pages that are wanted, from 1; None for all.
            window: How many to read at most.
            all_or_none: Whether to read none at all if there are more.

        Returns:
            What the file says of itself, and those of the first pages that exist.

        Raises:
            PDFPasswordError: A password is needed, or this one is wrong.
            PDFOpenError: The file is damaged or not a PDF.
            OCRUnavailableError: There is no data for the language.
        """
        info = self._opened(job).info
        total = info.total_pages
        numbers = range(1, total + 1) if pages is None else pages
        does_not_exist = pages is not None and pages[-1] > total
        if does_not_exist or (all_or_none and len(numbers) > window):
            return info, []
        return info, self.read(job, numbers[:window])

    def read(self, job: PDFJob, numbers: Sequence[int]) -> list[ParsedPage]:
        """Read pages of a file by their numbers from 1; the errors are those of ``begin``."""
        return self._opened(job).read(numbers)

    def _opened(self, job: PDFJob) -> "PDFReader":
        if self._reader is None or self._token != job.token:
            from langchain_pymupdf_coords.pdf import PageRecogniser, PDFReader

            self.close()
            recognise = PageRecogniser(job.ocr, job.ocr_language)
            self._reader = PDFReader(
                job.contents(), name=job.name, password=job.password, recognise=recognise
            )
            self._token = job.token
        return self._reader

    def close(self) -> None:
        """Close the file that is open, if any."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
