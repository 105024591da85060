"""The pages of one file in order, from a cache where it has them and from a reader where not."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from langchain_pymupdf_coords.layout.pages import DocumentInfo, ParsedPage
from langchain_pymupdf_coords.loading.page_readers import Begun, PageReader, Pending
from langchain_pymupdf_coords.loading.progress import Progress
from langchain_pymupdf_coords.loading.worker import PDFJob

if TYPE_CHECKING:
    from langchain_pymupdf_coords.loading.page_cache import CachedFile


class FilePages:
    """Reads the wanted pages of a file."""

    def __init__(
        self,
        job: PDFJob,
        pages: Sequence[int] | None,
        *,
        reader: PageReader,
        cached: "CachedFile | None",
        progress: Progress,
    ) -> None:
        """Begin to read, if the reader reads ahead; nothing is waited for.

        Args:
            job: The file.
            pages: Numbers of the wanted pages, from 1; None for all.
            reader: What reads it.
            cached: What is known of the file.
            progress: Told of each page.
        """
        self._job = job
        self._pages = pages
        self._reader = reader
        self._cached = cached
        self._progress = progress
        self._begin = self._beginning()

    def _beginning(self) -> Pending[Begun]:
        known = self._cached.info() if self._cached else None
        if known:
            return lambda: (known, [])
        begun = self._reader.begin(self._job, self._pages)

        def begin() -> Begun:
            info, first = begun()
            if self._cached:
                self._cached.put_info(info)
                self._cached.put_pages(first)
            return info, first

        return begin

    @cached_property
    def _begun(self) -> Begun:
        return self._begin()

    def info(self) -> DocumentInfo:
        """Return what the file says of itself.

        Raises:
            PDFPasswordError: A password is needed, or this one is wrong.
            PDFOpenError: The file is damaged or not a PDF.
            OCRUnavailableError: There is no data for the language.
            WorkerError: The process that read the file died.
        """
        return self._begun[0]

    def read(self, select: Callable[[int], list[int]]) -> Iterator[ParsedPage]:
        """Yield the pages in order, as soon as each window is read. The errors are those of ``info``.

        Args:
            select: Given how many pages there are, returns the numbers of those to read.
        """
        numbers = select(self.info().total_pages)
        self._progress.open(len(numbers))
        first = self._begun[1]
        rest = deque(numbers[len(first) :])
        waiting: deque[Pending[list[ParsedPage]]] = deque([lambda: first])
        while waiting or rest:
            while rest and len(waiting) <= self._reader.ahead:
                size = self._reader.window(len(rest))
                waiting.append(self._window([rest.popleft() for _ in range(size)]))
            window = waiting.popleft()()
            self._progress.advance(len(window))
            yield from window

    def _window(self, numbers: list[int]) -> Pending[list[ParsedPage]]:
        cached = self._cached
        if cached is None:
            return self._reader.read(self._job, numbers)
        known = {number: page for number in numbers if (page := cached.page(number)) is not None}
        missing = [number for number in numbers if number not in known]
        read = self._reader.read(self._job, missing) if missing else list

        def window() -> list[ParsedPage]:
            pages = read()
            if pages:
                cached.put_pages(pages)
            both = known | {page.number: page for page in pages}
            return [both[number] for number in numbers]

        return window

    def close(self) -> None:
        """Let go of the file."""
        self._reader.finish(self._job)
