"""What an evidence page has to show: quotes and passages by file, and pictures of their pages within a budget."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document

from langchain_pymupdf_coords.crops.options import CropOptions
from langchain_pymupdf_coords.errors import (
    GeometryError,
    PDFOpenError,
    PDFPasswordError,
    ProvenanceError,
    RenderBudgetWarning,
    SourceChangedError,
    SourceUnavailableError,
    SourceUnavailableWarning,
    warn,
)
from langchain_pymupdf_coords.folding import clean_text
from langchain_pymupdf_coords.geometry import PageSize, Quad, bbox_to_quad
from langchain_pymupdf_coords.pdf.rendering import PageRenderer, Rendered
from langchain_pymupdf_coords.provenance.boxes import SourceBox, page_sizes
from langchain_pymupdf_coords.provenance.quotes import QuoteMatch, Region
from langchain_pymupdf_coords.sources.files import shown
from langchain_pymupdf_coords.sources.resolver import SourceResolver, document_source, require_unchanged


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One entry of an evidence page.

    Attributes:
        text: The quote as asked for, or the text of a passage.
        regions: Where it stands, a region per page.
        match: The located quote; None for a passage, which is a Document without quotes.
        section: Heading path, or empty.
    """

    text: str
    regions: tuple[Region, ...]
    match: QuoteMatch | None
    section: str


@dataclass(frozen=True, slots=True)
class SourceExhibits:
    """The entries of one file.

    Attributes:
        source: ``metadata["source"]``.
        title: Title of the file, or empty.
        digest: ``metadata["source_digest"]`` of its first Document, or empty.
        documents: Its Documents.
        exhibits: Its entries, each once, in the order of the Documents.
        sizes: Width and height in points of its pages, as far as the Documents have them.
        labels: Printed page numbers, as far as the Documents have them.
    """

    source: str
    title: str
    digest: str
    documents: tuple[Document, ...]
    exhibits: tuple[Exhibit, ...]
    sizes: Mapping[int, PageSize]
    labels: Mapping[int, str]

    @property
    def pages(self) -> list[int]:
        """The pages to show, in order."""
        return sorted({region.page for exhibit in self.exhibits for region in exhibit.regions})


def exhibits_by_source(documents: Iterable[Document]) -> list[SourceExhibits]:
    """Sort Documents by file, in the order in which the files come first.

    Raises:
        ProvenanceError: Coordinates or quotes of a Document are missing or malformed.
    """
    groups: dict[str, list[Document]] = {}
    for document in documents:
        groups.setdefault(document_source(document), []).append(document)
    return [_source_exhibits(source, group) for source, group in groups.items()]


def _source_exhibits(source: str, documents: Sequence[Document]) -> SourceExhibits:
    exhibits: dict[Exhibit, None] = {}
    sizes: dict[int, PageSize] = {}
    labels: dict[int, str] = {}
    for document in documents:
        # Chunks that overlap may hold the same quote: a dict keeps it once, and in order.
        exhibits |= dict.fromkeys(_exhibits(document))
        sizes |= page_sizes(document)
        page, label = document.metadata.get("page"), _text(document.metadata, "page_label")
        if label and isinstance(page, int):
            labels[page] = label
    first = documents[0].metadata
    title, digest = _text(first, "title"), _text(first, "source_digest")
    return SourceExhibits(source, title, digest, tuple(documents), tuple(exhibits), sizes, labels)


def _exhibits(document: Document) -> list[Exhibit]:
    section = _text(document.metadata, "section")
    matches = QuoteMatch.from_document(document)
    if not matches:
        return [Exhibit(document.page_content, _box_regions(document), None, section)]
    return [Exhibit(match.quote, match.regions, match, section) for match in matches]


def _box_regions(document: Document) -> tuple[Region, ...]:
    quads: dict[int, list[Quad]] = {}
    for box in SourceBox.from_document(document):
        quads.setdefault(box.page, []).append(bbox_to_quad(box.bbox))
    return tuple(Region(page, tuple(quads[page])) for page in sorted(quads))


def _text(metadata: Mapping[str, Any], key: str) -> str:
    value = metadata.get(key)
    return clean_text(value) if isinstance(value, str) else ""


PageKey = tuple[str, int]
"""The source of a page, and its number from 1."""

# Below this nothing can be read: A4 at 24 dpi.
_LEAST_PIXELS = 60_000

# A page of text stays below this; a photograph or scan does not, and is smaller as JPEG.
_LARGE_PNG = 300_000

_NO_ROOM = "The page has no picture, because this file would become too large."


class EvidencePictures:
    """Renders each page once; pages share the pixels of ``max_total_pixels`` equally."""

    def __init__(self, options: CropOptions, sources: Sequence[SourceExhibits]) -> None:
        """Look at what there is to render, which opens no file."""
        self._options = options
        self._sources = sources
        keys = [(source.source, page) for source in sources for page in source.pages]
        self._drawn = set(keys[: int(min(options.max_total_pixels / _LEAST_PIXELS, len(keys)))])
        self._left_out = len(keys) - len(self._drawn)
        self._limit = int(min(options.max_pixels, options.max_total_pixels / max(len(self._drawn), 1)))
        self._reduced = 0

    def pictures(self) -> dict[PageKey, Rendered | str]:
        """Return the picture of each page, or a sentence that says why there is none.

        Raises:
            PyMuPDFCoordsError: See ``evidence_html``.
        """
        found: dict[PageKey, Rendered | str] = {}
        for source in self._sources:
            found |= dict.fromkeys(((source.source, page) for page in source.pages), _NO_ROOM)
            try:
                found |= self._pages(source)
            except PDFPasswordError:
                raise
            except (PDFOpenError, SourceChangedError, SourceUnavailableError) as error:
                if self._options.on_error == "raise":
                    raise
                warn(f"no pictures: {error}", SourceUnavailableWarning)
                reason = f"The page has no picture: {error}"
                found |= dict.fromkeys(((source.source, page) for page in source.pages), reason)
        self._warn()
        return found

    def _pages(self, source: SourceExhibits) -> Iterator[tuple[PageKey, Rendered]]:
        options = self._options
        pages = [page for page in source.pages if (source.source, page) in self._drawn]
        if not pages:
            return
        file = SourceResolver(root=options.root, resolver=options.resolver).resolve(source.source)
        for document in source.documents:
            require_unchanged(document, file)
        with PageRenderer(file, password=options.password) as renderer:
            for page in pages:
                yield (source.source, page), self._page(renderer, source.source, page)

    def _page(self, renderer: PageRenderer, source: str, page: int) -> Rendered:
        dpi, limit = self._options.dpi, self._limit
        try:
            picture = renderer.render(page, dpi=dpi, max_pixels=limit)
            if len(picture.data) > _LARGE_PNG:
                jpeg = renderer.render(page, dpi=dpi, max_pixels=limit, image_format="jpeg")
                picture = min(picture, jpeg, key=lambda rendered: len(rendered.data))
        except GeometryError as cause:
            raise ProvenanceError(f"coordinates do not fit their file {shown(source)}: {cause}") from cause
        self._reduced += picture.reduced
        return picture

    def _warn(self) -> None:
        parts = []
        if self._reduced:
            parts.append(f"{self._reduced} page(s) reduced in resolution")
        if self._left_out:
            parts.append(f"{self._left_out} page(s) without a picture")
        if parts:
            limit = f"max_total_pixels={self._options.max_total_pixels:,}"
            message = f"{' and '.join(parts)}, to stay within {limit}"
            warn(message, RenderBudgetWarning)
