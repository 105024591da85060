# ruff: noqa: RUF001  (signs of every kind are what this is about)
"""Find a quote in the text that it was taken from, or say that it is not there.

All spans are half-open code-point offsets into that text. Wrong is worse than none, so that in doubt a quote
is not found.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise

from rapidfuzz import fuzz

from langchain_pymupdf_coords.folding import FoldedText, fold, fold_glyphs, fold_letters
from langchain_pymupdf_coords.provenance.boxes import SourceBox
from langchain_pymupdf_coords.provenance.quotes import Difference, QuoteStatus
from langchain_pymupdf_coords.quotes.candidates import (
    SHORTEST_FUZZY,
    Source,
    equal_places,
    resembling_places,
    searchable,
)
from langchain_pymupdf_coords.quotes.differences import Effect, status_of
from langchain_pymupdf_coords.quotes.ellipses import may_leave_out, parts_of
from langchain_pymupdf_coords.quotes.interruptions import (
    interruptions,
    parts_between,
    without_interruptions,
)
from langchain_pymupdf_coords.quotes.judging import Judged, differences_of, judge
from langchain_pymupdf_coords.quotes.reader import read
from langchain_pymupdf_coords.quotes.reading import Reading
from langchain_pymupdf_coords.quotes.small_words import SPELLED_SIGNS
from langchain_pymupdf_coords.quotes.wording import Wording, typed_text

_MOST_JUDGED = 200

_LETTERS_JUDGED = 20_000  # a place takes microseconds a letter

_WIDEST = 8  # times the length of the quote, and some, that its place may have: the rest is no markup

_MOST_CHAINS = 100

_NOTE_ON_PAGE = re.compile(
    r"<sup>[*_]{0,3}(?:\d{1,3}(?:,\s?\d{1,3})*|[a-z]|[*†‡§]{1,3})[*_]{0,3}</sup>|[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}|(?<=\s)\[\d{1,3}\]"
)

_NOTE_IN_QUOTE = re.compile(
    r"\^(?:\d{1,3}|[a-z])(?![^\W_])|\[\d{1,3}(?:[,-]\s?\d{1,3})*\]|\[\d{1,3}†[^\[\]]{0,60}\]|\[[^\[\]\d…^]{2,80}\]"
    r"|\((?:pp?|pages?|S|Seite|Quelle|source|Source|chunk|doc|document)\.?:?\s?\d{1,4}(?:-\s?\d{1,4})?\)"
)

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A quote found in a text.

    Attributes:
        quote: The quote as asked for.
        spans: Where it stands, one ``(start, end)`` for each fragment; a single one unless the status is
            ``"fragments"``, or page headers interrupt it.
        status: That of the worst difference. ``"exact"``: verbatim, but for the quote's outer white space.
        score: 0 to 100; 100 for exact and normalized, the least of the pieces' for fragments.
        occurrences: How often the text has what was found.
        differences: What the quote and the text differ in.
    """

    quote: str
    spans: tuple[Span, ...]
    status: QuoteStatus
    score: float
    occurrences: int
    differences: tuple[Difference, ...] = ()

    @property
    def span(self) -> Span:
        """From the start of the first fragment to the end of the last."""
        return self.spans[0][0], self.spans[-1][1]


def find_quote(
    text: str,
    quote: str,
    *,
    cutoff: float = 90,
    folded: FoldedText | None = None,
    is_from_ocr: Callable[[], bool] = typed_text,
) -> TextMatch | None:
    """Find `quote` in `text`.

    Of several occurrences one with the least differences comes first, then the earliest.

    Args:
        text: Text that the quote was taken from, Markdown or plain.
        quote: The quote. White space around it does not count.
        cutoff: Least score of a match that is not equal after folding, 0 to 100.
        folded: ``fold(text)``, where the caller has it.
        is_from_ocr: Tells whether an OCR engine read the text, so that letters it confuses may differ; asked only
            where such letters differ.

    Returns:
        The match, or None where the text does not hold the quote.

    Raises:
        ValueError: `cutoff` is not within 0 to 100.
    """
    if not 0 <= cutoff <= 100:
        raise ValueError(f"cutoff={cutoff} must be within 0 to 100.")
    search = _Search(Source(text, folded or fold(text)), Wording(text, is_from_ocr), cutoff)
    found = search.places(quote)
    if found:
        return search.match(quote, found)
    return search.fragments(quote) or search.alike(quote)


