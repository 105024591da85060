"""Parts of a box, each with its own lines and a tight rectangle."""

from collections.abc import Iterable

from langchain_pymupdf_coords.geometry import union_bboxes
from langchain_pymupdf_coords.pages import PICTURE_CLASSES, ParsedBox, TextLine


def slice_box(box: ParsedBox, start: int, end: int) -> ParsedBox:
    """Return the part of a box whose text is ``text[start:end]``, with the lines that it touches.

    A line that the cut goes through keeps its whole rectangle, and its span is cut. The part's rectangle is
    that of its lines. It is the box's where it has none, and in pictures and formulas, which mean little in
    parts.
    """
    lines = tuple(
        TextLine(line.bbox, max(line.start, start) - start, min(line.end, end) - start)
        for line in box.lines
        if line.start < end and start < line.end
    )
    whole = not lines or box.box_class in PICTURE_CLASSES
    bbox = box.bbox if whole else union_bboxes(line.bbox for line in lines)
    return ParsedBox(box.box_class, bbox, box.text[start:end], lines, box.font_size)


def shifted(lines: Iterable[TextLine], by: int) -> tuple[TextLine, ...]:
    """Return lines whose text stands ``by`` characters further on."""
    return tuple(TextLine(line.bbox, line.start + by, line.end + by) for line in lines)
