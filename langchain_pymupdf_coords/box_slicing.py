"""Parts of a box, each with its own lines and a tight rectangle."""

from collections.abc import Iterable, Sequence

from langchain_pymupdf_coords.geometry import BBox, union_bboxes
from langchain_pymupdf_coords.pages import PICTURE_CLASSES, ParsedBox, TextLine


def slice_box(box: ParsedBox, start: int, end: int) -> ParsedBox:
    """Return the part of a box whose text is ``text[start:end]``, with the lines that it touches.

    A line that the cut goes through keeps its whole rectangle, and its span is cut. The part's rectangle is
    that of its lines within the box. It is the box's where it has no lines, and in pictures and formulas,
    which mean little in parts.
    """
    lines = tuple(
        TextLine(line.bbox, max(line.start, start) - start, min(line.end, end) - start)
        for line in box.lines
        if line.start < end and start < line.end
    )
    bbox = tight_bbox(box.box_class, box.bbox, [line.bbox for line in lines])
    return ParsedBox(box.box_class, bbox, box.text[start:end], lines, box.font_size)


def tight_bbox(box_class: str, bbox: BBox, lines: Sequence[BBox]) -> BBox:
    """Return the rectangle of a part of a box, given those of its lines; never more than the box."""
    if not lines or box_class in PICTURE_CLASSES:
        return bbox
    # Lines are as high as their font, boxes only as their ink.
    x0, y0, x1, y1 = union_bboxes(lines)
    x0, y0, x1, y1 = max(x0, bbox[0]), max(y0, bbox[1]), min(x1, bbox[2]), min(y1, bbox[3])
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else bbox


def shifted(lines: Iterable[TextLine], by: int) -> tuple[TextLine, ...]:
    """Return lines whose text stands ``by`` characters further on."""
    return tuple(TextLine(line.bbox, line.start + by, line.end + by) for line in lines)
