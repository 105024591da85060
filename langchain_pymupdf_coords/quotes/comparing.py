# ruff: noqa: RUF001  (signs of every kind are what this is about)
"""What a quote and a place of a text differ in, sign by sign.

The signs of both (see ``reading``) are aligned, and each stretch in which they differ gets its kind from the
table in ``differences``. Spans here are of signs; who asks turns them into characters.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rapidfuzz.distance import Levenshtein

from langchain_pymupdf_coords.quotes.differences import KINDS
from langchain_pymupdf_coords.quotes.numerals import is_same_number
from langchain_pymupdf_coords.quotes.reading import APART, RAISED, Reading, is_letter
from langchain_pymupdf_coords.quotes.signs import is_ornament, kind_of
from langchain_pymupdf_coords.quotes.wording import Word, Wording

_Code = tuple[str, int, int, int, int]

_OPENING, _CLOSING = "([{", ")]}"

_RAISED_NOTE = re.compile(r"\^(?P<label>\d{1,3}(?:[,-]\d{1,3})*|[a-z]|[*†‡§]{1,3}|\*{1,3})")

_BRACKETED_NOTE = re.compile(r"\[(?P<label>\d{1,3}(?:[,-]\s?\d{1,3})*)\]")

_CITATION = re.compile(
    r"\[\d{1,3}†[^\[\]]{0,60}\]|\((?:pp?|pages?|S|Seite|Quelle|source|Source|chunk|doc|document)\.?:?\s?\d{1,4}(?:-\s?\d{1,4})?\)"
)

_REMARK = re.compile(r"\[(?P<words>[^\[\]\d…^]{2,80})\]")

_CLOSED_NOTE = re.compile(r"\d{1,2}\)")

_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|re|e|è?me|ère|o|a|os|as|do|ta)(?![a-zà-ÿ])")

_CELL_MARKS = ("-", ",", ";", ":", "/")

_NOTE_AFTER = ".,;:!?\"')]}"

_SHORTEST_NOTED = 4

_CAPITALS = 0.8


@dataclass(frozen=True, slots=True)
class Contrast:
    """A stretch of signs that differs.

    Attributes:
        kind: Its name in the table of kinds.
        quote: Its place in the signs of the quote; may be empty.
        page: Its place in the signs of the text; may be empty.
    """

    kind: str
    quote: tuple[int, int]
    page: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote or citation mark: its signs from `start` to `end`, and what it says."""

    start: int
    end: int
    label: str
    raised: bool


