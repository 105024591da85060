"""The pages of one file in order, from a cache where it has them and from a lane where not."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from langchain_pymupdf_coords.layout.pages import DocumentInfo, ParsedPage
from langchain_pymupdf_coords.loading.lanes import Begun, Lane, Outcome
from langchain_pymupdf_coords.loading.progress import Progress
from langchain_pymupdf_coords.loading.worker import PDFJob

if TYPE_CHECKING:
    from langchain_pymupdf_coords.loading.page_cache import CachedFile


T = TypeVar("T")


class FilePages:
    """Reads the wanted pages of a file."""

    def __init__(
        self,
        job: PDFJob,
        pages: Sequence[int] | None,
        *,
        lane: Lane,
        cached: "CachedFile | None",
        progress: Progress,
    ) -> None:
        """Begin to read, if the lane reads ahead; nothing is waited for.

        Args:
            job: The file.
            pages: Numbers of the wanted pages, from 1; None for all.
            lane: Where it is read.
            cached: What is known of the file.
            progress: Told of each page.
        """
        self._job = job
        self._pages = pages
        self._lane = lane
        self._cached = cached
        self._progress = progress
        known = cached.info() if cached else None
        self._begun: Outcome[Begun] = _Known((known, [])) if known else lane.begin(job, pages)

    def info(self) -> DocumentInfo:
        """Return what the file says of itself.

        Raises:
            PDFPasswordError: A password is needed, or this one is wrong.
            PDFOpenError: The file is damaged or not a PDF.
            OCRUnavailableError: There is no data for the language.
            WorkerError: The process that read the file died.
        """
        info, first = begun = self._begun.result()
        if not isinstance(self._begun, _Known):
            self._begun = _Known(begun)
            if self._cached:
                self._cached.put_info(info)
                self._cached.put_pages(first)
        return info

    def read(self, select: Callable[[int], list[int]]) -> Iterator[ParsedPage]:
        """Yield the pages in order, as soon as each window is read. The errors are those of ``info``.

        Args:
            select: Given how many pages there are, returns the numbers of those to read.
        """
        numbers = select(self.info().total_pages)
        self._progress.open(len(numbers))
        first = self._begun.result()[1]
        rest = deque(numbers[len(first) :])
        waiting: deque[Outcome[list[ParsedPage]]] = deque([_Known(first)])
        while waiting or rest:
            while rest and len(waiting) <= self._lane.ahead:
                size = self._lane.window(len(rest))
                waiting.append(self._window([rest.popleft() for _ in range(size)]))
            window = waiting.popleft().result()
            self._progress.advance(len(window))
            yield from window

    def _window(self, numbers: list[int]) -> Outcome[list[ParsedPage]]:
        if self._cached is None:
            return self._lane.read(self._job, numbers)
        known = {number: page for number in numbers if (page := self._cached.page(number)) is not None}
        missing = [number for number in numbers if number not in known]
        read = self._lane.read(self._job, missing) if missing else None
        return _Completed(numbers, known, read, self._cached)

    def close(self) -> None:
        """Let go of the file."""
        self._lane.finish(self._job)


@dataclass(frozen=True, slots=True)
class _Known(Generic[T]):
    """Something that is there already."""

    value: T

    def result(self) -> T:
        return self.value


@dataclass(frozen=True, slots=True)
class _Completed:
    """A window of which the cache knows some pages; the others are read and go into the cache."""

    numbers: Sequence[int]
    known: Mapping[int, ParsedPage]
    read: Outcome[list[ParsedPage]] | None
    cached: "CachedFile"

    def result(self) -> list[ParsedPage]:
        pages = dict(self.known)
        if self.read is not None:
            missing = self.read.result()
            self.cached.put_pages(missing)
            pages |= {page.number: page for page in missing}
        return [pages[number] for number in self.numbers]
