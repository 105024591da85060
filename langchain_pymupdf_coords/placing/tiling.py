"""Letters of a text laid upon equal letters of some pages, the longest stretches first.

Loaders write the same letters in other orders: columns, cells, rows. So stretches may come in any order; each
letter of a page is used once. What is equal by chance stands alone in foreign text, and is taken off again.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush

from langchain_pymupdf_coords.placing.file_words import FileWords, Order, PageWords

NOWHERE = -1
"""The position of a letter that has no place."""

# Stretches of this many letters are looked for; half as many where each letter is a word or a syllable.
_SHORTEST = 6

_SHORTEST_OF_SYLLABLES = 3

_FIRST_SYLLABLE = "\u2e80"

# What more places of a page have says nothing.
_MOST_PLACES = 60

# A stretch of this many letters counts although nothing beside it on the page is of the text.
_TELLING_LENGTH = 24

# Where a stretch begins in the text and on the page, how long it is.
_Stretch = tuple[int, int, int]


def shortest_stretch(letters: str) -> int:
    """Return how many equal letters say something."""
    syllables = sum(letter >= _FIRST_SYLLABLE for letter in letters)
    return _SHORTEST_OF_SYLLABLES if 2 * syllables > len(letters) else _SHORTEST


class Tiling:
    """A text, and which letters of some pages it has been laid upon.

    Attributes:
        letters: Letters of the text.
        positions: For each of them its position in the file, or ``NOWHERE``.
        used: For each position that is taken the letter of the text that took it.
    """

    def __init__(
        self,
        letters: str,
        begins: Sequence[bool],
        file: FileWords,
        pages: Sequence[int],
        taken: Container[int] = (),
    ) -> None:
        """Begin with no letter placed.

        Args:
            letters: Letters of the text.
            begins: For each of them whether a word begins with it.
            file: The words of the file.
            pages: Indices, from 0, of the pages to look at.
            taken: Positions of other texts: of equal stretches, those that are free come first.
        """
        self.letters = letters
        self.positions = [NOWHERE] * len(letters)
        self.used: dict[int, int] = {}
        self._begins, self._file, self._pages, self._taken = begins, file, pages, taken
        self._shortest = shortest_stretch(letters)

    def lay(self, read: Callable[[PageWords], Sequence[Order]]) -> None:
        """Place stretches, the longest first; of equal ones that which comes first in the first order.

        Args:
            read: Returns the orders in which to read a page.
        """
        orders = [
            (self._file.starts[page], order) for page in self._pages for order in read(self._file.pages[page])
        ]
        waiting = [
            (-length, start + order.places[place] in self._taken, number, at, place)
            for number, (start, order) in enumerate(orders)
            for at, place, length in self._equal_stretches(order)
        ]
        heapify(waiting)
        while waiting:
            negative, taken, number, at, place = heappop(waiting)
            start, order = orders[number]
            targets = [start + step for step in order.places[place : place - negative]]
            runs = list(self._free_runs(at, targets))
            if runs == [(0, -negative)]:
                self.put(at, targets)
                continue
            for first, last in runs:
                if last - first >= self._shortest:
                    heappush(waiting, (first - last, taken, number, at + first, place + first))

    def put(self, at: int, positions: Sequence[int]) -> None:
        """Place letters of the text from ``at`` on."""
        for step, position in enumerate(positions):
            self.positions[at + step] = position
            self.used[position] = at + step

    def take_off(self, first: int, last: int) -> None:
        """Take their places from letters of the text, from ``first`` to before ``last``."""
        for at in range(first, last):
            self.used.pop(self.positions[at], None)
            self.positions[at] = NOWHERE

    def fits(self, at: int, position: int) -> bool:
        """Tell whether a position is free and has the letter of the text at ``at``."""
        return position not in self.used and self._file.letters[position] == self.letters[at]

    def drop_islands(self) -> None:
        """Take off short stretches beside which nothing on the page is of the text."""
        for first, last in self.stretches():
            if last - first < _TELLING_LENGTH and not self._belongs(first, last):
                self.take_off(first, last)

    def stretches(self) -> list[tuple[int, int]]:
        """Return the stretches of letters that follow each other in the text and, either way, in the file."""
        found: list[tuple[int, int]] = []
        step = 0
        for at, position in enumerate(self.positions):
            if position == NOWHERE:
                continue
            taken = position - self.positions[at - 1] if found and found[-1][1] == at else 0
            if taken in (1, -1) and step in (0, taken):
                found[-1], step = (found[-1][0], at + 1), taken
            else:
                found.append((at, at + 1))
                step = 0
        return found

    def beside(self, position: int, step: int) -> Iterator[int]:
        """Yield the positions before (``step`` -1) or after (1) one, as drawn and in rows."""
        for in_rows in (False, True):
            yield from self.following(position, step, 1, in_rows=in_rows)

    def following(self, position: int, step: int, count: int, *, in_rows: bool) -> list[int]:
        """Return up to ``count`` positions after one (before it if ``step`` is -1) on its page, as drawn or in rows."""
        page = self._file.page_at(position)
        start, words = self._file.starts[page], self._file.pages[page]
        order = words.rows if in_rows else words.drawn
        first = order.ranks[position - start] + step
        ranks = range(first, first + step * count, step)
        return [start + order.places[rank] for rank in ranks if 0 <= rank < len(order.places)]

    def _belongs(self, first: int, last: int) -> bool:
        """Tell whether a stretch has a neighbour that is of the text too, or is all of a line of the page."""
        before, after = sorted((self.positions[first], self.positions[last - 1]))
        if any(position in self.used for position in (*self.beside(before, -1), *self.beside(after, 1))):
            return True
        return self._file.is_line(before, after)

    def _equal_stretches(self, order: Order) -> Iterator[_Stretch]:
        """Yield the longest stretches that a text and a page have in common, without halves of different words."""
        index, letters, text = _index(order.letters, self._shortest), self.letters, order.letters
        for at in range(len(letters) - self._shortest + 1):
            places = index.get(letters[at : at + self._shortest], ())
            for place in places if len(places) <= _MOST_PLACES else ():
                if not (at and place and letters[at - 1] == text[place - 1]):
                    length = _common(letters, text, at, place, self._shortest)
                    first, last = self._whole_words(order, at, place, length)
                    if last - first >= self._shortest:
                        yield at + first, place + first, last - first

    def _whole_words(self, order: Order, at: int, place: int, length: int) -> tuple[int, int]:
        """Cut off what is equal by chance at both ends: letters of words that differ."""

        def cuts(step: int) -> bool:
            in_text, on_page = at + step, place + step
            if not 0 < in_text < len(self.letters) or not 0 < on_page < len(order.letters):
                return False
            return not self._begins[in_text] and not order.begins[on_page]

        first, last = 0, length
        while first < last and cuts(first):
            first += 1
        while first < last and cuts(last):
            last -= 1
        return (first, last) if last - first >= length // 2 else (0, length)

    def _free_runs(self, at: int, targets: Sequence[int]) -> Iterator[tuple[int, int]]:
        first = None
        for step, position in enumerate(targets):
            free = self.positions[at + step] == NOWHERE and position not in self.used
            if free and first is None:
                first = step
            elif not free and first is not None:
                yield first, step
                first = None
        if first is not None:
            yield first, len(targets)


def _common(letters: str, text: str, at: int, place: int, length: int) -> int:
    most = min(len(letters) - at, len(text) - place)
    while (
        length + 16 <= most
        and letters[at + length : at + length + 16] == text[place + length : place + length + 16]
    ):
        length += 16
    while length < most and letters[at + length] == text[place + length]:
        length += 1
    return length


@lru_cache(maxsize=16)
def _index(text: str, length: int) -> dict[str, list[int]]:
    """Return where each stretch of a length begins in a text."""
    index: dict[str, list[int]] = {}
    for place in range(len(text) - length + 1):
        index.setdefault(text[place : place + length], []).append(place)
    return index