@dataclass
class Comparison:
    """A quote beside the part of a text that may be it.

    Attributes:
        quote: The signs of the quote.
        page: The signs of the text around.
        first: The first sign of the text that is a letter of the quote.
        last: The end of the last one.
        wording: Judges words.
    """

    quote: Reading
    page: Reading
    first: int
    last: int
    wording: Wording
    contrasts: list[Contrast] = field(default_factory=list)
    equal_runs: list[tuple[int, int, int]] = field(default_factory=list)

    def run(self) -> tuple[int, int]:
        """Collect the contrasts; return the signs of the text that are the quote's, with its outer marks."""
        self._notes_of_quote: list[Note] = []
        self._begin, self._end = _letters_between(self.quote, 0, len(self.quote.signs), ())
        if self.quote.keys[self._begin : self._end] == self.page.keys[self.first : self.last]:
            self.equal_runs = [(self._begin, self.first, self._end - self._begin)]
        else:
            self._align()
        left = self._outer_left()
        right = self._outer_right()
        self._case()
        self._negations()
        self._struck(left, right)
        self.contrasts.sort(key=lambda contrast: (contrast.page, contrast.quote))
        return left, right

    def _align(self) -> None:
        """Align what lies between the first letter and the last, footnote and citation marks aside."""
        notes = self._notes(self.quote, 0, len(self.quote.signs), page=False)
        page_notes = self._notes(self.page, self.first, self.last, page=True)
        notes, page_notes = _uncommon(self.quote, notes, self.page, page_notes)
        self._notes_of_quote = notes
        self._begin, self._end = _letters_between(self.quote, 0, len(self.quote.signs), notes)
        ours = _without(range(self._begin, self._end), notes)
        theirs = _without(range(self.first, self.last), page_notes)
        left = "".join(map(self.quote.keys.__getitem__, ours))
        right = "".join(map(self.page.keys.__getitem__, theirs))
        codes: list[_Code] = [
            (code.tag, code.src_start, code.src_end, code.dest_start, code.dest_end)
            for code in Levenshtein.opcodes(left, right)
        ]
        stretches: list[tuple[int, int, int, int]] = []
        for tag, i1, i2, j1, j2 in codes:
            if tag == "equal":
                self.equal_runs += _runs(ours[i1:i2], theirs[j1:j2])
            elif stretches and stretches[-1][1] == i1 and stretches[-1][3] == j1:
                stretches[-1] = (stretches[-1][0], i2, stretches[-1][2], j2)
            else:
                stretches.append((i1, i2, j1, j2))
        pairs = _Pairs(self, ours, theirs, codes)
        for stretch in pairs.grouped(stretches):
            self._stretch(pairs, *stretch)
        self._pair_notes(pairs, notes, page_notes)

    def _notes(self, reading: Reading, start: int, end: int, *, page: bool) -> list[Note]:
        signs = reading.signs
        found: list[Note] = []
        if RAISED in signs:
            found += [
                Note(*mark.span(), mark["label"], raised=True)
                for mark in _RAISED_NOTE.finditer(signs, start, end)
                if self._is_noted(reading, mark.start()) and reading.is_edge(mark.end())
            ]
        if "[" in signs:
            found += [
                Note(*mark.span(), mark["label"].replace(APART, ""), raised=False)
                for mark in _BRACKETED_NOTE.finditer(signs, start, end)
                if not page or mark.start() in reading.breaks or signs[mark.start() - 1] in _NOTE_AFTER
            ]
        if not page and ("[" in signs or "(" in signs):
            found += [Note(*mark.span(), "", raised=False) for mark in _CITATION.finditer(signs, start, end)]
            for mark in _REMARK.finditer(signs, start, end):
                words = self.wording.words(reading, mark.start() + 1, mark.end() - 1)
                if self.wording.says_little(words) and mark.group() not in self.page.signs:
                    found.append(Note(*mark.span(), "remark", raised=False))
        return sorted(found, key=lambda note: note.start)

    def _is_noted(self, reading: Reading, at: int) -> bool:
        """Whether what is raised at a place is a note to the word before, not its exponent."""
        if at == 0 or reading.signs[at - 1] in _NOTE_AFTER:
            return True
        start = at - 1
        while not reading.is_edge(start):
            start -= 1
        return at - start >= _SHORTEST_NOTED and reading.signs[start:at].isalpha()

    def _pair_notes(self, pairs: "_Pairs", notes: Sequence[Note], page_notes: Sequence[Note]) -> None:
        places = {pairs.after_quote(note.start): note for note in notes}
        for note in page_notes:
            at = pairs.after_page(note.start)
            mine = places.pop(at, None)
            if mine is None:
                kind = "footnote_mark" if note.raised else "citation_mark"
                self._add(kind, (pairs.quote_at(at), pairs.quote_at(at)), (note.start, note.end))
            elif mine.label != note.label:
                self._add("number", (mine.start, mine.end), (note.start, note.end))
            elif mine.raised != note.raised:
                self._add("footnote_mark", (mine.start, mine.end), (note.start, note.end))
        for at, mine in places.items():
            other = mine.raised or self._has_note_beside(mine)
            kind = "number" if other else "bracketed_remark" if mine.label == "remark" else "citation_mark"
            self._add(kind, (mine.start, mine.end), (pairs.page_at(at), pairs.page_at(at)))

    def _has_note_beside(self, note: Note) -> bool:
        """Whether the text has another note where the quote begins or ends with one."""
        signs = self.page.signs
        if note.end <= self._begin:
            return re.search(r"(?:\^\w{1,3}|\[[\d,\- ]{1,40}\])[.,;:]?\Z", signs[: self.first]) is not None
        if note.start >= self._end:
            return re.match(r"[.,;:\"')]{0,2}(?:\^\w|\[\d)", signs[self.last :]) is not None
        return False

    def _stretch(self, pairs: "_Pairs", i1: int, i2: int, j1: int, j2: int) -> None:
        mine, yours = pairs.quote_signs(i1, i2), pairs.page_signs(j1, j2)
        if mine and not yours and self._is_note(pairs, mine, j1):
            self._add("footnote_mark", pairs.quote_span(i1, i2), pairs.page_span(j1, j2))
            return
        spans = pairs.quote_span(i1, i2), pairs.page_span(j1, j2)
        if self._is_separator(pairs, i1, i2, j1, j2):
            kind = self._numbers(pairs, i1, i2, j1, j2)
        elif not any(map(_is_core, mine + yours)):
            kind = self._symbols(pairs, i1, i2, j1, j2)
        elif any(sign.isdigit() or sign in (APART, RAISED) for sign in mine + yours):
            kind = self._numbers(pairs, i1, i2, j1, j2)
        else:
            kind = self._words(pairs, i1, i2, j1, j2)
        self._add(kind, *spans)

    def _add(self, kind: str, quote: tuple[int, int], page: tuple[int, int]) -> None:
        self.contrasts.append(Contrast(kind, quote, page))

    # Numbers.

    def _numbers(self, pairs: "_Pairs", i1: int, i2: int, j1: int, j2: int) -> str:
        mine, yours = pairs.quote_signs(i1, i2), pairs.page_signs(j1, j2)
        if yours == APART and mine in _CELL_MARKS and self._bordered(pairs, j1):
            return "table_separator"
        if RAISED in mine + yours:
            return self._raised(pairs, i1, i2, j1, j2)
        numbers = pairs.number_around(i1, i2, j1, j2)
        if numbers and is_same_number(*numbers, grouped_by_commas=self.wording.groups_by_commas):
            return "number_grouping"
        if not any(sign.isdigit() for sign in mine + yours) and not (mine + yours).strip(APART + "|"):
            return "number"
        if self.wording.ocr and self._looks_alike(pairs, i1, i2, j1, j2):
            return "ocr_confusable"
        if any(map(str.isalpha, mine + yours)) and not any(map(str.isdigit, mine + yours)):
            return self._words(pairs, i1, i2, j1, j2)
        return "number"

    def _is_separator(self, pairs: "_Pairs", i1: int, i2: int, j1: int, j2: int) -> bool:
        """Whether a stretch is a mark between two digits, on either side."""
        marks = pairs.quote_signs(i1, i2) + pairs.page_signs(j1, j2)
        if not marks or marks.strip(",.'"):
            return False
        start, end = pairs.page_span(j1, j2)
        return self.page.signs[start - 1 : start].isdigit() and self.page.signs[end : end + 1].isdigit()

    def _is_note(self, pairs: "_Pairs", mine: str, j: int) -> bool:
        """Whether some signs of the quote are a note of the text, written on the line."""
        label = mine.replace(RAISED, "").strip("[]()")
        note = pairs.note_at(j) if (label and not label.isalpha()) or len(label) == 1 else None
        return note is not None and label == note.label

    def _looks_alike(self, pairs: "_Pairs", i1: int, i2: int, j1: int, j2: int) -> bool:
        """Whether a word with letters, not a number, was read amiss."""
        words = [pairs.words_around(i1, i2, j1, j2)]
        return all(
            any(map(str.isalpha, ours))
            and any(map(str.isalpha, theirs))
            and self.wording.looks_alike(ours, theirs)
            for ours, theirs in words
        )

    def _raised(self, pairs: "_Pairs", i1: int, i2: int, j1: int, j2: int) -> str:
        mine, yours = pairs.quote_signs(i1, i2), pairs.page_signs(j1, j2)
        if mine.replace(RAISED, "").replace("_", "") != yours.replace(RAISED, "").replace("_", ""):
            return "exponent"
        raised_on_page = RAISED in yours
        side, at = (
            (self.page, pairs.page_span(j1, j2)[0])
            if raised_on_page
            else (self.quote, pairs.quote_span(i1, i2)[0])
        )
        return self._flattened(side, at)

    def _flattened(self, side: Reading, at: int) -> str:
        """What it is to write on the line what is raised at a place of one side."""
        signs = side.signs
        before, after = signs[at - 1 : at], signs[at + 1 :]
        if before.isdigit():
            if _ORDINAL.match(after):
                return "letter_form"
            in_name = signs[slice(*self.wording.word_around(side, at - 1))].rstrip("0123456789").isalpha()
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

    def _symbols(self, pairs: "_Pairs", i1: int, i2: int, j1: int, j2: int) -> str:
        mine, yours = pairs.quote_signs(i1, i2), pairs.page_signs(j1, j2)
        if _typography(mine) == _typography(yours):
            return "typographic_mark"
        kinds = [
            self._symbol(self.quote, at, self._bordered(pairs, j1)) for at in pairs.quote_indices(i1, i2)
        ]
        kinds += [self._symbol(self.page, at, self._bordered(pairs, j1)) for at in pairs.page_indices(j1, j2)]
        if (
            mine
            and yours
            and set(mine + yours) & set("?!")
            and all(sign in ".,;:!?…" for sign in mine + yours)
        ):
            return "end_mark"
        return worst(kinds)

    def _bordered(self, pairs: "_Pairs", j: int) -> bool:
        """Whether a border of a cell or the end of a line stands at a place of the text."""
        return self.wording.is_bordered(pairs.page_gap(j))

    def _symbol(self, side: Reading, at: int, bordered: bool) -> str:  # noqa: C901
        sign, signs = side.signs[at], side.signs
        before = signs[at - 1] if at and at not in side.breaks else ""
        after = signs[at + 1] if at + 1 < len(signs) and at + 1 not in side.breaks else ""
        far_before, far_after = signs[at - 1 : at], signs[at + 1 : at + 2]
        kind = kind_of(sign)
        if kind != "punctuation":
            return kind
        if sign == "-":
            return self._dash(side, at, before, after, bordered)
        if sign in "([{":
            if signs[at + 2 : at + 3] in _CLOSING and sign == "[" and far_after.isalpha():
                return "bracketed_remark"
            return "number_sign" if _opens_number(signs, at + 1) else "punctuation"
        if sign in ")]}":
            if at >= 2 and signs[at - 2] == "[" and sign == "]" and far_before.isalpha():
                return "bracketed_remark"
            return "number_sign" if far_before.isdigit() or far_before in ("%", "‰") else "punctuation"
        if before.isdigit() and after.isdigit():
            return "number"
        if sign in ".,:" and after.isdigit() and not before:
            return "number"
        if sign == "'" and before.isalnum():
            return "apostrophe"
        if sign in "?!":
            return "operator" if after.isalpha() and sign == "!" and not before.isalnum() else "end_mark"
        if (
            sign == "."
            and before.isalpha()
            and (after in (*",;:)",) or at < 2 or not signs[at - 2].isalpha())
        ):
            return "final_punctuation"  # the point of an abbreviation
        if sign in ",;:.|/" and bordered and not (before and after):
            return "table_separator"
        if sign == ":" and side is self.quote and before and not after:
            return "table_separator"  # a label and its value
        return "punctuation"

    def _dash(self, side: Reading, at: int, before: str, after: str, bordered: bool) -> str:
        far_after = side.signs[at + 1 : at + 2]
        if before.isdigit() or (after.isdigit() and not before.isalnum()):
            return "number_sign"
        if not before and not after:
            return "table_separator" if bordered else "number_sign" if far_after.isdigit() else "punctuation"
        if before.isalpha() and far_after.isalpha() and not after:
            return "line_end_hyphen"
        if before.isalnum() and after.isalnum():
            return "hyphen"
        return "table_separator" if bordered else "punctuation"

    # Words.

    def _words(self, pairs: "_Pairs", i1: int, i2: int, j1: int, j2: int) -> str:
        ours = self.wording.words(self.quote, *pairs.quote_span(i1, i2))
        theirs = self.wording.words(self.page, *pairs.page_span(j1, j2))
        spelled = self._spelled(pairs, i1, i2, j1, j2, ours, theirs)
        if spelled:
            return spelled
        symbols = [
            self._symbol(side, at, bordered=True)
            for side, other, indices in (
                (self.quote, self.page.signs[slice(*pairs.page_span(j1, j2))], pairs.quote_indices(i1, i2)),
                (self.page, self.quote.signs[slice(*pairs.quote_span(i1, i2))], pairs.page_indices(j1, j2)),
            )
            for at in indices
            if not is_letter(side.signs[at]) and side.signs[at] not in other and side.signs[at] != "'"
        ]
        return worst([*symbols, self.wording.contrast(ours, theirs)])

    def _spelled(
        self,
        pairs: "_Pairs",
        i1: int,
        i2: int,
        j1: int,
        j2: int,
        ours: Sequence[Word],
        theirs: Sequence[Word],
    ) -> str | None:
        mine, yours = pairs.quote_signs(i1, i2), pairs.page_signs(j1, j2)
        if self.wording.spells(mine, [word.key for word in theirs]) or self.wording.spells(
            yours, [word.key for word in ours]
        ):
            return "equal_sign"
        return None

    # Case.

    def _case(self) -> None:
        """Add the differences in case alone."""
        quote, page = self.quote.signs, self.page.signs
        if quote[self._begin : self._end] == page[self.first : self.last]:
            return
        seen: set[int] = set()
        for i, j, size in self.equal_runs:
            for step in range(size):
                if quote[i + step] != page[j + step]:
                    start, end = self.wording.word_around(self.page, j + step)
                    if start in seen:
                        continue
                    seen.add(start)
                    shift = i - j
                    stop = min(end, j + size)
                    begin = max(start, j)
                    kind = self._case_kind(begin, stop, begin + shift)
                    self._add(kind, (begin + shift, stop + shift), (begin, stop))

    def _case_kind(self, begin: int, stop: int, mine: int) -> str:
        quote, page = self.quote, self.page
        before = page.signs[begin - 1] if begin else ""
        gap = (page.ends[begin - 1] if begin else page.starts[begin], page.starts[begin])
        return self.wording.case_kind(
            quote.signs[mine : mine + stop - begin],
            page.signs[begin:stop],
            follows_number=before.isdigit() and not self.wording.is_bordered(gap),
            leads=mine == self._begin
            or before in ".!?…:;"
            or begin == self.first
            or self.wording.is_bordered(gap)
            or quote.signs[mine - 1] in '[]"',
            capitals=self._in_capitals
            or self._among_capitals(begin, stop, mine)
            or self.wording.in_heading(gap[1]),
            address=self.wording.in_address(page.starts[begin]),
        )

    @cached_property
    def _in_capitals(self) -> bool:
        """Whether one side is in capitals."""
        return any(
            _are_capitals(signs)
            for signs in (self.quote.signs[self._begin : self._end], self.page.signs[self.first : self.last])
        )

    def _among_capitals(self, begin: int, stop: int, mine: int) -> bool:
        """Whether a word and one beside it are in capitals on one side."""
        for side, start, end in ((self.page, begin, stop), (self.quote, mine, mine + stop - begin)):
            if _are_capitals(side.signs[start:end]) and any(
                _are_capitals(side.signs[slice(*self.wording.word_around(side, at))])
                for at in (start - 1, end)
                if 0 <= at < len(side.signs) and side.signs[at].isalpha()
            ):
                return True
        return False

    # Marks before the first letter and after the last.

    def _outer_left(self) -> int:
        quote, page = self.quote, self.page
        at = self.first
        strange: list[int] = []
        for mine in self._outside(range(self._begin - 1, -1, -1)):
            sign = quote.signs[mine]
            if at > 0 and page.signs[at - 1] == sign and not is_letter(sign):
                at -= 1
            elif at > 1 and page.signs[at - 2] == sign and _is_weak(page.signs[at - 1]):
                at -= 2
            else:
                strange.append(mine)
        for mine in reversed(strange):
            self._add(self._outer_kind(mine, leading=True), (mine, mine + 1), (at, at))
        return at

    def _outer_right(self) -> int:
        quote, page = self.quote, self.page
        at, size = self.last, len(page.signs)
        strange: list[int] = []
        for mine in self._outside(range(self._end, len(quote.signs))):
            sign = quote.signs[mine]
            if at < size and page.signs[at] == sign:
                at += 1
            elif at + 1 < size and page.signs[at + 1] == sign and page.signs[at] == RAISED:
                self._add("flattened", (mine, mine + 1), (at, at + 2))
                at += 2
            elif at + 1 < size and page.signs[at + 1] == sign and _is_weak(page.signs[at]):
                at += 2
            else:
                strange.append(mine)
        for mine in strange:
            self._add(self._outer_kind(mine, leading=False), (mine, mine + 1), (at, at))
        return at

    def _outside(self, places: range) -> list[int]:
        """Places of the quote that no note covers."""
        return _without(places, self._notes_of_quote)

    def _outer_kind(self, mine: int, *, leading: bool) -> str:
        """The kind of a sign that the quote has before its first letter or after its last, and the text has not."""
        sign = self.quote.signs[mine]
        kind = kind_of(sign)
        if leading and (is_ornament(sign) or sign == "✓"):
            before = self.page.signs[self.first - 1 : self.first]
            return kind if kind_of(before or ".") in ("symbol", "tick_or_box", "arrow") else "list_mark"
        if sign in "\"'`" or sign in _OPENING + _CLOSING:
            digits = self.quote.signs[self._begin if leading else self._end - 1].isdigit()
            touches = mine == (self._begin - 1 if leading else self._end)
            if sign in "()" and digits and touches and self._is_enclosed():
                return "number_sign"
            return "quotation_mark"
        if sign == "-":
            digit = self.quote.signs[self._begin if leading else self._end - 1].isdigit()
            glued = (mine + 1 not in self.quote.breaks) if leading else (mine not in self.quote.breaks)
            return "number_sign" if digit and glued else "final_punctuation"
        if sign in "?!":
            return "end_mark"
        if sign in ".,;:…/*_|":
            return "list_mark" if leading else "final_punctuation"
        return kind if kind != "punctuation" else "punctuation"

    def _is_enclosed(self) -> bool:
        return (
            self.quote.signs[self._begin - 1 : self._begin] == "("
            and self.quote.signs[self._end : self._end + 1] == ")"
        )

    # White space that makes a negation.

    def _negations(self) -> None:
        """Add words that are parted on one side, joined on the other, and deny on one of them."""
        for i, j, size in self.equal_runs:
            for one, other, start, shift in (
                (self.quote, self.page, i, j - i),
                (self.page, self.quote, j, i - j),
            ):
                for word in self.wording.words(one, start, start + size):
                    if word.key not in self.wording.negations:
                        continue
                    begin, end = word.start + shift, word.end + shift
                    if other.is_edge(begin) and other.is_edge(end):
                        continue
                    begin, end = self.wording.word_around(other, begin)
                    parts = self.wording.words(one, max(0, begin - shift), end - shift)
                    if self.wording.parts_a_word(parts):
                        spans = (word.start, word.end), (begin, end)
                        self._add("negation", *(spans if one is self.quote else spans[::-1]))

    # Struck-out text.

    def _struck(self, left: int, right: int) -> None:
        struck = [at for at in range(left, right) if at in self.page.struck]
        if not struck or not self._strikes_words(struck):
            return
        quote_struck = bool(self.quote.struck)
        live = [
            at for at in range(left, right) if at not in self.page.struck and is_letter(self.page.signs[at])
        ]
        kind = "struck_out" if quote_struck or not live else "struck_text_as_live"
        self._add(kind, (self._begin, self._end), (struck[0], struck[-1] + 1))

    def _strikes_words(self, struck: Sequence[int]) -> bool:
        """Whether whole words are struck, not letters that a rule of the page crosses."""
        runs: list[list[int]] = []
        for at in struck:
            if not is_letter(self.page.signs[at]):
                continue
            if runs and all(between in self.page.struck for between in range(runs[-1][-1], at)):
                runs[-1].append(at)
            else:
                runs.append([at])
        return any(
            len(run) > 1 and self.page.is_edge(run[0]) and self.page.is_edge(run[-1] + 1) for run in runs
        )


