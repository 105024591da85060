"""Whether a quote and the text found for it state the same numbers.

Folding makes "1.0" and "10", "-5" and "5", "1,250" and "1.250" equal, so that the numbers of every match that
is not verbatim are compared once more: digits, separators between digits, sign, parentheses, comparison and,
where both sides have one, percent or currency sign. White space that groups digits and the kind of dash do
not count.
"""

import re
import unicodedata
from typing import NamedTuple

from langchain_pymupdf_coords.folding import EMPHASIS, blank_markup
from langchain_pymupdf_coords.quotes.edges import INVISIBLE, drop_tags

_LINE_MARKS = re.compile(r"^[ \t]*(?:(?:[-+*•·>]|#{1,6})[ \t]+)+", re.MULTILINE)

_RULES = re.compile(r"-{3,}|={3,}")

_TIMES = re.compile(r"(?<=\d)\*(?=\d)")

_VULGAR = re.compile("[\u00bc-\u00be\u2150-\u215e]")

_HYPHENS, _APOSTROPHES = "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d", "\u2018\u2019\u02bc\u2032"

_QUOTES = "\u201c\u201d\u201e\u00ab\u00bb"

ALIKE = str.maketrans(_HYPHENS + _APOSTROPHES + _QUOTES, "-" * 7 + "'" * 4 + '"' * 5)
"""Marks that are written one way or another: hyphens and minus signs (an em dash is neither), and quotes."""

_PLAIN = {**ALIKE, **str.maketrans("\u2044|", "/ ", EMPHASIS)}

_GROUPED_BY_SPACES = re.compile(r"(?<![\d.,'])\d{1,3}(?:\s+\d{3})+(?!\d)")

_BROKEN_AFTER_COMMA = re.compile(r"(?<!\d)(\d{1,3},)\s+(?=\d{3}(?!\d))")

_DIGITS = re.compile(r"\d+(?:[.,'/:\u066b\u066c\u00b7]\d+)*")

_DASH = re.compile(r"(\S?)(\s*)-(\s*)\Z")

_CURRENCY = re.compile(r"([$€£¥₹])\s?\Z")

_COMPARISON = re.compile(r"((?<!-)>|[<≤≥≠±])\s*\Z")

_AFTER = re.compile(r"\s?([%‰]|[$€£¥₹](?!\s?\d))?\s?(\)?)")

_CONTEXT_BEFORE = re.compile("[-(\\[$€£¥₹+\u2010-\u2013\u2212±.*_`]{0,6}\\Z")

_CONTEXT_AFTER = re.compile(r"[*_`]*(?:\s?[%‰$€£¥₹])?[*_`]*\)?")

_PLUS_AFTER = re.compile(r"[*_`]*\++")

_SYMBOL = re.compile("[-+<>≤≥≠\u2010-\u2013\u2212]")

_GRADES = re.compile(r"\+|\b[A-D]{1,3}-(?![\w\n])")

_ORDERS = re.compile(r"(?<!-)[<>≤≥≠]")


class _Number(NamedTuple):
    digits: str
    sign: str
    comparison: str
    unit: str
    enclosed: bool
    aside: bool
    """Whether the parentheses may be those of an aside that lie outside the match, not those of a loss."""


def numbers_agree(text: str, start: int, end: int, quote: str) -> bool:
    """Whether `quote` and ``text[start:end]`` state the same numbers in the same order.

    Signs and parentheses that touch the ends of the match from outside are taken into account.
    """
    found = text[start:end]
    plus = _PLUS_AFTER.match(text, end)
    if not _symbols_agree(found + plus.group() if plus else found, quote):
        return False
    if not any(map(str.isnumeric, quote + found)):
        return True
    before = _context_before(text, start)
    context_after = _CONTEXT_AFTER.match(text, end)
    after = context_after.group() if context_after else ""
    ours, theirs = _numbers(found, before, after), _numbers(quote)
    return len(ours) == len(theirs) and all(map(_same, ours, theirs))


