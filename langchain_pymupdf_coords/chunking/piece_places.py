"""Where in a text a piece may stand that a text splitter made of it, rewritten or not.

All offsets are half-open code-point offsets. *Squeezed* offsets count characters other than white space. A
*pair* is ``(start, end, text_start, text_end)``: a letter of the piece and the letter of the text that it is.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nsmallest
from itertools import islice

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from langchain_pymupdf_coords.chunking.cutting import is_inside_word
from langchain_pymupdf_coords.folding import FoldedText, fold, fold_letters

Pair = tuple[int, int, int, int]

# Where equal letters begin in the piece and in the text, and how many they are.
_Stretch = tuple[int, int, int]

# Equal stretches say where a piece is from if they are this long. A piece of which less is in such stretches is
# not from this text.
_TELLING_LENGTH = 8

_LEAST_FOUND = 0.5

# Shorter ones do if there is hardly anything else in the piece, and it is not too short for chance.
_SHORT_LENGTH = 3

_MOST_FOUND = 0.8

_NOT_TOO_SHORT = 16


def resembling_pairs(
    piece: str, letters: FoldedText, text: str, view: FoldedText, window: tuple[int, int]
) -> list[Pair]:
    """Return the letters that a piece has in common with the part of a text most like it.

    Args:
        piece: The piece.
        letters: The piece, folded.
        text: The text.
        view: The text, folded.
        window: The letters of the text among which to look, half-open.

    Returns:
        The pairs in order; none if the piece is not like the text.
    """
    size = len(letters.text)
    start, end = window
    near = fuzz.partial_ratio_alignment(letters.text, view.text[start:end]) if size and start < end else None
    if near is None:
        return []
    # What was added to the piece leads to as many letters beside its place, where nothing is equal.
    short = _stretches(letters.text, view.text, start + near.dest_start, start + near.dest_end)
    if size >= _NOT_TOO_SHORT and sum(length for _, _, length in short) >= _MOST_FOUND * size:
        return _whole_words(piece, text, [*_pairs(short, letters, view)])
    long = [stretch for stretch in short if stretch[2] >= _TELLING_LENGTH]
    pairs = [pair for one in long for pair in _whole_words(piece, text, [*_pairs([one], letters, view)])]
    return pairs if len(pairs) >= _LEAST_FOUND * size else []


def _stretches(letters: str, text: str, start: int, end: int) -> list[_Stretch]:
    """Return the equal stretches of a piece and of ``text[start:end]``, one or two letters left out."""
    return [
        (code.src_start, start + code.dest_start, code.src_end - code.src_start)
        for code in Indel.opcodes(letters, text[start:end])
        if code.tag == "equal" and code.src_end - code.src_start >= _SHORT_LENGTH
    ]


def _pairs(stretches: Iterable[_Stretch], letters: FoldedText, view: FoldedText) -> Iterator[Pair]:
    for a, b, length in stretches:
        places = zip(letters.starts[a:], letters.ends[a:], view.starts[b:], view.ends[b:], strict=False)
        yield from islice(places, length)


def _whole_words(piece: str, text: str, pairs: list[Pair]) -> list[Pair]:
    """Drop what is equal by chance at both ends: letters of words that differ."""

    def cuts_word(in_piece: int, in_text: int) -> bool:
        return is_inside_word(piece, in_piece) or is_inside_word(text, in_text)

    first, last = 0, len(pairs)
    while first < last and cuts_word(pairs[first][0], pairs[first][2]):
        first += 1
    while first < last and cuts_word(pairs[last - 1][1], pairs[last - 1][3]):
        last -= 1
    return pairs[first:last]


Span = tuple[int, int]

# How far behind the piece before it a piece is looked for first, in characters.
_REACH = 1000

_MOST_PLACES = 48

# What tokenizers decode a part of a character to.
_HALF_CHARACTERS = re.compile(r"^[\s\ufffd]+|[\s\ufffd]+$")


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a piece and the stretch of the text that it shows."""

    piece: Span
    text: Span

    def cut(self, start: int, end: int) -> Span:
        """Return the part of the piece that shows what the stretch has of ``text[start:end]``."""
        first = self.piece[0] + max(0, start - self.text[0])
        last = self.piece[1] - max(0, self.text[1] - end)
        return min(first, self.piece[1]), max(last, self.piece[0])


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
        stretches = self._stretches(start, end)
        return (stretches[0][0], stretches[-1][1]) if stretches else None

    def parts_in_piece(self, piece: str, start: int, end: int) -> list[Span]:
        """Return the parts of the piece that show ``text[start:end]``, without letters of other places."""
        parts: list[Span] = []
        for first, last in self._stretches(start, end):
            if parts and not fold_letters(piece[parts[-1][1] : first]):
                first = parts.pop()[0]
            parts.append((first, last))
        return parts

    def _stretches(self, start: int, end: int) -> list[Span]:
        first = bisect_right(self.blocks, start, key=lambda block: block.text[1])
        last = bisect_left(self.blocks, end, key=lambda block: block.text[0])
        return [block.cut(start, end) for block in self.blocks[first:last]]


