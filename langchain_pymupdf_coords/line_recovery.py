"""The lines of a chunk that was stored without them, recovered from the pages."""

from collections.abc import Iterator, Mapping, Sequence

from langchain_pymupdf_coords.alignment import align, box_letters, runs_inside
from langchain_pymupdf_coords.folding import FoldedText, fold
from langchain_pymupdf_coords.page_glyphs import PageGlyphs
from langchain_pymupdf_coords.provenance import LineBox, SourceBox

Span = tuple[int, int]


def recover_lines(
    content: str, boxes: Sequence[SourceBox], pages: Mapping[int, PageGlyphs]
) -> tuple[LineBox, ...]:
    """Align the boxes of a chunk with the pages, as is otherwise done when they are loaded.

    Args:
        content: Text of the chunk.
        boxes: Its boxes in reading order, with spans or, as older indexes have them, without.
        pages: Glyphs of the pages that can be read.
    """
    readable = [box for box in boxes if box.page in pages]
    lines: list[LineBox] = []
    for box, (start, end) in zip(readable, _spans(content, readable, pages), strict=True):
        text = content[start:end]
        box_class = "table" if text.lstrip().startswith("|") else box.box_class
        runs = pages[box.page].runs
        placement = align(text, box_class, box.bbox, runs, runs_inside(runs, box.bbox))
        lines += [
            LineBox(box.page, line.bbox, (start + line.start, start + line.end)) for line in placement.lines
        ]
    return tuple(lines)


def _spans(content: str, boxes: Sequence[SourceBox], pages: Mapping[int, PageGlyphs]) -> list[Span]:
    if all(box.span is not None for box in boxes):
        return [box.span for box in boxes if box.span is not None]
    folded = fold(content)
    letters = [box_letters(box.bbox, pages[box.page].runs) for box in boxes]
    starts = list(_starts(folded, letters))
    edges = [folded.starts[at] if at < len(folded.text) else len(content) for at in starts]
    return list(zip(edges, [*edges[1:], len(content)], strict=True))


def _starts(folded: FoldedText, letters: Sequence[str]) -> Iterator[int]:
    """Yield where each box begins in the folded text; one whose letters are in another order, by their number."""
    at = 0
    for text in letters:
        found = folded.text.find(text, at) if text else at
        start = at if found < 0 else found
        yield start
        at = min(start + len(text), len(folded.text))
