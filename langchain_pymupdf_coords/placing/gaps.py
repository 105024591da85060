"""Words of a text that tiling left over, placed among the words that are left over on the page.

Short words are everywhere, so they count only where the rest of the text stands: right beside a placed letter, or
among the words between placed ones that nothing else of the text has taken; of equal ones the nearest.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from langchain_pymupdf_coords.folding import FoldedText
from langchain_pymupdf_coords.geometry import BBox, union_bboxes
from langchain_pymupdf_coords.placing.file_words import FileWords
from langchain_pymupdf_coords.placing.tiling import NOWHERE, Tiling

# How far beyond the placed words (points) a word may stand.
_REACH = 24.0

_LINES_APART = 3.0  # a step down is as far as three steps aside: text is read in lines

# Of the letters between two placed stretches, so many must find a place: words of a text that was put in front, and
# is not on the page, would else go wherever the page happens to have such words.
_LEAST_OF_RUN = 0.6

# A stretch as short as this between placed ones may be a formula, whose letters the page has in another order.
_SHORT_RUN = 12

# The numbers of a table may stand far aside; one of so many letters that is there but once is meant.
_LONG_NUMBER = 3

# A part of a word counts if it is as near as this (points).
_BESIDE = 90.0

# How many letters a loader, and how many the page, may have for a glyph that one of them cannot decode, such as a
# ligature; and how many equal ones must follow.
_SKIPS = ((1, 1), (2, 2), (2, 1), (1, 2), (1, 0), (0, 1), (2, 0), (0, 2))

_EQUAL_AFTER = 4

Run = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Free:
    """Positions of a word on a page that are free."""

    page: int
    start: int
    end: int
    bbox: BBox


def fill_gaps(tiling: Tiling, folded: FoldedText, file: FileWords) -> None:
    """Place what can be told of the letters without a place.

    Args:
        tiling: The text as it was tiled; its positions are filled in.
        folded: The text, folded.
        file: The words of the file.
    """
    for run in _open_runs(tiling.positions):
        _continue(tiling, run)
    if not tiling.used:
        return
    runs = _open_runs(tiling.positions)
    for within in (False, True):
        left = _LeftOver(tiling, file)
        for start, end in list(_open_words(tiling.positions, folded)):
            left.place(start, end, within=within)
    foreign = [run for run in runs if not _is_mostly_placed(tiling, run)]
    for start, end in foreign:
        tiling.take_off(start, end)
    left = _LeftOver(tiling, file)
    for start, end in list(_open_words(tiling.positions, folded)):
        if not any(first <= start < last for first, last in foreign):
            left.place_pieces(start, end)
    rows = _LeftOver(tiling, file, aside=math.inf)
    for start, end in list(_open_words(tiling.positions, folded)):
        if end - start >= _LONG_NUMBER and any(map(str.isdigit, tiling.letters[start:end])):
            rows.place_single(start, end)


def _is_mostly_placed(tiling: Tiling, run: Run) -> bool:
    start, end = run
    if end - start <= _SHORT_RUN and start > 0 and end < len(tiling.positions):
        return True
    return end - start - tiling.positions[start:end].count(NOWHERE) >= _LEAST_OF_RUN * (end - start)


def _open_runs(positions: Sequence[int]) -> list[Run]:
    runs: list[Run] = []
    for at, position in enumerate(positions):
        if position != NOWHERE:
            continue
        if runs and runs[-1][1] == at:
            runs[-1] = runs[-1][0], at + 1
        else:
            runs.append((at, at + 1))
    return runs


def _open_words(positions: Sequence[int], folded: FoldedText) -> Iterator[Run]:
    """Yield the words without a place, or the parts of words."""
    for start, end in _open_runs(positions):
        first = start
        for at in range(start + 1, end):
            if folded.starts[at] > folded.ends[at - 1]:
                yield first, at
                first = at
        yield first, end


def _continue(tiling: Tiling, run: Run) -> None:
    """Go on from the placed letter before a run, and back from the one after it, as far as letters are equal."""
    start, end = run
    for first, last, step in ((start, end, 1), (end - 1, start - 1, -1)):
        at = first
        while at != last and 0 <= at - step < len(tiling.positions):
            beside = tiling.positions[at - step]
            if tiling.positions[at] != NOWHERE or beside == NOWHERE:
                break
            found = next((place for place in tiling.beside(beside, step) if tiling.fits(at, place)), None)
            if found is not None:
                tiling.put(at, [found])
                at += step
                continue
            skipped = _skip(tiling, beside, range(at, last, step))
            if skipped is None:
                break
            at, found = skipped
            tiling.put(at, [found])
            at += step


def _skip(tiling: Tiling, beside: int, left: range) -> tuple[int, int] | None:
    """Return the next letter of the text, and its place, beyond a glyph that a loader and the page decode otherwise.

    Args:
        tiling: The text.
        beside: Position of the letter before those that have no place.
        left: The letters that have no place yet, in the direction of reading.
    """
    for in_text, on_page in _SKIPS:
        letters = left[in_text : in_text + _EQUAL_AFTER]
        for row in (False, True):
            places = tiling.following(beside, left.step, on_page + _EQUAL_AFTER, in_rows=row)[on_page:]
            if len(letters) == len(places) == _EQUAL_AFTER and all(map(tiling.fits, letters, places)):
                return letters[0], places[0]
    return None


class _LeftOver:
    """The stretches of some pages, near a text, that no letter of it has been laid upon."""

    def __init__(self, tiling: Tiling, file: FileWords, *, aside: float = _REACH) -> None:
        """Take the words that are free.

        Args:
            tiling: The text.
            file: The words of the file.
            aside: How far to the left and right of the text they may stand (points).
        """
        self._tiling, self._file = tiling, file
        around: dict[int, list[BBox]] = {}
        for page, word in {file.word_at(position) for position in tiling.used}:
            around.setdefault(page, []).append(file.pages[page].words[word].bbox)
        self._words = [
            entry
            for page, bboxes in around.items()
            for entry in self._within(page, _reach(union_bboxes(bboxes), aside))
        ]

    def _within(self, page: int, reach: BBox) -> Iterator[_Free]:
        """Yield what is free of each word of a page in a rectangle."""
        words, start = self._file.pages[page], self._file.starts[page]
        for number, word in enumerate(words.words):
            x, y = _centre(word.bbox)
            if not (reach[0] <= x <= reach[2] and reach[1] <= y <= reach[3]):
                continue
            places = words.letters_of(number)
            free = [start + place for place in places if start + place not in self._tiling.used]
            if free and free[-1] - free[0] == len(free) - 1:
                yield _Free(page, free[0], free[-1] + 1, word.bbox)

    def place_pieces(self, start: int, end: int) -> None:
        """Place a word of the text on several words of the page, as a formula has them, each right beside the other.

        Args:
            start: First letter of the word.
            end: The letter after its last one.
        """
        at = start
        while at < end:
            lengths = range(end - at, 0, -1)
            placed = next((length for length in lengths if self._place(at, at + length, within=True)), 1)
            at += placed

    def place_single(self, start: int, end: int) -> None:
        """Place a word of the text that only one free word is equal to."""
        letters = self._tiling.letters[start:end]
        equal = [free for free in self._words if self._file.letters[free.start : free.end] == letters]
        if len(equal) == 1 and self._tiling.positions[start] == NOWHERE:
            self._tiling.put(start, range(equal[0].start, equal[0].end))
            self._words.remove(equal[0])

    def place(self, start: int, end: int, *, within: bool) -> None:
        """Place a word of the text; see ``_place``."""
        self._place(start, end, within=within)

    def _place(self, start: int, end: int, *, within: bool) -> bool:
        """Place a word of the text on the nearest equal one that is free.

        Args:
            start: First letter of the word.
            end: The letter after its last one.
            within: Whether a part of a word will do, right beside the letters before or after.
        """
        near = self._neighbour(start, end)
        if near is None:
            return False
        letters = self._tiling.letters[start:end]
        choices = [
            (_distance(free.bbox, near[1]), number, at)
            for number, free in enumerate(self._words)
            if free.page == near[0]
            for at in [self._file.letters.find(letters, free.start, free.end)]
            if at >= 0 and (within or free.end - free.start == end - start)
        ]
        distance, number, at = min(choices, default=(0.0, -1, -1))
        if number < 0 or (within and distance > _BESIDE):
            return False
        self._tiling.put(start, range(at, at + end - start))
        free = self._words.pop(number)
        rest = [(free.start, at), (at + end - start, free.end)]
        self._words += [replace(free, start=a, end=b) for a, b in rest if a < b]
        return True

    def _neighbour(self, start: int, end: int) -> tuple[int, BBox] | None:
        """Return where the letter before a word stands, or else the one after it."""
        positions = self._tiling.positions
        before = next((p for p in reversed(positions[:start]) if p != NOWHERE), NOWHERE)
        after = next((p for p in positions[end:] if p != NOWHERE), NOWHERE)
        position = after if before == NOWHERE else before
        if position == NOWHERE:
            return None
        page, word = self._file.word_at(position)
        return page, self._file.pages[page].words[word].bbox


def _reach(bbox: BBox, aside: float) -> BBox:
    x0, y0, x1, y1 = bbox
    return x0 - aside, y0 - _REACH, x1 + aside, y1 + _REACH


def _centre(bbox: BBox) -> tuple[float, float]:
    return (bbox[0] + bbox[2]) / 2, (bbox[1] + bbox[3]) / 2


def _distance(a: BBox, b: BBox) -> float:
    (x, y), (u, v) = _centre(a), _centre(b)
    return abs(x - u) + _LINES_APART * abs(y - v)
