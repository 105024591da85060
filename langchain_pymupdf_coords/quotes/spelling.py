# ruff: noqa: RUF001  (signs of every kind are what this is about)
"""Whether one word is the other misspelled, or the other as an OCR engine read it.

Whatever might be another word is taken for another word. Whether it might is a question for a dictionary
of Hunspell (``chunspell``, of the extra ``quotes``, brings the English one; others are found where the system
keeps them); without one, no letter may differ.
"""

import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Protocol

from rapidfuzz.distance import OSA

_SHORTEST = 5

_SHORTEST_SWAPPED = 3

# Letters that OCR takes for one another, each with the one that stands for them all.
_CONFUSABLE = (
    ("rn", "m"), ("ii", "u"), ("vv", "w"), ("cl", "d"), ("li", "h"), ("0", "o"), ("1", "l"), ("i", "l"),
    ("|", "l"), ("!", "l"), ("5", "s"), ("8", "b"), ("6", "b"), ("e", "c"), ("h", "b"), ("u", "n"), ("q", "g"),
    ("9", "g"),    ("f", "t"), ("j", "l"), ("z", "2"), ("v", "y"),
)  # fmt: skip


_NAMES = {
    "en": "en_US", "de": "de_DE", "fr": "fr_FR", "es": "es_ES", "it": "it_IT", "pt": "pt_PT", "nl": "nl_NL",
    "pl": "pl_PL", "ru": "ru_RU", "uk": "uk_UA", "cs": "cs_CZ", "da": "da_DK", "no": "nb_NO", "sv": "sv_SE",
    "tr": "tr_TR", "ro": "ro_RO", "hu": "hu_HU", "el": "el_GR",
}  # fmt: skip

_FOLDERS = tuple(map(Path, ("/usr/share/hunspell", "/usr/share/myspell/dicts", "/Library/Spelling")))


class _Dictionary(Protocol):
    def spell(self, word: str) -> bool: ...


def confusable(ours: str, theirs: str) -> bool:
    """Whether two words, without case, look alike to an OCR engine."""
    return _outline(ours) == _outline(theirs)


def _outline(word: str) -> str:
    word = without_accents(word)
    for seen, drawn in _CONFUSABLE:
        word = word.replace(seen, drawn)
    return word


def without_accents(word: str) -> str:
    """A word without the marks upon its letters."""
    return "".join(
        char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char)
    ).replace("ı", "i")


def misspells(ours: str, theirs: str, languages: Iterable[str]) -> bool:
    """Whether just one of two words, without case, is a word of the languages, and the other it with a slip.

    Slips of the pen are letters swapped, doubled, left out or put in; a letter for another ("nitrite" for
    "nitrate") makes other words far too often.
    """
    shortest = _SHORTEST_SWAPPED if sorted(ours) == sorted(theirs) else _SHORTEST
    if min(len(ours), len(theirs)) < shortest or not (ours.isalpha() and theirs.isalpha()):
        return False
    if OSA.distance(ours, theirs, score_cutoff=1) > 1 or not _is_slip(ours, theirs):
        return False
    return is_word(ours, languages) != is_word(theirs, languages)


def is_word(word: str, languages: Iterable[str]) -> bool:
    """Whether a dictionary of one of the languages has a word; False where there is none."""
    dictionaries = [found for language in languages if (found := _dictionary(language)) is not None]
    return any(_has(words, word) for words in dictionaries)


def _has(dictionary: _Dictionary, word: str) -> bool:
    try:
        return dictionary.spell(word)
    except UnicodeEncodeError:  # letters that no word of the language has
        return False


def _is_slip(ours: str, theirs: str) -> bool:
    if len(ours) == len(theirs):
        return sorted(ours) == sorted(theirs) and ours[0] == theirs[0]
    short, long = sorted((ours, theirs), key=len)
    # The last letters are endings: "employe" and "employed" are two words whatever a dictionary has.
    return short[:2] == long[:2] and short[-2:] == long[-2:]


@cache
def _dictionary(language: str) -> _Dictionary | None:
    try:
        import hunspell
    except ImportError:
        return None
    own = Path(hunspell.__file__).with_name("dictionaries")
    name = _NAMES.get(language)
    folder = next((folder for folder in (own, *_FOLDERS) if (folder / f"{name}.dic").exists()), None)
    if folder is None:
        return None
    words: _Dictionary = hunspell.Hunspell(name, hunspell_data_dir=str(folder))
    return words
