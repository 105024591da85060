"""The words of a file in the order of its pages, and the letters that texts of other loaders are sought in.

A position counts letters and digits from the beginning of the file. Letters are compared without their accents:
one loader composes them, another leaves them out. Coordinates are in the displayed frame.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain

from langchain_pymupdf_coords.folding import fold_glyphs
from langchain_pymupdf_coords.geometry import BBox, PageSize

# Words whose lower edges are this close (points) stand in one visual row.
_SAME_ROW = 3.0


# Words with a wider gap (in heights) are cells of their own; a cell is below another if it is this near (in heights).
_CELL_GAP = 1.5

_LINE_GAP = 3.0


_LAST_LATIN = "\u02ff"


class _Bases(dict[int, str]):
    """Each letter without its accents; a syllable of Hangul stays whole."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        decomposed = unicodedata.normalize("NFD", char)
        self[code] = decomposed[0] if all(map(unicodedata.combining, decomposed[1:])) else char
        return self[code]


_BASES = _Bases()


def without_accents(letters: str) -> str:
    """Return as many letters, each without its accents."""
    return letters if letters.isascii() else letters.translate(_BASES)


@dataclass(frozen=True, slots=True)
class PageWord:
    """A word as the page draws it.

    Attributes:
        text: Its characters.
        bbox: What its ink darkens, ``(x0, y0, x1, y1)`` in the displayed frame, in points.
        line: Number of its line in the block.
        block: Number of its block of lines on the page.
    """

    text: str
    bbox: BBox
    line: int
    block: int


class Order:
    """The letters of a page in one of the orders in which they can be read.

    Attributes:
        letters: The letters in this order.
        places: For each of them its place in the order of the page.
        begins: For each of them whether a word begins with it.
    """

    def __init__(self, letters: str, words: Iterable[Sequence[int]]) -> None:
        """Take the letters of a page, and the places of its words in another order."""
        words = list(words)
        self.places = [*chain.from_iterable(words)]
        self.letters = "".join([letters[place] for place in self.places])
        self.begins = bytearray(len(self.places))
        for start in accumulate(map(len, words[:-1]), initial=0) if words else ():
            self.begins[start] = True

    @cached_property
    def ranks(self) -> list[int]:
        """For each letter in the order of the page its place in this order."""
        ranks = [0] * len(self.places)
        for rank, place in enumerate(self.places):
            ranks[place] = rank
        return ranks


class PageWords:
    """The words of a page that have letters or digits.

    Attributes:
        size: Width and height of the displayed page in points.
        words: The words in the order of the page.
        letters: Their letters and digits, one after the other.
        starts: Where the letters of each word begin.
        all_words: All words of the page, also those of symbols only.
    """

    def __init__(self, words: Iterable[PageWord], size: PageSize) -> None:
        """Take the words of a page in the order in which the page draws them."""
        self.size = size
        self.all_words = tuple(words)
        self.words: list[PageWord] = []
        self.starts: list[int] = []
        parts: list[str] = []
        length = 0
        for word in self.all_words:
            folded = _letters(word.text)
            if folded:
                self.words.append(word)
                self.starts.append(length)
                parts.append(folded)
                length += len(folded)
        self.letters = "".join(parts)

    def letters_of(self, word: int) -> range:
        """Return the places of the letters of a word."""
        following = self.starts[word + 1] if word + 1 < len(self.starts) else len(self.letters)
        return range(self.starts[word], following)

    def begins_line(self, word: int) -> bool:
        """Tell whether a word is the first of a line as the page draws it."""
        here, before = self.words[word], self.words[word - 1]
        return not word or (here.block, here.line) != (before.block, before.line)

    @cached_property
    def drawn(self) -> Order:
        """The letters as the page draws them."""
        return Order(self.letters, map(self.letters_of, range(len(self.words))))

    @cached_property
    def backward(self) -> Order:
        """The letters from the last to the first: so are lines written that run up or to the left."""
        return Order(self.letters, (self.letters_of(word)[::-1] for word in reversed(range(len(self.words)))))

    @cached_property
    def rows(self) -> Order:
        """The letters in visual rows from top to bottom, each from left to right, across columns."""
        return Order(self.letters, chain.from_iterable(map(self._overprinted, self._visual_rows)))

    @cached_property
    def _visual_rows(self) -> list[list[int]]:
        rows: list[list[int]] = []
        for number in sorted(range(len(self.words)), key=lambda number: self.words[number].bbox[3]):
            bottom = self.words[number].bbox[3]
            if rows and bottom - self.words[rows[-1][-1]].bbox[3] <= _SAME_ROW:
                rows[-1].append(number)
            else:
                rows.append([number])
        return [sorted(row, key=lambda number: self.words[number].bbox[0]) for row in rows]

    @cached_property
    def visual(self) -> Order:
        """The letters in visual rows from left to right, also those of words that are read from right to left."""
        if not any(map(_is_from_right, self.letters)):
            return self.rows
        words = (self._as_seen(word) for row in self._visual_rows for word in row)
        return Order(self.letters, words)

    def _as_seen(self, word: int) -> Sequence[int]:
        places = self.letters_of(word)
        from_right = sum(_is_from_right(self.letters[place]) for place in places)
        return places[::-1] if 2 * from_right > len(places) else places

    @cached_property
    def columns(self) -> Order:
        """The letters column after column: the cells of a table from top to bottom."""
        columns: list[list[list[int]]] = []
        for cell in sorted(self._cells(), key=lambda cell: self.words[cell[0]].bbox[3]):
            above = [column for column in columns if self._is_above(column[-1], cell)]
            home = max(above, key=lambda column: self.words[column[-1][0]].bbox[3], default=None)
            if home is None:
                columns.append([cell])
            else:
                home.append(cell)
        order = (word for column in columns for cell in column for word in cell)
        return Order(self.letters, map(self.letters_of, order))

    def _cells(self) -> Iterator[list[int]]:
        """Yield the words that stand side by side in one line as the page draws it."""
        cell: list[int] = []
        for number, word in enumerate(self.words):
            gap = word.bbox[0] - self.words[number - 1].bbox[2]
            if cell and (self.begins_line(number) or gap > _CELL_GAP * (word.bbox[3] - word.bbox[1])):
                yield cell
                cell = []
            cell.append(number)
        if cell:
            yield cell

    def _is_above(self, upper: Sequence[int], lower: Sequence[int]) -> bool:
        """Tell whether one cell stands right above another."""
        a, b = self.words[upper[0]].bbox, self.words[lower[0]].bbox
        left, right = max(a[0], b[0]), min(self.words[upper[-1]].bbox[2], self.words[lower[-1]].bbox[2])
        height = max(a[3] - a[1], b[3] - b[1])
        return right > left and 0 < b[3] - a[3] <= _LINE_GAP * height

    def _overprinted(self, row: Sequence[int]) -> Iterator[Sequence[int]]:
        """Yield the places of the words of a row; those of a word that is drawn several times, letter by letter."""
        copies: list[int] = []
        for number in row:
            if copies and not self._is_copy(copies[0], number):
                yield self._letter_by_letter(copies)
                copies = []
            copies.append(number)
        if copies:
            yield self._letter_by_letter(copies)

    def _is_copy(self, first: int, second: int) -> bool:
        """Tell whether a word is drawn over an equal one, at most half a letter aside."""
        one, other = self.words[first], self.words[second]
        letter = (one.bbox[2] - one.bbox[0]) / len(one.text)
        return one.text == other.text and abs(one.bbox[0] - other.bbox[0]) <= letter / 2

    def _letter_by_letter(self, copies: Sequence[int]) -> Sequence[int]:
        places = map(self.letters_of, copies)
        return [*chain.from_iterable(zip(*places, strict=True))]


