"""What a text says, sign by sign, however it is written.

A text is read into signs: letters, digits and symbols, without marks of Markdown, HTML and LaTeX, with
entities and escapes undone, and with one form for what is written in several (dashes, quotation marks, "≥"
and ">="). Two texts that read alike say the same; what they were written with is kept as `forms`.

Two signs stand for what has no letter: `RAISED` before what is set as a superscript (so that 10⁶ is not 106),
and `APART`, a space, between two digits that something sets apart.

All offsets are half-open code-point offsets into the text.
"""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from langchain_pymupdf_coords.quotes.scripts import is_mark_of_letter

RAISED = "^"

APART = " "


@dataclass(frozen=True, slots=True)
class Reading:
    """The signs of a text.

    Attributes:
        signs: One character for each sign.
        keys: The same without case: what is compared first.
        starts: For each sign, where its source begins.
        ends: For each sign, where its source ends, exclusive.
        breaks: Places in `signs` that white space or the border of a cell stands before.
        struck: For each sign, whether it is struck out.
        forms: What the text is written with, by kind: source offset of each piece that is not plain.
    """

    signs: str
    keys: str
    starts: list[int]
    ends: list[int]
    breaks: frozenset[int]
    struck: frozenset[int]
    forms: tuple[tuple[int, str], ...]

    def is_edge(self, at: int) -> bool:
        """Whether a place in `signs` lies between two words."""
        if at <= 0 or at >= len(self.signs) or at in self.breaks:
            return True
        return not (is_letter(self.signs[at - 1]) and is_letter(self.signs[at]))

    def word_start(self, at: int) -> int:
        """Where the word that goes on at a place in `signs` begins."""
        while not self.is_edge(at):
            at -= 1
        return at

    def words_around(self, start: int, end: int) -> tuple[int, int]:
        """A span of signs, grown to whole words."""
        while not self.is_edge(end):
            end += 1
        return self.word_start(start), end


@lru_cache(maxsize=1 << 14)
def is_letter(sign: str) -> bool:
    """Whether a sign is a letter, a digit, or a mark that is a letter of its script."""
    return sign.isalnum() or unicodedata.category(sign)[0] == "M"


@lru_cache(maxsize=1 << 14)
def joins_before(char: str) -> bool:
    """Whether a character is a mark upon the one before, or a part of its syllable."""
    return unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff" or char in "\uff9e\uff9f"


@lru_cache(maxsize=1 << 14)
def signs_of(char: str) -> str:
    """The signs that a character shows: ligatures and width forms undone, pointing left out."""
    decomposition = unicodedata.decomposition(char)
    category = unicodedata.category(char)
    if category[0] == "M":
        return char if is_mark_of_letter(char) and not "\ufe00" <= char <= "\ufe0f" else ""
    if category in ("Cf", "Cc"):
        return ""
    if decomposition.startswith("<super>"):
        return RAISED + unicodedata.normalize("NFKC", char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    shown = unicodedata.normalize("NFKC", char)
    keep = category[0] in "SP" and not any(map(str.isalnum, shown)) and len(shown) > 1
    return char if keep else shown.replace("\u2044", "/")


@lru_cache(maxsize=1 << 12)
def is_superscript(char: str) -> bool:
    """Whether a character is a superscript of its own: ², ⁿ."""
    return len(char) == 1 and unicodedata.decomposition(char).startswith("<super>")


@lru_cache(maxsize=1 << 14)
def _key(sign: str) -> str:
    folded = sign.casefold()
    return folded if len(folded) == 1 else sign.lower()[:1]


def keys_of(signs: str) -> str:
    """Signs without case, one for one."""
    return signs.lower() if signs.isascii() else "".join(map(_key, signs))
