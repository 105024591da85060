# ruff: noqa: RUF002  (signs of every kind are what this is about)
"""Whether words say the same, in the languages of a text."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from langchain_pymupdf_coords.folding import fold_letters
from langchain_pymupdf_coords.quotes.reading import Reading, is_letter
from langchain_pymupdf_coords.quotes.small_words import (
    ARTICLES,
    CONDITIONS,
    CONNECTIVES,
    MODALS,
    NEGATIONS,
    QUANTITIES,
    SPELLED_SIGNS,
    WORD,
    every,
    languages_of,
    languages_within,
    words_of_languages,
)
from langchain_pymupdf_coords.quotes.spelling import confusable, is_word, misspells, without_accents

_SMALL_WORDS = tuple(
    (kind, frozenset().union(*map(every, tables)))
    for kind, tables in (
        ("negation", (NEGATIONS,)),
        ("modal", (MODALS,)),
        ("condition", (CONDITIONS, CONNECTIVES)),
        ("quantity", (QUANTITIES,)),
    )
)

_CONTRACTION = re.compile(r"(?P<stem>\w+)n'(?:t|)")

_STEMS = {"ca": "can", "wo": "will", "sha": "shall"}

_ELISION = re.compile(r"n'(?P<rest>\w.*)")

_BORDER = re.compile(r"\||\n|<br|</t|\s{3,}|\t", re.IGNORECASE)

_NO_BREAK_SPACE = re.compile("[\u00a0\u2007-\u200a\u202f]")

_LONGEST_UNIT = 4


class Word(NamedTuple):
    """A word: as written, without case, and its place in the signs."""

    text: str
    key: str
    start: int
    end: int


def typed_text() -> bool:
    """No OCR engine read the text."""
    return False


@dataclass
class Wording:
    """Judges the words of a text.

    Attributes:
        text: The whole text.
        is_from_ocr: Tells whether an OCR engine read it; asked once, and only where letters look alike.
    """

    text: str
    is_from_ocr: Callable[[], bool] = typed_text

    @cached_property
    def was_read_by_ocr(self) -> bool:
        """Whether an OCR engine read the text."""
        return self.is_from_ocr()

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages that the text is likely written in."""
        return languages_of(map(fold_letters, WORD.findall(self.text[:6000])))

    @cached_property
    def groups_by_commas(self) -> bool:
        """Whether thousands are set apart by commas in the text."""
        return "en" in self.languages and re.search(r"(?<![\d,.])\d+,\d{1,2}(?![\d,])", self.text) is None

    @cached_property
    def negations(self) -> frozenset[str]:
        """The words of its languages that deny."""
        return words_of_languages(NEGATIONS, self.languages)

    def languages_at(self, span: tuple[int, int]) -> frozenset[str]:
        """The languages of the text, and those that a part of it gives a sign of."""
        return self.languages | languages_within(self.text[slice(*span)])

    def negations_at(self, span: tuple[int, int]) -> frozenset[str]:
        """The words that deny in the text, and in the language of a part of it, which may be another."""
        languages = self.languages_at(span)
        return self.negations if languages == self.languages else words_of_languages(NEGATIONS, languages)

    @cached_property
    def conditions(self) -> frozenset[str]:
        """The words of its languages that set a condition or an exception."""
        return words_of_languages(CONDITIONS, self.languages)

    @cached_property
    def limits(self) -> frozenset[str]:
        """The words of its languages that deny or set a condition."""
        return self.negations | self.conditions

    @cached_property
    def telling(self) -> frozenset[str]:
        """The small words of its languages that what is said hangs on."""
        tables = (NEGATIONS, MODALS, CONDITIONS, CONNECTIVES, QUANTITIES)
        return frozenset().union(*(words_of_languages(table, self.languages) for table in tables))

    def words(self, reading: Reading, start: int, end: int) -> list[Word]:
        """The words among some signs; "don't" is one."""
        found: list[Word] = []
        begin: int | None = None
        for at in range(start, end + 1):
            sign = reading.signs[at] if at < end else " "
            joins = is_letter(sign) or (
                sign == "'" and begin is not None and at + 1 < end and at + 1 not in reading.breaks
            )
            if begin is not None and (not joins or at in reading.breaks):
                found.append(_word(reading, begin, at))
                begin = None
            if begin is None and is_letter(sign):
                begin = at
        return found

    def is_bordered(self, gap: tuple[int, int]) -> bool:
        """Whether a border of a cell or the end of a line stands between two offsets of the text."""
        return _BORDER.search(self.text, *gap) is not None

    def is_narrow(self, gap: tuple[int, int]) -> bool:
        """Whether nothing but a space that does not break stands between two offsets of the text."""
        return _NO_BREAK_SPACE.fullmatch(self.text, *gap) is not None

    def is_line_break(self, gap: tuple[int, int]) -> bool:
        """Whether a line, but no cell, ends between two offsets of the text."""
        between = self.text[slice(*gap)]
        return "|" not in between and ("\n" in between or "<br" in between)

    def in_heading(self, at: int) -> bool:
        """Whether a place of the text is in a heading, or a line that is bold from end to end."""
        line = self.text[self.text.rfind("\n", 0, at) + 1 :].partition("\n")[0].strip()
        return line.startswith("#") or (line.startswith("**") and line.endswith("**") and len(line) > 4)

    def in_address(self, at: int) -> bool:
        """Whether a place of the text is in an address of mail or the web."""
        start = max(self.text.rfind(" ", 0, at), self.text.rfind("\n", 0, at)) + 1
        token = self.text[start : start + 200].split(maxsplit=1)
        return bool(token) and any(mark in token[0] for mark in ("@", "://", "www."))

    def spells(self, signs: str, words: Sequence[str]) -> bool:
        """Whether a sign is spelled out by words: "&" by "and"."""
        if len(words) == 2 and words[0] == "per":
            words = ["".join(words)]
        spelled = SPELLED_SIGNS.get(signs, frozenset()) if len(signs) == 1 else frozenset()
        return len(words) == 1 and (words[0] in spelled or (signs == "%" and words[0] == "percent"))

    def says_little(self, words: Sequence[Word]) -> bool:
        """Whether a remark leaves the meaning of what it stands in alone, as far as small words tell."""
        return bool(words) and not any(word.key in self.telling for word in words)

    def looks_alike(self, ours: str, theirs: str) -> bool:
        """Whether an OCR engine may have read one for the other."""
        return confusable(ours, theirs)

    def contrast(self, ours: Sequence[Word], theirs: Sequence[Word]) -> str:
        """The kind of difference between the words of a quote and those of the text."""
        mine, yours = _written_out(ours), _written_out(theirs)
        if mine == yours:
            return "contraction" if any("'" in word.key for word in (*ours, *theirs)) else "white_space"
        if "".join(mine) == "".join(yours):
            return "white_space"
        if _in_capitals(ours, theirs):
            return "letter_case"
        bare = [[word for word in words if word not in ARTICLES] for words in (mine, yours)]
        if bare[0] == bare[1] and (len(bare[0]) == len(mine)) != (len(bare[1]) == len(yours)):
            return "article"
        named = any(map(_is_name, (word.text for word in (*ours, *theirs))))
        if len(mine) == len(yours) == 1 and not named and misspells(mine[0], yours[0], self.languages):
            return "misspelling"
        changed = _changed(mine, yours)
        for kind, table in _SMALL_WORDS:
            if any(word in table for word in changed):
                return "ocr_confusable" if self._was_misread(mine, yours) and kind == "quantity" else kind
        if self._was_misread(mine, yours):
            return "ocr_confusable"
        if without_accents("".join(mine)) == without_accents("".join(yours)) or _letters_only(
            mine
        ) == _letters_only(yours):
            return "accent"
        return "name" if named and len(ours) == len(theirs) else "word"

    def parts_a_word(self, words: Sequence[Word]) -> bool:
        """Whether words that make one without the space between are another then: "not able", "notable"."""
        keys = [word.key for word in words]
        return any(key in self.negations for key in keys) and is_word("".join(keys), self.languages)

    def _was_misread(self, mine: Sequence[str], yours: Sequence[str]) -> bool:
        return confusable("".join(mine), "".join(yours)) and self.was_read_by_ocr

    def case_kind(
        self, quote: str, page: str, *, follows_number: bool, leads: bool, capitals: bool, address: bool
    ) -> str:
        """The kind of difference in the case of a word.

        Args:
            quote: The word as the quote has it.
            page: The word as the text has it.
            follows_number: Whether a number stands before it, so that it may be a unit.
            leads: Whether a sentence, or the quote, begins with it.
            capitals: Whether it stands in a heading, or among words that are all in capitals on one side.
            address: Whether it is part of an address.
        """
        plain = all(word in (word.lower(), word.upper(), word.capitalize()) for word in (quote, page))
        mixed = any(word[1:] != word[1:].lower() and word != word.upper() for word in (quote, page))
        if address:
            return "letter_case"
        if len(page) <= _LONGEST_UNIT and (follows_number or mixed) and not (capitals and plain):
            return "unit"
        if capitals or (leads and quote[1:] == page[1:]):
            return "letter_case"
        return "word_case"


