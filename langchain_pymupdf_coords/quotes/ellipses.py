# ruff: noqa: RUF001  (signs of every kind are what this is about)
"""Quotes with an ellipsis: their parts, and what the ellipsis may stand for."""

import re

from langchain_pymupdf_coords.folding import EMPHASIS, STOP_CLOSERS, STOPS, UNSPACED_STOPS, fold_letters
from langchain_pymupdf_coords.quotes.scripts import CONTINUOUS
from langchain_pymupdf_coords.quotes.small_words import WORD
from langchain_pymupdf_coords.quotes.wording import Wording

LONGEST_GAP = 1000
"""Letters and digits that an ellipsis may stand for."""

SHORTEST_FRAGMENT = 8
"""Letters and digits that each part must have; half as many in scripts without spaces."""

_MOST_FRAGMENTS = 10

# Three or four dots; more of them are the leader of a table.
_ELLIPSIS = re.compile(r"[\[(]?\s?(?:…|(?<!\.)(?<!\.\s)\.(?:\s?\.){2,3}(?!\s?\.))\s?[\])]?")

_SENTENCE_END = re.compile(
    rf"""[{STOPS}][{STOP_CLOSERS}]*\s+(?=["'\u201c\u2018(\[{EMPHASIS}]*[^\Wa-z])|[{UNSPACED_STOPS}]|\n\s*\n|\|"""
)

_OWN_OR_ROW_END = re.compile(r"…|\.\s?\.\s?\.|\|[ \t]*\n")

_NUMBER_SIGN = re.compile(r"\bNos?\.\s?(?=\d)", re.IGNORECASE)

_PHRASES = re.compile(
    r"\bat least\b|\bat most\b|\bsubject to\b|\bas long as\b|\bin case\b|\bprovided\b|\bsave (?:for|that)\b"
    r"|\bother than\b"
    r"|\bes sei denn\b"
    r"|\bà moins\b|\bsauf\b|\ba menos\b|\ba meno\b|\bchyba że\b|\bpod warunkiem\b|\bне более\b|\bпри условии\b"
    "|如果|若|除非|除外|只有|仅|僅|但|もし|場合|限り|ただし|除く|のみ|だけ|만약|경우|다만|제외|한하여|ถ้า|หาก|เว้นแต่|เฉพาะ"
    "|不|无|無|非|未|没|ない|ませ|않|없|못|안 |ไม่",
    re.IGNORECASE,
)


def parts_of(quote: str) -> list[str]:
    """The parts of a quote that ellipses join; none if there are less than two, or one is too short."""
    parts = [part for part in _ELLIPSIS.split(quote) if fold_letters(part)]
    return [] if not 2 <= len(parts) <= _MOST_FRAGMENTS or any(map(_is_too_short, parts)) else parts


def _is_too_short(part: str) -> bool:
    letters = fold_letters(part)
    return len(letters) < (SHORTEST_FRAGMENT // 2 if CONTINUOUS.search(letters) else SHORTEST_FRAGMENT)


def may_leave_out(text: str, gap: tuple[int, int], letters: int, wording: Wording) -> bool:
    """Whether an ellipsis may stand for a part of a text.

    Not if it is too long, if the ellipsis is the text's own, if it leads from one row of a table to another, if
    it hides a condition or a negation, or if it joins the beginning of one sentence to the end of another.

    Args:
        text: The text.
        gap: ``(start, end)`` of what is left out.
        letters: How many letters and digits that are.
        wording: Knows the words that deny or limit.
    """
    start, end = gap
    if letters > LONGEST_GAP or _OWN_OR_ROW_END.search(text, start, end):
        return False
    hidden = _without_number_signs(text[start:end])
    if _PHRASES.search(hidden) or any(_limits(word, wording) for word in WORD.findall(hidden)):
        return False
    return not _joins_sentences(text, start, end)


def _limits(word: str, wording: Wording) -> bool:
    return fold_letters(word) in wording.limits or word.lower().endswith(("n't", "n\u2019t"))


def _joins_sentences(text: str, start: int, end: int) -> bool:
    """Whether sentences end in the gap, neither where it begins nor where it ends."""
    # A sentence end is known by what follows, which may be the next part.
    at = max(0, start - 2)
    near = _without_number_signs(text[at : end + 4])
    ends = [found.span() for found in _SENTENCE_END.finditer(near) if found.start() < end - at]
    if not ends:
        return False
    from_start = not any(map(str.isalnum, near[start - at : ends[0][0]]))
    to_end = not any(map(str.isalnum, near[ends[-1][1] : end - at]))
    return not (from_start or to_end)


def _without_number_signs(text: str) -> str:
    """The text, as long as it was, without "No." before a number, which neither denies nor ends a sentence."""
    return _NUMBER_SIGN.sub(lambda sign: " " * len(sign.group()), text)
