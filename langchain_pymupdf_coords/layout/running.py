"""Running heads and page numbers: what stands at the edge of a page and again, at its place, on others.

The layout model tells page headers and footers by their looks, and takes a lone date, a title or the first line
of a turned page for one. Only what repeats on the pages around, or counts them, is left out as one.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from unicodedata import normalize

from langchain_pymupdf_coords.folding import fold_glyphs
from langchain_pymupdf_coords.geometry import BBox, PageSize, union_bboxes
from langchain_pymupdf_coords.layout.pages import TextRun

# How much of the page's height its upper and lower edges are.
_EDGE = 0.12

# Lines of two pages are at the same place if their tops are this close (points).
_SAME_PLACE = 4.0

# Running heads are hardly larger than the text. A larger one is the title of a slide.
_LARGEST = 1.25

_NUMBERS = re.compile(r"\d+")

_ROMAN = re.compile(r"[ivxlc]+")

_AROUND_NUMBERS = " \t\n-\u2010\u2011\u2012\u2013\u2014\u2212|[](){}.,:\u00b7\u2022*_~#"

_PAGE_NUMBER = re.compile(
    r"(?:p|page|pages|p\u00e1gina|pagina|seite|side|sida|strana|strona|\u0441\u0442\u0440|\u7b2c)?\s*\.?"
    r"(?:\d{1,4}|[ivxlc]{1,7})"
    r"(?:\s*(?:/|of|de|von|di|af|av|sur|z|\u0438\u0437|\u9875|\u9801|\u30da\u30fc\u30b8)\s*\d{0,4})?"
)


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """A line at the upper or lower edge of a page: its letters, numbers masked, and its top in points."""

    pattern: str
    top: float


@dataclass(frozen=True, slots=True)
class PageLines:
    """What is remembered of a page for the sake of those around it.

    Attributes:
        edge: Lines near its upper and lower edges.
        texts: The text of all its lines.
    """

    edge: frozenset[EdgeLine] = frozenset()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a page stands.

    Attributes:
        size: Its width and height in points.
        around: The pages before and after it.
        recognised: Whether its text is OCR's, of which the pages around have none.
    """

    size: PageSize
    around: tuple[PageLines, ...] = ()
    recognised: bool = False


def page_lines(runs: Sequence[TextRun], size: PageSize) -> PageLines:
    """Take down the lines of a page of ``size``."""
    lines = [list(group) for _, group in groupby(runs, key=lambda run: run.line)]
    edge = frozenset(_edge_line(line) for line in lines if is_at_edge(_bbox(line), size))
    return PageLines(edge, tuple("".join(run.text for run in line) for line in lines))


def running_lines(runs: Sequence[TextRun], page: Surroundings) -> frozenset[int]:
    """Return the ids of a page's runs whose lines repeat at their place on a page around it."""
    known = [line for other in page.around for line in other.edge]
    if not known:
        return frozenset()
    found: set[int] = set()
    for _, block in groupby(runs, key=lambda run: run.block):
        lines = [list(group) for _, group in groupby(block, key=lambda run: run.line)]
        # A paragraph may begin with the same words on every page.
        if all(is_at_edge(_bbox(line), page.size) and _repeats(_edge_line(line), known) for line in lines):
            found.update(id(run) for line in lines for run in line)
    return frozenset(found - _within_rows(runs, found))


def _within_rows(runs: Sequence[TextRun], found: set[int]) -> set[int]:
    """Return those of some runs that stand in a row of other text, or of one another that does."""
    within: set[int] = set()
    while True:
        others = [run for run in runs if id(run) not in found or id(run) in within]
        more = {id(run) for run in runs if id(run) in found - within and _is_within_row(run, others)}
        if not more:
            return within
        within |= more


def _is_within_row(run: TextRun, others: Iterable[TextRun]) -> bool:
    """Tell whether a run stands beside others, no further than words do: a number of a sentence."""
    top, bottom = run.ink[1], run.ink[3]
    return any(
        min(bottom, other.ink[3]) - max(top, other.ink[1]) > (bottom - top) / 2
        and max(other.bbox[0] - run.bbox[2], run.bbox[0] - other.bbox[2]) < run.size
        for other in others
    )


def is_page_number(text: str) -> bool:
    """Tell whether a text is nothing but a page number, such as "- 3 -" or "Page 3 of 12"."""
    number = normalize("NFKC", text).strip(_AROUND_NUMBERS).casefold()
    return _PAGE_NUMBER.fullmatch(number) is not None


def is_small(runs: Iterable[TextRun], body: float) -> bool:
    """Tell whether text is hardly larger than most of the page."""
    return all(run.size <= _LARGEST * body for run in runs)


def _repeats(line: EdgeLine, known: Iterable[EdgeLine]) -> bool:
    return any(other.pattern == line.pattern and abs(other.top - line.top) <= _SAME_PLACE for other in known)


def _bbox(line: Sequence[TextRun]) -> BBox:
    return union_bboxes(run.bbox for run in line)


def is_at_edge(bbox: BBox, size: PageSize) -> bool:
    """Tell whether a box stands at the upper or lower edge of a page."""
    middle = (bbox[1] + bbox[3]) / 2
    return min(middle, size[1] - middle) <= _EDGE * size[1]


def _edge_line(line: Sequence[TextRun]) -> EdgeLine:
    letters = fold_glyphs("".join(run.text for run in line))
    pattern = "#" if _ROMAN.fullmatch(letters) else _NUMBERS.sub("#", letters)
    return EdgeLine(pattern, _bbox(line)[1])