def _word(reading: Reading, start: int, end: int) -> Word:
    return Word(reading.signs[start:end], reading.keys[start:end], start, end)


def _written_out(words: Sequence[Word]) -> list[str]:
    """Words without case; contractions of a negation are two."""
    return list(chain.from_iterable(_parts(word.key) for word in words))


def _parts(key: str) -> Sequence[str]:
    if contraction := _CONTRACTION.fullmatch(key):
        return _STEMS.get(contraction["stem"], contraction["stem"]), "not"
    if key == "cannot":
        return "can", "not"
    if elision := _ELISION.fullmatch(key):
        return "ne", elision["rest"]
    return (key,)


def _changed(mine: Sequence[str], yours: Sequence[str]) -> list[str]:
    """Words of one side that the other has not as often."""
    return [word for word in {*mine, *yours} if mine.count(word) != yours.count(word)]


def _in_capitals(ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """Whether the words differ in how their letters look in capitals only: ß and SS, ı and I, Greek accents."""
    left, right = ("".join(word.text for word in words) for words in (ours, theirs))
    if left != left.upper() and right != right.upper():
        return False
    return _capitals(left) == _capitals(right)


def _capitals(text: str) -> str:
    capitals = text.upper().replace("İ", "I")
    return without_accents(capitals) if any("\u0370" <= char <= "\u03ff" for char in capitals) else capitals


def _letters_only(words: Sequence[str]) -> str:
    return "".join(filter(str.isalpha, "".join(words)))


def _is_name(text: str) -> bool:
    return text[:1].isupper()
