"""The loader and the parser: a PDF in, Documents with page coordinates out."""

import os
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any, get_args

from langchain_core.document_loaders import BaseBlobParser, BaseLoader
from langchain_core.documents import Document
from langchain_core.documents.base import BaseMedia, Blob

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.async_streams import in_background
from langchain_pymupdf_coords.checks import OnError
from langchain_pymupdf_coords.loading.document_streams import DocumentStream
from langchain_pymupdf_coords.loading.options import ParsingOptions
from langchain_pymupdf_coords.sources.downloads import download
from langchain_pymupdf_coords.sources.files import SourceFile
from langchain_pymupdf_coords.sources.resolver import FileAccess

FilePath = str | os.PathLike[str]

_MAX_TIMEOUT = 1e6  # more than a week


@dataclass(frozen=True, kw_only=True)
class PyMuPDFCoordsParser(ParsingOptions, BaseBlobParser):
    """Parses the blob of a PDF into Documents that carry their page coordinates.

    For ``GenericLoader``, bytes in memory, object stores and distributed engines. It holds no open file, so
    it can be pickled and shared by threads. The options are those of ``ParsingOptions``.

    Example:
        .. code-block:: python

            from langchain_core.documents.base import BaseMedia, Blob
            from langchain_pymupdf_coords import PyMuPDFCoordsParser

            blob = Blob.from_data(pdf_bytes, metadata={"source": "s3://bucket/report.pdf"})
            documents = list(PyMuPDFCoordsParser().lazy_parse(blob))
    """

    def lazy_parse(self, blob: Blob) -> Iterator[Document]:
        """Yield the Documents of a PDF, each as soon as its pages are read.

        Args:
            blob: A PDF, by path or with its data; its ``source`` becomes that of the Documents.

        Raises:
            PDFPasswordError: A password is needed, or ``password`` is wrong.
            PDFOpenError: The file is damaged or not a PDF.
            SourceUnavailableError: The file does not exist or cannot be read.
            OptionError: ``blob`` is none, or ``pages`` names a page that the file does not have.
            OCRUnavailableError: OCR is needed and its language is not installed, or ``ocr="force"`` and no
                engine is.
            WorkerError: A worker process died twice over the same pages.
        """
        checks.instance("blob", blob, Blob)
        _require_ocr_engine(self)
        with DocumentStream(self, files=1) as stream:
            yield from stream.documents([partial(_source_file, blob)])


@dataclass(frozen=True)
class PyMuPDFCoordsLoader(ParsingOptions, BaseLoader):
    """Loads PDFs as Documents that carry page, boxes and line positions of their text.

    Attributes:
        file_path: A path, an http or https URL, or a sequence of them.
        max_download_bytes: Largest file to accept from a URL.
        download_timeout: Seconds for a whole download.
        allow_private_urls: Also fetch from private and loopback addresses.
        on_error: ``"warn"`` leaves out the rest of a file that cannot be loaded, with a
            ``SkippedFileWarning``, and goes on with the next one; ``"raise"`` ends the load.

    Raises:
        OptionError: An option has a value that cannot be used; the message names it.
        ImportError: ``cache_dir`` or ``progress=True`` is used without its extra.

    The other options are those of ``ParsingOptions``.

    Example:
        .. code-block:: python

            from langchain_pymupdf_coords import PyMuPDFCoordsLoader

            for document in PyMuPDFCoordsLoader("report.pdf").lazy_load():
                document.metadata["page"], document.metadata["boxes"]
    """

    file_path: FilePath | Sequence[FilePath]
    _: KW_ONLY
    max_download_bytes: int = 256 * 1024 * 1024
    download_timeout: float = 120.0
    allow_private_urls: bool = False
    on_error: OnError = "raise"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.choice("on_error", self.on_error, get_args(OnError))
        checks.flag("allow_private_urls", self.allow_private_urls)
        limit = checks.whole_number("max_download_bytes", self.max_download_bytes)
        object.__setattr__(self, "max_download_bytes", limit)
        timeout = checks.number("download_timeout", self.download_timeout, 0, _MAX_TIMEOUT)
        object.__setattr__(self, "download_timeout", timeout)
        paths = _paths(self.file_path)
        object.__setattr__(self, "file_path", tuple(paths) if len(paths) != 1 else paths[0])

    def lazy_load(self) -> Iterator[Document]:
        """Yield the Documents of all files in order, each as soon as its pages are read.

        Raises:
            PDFPasswordError: A password is needed, or ``password`` is wrong.
            PDFOpenError: A file is damaged or not a PDF.
            SourceUnavailableError: A file does not exist, or a download failed.
            SourceAccessError: A URL leads to an address that is not allowed.
            OptionError: ``pages`` names a page that a file does not have.
            OCRUnavailableError: OCR is needed and its language is not installed, or ``ocr="force"`` and no
                engine is.
            WorkerError: A worker process died twice over the same pages.
        """
        _require_ocr_engine(self)
        paths = [self.file_path] if isinstance(self.file_path, str | os.PathLike) else self.file_path
        with DocumentStream(self, files=len(paths)) as stream:
            finders = [partial(self._find, os.fspath(path)) for path in paths]
            yield from stream.documents(finders, self.on_error)

    async def alazy_load(self) -> AsyncIterator[Document]:
        """Yield what ``lazy_load`` yields, without blocking the event loop or its default executor."""
        async for document in in_background(self.lazy_load):
            yield document

    def _find(self, source: str) -> SourceFile:
        if not source.lower().startswith(("http://", "https://")):
            return FileAccess().resolve(source)
        data = download(
            source,
            max_bytes=self.max_download_bytes,
            timeout=self.download_timeout,
            allow_private=self.allow_private_urls,
        )
        return SourceFile(source, None, data)


def _paths(given: object) -> list[FilePath]:
    if isinstance(given, BaseMedia):  # whose fields can be iterated over
        raise checks.wrong("file_path", "a path or URL", given, hint="PyMuPDFCoordsParser takes a Blob")
    if isinstance(given, Iterable) and not isinstance(given, str | os.PathLike | bytes | Mapping):
        paths: list[Any] = list(given)
    else:
        paths = [given]
    for path in paths:
        checks.path("file_path", path)
    return paths


def _source_file(blob: Blob) -> SourceFile:
    if blob.data is None and blob.path is not None:
        file = FileAccess().resolve(str(blob.path))
        return replace(file, source=str(blob.source or blob.path))
    return SourceFile(str(blob.source or "bytes"), None, blob.as_bytes())


def _require_ocr_engine(options: ParsingOptions) -> None:
    """Check that OCR of all pages is possible, where that is asked for."""
    if options.ocr == "force":
        from langchain_pymupdf_coords.pdf import PageRecogniser

        PageRecogniser(options.ocr, options.ocr_language).require_engine()
