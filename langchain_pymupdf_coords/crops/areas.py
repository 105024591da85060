"""Which parts of which pages show a Document, and what to mark on them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from langchain_core.documents import Document

from langchain_pymupdf_coords.errors import ProvenanceError
from langchain_pymupdf_coords.geometry import (
    BBox,
    Quad,
    bbox_of_points,
    bbox_to_quad,
    expand_bbox,
    quad_to_bbox,
    union_bboxes,
)
from langchain_pymupdf_coords.pdf.colors import STATUS_COLORS, Color, Overlay
from langchain_pymupdf_coords.provenance.boxes import SourceBox, boxes_by_page
from langchain_pymupdf_coords.provenance.quotes import QuoteMatch
from langchain_pymupdf_coords.sources.files import shown

CropBy = Literal["page", "box", "quote"]

_OUTLINE_GAP = 1.5

MAX_CROPS = 1_000  # of one Document; a crafted one could ask for 50,000 pictures

_MARGINS = {"page": 12.0, "box": 12.0, "quote": 36.0}


@dataclass(frozen=True, slots=True)
class CropArea:
    """A part of a page to render.

    Attributes:
        page: Page number, from 1.
        bbox: In the displayed frame, in points; may reach beyond the page.
        overlays: What to mark.
    """

    page: int
    bbox: BBox
    overlays: tuple[Overlay, ...]


@dataclass(frozen=True, slots=True)
class Marker:
    """How to mark boxes and quotes.

    Attributes:
        draw: What to mark: ``"boxes"`` by an outline, ``"quotes"`` like a highlighter pen.
        box_color: Colour of outlines.
        quote_color: Colour of quotes; None for the colour of each quote's status.
        opacity: Of the colour of quotes, 0 to 1.
    """

    draw: frozenset[str]
    box_color: Color
    quote_color: Color | None
    opacity: float

    def boxes(self, boxes: Sequence[SourceBox]) -> tuple[Overlay, ...]:
        """Return the outlines of boxes of one page, a little apart from the ink that the boxes hold."""
        if "boxes" not in self.draw or not boxes:
            return ()
        quads = tuple(bbox_to_quad(expand_bbox(box.bbox, _OUTLINE_GAP)) for box in boxes)
        return (Overlay(quads, self.box_color, 1.0, fill=False),)

    def quotes(self, matches: Sequence[QuoteMatch]) -> dict[int, tuple[Overlay, ...]]:
        """Return the marks of quotes by the pages that they stand on."""
        marks: dict[int, tuple[Overlay, ...]] = {}
        for match in matches if "quotes" in self.draw else ():
            color = self.quote_color or STATUS_COLORS[match.status]
            for region in match.regions:
                mark = Overlay(region.quads, color, self.opacity)
                marks[region.page] = (*marks.get(region.page, ()), mark)
        return marks


def crop_areas(document: Document, by: CropBy, margin: float | None, marker: Marker) -> list[CropArea]:
    """Return the parts of pages that show a Document.

    Args:
        document: The Document.
        by: ``"page"``: for each page the box around all boxes. ``"box"``: each box. ``"quote"``: each located
            quote, for each page that it is on; none for a Document without quotes.
        margin: Points to add on each side; None for 12, or 36 around a quote.
        marker: How to mark boxes and quotes.

    Raises:
        ProvenanceError: Coordinates of the Document are missing or malformed, or make more than
            ``MAX_CROPS`` areas.
    """
    boxes, matches = SourceBox.from_document(document), QuoteMatch.from_document(document)
    if by == "quote":
        areas = _quote_areas(boxes, matches, marker)
    elif by == "box":
        areas = _box_areas([[box] for box in boxes], matches, marker)
    else:
        areas = _box_areas(boxes_by_page(boxes).values(), matches, marker)
    found = list(islice(areas, MAX_CROPS + 1))
    if len(found) > MAX_CROPS:
        raise ProvenanceError(
            f"by={by!r} makes more than {MAX_CROPS} pictures of one Document "
            f"(source {shown(str(document.metadata.get('source')))}): use by='page', or smaller chunks"
        )
    margin = _MARGINS[by] if margin is None else margin
    return [replace(area, bbox=_with_margin(area.bbox, margin)) for area in found]


def _box_areas(
    groups: Iterable[Sequence[SourceBox]], matches: Sequence[QuoteMatch], marker: Marker
) -> Iterator[CropArea]:
    quotes = marker.quotes(matches)
    for group in groups:
        page = group[0].page
        bbox = union_bboxes(box.bbox for box in group)
        yield CropArea(page, bbox, (*quotes.get(page, ()), *marker.boxes(group)))


def _quote_areas(
    boxes: Sequence[SourceBox], matches: Sequence[QuoteMatch], marker: Marker
) -> Iterator[CropArea]:
    for match in matches:
        quotes = marker.quotes([match])
        for region in match.regions:
            if not region.quads:
                continue
            quote = bbox_of_points(point for quad in region.quads for point in quad)
            around = [box for box in boxes if box.page == region.page and _touch(box.bbox, quote)]
            overlays = (*quotes.get(region.page, ()), *marker.boxes(around))
            yield CropArea(region.page, _whole_lines(region.quads, quote, around), overlays)


def _whole_lines(quads: Sequence[Quad], quote: BBox, around: Sequence[SourceBox]) -> BBox:
    """Stretch the box around a quote along its lines, to the ends of the boxes that hold it."""
    x0, y0, x1, y1 = union_bboxes([quote, *(box.bbox for box in around)])
    sizes = [(box[2] - box[0], box[3] - box[1]) for box in map(quad_to_bbox, quads)]
    # Even a line of the single digit 1 is not three times as tall as wide: this text runs up or down.
    sideways = sum(height for _, height in sizes) > 3 * sum(width for width, _ in sizes)
    return (quote[0], y0, quote[2], y1) if sideways else (x0, quote[1], x1, quote[3])


def _touch(a: BBox, b: BBox) -> bool:
    return a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]


def _with_margin(bbox: BBox, margin: float) -> BBox:
    """Add the margin; a rule or an empty box without a margin still gets a point of area to show."""
    thin = min(bbox[2] - bbox[0], bbox[3] - bbox[1]) < 1
    return expand_bbox(bbox, max(margin, 0.5) if thin else margin)


def fair_limit(wanted: Sequence[float], total: float) -> float:
    """Return the limit that keeps several amounts within a total: small ones whole, large ones equal.

    Args:
        wanted: The amounts.
        total: What there is to share.

    Returns:
        The limit; infinity where there is enough for all.
    """
    left = total
    for index, amount in enumerate(sorted(wanted)):
        share = left / (len(wanted) - index)
        if amount > share:
            return share
        left -= amount
    return float("inf")
