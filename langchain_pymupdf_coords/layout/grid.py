"""Tables written by their grid: each cell holds the words that stand in it, whole.

The engine cuts a table by straight lines, and puts each glyph into the cell that has most of it. A line that
runs a little off then cuts words, and letters that reach above their line go to the row above. Here a word is in
the cell that has most of the word.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from langchain_pymupdf_coords.geometry import BBox, union_bboxes
from langchain_pymupdf_coords.layout.bidi import runs_right_to_left
from langchain_pymupdf_coords.layout.pages import Glyph, TextLine, TextRun
from langchain_pymupdf_coords.layout.rows import GAP, quarter_turns, rows_of, turned_bbox
from langchain_pymupdf_coords.layout.writing import Written, write_lines

Grid = Sequence[Sequence[BBox]]
"""Rows of rectangles, in points."""

# Glyphs of a run that stand further apart than this part of the font size belong to words of their own.
_WORD_GAP = 0.3

_LINE_BREAK = "<br>"


def write_table(grid: Grid, runs: Sequence[TextRun]) -> Written:
    """Write a table as Markdown.

    Args:
        grid: Its cells.
        runs: Runs of the page, with glyphs, of which at least a part stands in the table.
    """
    cells = _filled(grid, runs)
    text = ""
    lines: list[TextLine] = []
    backward = runs_right_to_left("".join(run.text for run in runs))
    for number, row in enumerate(_upright(grid, main_turns(runs), backward=backward)):
        for cell in row:
            text += "|"
            written = _escaped(write_lines(rows_of(cells.get(cell, ())), _LINE_BREAK))
            lines += (
                TextLine(line.bbox, len(text) + line.start, len(text) + line.end) for line in written.lines
            )
            text += written.text
        text += "|\n" + ("|" + "---|" * len(row) + "\n") * (number == 0)
    return Written(text.rstrip("\n"), tuple(lines))


def _escaped(written: Written) -> Written:
    """Return the text of a cell with its pipes escaped, as it would else be two cells."""
    if "|" not in written.text:
        return written
    shifts = [0]
    for char in written.text:
        shifts.append(shifts[-1] + (char == "|"))
    lines = (
        TextLine(line.bbox, line.start + shifts[line.start], line.end + shifts[line.end])
        for line in written.lines
    )
    return Written(written.text.replace("|", r"\|"), tuple(lines))


def _upright(grid: Grid, turns: int, *, backward: bool) -> list[list[BBox]]:
    """Return the rows as they are read.

    Those of a table that lies on its side are columns of the page, and a Hebrew or Arabic one begins at the right.
    """
    rows = zip(*grid, strict=True) if turns % 2 else grid
    by_place = [sorted(row, key=lambda cell: turned_bbox(cell, turns)[0], reverse=backward) for row in rows]
    return sorted(by_place, key=lambda row: turned_bbox(row[0], turns)[1])


def main_turns(runs: Iterable[TextRun]) -> int:
    """Return the quarter turns of most letters; see ``quarter_turns``."""
    letters = [0, 0, 0, 0]
    for run in runs:
        letters[quarter_turns(run)] += len(run.text)
    return letters.index(max(letters))


def _filled(grid: Grid, runs: Iterable[TextRun]) -> dict[BBox, list[TextRun]]:
    """Return the parts of runs that stand in each cell."""
    around = union_bboxes(cell for row in grid for cell in row)
    tops, lefts = [row[0] for row in grid], list(grid[0])
    cells: dict[BBox, list[TextRun]] = {}
    for word in _words_across(runs):
        bbox = union_bboxes(part.bbox for part in word)
        if _is_centred(bbox, around):
            cells.setdefault(_cell(grid, tops, lefts, bbox), []).extend(word)
    return cells


def _words_across(runs: Iterable[TextRun]) -> Iterator[list[TextRun]]:
    """Yield the words of a table, in parts where a word has several styles."""
    word: list[TextRun] = []
    for run in runs:
        for glyphs, _ in _words(run):
            part = _part(run, glyphs)
            if word and not _goes_on(word[-1], part):
                yield word
                word = []
            word.append(part)
    if word:
        yield word


def _goes_on(before: TextRun, part: TextRun) -> bool:
    """Tell whether a word goes on in the run after it."""
    last, first = before.glyphs[-1], part.glyphs[0]
    along = quarter_turns(part) % 2
    return before.line == part.line and not (
        last.text.isspace() or first.text.isspace() or _is_apart(last, first, along, GAP * part.size)
    )


def _cell(grid: Grid, tops: Sequence[BBox], lefts: Sequence[BBox], bbox: BBox) -> BBox:
    row = max(range(len(tops)), key=lambda k: min(tops[k][3], bbox[3]) - max(tops[k][1], bbox[1]))
    column = max(range(len(lefts)), key=lambda k: min(lefts[k][2], bbox[2]) - max(lefts[k][0], bbox[0]))
    return grid[row][column]


def _is_centred(bbox: BBox, around: BBox) -> bool:
    x, y = (bbox[0] + bbox[2]) / 2, (bbox[1] + bbox[3]) / 2
    return around[0] <= x <= around[2] and around[1] <= y <= around[3]


def _words(run: TextRun) -> Iterator[tuple[list[Glyph], BBox]]:
    """Yield the words of a run, each with the white space after it, and where its letters stand."""
    word: list[Glyph] = []
    along = quarter_turns(run) % 2
    for glyph in run.glyphs:
        begins = (
            word
            and not glyph.text.isspace()
            and (word[-1].text.isspace() or _is_apart(word[-1], glyph, along, _WORD_GAP * run.size))
        )
        if begins:
            yield word, _word_bbox(word)
            word = []
        word.append(glyph)
    if word:
        yield word, _word_bbox(word)


def _is_apart(a: Glyph, b: Glyph, axis: int, gap: float) -> bool:
    return max(b.bbox[axis] - a.bbox[axis + 2], a.bbox[axis] - b.bbox[axis + 2]) > gap


def _word_bbox(word: Sequence[Glyph]) -> BBox:
    return union_bboxes([glyph.bbox for glyph in word if not glyph.text.isspace()] or [word[0].bbox])


def _part(run: TextRun, glyphs: Sequence[Glyph]) -> TextRun:
    bbox = _word_bbox(glyphs)
    ink = (bbox[0], run.ink[1], bbox[2], run.ink[3])
    return replace(
        run, text="".join(glyph.text for glyph in glyphs), bbox=bbox, ink=ink, glyphs=tuple(glyphs)
    )
