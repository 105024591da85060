"""The signs of a quote and of a text side by side."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from langchain_pymupdf_coords.quotes.notes import Note, without
from langchain_pymupdf_coords.quotes.reading import APART, RAISED, Reading, is_letter

_Code = tuple[str, int, int, int, int]


class Stretch(NamedTuple):
    """A stretch in which kept signs differ: those of the quote from `i1` to `i2`, of the text from `j1` to `j2`."""

    i1: int
    i2: int
    j1: int
    j2: int


class AlignedSigns:
    """The signs of a quote beside those of a text, some of both left aside.

    Places are those of the kept signs; spans are those of the readings.
    """

    def __init__(
        self,
        quote: Reading,
        asked: tuple[int, int],
        page: Reading,
        found: tuple[int, int],
        notes: tuple[Sequence[Note], Sequence[Note]],
    ) -> None:
        """Align.

        Args:
            quote: The signs of the quote.
            asked: The span of those that are compared.
            page: The signs of the text.
            found: The span of those that are compared.
            notes: Notes of both sides, which are left aside.
        """
        self.quote, self.page = quote, page
        self._asked, self._found = asked, found
        self._ours, self._theirs = without(range(*asked), notes[0]), without(range(*found), notes[1])
        left = "".join(map(quote.keys.__getitem__, self._ours))
        right = "".join(map(page.keys.__getitem__, self._theirs))
        self._codes: list[_Code] = [
            (code.tag, code.src_start, code.src_end, code.dest_start, code.dest_end)
            for code in Levenshtein.opcodes(left, right)
        ]
        self._starting = {(code[1], code[3]): code for code in self._codes}
        self._ending = {(code[2], code[4]): code for code in self._codes}

    def equal_runs(self) -> Iterator[tuple[int, int, int]]:
        """Equal signs as ``(place in the quote, place in the text, size)``, each run unbroken on both sides."""
        for tag, i1, i2, j1, j2 in self._codes:
            if tag == "equal":
                yield from _runs(self._ours[i1:i2], self._theirs[j1:j2])

    def stretches(self) -> list[Stretch]:
        """Where the signs differ: letters by whole words on both sides, stretches that meet as one."""
        found: list[Stretch] = []
        for tag, *sides in self._codes:
            stretch = Stretch(*sides)
            if tag == "equal":
                continue
            if found and (found[-1].i2, found[-1].j2) == (stretch.i1, stretch.j1):
                stretch = _joined(found.pop(), stretch)
            found.append(stretch)
        return self._grouped(found)

    def quote_signs(self, stretch: Stretch) -> str:
        """The signs of the quote in a stretch."""
        return "".join(self.quote.signs[at] for at in self.quote_indices(stretch))

    def page_signs(self, stretch: Stretch) -> str:
        """The signs of the text in a stretch."""
        return "".join(self.page.signs[at] for at in self.page_indices(stretch))

    def quote_indices(self, stretch: Stretch) -> list[int]:
        """Places in the quote of the signs of a stretch."""
        return self._ours[stretch.i1 : stretch.i2]

    def page_indices(self, stretch: Stretch) -> list[int]:
        """Places in the text of the signs of a stretch."""
        return self._theirs[stretch.j1 : stretch.j2]

    def quote_span(self, stretch: Stretch) -> tuple[int, int]:
        """The span of a stretch in the quote; empty where it has nothing."""
        return _span(self._ours, stretch.i1, stretch.i2, self._asked[1])

    def page_span(self, stretch: Stretch) -> tuple[int, int]:
        """The span of a stretch in the text; empty where it has nothing."""
        return _span(self._theirs, stretch.j1, stretch.j2, self._found[1])

    def quote_at(self, i: int) -> int:
        """The sign of the quote that is kept as the sign `i`."""
        return self._ours[i] if i < len(self._ours) else self._asked[1]

    def page_at(self, i: int) -> int:
        """The sign of the text beside the sign `i` of the quote."""
        for _, i1, i2, j1, j2 in self._codes:
            if i1 <= i <= i2:
                j = min(j1 + i - i1, j2)
                return self._theirs[j] if j < len(self._theirs) else self._found[1]
        return self._found[1]

    def after_quote(self, at: int) -> int:
        """The kept sign of the quote that a sign left out stands before."""
        return sum(kept < at for kept in self._ours)

    def after_page(self, at: int) -> int:
        """The kept sign of the quote beside the place of the text that a sign left out stands at."""
        j = sum(kept < at for kept in self._theirs)
        for _, i1, i2, j1, j2 in self._codes:
            if j1 < j <= j2 or j == j1 == 0:
                return min(i1 + j - j1, i2)
        return len(self._ours)

    def page_gap_at(self, j: int) -> tuple[int, int]:
        """Signs of the text, left aside or none, between the kept sign before a place and the one at it."""
        start = self._theirs[j - 1] + 1 if j else self._found[0]
        return start, self._theirs[j] if j < len(self._theirs) else self._found[1]

    def page_gap(self, j: int) -> tuple[int, int]:
        """Source offsets of what stands around a place of the text, between the letters on either side."""
        page = self.page
        before = self._theirs[j - 1] if j else self._found[0]
        after = self._theirs[j] if j < len(self._theirs) else self._found[1] - 1
        while after + 1 < self._found[1] and not is_letter(page.signs[after]):
            after += 1
        while before > self._found[0] and not is_letter(page.signs[before]):
            before -= 1
        return page.ends[before], page.starts[after]

    def words_around(self, stretch: Stretch) -> tuple[str, str]:
        """The words of both sides that a stretch lies in, without case."""
        return (
            self.quote.keys[slice(*self.quote.words_around(*self.quote_span(stretch)))],
            self.page.keys[slice(*self.page.words_around(*self.page_span(stretch)))],
        )

    def _grouped(self, stretches: Sequence[Stretch]) -> list[Stretch]:
        grown: list[Stretch] = []
        for stretch in stretches:
            if self._has_letters(stretch):
                stretch = self._to_words(stretch)
            while grown and (grown[-1].i2 > stretch.i1 or grown[-1].j2 > stretch.j1):
                stretch = _joined(grown.pop(), stretch)
            grown.append(stretch)
        return grown

    def _has_letters(self, stretch: Stretch) -> bool:
        signs = self.quote_signs(stretch) + self.page_signs(stretch)
        return any(map(is_letter, signs)) and not any(
            sign.isdigit() or sign in (RAISED, APART) for sign in signs
        )

    def _to_words(self, stretch: Stretch) -> Stretch:
        i1, i2, j1, j2 = stretch
        while not (self._quote_edge(i1) and self._page_edge(j1)):
            i1, j1 = self._step(self._ending, i1, j1, -1)
        while not (self._quote_edge(i2) and self._page_edge(j2)):
            i2, j2 = self._step(self._starting, i2, j2, 1)
        return Stretch(i1, i2, j1, j2)

    def _step(self, codes: dict[tuple[int, int], _Code], i: int, j: int, step: int) -> tuple[int, int]:
        """The place beside a place: one sign on where both sides are equal, else past the stretch."""
        code = codes.get((i, j))
        if code is None or code[0] == "equal":
            return i + step, j + step
        return (code[1], code[3]) if step < 0 else (code[2], code[4])

    def _quote_edge(self, i: int) -> bool:
        return _is_word_edge(self.quote, self._ours, i)

    def _page_edge(self, j: int) -> bool:
        return _is_word_edge(self.page, self._theirs, j)


def _span(kept: Sequence[int], start: int, end: int, last: int) -> tuple[int, int]:
    if start < end:
        return kept[start], kept[end - 1] + 1
    at = kept[start] if start < len(kept) else last
    return at, at


def _joined(first: Stretch, second: Stretch) -> Stretch:
    return Stretch(
        min(first.i1, second.i1), max(first.i2, second.i2), min(first.j1, second.j1), max(first.j2, second.j2)
    )


def _runs(ours: Sequence[int], theirs: Sequence[int]) -> list[tuple[int, int, int]]:
    """Aligned signs as runs ``(i, j, size)`` that go on on both sides."""
    runs: list[tuple[int, int, int]] = []
    for i, j in zip(ours, theirs, strict=True):
        if runs and runs[-1][0] + runs[-1][2] == i and runs[-1][1] + runs[-1][2] == j:
            runs[-1] = (runs[-1][0], runs[-1][1], runs[-1][2] + 1)
        else:
            runs.append((i, j, 1))
    return runs


def _is_word_edge(reading: Reading, kept: Sequence[int], i: int) -> bool:
    if i <= 0 or i >= len(kept) or kept[i] in reading.breaks or kept[i - 1] + 1 != kept[i]:
        return True
    before, after = reading.signs[kept[i - 1]], reading.signs[kept[i]]
    return not ((is_letter(before) or before == "'") and (is_letter(after) or after == "'"))
