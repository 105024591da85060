"""Places of a text at which a quote stands letter for letter, once both are folded.

A place counts only if it cuts no word and no number. A quote of `LONG_QUOTE` letters and digits or more may
cut a word (the engine glues words together), and a verbatim one of that length anything: it is in the text,
after all.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

from langchain_pymupdf_coords.folding import FoldedText, blank_markup, fold_letters
from langchain_pymupdf_coords.quote_edges import Cut, cut_at, loses_negation
from langchain_pymupdf_coords.quote_numbers import ALIKE, numbers_agree
from langchain_pymupdf_coords.quote_words import vowel_signs_agree

LONG_QUOTE = 25
"""Letters and digits from which on a quote may begin or end within a word."""

_MOST_TRIED = 20_000
_MOST_LETTERS_TRIED = 100_000  # comparing the numbers of a candidate takes microseconds a letter
_NEAREST_MARKS = 8
_WIDEST_GAP = 128


@dataclass(frozen=True, slots=True)
class Source:
    """A text and its folded form."""

    text: str
    folded: FoldedText


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote stands.

    Attributes:
        span: ``(start, end)`` in the source text.
        verbatim: Whether the text there is the quote, character for character.
        whole: Whether it begins and ends at the edges of words.
    """

    span: tuple[int, int]
    verbatim: bool
    whole: bool


def equal_places(source: Source, quote: str) -> list[Place]:
    """Places whose letters and digits are those of `quote`: verbatim ones first, then in text order.

    Places that cut words are left out if the first one does not.
    """
    if not quote:
        return []
    places = _verbatim_places(source, quote)
    if letters := fold_letters(quote):
        places += _normalized_places(source, quote, letters, [place.span for place in places])
    places.sort(key=lambda place: (not place.verbatim, not place.whole, place.span))
    return [place for place in places if place.whole] if places and places[0].whole else places


def _verbatim_places(source: Source, quote: str) -> list[Place]:
    size = len(quote)
    long = sum(map(str.isalnum, quote)) >= LONG_QUOTE
    places: list[Place] = []

    def accept(start: int) -> bool:
        i, j = source.folded.folded_span(start, start + size)
        whole = i == j or _cuts(source, i, j) == {Cut.NOTHING}
        if not long and whole and i < j:
            whole = numbers_agree(source.text, start, start + size, quote)
        if long or whole:
            places.append(Place((start, start + size), verbatim=True, whole=whole))
        return long or whole

    _try_each(source.text, quote, accept)
    return places


def _normalized_places(source: Source, quote: str, letters: str, taken: list[tuple[int, int]]) -> list[Place]:
    may_cut = {Cut.NOTHING, Cut.WORD} if len(letters) >= LONG_QUOTE else {Cut.NOTHING}
    places: list[Place] = []

    def accept(i: int) -> bool:
        j = i + len(letters)
        cuts = _cuts(source, i, j)
        if not cuts <= may_cut or _overlaps(taken, source.folded.source_span(i, j)):
            return False
        start, end = with_outer_marks(source.text, *source.folded.source_span(i, j), quote)
        agreed = numbers_agree(source.text, start, end, quote)
        agreed = agreed and vowel_signs_agree(source.text[start:end], quote)
        if agreed:
            places.append(Place((start, end), verbatim=False, whole=cuts == {Cut.NOTHING}))
        return agreed

    _try_each(source.folded.text, letters, accept)
    return places


def _try_each(text: str, part: str, accept: Callable[[int], bool]) -> None:
    """Offer each place of `part` in `text`, none overlapping one that was accepted, for a bounded time."""
    size = len(part)
    at = text.find(part)
    for _ in range(max(20, min(_MOST_TRIED, _MOST_LETTERS_TRIED // size))):
        if at < 0:
            return
        at = text.find(part, at + (size if accept(at) else 1))


def _cuts(source: Source, i: int, j: int) -> set[Cut]:
    if loses_negation(source.text, source.folded, i, j):
        return {Cut.NEGATION}
    return {cut_at(source.text, source.folded, i), cut_at(source.text, source.folded, j)}


def _overlaps(spans: list[tuple[int, int]], span: tuple[int, int]) -> bool:
    """Whether `span` overlaps one of `spans`, which are in order and do not overlap one another."""
    before = bisect_left(spans, (span[1], 0))
    return before > 0 and spans[before - 1][1] > span[0]


def with_outer_marks(text: str, start: int, end: int, quote: str) -> tuple[int, int]:
    """The span with the punctuation around it that the quote has too: "(", "%", a full stop."""
    quote = blank_markup(quote).translate(ALIKE)
    letters = [at for at, char in enumerate(quote) if char.isalnum()] or [len(quote)]
    marks_before = "".join(quote[: letters[0]].split())[-_NEAREST_MARKS:]
    marks_after = "".join(quote[letters[-1] + 1 :].split())[:_NEAREST_MARKS]
    before = blank_markup(text[max(0, start - _WIDEST_GAP) : start]).translate(ALIKE)
    after = blank_markup(text[end : end + _WIDEST_GAP]).translate(ALIKE)
    start -= _reach(before[::-1], marks_before[::-1])
    end += _reach(after, marks_after)
    return start, end


def _reach(text: str, marks: str) -> int:
    """How far `marks` reach into `text`, which may have spaces and Markdown marks between them."""
    at = reach = 0
    for mark in marks:
        while at < len(text) and text[at] != mark and text[at] in " \n*_`|":
            at += 1
        if at == len(text) or text[at] != mark:
            break
        at = reach = at + 1
    return reach