class _Pairs:
    """Aligned signs of both sides: places in the kept signs, and back to the readings."""

    def __init__(
        self,
        comparison: Comparison,
        ours: list[int],
        theirs: list[int],
        codes: Sequence[_Code],
    ) -> None:
        self._comparison = comparison
        self._ours, self._theirs = ours, theirs
        self._codes = codes
        self._starting = {(code[1], code[3]): code for code in codes}
        self._ending = {(code[2], code[4]): code for code in codes}

    def quote_signs(self, i1: int, i2: int) -> str:
        return "".join(self._comparison.quote.signs[at] for at in self._ours[i1:i2])

    def page_signs(self, j1: int, j2: int) -> str:
        return "".join(self._comparison.page.signs[at] for at in self._theirs[j1:j2])

    def quote_indices(self, i1: int, i2: int) -> list[int]:
        return self._ours[i1:i2]

    def page_indices(self, j1: int, j2: int) -> list[int]:
        return self._theirs[j1:j2]

    def quote_at(self, i: int) -> int:
        return self._ours[i] if i < len(self._ours) else self._comparison._end

    def page_at(self, i: int) -> int:
        """The sign of the text beside the sign `i` of the quote."""
        for _, i1, i2, j1, j2 in self._codes:
            if i1 <= i <= i2:
                j = min(j1 + i - i1, j2)
                return self._theirs[j] if j < len(self._theirs) else self._comparison.last
        return self._comparison.last

    def quote_span(self, i1: int, i2: int) -> tuple[int, int]:
        if i1 == i2:
            return self.quote_at(i1), self.quote_at(i1)
        return self._ours[i1], self._ours[i2 - 1] + 1

    def page_span(self, j1: int, j2: int) -> tuple[int, int]:
        if j1 == j2:
            at = self._theirs[j1] if j1 < len(self._theirs) else self._comparison.last
            return at, at
        return self._theirs[j1], self._theirs[j2 - 1] + 1

    def after_quote(self, at: int) -> int:
        """The kept sign of the quote that a sign left out stands before."""
        return sum(kept < at for kept in self._ours)

    def after_page(self, at: int) -> int:
        """The kept sign of the quote beside the place of the text that a sign left out stands at."""
        j = sum(kept < at for kept in self._theirs)
        for _, i1, i2, j1, j2 in self._codes:
            if j1 < j <= j2 or j == j1 == 0:
                return min(i1 + j - j1, i2)
        return len(self._ours)

    def note_at(self, j: int) -> Note | None:
        """The note that stands at a place of the text."""
        start = self._theirs[j - 1] + 1 if j else self._comparison.first
        end = self._theirs[j] if j < len(self._theirs) else self._comparison.last
        notes = self._comparison._notes(self._comparison.page, max(0, start - 12), end, page=True)
        return next((note for note in notes if start <= note.start < max(end, start + 1)), None)

    def page_gap(self, j: int) -> tuple[int, int]:
        """Source offsets of what stands around a place of the text, between the letters on either side."""
        page = self._comparison.page
        before = self._theirs[j - 1] if j else self._comparison.first
        after = self._theirs[j] if j < len(self._theirs) else self._comparison.last - 1
        while after + 1 < self._comparison.last and not is_letter(page.signs[after]):
            after += 1
        while before > self._comparison.first and not is_letter(page.signs[before]):
            before -= 1
        return page.ends[before], page.starts[after]

    def number_around(self, i1: int, i2: int, j1: int, j2: int) -> tuple[str, str] | None:
        """The numbers of both sides that a stretch lies in, with what groups their digits."""
        quote = self._comparison.quote
        return (
            _number_at(quote.signs, *self.quote_span(i1, i2)),
            self._page_number(j1, j2),
        )

    def _page_number(self, j1: int, j2: int) -> str:
        """The number of the text that a stretch lies in; one that a line break cuts after a comma is whole."""
        page, wording = self._comparison.page, self._comparison.wording
        start, end = self.page_span(j1, j2)
        number = _number_at(page.signs, start, end)
        if page.signs[start:end] == APART and page.signs[start - 1] == ",":
            return (
                number.replace(", ", ",")
                if wording.is_line_break((page.ends[start - 1], page.starts[end]))
                else "|"
            )
        return number + ("" if self._grouped(j1, j2) else "|")

    def _grouped(self, j1: int, j2: int) -> bool:
        """Whether white space of the text, if any, may group digits: cells stand side by side with plain spaces."""
        page = self._comparison.page
        start, end = self.page_span(j1, j2)
        return APART not in page.signs[start:end] or self._comparison.wording.is_narrow(
            (page.ends[start - 1], page.starts[end])
        )

    def words_around(self, i1: int, i2: int, j1: int, j2: int) -> tuple[str, str]:
        quote, page = self._comparison.quote, self._comparison.page
        return (
            quote.keys[slice(*_word_at(quote, *self.quote_span(i1, i2)))],
            page.keys[slice(*_word_at(page, *self.page_span(j1, j2)))],
        )

    def grouped(self, stretches: Sequence[tuple[int, int, int, int]]) -> Iterator[tuple[int, int, int, int]]:
        """Stretches of letters grown to whole words on both sides; those that meet are one."""
        grown: list[tuple[int, int, int, int]] = []
        for stretch in stretches:
            if self._has_letters(stretch):
                stretch = self._to_words(stretch)
            while grown and (grown[-1][1] > stretch[0] or grown[-1][3] > stretch[2]):
                last = grown.pop()
                stretch = (
                    min(last[0], stretch[0]), max(last[1], stretch[1]),
                    min(last[2], stretch[2]), max(last[3], stretch[3]),
                )  # fmt: skip
            grown.append(stretch)
        yield from grown

    def _has_letters(self, stretch: tuple[int, int, int, int]) -> bool:
        i1, i2, j1, j2 = stretch
        signs = self.quote_signs(i1, i2) + self.page_signs(j1, j2)
        return any(map(_is_word_sign, signs)) and not any(
            sign.isdigit() or sign in (RAISED, APART) for sign in signs
        )

    def _to_words(self, stretch: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
        i1, i2, j1, j2 = stretch
        while not (self._quote_edge(i1) and self._page_edge(j1)):
            i1, j1 = self._step(self._ending, i1, j1, -1)
        while not (self._quote_edge(i2) and self._page_edge(j2)):
            i2, j2 = self._step(self._starting, i2, j2, 1)
        return i1, i2, j1, j2

    def _step(self, codes: dict[tuple[int, int], _Code], i: int, j: int, step: int) -> tuple[int, int]:
        """The place beside a place: one sign on where both sides are equal, else past the stretch."""
        code = codes.get((i, j))
        if code is None or code[0] == "equal":
            return i + step, j + step
        return (code[1], code[3]) if step < 0 else (code[2], code[4])

    def _quote_edge(self, i: int) -> bool:
        return _is_word_edge(self._comparison.quote, self._ours, i)

    def _page_edge(self, j: int) -> bool:
        return _is_word_edge(self._comparison.page, self._theirs, j)


def worst(kinds: Sequence[str]) -> str:
    """The kind of the worst effect; the first of equals."""
    return max(kinds, key=lambda kind: KINDS[kind].effect)


def _are_capitals(signs: str) -> bool:
    letters = [sign for sign in signs if sign.isalpha() and sign.lower() != sign.upper()]
    return len(letters) > 1 and sum(map(str.isupper, letters)) >= _CAPITALS * len(letters)


def _is_core(sign: str) -> bool:
    return is_letter(sign) or sign in (APART, RAISED)


def _is_word_sign(sign: str) -> bool:
    return is_letter(sign)


def _is_word_edge(reading: Reading, kept: Sequence[int], i: int) -> bool:
    if i <= 0 or i >= len(kept) or kept[i] in reading.breaks or kept[i - 1] + 1 != kept[i]:
        return True
    before, after = reading.signs[kept[i - 1]], reading.signs[kept[i]]
    return not ((is_letter(before) or before == "'") and (is_letter(after) or after == "'"))


def _letters_between(reading: Reading, start: int, end: int, notes: Sequence[Note]) -> tuple[int, int]:
    """From the first letter to the last, those of some notes aside."""
    letters = [at for at in _without(range(start, end), notes) if is_letter(reading.signs[at])]
    return (letters[0], letters[-1] + 1) if letters else (start, start)


def _uncommon(
    quote: Reading, notes: Sequence[Note], page: Reading, page_notes: Sequence[Note]
) -> tuple[list[Note], list[Note]]:
    """Notes without those that both sides have as they are: they are compared as any other text."""
    ours = Counter(quote.signs[note.start : note.end] for note in notes)
    theirs = Counter(page.signs[note.start : note.end] for note in page_notes)
    same = {text for text in ours if ours[text] == theirs[text]}
    return (
        [note for note in notes if quote.signs[note.start : note.end] not in same],
        [note for note in page_notes if page.signs[note.start : note.end] not in same],
    )


def _without(indices: Sequence[int], notes: Sequence[Note]) -> list[int]:
    if not notes:
        return list(indices)
    gone = {at for note in notes for at in range(note.start, note.end)}
    return [at for at in indices if at not in gone]


def _runs(ours: Sequence[int], theirs: Sequence[int]) -> list[tuple[int, int, int]]:
    """Aligned signs as runs ``(i, j, size)`` that go on on both sides."""
    runs: list[tuple[int, int, int]] = []
    for i, j in zip(ours, theirs, strict=True):
        if runs and runs[-1][0] + runs[-1][2] == i and runs[-1][1] + runs[-1][2] == j:
            runs[-1] = (runs[-1][0], runs[-1][1], runs[-1][2] + 1)
        else:
            runs.append((i, j, 1))
    return runs


def _typography(signs: str) -> str:
    return signs.replace("′", "'").replace("″", '"').replace("''", '"').replace("…", "...").replace("--", "-")


def _is_weak(sign: str) -> bool:
    return sign in "\"'.,;:()[]…*_|"


_ENCLOSED_NUMBER = re.compile(r"[-+\u20a0-\u20bf$£¥€]{0,2}[\d.,]+[%‰\u20a0-\u20bf$£¥€]?[)\]]")


def _opens_number(signs: str, at: int) -> bool:
    return (
        re.match(r"[-+\u20a0-\u20bf$£¥€]{0,2}[\d.,]+(?:[%‰\u20a0-\u20bf$£¥€])?[)\]]", signs[at : at + 24])
        is not None
    )


_NUMERIC = re.compile(r"[\d.,' ]*")


def _number_at(signs: str, start: int, end: int) -> str:
    while start and (signs[start - 1].isdigit() or signs[start - 1] in ".,' "):
        start -= 1
    tail = _NUMERIC.match(signs, end)
    return signs[start : tail.end() if tail else end].strip(".,'")


def _word_at(reading: Reading, start: int, end: int) -> tuple[int, int]:
    while not reading.is_edge(start):
        start -= 1
    while not reading.is_edge(end):
        end += 1
    return start, end
