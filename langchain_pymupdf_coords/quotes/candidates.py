"""Places of a text that may be a quote: equal to it in letters and digits, or resembling it.

Only likeness is judged here, on folded text without accents: whether a candidate says the same is judged by its
differences.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz

from langchain_pymupdf_coords.folding import FoldedText
from langchain_pymupdf_coords.quotes.scripts import CONTINUOUS, INVISIBLE
from langchain_pymupdf_coords.quotes.spelling import without_accents

SHORTEST_FUZZY = 20
"""Letters and digits that a quote must have to be sought by resemblance."""

LONGEST_FUZZY = 2000
"""Letters and digits beyond which a quote is sought as it is only."""

_MOST_PLACES = 20_000

_MOST_REPEATS = 20  # a block of letters that occurs more often says nothing about where the quote is

_MOST_WINDOWS = 3

_EDGE_REACH = 24

_EDGE_CHOICES = 5


class _BaseLetters(dict[int, int]):
    """The letter without accents for each code point met so far."""

    def __missing__(self, code: int) -> int:
        base = without_accents(chr(code)) if code > 127 and not CONTINUOUS.match(chr(code)) else ""
        self[code] = found = ord(base) if len(base) == 1 else code
        return found


_BASE_LETTERS = _BaseLetters()


def searchable(letters: str) -> str:
    """Folded letters without accents, one for one: what is searched for, and in."""
    return letters if letters.isascii() else letters.translate(_BASE_LETTERS)


@dataclass(frozen=True)
class Source:
    """A text and its folded form."""

    text: str
    folded: FoldedText

    @cached_property
    def letters(self) -> str:
        """What is searched in."""
        return searchable(self.folded.text)


def equal_places(source: Source, letters: str) -> Iterator[tuple[int, int]]:
    """Folded spans at which `letters` stand, in text order; they may overlap.

    Args:
        source: The text.
        letters: See ``searchable``.
    """
    if not letters:
        return
    at = source.letters.find(letters)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        yield at, at + len(letters)
        at = source.letters.find(letters, at + 1)


def resembling_places(source: Source, letters: str, cutoff: float) -> list[tuple[int, int]]:
    """Folded spans of whole words that resemble `letters`, the most alike first.

    Args:
        source: The text.
        letters: See ``searchable``.
        cutoff: Least score, 0 to 100 (Indel similarity of the folded strings).
    """
    if not SHORTEST_FUZZY <= len(letters) <= LONGEST_FUZZY:
        return []
    spans = set()
    for start, end in _windows(source.letters, letters):
        window = source.letters[start:end]
        aligned = fuzz.partial_ratio_alignment(letters, window, score_cutoff=max(0.0, cutoff - 10))
        if aligned is None or len(window) < len(letters) * 0.8:
            continue
        best = _whole_words(source, letters, start + aligned.dest_start, start + aligned.dest_end)
        if best[0] >= cutoff:
            spans.add(best)
    return [(i, j) for _, i, j in sorted(spans, key=lambda span: (-span[0], span[1]))]


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


def _whole_words(source: Source, letters: str, i: int, j: int) -> tuple[float, int, int]:
    """The span of whole words near `i` to `j` that resembles the letters most."""
    best = (0.0, i, j)
    for start in _edges(source, i):
        for end in _edges(source, j):
            if start < end:
                score = fuzz.ratio(letters, source.letters[start:end], score_cutoff=best[0])
                if score > best[0]:
                    best = (score, start, end)
    return best


def _edges(source: Source, place: int) -> list[int]:
    """Edges of words next to `place`, nearest first."""
    near = range(max(0, place - _EDGE_REACH), min(len(source.letters), place + _EDGE_REACH) + 1)
    edges = [at for at in near if _is_edge(source, at)]
    return sorted(edges, key=lambda at: abs(at - place))[:_EDGE_CHOICES]


def _is_edge(source: Source, at: int) -> bool:
    folded = source.folded
    if at <= 0 or at >= len(folded.text):
        return True
    start, end = folded.ends[at - 1], folded.starts[at]
    gap = INVISIBLE.sub("", source.text[start:end]) if end > start else ""
    return bool(gap) or CONTINUOUS.search(folded.text[at - 1 : at + 1]) is not None
