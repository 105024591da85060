"""Reads windows of pages, in this process or in a worker.

A worker imports this module and nothing above it, so it loads no LangChain. PyMuPDF is loaded when the first
page must be read, not before: it takes most of a second, and a worker sets the number of its threads first.
"""

import os
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal, Protocol
from uuid import uuid4

from langchain_pymupdf_coords.layout.pages import DocumentInfo, ParsedPage


@dataclass(frozen=True, slots=True)
class PDFJob:
    """A file and the options that decide what is read from its pages. Picklable.

    Attributes:
        file: Path or contents.
        name: Name of the file in messages.
        password: User or owner password.
        ocr: Which pages OCR recognises: ``"auto"``, ``"never"`` or ``"force"``.
        ocr_language: Languages as Tesseract names them.
        repair: Whether to check the engine's text against the letters of the page.
        spooled: Whether ``file`` is the path of a temporary file with the contents.
        token: Tells this job from any other.
    """

    file: Path | bytes = field(repr=False)
    name: str
    password: str | None = field(repr=False)
    ocr: Literal["auto", "never", "force"]
    ocr_language: str
    repair: bool = True
    spooled: bool = False
    token: str = field(default_factory=lambda: uuid4().hex)

    def contents(self) -> Path | bytes:
        """Return what to open."""
        return self.file.read_bytes() if self.spooled and isinstance(self.file, Path) else self.file


class OpenPDF(Protocol):
    """An open file, as ``pdf.PDFReader`` is one."""

    @property
    def info(self) -> DocumentInfo:
        """What the file says of itself."""

    def read(self, numbers: Sequence[int]) -> list[ParsedPage]:
        """Read pages by their numbers from 1."""

    def close(self) -> None:
        """Let go of the file."""


class ReaderSlot:
    """Reads windows of pages; the file of the last one stays open for the next."""

    def __init__(self) -> None:
        self._token = ""
        self._reader: OpenPDF | None = None

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

    def _opened(self, job: PDFJob) -> OpenPDF:
        if self._reader is None or self._token != job.token:
            from langchain_pymupdf_coords.pdf import PageRecogniser, PDFReader

            self.close()
            recognise = PageRecogniser(job.ocr, job.ocr_language)
            self._reader = PDFReader(
                job.contents(),
                name=job.name,
                password=job.password,
                recognise=recognise,
                repair=job.repair,
            )
            self._token = job.token
        return self._reader

    def close(self) -> None:
        """Close the file that is open, if any."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None


_slot = ReaderSlot()


def begin_work(lifeline: Connection) -> None:
    """Make this process a worker.

    Args:
        lifeline: Ends with the parent, however it ends, or when the parent has no more use for the worker.
    """
    # Ctrl-C reaches the whole process group; the parent is the one that reacts.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    use_one_thread()


def load_engine() -> None:
    """Load PyMuPDF and the layout model, before there is something to do."""
    import langchain_pymupdf_coords.pdf  # noqa: F401


def begin_job(job: PDFJob, pages: Sequence[int] | None, window: int) -> tuple[DocumentInfo, list[ParsedPage]]:
    """Open a file, and read it if it has few pages; see ``ReaderSlot.begin``."""
    return _slot.begin(job, pages, window, all_or_none=True)


def read_pages(job: PDFJob, numbers: Sequence[int]) -> list[ParsedPage]:
    """Read pages; see ``ReaderSlot.read``."""
    return _slot.read(job, numbers)


def _end_with(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        pass
    finally:
        os._exit(0)


def use_one_thread() -> None:
    """Give the layout model a single thread in this process, if it has more.

    By default it has as many as there are cores, and they spin while they wait for each other: with two
    processes on two cores, both were slower than one alone. Neither an environment variable nor the engine
    sets their number. For the worker processes of other engines; those of this package do it themselves.
    """
    import onnxruntime

    if getattr(onnxruntime.SessionOptions, "is_single", False):
        return

    class OneThread(onnxruntime.SessionOptions):  # type: ignore[misc]  # onnxruntime has no annotations
        is_single = True

        def __init__(self) -> None:
            super().__init__()
            self.intra_op_num_threads = 1
            self.inter_op_num_threads = 1

    is_loaded = "pymupdf" in sys.modules  # and with it the model, such as by the script that runs
    onnxruntime.SessionOptions = OneThread
    from langchain_pymupdf_coords.pdf.engine import load_model_again

    if is_loaded:
        load_model_again()
