"""What a quote and a place of a text differ in, sign by sign.

The signs of both (see ``reading``) are aligned, and each stretch in which they differ gets its kind from the
table in ``differences``. Spans here are of signs; who asks turns them into characters.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from langchain_pymupdf_coords.quotes.aligned_signs import AlignedSigns
from langchain_pymupdf_coords.quotes.differences import Contrast
from langchain_pymupdf_coords.quotes.letter_case import LetterCase
from langchain_pymupdf_coords.quotes.notes import (
    REMARK,
    Note,
    begins_with_note,
    ends_with_note,
    notes_of_page,
    notes_of_quote,
    uncommon,
    without,
)
from langchain_pymupdf_coords.quotes.outer_marks import OuterMarks
from langchain_pymupdf_coords.quotes.reading import Reading, is_letter
from langchain_pymupdf_coords.quotes.stretch_kinds import StretchKinds
from langchain_pymupdf_coords.quotes.struck import struck_out
from langchain_pymupdf_coords.quotes.wording import Wording


@dataclass
class Comparison:
    """A quote beside the part of a text that may be it.

    Attributes:
        quote: The signs of the quote.
        page: The signs of the text around.
        found: The span of the signs of the text from the first letter of the quote to the last.
        wording: Judges words.
        contrasts: What differs.
        equal_runs: Signs that are equal but for case: ``(place in the quote, place in the text, size)``.
    """

    quote: Reading
    page: Reading
    found: tuple[int, int]
    wording: Wording
    contrasts: list[Contrast] = field(default_factory=list)
    equal_runs: list[tuple[int, int, int]] = field(default_factory=list)

    def run(self) -> tuple[int, int]:
        """Collect the contrasts; return the signs of the text that are the quote's, with its outer marks."""
        notes: Sequence[Note] = ()
        asked = _letters_between(self.quote, notes)
        if self.quote.keys[slice(*asked)] == self.page.keys[slice(*self.found)]:
            self.equal_runs = [(asked[0], self.found[0], asked[1] - asked[0])]
        else:
            notes, asked = self._align()
        outside = OuterMarks(self.quote, asked, self.page, self.found)
        left, before = outside.before(without(range(asked[0] - 1, -1, -1), notes))
        right, after = outside.after(without(range(asked[1], len(self.quote.signs)), notes))
        self.contrasts += [*before, *after]
        case = LetterCase(self.quote, asked, self.page, self.found, self.wording)
        self.contrasts += case.contrasts(self.equal_runs)
        self.contrasts += self._parted_negations()
        self.contrasts += struck_out(self.quote, asked, self.page, (left, right), self.wording)
        self.contrasts.sort(key=lambda contrast: (contrast.page, contrast.quote))
        return left, right

    def _align(self) -> tuple[Sequence[Note], tuple[int, int]]:
        """Align the letters, notes aside; return the notes of the quote and the span of its letters."""
        mine, yours = uncommon(
            self.quote,
            notes_of_quote(self.quote, self.page, self.wording),
            self.page,
            notes_of_page(self.page, *self.found),
        )
        asked = _letters_between(self.quote, mine)
        sides = AlignedSigns(self.quote, asked, self.page, self.found, (mine, yours))
        self.equal_runs += sides.equal_runs()
        kinds = StretchKinds(sides, self.wording)
        for stretch in sides.stretches():
            self._add(kinds.kind(stretch), sides.quote_span(stretch), sides.page_span(stretch))
        self._pair_notes(sides, asked, mine, yours)
        return mine, asked

    def _pair_notes(
        self, sides: AlignedSigns, asked: tuple[int, int], notes: Sequence[Note], page_notes: Sequence[Note]
    ) -> None:
        places = {sides.after_quote(note.start): note for note in notes}
        for note in page_notes:
            at = sides.after_page(note.start)
            mine = places.pop(at, None)
            if mine is None:
                kind = "footnote_mark" if note.raised else "citation_mark"
                self._add(kind, (sides.quote_at(at), sides.quote_at(at)), (note.start, note.end))
            elif mine.label != note.label:
                self._add("number", (mine.start, mine.end), (note.start, note.end))
            elif mine.raised != note.raised:
                self._add("footnote_mark", (mine.start, mine.end), (note.start, note.end))
        for at, mine in places.items():
            self._add(
                self._kind_of_own(mine, asked),
                (mine.start, mine.end),
                (sides.page_at(at), sides.page_at(at)),
            )

    def _kind_of_own(self, note: Note, asked: tuple[int, int]) -> str:
        """The kind of a note of the quote that the text has not: another number where it has one there."""
        page, (first, last) = self.page.signs, self.found
        beside = (note.end <= asked[0] and ends_with_note(page[:first])) or (
            note.start >= asked[1] and begins_with_note(page[last:])
        )
        if note.raised or beside:
            return "number"
        return "bracketed_remark" if note.label == REMARK else "citation_mark"

    def _add(self, kind: str, quote: tuple[int, int], page: tuple[int, int]) -> None:
        self.contrasts.append(Contrast(kind, quote, page))

    def _parted_negations(self) -> Iterator[Contrast]:
        """Words that are parted on one side, joined on the other, and deny on one of them: "not able", "notable"."""
        for i, j, size in self.equal_runs:
            for mine in self._parted(self.quote, i, size, self.page, j - i):
                yield Contrast("negation", *mine)
            for page, quote in self._parted(self.page, j, size, self.quote, i - j):
                yield Contrast("negation", quote, page)

    def _parted(
        self, one: Reading, start: int, size: int, other: Reading, shift: int
    ) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Negations among equal signs of one side that are part of a word of the other."""
        for word in self.wording.words(one, start, start + size):
            begin, end = word.start + shift, word.end + shift
            if word.key not in self.wording.negations or (other.is_edge(begin) and other.is_edge(end)):
                continue
            begin, end = other.words_around(begin, begin + 1)
            if self.wording.parts_a_word(self.wording.words(one, max(0, begin - shift), end - shift)):
                yield (word.start, word.end), (begin, end)


def _letters_between(reading: Reading, notes: Sequence[Note]) -> tuple[int, int]:
    """From the first letter to the last, those of notes aside."""
    letters = [at for at in without(range(len(reading.signs)), notes) if is_letter(reading.signs[at])]
    return (letters[0], letters[-1] + 1) if letters else (0, 0)
