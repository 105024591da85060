"""The loader and the parser: a PDF in, Documents with page coordinates out."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from langchain_core.document_loaders import BaseBlobParser, BaseLoader
from langchain_core.documents import Document
from langchain_core.documents.base import Blob

from langchain_pymupdf_coords.box_splitting import box_splitter
from langchain_pymupdf_coords.chunk_documents import DocumentFactory
from langchain_pymupdf_coords.chunking import Chunker
from langchain_pymupdf_coords.downloads import download
from langchain_pymupdf_coords.errors import OptionError
from langchain_pymupdf_coords.page_warnings import PageWarnings
from langchain_pymupdf_coords.pages import ParsedPage
from langchain_pymupdf_coords.parsing_options import ParsingOptions
from langchain_pymupdf_coords.pdf import PageRecogniser, PDFReader
from langchain_pymupdf_coords.provenance import clean_text
from langchain_pymupdf_coords.sources import SourceFile, SourceResolver

FilePath = str | os.PathLike[str]


@dataclass(frozen=True, kw_only=True)
class PyMuPDFCoordsParser(ParsingOptions, BaseBlobParser):
    """Parses the blob of a PDF into Documents that carry their page coordinates.

    For ``GenericLoader``, bytes in memory, object stores and distributed engines. It holds no open file, so
    it can be pickled and shared by threads. The options are those of ``ParsingOptions``.

    Example:
        .. code-block:: python

            from langchain_core.documents.base import Blob
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
            OptionError: ``pages`` names a page that the file does not have.
            OCRUnavailableError: OCR is needed and its language is not installed, or ``ocr="force"`` and no
                engine is.
        """
        file = _source_file(blob)
        name = file.source
        recognise = PageRecogniser(self.ocr, self.ocr_language)
        recognise.require_engine()
        data = file.path or file.read_bytes()
        with PDFReader(data, name=name, password=self.password, recognise=recognise) as reader:
            numbers = self.selected(reader.info.total_pages, name)
            factory = DocumentFactory(
                source=file.source,
                digest=file.digest,
                total_pages=reader.info.total_pages,
                file_metadata=self._file_metadata(reader),
                identity=self.identity(),
                line_map=self.line_map,
            )
            chunks = self._chunker().chunks(_watched(reader, numbers, name))
            for index, chunk in enumerate(chunks):
                yield factory.document(chunk, index)

    def _chunker(self) -> Chunker:
        return Chunker(
            mode=self.mode,
            chunk_size=self.chunk_size,
            chunk_overlap=self.chunk_overlap,
            length=self.length_function,
            exclude_classes=frozenset(self.exclude_classes),
            split=box_splitter(
                self.text_splitter, self.chunk_size, self.length_function, overlap=self.chunk_overlap
            ),
        )

    def _file_metadata(self, reader: PDFReader) -> dict[str, str | int | float | bool]:
        info = {key: clean_text(value) for key, value in reader.info.metadata.items()}
        return {**info, **(self.extra_metadata or {})}


@dataclass(frozen=True)
class PyMuPDFCoordsLoader(ParsingOptions, BaseLoader):
    """Loads PDFs as Documents that carry page, boxes and line positions of their text.

    Attributes:
        file_path: A path, an http or https URL, or a sequence of them.
        max_download_bytes: Largest file to accept from a URL.
        download_timeout: Seconds for a whole download.
        allow_private_urls: Also fetch from private and loopback addresses.

    The other options are those of ``ParsingOptions``.

    Example:
        .. code-block:: python

            from langchain_pymupdf_coords import PyMuPDFCoordsLoader

            for document in PyMuPDFCoordsLoader("report.pdf").lazy_load():
                document.metadata["page"], document.metadata["boxes"]
    """

    file_path: FilePath | Sequence[FilePath]
    max_download_bytes: int = 256 * 1024 * 1024
    download_timeout: float = 120.0
    allow_private_urls: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        paths = [self.file_path] if isinstance(self.file_path, str | os.PathLike) else list(self.file_path)
        for path in paths:
            if not isinstance(path, str | os.PathLike) or not os.fspath(path):
                raise OptionError(f"file_path takes a path or URL, or a sequence of them, not {path!r}")
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
        """
        options = {option.name: getattr(self, option.name) for option in fields(ParsingOptions)}
        parser = PyMuPDFCoordsParser(**options)
        single = isinstance(self.file_path, str | os.PathLike)
        for path in [self.file_path] if single else self.file_path:
            yield from parser.lazy_parse(self._blob(os.fspath(path)))

    def _blob(self, source: str) -> Blob:
        if not source.lower().startswith(("http://", "https://")):
            return Blob(path=source, metadata={"source": source})
        data = download(
            source,
            max_bytes=self.max_download_bytes,
            timeout=self.download_timeout,
            allow_private=self.allow_private_urls,
        )
        return Blob.from_data(data, mime_type="application/pdf", metadata={"source": source})


def _source_file(blob: Blob) -> SourceFile:
    if blob.data is None and blob.path is not None:
        file = SourceResolver().resolve(str(blob.path))
        return replace(file, source=str(blob.source or blob.path))
    return SourceFile(str(blob.source or "bytes"), None, blob.as_bytes())


def _watched(reader: PDFReader, numbers: Sequence[int], name: str) -> Iterator[ParsedPage]:
    """Yield pages, and warn of what they could not give."""
    notes = PageWarnings(name)
    try:
        for window in reader.windows(numbers):
            for page in window:
                notes.page(page)
                yield page
    finally:
        notes.close()
