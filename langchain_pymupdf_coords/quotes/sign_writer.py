# ruff: noqa: RUF001  (signs of every kind are what this is about)
"""Signs as they are written down, one by one."""

from langchain_pymupdf_coords.quotes.notations import PLAIN_SIGNS
from langchain_pymupdf_coords.quotes.reading import APART, RAISED, is_letter, is_superscript, signs_of

PLAIN_BULLETS = frozenset("•‣◦▪▫¦")

_UNSEEN = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u061c\ufe0e\ufe0f\u0640\u00b6")


class SignWriter:
    """Takes in letters, symbols and gaps of a text, and keeps its signs.

    Attributes:
        signs: The signs so far.
        starts: Where the source of each begins.
        ends: Where it ends.
        breaks: Signs that white space stands before.
        struck: Signs that are struck out.
        has_gap: Whether white space stands before the next sign.
        is_raised: Whether the next sign begins a superscript.
        is_struck: Whether the next sign is struck out.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.signs: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.breaks: set[int] = set()
        self.struck: set[int] = set()
        self.has_gap = True
        self.is_raised = False
        self.is_struck = False

    def emit(self, sign: str, start: int, end: int) -> None:
        """Take in a letter or digit, with what sets it apart or high."""
        if self.has_gap and sign.isdigit() and self._is_after_digit():
            self.append(APART, self.ends[-1], start)
        if self.is_raised:
            self.is_raised = False
            if not (self.signs and self.signs[-1] == RAISED):
                self.append(RAISED, start, start)
        self.append(sign, start, end)

    def append(self, sign: str, start: int, end: int) -> None:
        """Take in a sign as it is."""
        if self.has_gap:
            self.breaks.add(len(self.signs))
            self.has_gap = False
        if self.is_struck:
            self.struck.add(len(self.signs))
        self.signs.append(sign)
        self.starts.append(start)
        self.ends.append(end)

    def _is_after_digit(self) -> bool:
        """Whether the sign before is a digit, or a separator after one: "100, 200" is no "100,200"."""
        before = self.signs[-2:]
        return bool(before) and (before[-1].isdigit() or (before[0].isdigit() and before[-1] in ".,:;"))

    def letters(self, word: str, start: int, end: int) -> None:
        """Take in letters, or digits, that stand together."""
        self.emit(word[0], start, start + 1)
        if self.is_struck:
            self.struck.update(range(len(self.signs), len(self.signs) + len(word) - 1))
        self.signs += word[1:]
        self.starts += range(start + 1, end)
        self.ends += range(start + 2, end + 1)

    def write(self, text: str, start: int, end: int) -> None:
        """Take in characters that an escape stands for."""
        for char in text:
            self.character(char, start, end)

    def character(self, char: str, start: int, end: int) -> None:
        """Take in what a character shows."""
        if char.isspace():
            self.has_gap = True
            return
        if char in _UNSEEN or char in PLAIN_BULLETS:
            return
        if char.isascii():
            if char.isalnum():
                self.emit(char, start, end)
            else:
                self.append_symbol(char, start, end)
            return
        plain = PLAIN_SIGNS.get(ord(char))
        if plain is not None:
            self.append_symbol(plain, start, end)
            return
        shown = signs_of(char)
        if shown.startswith(RAISED):
            self.is_raised = not (self._goes_on_raised())
            shown = shown[1:]
        for number, sign in enumerate(shown):
            if number == 0 and "/" in shown and self.signs and self.signs[-1].isdigit():
                self.has_gap = True
            if is_letter(sign):
                self.emit(sign, start, end)
            else:
                self.append_symbol(PLAIN_SIGNS.get(ord(sign), sign), start, end)

    def _goes_on_raised(self) -> bool:
        """Whether the sign before is a raised one, which this one goes on."""
        at = len(self.signs) - 1
        while at >= 0 and not self.has_gap and at not in self.breaks:
            if self.signs[at] == RAISED:
                return True
            if not is_superscript(self._text[self.starts[at] : self.ends[at]]):
                return False
            at -= 1
        return False

    def append_symbol(self, sign: str, start: int, end: int) -> None:
        """Take in a sign that is no letter."""
        if self.is_raised and sign in "*_`":
            return
        if sign in "′″.,;:{}()[]":
            self.is_raised = False  # a prime is raised anyway, and punctuation no exponent
        if self.is_raised:
            self.emit(sign, start, end)
        else:
            self.append(sign, start, end)
