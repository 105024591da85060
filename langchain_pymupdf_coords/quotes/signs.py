# ruff: noqa: RUF001  (signs of every kind are what this is about)
"""What a symbol stands for: which kind of difference it makes if it is another or is missing."""

import unicodedata
from functools import lru_cache

_RELATIONS = (
    "EQUAL", "LESS", "GREATER", "IDENTICAL", "TILDE", "ELEMENT", "CONTAINS", "SUBSET", "SUPERSET", "PRECEDES",
    "SUCCEEDS", "PROPORTIONAL", "ASYMPTOTICALLY", "EQUIVALENT", "NORMAL SUBGROUP",
)  # fmt: skip

_TICKS = ("CHECK", "BALLOT", "CROSS MARK", "MULTIPLICATION X", "CROSSED", "NO ENTRY", "PROHIBITED", "THUMBS")

_FIXED = {
    "%": "percent", "‰": "percent", "‱": "percent", "^": "exponent",
    "°": "unit", "′": "unit", "″": "unit", "‴": "unit",
    "&": "operator", "‖": "operator", "#": "operator", "\\": "operator",
    "~": "relation", "†": "footnote_mark", "‡": "footnote_mark", "¶": "footnote_mark", "§": "symbol",
    "@": "punctuation", "_": "punctuation", "/": "punctuation", "*": "punctuation", "`": "punctuation",
}  # fmt: skip


@lru_cache(maxsize=1 << 12)
def kind_of(sign: str) -> str:
    """The kind of difference that a symbol makes: a name of the table of kinds; punctuation is the least."""
    if sign in _FIXED:
        return _FIXED[sign]
    category, name = unicodedata.category(sign), unicodedata.name(sign, "")
    if category == "Sc":
        return "currency"
    if "ARROW" in name:
        return "arrow"
    if any(part in name for part in _TICKS):
        return "tick_or_box"
    if category == "Sm":
        return "relation" if any(part in name for part in _RELATIONS) else "operator"
    return "symbol" if category[0] in "SNC" else "punctuation"


def is_ornament(sign: str) -> bool:
    """Whether a symbol at the start of a quote is a bullet of the one who quotes: an emoji that says nothing.

    Ticks, arrows, stars, triangles, signs of plus and minus and the like say something.
    """
    name = unicodedata.name(sign, "")
    says = (
        "STAR",
        "TRIANGLE",
        "PLUS",
        "MINUS",
        "CIRCLE",
        "SIGN",
        "SQUARE",
        "HEART",
        "SUIT",
        "MUSIC",
        "NOTE",
        "EXCLAMATION",
        "QUESTION",
    )
    return (
        kind_of(sign) == "symbol"
        and unicodedata.category(sign) == "So"
        and (ord(sign) >= 0x1F300 or "WARNING" in name or not any(part in name for part in says))
    )
