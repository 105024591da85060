"""From the engine's boxes and the page's text runs to boxes whose text is checked and whose lines have places."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from langchain_pymupdf_coords.folding import clean_text
from langchain_pymupdf_coords.geometry import BBox, PageSize, clip_bbox
from langchain_pymupdf_coords.layout.alignment import align, runs_inside
from langchain_pymupdf_coords.layout.pages import (
    EDGE_CLASSES,
    HEADING_CLASSES,
    PICTURE_CLASSES,
    PageNote,
    ParsedBox,
    TextLine,
    TextRun,
)
from langchain_pymupdf_coords.layout.repair import LayoutBox, PageText, text_box
from langchain_pymupdf_coords.layout.rows import has_turning, turned_bbox
from langchain_pymupdf_coords.layout.running import Surroundings, is_at_edge
from langchain_pymupdf_coords.layout.vertical import with_columns

RunReader = Callable[[bool], list[TextRun]]

_PICTURE_MARKERS = re.compile(r"<!-- (?:Start|End) of picture text -->")

_HEADING_MARKS = re.compile(r"#{1,6} ")


def assemble(
    boxes: Sequence[LayoutBox], read_runs: RunReader, page: Surroundings
) -> tuple[list[ParsedBox], list[PageNote]]:
    """Check the text of a page's boxes against its letters, place it, and add what no box has.

    Args:
        boxes: The engine's boxes in reading order.
        read_runs: Returns the page's runs; called with True when single glyphs are needed.
        page: The size of the page, and the pages around it.

    Returns:
        The boxes with their lines, and notes on text that was rewritten or has no place.
    """
    runs = with_columns(_read(boxes, read_runs))
    text = PageText(runs, boxes, page)
    found = [_checked(text, number, box, read_runs) for number, box in enumerate(boxes)]
    shown = [(box, placed) for box, (placed, _) in zip(boxes, found, strict=True) if placed is not None]
    moved = [placed for box, placed in shown if _is_misplaced(box, placed, text, page)]
    parsed = [placed for _, placed in shown if not any(placed is box for box in moved)]
    for added in (*moved, *text.unboxed(), *text.crossing()):
        parsed.insert(_reading_position(parsed, added.bbox, text.turns), added)
    parsed[:0] = [head for head in text.heads() if head.box_class == EDGE_CLASSES[0]]
    at = next((k for k, box in enumerate(parsed) if box.box_class == EDGE_CLASSES[1]), len(parsed))
    parsed[at:at] = text.behind()
    parsed += [head for head in text.heads() if head.box_class == EDGE_CLASSES[1]]
    return parsed, [*_summed_up(note for _, notes in found for note in notes)]


def _is_misplaced(box: LayoutBox, placed: ParsedBox, text: PageText, page: Surroundings) -> bool:
    """Tell whether the engine put a box first or last for a header or footer that is none and has another place."""
    is_body = box.box_class in EDGE_CLASSES and placed.box_class not in EDGE_CLASSES
    return is_body and (text.turns != 0 or not is_at_edge(box.bbox, page.size))


def _checked(
    page: PageText, number: int, box: LayoutBox, read_runs: RunReader
) -> tuple[ParsedBox | None, list[PageNote]]:
    """Return a box with the text that it should have, or None if it is left with none; and what to tell of it."""
    text = _cleaned(box)
    anew = page.rewritten(number, text)
    if anew is None:
        placed, missing = _placed(box, text, page.members(number), page.runs, read_runs)
        notes = [_unplaced(placed, missing)] if missing else []
    else:
        box_class, written = anew
        size = _size(box_class, page.members(number))
        placed = ParsedBox(box_class, page.bbox(number), written.text, written.lines, size)
        notes = [PageNote("rewritten", "1")]
        if not written.text and box_class not in PICTURE_CLASSES:
            return None, notes
    if (
        edge := page.box_class(number, placed.text)
    ) != placed.box_class and placed.box_class == box.box_class:
        placed = replace(placed, box_class=edge)
    return placed, notes


def _summed_up(notes: Iterable[PageNote]) -> Iterator[PageNote]:
    rewritten = 0
    for note in notes:
        if note.kind == "rewritten":
            rewritten += 1
        else:
            yield note
    if rewritten:
        yield PageNote("rewritten", f"{rewritten} box(es) were written anew from the letters of the page")


def place(boxes: Sequence[LayoutBox], read_runs: RunReader) -> tuple[list[ParsedBox], list[PageNote]]:
    """Place the engine's text as it is on the lines of its page; see ``assemble``."""
    runs = _read(boxes, read_runs)
    placed = [_placed(box, _cleaned(box), runs_inside(runs, box.bbox), runs, read_runs) for box in boxes]
    return [box for box, _ in placed], [_unplaced(box, missing) for box, missing in placed if missing]