def find_all(text: str, quote: str, *, folded: FoldedText | None = None) -> list[Span]:
    """Spans of all occurrences of `quote` in `text` that are equal after folding, in text order.

    Args:
        text: Text to search, Markdown or plain.
        quote: The quote. White space around it does not count.
        folded: ``fold(text)``, where the caller has it.
    """
    search = _Search(Source(text, folded or fold(text)), Wording(text), 100)
    return sorted(judged.span for judged in search.equal(quote))


def _is_verified(judged: Judged) -> bool:
    return judged.effect is None or judged.effect is Effect.NORMALIZED


@dataclass
class _Search:
    """The search for quotes in one text."""

    source: Source
    wording: Wording
    cutoff: float

    def places(self, quote: str) -> list[Judged]:
        """Places that say the same, but for footnote marks if need be, the best first."""
        return self.equal(quote) or self.without_notes(quote)

    def equal(self, quote: str) -> list[Judged]:
        """Places that have the letters of a quote and say the same, the best first."""
        asked = quote.strip()
        reading = read(asked)
        for letters in _spellings(asked, reading, self.source.text):
            found = self._judged(self.source, equal_places(self.source, letters), asked, reading)
            if found:
                return found
        return []

    def without_notes(self, quote: str) -> list[Judged]:
        """Places that are the quote but for footnote marks, on either side."""
        asked = quote.strip()
        reading = read(asked)
        bare = searchable(fold_glyphs(_NOTE_IN_QUOTE.sub("", reading.signs)))
        sources = [self.source]
        marks = [mark.span() for mark in _NOTE_ON_PAGE.finditer(self.source.text)]
        if marks:
            sources.append(Source(self.source.text, _without(self.source.folded, marks)))
        for source in sources:
            found = self._judged(source, equal_places(source, bare), asked, reading)
            if found:
                return found
        return []

    def _judged(self, source: Source, places: Iterable[Span], asked: str, reading: Reading) -> list[Judged]:
        found: list[Judged] = []
        taken: list[Span] = []  # in order
        most = max(3, min(_MOST_JUDGED, _LETTERS_JUDGED // (len(asked) + 1)))
        for i, j in islice(chain(_verbatim_places(source, asked), places), most):
            at = bisect_left(taken, (i, j))
            if (at and taken[at - 1][1] > i) or (at < len(taken) and taken[at][0] < j):
                continue
            judged = self._judge(source, i, j, asked, reading)
            if judged is not None and judged.is_found:
                found.append(judged)
                taken.insert(at, (i, j))
        found.sort(key=lambda judged: (-1 if judged.effect is None else judged.effect, judged.span))
        return found

    def _judge(self, source: Source, i: int, j: int, asked: str, reading: Reading) -> Judged | None:
        if _cuts_character(source.folded, i) or _cuts_character(source.folded, j):
            return None
        start, end = source.folded.source_span(i, j)
        if end - start > _WIDEST * (len(asked) + 200):
            return None
        return judge(source.text, (start, end), asked, reading, self.wording)

    def alike(self, quote: str) -> TextMatch | None:
        """A match whose letters are not quite the quote's."""
        asked = quote.strip()
        reading = read(asked)
        letters = searchable(fold_glyphs(reading.signs))
        if len(letters) < SHORTEST_FUZZY:
            return None
        for i, j in resembling_places(self.source, letters, self.cutoff):
            judged = self._judge(self.source, i, j, asked, reading)
            if judged is not None and judged.is_found:
                found = self.source.text[slice(*judged.span)]
                score = (
                    100.0 if _is_verified(judged) else fuzz.ratio(letters, searchable(fold_letters(found)))
                )
                if score >= self.cutoff:
                    occurrences = max(1, len(self.equal(found)))
                    return replace(self.match(quote, [judged]), score=score, occurrences=occurrences)
        return None

    def match(self, quote: str, found: list[Judged]) -> TextMatch:
        """The match of a quote at the best of some places."""
        best = found[0]
        status = status_of(best.effect) or "fuzzy"
        differences = differences_of(best, self.source.text, quote)
        return TextMatch(quote, (best.span,), status, 100.0, len(found), differences)

    def fragments(self, quote: str) -> TextMatch | None:
        """A match of parts that an ellipsis joins, in order and near to one another."""
        parts = parts_of(quote)
        if not parts:
            return None
        choices: list[list[Span]] = []
        score = 100.0
        for part in parts:
            spans = sorted(judged.span for judged in self.places(part))
            if not spans:
                match = self.alike(part)
                if match is None:
                    return None
                spans, score = [match.span], min(score, match.score)
            choices.append(spans)
        chains = [self._chain(first, choices[1:]) for first in choices[0][:_MOST_CHAINS]]
        found = [spans for spans in chains if spans]
        if not found:
            return None
        nearest = min(found, key=lambda spans: spans[-1][1] - spans[0][0])
        differences = tuple(self._left_out(nearest))
        return TextMatch(
            quote, tuple(nearest), "fragments", score, len({spans[-1] for spans in found}), differences
        )

    def _chain(self, first: Span, choices: list[list[Span]]) -> list[Span]:
        """The part `first` followed by the next of each of `choices`; empty if one is missing or too far."""
        taken = [first]
        for spans in choices:
            after = bisect_left(spans, (taken[-1][1], 0))
            if after == len(spans) or not self._may_leave_out(taken[-1][1], spans[after][0]):
                return []
            taken.append(spans[after])
        return taken

    def _may_leave_out(self, start: int, end: int) -> bool:
        i, j = self.source.folded.folded_span(start, end)
        return may_leave_out(self.source.text, (start, end), j - i, self.wording)

    def _left_out(self, spans: list[Span]) -> Iterator[Difference]:
        for (_, start), (end, _) in pairwise(spans):
            yield Difference("left_out", "", self.source.text[start:end], (0, 0), (start, end))


def _spellings(asked: str, reading: Reading, text: str) -> Iterator[str]:
    """The letters that a text may have for a quote: as it is written, and as it is read."""
    written = searchable(fold_letters(asked))
    yield written
    for signs in (reading.signs, reading.signs.replace("×", "x"), *_spelled(asked, text)):
        letters = searchable(fold_glyphs(signs))
        if letters != written:
            yield letters


def _spelled(asked: str, text: str) -> Iterator[str]:
    """The quote with signs for their names, where the text has such signs, and the other way round."""
    for sign, names in SPELLED_SIGNS.items():
        if sign in text:
            bare = re.sub(rf"\b(?:{'|'.join(names)})\b", " ", asked, flags=re.IGNORECASE)
            if bare != asked:
                yield read(bare).signs
        elif sign in asked:
            yield from (
                read(asked.replace(sign, f" {name} ")).signs for name in sorted(names) if name in text.lower()
            )


def _verbatim_places(source: Source, asked: str) -> Iterator[Span]:
    """Folded spans at which a quote stands word for word."""
    at = source.text.find(asked) if asked else -1
    while at >= 0:
        i, j = source.folded.folded_span(at, at + len(asked))
        if i < j:
            yield i, j
        at = source.text.find(asked, at + len(asked))


def _cuts_character(folded: FoldedText, i: int) -> bool:
    """Whether a place of the folded text lies within what one character of the source gives."""
    return 0 < i < len(folded.text) and folded.ends[i - 1] > folded.starts[i]


def _without(folded: FoldedText, spans: Iterable[Span]) -> FoldedText:
    """Folded text without the letters of some spans of its source."""
    kept = [True] * len(folded.text)
    for span in spans:
        for at in range(*folded.folded_span(*span)):
            kept[at] = False
    places = [at for at, keep in enumerate(kept) if keep]
    return FoldedText(
        "".join(folded.text[at] for at in places),
        [folded.starts[at] for at in places],
        [folded.ends[at] for at in places],
    )


def find_past_running_heads(content: str, quote: str, boxes: Iterable[SourceBox]) -> TextMatch | None:
    """Find a quote whose letters and digits are all there but for what interrupts them.

    Args:
        content: The text.
        quote: The quote.
        boxes: Boxes of the text.

    Returns:
        The match, with a span for each part; None where the text does not hold the quote, or no box interrupts it.
    """
    holes = interruptions(content, boxes)
    if not holes:
        return None
    blanked = without_interruptions(content, holes)
    match = find_quote(blanked, quote, cutoff=100)
    if match is None or match.status not in ("exact", "normalized"):
        return None
    spans = tuple(span for span in parts_between(match.span, holes) if blanked[slice(*span)].strip())
    return replace(match, spans=spans, status="normalized") if len(spans) > 1 else None
