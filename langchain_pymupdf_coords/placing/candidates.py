"""The places of a file where a text may stand: all verbatim ones, or the pages that share the most with it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from langchain_pymupdf_coords.placing.file_words import FileWords
from langchain_pymupdf_coords.placing.tiling import shortest_stretch

# A sample of this many letters names a page, or a few.
_SAMPLE = 12

_MOST_SAMPLES = 40

_MOST_PLACES = 256

# Pages beside those that are hinted at which are looked at first.
_NEARBY = 2

# Of the samples, so many must be on the hinted pages for the rest of the file to be left alone.
_ENOUGH = 0.5

# Pages that have nearly as many samples as the best one may be meant too.
_NEARLY = 0.9

_MOST_PAGES = 6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible place of a text.

    Attributes:
        start: Position at which it begins; that of its first page where the place is not verbatim.
        end: Position at which it ends.
        pages: Indices, from 0, of the pages that it is on.
        verbatim: Whether the file has all its letters there, one after the other.
    """

    start: int
    end: int
    pages: tuple[int, ...]
    verbatim: bool


def candidates(letters: str, file: FileWords, hinted: Sequence[int]) -> list[Candidate]:
    """Return the places where a text may stand; none where the file has hardly anything of it.

    Args:
        letters: Letters of the text; at least one.
        file: The words of the file.
        hinted: Indices, from 0, of pages that are looked at first; the other pages only if there is too little.
    """
    found = [_verbatim(at, len(letters), file) for at in _occurrences(letters, file.letters)]
    return found or [*_alike(letters, file, hinted)]


def _verbatim(at: int, length: int, file: FileWords) -> Candidate:
    pages = range(file.page_at(at), file.page_at(at + length - 1) + 1)
    return Candidate(at, at + length, tuple(pages), True)


def _occurrences(part: str, text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    at, count = text.find(part, start, end), 0
    while at >= 0 and count < _MOST_PLACES:
        yield at
        at, count = text.find(part, at + 1, end), count + 1


def _alike(letters: str, file: FileWords, hinted: Sequence[int]) -> Iterator[Candidate]:
    samples = _samples(letters)
    near = sorted({page + step for page in hinted for step in range(-_NEARBY, _NEARBY + 1)})
    near = [page for page in near if 0 <= page < len(file.pages)]
    hits = _hits(samples, file, near)
    if sum(map(bool, hits)) < _ENOUGH * len(samples):
        hits = _hits(samples, file, range(len(file.pages)))
    votes: Counter[int] = Counter()
    for pages in hits:
        for page in pages:
            votes[page] += 1
    most = max(votes.values(), default=0)
    best = [page for page, count in votes.most_common(_MOST_PAGES) if count >= _NEARLY * most]
    for first in best:
        run = _with_neighbours(first, hits)
        yield Candidate(file.starts[run[0]], file.starts[run[-1] + 1], run, False)


def _samples(letters: str) -> list[str]:
    length = min(_SAMPLE, max(2 * shortest_stretch(letters), 1), len(letters))
    step = max(length, len(letters) // _MOST_SAMPLES)
    return [letters[at : at + length] for at in range(0, len(letters) - length + 1, step)]


def _hits(samples: Sequence[str], file: FileWords, pages: Sequence[int]) -> list[set[int]]:
    """Return for each sample the pages that have it, as drawn or else in another order."""
    if not pages:
        return [set() for _ in samples]
    found = []
    for sample in samples:
        on = set(_pages_with(sample, file.letters, file, pages))
        for text in () if on else file.readings:
            on |= set(_pages_with(sample, text, file, pages))
        found.append(on)
    return found


def _pages_with(sample: str, text: str, file: FileWords, pages: Sequence[int]) -> Iterable[int]:
    start, end = file.starts[pages[0]], file.starts[pages[-1] + 1]
    at = text.find(sample, start, end)
    while at >= 0:
        page = file.page_at(at)
        yield page
        at = text.find(sample, file.starts[page + 1], end)


def _with_neighbours(page: int, hits: Sequence[set[int]]) -> tuple[int, ...]:
    """Return a page, and those right before and after it that have what it has not."""
    pages = [page]
    left = [on for on in hits if page not in on]
    for step in (-1, 1):
        beside = page + step
        while any(beside in on for on in left):
            pages.append(beside)
            left = [on for on in left if beside not in on]
            beside += step
    return tuple(sorted(pages))
