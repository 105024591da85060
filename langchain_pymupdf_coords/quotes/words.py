"""Words that look alike and say something else, opposites, and words that say next to nothing, as data.

Whether a quote says the same as the text that resembles it: word by word, and in negation.

Two words agree if they are equal, or if one is a slip of the pen or of the OCR engine for the other. Whatever
might be another word is taken for another word: wrong is worse than none.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from rapidfuzz.distance import OSA, Levenshtein

from langchain_pymupdf_coords.folding import blank_markup, drop_emphasis, fold_letters
from langchain_pymupdf_coords.quotes.edges import CONTINUOUS, INVISIBLE, NEGATING_PREFIXES, NEGATIONS

ARTICLES = frozenset(
    word
    for line in (
        "a an the",
        "der das den dem ein eine einen einem einer",  # not "die", which is an English verb too
        "le la les un une el los las il lo gli uno una het een",
    )
    for word in line.split()
)
"""English, German, Romance and Dutch articles, which a reader may drop or add."""

_PAIRS = """
    accept except; adverse averse; affect effect; afferent efferent; allow follow; angel angle
    assess asses; bear hear; bold hold; but hut; case ease; cast east; casual causal
    chloride chlorine; clear dear; close dose; compiled complied; complement compliment
    conservation conversation; contact contract; corn com; council counsel; country county
    currant current; dairy diary; decease disease; decent descent; desert dessert; device devise
    exiting existing; expect except; father farther; field filed; form from; formal former; he be
    imminent immanent; ingenious ingenuous; insure ensure; later latter; lead led; learned leaned
    loose lose; marital martial; methane methene; modern modem; moral morale; nitrate nitrite
    nuclear unclear; perfect prefect; personal personnel; phosphate phosphite; planned planed
    prescribe proscribe; prescription proscription; principal principle; prostate prostrate
    public pubic; quiet quite; ration ratio; reserve reverse; sacred scared; signed singed
    silver sliver; stationary stationery; statue statute; stern stem; sulfate sulfite
    sulphate sulphite; thorough through; though through; tired tried; trail trial; united untied

    abduction adduction; above below; after before; all none; all some; and or; any every; buy sell
    can could; creditor debtor; decrease increase; decreased increased; decreasing increasing
    exclude include; excluded included; exclusive inclusive; export import; exterior interior
    external internal; false true; female male; first last; he she; her his; higher lower
    hyperglycemia hypoglycemia; hypertension hypotension; internet intranet; interstate intrastate
    least most; less more; lower upper; maximal minimal; maximum minimum; may must; may shall
    million billion; must should; none some; over under; today tomorrow; trillion billion; up down
    will would
