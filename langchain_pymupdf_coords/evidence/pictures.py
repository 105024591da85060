"""Pictures of the pages of an evidence page, within a budget."""

from collections.abc import Iterator, Sequence

from langchain_pymupdf_coords.caller_warnings import warn
from langchain_pymupdf_coords.crops.options import CropOptions
from langchain_pymupdf_coords.crops.rendering import UNSHOWABLE, warn_or_raise
from langchain_pymupdf_coords.errors import GeometryError, ProvenanceError, RenderBudgetWarning
from langchain_pymupdf_coords.evidence.entries import SourceEntries
from langchain_pymupdf_coords.pdf.rendering import PageRenderer, Rendered
from langchain_pymupdf_coords.sources.files import shown
from langchain_pymupdf_coords.sources.resolver import are_unchanged

PageKey = tuple[str, int]
"""The source of a page, and its number from 1."""

# Below this nothing can be read: A4 at 24 dpi.
_LEAST_PIXELS = 60_000

# A page of text stays below this; a photograph or scan does not, and is smaller as JPEG.
_LARGE_PNG = 300_000

_NO_ROOM = "The page has no picture, because this file would become too large."

_CHANGED = "The page has no picture, because its file is not the one that was indexed any more."


class EvidencePictures:
    """Renders each page once; pages share the pixels of ``max_total_pixels`` equally."""

    def __init__(self, options: CropOptions, sources: Sequence[SourceEntries]) -> None:
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
            except UNSHOWABLE as error:
                warn_or_raise(error, self._options.on_error)
                reason = f"The page has no picture: {error}"
                found |= dict.fromkeys(((source.source, page) for page in source.pages), reason)
        self._warn()
        return found

    def _pages(self, source: SourceEntries) -> Iterator[tuple[PageKey, Rendered | str]]:
        options = self._options
        pages = [page for page in source.pages if (source.source, page) in self._drawn]
        if not pages:
            return
        file = options.resolve(source.source)
        if not all(are_unchanged(source.documents, file, options.on_change)):
            yield from (((source.source, page), _CHANGED) for page in source.pages)
            return
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
