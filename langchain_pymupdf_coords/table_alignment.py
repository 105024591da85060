"""Where each cell of a Markdown table stands on the page.

The engine cuts a table into rows and columns by straight lines, and writes into each cell the characters whose
larger part lies in it. So the lines need not be seen to be known: if the first row of the Markdown holds ``n``
letters, then the ``n`` topmost letters of the page are its own, and so on for each row, and from left to right
for each column. Whether that was right shows when cell and letters are compared.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from langchain_pymupdf_coords.folding import FoldedText
from langchain_pymupdf_coords.letter_placement import Placed, Unit, place_in_order

Interval = tuple[int, int]


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


def table_rows(markdown: str) -> list[Interval]:
    """Return the rows of a Markdown table as half-open spans, the separator row left out."""
    spans = []
    start = 0
    for line in markdown.split("\n"):
        if line.startswith("|"):
            spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans[:1] + spans[2:]


def _rows(markdown: str, folded: FoldedText) -> Iterator[_Row]:
    for start, end in table_rows(markdown):
        pipes = [k for k in range(start, end) if markdown[k] == "|"]
        edges = [bisect_left(folded.starts, k) for k in pipes]
        letters = bisect_left(folded.starts, start), bisect_left(folded.starts, end)
        if edges:
            edges[-1] = letters[1]
        yield _Row(letters, tuple(pairwise(edges)))


def _length(interval: Interval) -> int:
    return interval[1] - interval[0]


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