"""

MISTAKEN_PAIRS = frozenset(
    frozenset(pair.split()) for line in _PAIRS.splitlines() for pair in line.split(";") if pair.strip()
)
"""Pairs of English words, look-alikes and then opposites, that never are misspellings of one another."""

_HYPHENATED = re.compile(r"(?<=\w)[-\u2010]\s*\n\s*(?=\w)")

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")

_CONTRACTION = re.compile(r"(?P<stem>\w+)n['\u2019]t", re.IGNORECASE)

_ELISION = re.compile(r"n['\u2019](?P<rest>\w.*)", re.IGNORECASE)

_ROLE = re.compile(r"(?P<stem>.{2,})(?:ee|er|or)s?")  # "employer", "employee"

_STEMS = {"ca": "can", "wo": "will", "sha": "shall"}

# Letters that OCR takes for one another.
_LOOK_ALIKES = {"rn": "m", "vv": "w", "cl": "d", "l": "i", "e": "c", "h": "b", "u": "n", "q": "g"}

_WORDS_PER_SLIP = 6

_LONG_WORD = 10

_MOST_GLUED = 3


def words_of(text: str) -> list[tuple[str, bool]]:
    """Words of `text`, folded, each with whether it is capitalised within a sentence (a name, it may be).

    "Don't" and "cannot" are two words. In scripts without spaces every letter is a word.
    """
    text = INVISIBLE.sub("", drop_emphasis(_HYPHENATED.sub("", blank_markup(text))))
    words: list[tuple[str, bool]] = []
    for match in _WORD.finditer(unicodedata.normalize("NFC", text)):
        name = bool(words) and match.group()[0].isupper()
        words += [(word, name) for word in _split(match.group())]
    return words


def _split(word: str) -> Sequence[str]:
    folded = fold_letters(word)
    if contraction := _CONTRACTION.fullmatch(word):
        stem = fold_letters(contraction["stem"])
        return _STEMS.get(stem, stem), "not"
    if folded == "cannot":
        return "can", "not"
    if elision := _ELISION.fullmatch(word):
        return "ne", fold_letters(elision["rest"])
    return folded if CONTINUOUS.search(folded) else (folded,)


def negations_of(text: str) -> Counter[str]:
    """How often each negation occurs in `text`."""
    return Counter(word for word, _ in words_of(text) if word in NEGATIONS)


def vowel_signs_agree(found: str, quote: str) -> bool:
    """Whether both have the same signs that folding drops although they are vowels (Indic scripts, Thai)."""
    return found.isascii() or quote.isascii() or _vowel_signs(found) == _vowel_signs(quote)


def _vowel_signs(text: str) -> Counter[str]:
    text = unicodedata.normalize("NFKC", text)
    return Counter(
        char
        for char in text
        if not char.isalnum()
        and unicodedata.category(char) in ("Mc", "Mn")
        and not unicodedata.combining(char)
        and not "\ufe00" <= char <= "\ufe0f"  # variation selectors
    )


def words_agree(found: str, quote: str) -> bool:
    """Whether `quote` has the words of `found` in their order, but for a few slips and articles."""
    ours, theirs = words_of(found), words_of(quote)
    if not ours or not theirs:
        return False
    budget = 1 + len(theirs) // _WORDS_PER_SLIP
    for mine, yours in _differences(ours, theirs):
        slips = _slips(mine, yours)
        if slips is None:
            return False
        budget -= slips
    return budget >= 0


_Words = list[tuple[str, bool]]


def _differences(ours: _Words, theirs: _Words) -> list[tuple[_Words, _Words]]:
    """Stretches of words that differ, of the shortest edit from `ours` to `theirs`."""
    codes = Levenshtein.opcodes([word for word, _ in ours], [word for word, _ in theirs])
    stretches = []
    for equal, run in groupby(codes, key=lambda code: code.tag == "equal"):
        if not equal:
            edits = list(run)
            mine = ours[edits[0].src_start : edits[-1].src_end]
            stretches.append((mine, theirs[edits[0].dest_start : edits[-1].dest_end]))
    return stretches


def _slips(ours: _Words, theirs: _Words) -> int | None:
    """How many slips make one stretch of words into the other; None if they say different things."""
    if _joined(ours) == _joined(theirs):
        return 0  # white space lost or gained
    slips = _slips_by_word(ours, theirs)
    if slips is not None:
        return slips
    mine, yours = (_without_articles(words) for words in (ours, theirs))
    dropped, added = len(ours) - len(mine), len(theirs) - len(yours)
    if (dropped and added) or not dropped + added:
        return None  # one article for another: "the" is not "a"
    slips = 0 if _joined(mine) == _joined(yours) else _slips_by_word(mine, yours)
    return None if slips is None else slips + dropped + added


def _slips_by_word(ours: _Words, theirs: _Words) -> int | None:
    if len(ours) != len(theirs):
        if not ours or not theirs or max(len(ours), len(theirs)) > _MOST_GLUED:
            return None
        # A slip, and a space lost or gained. True: be strict.
        ours, theirs = [(_joined(ours), True)], [(_joined(theirs), True)]
    slips = 0
    for (mine, name), (yours, _) in zip(ours, theirs, strict=True):
        if mine == yours or _looks_like(mine, yours):
            continue
        if not _misspells(mine, yours, name):
            return None
        slips += 1
    return slips


def _without_articles(words: _Words) -> _Words:
    return [(word, name) for word, name in words if name or word not in ARTICLES]


def _joined(words: _Words) -> str:
    return "".join(word for word, _ in words)


def _looks_like(mine: str, yours: str) -> bool:
    """Whether the words differ in accents, or in letters that OCR confuses, only."""
    return not _differs_in_kind(mine, yours) and _outline(mine) == _outline(yours)


def _outline(word: str) -> str:
    word = "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))
    for seen, drawn in _LOOK_ALIKES.items():
        word = word.replace(seen, drawn)
    return word


def _differs_in_kind(mine: str, yours: str) -> bool:
    """Whether the words must not be taken for one another, however alike they are."""
    if not (mine.isalpha() and yours.isalpha()) or CONTINUOUS.search(mine + yours):
        return True
    if frozenset((mine, yours)) in MISTAKEN_PAIRS or mine in NEGATIONS or yours in NEGATIONS:
        return True
    roles = _ROLE.fullmatch(mine), _ROLE.fullmatch(yours)
    if roles[0] and roles[1] and roles[0]["stem"] == roles[1]["stem"]:
        return True
    short, long = sorted((mine, yours), key=len)
    return long.endswith(short) and long[: len(long) - len(short)] in NEGATING_PREFIXES


def _misspells(mine: str, yours: str, name: bool) -> bool:
    """Whether one word is a misspelling of the other: a letter or two amiss, inside a long enough word."""
    if _differs_in_kind(mine, yours) or min(len(mine), len(yours)) < 3:
        return False
    distance = OSA.distance(mine, yours, score_cutoff=2)
    if distance == 1 and (sorted(mine) == sorted(yours) or _undoubled(mine) == _undoubled(yours)):
        return True  # letters swapped or doubled
    if name or min(len(mine), len(yours)) < 5 or mine[0] != yours[0]:
        return False
    if distance == 1:
        if len(mine) == len(yours):
            return mine[:3] == yours[:3] and mine[-1] == yours[-1]
        return mine[-1] == yours[-1] or mine + "s" == yours or yours + "s" == mine
    return (
        distance == 2
        and min(len(mine), len(yours)) >= _LONG_WORD
        and (mine[:4], mine[-1]) == (yours[:4], yours[-1])
    )


def _undoubled(word: str) -> str:
    return "".join(char for char, _ in groupby(word))
