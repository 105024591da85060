"""Whether a text is the one that its coordinates count in, and where the lines stand in it if it is not.

Texts are changed after they were loaded: a title put in front, white space cleaned, a splitter that knows nothing
of coordinates. The text as it was is not stored. What is stored is a short digest of it and, for each line, how
many letters and digits it holds and a hash of them: enough to find a line in the changed text, and to say of a
line that is no longer there that it is not.
"""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from langchain_pymupdf_coords.folding import FoldedText, fold

Span = tuple[int, int]

DIGEST_FORM = re.compile(r"(?P<text>[0-9a-f]{16})(?:\.(?P<lines>[A-Za-z0-9_-]*))?")

# A line with fewer letters is found beside another line, not by itself: its letters may stand anywhere.
_TELLING_LENGTH = 8

# The mark of a line is its number of letters and then a hash of them. Tables have many short lines, whose marks are
# told apart by their first bit; less of a hash does for them, since they are found beside other lines only.
_BYTES, _LENGTH_BITS, _HASH_BITS = 4, 10, 21

_SHORT_BYTES, _SHORT_LENGTH_BITS, _SHORT_HASH_BITS = 2, 3, 12

_BASE, _MODULUS = 1_000_003, (1 << 61) - 1

_MOST_PLACES = 16

# What speaks for lines that follow each other as they did, in letters.
_BONUS = 4

_CLOSING = re.compile(r"[^\w\s|]*")


def text_digest(content: str, lines: Sequence[Span]) -> str:
    """Return ``metadata["text_digest"]`` for a text and the spans of its lines.

    Args:
        content: The text, ``page_content``.
        lines: Half-open spans of its lines, in the order in which ``metadata["lines"]`` has them.
    """
    folded = fold(content)
    marks = b"".join(_mark(folded.text[slice(*folded.folded_span(*line))]) for line in lines)
    whole = _whole(content)
    return f"{whole}.{base64.urlsafe_b64encode(marks).decode().rstrip('=')}" if marks else whole


def is_text_of(content: str, digest: str) -> bool:
    """Tell whether a text is the one that a digest was made of."""
    return digest.startswith(_whole(content))


def line_count(digest: str) -> int:
    """Return how many lines a digest knows of."""
    return len(_marks(digest))


def _whole(content: str) -> str:
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _mark(letters: str) -> bytes:
    length, hashed = len(letters), _hash(letters)
    if length < _TELLING_LENGTH:
        form = 1 << _SHORT_LENGTH_BITS | length
        return (form << _SHORT_HASH_BITS | hashed & _mask(length)).to_bytes(_SHORT_BYTES)
    # A line that is too long to be counted, as hardly any is, cannot be found again.
    counted = length if length < 1 << _LENGTH_BITS else 0
    return (counted << _HASH_BITS | hashed & _mask(length)).to_bytes(_BYTES)


def _mask(length: int) -> int:
    """Return the bits of the hash that are stored of a line of this many letters."""
    return (1 << (_SHORT_HASH_BITS if length < _TELLING_LENGTH else _HASH_BITS)) - 1


def _hash(letters: str) -> int:
    value = 0
    for letter in letters:
        value = (value * _BASE + ord(letter)) % _MODULUS
    return value


@lru_cache(maxsize=256)
def moved_lines(content: str, digest: str) -> tuple[Span | None, ...]:
    """Find the lines of a text in what became of it.

    Long lines are found by their letters, as many as can be in their order, those first that follow each other
    as they did. Short lines are found beside them only.

    Args:
        content: The changed text.
        digest: ``metadata["text_digest"]``, made of the text as it was.

    Returns:
        For each line its span in the changed text; None where it does not stand there, or may stand in several
        places.
    """
    marks = _marks(digest)
    folded = fold(content)
    windows = _Windows(folded.text)
    found = _best_chain(marks, windows)
    _extend(found, marks, windows)
    doubtful = _doubtful(found, marks)
    return tuple(
        None if number in doubtful or number not in found else _span(content, folded, found[number])
        for number in range(len(marks))
    )


Mark = tuple[int, int]


def _marks(digest: str) -> list[Mark]:
    match = DIGEST_FORM.fullmatch(digest)
    encoded = (match["lines"] or "") if match else ""
    raw = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)) if len(encoded) % 4 != 1 else b""
    marks, at = [], 0
    while at < len(raw):
        size, bits = (_SHORT_BYTES, _SHORT_HASH_BITS) if raw[at] & 0x80 else (_BYTES, _HASH_BITS)
        mark = int.from_bytes(raw[at : at + size]) & ((1 << 8 * size - (size == _SHORT_BYTES)) - 1)
        marks.append((mark >> bits, mark & ((1 << bits) - 1)))
        at += size
    return marks


