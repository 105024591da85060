"""The check of each box: whether the engine's text is what the page says.

Where the two disagree beyond Markdown marks and white space, the box is written anew from the letters of the
page. What stands beside and behind the text, and what no box has, becomes boxes of its own.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from langchain_pymupdf_coords.folding import TAG, drop_emphasis, fold_glyphs, fold_letters
from langchain_pymupdf_coords.geometry import BBox, union_bboxes
from langchain_pymupdf_coords.layout.alignment import runs_inside
from langchain_pymupdf_coords.layout.grid import Grid, main_turns, write_table
from langchain_pymupdf_coords.layout.hyphens import HYPHENS, SOFT_HYPHEN, Hyphenation, share_edges
from langchain_pymupdf_coords.layout.margins import Margins, find_margins
from langchain_pymupdf_coords.layout.pages import (
    EDGE_CLASSES,
    LINE_NUMBER,
    PICTURE_CLASSES,
    WATERMARK,
    ParsedBox,
    TextRun,
)
from langchain_pymupdf_coords.layout.rows import (
    distinct,
    has_turning,
    is_sliver,
    ordered,
    right_edge,
    rows_of,
)
from langchain_pymupdf_coords.layout.running import (
    Surroundings,
    is_page_number,
    is_small,
    page_lines,
    running_lines,
)
from langchain_pymupdf_coords.layout.vertical import bands, is_ideographic
from langchain_pymupdf_coords.layout.writing import Written, write_box, write_lines

# What the two texts of a box are compared by, beside their letters.
_KEPT_APART = re.compile(r"[^\w\u2010-]|_")

_BETWEEN_WORDS = re.compile(r"[|\s]+")

# What the engine takes numbered lines for.
_TAKEN_FOR_NUMBERED = ("table", "list-item")

# What it takes columns of ideographs for.
_TAKEN_FOR_IDEOGRAPHS = ("table", *PICTURE_CLASSES)

# Classes whose boxes may hold a running head that is none of their text.
_FLOWING = ("text", "title", "section-header", "list-item", "caption", "footnote")

# A running head has no more lines than these on the page; a paragraph that repeats may have more.
_LONGEST_HEAD = 3

_BULLET = re.compile(r"^\s*(?:[-\u2010]|o(?=\s))", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LayoutBox:
    """A box as the engine gives it: class, rectangle, Markdown, and the cells of a table."""

    box_class: str
    bbox: BBox
    markdown: str
    grid: Grid = ()


class PageText:
    """The letters of a page, and which of them each box should have."""

    def __init__(self, runs: Sequence[TextRun], boxes: Sequence[LayoutBox], page: Surroundings) -> None:
        """Share out the runs of a page.

        Args:
            runs: All text runs; with glyphs where there are tables or text that runs from right to left.
            boxes: The engine's boxes.
            page: The size of the page, and the pages around it.
        """
        self.runs = runs
        self.turns = main_turns(runs)
        self.margins = find_margins(runs)
        self._boxes = boxes
        self._page = page
        self._hyphenation = Hyphenation(_texts(runs, page), self._is_justified)
        self._joined = frozenset(self.margins.drop_caps)
        self._members = _shared_out(runs, boxes, self.margins)
        self._heads = self._running_heads()

    def _is_justified(self) -> bool:
        """Tell whether most lines of the page end at edges that other lines have too."""
        rights: list[float] = []
        for box, members in zip(self._boxes, self._members, strict=True):
            if box.box_class in _FLOWING:
                lines = [_right(line) for _, line in groupby(members, key=lambda run: run.line)]
                rights += lines[:-1]  # the last line of a paragraph ends anywhere
        return share_edges(rights)

    def _running_heads(self) -> list[TextRun]:
        """Take running heads and page numbers out of the boxes that have other text too."""
        running = running_lines(self.runs, self._page)
        self._running = running
        heads: list[TextRun] = []
        for box, members in zip(self._boxes, self._members, strict=True):
            within = [run for run in members if id(run) in running]
            if box.box_class in _FLOWING and 0 < len(within) < len(members) and self._is_head(within):
                heads += within
                members[:] = [run for run in members if id(run) not in running]
        return heads

    def _is_head(self, runs: Sequence[TextRun]) -> bool:
        """Tell whether running lines of a box are no paragraph of it: they are small and few."""
        return is_small(runs, self.margins.body) and len({run.line for run in runs}) <= _LONGEST_HEAD

    def box_class(self, number: int, text: str) -> str:
        """Return the class of a box: what repeats at the edges of pages is a header or footer, nothing else."""
        box, members = self._boxes[number], self._members[number]
        if self._page.recognised:
            return box.box_class
        runs = all(id(run) in self._running for run in members if fold_glyphs(run.text))
        if box.box_class in EDGE_CLASSES:
            return box.box_class if (members and runs) or is_page_number(text) or not text else "text"
        if members and runs and box.box_class in _FLOWING and is_small(members, self.margins.body):
            return self._edge_class(box.bbox)
        return box.box_class

    def _edge_class(self, bbox: BBox) -> str:
        return EDGE_CLASSES[bbox[1] + bbox[3] > self._page.size[1]]

    def bbox(self, number: int) -> BBox:
        """Return the rectangle of a box that holds its drop caps too."""
        caps = [run.bbox for run in self._members[number] if id(run) in self._joined]
        return union_bboxes([self._boxes[number].bbox, *caps])

    def members(self, number: int) -> list[TextRun]:
        """Return the runs of a box."""
        return self._members[number]

    def rewritten(self, number: int, text: str) -> tuple[str, Written] | None:
        """Return class and text of a box from its letters, or None where the engine's text says the same."""
        box, members = self._boxes[number], self._members[number]
        if not members:
            return (box.box_class, Written("", ())) if self._lost_all(box) else None
        if box.box_class in _TAKEN_FOR_NUMBERED and self._is_numbered(box):
            return "text", write_box("text", rows_of(members, self._joined), self._hyphenation)
        if box.box_class in _TAKEN_FOR_IDEOGRAPHS and _is_vertical_script(members):
            rows = [row for band in bands(members) for row in rows_of(band)]
            return "text", write_box("text", rows, self._hyphenation)
        if box.box_class == "table":
            return self._table(box, members, text)
        if self._plainly_agrees(members, text):
            return None
        written = write_box(box.box_class, rows_of(members, self._joined), self._hyphenation)
        same = _says_the_same(members, _bare, written.text, text)
        return None if same else (box.box_class, written)

    def _lost_all(self, box: LayoutBox) -> bool:
        """Tell whether all that the engine had for a box are line numbers and the like, or another box has it."""
        return bool(runs_inside(self.runs, box.bbox))

    def _is_numbered(self, box: LayoutBox) -> bool:
        """Tell whether the lines of a box are numbered in the margin."""
        numbers = {id(run) for run in self.margins.numbers}
        return any(id(run) in numbers for run in runs_inside(self.runs, box.bbox))

    def _plainly_agrees(self, members: Sequence[TextRun], text: str) -> bool:
        """Tell at little cost that a box is as it should be; if not, a second look may still find it so."""
        if not all(run.horizontal for run in members) or has_turning(members) or _is_parted(members):
            return False
        if any(run.text.rstrip().endswith((*HYPHENS, SOFT_HYPHEN)) for run in members):
            return False
        return "".join([fold_glyphs(run.text) for run in ordered(members)]) == fold_letters(text)

    def _table(self, box: LayoutBox, members: Sequence[TextRun], text: str) -> tuple[str, Written] | None:
        if not box.grid:
            return None if fold_letters(text) else ("text", write_lines(rows_of(members)))
        written = write_table(box.grid, members)
        same = _says_the_same(members, _words, written.text, text)
        if main_turns(members) == 0 and same:
            return None
        return "table", written

    def unboxed(self) -> list[ParsedBox]:
        """Return boxes for the letters that no box has, one for each block of the page."""
        boxed = {id(run) for members in (*self._members, self._heads) for run in members} | self.margins.apart
        shown = [run for run in self.runs if id(run) in boxed]
        left = [run for run in self.runs if id(run) not in boxed and fold_glyphs(run.text)]
        # What is drawn a second time for a bold look is there already.
        left = [run for run in distinct([*shown, *left]) if id(run) not in boxed] if left else []
        return [text_box("text", list(group)) for _, group in groupby(left, key=lambda run: run.block)]

    def heads(self) -> list[ParsedBox]:
        """Return boxes for the running heads that stood in other boxes."""
        by_edge = groupby(self._heads, key=lambda run: self._edge_class(run.bbox))
        return [text_box(box_class, list(group)) for box_class, group in by_edge]

    def crossing(self) -> list[ParsedBox]:
        """Return boxes for what is drawn across lines of text."""
        return [
            text_box("text", list(group))
            for _, group in groupby(self.margins.crossing, key=lambda run: run.block)
        ]

    def behind(self) -> list[ParsedBox]:
        """Return boxes for watermarks and line numbers."""
        blocks = groupby(self.margins.watermarks, key=lambda run: run.block)
        found = [text_box(WATERMARK, list(group)) for _, group in blocks]
        if self.margins.numbers:
            found.append(text_box(LINE_NUMBER, self.margins.numbers))
        return found


