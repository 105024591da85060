"""Readers of windows of pages: in this process, in workers, or first here and then there."""

import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal, Protocol, TypeVar

from langchain_pymupdf_coords.layout.pages import DocumentInfo, ParsedPage
from langchain_pymupdf_coords.loading import worker
from langchain_pymupdf_coords.loading.progress import Progress
from langchain_pymupdf_coords.loading.worker import PDFJob, ReaderSlot
from langchain_pymupdf_coords.loading.worker_pool import WorkerPool

# Pages per call of the engine. Each call reads the outline again, so one page a call is quadratic on long
# files; the first chunk comes after one window. Workers get smaller ones, and the smallest at the end of a
# file, to end at about the same time.
LOCAL_WINDOW = 8

WORKER_WINDOW = 4

# Workers start in about a second, and each is slower than this process with all its threads. So they are for
# work that takes several times as long; how long it takes is seen from the pages that were read here.
_TRIAL_SECONDS = 1.0

_WORTHWHILE_SECONDS = 4.0

T = TypeVar("T")

Begun = tuple[DocumentInfo, list[ParsedPage]]

Pending = Callable[[], T]
"""Called when something is needed, by when it may be there: waits for it, or does the work."""


class PageReader(Protocol):
    """Reads windows of pages.

    Attributes:
        ahead: How many windows to ask for before the first is needed.
    """

    @property
    def ahead(self) -> int: ...  # noqa: D102

    def window(self, remaining: int) -> int:
        """Return how many pages to ask for next, if so many are still to be asked for."""

    def begin(self, job: PDFJob, pages: Sequence[int] | None) -> Pending[Begun]:
        """Open a file and read the first pages; see ``ReaderSlot.begin``."""

    def read(self, job: PDFJob, numbers: Sequence[int]) -> Pending[list[ParsedPage]]:
        """Read pages; see ``ReaderSlot.read``."""

    def finish(self, job: PDFJob) -> None:
        """Let go of a file."""

    def close(self) -> None:
        """Let go of everything."""


class LocalPageReader:
    """Reads in this process, each window when it is asked for.

    Attributes:
        seconds: How long it has read so far.
        pages: How many pages it has read.
    """

    ahead = 0

    def __init__(self) -> None:
        self._slot = ReaderSlot()
        self.seconds = 0.0
        self.pages = 0

    def window(self, remaining: int) -> int:
        """See ``PageReader``."""
        return min(LOCAL_WINDOW, remaining)

    def begin(self, job: PDFJob, pages: Sequence[int] | None) -> Pending[Begun]:
        """See ``PageReader``."""

        def begun() -> Begun:
            worker.load_engine()
            with self._timed():
                info, first = self._slot.begin(job, pages, LOCAL_WINDOW)
            self.pages += len(first)
            return info, first

        return begun

    def read(self, job: PDFJob, numbers: Sequence[int]) -> Pending[list[ParsedPage]]:
        """See ``PageReader``."""

        def read() -> list[ParsedPage]:
            self.pages += len(numbers)
            with self._timed():
                return self._slot.read(job, numbers)

        return read

    @contextmanager
    def _timed(self) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - start

    def finish(self, job: PDFJob) -> None:  # noqa: ARG002
        """See ``PageReader``."""
        self._slot.close()

    def close(self) -> None:
        """See ``PageReader``."""
        self._slot.close()


class WorkerPageReader:
    """Reads in worker processes."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool = WorkerPool(workers)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._spooled: dict[str, Path] = {}
        self.ahead = 2 * workers

    def window(self, remaining: int) -> int:
        """See ``PageReader``."""
        return min(WORKER_WINDOW, -(-remaining // (2 * self._workers)))

    def begin(self, job: PDFJob, pages: Sequence[int] | None) -> Pending[Begun]:
        """See ``PageReader``; a long file is only opened, for all workers to read it."""
        job = self._portable(job)
        return self._pool.submit(job.name, worker.begin_job, job, pages, WORKER_WINDOW).result

    def read(self, job: PDFJob, numbers: Sequence[int]) -> Pending[list[ParsedPage]]:
        """See ``PageReader``."""
        what = f"{job.name}, pages {numbers[0]} to {numbers[-1]}"
        job = self._portable(job)
        return self._pool.submit(what, worker.read_pages, job, numbers, size=len(numbers)).result

    def _portable(self, job: PDFJob) -> PDFJob:
        """Put contents into a file, once, rather than send them along with each window."""
        if isinstance(job.file, Path):
            return job
        if job.token not in self._spooled:
            self._folder = self._folder or tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            self._spooled[job.token] = Path(self._folder.name, job.token)
            self._spooled[job.token].write_bytes(job.file)
        return replace(job, file=self._spooled[job.token], spooled=True)

    def finish(self, job: PDFJob) -> None:
        """See ``PageReader``."""
        if (path := self._spooled.pop(job.token, None)) is not None:
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """See ``PageReader``."""
        self._pool.close()
        if self._folder is not None:
            self._folder.cleanup()


class AutoPageReader:
    """Reads in this process until it is plain that workers would be faster, and then in workers."""

    def __init__(self, workers: int, progress: Progress) -> None:
        self._workers = workers
        self._progress = progress
        self._local = LocalPageReader()
        self._chosen: WorkerPageReader | None = None

    @property
    def ahead(self) -> int:
        """See ``PageReader``."""
        return self._reader().ahead

    def window(self, remaining: int) -> int:
        """See ``PageReader``."""
        return self._reader().window(remaining)

    def begin(self, job: PDFJob, pages: Sequence[int] | None) -> Pending[Begun]:
        """See ``PageReader``."""
        return self._reader().begin(job, pages)

    def read(self, job: PDFJob, numbers: Sequence[int]) -> Pending[list[ParsedPage]]:
        """See ``PageReader``."""
        return self._reader().read(job, numbers)

    def _reader(self) -> LocalPageReader | WorkerPageReader:
        if self._chosen is None and self._is_worthwhile():
            self._local.close()
            self._chosen = WorkerPageReader(self._workers)
        return self._chosen or self._local

    def _is_worthwhile(self) -> bool:
        local = self._local
        if local.seconds < _TRIAL_SECONDS:
            return False
        return local.seconds / max(local.pages, 1) * self._progress.remaining() >= _WORTHWHILE_SECONDS

    def finish(self, job: PDFJob) -> None:
        """See ``PageReader``."""
        self._reader().finish(job)

    def close(self) -> None:
        """See ``PageReader``."""
        self._local.close()
        if self._chosen is not None:
            self._chosen.close()


def choose_page_reader(workers: int | Literal["auto"], progress: Progress) -> PageReader:
    """Return the reader that the option ``workers`` asks for.

    Raises:
        OptionError: There may be no workers in this process.
    """
    if workers == "auto":
        # A daemonic process, such as a worker of a pool, may not have children.
        cores = 1 if multiprocessing.current_process().daemon else usable_cores()
        return AutoPageReader(cores, progress) if cores > 1 else LocalPageReader()
    return WorkerPageReader(workers) if workers > 1 else LocalPageReader()


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