class _Windows:
    """The hash of any stretch of some letters, at once."""

    def __init__(self, letters: str) -> None:
        self.length = len(letters)
        self._hashes, self._powers = [0], [1]
        for letter in letters:
            self._hashes.append((self._hashes[-1] * _BASE + ord(letter)) % _MODULUS)
            self._powers.append(self._powers[-1] * _BASE % _MODULUS)
        self._places: dict[int, dict[int, list[int]]] = {}

    def holds(self, start: int, mark: Mark) -> bool:
        """Tell whether the letters of a line begin at a place."""
        return mark[0] > 0 and 0 <= start <= self.length - mark[0] and self._hash(start, mark[0]) == mark[1]

    def places(self, mark: Mark) -> list[int]:
        """Return where the letters of a line begin."""
        length, wanted = mark
        if length not in self._places:
            by_hash = self._places[length] = {}
            for start in range(self.length - length + 1):
                by_hash.setdefault(self._hash(start, length), []).append(start)
        return self._places[length].get(wanted, [])

    def _hash(self, start: int, length: int) -> int:
        value = self._hashes[start + length] - self._hashes[start] * self._powers[length]
        return value % _MODULUS & _mask(length)


@dataclass(frozen=True, slots=True)
class _Hit:
    """A place of a line, the last of a chain of lines in order."""

    line: int
    start: int
    end: int
    weight: int
    before: "_Hit | None"


def _best_chain(marks: Sequence[Mark], windows: _Windows) -> dict[int, Span]:
    """Return the places in order, of lines in order, that hold the most letters."""
    best: list[_Hit | None] = [None] * (windows.length + 1)  # a binary indexed tree of the best up to an end
    ending: dict[Span, _Hit] = {}
    top: _Hit | None = None
    for number, mark in enumerate(marks):
        starts = windows.places(mark) if mark[0] >= _TELLING_LENGTH else []
        hits = [_after(number, start, mark[0], best, ending) for start in starts[:_MOST_PLACES]]
        for hit in hits:
            _enter(best, hit)
            ending[number, hit.end] = hit
            top = hit if top is None or hit.weight > top.weight else top
    chain: dict[int, Span] = {}
    while top is not None:
        chain[top.line] = top.start, top.end
        top = top.before
    return chain


def _after(
    number: int, start: int, length: int, best: Sequence[_Hit | None], ending: dict[Span, _Hit]
) -> _Hit:
    before, at = None, start
    while at > 0:
        entry = best[at]
        if entry is not None and (before is None or entry.weight > before.weight):
            before = entry
        at -= at & -at
    weight = before.weight if before else 0
    beside = ending.get((number - 1, start))
    if beside is not None and beside.weight + _BONUS >= weight:
        before, weight = beside, beside.weight + _BONUS
    return _Hit(number, start, start + length, weight + length, before)


def _enter(best: list[_Hit | None], hit: _Hit) -> None:
    at = hit.end
    while at < len(best):
        entry = best[at]
        if entry is None or entry.weight < hit.weight:
            best[at] = hit
        at += at & -at


def _extend(found: dict[int, Span], marks: Sequence[Mark], windows: _Windows) -> None:
    """Add lines that stand right after, or right before, one that was found."""
    for number in range(1, len(marks)):
        if number - 1 in found and number not in found:
            _add(found, number, found[number - 1][1], marks, windows)
    for number in range(len(marks) - 2, -1, -1):
        if number + 1 in found and number not in found:
            _add(found, number, found[number + 1][0] - marks[number][0], marks, windows)


def _add(found: dict[int, Span], number: int, start: int, marks: Sequence[Mark], windows: _Windows) -> None:
    end = start + marks[number][0]
    taken = any(
        start < b and a < end for other in (number - 1, number + 1) for a, b in [found.get(other, (0, 0))]
    )
    if not taken and windows.holds(start, marks[number]):
        found[number] = start, end


def _doubtful(found: dict[int, Span], marks: Sequence[Mark]) -> set[int]:
    """Return the found lines that have a namesake, and no neighbour that says which of them it is."""
    times = Counter(marks)
    beside = {
        line
        for a, b in pairwise(sorted(found))
        if b == a + 1 and found[a][1] == found[b][0]
        for line in (a, b)
    }
    return {number for number in found if times[marks[number]] > 1 and number not in beside}


def _span(content: str, folded: FoldedText, letters: Span) -> Span:
    """Return the span of some letters, with the punctuation that closes it."""
    start, end = folded.source_span(*letters)
    following = folded.starts[letters[1]] if letters[1] < len(folded.text) else len(content)
    closing = _CLOSING.match(content, end, following)
    return start, closing.end() if closing else end
