"""From spans of a chunk's text to quads on its pages.

The lines of the chunk say where each span stands; with the glyphs of the page at hand each line is narrowed
down to the letters that the span has of it. What cannot be narrowed down keeps the whole line, and letters
that no line holds keep their whole box: the precision says so.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from langchain_pymupdf_coords.folding import FoldedText
from langchain_pymupdf_coords.geometry import BBox, bbox_to_quad
from langchain_pymupdf_coords.page_glyphs import PageGlyphs
from langchain_pymupdf_coords.provenance import LineBox, SourceBox
from langchain_pymupdf_coords.quads import line_bboxes
from langchain_pymupdf_coords.quote_matches import QuotePrecision, Region

Span = tuple[int, int]
GlyphReader = Callable[[int], PageGlyphs | None]

# A quote of which no more than this share has no line is still placed by its lines alone.
_NEGLIGIBLE = 0.1


@dataclass(frozen=True, slots=True)
class ChunkPlaces:
    """A chunk's text and where it stands.

    Attributes:
        content: The text, ``page_content``.
        folded: The same, folded.
        lines: Lines in the order of the text; may be empty.
        boxes: Layout boxes in reading order.
    """

    content: str
    folded: FoldedText
    lines: Sequence[LineBox]
    boxes: Sequence[SourceBox]

    def lines_of(self, span: Span) -> Iterator[tuple[LineBox, Span, Span]]:
        """Yield the lines that hold letters of a span, each with its own letters and the span's part of them.

        Both are half-open intervals of the folded text.
        """
        wanted = self.folded.folded_span(*span)
        for line in self.lines:
            if line.span[0] < span[1] and span[0] < line.span[1]:
                held = self.folded.folded_span(*line.span)
                part = max(held[0], wanted[0]), min(held[1], wanted[1])
                if part[0] < part[1]:
                    yield line, held, part


@dataclass(slots=True)
class _PagePlaces:
    """What a quote has on one page: glyphs of lines that were narrowed down, and whole lines and boxes."""

    parts: list[tuple[int, ...]]
    whole: list[BBox]


def place_spans(
    places: ChunkPlaces, spans: Sequence[Span], read_glyphs: GlyphReader
) -> tuple[tuple[Region, ...], QuotePrecision]:
    """Return the regions of some spans, and what their quads follow.

    Args:
        places: The chunk.
        spans: Half-open spans of its text, in order.
        read_glyphs: Returns the glyphs of a page, or None where they cannot be had.
    """
    pages: dict[int, _PagePlaces] = {}
    precision: QuotePrecision = "word"
    for span in spans:
        covered = 0
        for line, held, part in places.lines_of(span):
            covered += part[1] - part[0]
            glyphs = read_glyphs(line.page)
            found = glyphs.find(line.bbox, places.folded.text[slice(*held)]) if glyphs else None
            entry = pages.setdefault(line.page, _PagePlaces([], []))
            if found is None:
                entry.whole.append(line.bbox)
                precision = "line"
            else:
                entry.parts.append(found.owners[part[0] - held[0] : part[1] - held[0]])
        wanted = places.folded.folded_span(*span)
        if wanted[1] - wanted[0] - covered > _NEGLIGIBLE * (wanted[1] - wanted[0]) or not covered:
            boxes = list(_boxes_of(places, span))
            for box in boxes:
                pages.setdefault(box.page, _PagePlaces([], [])).whole.append(box.bbox)
            precision = "box"
    tail = places.content[_last_letter(places, spans[-1]) : spans[-1][1]]
    return tuple(_regions(pages, read_glyphs, tail)), precision


def _boxes_of(places: ChunkPlaces, span: Span) -> Iterator[SourceBox]:
    """Yield the boxes that hold a part of a span without lines; all boxes where none has a span."""
    lines = [line.span for line in places.lines]
    for box in places.boxes:
        if box.span is None:
            yield box
        elif box.span[0] < span[1] and span[0] < box.span[1]:
            start, end = max(box.span[0], span[0]), min(box.span[1], span[1])
            if not any(a < end and start < b for a, b in lines) or _has_gap(places, (start, end)):
                yield box


def _has_gap(places: ChunkPlaces, span: Span) -> bool:
    wanted = places.folded.folded_span(*span)
    covered = sum(part[1] - part[0] for _, _, part in places.lines_of(span))
    return covered < wanted[1] - wanted[0]


def _last_letter(places: ChunkPlaces, span: Span) -> int:
    first, last = places.folded.folded_span(*span)
    return places.folded.ends[last - 1] if last > first else span[0]


def _regions(pages: dict[int, _PagePlaces], read_glyphs: GlyphReader, tail: str) -> Iterator[Region]:
    last = max(pages, default=0)
    for page in sorted(pages):
        bboxes = list(pages[page].whole)
        if parts := pages[page].parts:
            glyphs = read_glyphs(page)
            if glyphs is not None:
                bboxes += line_bboxes(glyphs, parts, tail if page == last else "")
        yield Region(page, tuple(bbox_to_quad(bbox) for bbox in _distinct(bboxes)))


def _distinct(bboxes: Sequence[BBox]) -> list[BBox]:
    return list(dict.fromkeys(bboxes))
