"""From Documents to pictures of the places that they came from, in metadata or in files of a folder."""

import hashlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import compress
from pathlib import Path

from langchain_core.documents import Document

from langchain_pymupdf_coords.caller_warnings import warn
from langchain_pymupdf_coords.checks import OnError
from langchain_pymupdf_coords.crops.areas import CropArea, Marker, crop_areas, fair_limit
from langchain_pymupdf_coords.crops.options import CropOptions
from langchain_pymupdf_coords.errors import (
    GeometryError,
    PDFOpenError,
    PDFPasswordError,
    ProvenanceError,
    PyMuPDFCoordsError,
    RenderBudgetWarning,
    SourceUnavailableError,
    SourceUnavailableWarning,
)
from langchain_pymupdf_coords.pdf.rendering import PageRenderer, Rendered
from langchain_pymupdf_coords.provenance.crops import Crop
from langchain_pymupdf_coords.provenance.source_names import file_stem
from langchain_pymupdf_coords.sources.files import shown, write_whole
from langchain_pymupdf_coords.sources.resolver import are_unchanged, document_source

UNSHOWABLE = (PDFOpenError, SourceUnavailableError)
"""Errors of a file that is gone or damaged, which ``on_error`` is about."""


def warn_or_raise(error: PyMuPDFCoordsError, on_error: OnError) -> None:
    """Warn that a file has no pictures, or raise its error if ``on_error`` says so, or a password is what it needs.

    Raises:
        PyMuPDFCoordsError: The error.
    """
    if on_error == "raise" or isinstance(error, PDFPasswordError):
        raise error
    warn(f"no pictures: {error}", SourceUnavailableWarning)


def write_crop(folder: Path, source: str, page: int, data: bytes, suffix: str) -> Path:
    """Write a picture as ``<name of the source>-p<page>-<digest of the picture>.<suffix>``.

    The same picture always gets the same name, so a second run replaces files by equal ones.

    Args:
        folder: Made if it is missing.
        source: ``metadata["source"]``; what is no letter, digit, dot or dash of ASCII becomes a dash.
        page: Page number, from 1.
        data: The encoded image.
        suffix: Of the file, without a dot.

    Raises:
        OSError: The folder cannot be written to.
    """
    path = folder / f"{file_stem(source)}-p{page}-{hashlib.sha256(data).hexdigest()[:16]}.{suffix}"
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)
    return path


class CropRendering:
    """The pictures of some Documents: each file is opened once."""

    def __init__(self, options: CropOptions, documents: Sequence[Document]) -> None:
        """Look at what there is to render, which opens no file.

        Raises:
            ProvenanceError: Coordinates of a Document are missing or malformed.
        """
        self._options = options
        self._documents = documents
        drawn = frozenset(options.draw or ())
        marker = Marker(drawn, options.box_color, options.quote_color, options.opacity)
        self._areas = [crop_areas(document, options.by, options.margin, marker) for document in documents]
        wanted = [self._pixels(area) for areas in self._areas for area in areas]
        self._limit = int(min(options.max_pixels, max(fair_limit(wanted, options.max_total_pixels), 1)))
        self._crops: list[list[Crop]] = [[] for _ in documents]
        self._reduced: list[str] = []

    def crops(self) -> list[list[Crop]]:
        """Return the pictures of each Document.

        Raises:
            PyMuPDFCoordsError: See ``SourceCropTransformer.transform_documents``.
        """
        for source, indices in self._by_source().items():
            with self._tolerance():
                self._render(source, indices)
        if self._reduced:
            warn(
                f"{len(self._reduced)} picture(s) reduced in resolution, {self._reduced[0]} first, to stay "
                f"within max_pixels={self._options.max_pixels:,} each and "
                f"max_total_pixels={self._options.max_total_pixels:,} in all",
                RenderBudgetWarning,
            )
        return self._crops

    def _by_source(self) -> dict[str, list[int]]:
        indices: dict[str, list[int]] = {}
        for index, document in enumerate(self._documents):
            if self._areas[index]:
                indices.setdefault(document_source(document), []).append(index)
        return indices

    def _pixels(self, area: CropArea) -> float:
        """Return how many pixels a picture can have at most."""
        x0, y0, x1, y1 = (max(edge, 0.0) * self._options.dpi / 72 for edge in area.bbox)
        return min((x1 - x0 + 2) * (y1 - y0 + 2), self._options.max_pixels)

    def _render(self, source: str, indices: Sequence[int]) -> None:
        file = self._options.resolve(source)
        documents = [self._documents[index] for index in indices]
        unchanged = list(compress(indices, are_unchanged(documents, file, self._options.on_change)))
        if not unchanged:
            return
        with PageRenderer(file, password=self._options.password) as renderer:
            # Neighbours on a page come together, so that the page is interpreted once.
            for index in sorted(unchanged, key=lambda index: self._areas[index][0].page):
                with self._tolerance():
                    self._crops[index] = [self._crop(renderer, source, area) for area in self._areas[index]]

    def _crop(self, renderer: PageRenderer, source: str, area: CropArea) -> Crop:
        options = self._options
        try:
            rendered = renderer.render(
                area.page,
                clip=area.bbox,
                dpi=options.dpi,
                image_format=options.image_format,
                max_pixels=self._limit,
                overlays=area.overlays,
            )
        except GeometryError as cause:
            key = "quotes" if options.by == "quote" else "boxes"
            raise ProvenanceError(f"metadata[{key!r}] does not fit its file: {cause}") from cause
        if rendered.reduced:
            self._reduced.append(f"page {area.page} of {shown(source)}")
        return self._stored(rendered, source)

    def _stored(self, rendered: Rendered, source: str) -> Crop:
        base64 = path = None
        if self._options.folder is None:
            base64 = b64encode(rendered.data).decode("ascii")
        else:
            folder, suffix = Path(self._options.folder), self._options.image_format
            path = str(write_crop(folder, source, rendered.page, rendered.data, suffix))
        size = rendered.width, rendered.height
        return Crop(rendered.page, rendered.bbox, *size, rendered.mime_type, base64=base64, path=path)

    @contextmanager
    def _tolerance(self) -> Iterator[None]:
        try:
            yield
        except UNSHOWABLE as error:
            warn_or_raise(error, self._options.on_error)
