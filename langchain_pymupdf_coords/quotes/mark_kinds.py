# ruff: noqa: RUF001  (signs of every kind are what this is about)
"""Kinds of symbols and marks that one side has and the other has not, by what stands beside them."""

import re

from langchain_pymupdf_coords.quotes.reading import Reading
from langchain_pymupdf_coords.quotes.signs import kind_of

OPENING, CLOSING = "([{", ")]}"

_ENCLOSED_NUMBER = re.compile(r"[-+\u20a0-\u20bf$£¥€]{0,2}[\d.,]+[%‰\u20a0-\u20bf$£¥€]?[)\]]")

_LONGEST_ENCLOSED = 24

_GRADE = re.compile("[A-F]{1,3}")

_AFTER_ABBREVIATION = ("", *",;:)")


def typography(signs: str) -> str:
    """Marks in one form, where they have several that say the same."""
    return signs.replace("′", "'").replace("″", '"').replace("''", '"').replace("…", "...").replace("--", "-")


def are_end_marks(mine: str, yours: str) -> bool:
    """Whether a question or exclamation mark stands for another mark."""
    both = mine + yours
    return bool(mine and yours and set(both) & set("?!")) and all(sign in ".,;:!?…" for sign in both)


def kind_of_mark(side: Reading, at: int, *, bordered: bool, in_quote: bool) -> str:
    """The kind of a sign that is no letter, if the other side has it not.

    Args:
        side: The signs that it is among.
        at: Its place.
        bordered: Whether the border of a cell or the end of a line stands there in the text.
        in_quote: Whether it is a sign of the quote.
    """
    sign = side.signs[at]
    kind = kind_of(sign)
    if kind != "punctuation":
        return kind
    before, after = _beside(side, at)
    if sign == "-":
        return _dash(side, at, before, after, bordered)
    if sign in OPENING or sign in CLOSING:
        return _bracket(side.signs, at)
    if after.isdigit() and (before.isdigit() or (sign in ".,:" and not before)):
        return "number"
    if sign == "'" and before.isalnum():
        return "apostrophe"
    if sign in "?!":
        return "operator" if after.isalpha() and sign == "!" and not before.isalnum() else "end_mark"
    if sign == "." and _ends_abbreviation(side.signs, at, before, after):
        return "final_punctuation"
    if sign in ",;:.|/" and bordered and not (before and after):
        return "table_separator"
    if sign == ":" and in_quote and before and not after:
        return "table_separator"  # a label and its value
    return "punctuation"


def _beside(side: Reading, at: int) -> tuple[str, str]:
    """The signs before and after a place, each empty where white space stands between."""
    before = side.signs[at - 1] if at and at not in side.breaks else ""
    is_last = at + 1 >= len(side.signs) or at + 1 in side.breaks
    return before, "" if is_last else side.signs[at + 1]


def _ends_abbreviation(signs: str, at: int, before: str, after: str) -> bool:
    return before.isalpha() and (after in _AFTER_ABBREVIATION or at < 2 or not signs[at - 2].isalpha())


def _bracket(signs: str, at: int) -> str:
    sign, before, after = signs[at], signs[at - 1 : at], signs[at + 1 : at + 2]
    if sign in OPENING:
        if sign == "[" and after.isalpha() and signs[at + 2 : at + 3] in CLOSING:
            return "bracketed_remark"
        return "number_sign" if opens_number(signs, at + 1) else "punctuation"
    if sign == "]" and before.isalpha() and at >= 2 and signs[at - 2] == "[":
        return "bracketed_remark"
    return "number_sign" if before.isdigit() or before in ("%", "‰") else "punctuation"


def ends_in_grade(side: Reading, at: int) -> bool:
    """Whether a grade or rating, which a minus lowers, ends at a place: A, BBB."""
    return _GRADE.fullmatch(side.signs[side.word_start(at - 1) : at]) is not None


def opens_number(signs: str, at: int) -> bool:
    """Whether a number and the bracket that closes it stand at a place."""
    return _ENCLOSED_NUMBER.match(signs[at : at + _LONGEST_ENCLOSED]) is not None


def _dash(side: Reading, at: int, before: str, after: str, bordered: bool) -> str:
    far_after = side.signs[at + 1 : at + 2]
    if before.isdigit() or (after.isdigit() and not before.isalnum()):
        return "number_sign"
    if not before and not after:
        return "table_separator" if bordered else "number_sign" if far_after.isdigit() else "punctuation"
    if not after and ends_in_grade(side, at):
        return "number_sign"
    if before.isalpha() and far_after.isalpha() and not after:
        return "line_end_hyphen"
    if before.isalnum() and after.isalnum():
        return "hyphen"
    return "table_separator" if bordered else "punctuation"
