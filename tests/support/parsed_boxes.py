"""Parsed boxes with known lines, for tests of what happens after parsing."""

from collections.abc import Sequence

from langchain_pymupdf_coords.geometry import BBox, union_bboxes
from langchain_pymupdf_coords.layout.pages import ParsedBox, ParsedPage, TextLine

LEFT, CHARACTER, STEP, HEIGHT = 50.0, 6.0, 12.0, 10.0


def line_bbox(text: str, row: int, *, top: float = 100.0) -> BBox:
    """Where line ``row`` (from 0) of ``text_box`` stands."""
    y = top + STEP * row
    return LEFT, y, LEFT + CHARACTER * len(text), y + HEIGHT


def text_box(
    *lines: str, box_class: str = "text", top: float = 100.0, joint: str = " ", font_size: float = 0.0
) -> ParsedBox:
    """A box of lines one below the other; ``joint`` stands between them in the Markdown."""
    placed = []
    start = 0
    for row, line in enumerate(lines):
        placed.append(TextLine(line_bbox(line, row, top=top), start, start + len(line)))
        start += len(line) + len(joint)
    bbox = union_bboxes(line.bbox for line in placed)
    return ParsedBox(box_class, bbox, joint.join(lines), tuple(placed), font_size)


def table_box(rows: Sequence[Sequence[str]], *, top: float = 100.0) -> ParsedBox:
    """A table: cell ``c`` of row ``r`` stands at x = 50 + 100 c, y = top + 12 r.

    ``<br>`` breaks lines of a cell, which are 4 points apart.
    """
    text = ""
    lines = []
    for r, row in enumerate(rows):
        text += "|"
        for c, cell in enumerate(row):
            for k, part in enumerate(cell.split("<br>")):
                text += "<br>" * bool(k)
                x, y = LEFT + 100 * c, top + STEP * r + 4 * k
                lines.append(
                    TextLine((x, y, x + CHARACTER * len(part), y + 4), len(text), len(text) + len(part))
                )
                text += part
            text += "|"
        text += "\n" + "|---" * len(row) + "|\n" if r == 0 else "\n"
    bbox = union_bboxes(line.bbox for line in lines)
    return ParsedBox("table", bbox, text.rstrip("\n"), tuple(line for line in lines if line.start < line.end))


def page_of(*boxes: ParsedBox, number: int = 1, label: str = "") -> ParsedPage:
    return ParsedPage(number, (600.0, 800.0), label, boxes)


def line_texts(box: ParsedBox) -> list[str]:
    """What the lines of a box say, in order."""
    return [box.text[line.start : line.end] for line in box.lines]
