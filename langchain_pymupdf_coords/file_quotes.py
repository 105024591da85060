"""Quotes found in whole files, without any Document.

The words of a file say at once which pages may hold a quote. There it is looked for as in a chunk, in the text of
the page as it is drawn; and over the edge of two pages, past the running heads and page numbers between them.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from langchain_pymupdf_coords.folding import FoldedText, fold, fold_glyphs, fold_letters
from langchain_pymupdf_coords.geometry import BBox, bbox_to_quad, union_bboxes
from langchain_pymupdf_coords.pdf.glyphs import FileGlyphs
from langchain_pymupdf_coords.placing.file_words import FileWords, PageWord, PageWords, without_accents
from langchain_pymupdf_coords.provenance.quotes import QuoteMatch, Region
from langchain_pymupdf_coords.quotes.matching import TextMatch, find_all, find_quote

if TYPE_CHECKING:
    from langchain_pymupdf_coords.layout.glyphs import CutAt

# A quote that is not on a page letter for letter is looked for where so many of its samples are.
_SAMPLE, _STEP, _MOST_SAMPLES = 8, 4, 80

_LEAST_SAMPLES = 0.25

_MOST_PAGES = 8

# Lines at the upper and lower edge of a page that may be running heads, and pages on which they must come back.
_EDGE_LINES = 3

_FAR = 2

_DIGITS = re.compile(r"\d+")

Span = tuple[int, int]


class _Piece(NamedTuple):
    """A word of a text: where it begins there, and where it stands; pages count from 1."""

    start: int
    page: int
    word: PageWord

    @property
    def line(self) -> tuple[int, int, int]:
        return self.page, self.word.block, self.word.line


@dataclass(frozen=True)
class _Text:
    """The text of a page, or of two, and its words."""

    text: str
    pieces: Sequence[_Piece]

    @classmethod
    def of(cls, words: Iterable[tuple[int, PageWord]]) -> "_Text":
        """Join words by blanks, and blocks of lines by blank lines."""
        parts: list[str] = []
        pieces: list[_Piece] = []
        length = 0
        for page, word in words:
            if pieces:
                parts.append(" " if (page, word.block) == pieces[-1].line[:2] else "\n\n")
                length += len(parts[-1])
            pieces.append(_Piece(length, page, word))
            parts.append(word.text)
            length += len(word.text)
        return cls("".join(parts), pieces)

    @cached_property
    def folded(self) -> FoldedText:
        return fold(self.text)

    def within(self, span: Span) -> Sequence[_Piece]:
        """Return the words that a span has a part of."""
        first = bisect_right(self.pieces, span[0], key=lambda piece: piece.start) - 1
        last = bisect_left(self.pieces, span[1], key=lambda piece: piece.start)
        found = self.pieces[max(first, 0) : last]
        return [piece for piece in found if span[0] < piece.start + len(piece.word.text)]


def quotes_in_file(
    quote: str, glyphs: FileGlyphs, *, cutoff: float, pages: Collection[int] | None = None
) -> list[QuoteMatch]:
    """Return all places of a quote in a file, in the order of its pages.

    Args:
        quote: The quote, plain or in Markdown.
        glyphs: The glyphs of the file.
        cutoff: Least score of a match that is alike but not equal.
        pages: Pages, from 1, on which it may begin; None for all.
    """
    words = glyphs.words()
    if words is None:
        return []
    search = _Search(quote, glyphs, words, cutoff)
    allowed = range(1, len(words.pages) + 1) if pages is None else sorted(pages)
    found = [match for page in search.likely(allowed) for match in search.on(page)]
    equal = [match for match in found if match.status in ("exact", "normalized")]
    found = equal or found
    return [replace(match, occurrences=len(found)) for match in found]


@dataclass(frozen=True, slots=True)
class _Search:
    quote: str
    glyphs: FileGlyphs
    words: FileWords
    cutoff: float

    def likely(self, allowed: Sequence[int]) -> list[int]:
        """Return the pages, from 1, that may hold the quote."""
        letters = without_accents(fold_letters(self.quote))
        if not letters:
            return []
        verbatim = sorted({page for page in self._pages_with(letters) if page in allowed})
        if verbatim:
            return verbatim
        samples = [letters[at : at + _SAMPLE] for at in range(0, max(1, len(letters) - _SAMPLE + 1), _STEP)]
        samples = samples[:: max(1, len(samples) // _MOST_SAMPLES)]
        votes = Counter(page for sample in samples for page in self._pages_with(sample))
        least = max(1.0, _LEAST_SAMPLES * len(samples))
        # A quote that goes on over the edge of a page has its beginning on the page before.
        close = [page for page, count in votes.most_common(_MOST_PAGES) if count >= least]
        return sorted({near for page in close for near in (page - 1, page) if near in allowed})

    def on(self, page: int) -> Iterator[QuoteMatch]:
        """Yield the places of the quote that begin on a page."""
        text = self._text(page)
        if text is None:
            return
        match = find_quote(text.text, self.quote, cutoff=self.cutoff, folded=text.folded)
        if match is not None:
            yield from self._matches(text, match)
        if match is None or match.status not in ("exact", "normalized"):
            over = self._over_edge(page)
            match = find_quote(over.text, self.quote, cutoff=100, folded=over.folded) if over else None
            if over and match and match.status in ("exact", "normalized"):
                yield from self._matches(over, replace(match, status="normalized"))

    def _matches(self, text: _Text, match: TextMatch) -> Iterator[QuoteMatch]:
        several = match.status in ("exact", "normalized")
        spans: list[tuple[Span, ...]] = []
        if several:
            spans = [(span,) for span in find_all(text.text, self.quote, folded=text.folded)]
        for parts in spans or [match.spans]:
            start, end = parts[0][0], parts[-1][1]
            yield QuoteMatch(
                quote=self.quote,
                text=text.text[start:end],
                span=(start, end),
                status=match.status,
                score=match.score,
                occurrences=1,
                precision="word",
                regions=tuple(self._regions(text, parts)),
            )

    def _regions(self, text: _Text, spans: Iterable[Span]) -> Iterator[Region]:
        placed = [(piece.line, self._bbox(piece, span)) for span in spans for piece in text.within(span)]
        lines = [
            (line, union_bboxes(bbox for _, bbox in group))
            for line, group in groupby(placed, key=lambda entry: entry[0])
        ]
        for page, group in groupby(lines, key=lambda entry: entry[0][0]):
            yield Region(page, tuple(bbox_to_quad(bbox) for _, bbox in group))

    def _bbox(self, piece: _Piece, span: Span) -> BBox:
        """Return the rectangle of a word, or of the part of it that a span has."""
        text, bbox = piece.word.text, piece.word.bbox
        part = text[max(0, span[0] - piece.start) : span[1] - piece.start]
        if fold_letters(part) == fold_letters(text):
            return bbox
        glyphs = self.glyphs.page(piece.page)
        cut_at: CutAt = "end" if text.startswith(part) else "start"
        found = glyphs.find(bbox, fold_glyphs(part), cut_at) if glyphs else None
        if glyphs is None or found is None:
            return bbox
        return union_bboxes(glyphs.glyphs[index].bbox for index in found.owners)

    def _pages_with(self, letters: str) -> Iterator[int]:
        """Yield the pages, from 1, on which some letters begin."""
        at = self.words.letters.find(letters)
        while at >= 0:
            page = self.words.page_at(at)
            yield page + 1
            at = self.words.letters.find(letters, self.words.starts[page + 1])

    def _text(self, page: int) -> _Text | None:
        return _page_text(self.words.pages[page - 1], page) if page <= len(self.words.pages) else None

    def _over_edge(self, page: int) -> _Text | None:
        """Return the text of a page and of the next one without the running heads between them."""
        if page >= len(self.words.pages):
            return None
        return _Text.of(
            (number, word) for number in (page, page + 1) for word in self._without_running(number)
        )

    def _without_running(self, page: int) -> list[PageWord]:
        pages = self.words.pages
        near = range(max(1, page - _FAR), min(len(pages), page + _FAR) + 1)
        known = {name for other in near if other != page for name in _edge_lines(pages[other - 1]).values()}
        running = {line for line, name in _edge_lines(pages[page - 1]).items() if not name or name in known}
        return [word for word in pages[page - 1].all_words if (word.block, word.line) not in running]


_texts: WeakKeyDictionary[PageWords, _Text] = WeakKeyDictionary()


def _page_text(words: PageWords, page: int) -> _Text:
    """Return the text of a page, made once."""
    if words not in _texts:
        _texts[words] = _Text.of((page, word) for word in words.all_words)
    return _texts[words]


def _edge_lines(words: PageWords) -> dict[tuple[int, int], str]:
    """Return the letters without digits of the highest and the lowest lines of a page."""
    lines: dict[tuple[int, int], list[PageWord]] = {}
    for word in words.words:
        lines.setdefault((word.block, word.line), []).append(word)
    by_height = sorted(lines, key=lambda line: lines[line][0].bbox[1])
    edge = [*by_height[:_EDGE_LINES], *by_height[-_EDGE_LINES:]]
    return {line: _DIGITS.sub("", fold_letters(" ".join(word.text for word in lines[line]))) for line in edge}
