"""From the engine's boxes and the page's text runs to boxes whose lines have their places.

The engine leaves out what its layout model puts into no box and text boxes whose text is not horizontal. Both
are brought back here, so that nothing that the page says is lost.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from langchain_pymupdf_coords.folding import clean_text, fold_glyphs
from langchain_pymupdf_coords.geometry import BBox, PageSize, clip_bbox, union_bboxes
from langchain_pymupdf_coords.layout.alignment import align, mostly_inside, runs_inside
from langchain_pymupdf_coords.layout.glyphs import is_overprint
from langchain_pymupdf_coords.layout.pages import (
    HEADING_CLASSES,
    PICTURE_CLASSES,
    PageNote,
    ParsedBox,
    TextLine,
    TextRun,
)

RunReader = Callable[[bool], list[TextRun]]

_PICTURE_MARKERS = re.compile(r"<!-- (?:Start|End) of picture text -->")

# The engine reads their text whatever its direction.
_WHATEVER_DIRECTION = ("table", *PICTURE_CLASSES)

_HEADING_MARKS = re.compile(r"#{1,6} ")

# Runs that stand further apart than this part of the font size are words of their own.
_GAP = 0.1


@dataclass(frozen=True, slots=True)
class LayoutBox:
    """A box as the engine gives it: class, rectangle and Markdown."""

    box_class: str
    bbox: BBox
    markdown: str


def assemble(boxes: Sequence[LayoutBox], read_runs: RunReader) -> tuple[list[ParsedBox], list[PageNote]]:
    """Place the Markdown of a page's boxes on its lines, and bring back text that is in no box.

    Args:
        boxes: The engine's boxes in reading order.
        read_runs: Returns the page's runs; called with True when single glyphs are needed.

    Returns:
        The boxes with their lines, and notes on text that has no place.
    """
    glyphs = any(box.box_class == "table" for box in boxes)
    page = _PageRuns(read_runs(glyphs), boxes)
    placed = [page.place(number) for number in range(len(boxes))]
    if not glyphs and any(missing for _, missing in placed):
        page = _PageRuns(read_runs(True), boxes)
        placed = [page.place(number) if pair[1] else pair for number, pair in enumerate(placed)]
    notes = [_unplaced(box, missing) for box, missing in placed if missing]
    parsed = [box for box, _ in placed]
    return _with_unboxed(parsed, page.runs, page.accounted(parsed)), notes


class _PageRuns:
    """The runs of a page, and those inside each of its boxes."""

    def __init__(self, runs: Sequence[TextRun], boxes: Sequence[LayoutBox]) -> None:
        self.runs = runs
        self._boxes = boxes
        self._inside = [runs_inside(runs, box.bbox) for box in boxes]

    def place(self, number: int) -> tuple[ParsedBox, int]:
        """Return a box with its lines, and how many of its letters have none."""
        box, inside = self._boxes[number], self._inside[number]
        text = _cleaned(box)
        placement = align(text, box.box_class, box.bbox, self.runs, inside)
        size = max((run.size for run in inside), default=0.0) if box.box_class in HEADING_CLASSES else 0.0
        return ParsedBox(box.box_class, box.bbox, text, placement.lines, size), placement.missing

    def accounted(self, parsed: Sequence[ParsedBox]) -> set[int]:
        """Return the ids of the runs that are parts of a box's text."""
        return {
            id(run)
            for box, inside in zip(parsed, self._inside, strict=True)
            for run in inside
            if box.box_class in _WHATEVER_DIRECTION or (run.horizontal and box.text)
        }


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


def _with_unboxed(boxes: list[ParsedBox], runs: Sequence[TextRun], accounted: set[int]) -> list[ParsedBox]:
    """Add the runs that no box accounts for: to an empty box around them, or as boxes of their own."""
    found = [run for run in runs if id(run) not in accounted]
    if not found:
        return boxes
    shown: dict[str, list[BBox]] = defaultdict(list)
    for run in runs:
        if id(run) in accounted:
            shown[fold_glyphs(run.text)].append(run.bbox)
    left = [run for run in found if _is_news(run, shown)]
    result = list(boxes)
    for _, group in groupby(left, key=lambda run: run.block):
        members = list(group)
        around = union_bboxes(run.bbox for run in members)
        home = next((k for k, box in enumerate(result) if _is_home(box, around)), None)
        if home is None:
            result.insert(_reading_position(result, around), runs_box(members))
        else:
            result[home] = replace(runs_box(members), box_class=result[home].box_class)
    return result


def _is_news(run: TextRun, shown: Mapping[str, Sequence[BBox]]) -> bool:
    """Tell whether a run says something: letters or digits that are not drawn a second time (fake bold)."""
    letters = fold_glyphs(run.text)
    return bool(letters) and not any(is_overprint(run.bbox, bbox) for bbox in shown.get(letters, ()))


def _is_home(box: ParsedBox, bbox: BBox) -> bool:
    return not box.text and box.box_class not in PICTURE_CLASSES and mostly_inside(bbox, box.bbox)


def _reading_position(boxes: Sequence[ParsedBox], bbox: BBox) -> int:
    """Return the index of the first box below in the same column, or the end."""
    for index, box in enumerate(boxes):
        if box.bbox[1] >= bbox[3] and box.bbox[0] < bbox[2] and bbox[0] < box.bbox[2]:
            return index
    return len(boxes)


def block_boxes(runs: Iterable[TextRun]) -> list[ParsedBox]:
    """Return a box of class ``text`` for each block of a page that is read without the layout model."""
    return [runs_box(list(group)) for _, group in groupby(runs, key=lambda run: run.block)]


def runs_box(runs: Sequence[TextRun]) -> ParsedBox:
    """Return a box of class ``text`` whose text is made of runs, a line of text for each line of the page."""
    parts: list[str] = []
    lines: list[TextLine] = []
    end = 0
    for _, group in groupby(runs, key=lambda run: run.line):
        members = list(group)
        text = clean_text(_spaced(members)).strip()
        start = end + bool(parts)
        end = start + len(text)
        parts.append(text)
        lines.append(TextLine(union_bboxes(run.bbox for run in members), start, end))
    return ParsedBox("text", union_bboxes(run.bbox for run in runs), "\n".join(parts), tuple(lines))


def _spaced(runs: Sequence[TextRun]) -> str:
    """Join the runs of a line; white space that is a run of its own, as it is after OCR, shows as a gap."""
    text = runs[0].text
    for before, run in pairwise(runs):
        gap = _distance(before.bbox, run.bbox) > _GAP * run.size
        text += " " * (gap and not text[-1].isspace()) + run.text
    return text


def _distance(a: BBox, b: BBox) -> float:
    return max(b[0] - a[2], a[0] - b[2], b[1] - a[3], a[1] - b[3])


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
