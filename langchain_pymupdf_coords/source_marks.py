"""Marks with which an answer names its sources: ``[1]``, ``[2, 3]``, ``[^1]``, ``(source 1)``, ``【1】``."""

# ruff: noqa: RUF001 - models write ranges with dashes of either kind

import re

_WORDS = (
    "source|doc|document|ref|quelle|dokument|fuente|documento|fonte|référence|bron|källa|kilde|źródło"
    "|источник|来源|文献|出典|資料|출처"
)
_WORD = rf"(?:{_WORDS})(?:n|s|es)?[.:]?\s?"
_NUMBERS = r"\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20}"

MARK = (
    rf"(?i:\[\^?(?:{_WORD})?{_NUMBERS}\](?:\([^()\s]*\))?"
    rf"|\((?:{_WORD}){_NUMBERS}\)"
    r"|【\d{1,3}[^】\n]{0,60}】)"
)
"""Pattern of a mark. Years, having four digits, are none."""

_NUMBER = re.compile(r"(?P<first>\d{1,3})(?:\s?[–-]\s?(?P<last>\d{1,3}))?")
_LENTICULAR = re.compile(r"【(?P<number>\d{1,3})(?:†[^】]*)?】")
_LONGEST_RANGE = 20


def mark_numbers(mark: str) -> tuple[int, ...]:
    """Return the numbers of a mark in order.

    ``[2-4]`` names 2, 3 and 4. A mark of OpenAI's assistants, ``【4:0†source】``, counts messages and not
    sources, so it has none.
    """
    if mark.startswith("【"):
        match = _LENTICULAR.fullmatch(mark)
        return (int(match["number"]),) if match else ()
    numbers: list[int] = []
    for match in _NUMBER.finditer(mark.partition("](")[0]):
        first, last = int(match["first"]), int(match["last"] or match["first"])
        numbers += range(first, last + 1) if first <= last < first + _LONGEST_RANGE else (first, last)
    return tuple(dict.fromkeys(numbers))


def without_marks(text: str) -> str:
    """Return a text without its source marks."""
    return re.sub(MARK, "", text)
