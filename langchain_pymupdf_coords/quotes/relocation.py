"""A quote of a chunk found again in another version of its file.

Pages move, and the words around a quote change, so the quote is looked for on the pages of the new version,
the nearest first, and told from its namesakes by the text around it. Wrong is worse than none: a short quote
counts only with enough of its surroundings.

Coordinates are in the displayed frame (see ``geometry``).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from rapidfuzz.distance import Postfix, Prefix

from langchain_pymupdf_coords.folding import FoldedText, fold, fold_letters
from langchain_pymupdf_coords.geometry import bbox_to_quad
from langchain_pymupdf_coords.layout.glyphs import PageGlyphs
from langchain_pymupdf_coords.provenance.quotes import Region
from langchain_pymupdf_coords.quotes.matching import find_all
from langchain_pymupdf_coords.quotes.regions import ChunkPlaces, GlyphReader, Span, line_bboxes

_CONTEXT = 200
"""Letters and digits on each side of a quote that are compared."""

_ENOUGH = 60
"""Letters and digits, the quote's own included, that must agree; fewer only where the chunk has no more."""

_FARTHEST = 200
"""Pages before and after the old place that are searched."""


@dataclass(frozen=True, slots=True)
class _Hit:
    """A place on a page of the new version, and how many letters of it and around it agree."""

    agreement: int
    page: int
    glyphs: tuple[int, ...]
    tail: str


def relocate(
    places: ChunkPlaces, spans: Sequence[Span], page: int, page_count: int, read_glyphs: GlyphReader
) -> tuple[Region, ...] | None:
    """Find a quote of a chunk on the pages of a new version of its file.

    Args:
        places: The chunk, with its old places.
        spans: Spans of the quote in the chunk's text, in order.
        page: Where the chunk began in the old version, from 1.
        page_count: Number of pages of the new version.
        read_glyphs: Returns the glyphs of a page of the new version, or None where they cannot be had.

    Returns:
        Regions whose quads follow the words; None unless every part of the quote is found with certainty, one
        after the other. Parts that stood on different pages are looked for one by one.
    """
    hits: list[_Hit] = []
    for span in spans:
        agreement = 0
        for part in _by_page(places, span):
            hit = _find(places, part, _nearest(page, page_count), read_glyphs)
            if hit is None or (hits and (hit.page, hit.glyphs[0]) < (hits[-1].page, hits[-1].glyphs[-1])):
                return None
            hits.append(hit)
            agreement += hit.agreement
        if agreement < min(_ENOUGH, len(places.folded.text)):
            return None
    return tuple(_regions(hits, read_glyphs))


def _by_page(places: ChunkPlaces, span: Span) -> Iterator[Span]:
    """Cut a span where its lines go over to another page."""
    pages = [line for line, _, _ in places.lines_of(span)]
    starts = [next(lines).span[0] for _, lines in groupby(pages, key=lambda line: line.page)]
    edges = [span[0], *(start for start in starts[1:] if span[0] < start < span[1]), span[1]]
    return pairwise(edges)


def _nearest(page: int, page_count: int) -> Iterator[int]:
    for distance in range(_FARTHEST + 1):
        for number in dict.fromkeys((page - distance, page + distance)):
            if 1 <= number <= page_count:
                yield number


def _find(places: ChunkPlaces, span: Span, pages: Iterable[int], read_glyphs: GlyphReader) -> _Hit | None:
    first, last = places.folded.folded_span(*span)
    letters = places.folded.text
    wanted = letters[first:last]
    before, after = letters[max(0, first - _CONTEXT) : first], letters[last : last + _CONTEXT]
    quote, tail = places.content[slice(*span)], places.content[places.folded.ends[last - 1] : span[1]]
    best: _Hit | None = None
    for number in pages:
        glyphs = read_glyphs(number)
        if glyphs is None or wanted not in "".join(glyphs.letters):
            continue
        text, owners = _text(glyphs)
        folded = fold(text)
        for start, end in find_all(text, quote, folded=folded):
            around = _agreement(folded, folded.folded_span(start, end), before, after)
            agreement = len(wanted) + around
            if best is None or agreement > best.agreement:
                best = _Hit(agreement, number, _lettered(glyphs, owners[start:end]), tail)
        if best is not None and best.agreement == len(before) + len(wanted) + len(after):
            break
    return best


def _text(glyphs: PageGlyphs) -> tuple[str, list[int]]:
    """Return the text of a page, a line break between lines, and for each character its glyph."""
    text: list[str] = []
    owners: list[int] = []
    for index, glyph in enumerate(glyphs.glyphs):
        if index and glyphs.lines[index] != glyphs.lines[index - 1]:
            text.append("\n")
            owners.append(index)
        text.append(glyph.text)
        owners += [index] * len(glyph.text)
    return "".join(text), owners


def _lettered(glyphs: PageGlyphs, owners: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(index for index in owners if glyphs.letters[index]))


def _agreement(folded: FoldedText, span: Span, before: str, after: str) -> int:
    """How many letters around a place are those around the quote."""
    left = folded.text[max(0, span[0] - len(before)) : span[0]]
    right = folded.text[span[1] : span[1] + len(after)]
    return Postfix.similarity(left, before) + Prefix.similarity(right, after)


def _regions(hits: Sequence[_Hit], read_glyphs: GlyphReader) -> Iterator[Region]:
    for page, found in groupby(hits, key=lambda hit: hit.page):
        on_page = list(found)
        glyphs = read_glyphs(page)
        if glyphs is not None:
            parts = [part for hit in on_page for part in _by_line(glyphs, hit.glyphs)]
            bboxes = line_bboxes(glyphs, parts, on_page[-1].tail)
            yield Region(page, tuple(bbox_to_quad(bbox) for bbox in dict.fromkeys(bboxes)))


def _by_line(glyphs: PageGlyphs, indices: Iterable[int]) -> Iterator[tuple[int, ...]]:
    return (tuple(line) for _, line in groupby(indices, key=lambda index: glyphs.lines[index]))


def shows(regions: Sequence[Region], texts: Iterable[str], read_glyphs: GlyphReader) -> bool:
    """Whether pages show, under the quads of some regions, the letters of some texts and no others.

    The order of the letters is left open, since pages draw them in any.

    Args:
        regions: Where the texts should stand.
        texts: What should stand there, plain or in Markdown.
        read_glyphs: Returns the glyphs of a page, or None where they cannot be had.
    """
    shown: list[str] = []
    for region in regions:
        glyphs = read_glyphs(region.page)
        if glyphs is None:
            return False
        shown += _letters_under(glyphs, region)
    return bool(shown) and sorted("".join(shown)) == sorted("".join(map(fold_letters, texts)))


def _letters_under(glyphs: PageGlyphs, region: Region) -> list[str]:
    inside = {index for ul, _, _, lr in region.quads for index in glyphs.inside((ul[0], ul[1], lr[0], lr[1]))}
    return [glyphs.letters[index] for index in glyphs.without_twins(sorted(inside))]
