"""From parsed pages to chunks, each of which knows where every line of its text stands.

The rule is that of the PyMuPDF article: a new chunk begins at each title or section header once the chunk has
body text, or where the chunk would pass the limit. A chunk may span pages.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from langchain_pymupdf_coords.chunking.boxes import shifted, tail_of
from langchain_pymupdf_coords.chunking.headings import HeadingTracker
from langchain_pymupdf_coords.geometry import PageSize
from langchain_pymupdf_coords.layout.pages import HEADING_CLASSES, PICTURE_CLASSES, ParsedBox, ParsedPage
from langchain_pymupdf_coords.provenance.boxes import LineBox, SourceBox

ChunkMode = Literal["chunk", "page", "box"]

SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, with its place.

    Attributes:
        text: Markdown of the boxes, joined by blank lines.
        boxes: The boxes in reading order, each with its span of ``text``.
        lines: The lines in the order of ``text``.
        page_sizes: Width and height of the pages touched, by page number.
        page_label: Printed number of the first page, or empty.
        section: Heading path.
    """

    text: str
    boxes: tuple[SourceBox, ...]
    lines: tuple[LineBox, ...]
    page_sizes: dict[int, PageSize]
    page_label: str
    section: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A box on its way into a chunk, with its page and the heading path at its place.

    Attributes:
        box: The box, or a part of one that passes the limit.
        page: Its page.
        section: Heading path.
        continued: Whether it goes on with a box that was split.
    """

    box: ParsedBox
    page: ParsedPage
    section: str
    continued: bool = False

    @property
    def is_heading(self) -> bool:
        """Whether the box is a title or a section header."""
        return self.box.box_class in HEADING_CLASSES


@dataclass(frozen=True, slots=True)
class Chunker:
    """The chunking rule and its limits.

    Attributes:
        mode: ``"chunk"`` for the article's rule, ``"page"`` for a chunk per page, ``"box"`` for one per box.
        chunk_size: Limit of a chunk's text, measured by ``length``.
        chunk_overlap: How much of a chunk's end the next one repeats where the limit cut them apart.
        length: Length of a text, in whatever unit the limit has.
        exclude_classes: Classes of boxes that are left out.
        split: Splits a box whose text passes the limit.
    """

    mode: ChunkMode
    chunk_size: int
    chunk_overlap: int
    length: Callable[[str], int]
    exclude_classes: frozenset[str]
    split: Callable[[ParsedBox], Sequence[ParsedBox]]

    def chunks(self, pages: Iterable[ParsedPage]) -> Iterator[Chunk]:
        """Yield the chunks of pages in order, as soon as each is complete."""
        if self.mode == "page":
            yield from self._page_chunks(pages)
            return
        held: list[Piece] = []
        for piece in self._pieces(pages):
            if self._begins_chunk(held, piece):
                yield build_chunk(held)
                held = self._overlap(held, piece)
            held.append(piece)
        if any(piece.box.text for piece in held):
            yield build_chunk(held)

    def _page_chunks(self, pages: Iterable[ParsedPage]) -> Iterator[Chunk]:
        headings = HeadingTracker()
        for page in pages:
            pieces = [Piece(box, page, path) for box, path in self._boxes(page, headings)]
            yield build_chunk(pieces, page=page, section=headings.path)

    def _pieces(self, pages: Iterable[ParsedPage]) -> Iterator[Piece]:
        headings = HeadingTracker()
        for page in pages:
            for box, path in self._boxes(page, headings):
                parts = [box] if self.length(box.text) <= self.chunk_size else self.split(box)
                yield from (Piece(part, page, path, number > 0) for number, part in enumerate(parts))

    def _boxes(self, page: ParsedPage, headings: HeadingTracker) -> Iterator[tuple[ParsedBox, str]]:
        """Yield the boxes to keep, headings with their marks, each with the heading path at its place."""
        for box in self._kept(page):
            if box.box_class in HEADING_CLASSES and box.text:
                yield prefixed(box, "#" * headings.enter(box) + " "), headings.path
            elif box.text or box.box_class in PICTURE_CLASSES:
                yield box, headings.path

    def _kept(self, page: ParsedPage) -> Sequence[ParsedBox]:
        """Leave out the excluded classes, unless the page has nothing else.

        The layout model takes a lone line on a page, such as the title of a part, for a page header.
        """
        kept = [box for box in page.boxes if box.box_class not in self.exclude_classes]
        return kept if any(box.text or box.box_class in PICTURE_CLASSES for box in kept) else page.boxes

    def _begins_chunk(self, held: list[Piece], piece: Piece) -> bool:
        texts = [other.box.text for other in held if other.box.text]
        if not texts or not piece.box.text:
            return False
        if self.mode == "box" or piece.continued:
            return True
        if piece.is_heading and any(other.box.text and not other.is_heading for other in held):
            return True
        return self.length(SEPARATOR.join([*texts, piece.box.text])) > self.chunk_size

    def _overlap(self, held: list[Piece], piece: Piece) -> list[Piece]:
        """Return the end of a chunk that the next one repeats if it was the limit that parted them.

        A part of a split box repeats the end of the part before it by itself.
        """
        if not self.chunk_overlap or self.mode == "box" or piece.is_heading or piece.continued:
            return []
        tail: list[Piece] = []
        for before in reversed([other for other in held if other.box.text]):
            may_repeat = self._may_repeat([*tail, piece])
            part = None if before.is_heading else tail_of(before.box, may_repeat, self._is_worthwhile)
            if part is None:
                break
            tail.insert(0, replace(before, box=part))
            if part is not before.box:
                break
        return tail

    def _is_worthwhile(self, text: str) -> bool:
        return 2 * self.length(text) >= self.chunk_overlap

    def _may_repeat(self, following: list[Piece]) -> Callable[[str], bool]:
        """Return what tells if a text may stand before repeated pieces and the new one at their end."""
        *repeated, new = (other.box.text for other in following)

        def may_repeat(text: str) -> bool:
            overlap = SEPARATOR.join([text, *repeated])
            fits = self.length(SEPARATOR.join([overlap, new])) <= self.chunk_size
            return fits and self.length(overlap) <= self.chunk_overlap

        return may_repeat


def prefixed(box: ParsedBox, prefix: str) -> ParsedBox:
    """Return a box whose text begins with a prefix that no line of the page shows."""
    return replace(box, text=prefix + box.text, lines=shifted(box.lines, len(prefix)))


def build_chunk(pieces: list[Piece], *, page: ParsedPage | None = None, section: str = "") -> Chunk:
    """Join pieces to a chunk.

    Args:
        pieces: The boxes in order.
        page: The page of a chunk that may have no pieces.
        section: Heading path of such a chunk.
    """
    parts: list[str] = []
    boxes: list[SourceBox] = []
    lines: list[LineBox] = []
    end = 0
    for piece in pieces:
        start = end + len(SEPARATOR) * bool(parts and piece.box.text)
        if piece.box.text:
            parts.append(piece.box.text)
            end = start + len(piece.box.text)
        number = piece.page.number
        boxes += _source_boxes(piece, start, end)
        lines += [
            LineBox(number, line.bbox, (start + line.start, start + line.end)) for line in piece.box.lines
        ]
    first = page or pieces[0].page
    touched = [piece.page for piece in pieces] or [first]
    sizes = {other.number: other.size for other in touched}
    return Chunk(
        SEPARATOR.join(parts), tuple(boxes), tuple(lines), sizes, first.label, _section(pieces, section)
    )


def _source_boxes(piece: Piece, start: int, end: int) -> list[SourceBox]:
    box = piece.box
    parts = [(part.bbox, (start + part.start, start + part.end)) for part in box.parts]
    return [
        SourceBox(piece.page.number, bbox, box_class=box.box_class, span=span)
        for bbox, span in parts or [(box.bbox, (start, end))]
    ]


def _section(pieces: list[Piece], default: str) -> str:
    """Return the path at the first body text, so that a chunk that opens with headings is under them."""
    body = (piece.section for piece in pieces if piece.box.text and not piece.is_heading)
    return next(body, pieces[-1].section if pieces else default)
