"""Where the pieces that a text splitter made stand in the text that it was given.

Splitters do not say. They strip and collapse white space, drop what is not printable, decode half a character
to U+FFFD, add headers; and the same sentence may stand in the text many times. So a piece is found by its
characters without white space, else by its letters and digits, else by the long stretches that it has in
common with the text around its place. Of several places the pieces get those that together follow each other
best: in order, without leaving text out, and with an overlap as even as can be.

All offsets are half-open code-point offsets.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nsmallest

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from langchain_pymupdf_coords.folding import FoldedText, fold

Span = tuple[int, int]

# Equal stretches of a rewritten piece and the text mean something from this many letters on.
_TELLING_LENGTH = 8
# A piece of which less than this share is found is not from this text.
_LEAST_FOUND = 0.5
# How far beyond the end of the piece before it a piece is looked for first, in characters.
_REACH = 1000
_MOST_PLACES = 48
_MOST_PATHS = 24
_PRICE_OF_LOSS = 4.0


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a piece and the stretch of the text that it shows."""

    piece: Span
    text: Span


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a piece stands.

    Attributes:
        span: The part of the text that the piece shows; empty for a piece of white space.
        blocks: The stretches that both have, in order. One, if the piece is a slice of the text.
    """

    span: Span
    blocks: tuple[Block, ...]

    def in_piece(self, start: int, end: int) -> Span | None:
        """Return the part of the piece that shows ``text[start:end]``, if any of it does."""
        first = bisect_right(self.blocks, start, key=lambda block: block.text[1])
        last = bisect_left(self.blocks, end, key=lambda block: block.text[0]) - 1
        if first > last:
            return None
        opening, closing = self.blocks[first], self.blocks[last]
        inside = max(0, start - opening.text[0]), max(0, closing.text[1] - end)
        return min(opening.piece[0] + inside[0], opening.piece[1]), max(
            closing.piece[1] - inside[1], closing.piece[0]
        )


def align_pieces(text: str, pieces: Sequence[str]) -> list[Placement | None]:
    """Find the place of each piece.

    Args:
        text: The text that was split.
        pieces: The pieces, in the order of the text; neighbours may overlap.

    Returns:
        The placement of each piece, None where it is not from this text as far as can be told.
    """
    return _Aligner(text, pieces).placements()


def squeeze(text: str) -> FoldedText:
    """Return a text without its white space, with the place of each character."""
    starts = [at for at, char in enumerate(text) if not char.isspace()]
    return FoldedText("".join(text.split()), starts, [at + 1 for at in starts])


@dataclass(frozen=True, slots=True)
class _Place:
    """A possible place of a piece: the span in squeezed characters, and what the two have in common."""

    start: int
    end: int
    placement: Placement
    price: float = 0.0


@dataclass(frozen=True, slots=True)
class _Path:
    """Places of all pieces so far, the last one first, and what speaks against them."""

    price: float
    start: int
    end: int
    place: Placement | None = None
    before: "_Path | None" = None

    def chain(self) -> Iterator[Placement | None]:
        path: _Path | None = self
        while path is not None and path.before is not None:
            yield path.place
            path = path.before


@dataclass
class _Aligner:
    text: str
    pieces: Sequence[str]
    squeezed: FoldedText = field(init=False)

    def __post_init__(self) -> None:
        self.squeezed = squeeze(self.text)

    @cached_property
    def folded(self) -> FoldedText:
        return fold(self.text)

    def placements(self) -> list[Placement | None]:
        overlap = self._mean_overlap()
        paths = [_Path(0.0, 0, 0)]
        for piece in self.pieces:
            paths = self._extended(paths, piece, overlap)
        total = len(self.squeezed.text)
        best = min(paths, key=lambda path: path.price + _PRICE_OF_LOSS * (total - path.end))
        return [*best.chain()][::-1]

    def _mean_overlap(self) -> float:
        """Return how many characters neighbours share if nothing was left out."""
        lengths = sum(len("".join(piece.split())) for piece in self.pieces)
        return max(0.0, (lengths - len(self.squeezed.text)) / max(1, len(self.pieces) - 1))

    def _extended(self, paths: list[_Path], piece: str, overlap: float) -> list[_Path]:
        if not piece.strip():
            return [_Path(path.price, path.start, path.end, self._nothing(path), path) for path in paths]
        for places in self._places(paths, piece, overlap):
            steps = (_best_step(paths, place, overlap) for place in places)
            found = nsmallest(_MOST_PATHS, filter(None, steps), key=lambda path: path.price)
            if found:
                return found
        return [_Path(path.price, path.start, path.end, None, path) for path in paths]

    def _nothing(self, path: _Path) -> Placement:
        at = self.squeezed.ends[path.end - 1] if path.end else 0
        return Placement((at, at), ())

    def _places(self, paths: list[_Path], piece: str, overlap: float) -> Iterator[list[_Place]]:
        """Yield possible places, found in ways that ask less and less."""
        after = min(path.start for path in paths)
        near = max(path.end for path in paths)
        expected = min(paths, key=lambda path: path.price).end - overlap
        yield self._equal(self.squeezed, squeeze(piece), after, near, expected)
        letters = fold(piece)
        if letters.text:
            yield self._equal(self.folded, letters, after, near, expected)
            yield list(self._alike(letters, after, near))

    def _equal(
        self, view: FoldedText, piece: FoldedText, after: int, near: int, expected: float
    ) -> list[_Place]:
        start = self._index_in(view, after)
        reach = self._index_in(view, near) + len(piece.text) + _REACH
        found = list(_occurrences(view.text, piece.text, start, reach + len(piece.text)))
        if not found:
            found = [at for at in [view.text.find(piece.text, start)] if at >= 0]
        places = []
        for at in found:
            pairs = zip(piece.starts, piece.ends, view.starts[at:], view.ends[at:], strict=False)
            places.append((at, pairs))
        close = nsmallest(_MOST_PLACES, places, key=lambda place: abs(place[0] - expected))
        return [self._place(_blocks(pairs)) for _, pairs in close]

    def _alike(self, piece: FoldedText, after: int, near: int) -> Iterator[_Place]:
        """Yield the place in reach where the text is most like a piece, if it is like enough."""
        size = len(piece.text)
        start = self._index_in(self.folded, after)
        window = self.folded.text[start : self._index_in(self.folded, near) + 3 * size + _REACH]
        rough = fuzz.partial_ratio_alignment(piece.text, window) if window else None
        if rough is None:
            return
        low = max(0, rough.dest_start - size)
        codes = Indel.opcodes(piece.text, window[low : rough.dest_end + size])
        equal = [
            (code.src_start, start + low + code.dest_start, code.src_end - code.src_start)
            for code in codes
            if code.tag == "equal" and code.src_end - code.src_start >= _TELLING_LENGTH
        ]
        if sum(length for _, _, length in equal) >= _LEAST_FOUND * size:
            view = self.folded
            pairs = (
                (piece.starts[a + k], piece.ends[a + k], view.starts[b + k], view.ends[b + k])
                for a, b, length in equal
                for k in range(length)
            )
            yield self._place(_blocks(pairs))

    def _index_in(self, view: FoldedText, at: int) -> int:
        """Return where in a view the squeezed character ``at`` stands."""
        if view is self.squeezed:
            return at
        return bisect_left(view.starts, self.squeezed.starts[at]) if at < len(self.squeezed.text) else len(view.text)

    def _place(self, blocks: tuple[Block, ...]) -> _Place:
        span = blocks[0].text[0], blocks[-1].text[1]
        start, end = bisect_left(self.squeezed.starts, span[0]), bisect_left(self.squeezed.starts, span[1])
        return _Place(start, end, Placement(span, blocks), float(len(blocks) - 1))


def _best_step(paths: Iterable[_Path], place: _Place, overlap: float) -> _Path | None:
    """Return the cheapest path that goes on to a place."""
    steps = [
        _Path(path.price + place.price + _price(path, place, overlap), place.start, place.end, place.placement, path)
        for path in paths
        if path.start <= place.start and path.end <= place.end and (path.start, path.end) != (place.start, place.end)
    ]
    return min(steps, key=lambda path: path.price, default=None)


def _price(path: _Path, place: _Place, overlap: float) -> float:
    lost = max(0, place.start - path.end)
    return _PRICE_OF_LOSS * lost + abs(path.end - overlap - place.start)


def _occurrences(text: str, piece: str, start: int, end: int) -> Iterator[int]:
    at = text.find(piece, start, end)
    while at >= 0:
        yield at
        at = text.find(piece, at + 1, end)


def _blocks(pairs: Iterable[tuple[int, int, int, int]]) -> tuple[Block, ...]:
    """Join characters of a piece and of a text that are equally far apart in both."""
    blocks: list[list[int]] = []
    for a, b, c, d in pairs:
        if blocks and blocks[-1][0] - blocks[-1][2] == a - c and blocks[-1][1] - blocks[-1][3] == b - d:
            blocks[-1][1], blocks[-1][3] = b, d
        else:
            blocks.append([a, b, c, d])
    return tuple(Block((a, b), (c, d)) for a, b, c, d in blocks)