def _context_before(text: str, start: int) -> str:
    """What touches the match from the left; a letter stands for the word that it touches."""
    lead = _CONTEXT_BEFORE.search(text, max(0, start - 6), start)
    if lead is None:
        return ""
    at = lead.start()
    return ("x" if at and text[at - 1].isalnum() else "") + lead.group()


def _symbols_agree(found: str, quote: str) -> bool:
    """Whether comparisons point the same way, and pluses ("C++") and grades ("AA-") are as many."""
    if not _SYMBOL.search(found) and not _SYMBOL.search(quote):
        return True
    ours, theirs = _canonical(found), _canonical(quote)
    grades, their_grades = ([grade[-1] for grade in _GRADES.findall(side)] for side in (ours, theirs))
    orders, their_orders = _ORDERS.findall(ours), _ORDERS.findall(theirs)
    return grades == their_grades and (not orders or not their_orders or orders == their_orders)


def _canonical(text: str) -> str:
    text = blank_markup(drop_tags(text))
    text = INVISIBLE.sub("", _RULES.sub(" ", _LINE_MARKS.sub("", text)))
    if not text.isascii():
        text = _VULGAR.sub(lambda sign: " " + sign.group(), text)
        text = unicodedata.normalize("NFKC", text)
    text = _TIMES.sub("x", text).translate(_PLAIN)
    return text.replace("<=", "≤").replace(">=", "≥")


def _numbers(text: str, before: str = "", after: str = "") -> list[_Number]:
    body = _canonical(text)
    lead = before.translate(_PLAIN)
    whole = lead + body + after.translate(_PLAIN)
    whole = _GROUPED_BY_SPACES.sub(lambda number: re.sub(r"\s", "", number.group()), whole)
    whole = _BROKEN_AFTER_COMMA.sub(r"\1", whole)
    return [_read(whole, match, len(lead)) for match in _DIGITS.finditer(whole)]


def _read(text: str, match: re.Match[str], inside: int) -> _Number:
    """The number at `match` with what stands around it; the text of the match begins at `inside`."""
    rest = text[max(0, match.start() - 12) : match.start()]
    digits = match.group()
    if rest.endswith(".") and not (rest[-2:-1].isalnum() or rest[-2:-1] == "."):
        digits, rest = "." + digits, rest[:-1]
    rest, currency = _strip_currency(rest)
    rest, sign = _strip_sign(rest)
    rest, outer_currency = _strip_currency(rest)
    tail = _AFTER.match(text, match.end())
    unit, closing = tail.groups("") if tail else ("", "")
    enclosed = rest.endswith("(") and closing == ")"
    comparison = _COMPARISON.search(rest.removesuffix("("))
    unit = currency or outer_currency or unit
    return _Number(
        digits=digits,
        sign=sign,
        comparison=comparison.group(1) if comparison else "",
        unit=unit,
        enclosed=enclosed,
        aside=digits.isdigit() and not unit and text.rfind("(", 0, match.start()) < inside,
    )


def _strip_currency(rest: str) -> tuple[str, str]:
    currency = _CURRENCY.search(rest)
    return (rest[: currency.start()], currency.group(1)) if currency else (rest, "")


def _strip_sign(rest: str) -> tuple[str, str]:
    """What is left before a dash, and what the dash is: "-" a minus, "to" a range, "?" either, "" neither."""
    dash = _DASH.search(rest)
    if dash is None:
        return rest, ""
    before, gap, space = dash.groups()
    rest = rest[: dash.end(1)]
    if before.isdigit() or before == "%":
        return rest, "?" if gap and not space else "to"
    glued = bool(before) and not gap and (before.isalnum() or before in ")]")  # "covid-19"
    return rest, "" if space or glued else "-"


def _same(ours: _Number, theirs: _Number) -> bool:
    if (ours.digits, ours.comparison) != (theirs.digits, theirs.comparison):
        return False
    if ours.sign != theirs.sign and {ours.sign, theirs.sign} != {"?", "to"}:
        return False
    if ours.enclosed != theirs.enclosed and not ours.aside:
        return False
    return not ours.unit or not theirs.unit or ours.unit == theirs.unit
