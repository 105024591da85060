"""Whether two ways to write a number are the same number."""

import re

_GROUPED = re.compile(
    r"(?P<groups>\d{1,3}(?:(?P<mark>[,.' ])\d{3})(?:(?P=mark)\d{3})*)(?P<decimals>[.,]\d+)?"
)

_PLAIN = re.compile(r"(?P<whole>\d+)(?P<decimals>[.,]\d+)?")


def is_same_number(ours: str, theirs: str, *, grouped_by_commas: bool) -> bool:
    """Whether two numbers differ in the marks between their thousands only, beyond doubt.

    "1,250" is "1250" in a text that groups by commas only: elsewhere it may be 1.25.

    Args:
        ours: A number, digits with what stands between them (white space is one space each).
        theirs: Another.
        grouped_by_commas: Whether the text writes thousands with commas.
    """
    if ours == theirs:
        return True
    left, right = (_value(number, grouped_by_commas) for number in (ours, theirs))
    return left is not None and left == right


def _value(number: str, grouped_by_commas: bool) -> tuple[str, str] | None:
    """Digits of the whole and of the decimals; None where that is not certain."""
    if plain := _PLAIN.fullmatch(number):
        decimals = plain["decimals"] or ""
        if len(decimals) == 4 and len(plain["whole"]) <= 3 and plain["whole"] != "0":
            if (decimals[0] == ",") != grouped_by_commas:
                return None  # 1.250, 1,250: thousands or decimals
            if decimals[0] == ",":
                return plain["whole"] + decimals[1:], ""
        return plain["whole"], decimals
    grouped = _GROUPED.fullmatch(number)
    if grouped is None or (grouped["decimals"] or "x")[0] == grouped["mark"]:
        return None
    if grouped["mark"] == " " and grouped["groups"].count(" ") > 1:
        return None  # may be cells side by side
    return re.sub(r"\D", "", grouped["groups"]), grouped["decimals"] or ""
