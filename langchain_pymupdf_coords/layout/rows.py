"""The rows of a box in the order in which they are read: what a reader sees as its lines.

A page draws its text in an order of its own, most often that of reading. Where that order makes sense of the
places it is taken, since it tells columns, marks over letters and crossing lines apart; where it jumps about,
the rows are read from top to bottom. Rows that run from right to left are put together from their glyphs.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, pairwise
from unicodedata import category, normalize

from langchain_pymupdf_coords.geometry import BBox, union_bboxes
from langchain_pymupdf_coords.layout.bidi import has_right_to_left, reading_order, runs_right_to_left
from langchain_pymupdf_coords.layout.overprint import is_overprint
from langchain_pymupdf_coords.layout.pages import Glyph, TextRun
from langchain_pymupdf_coords.layout.vertical import is_ideographic

# Text that stands further apart than this part of the font size is words of their own.
GAP = 0.1

# Runs whose tops or bottoms are this close (points) stand in one visual row for the engine.
_SAME_ROW = 3.0

# Two lines stand in one row if they share this part of the lower one's height.
_SHARED = 0.5

# A glyph that is narrower (points) takes no room: it is the second letter of a ligature.
_SLIVER = 0.01

# Presentation forms of Hebrew and Arabic, ligatures among them.
_FORMS = (("\ufb1d", "\ufdff"), ("\ufe70", "\ufefc"))

_UPSIDE_DOWN = 2  # quarter turns

# Runs that are further apart in height (points) are not compared.
_NEARBY = 20.0

# How far above the line before it, in font sizes, a line may stand and still go on after it: an exponent.
_RAISED = 1.5


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a row in one style.

    Attributes:
        text: Its characters in reading order, with the space that parts it from the piece before.
        marks: The Markdown marks of its style.
        bbox: Where it stands.
        line: Number of its line on the page; a row may have several.
    """

    text: str
    marks: tuple[str, ...]
    bbox: BBox
    line: int


