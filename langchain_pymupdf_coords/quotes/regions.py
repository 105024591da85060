"""From spans of a chunk's text to quads on its pages, one for each line.

The lines of the chunk say where each span stands; with the glyphs of the page at hand each line is narrowed
down to the letters that the span has of it. What cannot be narrowed down keeps the whole line, and letters
that no line holds keep their whole box: the precision says so.

A highlight over the wrong words is worse than none, so each quad is checked against the glyphs of the page: it
must hold the centres of the quote's letters and of no others, and is made lower where a tall font reaches into
the next line.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from langchain_pymupdf_coords.folding import FoldedText
from langchain_pymupdf_coords.geometry import BBox, bbox_to_quad, union_bboxes
from langchain_pymupdf_coords.layout.glyphs import CutAt, PageGlyphs
from langchain_pymupdf_coords.provenance.boxes import LineBox, SourceBox
from langchain_pymupdf_coords.provenance.quotes import QuotePrecision, Region

# Two parts of a line are one quad if their heights overlap by this share and their gap is below this many
# heights.
_SAME_HEIGHT = 0.6

_GAP = 1.5

# Room that a lowered quad leaves to a centre it must not hold, in points.
_CLEARANCE = 1.0

# Fonts say how high their tallest letters are and leave room above and below; more than this is letters.
_SPARE_HEIGHT = 0.25


def line_bboxes(page: PageGlyphs, parts: Sequence[Sequence[int]], tail: str = "") -> list[BBox]:
    """Return a box for each line of a quote on one page.

    Args:
        page: The glyphs of the page.
        parts: Glyphs of each stored line that the quote touches, in the order of the quote.
        tail: What follows the last letter of the quote; closing punctuation is covered where the page has it.
    """
    chosen = {index for part in parts for index in part}
    bboxes: list[BBox] = []
    for number, part in enumerate(parts):
        members = list(part) + (_closing(page, part[-1], tail) if number == len(parts) - 1 else [])
        bbox = union_bboxes(page.glyphs[index].bbox for index in members)
        merged = union_bboxes([bboxes[-1], bbox]) if bboxes and _one_line(page, parts, number) else None
        if merged and _adjoins(bboxes[-1], bbox) and not _strangers(page, merged, chosen):
            bboxes[-1] = merged
        else:
            bboxes.append(bbox)
    return [_without_strangers(page, bbox, chosen) for bbox in bboxes]


def _one_line(page: PageGlyphs, parts: Sequence[Sequence[int]], number: int) -> bool:
    """Tell whether a part may stand in the visual line of the one before: side by side means that only upright."""
    before, after = parts[number - 1][-1], parts[number][0]
    return page.lines[before] == page.lines[after] or (page.horizontal[before] and page.horizontal[after])


def _closing(page: PageGlyphs, last: int, tail: str) -> list[int]:
    found = []
    for index in range(last + 1, min(last + 1 + len(tail), len(page.glyphs))):
        glyph = page.glyphs[index]
        if page.lines[index] != page.lines[last] or page.letters[index] or glyph.text not in tail:
            break
        if not glyph.text.isspace():
            found.append(index)
    return found


def _adjoins(a: BBox, b: BBox) -> bool:
    overlap = min(a[3], b[3]) - max(a[1], b[1])
    lower = min(a[3] - a[1], b[3] - b[1])
    gap = max(a[0], b[0]) - min(a[2], b[2])
    return overlap >= _SAME_HEIGHT * lower and gap <= _GAP * lower


def _strangers(page: PageGlyphs, bbox: BBox, chosen: set[int]) -> list[int]:
    others = [index for index in page.inside(bbox) if index not in chosen]
    if not others:
        return []
    # A letter of the quote that is drawn a second time is no stranger.
    return [index for index in others if not any(page.is_twin(index, other) for other in chosen)]


def _without_strangers(page: PageGlyphs, bbox: BBox, chosen: set[int]) -> BBox:
    """Lower a box until it holds no centre of the lines above and below, but never into its own letters."""
    x0, y0, x1, y1 = bbox
    room = _SPARE_HEIGHT * (y1 - y0)
    for index in _strangers(page, bbox, chosen):
        _, top, _, bottom = page.glyphs[index].bbox
        middle = (top + bottom) / 2
        if middle < bbox[1] + room:
            y0 = max(y0, min(middle + _CLEARANCE, bbox[1] + room))
        elif middle > bbox[3] - room:
            y1 = min(y1, max(middle - _CLEARANCE, bbox[3] - room))
    return x0, y0, x1, y1


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
            letters = places.folded.text[slice(*held)]
            found = (
                glyphs.find(line.bbox, letters, _cut_at(held, len(places.folded.text))) if glyphs else None
            )
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


def _cut_at(held: Span, length: int) -> CutAt | None:
    """Return where a text may have been cut off the rest of a line: at its own first or last letter."""
    if (held[0] == 0) == (held[1] == length):
        return None
    return "start" if held[0] == 0 else "end"


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