def _read(boxes: Sequence[LayoutBox], read_runs: RunReader) -> list[TextRun]:
    runs = read_runs(any(box.box_class == "table" for box in boxes))
    return read_runs(True) if has_turning(runs) and not any(run.glyphs for run in runs) else runs


def _placed(
    box: LayoutBox, text: str, members: Sequence[TextRun], runs: Sequence[TextRun], read_runs: RunReader
) -> tuple[ParsedBox, int]:
    """Return a box with the engine's text and its lines, and how many of its letters have none."""
    placement = align(text, box.box_class, box.bbox, runs, members)
    if placement.missing and not any(run.glyphs for run in runs):
        runs = read_runs(True)
        placement = align(text, box.box_class, box.bbox, runs, runs_inside(runs, box.bbox))
    size = _size(box.box_class, members)
    return ParsedBox(box.box_class, box.bbox, text, placement.lines, size), placement.missing


def _size(box_class: str, runs: Iterable[TextRun]) -> float:
    return max((run.size for run in runs), default=0.0) if box_class in HEADING_CLASSES else 0.0


def _cleaned(box: LayoutBox) -> str:
    text = clean_text(box.markdown)
    if box.box_class in PICTURE_CLASSES:
        text = _PICTURE_MARKERS.sub("", text).replace("<br>", "\n")
    text = text.rstrip().lstrip("\n")
    if box.box_class in HEADING_CLASSES:
        # The engine ranks headings over the pages of one call; levels are set where all pages pass by.
        text = _HEADING_MARKS.sub("", text, count=1)
    return text


def _unplaced(box: ParsedBox, missing: int) -> PageNote:
    x0, y0, x1, y1 = box.bbox
    where = f"the {box.box_class} at ({x0:g}, {y0:g}, {x1:g}, {y1:g})"
    return PageNote(
        "unplaced", f"{missing} letters or digits of {where} are not in its lines; quotes of them get its box"
    )


def _reading_position(boxes: Sequence[ParsedBox], bbox: BBox, turns: int) -> int:
    """Return the index of the first box below in the same column, or the end, on a page turned so often."""
    x0, _, x1, bottom = turned_bbox(bbox, turns)
    for index, box in enumerate(boxes):
        left, top, right, _ = turned_bbox(box.bbox, turns)
        if top >= bottom and left < x1 and x0 < right:
            return index
    return len(boxes)


def block_boxes(runs: Iterable[TextRun]) -> list[ParsedBox]:
    """Return a box of class ``text`` for each block of a page that is read without the layout model."""
    return [text_box("text", list(group)) for _, group in groupby(runs, key=lambda run: run.block)]


def on_page(boxes: Iterable[ParsedBox], size: PageSize) -> tuple[ParsedBox, ...]:
    """Cut boxes and lines to a page of ``size``: ink boxes are rounded outward, and glyphs may stand over the edge."""
    return tuple(box if _is_on_page(box, size) else _cut_to_page(box, size) for box in boxes)


def _is_on_page(box: ParsedBox, size: PageSize) -> bool:
    width, height = size
    return all(
        x0 >= 0 and y0 >= 0 and x1 <= width and y1 <= height
        for x0, y0, x1, y1 in (box.bbox, *(line.bbox for line in box.lines))
    )


def _cut_to_page(box: ParsedBox, size: PageSize) -> ParsedBox:
    lines = (TextLine(clip_bbox(line.bbox, size), line.start, line.end) for line in box.lines)
    return replace(box, bbox=clip_bbox(box.bbox, size), lines=tuple(lines))