@dataclass(frozen=True, slots=True)
class Row:
    """What a reader sees as a line: pieces in reading order."""

    pieces: tuple[Piece, ...]
    bbox: BBox

    @property
    def text(self) -> str:
        """The characters of the row."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def right(self) -> float:
        """The right edge of the last letter, white space after it aside."""
        return max((right_edge(piece.text, piece.bbox) for piece in self.pieces), default=self.bbox[2])


def rows_of(runs: Sequence[TextRun], joined: frozenset[int] = frozenset()) -> list[Row]:
    """Put runs together to the rows of their box; text that runs down or up the page comes last.

    Args:
        runs: Runs of one box, of any direction, in the order of the page.
        joined: Ids of runs that begin the word after them: drop caps.
    """
    rows: list[Row] = []
    for turns, group in groupby(sorted(runs, key=quarter_turns), key=quarter_turns):
        members = list(group)
        if turns == _UPSIDE_DOWN and _is_mirrored(members):
            turn, back = _mirrored_bbox, _mirrored_bbox
        else:
            turn, back = partial(turned_bbox, turns=turns), partial(turned_bbox, turns=-turns)
        upright = [_upright(run, turn) for run in members] if turns else members
        found = _rows(upright, joined)
        rows += [_moved(row, back) for row in found] if turns else found
    return rows


def quarter_turns(run: TextRun) -> int:
    """Return how many quarter turns clockwise a run is off upright text, 0 to 3."""
    cosine, sine = run.direction
    if abs(cosine) >= abs(sine):
        return 0 if cosine > 0 else 2
    return 1 if sine > 0 else 3


def turned_bbox(bbox: BBox, turns: int) -> BBox:
    """Turn a box around the origin, anticlockwise, by quarter turns: what ran down the page then runs right."""
    x0, y0, x1, y1 = bbox
    for _ in range(turns % 4):
        x0, y0, x1, y1 = y0, -x1, y1, -x0
    return x0, y0, x1, y1


def _mirrored_bbox(bbox: BBox) -> BBox:
    return -bbox[2], bbox[1], -bbox[0], bbox[3]


def _is_mirrored(runs: Sequence[TextRun]) -> bool:
    """Tell whether text that runs to the left is drawn line by line down the page: it is seen in a mirror."""
    steps = [after.ink[1] - before.ink[1] for before, after in pairwise(runs) if before.line != after.line]
    return sum(step > 0 for step in steps) > len(steps) / 2


def _upright(run: TextRun, turn: Callable[[BBox], BBox]) -> TextRun:
    bbox = turn(run.bbox)
    glyphs = tuple(Glyph(glyph.text, turn(glyph.bbox)) for glyph in run.glyphs)
    return replace(run, bbox=bbox, ink=bbox, direction=(1.0, 0.0), glyphs=glyphs)


def _moved(row: Row, back: Callable[[BBox], BBox]) -> Row:
    pieces = tuple(replace(piece, bbox=back(piece.bbox)) for piece in row.pieces)
    return Row(pieces, back(row.bbox))


def ordered(runs: Sequence[TextRun]) -> list[TextRun]:
    """Return horizontal runs in the order in which they are read, those that are drawn twice once."""
    once = distinct(runs)
    return once if _makes_sense(once) else by_rows(once)


def by_rows(runs: Iterable[TextRun]) -> list[TextRun]:
    """Sort runs as the engine writes them: visual rows from top to bottom, each from left to right."""
    rows: list[list[TextRun]] = []
    for run in sorted(runs, key=lambda run: (-run.direction[0], run.ink[3])):
        if rows and _same_row(rows[-1][-1].ink, run.ink):
            rows[-1].append(run)
        else:
            rows.append([run])
    return [run for row in rows for run in sorted(row, key=lambda run: run.ink[0])]


def _same_row(before: BBox, after: BBox) -> bool:
    return abs(after[3] - before[3]) <= _SAME_ROW or abs(after[1] - before[1]) <= _SAME_ROW


def distinct(runs: Iterable[TextRun]) -> list[TextRun]:
    """Return runs in the same order, those that are drawn twice for a bold look once."""
    kept: dict[tuple[str, int], list[BBox]] = {}
    once = []
    for run in runs:
        # Only what is at about the same height can be the same: a page may have thousands of equal runs.
        height = round((run.bbox[1] + run.bbox[3]) / 2 / _NEARBY)
        alike = (kept.get((run.text, height + step), ()) for step in (-1, 0, 1))
        if not any(is_overprint(run.bbox, bbox) for bboxes in alike for bbox in bboxes):
            kept.setdefault((run.text, height), []).append(run.bbox)
            once.append(run)
    return once


def _makes_sense(runs: Sequence[TextRun]) -> bool:
    """Tell whether the order of the page goes on, line after line, to the right, down, or to the next column."""
    column: BBox | None = None
    for before, run in pairwise(runs):
        if before.line == run.line:
            continue
        column = union_bboxes([column or before.ink, before.ink])
        if run.ink[1] >= column[3] and run.ink[2] <= before.ink[0]:
            column = None  # below all columns and left of the last: what follows has columns of its own
            continue
        if _goes_on(before, run):
            continue
        if run.ink[0] < column[2] - run.size:
            return False
        column = None
    return True


def _goes_on(before: TextRun, run: TextRun) -> bool:
    a, b = before.ink, run.ink
    if _shares_height(a, b):
        return _is_next(before, run)
    if b[1] + b[3] > a[1] + a[3]:
        return True
    return a[1] - b[3] <= _RAISED * run.size and a[2] - run.size <= b[0] <= a[2] + run.size


def _shares_height(a: BBox, b: BBox) -> bool:
    return min(a[3], b[3]) - max(a[1], b[1]) >= _SHARED * min(a[3] - a[1], b[3] - b[1])


def _rows(runs: Sequence[TextRun], joined: frozenset[int]) -> list[Row]:
    rows: list[list[TextRun]] = []
    for run in ordered(runs):
        if rows and (id(rows[-1][-1]) in joined or _stays_in_row(rows[-1][-1], run)):
            rows[-1].append(run)
        else:
            rows.append([run])
    backward = runs_right_to_left("".join([run.text for run in runs]))
    return [_turning_row(row, backward) if has_turning(row) else _row(row, joined) for row in rows]


def has_turning(runs: Iterable[TextRun]) -> bool:
    """Tell whether text of some runs runs from right to left: its rows are put together from single glyphs."""
    return any(has_right_to_left(run.text) for run in runs)


def _stays_in_row(before: TextRun, run: TextRun) -> bool:
    return before.line == run.line or (_shares_height(before.ink, run.ink) and _is_next(before, run))


def _is_next(before: TextRun, run: TextRun) -> bool:
    """Tell whether a run in the same row may be read after another: it stands right of it, or the row turns."""
    return run.ink[0] >= before.ink[0] - run.size or has_turning((before, run))


def _row(runs: Sequence[TextRun], joined: frozenset[int]) -> Row:
    first = runs[1] if is_sliver(runs[0]) and len(runs) > 1 else runs[0]
    pieces = [Piece(runs[0].text, first.marks, runs[0].bbox, runs[0].line)]
    for before, run in pairwise(runs):
        # Ideographs are written without spaces.
        space = 1.0 if is_ideographic(before.text[-1:] + run.text[:1]) else GAP
        gap = distance(before.bbox, run.bbox) > space * run.size and id(before) not in joined
        spaced = gap and not pieces[-1].text[-1:].isspace() and not run.text[:1].isspace()
        marks = pieces[-1].marks if is_sliver(run) else run.marks
        pieces.append(Piece(" " * spaced + run.text, marks, run.bbox, run.line))
    return Row(tuple(pieces), union_bboxes(run.bbox for run in runs))


def is_sliver(run: TextRun) -> bool:
    """Tell whether a run takes no room: it is the second letter of a ligature, and of the style of the first."""
    return run.horizontal and run.bbox[2] - run.bbox[0] < _SLIVER


def right_edge(text: str, bbox: BBox) -> float:
    """Return where the letters of a text end, given where it ends with the white space after it."""
    return bbox[2] - (bbox[2] - bbox[0]) * (len(text) - len(text.rstrip())) / max(len(text), 1)


def distance(a: BBox, b: BBox) -> float:
    """Return how far two boxes stand apart, along the axis on which they do; negative where they overlap."""
    return max(b[0] - a[2], a[0] - b[2], b[1] - a[3], a[1] - b[3])


@dataclass(slots=True)
class _Cluster:
    """A glyph and those that stand on it: the second letter of a ligature, a vowel sign."""

    glyphs: list[Glyph]
    run: TextRun

    @property
    def text(self) -> str:
        return "".join(glyph.text for glyph in self.glyphs)


def _turning_row(runs: Sequence[TextRun], backward: bool) -> Row:
    """Put a row together from its glyphs, of which some run from right to left: most of its box, if backward."""
    pieces = [
        Piece(_as_typed(text), _prose_marks(cluster.run), cluster.glyphs[0].bbox, cluster.run.line)
        for text, cluster, _ in _in_reading_order(runs, backward)
    ]
    return Row(tuple(pieces), union_bboxes(run.bbox for run in runs))


def logical_order(runs: Sequence[TextRun]) -> list[Glyph]:
    """Return the glyphs of a row, of which some run from right to left, in the order in which they are read."""
    read = _in_reading_order(runs, backward=False)
    return [glyph for _, cluster, is_shown in read if is_shown for glyph in cluster.glyphs]


def _in_reading_order(runs: Sequence[TextRun], backward: bool) -> list[tuple[str, _Cluster, bool]]:
    """Return text and glyphs of a row, with a space, which is not shown, where they stand apart."""
    shown: list[tuple[str, _Cluster, bool]] = []
    for cluster in _visual_order(runs):
        if shown and _is_apart(shown[-1][1], cluster):
            shown.append((" ", cluster, False))
        shown.append((cluster.text, cluster, True))
    backward = backward or runs_right_to_left("".join([run.text for run in runs]))
    read = reading_order([text for text, _, _ in shown], right_to_left=backward)
    return [(text, *shown[at][1:]) for at, text in read]


def _prose_marks(run: TextRun) -> tuple[str, ...]:
    """Return the marks of a run that is no code, though its font may have letters of one width."""
    return tuple(mark for mark in run.marks if mark != "`")


def _visual_order(runs: Iterable[TextRun]) -> list[_Cluster]:
    """Return the glyphs of a row from left to right."""
    bases: list[_Cluster] = []
    standing: list[tuple[Glyph, TextRun]] = []
    for run in runs:
        for glyph in run.glyphs or (Glyph(run.text, run.bbox),):
            if _stands_on_another(glyph):
                standing.append((glyph, run))
            else:
                bases.append(_Cluster([glyph], run))
    for glyph, run in standing:
        below = [base for base in bases if base.run.line == run.line] or bases
        if below:
            min(below, key=lambda base: _offset(base.glyphs[0].bbox, glyph)).glyphs.append(glyph)
        else:
            bases.append(_Cluster([glyph], run))
    placed = sorted(bases, key=lambda base: base.glyphs[0].bbox[0])
    return [cluster for cluster in placed if not cluster.text.isspace() or not _is_covered(cluster, placed)]


def _is_covered(space: _Cluster, placed: Iterable[_Cluster]) -> bool:
    """Tell whether letters stand where a space should be: it is then one that the engine only thought of."""
    x0, _, x1, _ = space.glyphs[0].bbox
    letters = (cluster.glyphs[0].bbox for cluster in placed if not cluster.text.isspace())
    return sum(max(0.0, min(x1, bbox[2]) - max(x0, bbox[0])) for bbox in letters) > (x1 - x0) / 2


def _stands_on_another(glyph: Glyph) -> bool:
    is_narrow = glyph.bbox[2] - glyph.bbox[0] < _SLIVER and not glyph.text.isspace()
    return is_narrow or category(glyph.text[:1] or " ") in ("Mn", "Me")


def _offset(base: BBox, glyph: Glyph) -> float:
    """Return how far a glyph is from where it would stand on another: inside it, or at its end."""
    x = (glyph.bbox[0] + glyph.bbox[2]) / 2
    if glyph.bbox[2] - glyph.bbox[0] < _SLIVER and category(glyph.text[:1]) not in ("Mn", "Me"):
        return abs(base[2] - x)
    return max(base[0] - x, x - base[2], 0.0)


def _is_apart(before: _Cluster, cluster: _Cluster) -> bool:
    gap = cluster.glyphs[0].bbox[0] - before.glyphs[0].bbox[2]
    return gap > GAP * cluster.run.size and not (before.text.isspace() or cluster.text.isspace())


def _as_typed(text: str) -> str:
    """Return a letter of Hebrew or Arabic rather than one of its forms."""
    return (
        normalize("NFKC", text)
        if any(first <= char <= last for char in text for first, last in _FORMS)
        else text
    )
