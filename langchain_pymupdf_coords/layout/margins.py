"""What stands beside and behind the text of a page: line numbers, watermarks and drop caps.

The engine writes them into the sentences that they stand next to.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from langchain_pymupdf_coords.layout.pages import TextRun

# Fewer numbers in a column say nothing.
_FEWEST_NUMBERS = 4

_LONGEST_NUMBER = 4

# Numbers of a column begin or end this close (points) to each other.
_ALIGNED = 2.0

# Steps between the numbers' lines may differ by this part.
_REGULAR = 0.12

# Numbers stand further from the text than this part of the font size.
_CLEAR = 0.5

# A drop cap is so many times as large as the text beside it, and a watermark as most of the page.
_DROPPED = 1.7

_LARGE = 1.5

# What shares this part of the height of another line, and a part of its width, crosses it.
_CROSSED = 0.3


@dataclass(frozen=True, slots=True)
class Margins:
    """What was found on a page, by the ids of its runs.

    Attributes:
        numbers: Line numbers, from top to bottom.
        watermarks: Watermarks.
        crossing: Other text that is drawn across lines, such as a stamp.
        drop_caps: For each drop cap the run whose first word it begins.
        body: Font size of most letters.
    """

    numbers: tuple[TextRun, ...] = ()
    watermarks: tuple[TextRun, ...] = ()
    crossing: tuple[TextRun, ...] = ()
    drop_caps: dict[int, TextRun] = field(default_factory=dict)
    body: float = 0.0

    @property
    def apart(self) -> frozenset[int]:
        """Ids of the runs that are no part of any sentence."""
        return frozenset(id(run) for run in (*self.numbers, *self.watermarks, *self.crossing))


def find_margins(runs: Sequence[TextRun]) -> Margins:
    """Tell the runs of a page that are beside or behind its text from those that are text."""
    if not runs:
        return Margins()
    body = _body_size(runs)
    over = [run for run in runs if _is_over_text(run, runs, body)]
    watermarks = tuple(run for run in over if run.faint or _is_slanted(run))
    crossing = tuple(run for run in over if not (run.faint or _is_slanted(run)))
    text = _without(runs, over)
    numbers = tuple(_line_numbers(text))
    rest = _without(text, numbers)
    return Margins(numbers, watermarks, crossing, dict(_drop_caps(rest, body)), body)


def _without(runs: Sequence[TextRun], others: Sequence[TextRun]) -> list[TextRun]:
    known = {id(run) for run in others}
    return [run for run in runs if id(run) not in known]


def _body_size(runs: Sequence[TextRun]) -> float:
    """Return the size of most letters."""
    letters: dict[float, int] = defaultdict(int)
    for run in runs:
        letters[round(run.size, 1)] += len(run.text)
    return max(letters, key=lambda size: letters[size], default=0.0)


def _is_slanted(run: TextRun) -> bool:
    return min(abs(part) for part in run.direction) > 0.05


def _is_over_text(run: TextRun, runs: Sequence[TextRun], body: float) -> bool:
    """Tell whether a run is drawn across lines of text that are not its own."""
    large = run.size >= _LARGE * body
    if not (large or run.faint) or len(run.text.strip()) < 3:
        return False
    crossed = [
        other
        for other in runs
        if other.line != run.line and other.size < run.size and not other.faint and _crosses(run, other)
    ]
    return any(other.block != run.block or run.faint for other in crossed)


def _crosses(run: TextRun, other: TextRun) -> bool:
    a, b = run.ink, other.ink
    height = min(a[3], b[3]) - max(a[1], b[1])
    width = min(a[2], b[2]) - max(a[0], b[0])
    return height > _CROSSED * (b[3] - b[1]) and width > other.size


def _drop_caps(runs: Sequence[TextRun], body: float) -> Iterable[tuple[int, TextRun]]:
    for cap in runs:
        letters = cap.text.strip()
        if (
            cap.size < _DROPPED * body
            or not 0 < len(letters) <= 2
            or not letters[-1].isalpha()
            or not cap.horizontal
        ):
            continue
        beside = [run for run in runs if run is not cap and _stands_beside(cap, run)]
        if len({run.line for run in beside}) >= 2:
            top = min(beside, key=lambda run: run.ink[1] + run.ink[3])
            first = min((run for run in beside if run.ink[1] < top.ink[3]), key=lambda run: run.ink[0])
            if first.text[:1].islower() or first.text[:1].isupper() or first.text[:1] in "\u2019'":
                yield id(cap), first


def _stands_beside(cap: TextRun, run: TextRun) -> bool:
    """Tell whether a run is small text that begins right of a drop cap, at one of its lines."""
    middle = (run.ink[1] + run.ink[3]) / 2
    gap = run.ink[0] - cap.bbox[2]
    return (
        run.horizontal
        and run.size * _DROPPED <= cap.size
        and cap.ink[1] - run.size / 2 <= middle <= cap.ink[3]
        and -cap.size / 2 <= gap <= cap.size
    )


def _line_numbers(runs: Sequence[TextRun]) -> list[TextRun]:
    """Return the runs of a column of rising numbers in the margin, beside lines of text."""
    numbers = [run for run in runs if run.horizontal and _is_number(run.text)]
    if len(numbers) < _FEWEST_NUMBERS:
        return []
    found: list[TextRun] = []
    for edge in (0, 2):
        columns: list[list[TextRun]] = []
        for run in sorted(numbers, key=lambda run: run.bbox[edge]):
            if columns and run.bbox[edge] - columns[-1][-1].bbox[edge] <= _ALIGNED:
                columns[-1].append(run)
            else:
                columns.append([run])
        for column in columns:
            rising = sorted(column, key=lambda run: run.ink[1])
            if len(rising) > len(found) and _counts_lines(rising, runs):
                found = rising
    return found


def _is_number(text: str) -> bool:
    text = text.strip()
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER


def _counts_lines(column: Sequence[TextRun], runs: Sequence[TextRun]) -> bool:
    if len(column) < _FEWEST_NUMBERS:
        return False
    values = [int(run.text) for run in column]
    steps = {after - before for before, after in pairwise(values)}
    if (
        len(steps) != 1
        or steps <= {0}
        or min(steps) < 1
        or (min(steps) == 1 and len(column) <= _FEWEST_NUMBERS)
    ):
        return False
    gaps = [after.ink[3] - before.ink[3] for before, after in pairwise(column)]
    pitch = median(gaps)
    if pitch <= 0 or sum(abs(gap - pitch) > _REGULAR * pitch for gap in gaps) > len(gaps) // 8:
        return False
    left, right = min(run.bbox[0] for run in column), max(run.bbox[2] for run in column)
    others = [run for run in runs if run not in column and run.horizontal]
    return _flows_beside(others, column, (left, right), pitch / min(steps))


def _flows_beside(
    others: Sequence[TextRun], column: Sequence[TextRun], edges: tuple[float, float], pitch: float
) -> bool:
    """Tell whether lines of sentences stand beside a column of numbers, on one side of it, and nothing else."""
    top, bottom = column[0].ink[1] - pitch, column[-1].ink[3] + pitch
    beside = [run for run in others if top <= run.ink[1] and run.ink[3] <= bottom and run.text.strip()]
    rows: dict[int, list[TextRun]] = defaultdict(list)
    for run in beside:
        rows[round((run.ink[1] + run.ink[3]) / 2 / max(pitch, 1))].append(run)
    if len(rows) < 2:
        return False
    right_of = [run for run in beside if run.bbox[0] >= edges[1] + _CLEAR * run.size]
    left_of = [run for run in beside if run.bbox[2] <= edges[0] - _CLEAR * run.size]
    text = max(right_of, left_of, key=len)
    if len(text) < 0.95 * len(beside):
        return False
    begins = [min(row, key=lambda run: run.bbox[0]).text.lstrip()[:1] for row in rows.values()]
    flowing = sum(first.islower() for first in begins)
    return 4 * flowing >= len(begins) and not _has_columns(list(rows.values()))


def _has_columns(rows: Sequence[Sequence[TextRun]]) -> bool:
    """Tell whether most rows have wide gaps, as those of a table."""

    def gapped(row: Sequence[TextRun]) -> bool:
        placed = sorted(row, key=lambda run: run.bbox[0])
        return any(after.bbox[0] - before.bbox[2] > 2 * after.size for before, after in pairwise(placed))

    return 2 * sum(map(gapped, rows)) > len(rows)
