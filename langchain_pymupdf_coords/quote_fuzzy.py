"""The place in a text that resembles a quote most: candidates for a match that is not equal after folding.

Only resemblance is judged here, on folded text. Whether a candidate says the same is judged by
``quote_numbers`` and ``quote_words``.
"""

from collections import Counter
from collections.abc import Iterator

from rapidfuzz import fuzz

from langchain_pymupdf_coords.folding import FoldedText
from langchain_pymupdf_coords.quote_edges import Cut, cut_at

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
