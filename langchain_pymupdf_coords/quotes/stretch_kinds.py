"""The kind of a stretch in which the signs of a quote and of a text differ."""

import re
from dataclasses import dataclass

from langchain_pymupdf_coords.quotes.aligned_signs import AlignedSigns, Stretch
from langchain_pymupdf_coords.quotes.differences import worst
from langchain_pymupdf_coords.quotes.mark_kinds import are_end_marks, kind_of_mark, typography
from langchain_pymupdf_coords.quotes.notes import notes_of_page
from langchain_pymupdf_coords.quotes.numerals import is_same_number
from langchain_pymupdf_coords.quotes.reading import APART, RAISED, Reading, is_letter
from langchain_pymupdf_coords.quotes.wording import Wording

_CLOSED_NOTE = re.compile(r"\d{1,2}\)")

_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|re|e|è?me|ère|o|a|os|as|do|ta)(?![a-zà-ÿ])")

_CELL_MARKS = ("-", ",", ";", ":", "/")

_NUMERIC = re.compile(r"[\d.,' ]*")

_LONGEST_NOTE = 12

_LONGEST_NUMBER = 100  # signs each way, so that a table of nothing else takes bounded time


@dataclass(frozen=True, slots=True)
class StretchKinds:
    """Tells what the stretches of two aligned texts are.

    Attributes:
        sides: The signs of both, aligned.
        wording: Judges words.
    """

    sides: AlignedSigns
    wording: Wording

    def kind(self, stretch: Stretch) -> str:
        """The kind of a stretch, a name of the table of kinds."""
        mine, yours = self.sides.quote_signs(stretch), self.sides.page_signs(stretch)
        if mine and not yours and self._is_note(mine, stretch.j1):
            return "footnote_mark"
        if self._is_separator(stretch):
            return self._number_kind(stretch)
        if not any(is_letter(sign) or sign in (APART, RAISED) for sign in mine + yours):
            return self._symbols_kind(stretch)
        if any(sign.isdigit() or sign in (APART, RAISED) for sign in mine + yours):
            return self._number_kind(stretch)
        return self._words_kind(stretch)

    def _is_note(self, mine: str, j: int) -> bool:
        """Whether some signs of the quote are a note of the text, written on the line."""
        label = mine.replace(RAISED, "").strip("[]()")
        if not label or (label.isalpha() and len(label) > 1):
            return False
        start, end = self.sides.page_gap_at(j)
        notes = notes_of_page(self.sides.page, max(0, start - _LONGEST_NOTE), end)
        note = next((note for note in notes if start <= note.start < max(end, start + 1)), None)
        return note is not None and label == note.label

    def _is_separator(self, stretch: Stretch) -> bool:
        """Whether a stretch is a mark between two digits, on either side."""
        marks = self.sides.quote_signs(stretch) + self.sides.page_signs(stretch)
        if not marks or marks.strip(",.'"):
            return False
        (start, end), signs = self.sides.page_span(stretch), self.sides.page.signs
        return signs[start - 1 : start].isdigit() and signs[end : end + 1].isdigit()

    # Numbers.

    def _number_kind(self, stretch: Stretch) -> str:
        mine, yours = self.sides.quote_signs(stretch), self.sides.page_signs(stretch)
        if yours == APART and mine in _CELL_MARKS and self._is_bordered(stretch):
            return "table_separator"
        if RAISED in mine + yours:
            return self._raised_kind(stretch)
        ours = _number_at(self.sides.quote.signs, *self.sides.quote_span(stretch))
        if is_same_number(ours, self._page_number(stretch), grouped_by_commas=self.wording.groups_by_commas):
            return "number_grouping"
        has_digits = any(map(str.isdigit, mine + yours))
        if not has_digits and not (mine + yours).strip(APART + "|"):
            return "number"
        if self._looks_alike(stretch) and self.wording.was_read_by_ocr:
            return "ocr_confusable"
        if any(map(str.isalpha, mine + yours)) and not has_digits:
            return self._words_kind(stretch)
        return "number"

    def _page_number(self, stretch: Stretch) -> str:
        """The number of the text that a stretch lies in, one that a line break cuts after a comma as a whole.

        It ends with "|", and so is no number, where what parts its digits may be the space between two cells.
        """
        page, (start, end) = self.sides.page, self.sides.page_span(stretch)
        number = _number_at(page.signs, start, end)
        if APART not in page.signs[start:end]:
            return number
        gap = (page.ends[start - 1], page.starts[end])
        if page.signs[start:end] == APART and page.signs[start - 1] == ",":
            return number.replace(", ", ",") if self.wording.is_line_break(gap) else "|"
        return number if self.wording.is_narrow(gap) else number + "|"

    def _looks_alike(self, stretch: Stretch) -> bool:
        """Whether a word with letters, not a number, was read amiss."""
        ours, theirs = self.sides.words_around(stretch)
        has_letters = any(map(str.isalpha, ours)) and any(map(str.isalpha, theirs))
        return has_letters and self.wording.looks_alike(ours, theirs)

    def _raised_kind(self, stretch: Stretch) -> str:
        mine, yours = self.sides.quote_signs(stretch), self.sides.page_signs(stretch)
        if mine.replace(RAISED, "").replace("_", "") != yours.replace(RAISED, "").replace("_", ""):
            return "exponent"
        if RAISED in yours:
            return self._flattened_kind(self.sides.page, self.sides.page_span(stretch)[0])
        return self._flattened_kind(self.sides.quote, self.sides.quote_span(stretch)[0])

    def _flattened_kind(self, side: Reading, at: int) -> str:
        """What it is to write on the line what is raised at a place of one side."""
        signs = side.signs
        before, after = signs[at - 1 : at], signs[at + 1 :]
        if before.isdigit():
            if _ORDINAL.match(after):
                return "letter_form"
            in_name = signs[slice(*side.words_around(at - 1, at))].rstrip("0123456789").isalpha()
            plain = after[:1] in ("-", "+") or _CLOSED_NOTE.match(after) is not None or in_name
            return "flattened" if plain else "exponent"
        if not before.isalpha():
            return "flattened"
        if after[:1].isalpha():
            return "letter_form"
        start = at
        while start and signs[start - 1].isalpha() and start not in side.breaks:
            start -= 1
        measured = start > 0 and (signs[start - 1].isdigit() or signs[start - 1] in "/·")
        plain = after[:1].isdigit() and (at - start > 1 or measured)
        return "letter_form" if plain else "flattened"

    # Symbols.

    def _symbols_kind(self, stretch: Stretch) -> str:
        mine, yours = self.sides.quote_signs(stretch), self.sides.page_signs(stretch)
        if typography(mine) == typography(yours):
            return "typographic_mark"
        if are_end_marks(mine, yours):
            return "end_mark"
        bordered = self._is_bordered(stretch)
        kinds = [
            kind_of_mark(self.sides.quote, at, bordered=bordered, in_quote=True)
            for at in self.sides.quote_indices(stretch)
        ]
        kinds += [
            kind_of_mark(self.sides.page, at, bordered=bordered, in_quote=False)
            for at in self.sides.page_indices(stretch)
        ]
        return worst(kinds)

    def _is_bordered(self, stretch: Stretch) -> bool:
        """Whether the border of a cell or the end of a line stands where a stretch begins."""
        return self.wording.is_bordered(self.sides.page_gap(stretch.j1))

    # Words.

    def _words_kind(self, stretch: Stretch) -> str:
        sides, asked, found = self.sides, self.sides.quote_span(stretch), self.sides.page_span(stretch)
        ours, theirs = self.wording.words(sides.quote, *asked), self.wording.words(sides.page, *found)
        if self.wording.spells(sides.quote_signs(stretch), [word.key for word in theirs]) or (
            self.wording.spells(sides.page_signs(stretch), [word.key for word in ours])
        ):
            return "equal_sign"
        marks = [
            kind_of_mark(side, at, bordered=True, in_quote=side is sides.quote)
            for side, other, indices in (
                (sides.quote, sides.page.signs[slice(*found)], sides.quote_indices(stretch)),
                (sides.page, sides.quote.signs[slice(*asked)], sides.page_indices(stretch)),
            )
            for at in indices
            if not is_letter(side.signs[at]) and side.signs[at] not in other and side.signs[at] != "'"
        ]
        return worst([*marks, self.wording.contrast(ours, theirs)])


def _number_at(signs: str, start: int, end: int) -> str:
    """The number that a span lies in, digits with what stands between them."""
    first = max(0, start - _LONGEST_NUMBER)
    while start > first and (signs[start - 1].isdigit() or signs[start - 1] in ".,' "):
        start -= 1
    tail = _NUMERIC.match(signs, end, end + _LONGEST_NUMBER)
    return signs[start : tail.end() if tail else end].strip(".,'")
