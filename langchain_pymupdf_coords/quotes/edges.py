"""What a match cuts off at its edges: parts of words and numbers, and negations of its clause.

Spans here are of signs of the text (see ``reading``), just outside of the match.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_pymupdf_coords.quotes.differences import Contrast
from langchain_pymupdf_coords.quotes.mark_kinds import ends_in_grade
from langchain_pymupdf_coords.quotes.reading import APART, RAISED, Reading, is_letter
from langchain_pymupdf_coords.quotes.scripts import (
    CONTINUOUS,
    cuts_hangul_word,
    cuts_number,
    cuts_word,
    denied_after,
    denied_before,
)
from langchain_pymupdf_coords.quotes.signs import kind_of
from langchain_pymupdf_coords.quotes.small_words import (
    DENYING_FORWARD,
    HYPHENATED_NEGATIONS,
    LIMITS,
    NEGATING_PREFIXES,
    is_function_word,
)
from langchain_pymupdf_coords.quotes.wording import Word, Wording

_BOUNDARIES = '.,;:!?()[]…"|'

_SENTENCE_ENDS = ".!?;:…"

_CLAUSE = 90  # signs

_LONG = 25
"""Letters and digits from which on a quote may begin or end where words run together."""

_NEAR = 3  # words

_POSTPOSED = frozenset(("de", "nl", "da", "no", "sv"))
"""Languages that put "not" at the end of the clause."""

_AROUND = 24

_COMPARISONS = frozenset("<>≤≥≠≪≫~≈±∓≲≳")

_LIMITS = tuple(f" {limit}" for limit in LIMITS)

_PLAIN_NUMBER = re.compile(r"\d{1,4}")

_NOT = re.compile(r"n?'t(?![^\W\d_])|not(?![^\W\d_])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Edges:
    """A match among the signs of a text.

    Attributes:
        page: The signs of the text around.
        first: The first letter or digit of the match.
        last: The end of the last one.
        left: The first sign of the match, a mark before its first letter perhaps.
        right: The end of its last sign.
        wording: Knows the words that deny.
    """

    page: Reading
    first: int
    last: int
    left: int
    right: int
    wording: Wording

    def contrasts(self, at: int, end: int) -> list[Contrast]:
        """What is cut, as contrasts at the first sign `at` of the quote and at its `end`."""
        found = [
            Contrast(kind, (at, at), span) for kind, span in (self._before(), self._denied_before()) if kind
        ]
        found += [
            Contrast(kind, (end, end), span) for kind, span in (self._after(), self._denied_after()) if kind
        ]
        return found

    # Before the match.

    def _before(self) -> tuple[str, tuple[int, int]]:
        at, signs = self.left, self.page.signs
        if at == 0:
            return "", (at, at)
        span = at - 1, at
        before, glued = signs[at - 1], at not in self.page.breaks
        if at == self.first:
            kind = self._inside_word(at, glued)
            if kind:
                return kind, span
        if signs[self.first].isdigit() or kind_of(signs[self.left]) == "currency":
            return self._before_number(before, glued), span
        return "", span

    def _inside_word(self, at: int, glued: bool) -> str:
        """What a cut between two letters is: of a word, a number, a character, or off a negation."""
        signs, page = self.page.signs, self.page
        before, after = signs[at - 1], signs[at]
        if CONTINUOUS.search(before + after):
            return self._inside_continuous(at, glued)
        if glued and page.starts[at - 1] == page.starts[at] and page.ends[at - 1] == page.ends[at]:
            return "word_cut"  # within one character, such as a ligature
        if before == "-" and glued and at - 1 not in page.breaks:
            return "negation" if self._word_before(at - 1) in HYPHENATED_NEGATIONS else ""
        if not (glued and is_letter(before) and is_letter(after)):
            return ""
        if self._word_before(at) in NEGATING_PREFIXES:
            return "negation"
        if self._is_long() and self._runs_together(at):
            return "joined_words"
        return "number_cut" if before.isdigit() and after.isdigit() else "word_cut"

    def _is_long(self) -> bool:
        return self.last - self.first >= _LONG

    def _runs_together(self, at: int) -> bool:
        """Whether a cut is in a name of a file or the like, or between words that lost their space."""
        signs = self.page.signs
        start, end = self.page.words_around(at, at + 1)
        word = signs[start:end]
        mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
        return mixed or (signs[at - 1].islower() and signs[at].isupper())

    def _word_before(self, at: int) -> str:
        start = at
        while start and is_letter(self.page.signs[start - 1]) and start not in self.page.breaks:
            start -= 1
        return self.page.keys[start:at]

    def _inside_continuous(self, at: int, glued: bool) -> str:
        page = self.page
        if not glued and self.wording.is_bordered((page.ends[at - 1], page.starts[at])):
            return ""
        before = self._written(max(0, at - _AROUND), at)
        after = self._written(at, min(len(self.page.signs), at + _AROUND))
        starts = at == self.left
        if starts and denied_before(before if glued else before + " "):
            return "negation"
        if not starts and denied_after(after if glued else " " + after):
            return "negation"
        if cuts_number(before, after, glued=glued):
            return "number_cut"
        if not glued:
            return ""
        if cuts_hangul_word(before, after) or cuts_word(before + after, len(before)):
            return "word_cut"
        return ""

    def _written(self, start: int, end: int) -> str:
        """Signs with a space where white space is."""
        signs = (
            (" " if at in self.page.breaks and at > start else "") + self.page.signs[at]
            for at in range(start, end)
        )
        return "".join(signs)

    def _before_number(self, before: str, glued: bool) -> str:
        signs, at = self.page.signs, self.left
        ahead = signs[at - 2 : at - 1]
        parted = at - 1 in self.page.breaks
        if before == APART:
            return "number_cut" if self._groups(at, before_match=True) else ""
        if before in _COMPARISONS and not self.wording.is_bordered(
            (self.page.ends[at - 1], self.page.starts[at])
        ):
            return "number_sign"
        if kind_of(before) == "currency" and not (ahead.isdigit() and not parted and not glued):
            return "currency_cut"
        if not glued:
            return ""
        if before == RAISED:
            return "exponent"
        if before in ".,'/:" and ahead.isdigit() and not parted:
            return "number_cut"
        if before == "." and not (ahead.isalnum() and not parted):
            return "number_cut"
        if before == "-":
            return "" if ahead and (ahead.isalnum() or ahead in ")]%") and not parted else "number_sign"
        if before == "(" and signs[self.right : self.right + 1] == ")":
            return "" if _PLAIN_NUMBER.fullmatch(signs[self.first : self.last]) else "number_sign"
        return (
            "number_sign"
            if before == "+" or (kind_of(before) in ("symbol", "operator") and before != "#")
            else ""
        )

    # After the match.

    def _after(self) -> tuple[str, tuple[int, int]]:
        at, signs = self.right, self.page.signs
        if at >= len(signs):
            return "", (at, at)
        span = at, at + 1
        glued = at not in self.page.breaks
        if at == self.last:
            written = self._written(at, min(len(signs), at + 6))
            if glued and (_NOT.match(written) or (signs[at - 1] in "nN" and written[:2].lower() == "'t")):
                return "negation", span
            kind = self._inside_word(at, glued)
            if kind:
                return kind, span
        after = signs[at]
        if signs[at - 1].isdigit():
            return self._after_number(after, glued), span
        if glued and after in "+#" and at == self.last:
            return "operator", span
        if glued and after == "-" and at + 1 in self.page.breaks and ends_in_grade(self.page, at):
            return "operator", span
        if glued and after == RAISED and self._ends_in_unit():
            return "exponent", span
        return "", span

    def _ends_in_unit(self) -> bool:
        word = self._word_before(self.last)
        start = self.last - len(word)
        return len(word) <= _NEAR and start > 0 and self.page.signs[start - 1].isdigit()

    def _after_number(self, after: str, glued: bool) -> str:
        signs, at = self.page.signs, self.right
        next_sign = signs[at + 1 : at + 2]
        parted = at + 1 in self.page.breaks
        kind = kind_of(after)
        if after == APART:
            return "number_cut" if self._groups(at, before_match=False) else ""
        if kind in ("percent", "unit"):
            return "number_cut"
        if kind == "currency":
            return "" if next_sign.isdigit() else "currency_cut"
        if not glued:
            return ""
        if after == RAISED:
            return "exponent"
        if after in ".,'/:" and next_sign.isdigit() and not parted:
            return "number_cut"
        if after == "-":
            return "number_sign" if parted or not is_letter(next_sign or " ") else ""
        return "number_sign" if after == "+" else ""

    def _groups(self, at: int, *, before_match: bool) -> bool:
        """Whether white space at the edge groups the digits of one number, for certain."""
        page, text = self.page, self.wording.text
        space = at - 1 if before_match else at
        gap = text[page.starts[space] : page.ends[space]]
        signs = page.signs
        if not re.search(r"\d{1,3}\Z", signs[:space]) or not re.match(r"\d{3}(?!\d)", signs[space + 1 :]):
            return False
        if re.fullmatch("[\u00a0\u2007-\u200a\u202f]", gap):
            return True
        # A plain space groups digits for certain only where a decimal comma follows: "1 250,00".
        return gap == " " and re.match(r"\d{3}(?: \d{3})*,\d{1,2}(?!\d)", signs[space + 1 :]) is not None

    # Negations and conditions in the same clause.

    def _denied_before(self) -> tuple[str, tuple[int, int]]:
        start = self.left
        while start > max(0, self.left - _CLAUSE) and not self._is_boundary(start):
            start -= 1
        words = self.wording.words(self.page, start, self.left)[-_NEAR:]
        negations = self._negations(words)
        for word in reversed(words):
            if _denies(word, negations) and not (
                word.key in ("no", "n") and self.page.signs[self.first].isdigit()
            ):
                return "negation_cut", (word.start, word.end)
        if words and not self._begins_sentence(words[-1]) and self._limits(words):
            return "condition_cut", (words[-1].start, words[-1].end)
        return "", (self.left, self.left)

    def _denied_after(self) -> tuple[str, tuple[int, int]]:
        end, size = self.right, len(self.page.signs)
        if self.page.signs[end - 1] in _SENTENCE_ENDS:
            return "", (end, end)
        while end < min(size, self.right + _CLAUSE) and not self._is_boundary(end + 1):
            end += 1
        words = self.wording.words(self.page, self.right, end)
        negations = self._negations(words)
        near = words[: _NEAR + 1] if self._may_deny_at_end() else words[:1]
        for number, word in enumerate(near):
            closes = number == len(words) - 1
            if _denies(word, negations) and word.key not in DENYING_FORWARD and (number == 0 or closes):
                return "negation_cut", (word.start, word.end)
        return "", (self.right, self.right)

    def _is_boundary(self, at: int) -> bool:
        """Whether a clause ends between the signs before and at a place."""
        page = self.page
        if at <= 0 or at > len(page.signs):
            return True
        if page.signs[at - 1] in _BOUNDARIES:
            return True
        if at == len(page.signs) or at not in page.breaks:
            return False
        gap = self.wording.text[page.ends[at - 1] : page.starts[at]]
        return "|" in gap or gap.count("\n") > 1 or "\n#" in gap or "\n-" in gap

    def _negations(self, words: Sequence[Word]) -> frozenset[str]:
        """What denies among some words beside the match."""
        if not words:
            return frozenset()
        return self.wording.negations_at(self._span())

    def _begins_sentence(self, word: Word) -> bool:
        """Whether the match, in capitals, begins a line or a sentence after a word that no stop follows."""
        page = self.page
        if not page.signs[self.first].isupper():
            return False
        if self.wording.is_bordered((page.ends[word.end - 1], page.starts[self.left])):
            return True
        return is_function_word(page.keys[slice(*page.words_around(self.first, self.first + 1))])

    def _limits(self, words: Sequence[Word]) -> bool:
        """Whether the words just before the match set it a condition or a limit: "if", "only", "at least"."""
        keys = " ".join(word.key for word in words)
        return words[-1].key in self.wording.conditions or f" {keys}".endswith(_LIMITS)

    def _may_deny_at_end(self) -> bool:
        return bool(self.wording.languages_at(self._span()) & _POSTPOSED)

    def _span(self) -> tuple[int, int]:
        """The match in the text."""
        return self.page.starts[self.first], self.page.ends[self.last - 1]


def _denies(word: Word, negations: frozenset[str]) -> bool:
    return word.key in negations or word.key.endswith("n't") or word.key == "cannot"
