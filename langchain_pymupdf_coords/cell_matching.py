"""Cells of a Markdown table that are found by their text, where counting letters did not lead to them.

Letters that a table has on the page and not in its Markdown, or the other way round, shift every count after
them. What is left over then is compared by text: a line of a cell is the line of the page with the same letters,
if there is only one of each. Where a text stands in several cells, its row and its column must agree with what
has been found already.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from langchain_pymupdf_coords.folding import FoldedText
from langchain_pymupdf_coords.geometry import BBox, union_bboxes
from langchain_pymupdf_coords.letter_placement import Placed, Unit
from langchain_pymupdf_coords.table_alignment import table_rows

_LINE_BREAK = "<br>"
# Each round finds neighbours of what the rounds before it have found.
_ROUNDS = 3
# A text that stands in more cells than this is left out, for the sake of time.
_MOST_PAIRS = 10_000


@dataclass(frozen=True, slots=True)
class _CellLine:
    """A line of a cell: its offset among the folded letters of the table, and those letters."""

    row: int
    column: int
    start: int
    letters: str


@dataclass(frozen=True, slots=True)
class _PageLine:
    units: tuple[Unit, ...]
    letters: str
    bbox: BBox


_Agree = Callable[[_CellLine, _PageLine], bool]
_Line = TypeVar("_Line", _CellLine, _PageLine)


def place_cells(
    markdown: str, folded: FoldedText, units: Sequence[Unit], placed: Sequence[Placed]
) -> list[Placed]:
    """Place the lines of cells of which nothing has been placed yet.

    Args:
        markdown: The table in Markdown.
        folded: The same, folded.
        units: Glyphs in the table's rectangle, in the order in which the page draws them.
        placed: What has been found; comes back with the additions.
    """
    cells = list(_cell_lines(markdown, folded))
    matching = _Matching(cells, placed)
    wanted = _by_letters(cell for cell in cells if cell not in matching.found)
    taken = {id(unit) for _, unit in placed}
    shown = _by_letters(line for line in _page_lines(units, taken) if line.letters in wanted)
    for letters, lines in shown.items():
        matching.match(wanted[letters], lines)
    for _ in range(_ROUNDS):
        for letters, lines in shown.items():
            matching.match(wanted[letters], lines, matching.agrees)
    return [*placed, *matching.additions()]


class _Matching:
    """Which line of the page each line of a cell is, as far as that is known."""

    def __init__(self, cells: Sequence[_CellLine], placed: Iterable[Placed]) -> None:
        self.found: set[_CellLine] = set()
        self._lines: dict[_CellLine, _PageLine] = {}
        self._rows: dict[int, list[BBox]] = defaultdict(list)
        self._columns: dict[int, list[BBox]] = defaultdict(list)
        starts = [cell.start for cell in cells]
        for position, unit in placed:
            self._know(cells[bisect_right(starts, position) - 1], unit.bbox)

    def _know(self, cell: _CellLine, bbox: BBox) -> None:
        self.found.add(cell)
        self._rows[cell.row].append(bbox)
        self._columns[cell.column].append(bbox)

    def match(
        self, cells: Iterable[_CellLine], lines: Iterable[_PageLine], agree: _Agree | None = None
    ) -> None:
        """Match the cells and lines, all of the same letters, that agree with each other and no others."""
        cells = [cell for cell in cells if cell not in self.found]
        used = {id(line) for line in self._lines.values()}
        lines = [line for line in lines if id(line) not in used]
        if len(cells) * len(lines) > _MOST_PAIRS:
            return
        pairs = [(cell, line) for cell in cells for line in lines if agree is None or agree(cell, line)]
        of_cell = Counter(cell.start for cell, _ in pairs)
        of_line = Counter(id(line) for _, line in pairs)
        for cell, line in pairs:
            if of_cell[cell.start] == 1 == of_line[id(line)]:
                self._lines[cell] = line
                self._know(cell, line.bbox)

    def agrees(self, cell: _CellLine, line: _PageLine) -> bool:
        """Tell whether a line stands beside what is known of the row, and above or below of its column."""
        return any(_share(line.bbox, bbox, 1) for bbox in self._rows[cell.row]) and any(
            _share(line.bbox, bbox, 0) for bbox in self._columns[cell.column]
        )

    def additions(self) -> Iterator[Placed]:
        """Yield the units of what was matched."""
        for cell, line in self._lines.items():
            position = cell.start
            for unit in line.units:
                yield position, unit
                position += len(unit.letters)


def _share(a: BBox, b: BBox, axis: int) -> bool:
    """Tell whether the middle of one lies within the other, along an axis."""
    middle, other = (a[axis] + a[axis + 2]) / 2, (b[axis] + b[axis + 2]) / 2
    return b[axis] <= middle <= b[axis + 2] or a[axis] <= other <= a[axis + 2]


def _cell_lines(markdown: str, folded: FoldedText) -> Iterator[_CellLine]:
    for row, (start, end) in enumerate(table_rows(markdown)):
        at = start
        for column, cell in enumerate(markdown[start:end].split("|")):
            for line in cell.split(_LINE_BREAK):
                first = bisect_left(folded.starts, at)
                last = bisect_left(folded.starts, at + len(line))
                if first < last:
                    yield _CellLine(row, column, first, folded.text[first:last])
                at += len(line) + len(_LINE_BREAK)
            at += 1 - len(_LINE_BREAK)


def _page_lines(units: Sequence[Unit], taken: set[int]) -> Iterator[_PageLine]:
    for (_, is_taken), group in groupby(units, key=lambda unit: (unit.line, id(unit) in taken)):
        if not is_taken:
            members = tuple(group)
            letters = "".join(unit.letters for unit in members)
            yield _PageLine(members, letters, union_bboxes(unit.bbox for unit in members))


def _by_letters(lines: Iterable[_Line]) -> dict[str, list[_Line]]:
    found: dict[str, list[_Line]] = {}
    for line in lines:
        found.setdefault(line.letters, []).append(line)
    return found