def _right(line: Iterable[TextRun]) -> float:
    return max(right_edge(run.text, run.bbox) for run in line)


def _texts(runs: Sequence[TextRun], page: Surroundings) -> Iterator[str]:
    """Yield the lines of a page and of those around it."""
    yield from page_lines(runs, page.size).texts
    for lines in page.around:
        yield from lines.texts


def text_box(box_class: str, runs: Sequence[TextRun]) -> ParsedBox:
    """Return a box whose text is made of runs, a line of text for each row of the page."""
    written = write_lines(rows_of(runs))
    return ParsedBox(box_class, union_bboxes(run.bbox for run in runs), written.text, written.lines)


def _shared_out(runs: Sequence[TextRun], boxes: Sequence[LayoutBox], margins: Margins) -> list[list[TextRun]]:
    """Return the runs of each box, each run in one box."""
    homes = _homes(runs, boxes)
    for cap, first in margins.drop_caps.items():
        if id(first) in homes:
            homes[cap] = homes[id(first)]
    members: list[list[TextRun]] = [[] for _ in boxes]
    apart = margins.apart
    for run in _with_caps_first(runs, margins):
        home = homes[id(run)] if id(run) in homes else _table_beside(run, boxes)
        if home is not None and id(run) not in apart:
            members[home].append(run)
    return members


