"""Where each cell of a Markdown table stands on the page.

The engine cuts a table into rows and columns by straight lines, and writes into each cell the glyphs whose
larger part lies in it. So the lines need not be seen to be known: if the first row of the Markdown holds ``n``
letters, then the ``n`` topmost letters of the page are its own, and so on for each row, and from left to right
for each column. Whether that was right shows when cell and letters are compared.

Letters that a table has on the page and not in its Markdown, or the other way round, shift every count after
them. What is left over then is compared by text: a line of a cell is the line of the page with the same letters,
if there is only one of each. Where a text stands in several cells, its row and its column must agree with what
has been found already.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from typing import TypeVar

from langchain_pymupdf_coords.folding import FoldedText
from langchain_pymupdf_coords.geometry import BBox, union_bboxes
from langchain_pymupdf_coords.layout.letters import Placed, Unit, place_in_order

Interval = tuple[int, int]

_LINE_BREAK = "<br>"

# Each round finds neighbours of what the rounds before it have found.
_ROUNDS = 3

# A text that stands in more cells than this is left out, for the sake of time.
_MOST_PAIRS = 10_000


@dataclass(frozen=True, slots=True)
class _Row:
    """Letters of a row of the Markdown, and of each of its cells, as intervals of the folded text."""

    letters: Interval
    cells: tuple[Interval, ...]


def place_table(markdown: str, folded: FoldedText, units: Sequence[Unit]) -> list[Placed]:
    """Find the units of a table's cells; return each with the offset of its first letter.

    Args:
        markdown: The table in Markdown: a line per row, the second one a separator.
        folded: The same, folded.
        units: Glyphs in the table's rectangle, in the order in which the page draws them.
    """
    rows = list(_rows(markdown, folded))
    slack = abs(sum(len(unit.letters) for unit in units) - len(folded.text))
    if not rows or not units:
        return []
    middles = [(unit.bbox[1] + unit.bbox[3]) / 2 for unit in units]
    row_of = _bands(units, middles, [_length(row.letters) for row in rows], slack)
    column_of = _columns(units, rows, row_of, slack)
    placed: list[Placed] = []
    for number, row in enumerate(rows):
        members = [(column_of[k], units[k]) for k, at in enumerate(row_of) if at == number]
        regular = len(row.cells) == len(rows[0].cells)
        placed += _place_row(folded.text, row, members, regular=regular, sure=not slack)
    return placed


def _rows(markdown: str, folded: FoldedText) -> Iterator[_Row]:
    for start, end in table_rows(markdown):
        pipes = [k for k in range(start, end) if markdown[k] == "|"]
        edges = [bisect_left(folded.starts, k) for k in pipes]
        letters = bisect_left(folded.starts, start), bisect_left(folded.starts, end)
        if edges:
            edges[-1] = letters[1]
        yield _Row(letters, tuple(pairwise(edges)))


def table_rows(markdown: str) -> list[Interval]:
    """Return the rows of a Markdown table as half-open spans, the separator row left out."""
    spans = []
    start = 0
    for line in markdown.split("\n"):
        if line.startswith("|"):
            spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans[:1] + spans[2:]


def _length(interval: Interval) -> int:
    return interval[1] - interval[0]


def _columns(units: Sequence[Unit], rows: Sequence[_Row], row_of: Sequence[int], slack: int) -> list[int]:
    """Number the column of each unit; rows with stray pipes follow the borders of the others."""
    width = len(rows[0].cells)
    regular = [len(row.cells) == width for row in rows]
    middles = [(unit.bbox[0] + unit.bbox[2]) / 2 for unit in units]
    known = [k for k in range(len(units)) if regular[row_of[k]]]
    counts = [sum(_length(row.cells[c]) for row in rows if len(row.cells) == width) for c in range(width)]
    bands = _bands([units[k] for k in known], [middles[k] for k in known], counts, slack)
    columns = dict(zip(known, bands, strict=True))
    ends = [max((middles[k] for k in known if columns[k] <= c), default=0.0) for c in range(width - 1)]
    return [columns.get(k, bisect_left(ends, middles[k])) for k in range(len(units))]


def _bands(units: Sequence[Unit], middles: Sequence[float], counts: Sequence[int], slack: int) -> list[int]:
    """Number the band of each unit, given how many letters each band holds from the lowest middle up.

    Where the letters do not add up, each border moves to the widest gap within the slack.
    """
    order = sorted(range(len(units)), key=middles.__getitem__)
    letters = [middles[k] for k in order for _ in units[k].letters]
    borders = [_border(letters, rank, slack) for rank in list(accumulate(counts))[:-1]]
    bands = [0] * len(units)
    band = 0
    rank = 0
    for k in order:
        while band < len(borders) and rank >= borders[band]:
            band += 1
        bands[k] = band
        rank += len(units[k].letters)
    return bands


def _border(letters: Sequence[float], rank: int, slack: int) -> int:
    if not slack:
        return rank
    ranks = range(max(1, rank - slack), min(len(letters), rank + slack + 1))
    return max(ranks, key=lambda k: letters[k] - letters[k - 1], default=rank)


def _place_row(
    text: str, row: _Row, members: Sequence[tuple[int, Unit]], *, regular: bool, sure: bool
) -> list[Placed]:
    if not regular:
        in_columns = [unit for _, unit in sorted(members, key=lambda member: member[0])]
        return _place_interval(text, row.letters, in_columns)
    placed: list[Placed] = []
    for column, cell in enumerate(row.cells):
        units = [unit for at, unit in members if at == column]
        found = _place_interval(text, cell, units)
        if not sure and units and _length(cell) and not found:
            return []  # these are the letters of another row
        placed += found
    return placed


def _place_interval(text: str, interval: Interval, units: Sequence[Unit]) -> list[Placed]:
    start, end = interval
    return [(start + offset, unit) for offset, unit in place_in_order(text[start:end], units)]


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
