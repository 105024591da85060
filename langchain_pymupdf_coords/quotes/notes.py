"""Footnote marks, marks of sources, and remarks in brackets: what stands in a text and is not of it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langchain_pymupdf_coords.quotes.reading import APART, RAISED, Reading
from langchain_pymupdf_coords.quotes.wording import Wording

_RAISED_NOTE = re.compile(r"\^(?P<label>\d{1,3}(?:[,-]\d{1,3})*|[a-z]|[*†‡§]{1,3}|\*{1,3})")

_BRACKETED_NOTE = re.compile(r"\[(?P<label>\d{1,3}(?:[,-]\s?\d{1,3})*)\]")

_CITATION = re.compile(
    r"\[\d{1,3}†[^\[\]]{0,60}\]|\((?:pp?|pages?|S|Seite|Quelle|source|Source|chunk|doc|document)\.?:?\s?\d{1,4}(?:-\s?\d{1,4})?\)"
)

_REMARK = re.compile(r"\[(?P<words>[^\[\]\d…^]{2,80})\]")

_NOTE_AT_END = re.compile(r"(?:\^\w{1,3}|\[[\d,\- ]{1,40}\])[.,;:]?\Z")

_NOTE_AT_START = re.compile(r"[.,;:\"')]{0,2}(?:\^\w|\[\d)")

REMARK = "remark"
"""The label of a remark of the one who quotes."""

_NOTE_AFTER = ".,;:!?\"')]}"

_SHORTEST_NOTED = 4


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote or citation mark: its signs from `start` to `end`, and what it says."""

    start: int
    end: int
    label: str
    raised: bool


def notes_of_page(page: Reading, start: int, end: int) -> list[Note]:
    """Footnote marks among some signs of a text, in their order."""
    return sorted(
        (
            *_raised_notes(page, start, end),
            *(
                Note(*mark.span(), _label(mark), raised=False)
                for mark in _BRACKETED_NOTE.finditer(page.signs, start, end)
                if mark.start() in page.breaks or page.signs[mark.start() - 1] in _NOTE_AFTER
            ),
        ),
        key=lambda note: note.start,
    )


def notes_of_quote(quote: Reading, page: Reading, wording: Wording) -> list[Note]:
    """Footnote marks, marks of sources and remarks of a quote, in their order.

    Args:
        quote: The signs of the quote.
        page: The signs of the text around: brackets that it has are no remarks.
        wording: Knows which words a remark may have.
    """
    signs = quote.signs
    found = list(_raised_notes(quote, 0, len(signs)))
    if "[" in signs or "(" in signs:
        found += [Note(*mark.span(), _label(mark), raised=False) for mark in _BRACKETED_NOTE.finditer(signs)]
        found += [Note(*mark.span(), "", raised=False) for mark in _CITATION.finditer(signs)]
        found += [
            Note(*mark.span(), REMARK, raised=False)
            for mark in _REMARK.finditer(signs)
            if mark.group() not in page.signs
            and wording.says_little(wording.words(quote, mark.start() + 1, mark.end() - 1))
        ]
    return sorted(found, key=lambda note: note.start)


def _raised_notes(reading: Reading, start: int, end: int) -> Iterator[Note]:
    if RAISED not in reading.signs:
        return
    for mark in _RAISED_NOTE.finditer(reading.signs, start, end):
        if _is_noted(reading, mark.start()) and reading.is_edge(mark.end()):
            yield Note(*mark.span(), mark["label"], raised=True)


def _label(mark: "re.Match[str]") -> str:
    return mark["label"].replace(APART, "")


def _is_noted(reading: Reading, at: int) -> bool:
    """Whether what is raised at a place is a note to the word before, not its exponent."""
    if at == 0 or reading.signs[at - 1] in _NOTE_AFTER:
        return True
    start = reading.word_start(at - 1)
    return at - start >= _SHORTEST_NOTED and reading.signs[start:at].isalpha()


def ends_with_note(signs: str) -> bool:
    """Whether some signs end with a note."""
    return _NOTE_AT_END.search(signs) is not None


def begins_with_note(signs: str) -> bool:
    """Whether some signs begin with a note."""
    return _NOTE_AT_START.match(signs) is not None


def uncommon(
    quote: Reading, notes: Sequence[Note], page: Reading, page_notes: Sequence[Note]
) -> tuple[list[Note], list[Note]]:
    """Notes of both sides without those that both have as they are: they are compared as any other text."""
    ours = Counter(quote.signs[note.start : note.end] for note in notes)
    theirs = Counter(page.signs[note.start : note.end] for note in page_notes)
    same = {text for text in ours if ours[text] == theirs[text]}
    return (
        [note for note in notes if quote.signs[note.start : note.end] not in same],
        [note for note in page_notes if page.signs[note.start : note.end] not in same],
    )


def without(indices: Sequence[int], notes: Sequence[Note]) -> list[int]:
    """Places of signs that no note covers."""
    if not notes:
        return list(indices)
    gone = {at for note in notes for at in range(note.start, note.end)}
    return [at for at in indices if at not in gone]
