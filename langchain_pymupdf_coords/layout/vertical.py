"""Columns of ideographs, which are read down the page: the engine takes each of their letters for a line."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

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

# Fewer letters, one under the other, may be a table's.
_FEWEST = 4


def with_columns(runs: Iterable[TextRun]) -> list[TextRun]:
    """Join the letters of each column to one run that runs down the page; other runs stay as they are."""
    found: list[TextRun] = []
    column: list[TextRun] = []
    for run in runs:
        if column and not (_is_letter(run) and _is_below(column[-1], run)):
            found += _joined(column)
            column = []
        if _is_letter(run):
            column.append(run)
        else:
            found.append(run)
    return found + _joined(column)


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
    return abs(aside) <= _ASIDE * run.size and 0 < down <= _PITCH * run.size


def _joined(column: Sequence[TextRun]) -> list[TextRun]:
    if len(column) < _FEWEST:
        return list(column)
    first = column[0]
    bbox = union_bboxes(run.bbox for run in column)
    text = "".join(run.text.strip() for run in column)
    glyphs = tuple(glyph for run in column for glyph in run.glyphs)
    return [replace(first, text=text, bbox=bbox, ink=bbox, direction=_DOWN, glyphs=glyphs)]
