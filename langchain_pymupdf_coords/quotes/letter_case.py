"""Differences in the case of letters that are otherwise equal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from langchain_pymupdf_coords.quotes.differences import Contrast
from langchain_pymupdf_coords.quotes.reading import Reading
from langchain_pymupdf_coords.quotes.wording import Wording

_CAPITALS = 0.8


@dataclass(frozen=True)
class LetterCase:
    """The letters of a quote beside those of a text.

    Attributes:
        quote: The signs of the quote.
        asked: The span of its letters.
        page: The signs of the text.
        found: The span of the letters that are the quote's.
        wording: Knows the text.
    """

    quote: Reading
    asked: tuple[int, int]
    page: Reading
    found: tuple[int, int]
    wording: Wording

    def contrasts(self, equal_runs: Sequence[tuple[int, int, int]]) -> Iterator[Contrast]:
        """What differs in case alone, word by word.

        Args:
            equal_runs: Signs that are equal but for case: ``(place in the quote, place in the text, size)``.
        """
        quote, page = self.quote.signs, self.page.signs
        if quote[slice(*self.asked)] == page[slice(*self.found)]:
            return
        seen: set[int] = set()
        for i, j, size in equal_runs:
            for step in range(size):
                if quote[i + step] == page[j + step]:
                    continue
                start, end = self.page.words_around(j + step, j + step + 1)
                if start not in seen:
                    seen.add(start)
                    begin, stop, shift = max(start, j), min(end, j + size), i - j
                    kind = self._kind(begin, stop, begin + shift)
                    yield Contrast(kind, (begin + shift, stop + shift), (begin, stop))

    def _kind(self, begin: int, stop: int, mine: int) -> str:
        quote, page = self.quote, self.page
        before = page.signs[begin - 1] if begin else ""
        gap = (page.ends[begin - 1] if begin else page.starts[begin], page.starts[begin])
        is_bordered = self.wording.is_bordered(gap)
        return self.wording.case_kind(
            quote.signs[mine : mine + stop - begin],
            page.signs[begin:stop],
            follows_number=before.isdigit() and not is_bordered,
            leads=mine == self.asked[0]
            or begin == self.found[0]
            or before in ".!?…:;"
            or is_bordered
            or quote.signs[mine - 1] in '[]"',
            capitals=self._is_in_capitals
            or self._is_among_capitals(begin, stop, mine)
            or self.wording.in_heading(gap[1]),
            address=self.wording.in_address(page.starts[begin]),
        )

    @cached_property
    def _is_in_capitals(self) -> bool:
        """Whether one side is in capitals."""
        return _are_capitals(self.quote.signs[slice(*self.asked)]) or _are_capitals(
            self.page.signs[slice(*self.found)]
        )

    def _is_among_capitals(self, begin: int, stop: int, mine: int) -> bool:
        """Whether a word and one beside it are in capitals on one side."""
        for side, start, end in ((self.page, begin, stop), (self.quote, mine, mine + stop - begin)):
            if _are_capitals(side.signs[start:end]) and any(
                _are_capitals(side.signs[slice(*side.words_around(at, at + 1))])
                for at in (start - 1, end)
                if 0 <= at < len(side.signs) and side.signs[at].isalpha()
            ):
                return True
        return False


def _are_capitals(signs: str) -> bool:
    letters = [sign for sign in signs if sign.isalpha() and sign.lower() != sign.upper()]
    return len(letters) > 1 and sum(map(str.isupper, letters)) >= _CAPITALS * len(letters)