def _letters(text: str) -> str:
    # Character by character, as the page draws them: an accent that is a character of its own is dropped.
    folded = fold_glyphs(text) if text.isascii() else "".join(map(fold_glyphs, text))
    return without_accents(folded)


def _is_from_right(letter: str) -> bool:
    return letter > _LAST_LATIN and unicodedata.bidirectional(letter) in ("R", "AL")


def _is_in(bbox: BBox, boxes: Iterable[BBox]) -> bool:
    x, y = (bbox[0] + bbox[2]) / 2, (bbox[1] + bbox[3]) / 2
    return any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in boxes)


class FileWords:
    """The words of all pages of a file.

    Attributes:
        pages: The pages in order.
        letters: Their letters and digits, one page after the other.
        starts: Position of the first letter of each page, and the length of all.
    """

    def __init__(self, pages: Sequence[PageWords]) -> None:
        """Take the pages of a file, from the first to the last."""
        self.pages = pages
        self.letters = "".join(page.letters for page in pages)
        self.starts = [*accumulate((len(page.letters) for page in pages), initial=0)]

    def within(self, boxes: Mapping[int, Sequence[BBox]]) -> "FileWords":
        """Return the words whose centres lie in some boxes of some pages, from 1."""
        return FileWords(
            [
                PageWords(
                    [word for word in page.words if _is_in(word.bbox, boxes.get(number, ()))], page.size
                )
                for number, page in enumerate(self.pages, start=1)
            ]
        )

    @cached_property
    def readings(self) -> tuple[str, ...]:
        """The letters of each page in other orders: in visual rows across columns, backward, column after column."""
        return (
            "".join(page.rows.letters for page in self.pages),
            "".join(page.visual.letters for page in self.pages),
            "".join(page.backward.letters for page in self.pages),
            "".join(page.columns.letters for page in self.pages),
        )

    def page_at(self, position: int) -> int:
        """Return the index of the page, from 0, that has a letter."""
        return bisect_right(self.starts, position) - 1

    def word_at(self, position: int) -> tuple[int, int]:
        """Return the index of the page, from 0, and of the word on it that has a letter."""
        page = self.page_at(position)
        return page, bisect_right(self.pages[page].starts, position - self.starts[page]) - 1

    def is_line(self, first: int, last: int) -> bool:
        """Tell whether letters, from one to another, are all of a line as a page draws it, or of several."""
        (page, word), (other_page, other) = self.word_at(first), self.word_at(last)
        words = self.pages[page]
        if page != other_page:
            return False
        start, end = first - self.starts[page], last - self.starts[page] + 1
        whole = start == words.starts[word] and end == words.letters_of(other).stop
        return (
            whole
            and words.begins_line(word)
            and (other + 1 == len(words.words) or words.begins_line(other + 1))
        )
