"""Places of a text at which a quote may stand: with the same letters once both are folded, or with letters alike.

A place with the same letters counts only if it cuts no word and no number. A quote of `LONG_QUOTE` letters and
digits or more may cut a word (the engine glues words together), and a verbatim one of that length anything: it is
in the text, after all. Of places with letters alike only the resemblance is judged here, on folded text; whether one
says the same is judged by ``numbers`` and ``words``.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rapidfuzz import fuzz

from langchain_pymupdf_coords.folding import FoldedText, blank_markup, fold_letters
from langchain_pymupdf_coords.quotes.edges import Cut, cut_at, loses_negation
from langchain_pymupdf_coords.quotes.numbers import ALIKE, numbers_agree
from langchain_pymupdf_coords.quotes.words import vowel_signs_agree

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


SHORTEST_FUZZY = 20
"""Letters and digits that a quote must have to be sought by resemblance."""

LONGEST_FUZZY = 2000
"""Letters and digits beyond which a quote is sought as it is only."""

_MOST_REPEATS = 20  # a block of letters that occurs more often says nothing about where the quote is

_MOST_WINDOWS = 3

_EDGE_REACH = 24

_EDGE_CHOICES = 5


def resembling_spans(
    text: str, folded: FoldedText, quote: str, cutoff: float
) -> list[tuple[float, int, int]]:
    """Folded spans of whole words that resemble `quote`, as ``(score, i, j)``, best first.

    Args:
        text: The source text.
        folded: `text`, folded.
        quote: The quote, folded.
        cutoff: Least score, 0 to 100 (Indel similarity of the folded strings).
    """
    if not SHORTEST_FUZZY <= len(quote) <= LONGEST_FUZZY:
        return []
    spans = set()
    for start, end in _windows(folded.text, quote):
        window = folded.text[start:end]
        aligned = fuzz.partial_ratio_alignment(quote, window, score_cutoff=max(0.0, cutoff - 10))
        if aligned is None or len(window) < len(quote) * 0.8:
            continue
        i, j = start + aligned.dest_start, start + aligned.dest_end
        best = _whole_words(text, folded, quote, i, j)
        if best[0] >= cutoff:
            spans.add(best)
    return sorted(spans, key=lambda span: (-span[0], span[1]))


def _windows(text: str, quote: str) -> Iterator[tuple[int, int]]:
    """Where blocks of the quote's letters stand in line with one another: never the whole of a long text.

    Ten percent of wrong letters leave some of the blocks as they are. Each block that is found votes for the
    place at which the quote would begin.
    """
    size = max(4, min(8, len(quote) // 5))
    step = max(8, len(quote) // 8)
    blocks = range(0, len(quote) - size + 1, size)
    votes: Counter[int] = Counter()
    for offset in blocks:
        block = quote[offset : offset + size]
        places = _places(text, block)
        votes.update({(place - offset) // step for place in places})
    pairs = Counter({place: votes[place] + votes[place + 1] for place in [*votes, *(v - 1 for v in votes)]})
    slack = len(quote) // 5 + 8
    for place, count in pairs.most_common(_MOST_WINDOWS):
        if count >= max(2, len(blocks) // 5):
            start = max(0, place * step - slack)
            yield start, (place + 2) * step + len(quote) + slack


def _places(text: str, block: str) -> list[int]:
    places: list[int] = []
    at = text.find(block)
    while at >= 0:
        places.append(at)
        if len(places) > _MOST_REPEATS:
            return []
        at = text.find(block, at + 1)
    return places


def _whole_words(text: str, folded: FoldedText, quote: str, i: int, j: int) -> tuple[float, int, int]:
    """The span of whole words near `i` to `j` that resembles the quote most."""
    best = (0.0, i, j)
    for start in _edges(text, folded, i):
        for end in _edges(text, folded, j):
            if start < end:
                score = fuzz.ratio(quote, folded.text[start:end], score_cutoff=best[0])
                if score > best[0]:
                    best = (score, start, end)
    return best


def _edges(text: str, folded: FoldedText, place: int) -> list[int]:
    """Edges of words next to `place`, nearest first."""
    near = range(max(0, place - _EDGE_REACH), min(len(folded.text), place + _EDGE_REACH) + 1)
    edges = [at for at in near if cut_at(text, folded, at) is Cut.NOTHING]
    return sorted(edges, key=lambda at: abs(at - place))[:_EDGE_CHOICES]