@dataclass(frozen=True, slots=True)
class Place:
    """A possible place of a piece: its squeezed span in the text, and what both have in common."""

    start: int
    end: int
    placement: Placement


@dataclass(frozen=True, slots=True)
class Search:
    """What is known of the place of a piece from the pieces before it, in squeezed offsets.

    Attributes:
        after: Where it begins at the earliest.
        near: Where the pieces before it end.
        expected: Where it should begin.
    """

    after: int
    near: int
    expected: float


def squeeze(text: str) -> FoldedText:
    """Return a text without its white space, with the place of each character."""
    starts = [at for at, char in enumerate(text) if not char.isspace()]
    return FoldedText("".join(text.split()), starts, [at + 1 for at in starts])


@dataclass
class PlaceFinder:
    """Finds places of pieces in one text.

    Attributes:
        text: The text.
        verbatim: Whether every piece stands in the text as it is, white space included.
    """

    text: str
    verbatim: bool = False
    squeezed: FoldedText = field(init=False)

    def __post_init__(self) -> None:
        self.squeezed = squeeze(self.text)

    @cached_property
    def _folded(self) -> FoldedText:
        return fold(self.text)

    def places(self, piece: str, search: Search) -> Iterator[list[Place]]:
        """Yield the places of a piece that are found in one way, then those found in ways that ask for less.

        It has the same characters, white space aside; the same but for half characters at its ends; the same
        letters and digits; or long stretches of them, and then only the place most like it counts.
        """
        equal = self._equal(self.squeezed, piece, squeeze(piece), search)
        yield [place for place in equal if len(place.placement.blocks) == 1] if self.verbatim else equal
        if "\ufffd" in piece:
            whole = _HALF_CHARACTERS.sub(lambda match: " " * len(match.group()), piece)
            yield self._equal(self.squeezed, piece, squeeze(whole), search)
        letters = fold(piece)
        yield self._equal(self._folded, piece, letters, search)
        yield list(self._alike(piece, letters, search))

    def _equal(self, view: FoldedText, piece: str, folded: FoldedText, search: Search) -> list[Place]:
        if not folded.text:
            return []
        start = self._index_in(view, search.after)
        reach = self._index_in(view, search.near) + 2 * len(folded.text) + _REACH
        found = list(_occurrences(view.text, folded.text, start, reach))
        if not found:
            found = [at for at in [view.text.find(folded.text, start)] if at >= 0]
        expected = self._index_in(view, max(0, round(search.expected)))
        close = nsmallest(_MOST_PLACES, found, key=lambda at: abs(at - expected))
        return [self._place(self._blocks(view, at, piece, folded)) for at in close]

    def _blocks(self, view: FoldedText, at: int, piece: str, folded: FoldedText) -> tuple[Block, ...]:
        first, last = folded.starts[0], folded.ends[-1]
        start, end = view.starts[at], view.ends[at + len(folded.text) - 1]
        if start >= first and self.text.startswith(piece, start - first):
            return (Block((0, len(piece)), (start - first, start - first + len(piece))),)
        if self.text[start:end] == piece[first:last]:
            return (Block((first, last), (start, end)),)
        return _joined(zip(folded.starts, folded.ends, view.starts[at:], view.ends[at:], strict=False))

    def _alike(self, piece: str, letters: FoldedText, search: Search) -> Iterator[Place]:
        """Yield the place most like a piece, if it is like enough."""
        start = self._index_in(self._folded, search.after)
        end = self._index_in(self._folded, search.near) + 3 * len(letters.text) + _REACH
        pairs = resembling_pairs(piece, letters, self.text, self._folded, (start, end))
        if pairs:
            yield self._place(_joined(pairs))

    def _index_in(self, view: FoldedText, at: int) -> int:
        """Return where in a view the squeezed offset ``at`` is."""
        if view is self.squeezed:
            return at
        starts = self.squeezed.starts
        return bisect_left(view.starts, starts[at]) if at < len(starts) else len(view.text)

    def _place(self, blocks: tuple[Block, ...]) -> Place:
        span = blocks[0].text[0], blocks[-1].text[1]
        start, end = (bisect_left(self.squeezed.starts, at) for at in span)
        return Place(start, end, Placement(span, blocks))


def _occurrences(text: str, piece: str, start: int, end: int) -> Iterator[int]:
    at = text.find(piece, start, end)
    while at >= 0:
        yield at
        at = text.find(piece, at + 1, end)


def _joined(pairs: Iterable[Pair]) -> tuple[Block, ...]:
    """Join characters of a piece and of a text that are equally far apart in both."""
    blocks: list[list[int]] = []
    for a, b, c, d in pairs:
        if blocks and blocks[-1][0] - blocks[-1][2] == a - c and blocks[-1][1] - blocks[-1][3] == b - d:
            blocks[-1][1], blocks[-1][3] = b, d
        else:
            blocks.append([a, b, c, d])
    return tuple(Block((a, b), (c, d)) for a, b, c, d in blocks)
