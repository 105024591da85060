"""Boxes, lines and heading path of the pieces of a chunk, cut out of those of the chunk."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from langchain_pymupdf_coords.chunking.boxes import tight_bbox
from langchain_pymupdf_coords.chunking.headings import PATH_SEPARATOR
from langchain_pymupdf_coords.chunking.piece_places import Placement, Span
from langchain_pymupdf_coords.folding import fold_letters, plain_text
from langchain_pymupdf_coords.layout.pages import HEADING_CLASSES
from langchain_pymupdf_coords.provenance.boxes import LineBox, SourceBox
from langchain_pymupdf_coords.provenance.fields import DocumentLike

_HEADING = re.compile(r"(?P<marks>#{1,6}) (?P<text>.*)", re.DOTALL)


@dataclass(frozen=True)
class ChunkProvenance:
    """Where a chunk came from, to be cut like its text.

    Attributes:
        text: ``page_content`` of the chunk.
        boxes: Its boxes.
        lines: Its lines; without them a part of a box has the rectangle of the box.
        section: Its heading path, that of its first body text.
    """

    text: str
    boxes: tuple[SourceBox, ...]
    lines: tuple[LineBox, ...]
    section: str

    @classmethod
    def from_document(cls, document: DocumentLike) -> "ChunkProvenance":
        """Read the metadata of a Document.

        Raises:
            ProvenanceError: ``boxes`` is missing, or ``boxes`` or ``lines`` is malformed.
        """
        boxes = SourceBox.from_document(document)
        lines = LineBox.from_document(document)
        return cls(document.page_content, boxes, lines, str(document.metadata.get("section") or ""))

    @property
    def without_span(self) -> tuple[SourceBox, ...]:
        """The boxes that do not say which part of the text is theirs."""
        return tuple(box for box in self.boxes if box.span is None)

    def piece(self, piece: str, placement: Placement, textless: Sequence[int]) -> "ChunkProvenance":
        """Return what a piece came from; all spans count in the piece.

        A box that is not all in the piece has the rectangle of its lines that are, except pictures and
        formulas, which stay whole. Boxes without span stay as they are.

        Args:
            piece: Text of the piece.
            placement: Its place in the text of the chunk.
            textless: Indices of boxes without text that go with this piece.
        """
        numbers: list[int] = []
        boxes: list[SourceBox] = []
        lines = self._lines(piece, placement)
        for number, box in enumerate(self.boxes):
            if number in textless or not _is_textless(box):
                cut = self._cut(box, piece, placement, lines)
            else:
                cut = None
            if cut is not None:
                numbers.append(number)
                boxes.append(cut)
        return ChunkProvenance(piece, tuple(boxes), tuple(line for line, _ in lines), self._section(numbers))

    def textless_boxes(self, placements: Sequence[Placement | None]) -> list[list[int]]:
        """Share out the boxes without text: each goes with the first piece that reaches its place."""
        shares: list[list[int]] = [[] for _ in placements]
        ends = [(piece, placement.span[1]) for piece, placement in enumerate(placements) if placement]
        for number, box in enumerate(self.boxes):
            if ends and _is_textless(box):
                home = next((piece for piece, end in ends if box.span and end >= box.span[0]), ends[-1][0])
                shares[home].append(number)
        return shares

    def _lines(self, piece: str, placement: Placement) -> list[tuple[LineBox, Span]]:
        """Return the lines of a piece, each with its span in the chunk."""
        lines, starts, reached = self._lines_by_start
        start, end = placement.span
        return [
            (replace(line, span=span), line.span)
            for line in lines[bisect_right(reached, start) : bisect_left(starts, end)]
            for span in placement.parts_in_piece(piece, *line.span)
            if fold_letters(piece[slice(*span)])
        ]

    @cached_property
    def _lines_by_start(self) -> tuple[list[LineBox], list[int], list[int]]:
        """The lines in order of their text, where each begins, and how far the lines up to it reach."""
        lines = sorted(self.lines, key=lambda line: line.span[0])
        reached = accumulate((line.span[1] for line in lines), max)
        return lines, [line.span[0] for line in lines], list(reached)

    def _cut(
        self, box: SourceBox, piece: str, placement: Placement, lines: Sequence[tuple[LineBox, Span]]
    ) -> SourceBox | None:
        if box.span is None:
            return box
        start, end = box.span
        if start == end:
            _, at = placement.in_piece(0, start) or (0, 0)
            return replace(box, span=(at, at))
        apart = end <= placement.span[0] or placement.span[1] <= start
        span = None if apart else placement.in_piece(start, end)
        if span is None or self._only_marks(piece, span, box.span):
            return None
        own = [line.bbox for line, (first, last) in lines if first < end and start < last]
        outside = self.text[start : placement.span[0]] + self.text[max(start, placement.span[1]) : end]
        bbox = tight_bbox(box.box_class, box.bbox, own) if fold_letters(outside) else box.bbox
        return replace(box, bbox=bbox, span=span)

    def _only_marks(self, piece: str, span: Span, whole: Span) -> bool:
        """Whether a part of a box has no letters of it, in a piece that has others."""
        part = fold_letters(piece[slice(*span)])
        return not part and bool(fold_letters(piece) and fold_letters(self.text[slice(*whole)]))

    def _section(self, numbers: Sequence[int]) -> str:
        """Return the heading path at the first body text among some boxes, or at the last heading."""
        texts = [number for number in numbers if self._text(number)]
        body = (number for number in texts if self.boxes[number].box_class not in HEADING_CLASSES)
        at = next(body, texts[-1] if texts else None)
        return self.section if at is None else PATH_SEPARATOR.join(filter(None, self._paths[at]))

    def _text(self, number: int) -> str:
        span = self.boxes[number].span
        return self.text[slice(*span)] if span else ""

    @cached_property
    def _paths(self) -> list[list[str]]:
        """The heading path at each box: known at the first body text, and changed by headings after it."""
        return [*self._walk()]

    def _walk(self) -> Iterator[list[str]]:
        known = self.section.split(PATH_SEPARATOR)
        path, leading = known, True
        for number, box in enumerate(self.boxes):
            text = self._text(number)
            if box.box_class not in HEADING_CLASSES:
                leading = leading and not text
            elif heading := _HEADING.match(text):
                level = len(heading["marks"])
                path = known[:level] if leading else [*path[: level - 1], plain_text(heading["text"])]
            yield path


def _is_textless(box: SourceBox) -> bool:
    return box.span is not None and box.span[0] == box.span[1]
