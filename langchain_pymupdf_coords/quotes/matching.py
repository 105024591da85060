"""Find a quote in the text that it was taken from, or say that it is not there.

All spans are half-open code-point offsets into that text. Wrong is worse than none, so that in doubt a quote
is not found:

- a match begins and ends at the edges of words and numbers (see ``candidates`` for long quotes);
- beyond verbatim, numbers must agree (see ``numbers``); beyond equal letters, negations and words must
  too (see ``words``);
- fragments joined by an ellipsis must come in order, at most `LONGEST_GAP` letters apart, and must not leave
  out a negation of a sentence that they are cut from.

Quotes that go on from one page to the next, past what stands between them in the chunk.

Where page headers, footers and footnotes are kept in the text, they interrupt the sentences that they stand
between. A reader, and a model, reads past them.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from langchain_pymupdf_coords.folding import (
    EMPHASIS,
    STOP_CLOSERS,
    STOPS,
    UNSPACED_STOPS,
    FoldedText,
    fold,
    fold_letters,
)
from langchain_pymupdf_coords.provenance.boxes import SourceBox
from langchain_pymupdf_coords.provenance.fields import DocumentLike
from langchain_pymupdf_coords.provenance.quotes import QuoteStatus
from langchain_pymupdf_coords.quotes.candidates import (
    SHORTEST_FUZZY,
    Source,
    equal_places,
    resembling_spans,
    with_outer_marks,
)
from langchain_pymupdf_coords.quotes.edges import CONTINUOUS, loses_negation
from langchain_pymupdf_coords.quotes.numbers import numbers_agree
from langchain_pymupdf_coords.quotes.words import negations_of, words_agree

LONGEST_GAP = 1000
"""Letters and digits that an ellipsis may stand for."""

SHORTEST_FRAGMENT = 8
"""Letters and digits that each fragment must have; half as many in scripts without spaces."""

_MOST_FRAGMENTS = 10

_MOST_CHAINS = 100

# Three or four dots; more of them are the leader of a table.
_ELLIPSIS = re.compile(r"[\[(]?\s?(?:…|(?<!\.)(?<!\.\s)\.(?:\s?\.){2,3}(?!\s?\.))\s?[\])]?")

_SENTENCE_END = re.compile(
    rf"""[{STOPS}][{STOP_CLOSERS}]*\s+(?=["'\u201c\u2018(\[{EMPHASIS}]*[^\Wa-z])|[{UNSPACED_STOPS}]|\n\s*\n|\|"""
)

_OWN_OR_ROW_END = re.compile(r"…|\.\s?\.\s?\.|\|[ \t]*\n")

_FOOTNOTE_MARK = re.compile(
    r"""(?:(?<=[.,;:!?\u201d\u2019"])  # after punctuation, or after a long word: no exponents
      |(?<=[^\W\d_]{4})(?=[^\s<>]*<sup>[^<>]{1,12}</sup>[*_]*(?:\s*(?:[.,;:)]|$)|\s+[a-z])))
    [*_]{0,3}<sup>[*_]{0,3}(?:\d{1,3}(?:,\s?\d{1,3})*|[a-z]|[*†‡§]{1,3})[*_]{0,3}</sup>""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A quote found in a text.

    Attributes:
        quote: The quote as asked for.
        spans: Where it stands, one ``(start, end)`` for each fragment; a single one unless the status is
            ``"fragments"``.
        status: ``"exact"``: verbatim, but for the quote's outer white space. ``"normalized"``: equal letters
            and digits. ``"fuzzy"``: alike, with the same numbers and negations. ``"fragments"``: pieces in
            order.
        score: 0 to 100; 100 for exact and normalized, the least of the pieces' for fragments.
        occurrences: How often the text has what was found.
    """

    quote: str
    spans: tuple[tuple[int, int], ...]
    status: QuoteStatus
    score: float
    occurrences: int

    @property
    def span(self) -> tuple[int, int]:
        """From the start of the first fragment to the end of the last."""
        return self.spans[0][0], self.spans[-1][1]


def find_quote(
    text: str, quote: str, *, cutoff: float = 90, folded: FoldedText | None = None
) -> TextMatch | None:
    """Find `quote` in `text`.

    Of several occurrences a verbatim one comes first, then the earliest.

    Args:
        text: Text that the quote was taken from, Markdown or plain.
        quote: The quote. White space around it does not count.
        cutoff: Least score of a match that is not equal after folding, 0 to 100.
        folded: ``fold(text)``, where the caller has it.

    Returns:
        The match, or None where the text does not hold the quote.

    Raises:
        ValueError: `cutoff` is not within 0 to 100.
    """
    if not 0 <= cutoff <= 100:
        raise ValueError(f"cutoff={cutoff} must be within 0 to 100.")
    source = Source(text, folded or fold(text))
    return _equal(source, quote) or _fragments(source, quote, cutoff) or _alike(source, quote, cutoff)


def find_all(text: str, quote: str, *, folded: FoldedText | None = None) -> list[tuple[int, int]]:
    """Spans of all occurrences of `quote` in `text` that are equal after folding, in text order.

    Args:
        text: Text to search, Markdown or plain.
        quote: The quote. White space around it does not count.
        folded: ``fold(text)``, where the caller has it.
    """
    return _equal_spans(Source(text, folded or fold(text)), quote)


def _equal_spans(source: Source, quote: str) -> list[tuple[int, int]]:
    return sorted(place.span for place in equal_places(source, quote.strip()))


def _equal(source: Source, quote: str) -> TextMatch | None:
    places = equal_places(source, quote.strip())
    if not places:
        return None
    best = places[0]
    return TextMatch(quote, (best.span,), "exact" if best.verbatim else "normalized", 100.0, len(places))


def _alike(source: Source, quote: str, cutoff: float) -> TextMatch | None:
    """A match whose letters are not quite the quote's, or that leaves out footnote marks."""
    letters = fold_letters(quote)
    if len(letters) < SHORTEST_FUZZY:
        return None
    for read in _readings(source):
        spans = [] if read is source else _equal_spans(read, quote)
        for start, end in [*spans, *_resembling(read, quote, letters, cutoff)]:
            found = source.text[start:end]
            score = fuzz.ratio(letters, fold_letters(found))
            if score >= cutoff:
                occurrences = max(1, len(_equal_spans(source, found)))
                return TextMatch(quote, ((start, end),), "fuzzy", score, occurrences)
    return None


def _readings(source: Source) -> Iterator[Source]:
    """The source, and the source without its footnote marks, at the same offsets."""
    yield source
    if "<sup>" in source.text:
        text = _FOOTNOTE_MARK.sub(lambda mark: " " * len(mark.group()), source.text)
        if text != source.text:
            yield Source(text, fold(text))


def _resembling(source: Source, quote: str, letters: str, cutoff: float) -> Iterator[tuple[int, int]]:
    """Spans that resemble the quote and say the same, the most alike first."""
    for _, i, j in resembling_spans(source.text, source.folded, letters, cutoff):
        start, end = with_outer_marks(source.text, *source.folded.source_span(i, j), quote)
        found = source.text[start:end]
        if (
            not loses_negation(source.text, source.folded, i, j)
            and numbers_agree(source.text, start, end, quote)
            and negations_of(found) == negations_of(quote)
            and words_agree(found, quote)
        ):
            yield start, end


def _fragments(source: Source, quote: str, cutoff: float) -> TextMatch | None:
    """A match of pieces that an ellipsis joins, in order and near to one another."""
    pieces = [piece for piece in _ELLIPSIS.split(quote) if fold_letters(piece)]
    if not 2 <= len(pieces) <= _MOST_FRAGMENTS or any(map(_is_too_short, pieces)):
        return None
    choices, score = [], 100.0
    for piece in pieces:
        spans = _equal_spans(source, piece)
        if not spans:
            match = _alike(source, piece, cutoff)
            if match is None:
                return None
            spans, score = [match.span], min(score, match.score)
        choices.append(spans)
    chains = [_chain(source, first, choices[1:]) for first in choices[0][:_MOST_CHAINS]]
    found = [chain for chain in chains if chain]
    if not found:
        return None
    nearest = min(found, key=lambda chain: chain[-1][1] - chain[0][0])
    return TextMatch(quote, tuple(nearest), "fragments", score, len({chain[-1] for chain in found}))


def _is_too_short(piece: str) -> bool:
    letters = fold_letters(piece)
    return len(letters) < (SHORTEST_FRAGMENT // 2 if CONTINUOUS.search(letters) else SHORTEST_FRAGMENT)


def _chain(
    source: Source, first: tuple[int, int], choices: list[list[tuple[int, int]]]
) -> list[tuple[int, int]]:
    """The fragment `first` followed by the next of each of `choices`; empty if one is missing or too far."""
    chain = [first]
    for spans in choices:
        after = bisect_left(spans, (chain[-1][1], 0))
        if after == len(spans) or not _may_leave_out(source, chain[-1][1], spans[after][0]):
            return []
        chain.append(spans[after])
    return chain


def _may_leave_out(source: Source, start: int, end: int) -> bool:
    """Whether an ellipsis may stand for ``text[start:end]``.

    Not if it is too long, if the ellipsis is the text's own, if it leads from one row of a table to another,
    or if it has a negation in the sentence that the fragment before it ends in or the one after it begins in.
    """
    i, j = source.folded.folded_span(start, end)
    if j - i > LONGEST_GAP or _OWN_OR_ROW_END.search(source.text, start, end):
        return False
    start = source.folded.ends[i - 1] if i else start
    # A sentence end is known by what follows, which may be the next fragment.
    sentence_ends = _SENTENCE_END.finditer(source.text, start, end + 4)
    ends = [at.span() for at in sentence_ends if at.start() < end] or [(end, start)]
    return not (negations_of(source.text[start : ends[0][0]]) or negations_of(source.text[ends[-1][1] : end]))


Span = tuple[int, int]

INTERRUPTING_CLASSES = frozenset(("page-header", "page-footer", "footnote"))


def may_be_interrupted(document: DocumentLike) -> bool:
    """Tell, without reading them all, whether a chunk has boxes of the classes that interrupt sentences."""
    boxes = document.metadata.get("boxes")
    return isinstance(boxes, str) and any(name in boxes for name in INTERRUPTING_CLASSES)


def find_past_running_heads(content: str, quote: str, boxes: Iterable[SourceBox]) -> TextMatch | None:
    """Find a quote whose letters and digits are all there but for what interrupts them.

    Args:
        content: The text.
        quote: The quote.
        boxes: Boxes of the text.

    Returns:
        The match, with a span for each part; None where the text does not hold the quote, or no box interrupts it.
    """
    holes = [box.span for box in boxes if box.span and box.box_class in INTERRUPTING_CLASSES]
    if not holes:
        return None
    # Blanks fold to nothing and keep all offsets.
    blanked = content
    for start, end in holes:
        blanked = blanked[:start] + " " * (end - start) + blanked[end:]
    match = find_quote(blanked, quote, cutoff=100)
    if match is None or match.status not in ("exact", "normalized"):
        return None
    spans = tuple(span for span in _without(match.span, holes) if blanked[slice(*span)].strip())
    return replace(match, spans=spans, status="normalized") if len(spans) > 1 else None


def _without(span: Span, holes: Iterable[Span]) -> Iterable[Span]:
    at, last = span
    for start, end in sorted(holes):
        if at < start < last:
            yield at, start
            at = end
    yield at, last
