"""Where windows of pages are read: in this process, in workers, or first here and then there."""

import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Generic, Literal, Protocol, TypeVar

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

T_co = TypeVar("T_co", covariant=True)

Begun = tuple[DocumentInfo, list[ParsedPage]]


class Outcome(Protocol[T_co]):
    """Something that is there, or will be when it is asked for."""

    def result(self) -> T_co:
        """Wait for it, or do the work."""


class Lane(Protocol):
    """Reads windows of pages.

    Attributes:
        ahead: How many windows to ask for before the first is needed.
    """

    @property
    def ahead(self) -> int: ...  # noqa: D102

    def window(self, remaining: int) -> int:
        """Return how many pages to ask for next, if so many are still to be asked for."""

    def begin(self, job: PDFJob, pages: Sequence[int] | None) -> Outcome[Begun]:
        """Open a file and read the first pages; see ``ReaderSlot.begin``."""

    def read(self, job: PDFJob, numbers: Sequence[int]) -> Outcome[list[ParsedPage]]:
        """Read pages; see ``ReaderSlot.read``."""

    def finish(self, job: PDFJob) -> None:
        """Let go of a file."""

    def close(self) -> None:
        """Let go of everything."""


class LocalLane:
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
        """See ``Lane``."""
        return min(LOCAL_WINDOW, remaining)

    def begin(self, job: PDFJob, pages: Sequence[int] | None) -> Outcome[Begun]:
        """See ``Lane``."""

        def begun() -> Begun:
            worker.load_engine()
            return self._timed(begin)

        def begin() -> Begun:
            info, first = self._slot.begin(job, pages, LOCAL_WINDOW)
            self.pages += len(first)
            return info, first

        return _Later(begun)

    def read(self, job: PDFJob, numbers: Sequence[int]) -> Outcome[list[ParsedPage]]:
        """See ``Lane``."""

        def read() -> list[ParsedPage]:
            self.pages += len(numbers)
            return self._slot.read(job, numbers)

        return _Later(lambda: self._timed(read))

    def _timed(self, work: Callable[[], T_co]) -> T_co:
        start = time.perf_counter()
        try:
            return work()
        finally:
            self.seconds += time.perf_counter() - start

    def finish(self, job: PDFJob) -> None:  # noqa: ARG002
        """See ``Lane``."""
        self._slot.close()

    def close(self) -> None:
        """See ``Lane``."""
        self._slot.close()


class _Later(Generic[T_co]):
    """Work that is done when its result is asked for."""

    def __init__(self, work: Callable[[], T_co]) -> None:
        self.result = work


class WorkerLane:
    """Reads in worker processes."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool = WorkerPool(workers)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._spooled: dict[str, Path] = {}
        self.ahead = 2 * workers

    def window(self, remaining: int) -> int:
        """See ``Lane``."""
        return min(WORKER_WINDOW, -(-remaining // (2 * self._workers)))

    def begin(self, job: PDFJob, pages: Sequence[int] | None) -> Outcome[Begun]:
        """See ``Lane``; a long file is only opened, for all workers to read it."""
        job = self._portable(job)
        return self._pool.submit(job.name, worker.begin_job, job, pages, WORKER_WINDOW)

    def read(self, job: PDFJob, numbers: Sequence[int]) -> Outcome[list[ParsedPage]]:
        """See ``Lane``."""
        what = f"{job.name}, pages {numbers[0]} to {numbers[-1]}"
        return self._pool.submit(what, worker.read_pages, self._portable(job), numbers, size=len(numbers))

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
        """See ``Lane``."""
        if (path := self._spooled.pop(job.token, None)) is not None:
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """See ``Lane``."""
        self._pool.close()
        if self._folder is not None:
            self._folder.cleanup()


class AutoLane:
    """Reads in this process until it is plain that workers would be faster, and then in workers."""

    def __init__(self, workers: int, progress: Progress) -> None:
        self._workers = workers
        self._progress = progress
        self._local = LocalLane()
        self._chosen: WorkerLane | None = None

    @property
    def ahead(self) -> int:
        """See ``Lane``."""
        return self._lane().ahead

    def window(self, remaining: int) -> int:
        """See ``Lane``."""
        return self._lane().window(remaining)

    def begin(self, job: PDFJob, pages: Sequence[int] | None) -> Outcome[Begun]:
        """See ``Lane``."""
        return self._lane().begin(job, pages)

    def read(self, job: PDFJob, numbers: Sequence[int]) -> Outcome[list[ParsedPage]]:
        """See ``Lane``."""
        return self._lane().read(job, numbers)

    def _lane(self) -> LocalLane | WorkerLane:
        if self._chosen is None and self._is_worthwhile():
            self._local.close()
            self._chosen = WorkerLane(self._workers)
        return self._chosen or self._local

    def _is_worthwhile(self) -> bool:
        local = self._local
        if local.seconds < _TRIAL_SECONDS:
            return False
        return local.seconds / max(local.pages, 1) * self._progress.remaining() >= _WORTHWHILE_SECONDS

    def finish(self, job: PDFJob) -> None:
        """See ``Lane``."""
        self._lane().finish(job)

    def close(self) -> None:
        """See ``Lane``."""
        self._local.close()
        if self._chosen is not None:
            self._chosen.close()


def choose_lane(workers: int | Literal["auto"], progress: Progress) -> Lane:
    """Return the lane that the option ``workers`` asks for.

    Raises:
        OptionError: There may be no workers in this process.
    """
    if workers == "auto":
        # A daemonic process, such as a worker of a pool, may not have children.
        cores = 1 if multiprocessing.current_process().daemon else usable_cores()
        return AutoLane(cores, progress) if cores > 1 else LocalLane()
    return WorkerLane(workers) if workers > 1 else LocalLane()


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