def _homes(runs: Sequence[TextRun], boxes: Sequence[LayoutBox]) -> dict[int, int]:
    """Return for the id of each run its box: of several that hold it, the one that holds most."""
    pictures = [box.bbox for box in boxes if box.box_class in PICTURE_CLASSES]
    held: list[tuple[bool, int, int, list[int]]] = []
    for number, box in enumerate(boxes):
        # A picture or formula has all that stands in it.
        if not any(box.bbox != other and _is_inside(box.bbox, other) for other in pictures):
            inside = [id(run) for run in runs_inside(runs, box.bbox)]
            held.append((box.box_class in PICTURE_CLASSES, -len(inside), number, inside))
    homes: dict[int, int] = {}
    for _, _, number, inside in sorted(held):
        for run in inside:
            homes.setdefault(run, number)
    return homes


def _is_inside(inner: BBox, outer: BBox) -> bool:
    return all(a >= b - 1 for a, b in zip(inner[:2], outer[:2], strict=True)) and all(
        a <= b + 1 for a, b in zip(inner[2:], outer[2:], strict=True)
    )


def _table_beside(run: TextRun, boxes: Sequence[LayoutBox]) -> int | None:
    """Return the table that has a part of a run which is not mostly in any box."""
    touched = (number for number, box in enumerate(boxes) if box.grid and _touches(run.bbox, box.bbox))
    return next(touched, None) if run.glyphs else None


def _with_caps_first(runs: Sequence[TextRun], margins: Margins) -> list[TextRun]:
    """Put each drop cap before the run whose word it begins."""
    if not margins.drop_caps:
        return list(runs)
    caps = {id(first): cap for cap, first in margins.drop_caps.items()}
    by_id = {id(run): run for run in runs}
    found = []
    for run in runs:
        if id(run) in caps:
            found.append(by_id[caps[id(run)]])
        if id(run) not in margins.drop_caps:
            found.append(run)
    return found


def _touches(a: BBox, b: BBox) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _is_vertical_script(runs: Sequence[TextRun]) -> bool:
    """Tell whether most letters are ideographs and the like, and run down the page."""
    text = "".join([run.text for run in runs if run.direction[1] > 0])
    return 2 * len(text) > sum(len(run.text) for run in runs) and is_ideographic(text)


def _says_the_same(
    runs: Sequence[TextRun], without_marks: Callable[[str], object], written: str, text: str
) -> bool:
    """Tell whether the engine's text of some runs may stay."""
    if has_turning(runs):
        # Stops and brackets of such a line are often at its wrong end, and it is never code.
        return written.split() == text.split()
    return without_marks(written) == without_marks(text) and not _is_parted(runs)


def _is_parted(runs: Iterable[TextRun]) -> bool:
    """Tell whether a letter stands apart from its word in the engine's text, since it has no width of its own."""
    return any(map(is_sliver, runs))


def _words(table: str) -> list[str]:
    """Return the words of a table, which the engine's cells may cut, each letters and digits alone."""
    plain = TAG.sub(" ", drop_emphasis(table))
    return [letters for word in _BETWEEN_WORDS.split(plain) if (letters := fold_glyphs(word))]


def _bare(text: str) -> str:
    """Return the letters and hyphens of a text, without Markdown marks, white space and the marks of lists."""
    return _KEPT_APART.sub("", TAG.sub("", _BULLET.sub("", text))).replace("\u2010", "-").strip("-")
