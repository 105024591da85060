"""Where the boxes of a text are in what became of it, told by the lines that were found again.

A box keeps its place before, between or after the lines that were found. What has no letters left there was cut
off with its text.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_pymupdf_coords.folding import fold_letters

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class MovedBox:
    """A box of the changed text: its number among the boxes, and its span, None where that cannot be told."""

    number: int
    span: Span | None


def moved_boxes(
    content: str, boxes: Sequence[Span | None], lines: Sequence[Span], found: Sequence[Span | None]
) -> list[MovedBox]:
    """Return the boxes that a changed text still has.

    Args:
        content: The changed text.
        boxes: Spans of the boxes in the text as it was; None for a box that never had one.
        lines: Spans of the lines in the text as it was.
        found: Spans of the same lines in the changed text; None for those that are not there.
    """
    anchors = sorted((old, new) for old, new in zip(lines, found, strict=True) if new is not None)
    if not anchors:
        return [MovedBox(number, None) for number in range(len(boxes))]
    guide = _Guide(content, [old for old, _ in anchors], [new for _, new in anchors])
    moved = []
    for number, box in enumerate(boxes):
        span = None if box is None else guide.span(box)
        if box is None or span is not None:
            moved.append(MovedBox(number, span))
    return moved


@dataclass(frozen=True, slots=True)
class _Guide:
    """Lines of a text that were found in the changed one, in order: their spans in both."""

    content: str
    old: Sequence[Span]
    new: Sequence[Span]

    def span(self, box: Span) -> Span | None:
        """Return where a box is; None if it is gone."""
        first = bisect_left(self.old, box[0], key=lambda line: line[0])
        last = bisect_left(self.old, max(box[1], box[0]), key=lambda line: line[0])
        low = self.new[first - 1][1] if first else 0
        high = self.new[last][0] if last < len(self.new) else len(self.content)
        if first < last:
            start = self.new[first][0] - (self.old[first][0] - box[0])
            end = self.new[last - 1][1] + max(0, box[1] - self.old[last - 1][1])
            return max(start, low), max(min(end, high), self.new[last - 1][1])
        return self._between(box, first, (low, high))

    def _between(self, box: Span, following: int, gap: Span) -> Span | None:
        """Return the part of a gap between two lines that is as far from either as the box was."""
        shifts = []
        if following:
            shifts.append(self.new[following - 1][1] - self.old[following - 1][1])
        if following < len(self.new):
            shifts.append(self.new[following][0] - self.old[following][0])
        if box[0] == box[1]:
            at = box[0] + shifts[0]
            return (min(max(at, gap[0]), gap[1]),) * 2 if 0 <= at <= len(self.content) else None
        parts = [(max(box[0] + shift, gap[0]), min(box[1] + shift, gap[1])) for shift in shifts]
        parts = [part for part in parts if part[0] < part[1] and fold_letters(self.content[slice(*part)])]
        return (min(start for start, _ in parts), max(end for _, end in parts)) if parts else None
