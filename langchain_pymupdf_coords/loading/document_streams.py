"""From files to Documents, in order, with whatever workers and cache the options ask for.

Warnings about pages come one per event, and one per file for scans that nobody could read.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING, Self

from langchain_core.documents import Document

from langchain_pymupdf_coords.caller_warnings import warn
from langchain_pymupdf_coords.checks import OnError
from langchain_pymupdf_coords.chunking.boxes import BoxSplitter
from langchain_pymupdf_coords.chunking.chunks import Chunker
from langchain_pymupdf_coords.chunking.documents import DocumentFactory
from langchain_pymupdf_coords.errors import (
    PageFallbackWarning,
    PDFOpenError,
    PyMuPDFCoordsError,
    PyMuPDFCoordsWarning,
    SkippedFileWarning,
    UnplacedTextWarning,
    UnreadableContentWarning,
)
from langchain_pymupdf_coords.folding import clean_text
from langchain_pymupdf_coords.layout.pages import NO_SIZE, DocumentInfo, ParsedPage
from langchain_pymupdf_coords.loading.file_pages import FilePages
from langchain_pymupdf_coords.loading.options import MetadataValue, ParsingOptions
from langchain_pymupdf_coords.loading.page_readers import choose_page_reader
from langchain_pymupdf_coords.loading.progress import Progress
from langchain_pymupdf_coords.loading.worker import PDFJob
from langchain_pymupdf_coords.sources.files import SourceFile

if TYPE_CHECKING:
    from langchain_pymupdf_coords.loading.page_cache import PageCache


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
        self._rewritten: list[int] = []

    def page(self, page: ParsedPage) -> None:
        """Warn of what could not be read or placed on a page; remember it if it is a scan."""
        for note in page.notes:
            if note.kind == "scan":
                self._scans.append(page.number)
            elif note.kind == "rewritten":
                self._rewritten.append(page.number)
            else:
                message = f"{self._name}, page {page.number}: {note.message}"
                warn(message, _CATEGORIES[note.kind])

    def close(self) -> None:
        """Warn of the scanned pages, all at once, and log which pages are not as the engine wrote them."""
        if self._rewritten:
            pages = page_ranges(self._rewritten)
            logger.info(
                "%s: the engine's text was not that of the page; written anew on page(s) %s",
                self._name,
                pages,
            )
            self._rewritten.clear()
        if self._scans:
            message = (
                f"{self._name}: no readable text on {len(self._scans)} page(s) that show something: "
                f'{page_ranges(self._scans)}; install langchain-pymupdf-coords[ocr], and pass ocr="auto"'
            )
            warn(message, UnreadableContentWarning)
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


class DocumentStream:
    """Makes the Documents of some files. A context manager, which ends the workers it started."""

    def __init__(self, options: ParsingOptions, files: int) -> None:
        """Prepare to read.

        Args:
            options: What to read and how.
            files: How many files there are.

        Raises:
            OptionError: There may be no workers in this process.
        """
        self._options = options
        self._exit = ExitStack()
        self._progress = Progress.of(options.progress, files)
        self._exit.callback(self._progress.close)
        self._cache = self._open_cache()
        self._reader = choose_page_reader(options.workers, self._progress)
        self._exit.callback(self._reader.close)

    def _open_cache(self) -> "PageCache | None":
        if self._options.cache_dir is None:
            return None
        from langchain_pymupdf_coords.loading.page_cache import PageCache

        return self._exit.enter_context(PageCache(self._options.cache_dir, self._options.cache_bytes))

    def documents(
        self, files: Iterable[Callable[[], SourceFile]], on_error: OnError = "raise"
    ) -> Iterator[Document]:
        """Yield the Documents of all files in order, each as soon as its pages are read.

        Args:
            files: Functions that find each file. Where workers read, some are called ahead of time.
            on_error: ``"warn"`` goes on with the next file after an error of this package.

        Raises:
            PyMuPDFCoordsError: A file cannot be found or read.
            SourceAccessError: Its address is not allowed.
        """
        upcoming = iter(files)
        begun: deque[_File] = deque()
        while True:
            begun.extend(_File(find, self) for find in islice(upcoming, self._reader.ahead + 1 - len(begun)))
            if not begun:
                return
            file = begun.popleft()
            try:
                yield from file.documents()
            except PyMuPDFCoordsError as error:
                if on_error == "raise":
                    raise
                warn(f"a file was not loaded to its end: {error}", SkippedFileWarning)
            finally:
                file.close()

    def pages_of(self, file: SourceFile) -> FilePages:
        """Begin to read a file."""
        options = self._options
        job = PDFJob(
            file.path or file.read_bytes(),
            file.source,
            options.password,
            options.ocr,
            options.ocr_language,
            options.repair,
        )
        cached = None
        if self._cache is not None:
            state, digest = file.key, file.digest
            cached = self._cache.file(job, digest, lambda: file.key == state)
        wanted = None if options.pages is None else tuple(options.pages)
        return FilePages(job, wanted, reader=self._reader, cached=cached, progress=self._progress)

    def cut(self, file: SourceFile, pages: FilePages) -> Iterator[Document]:
        """Yield the Documents of a file."""
        options = self._options
        factory = DocumentFactory(
            source=file.source,
            digest=file.digest,
            total_pages=pages.info().total_pages,
            file_metadata=_file_metadata(pages.info(), options),
            identity=options.identity(),
            line_map=options.line_map,
        )
        read = pages.read(lambda total: options.selected(total, file.source))
        for index, chunk in enumerate(_chunker(options).chunks(_watched(read, file.source))):
            yield factory.document(chunk, index)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._exit.close()


class _File:
    """A file that is being read; what went wrong at its beginning is raised when it is its turn."""

    def __init__(self, find: Callable[[], SourceFile], stream: DocumentStream) -> None:
        self._stream = stream
        self._error: PyMuPDFCoordsError | None = None
        self._pages: FilePages | None = None
        try:
            self._file = find()
            self._pages = stream.pages_of(self._file)
        except PyMuPDFCoordsError as error:
            self._error = error

    def documents(self) -> Iterator[Document]:
        if self._error is not None:
            raise self._error
        if self._pages is not None:
            yield from self._stream.cut(self._file, self._pages)

    def close(self) -> None:
        if self._pages is not None:
            self._pages.close()


def _chunker(options: ParsingOptions) -> Chunker:
    return Chunker(
        mode=options.mode,
        chunk_size=options.chunk_size,
        chunk_overlap=options.chunk_overlap,
        length=options.length_function,
        exclude_classes=frozenset(options.exclude_classes),
        split=BoxSplitter(
            options.text_splitter, options.chunk_size, options.length_function, overlap=options.chunk_overlap
        ),
    )


def _file_metadata(info: DocumentInfo, options: ParsingOptions) -> dict[str, MetadataValue]:
    told = {key: clean_text(value) for key, value in info.metadata.items()}
    return {**told, **(options.extra_metadata or {})}


def _watched(pages: Iterable[ParsedPage], name: str) -> Iterator[ParsedPage]:
    """Yield pages, and warn of what they could not give.

    Raises:
        PDFOpenError: There are pages, and none of them can be read.
    """
    notes = PageWarnings(name)
    read = unreadable = 0
    try:
        for page in pages:
            read += 1
            unreadable += page.size == NO_SIZE
            notes.page(page)
            yield page
    finally:
        notes.close()
    if 0 < read == unreadable:
        raise PDFOpenError(f"{name} is damaged or cut off: none of {read} page(s) can be read")
