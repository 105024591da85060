"""Where each line of a box's Markdown stands on the page.

The Markdown of a box is made of the text runs in its rectangle, so both hold the same letters and digits. What
differs is the order and everything else: marks, spaces, hyphens. So the runs are put in the order in which the
engine writes them, both sides are folded to letters and digits, and each run that is found whole gives the
Markdown its place. What is not found is left without a place, never guessed. The lines of a chunk that was stored
without them are recovered from the pages in the same way.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from langchain_pymupdf_coords.folding import FoldedText, fold, fold_glyphs
from langchain_pymupdf_coords.geometry import BBox, expand_bbox
from langchain_pymupdf_coords.layout.glyphs import PageGlyphs
from langchain_pymupdf_coords.layout.letters import Placed, Unit, fill_gaps, place_in_order, text_lines
from langchain_pymupdf_coords.layout.pages import PICTURE_CLASSES, TextLine, TextRun
from langchain_pymupdf_coords.layout.rows import by_rows, rows_of
from langchain_pymupdf_coords.layout.tables import place_cells, place_table
from langchain_pymupdf_coords.provenance.boxes import LineBox, SourceBox

Span = tuple[int, int]

# The engine rounds boxes outward to whole points and takes a run that lies mostly inside.
_MARGIN = 1.0

_MOSTLY = 0.5

# A glyph that a table's border cuts may have its centre this far outside (points).
_BORDER = 3.0


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the Markdown of a box stands.

    Attributes:
        lines: Lines in the order of the Markdown.
        missing: How many letters and digits of the Markdown have no place.
    """

    lines: tuple[TextLine, ...]
    missing: int


def align(
    markdown: str, box_class: str, bbox: BBox, runs: Sequence[TextRun], inside: Sequence[TextRun]
) -> Placement:
    """Find the lines of the page that the Markdown of a box is made of.

    Args:
        markdown: Markdown of the box.
        box_class: Class of the box; tables are aligned cell by cell.
        bbox: Rectangle of the box.
        runs: All text runs of the page. Tables need their glyphs; elsewhere glyphs make it possible to place
            a part of a run.
        inside: Those of them that are inside the box, see ``runs_inside``.
    """
    folded = fold(markdown)
    if not folded.text:
        return Placement((), 0)
    if box_class == "table":
        nearby = list(_units_within(runs, expand_bbox(bbox, _BORDER)))
        within = [unit for unit in nearby if _centre_inside(unit.bbox, bbox)]
        placed = place_table(markdown, folded, within)
        if _letters(placed) < len(folded.text):
            placed = place_cells(markdown, folded, within, placed)
    else:
        upright = box_class not in PICTURE_CLASSES
        shown = [run for run in inside if run.horizontal or not upright]
        nearby = list(_units(by_rows(shown)))
        placed = place_in_order(folded.text, nearby)
        if _letters(placed) < len(folded.text):
            # Text that was written anew has the letters in the order in which they are read.
            as_read = list(_units_as_read(inside))
            again = place_in_order(folded.text, as_read)
            if _letters(again) > _letters(placed):
                nearby, placed = as_read, again
    if _letters(placed) < len(folded.text):
        placed = fill_gaps(folded.text, nearby, placed)
    lines = tuple(text_lines(markdown, folded, placed))
    return Placement(lines, len(folded.text) - _letters(placed))


def _letters(placed: Iterable[Placed]) -> int:
    return sum(len(unit.letters) for _, unit in placed)


def _units(runs: Iterable[TextRun]) -> Iterator[Unit]:
    for run in runs:
        for piece in run.glyphs or (run,):
            if letters := fold_glyphs(piece.text):
                yield Unit(letters, piece.bbox, run.line)


def _units_as_read(runs: Sequence[TextRun]) -> Iterator[Unit]:
    for row in rows_of(runs):
        for piece in row.pieces:
            if letters := fold_glyphs(piece.text):
                yield Unit(letters, piece.bbox, piece.line)


def _units_within(runs: Iterable[TextRun], bbox: BBox) -> Iterator[Unit]:
    for unit in _units(run for run in runs if _touches(run.bbox, bbox)):
        if _centre_inside(unit.bbox, bbox):
            yield unit


def _centre_inside(inner: BBox, bbox: BBox) -> bool:
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return bbox[0] <= x <= bbox[2] and bbox[1] <= y <= bbox[3]


def _touches(a: BBox, b: BBox) -> bool:
    return a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]


def runs_inside(runs: Iterable[TextRun], bbox: BBox) -> list[TextRun]:
    """Return the runs that the engine would take as parts of a box."""
    top, bottom = bbox[1] - _MARGIN, bbox[3] + _MARGIN
    # Most runs of a page are above or below: that is found out here, without a call for each.
    return [run for run in runs if run.ink[1] < bottom and run.ink[3] > top and mostly_inside(run.ink, bbox)]


def mostly_inside(ink: BBox, bbox: BBox) -> bool:
    """Tell whether the engine would take a run with this ink as a part of this box."""
    x0, y0, x1, y1 = ink
    width = min(x1, bbox[2] + _MARGIN) - max(x0, bbox[0] - _MARGIN)
    height = min(y1, bbox[3] + _MARGIN) - max(y0, bbox[1] - _MARGIN)
    # The second letter of a ligature may be a run of its own, without width.
    return width >= 0 and height >= 0 and width * height >= _MOSTLY * (x1 - x0) * (y1 - y0)


def recover_lines(
    content: str, boxes: Sequence[SourceBox], pages: Mapping[int, PageGlyphs]
) -> tuple[LineBox, ...]:
    """Align the boxes of a chunk with the pages, as is otherwise done when they are loaded.

    Args:
        content: Text of the chunk.
        boxes: Its boxes in reading order, with spans or, as older indexes have them, without.
        pages: Glyphs of the pages that can be read.
    """
    readable = [box for box in boxes if box.page in pages]
    lines: list[LineBox] = []
    for box, (start, end) in zip(readable, _spans(content, readable, pages), strict=True):
        text = content[start:end]
        box_class = "table" if text.lstrip().startswith("|") else box.box_class
        runs = pages[box.page].runs
        placement = align(text, box_class, box.bbox, runs, runs_inside(runs, box.bbox))
        lines += [
            LineBox(box.page, line.bbox, (start + line.start, start + line.end)) for line in placement.lines
        ]
    return tuple(lines)


def _spans(content: str, boxes: Sequence[SourceBox], pages: Mapping[int, PageGlyphs]) -> list[Span]:
    if all(box.span is not None for box in boxes):
        return [box.span for box in boxes if box.span is not None]
    folded = fold(content)
    letters = [box_letters(box.bbox, pages[box.page].runs) for box in boxes]
    starts = list(_starts(folded, letters))
    edges = [folded.starts[at] if at < len(folded.text) else len(content) for at in starts]
    return list(zip(edges, [*edges[1:], len(content)], strict=True))


def box_letters(bbox: BBox, runs: Sequence[TextRun]) -> str:
    """Return the letters and digits in a rectangle, in the order in which the engine writes them."""
    return "".join(fold_glyphs(run.text) for run in by_rows(runs_inside(runs, bbox)))


def _starts(folded: FoldedText, letters: Sequence[str]) -> Iterator[int]:
    """Yield where each box begins in the folded text; one whose letters are in another order, by their number."""
    at = 0
    for text in letters:
        found = folded.text.find(text, at) if text else at
        start = at if found < 0 else found
        yield start
        at = min(start + len(text), len(folded.text))
