"""Words and prefixes that turn a sentence into its contrary, as data.

Languages: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish and Russian. All are folded
(see ``folding``). Words that deny in one language and not in another ("no" in Portuguese) only make
comparisons stricter.

Where a match may begin and end: at the edges of words and numbers.

Places are indices into the folded text: place ``i`` lies between its characters ``i - 1`` and ``i``.
"""

import re
from enum import Enum

from langchain_pymupdf_coords.folding import TAG, FoldedText, drop_emphasis, fold_letters


def _words(*lines: str) -> frozenset[str]:
    return frozenset(fold_letters(word) for line in lines for word in line.split())


NEGATIONS = _words(
    "not no never none neither nor nobody nothing nowhere without cannot hardly scarcely barely",
    "nicht nichts nie niemals niemand niemandem kein keine keinen keinem keiner keines weder ohne kaum",
    "ne n pas jamais rien aucun aucune ni sans guère nul nulle non",
    "no ni nunca jamás nada nadie ningún ninguno ninguna tampoco sin",
    "non né mai niente nulla nessun nessuno nessuna neppure nemmeno neanche senza",
    "não nem nunca jamais nada ninguém nenhum nenhuma sem",
    "niet niets nooit niemand geen noch nergens zonder",
    "nie nigdy nic nikt żaden żadna żadne ani bez nigdzie",
    "не нет ни никогда ничего никто нигде нельзя без",
)
"""A line for each language, in the order above. Contractions ("don't") are taken apart by ``words``."""

NEGATING_PREFIXES = _words(
    "un in im il ir dis non mis anti a ab de", "ohn nicht miss", "dés des mé", "nie не"
)
"""What, cut off the beginning of a word, may leave its contrary ("illegal", "legal")."""

HYPHENATED_NEGATIONS = _words("non un anti dis not no", "nicht nie")
"""The same, written with a hyphen ("non-compliance")."""

# Thai to Myanmar, Hangul, Khmer, CJK with kana, Yi: written without spaces, or with particles glued to words.
CONTINUOUS = re.compile(
    "[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)

INVISIBLE = re.compile("[\u00ad\u200c\u200d\u2060\ufeff]")
"""Characters that stand inside a word and are not seen: soft hyphen, joiners, byte order mark."""

_SEPARATOR = re.compile(r"[.,'\u2019\u00b7\u066b\u066c]")

_DATE_SEPARATOR = re.compile(r"[/:\u2044]")

_NO_BREAK_SPACE = re.compile("[\u00a0\u2007-\u200a\u202f]")

_GROUP_BEFORE = re.compile(r"(?<!\d)(?<!\d[.,])\d{1,3}\Z")

_GROUP_AFTER = re.compile(r"\d{3}(?!\d)")

_GROUPS_AND_DECIMALS = re.compile(r"\d{3}(?: \d{3})*,\d{1,2}(?!\d)")

_NOT_AFTER = re.compile(r"(?:n?['\u2019]t|not)\b", re.IGNORECASE)

_HYPHEN = re.compile(r"[-\u2010\u2011]")

_LONGEST_PREFIX = max(map(len, NEGATING_PREFIXES))


def drop_tags(text: str) -> str:
    """`text` without the engine's tags; a line break leaves a space, any other tag nothing."""
    return TAG.sub(lambda tag: " " if tag.group()[1:3].lower() == "br" else "", text) if "<" in text else text


class Cut(Enum):
    """What the edge of a match cuts in two."""

    NOTHING = 0
    WORD = 1
    NUMBER = 2
    CHARACTER = 3
    NEGATION = 4


def cut_at(text: str, folded: FoldedText, i: int) -> Cut:
    """What place `i` cuts in two. Scripts without spaces are free to be cut between any two characters.

    Args:
        text: The source text.
        folded: `text`, folded.
        i: Place in the folded text, 0 to its length.
    """
    if i <= 0 or i >= len(folded.text):
        return Cut.NOTHING
    start, end = folded.ends[i - 1], folded.starts[i]
    if end < start:
        return Cut.CHARACTER
    before, after = folded.text[i - 1], folded.text[i]
    gap = INVISIBLE.sub("", text[start:end]) if end > start else ""
    if before.isnumeric() and after.isnumeric() and not CONTINUOUS.search(before + after):
        return _number_cut(text, start, end, gap)
    return Cut.NOTHING if gap or CONTINUOUS.search(before + after) else Cut.WORD


def _number_cut(text: str, start: int, end: int, gap: str) -> Cut:
    """What the gap between two digits cuts. A superscript after a digit may be its exponent."""
    gap = drop_emphasis(drop_tags(gap))
    if not gap or _SEPARATOR.fullmatch(gap):
        return Cut.NUMBER
    if _DATE_SEPARATOR.fullmatch(gap):
        return Cut.WORD
    if _NO_BREAK_SPACE.fullmatch(gap):
        grouped = _GROUP_AFTER.match(text, end)
    else:
        # A plain space groups digits for certain only where a decimal comma follows: "1 250,00".
        grouped = _GROUPS_AND_DECIMALS.match(text, end) if gap == " " else None
    return Cut.NUMBER if grouped and _GROUP_BEFORE.search(text, max(0, start - 6), start) else Cut.NOTHING


def loses_negation(text: str, folded: FoldedText, i: int, j: int) -> bool:
    """Whether a match of the folded characters `i` to `j` leaves out a negation that touches it.

    That is a prefix of its first word ("illegal", "non-compliance") or the end of its last ("doesn't").
    """
    if _NOT_AFTER.match(text, folded.ends[j - 1]):
        return True
    gap = text[folded.ends[i - 1] : folded.starts[i]] if i else " "
    if gap and not _HYPHEN.fullmatch(gap):
        return False
    k = i - 1
    while k > 0 and i - k <= _LONGEST_PREFIX and cut_at(text, folded, k) is not Cut.NOTHING:
        k -= 1
    return folded.text[k:i] in (HYPHENATED_NEGATIONS if gap else NEGATING_PREFIXES)
