"""What a piece that a text splitter has rewritten still has in common with the text that it is from.

A *pair* is ``(start, end, text_start, text_end)``: a letter of the piece and the letter of the text that it is,
each by its half-open code-point offsets.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from langchain_pymupdf_coords.folding import FoldedText
from langchain_pymupdf_coords.text_cutting import is_inside_word

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
