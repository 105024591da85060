"""Columns of ideographs, which are read down the page: the engine takes each of their letters for a line."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from langchain_pymupdf_coords.geometry import union_bboxes
from langchain_pymupdf_coords.layout.pages import TextRun

_FIRST_IDEOGRAPH = "\u2e80"

# Hangul comes after it, and is written with spaces.
_FIRST_HANGUL, _LAST_HANGUL = "\uac00", "\ud7af"

_DOWN = (0.0, 1.0)

# Letters of a column stand no further apart, from middle to middle, than this part of their size, and no more
# to one side of each other than that.
_PITCH = 1.5

_ASIDE = 0.25

# Brackets and stops of vertical writing may stand further aside.
_MARK_ASIDE = 0.75

# Fewer letters, one under the other, may be a table's, unless they stand in the line of a longer column.
_FEWEST = 4

# Bands of columns stand further apart than this part of the font size.
_BETWEEN_BANDS = 0.5


def with_columns(runs: Iterable[TextRun]) -> list[TextRun]:
    """Join the letters of each column to one run that runs down the page; other runs stay as they are."""
    pieces = _pieces(runs)
    columns = [_joined(piece) for piece in pieces if len(piece) >= _FEWEST]
    return [run for piece in pieces for run in _joined_if_column(piece, columns)]


def _pieces(runs: Iterable[TextRun]) -> list[list[TextRun]]:
    """Return letters that stand one under the other together, and each other run alone."""
    pieces: list[list[TextRun]] = []
    for run in runs:
        if pieces and _is_letter(run) and _is_letter(pieces[-1][-1]) and _is_below(pieces[-1][-1], run):
            pieces[-1].append(run)
        else:
            pieces.append([run])
    return pieces


def _joined_if_column(piece: Sequence[TextRun], columns: Iterable[TextRun]) -> Sequence[TextRun]:
    if not _is_letter(piece[0]) or (
        len(piece) < _FEWEST and not any(_is_in_line(piece, column) for column in columns)
    ):
        return piece
    return [_joined(piece)]


def _is_in_line(piece: Sequence[TextRun], column: TextRun) -> bool:
    """Tell whether a few letters stand right above or below a column, or beside the middle of one."""
    top, bottom, size = piece[0].bbox[1], piece[-1].bbox[3], column.size
    aside = abs(piece[0].bbox[0] + piece[0].bbox[2] - column.bbox[0] - column.bbox[2]) / 2
    apart = max(top - column.bbox[3], column.bbox[1] - bottom)
    return aside <= _ASIDE * size and apart <= _PITCH * size


def bands(runs: Sequence[TextRun]) -> list[list[TextRun]]:
    """Part runs into bands one above the other: the columns of one are read before those of the next."""
    long = sorted((run for run in runs if len(run.text) >= _FEWEST), key=lambda run: run.bbox[1])
    cuts: list[float] = []
    for above, run in pairwise(long):
        bottom = max(other.bbox[3] for other in long if other.bbox[1] <= above.bbox[1])
        if run.bbox[1] - bottom >= _BETWEEN_BANDS * run.size:
            cuts.append((bottom + run.bbox[1]) / 2)
    found: list[list[TextRun]] = [[] for _ in range(len(cuts) + 1)]
    for run in runs:
        found[bisect_left(cuts, run.bbox[1])].append(run)
    return found


def is_ideographic(text: str) -> bool:
    """Tell whether most of a text are ideographs, kana or their punctuation."""
    return 2 * sum(map(_is_ideographic, text)) > len(text)


def _is_ideographic(char: str) -> bool:
    return char >= _FIRST_IDEOGRAPH and not _FIRST_HANGUL <= char <= _LAST_HANGUL


def _is_letter(run: TextRun) -> bool:
    text = run.text.strip()
    return len(text) == 1 and text >= _FIRST_IDEOGRAPH and (run.horizontal or run.direction[1] > 0)


def _is_below(above: TextRun, run: TextRun) -> bool:
    a, b = above.bbox, run.bbox
    aside, down = (b[0] + b[2] - a[0] - a[2]) / 2, (b[1] + b[3] - a[1] - a[3]) / 2
    most = _ASIDE if above.horizontal and run.horizontal else _MARK_ASIDE
    return abs(aside) <= most * run.size and 0 < down <= _PITCH * run.size


def _joined(column: Sequence[TextRun]) -> TextRun:
    bbox = union_bboxes(run.bbox for run in column)
    text = "".join(run.text.strip() for run in column)
    glyphs = tuple(glyph for run in column for glyph in run.glyphs)
    return replace(column[0], text=text, bbox=bbox, ink=bbox, direction=_DOWN, glyphs=glyphs)
