"""Texts of one file, each placed where it stands: by its own letters, by its page, by the texts beside it.

A text that the file has several times goes where the texts before and after it make it follow. What the file
hardly has is left without a place: wrong is worse than none.
"""

import math
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from langchain_pymupdf_coords.folding import FoldedText, fold
from langchain_pymupdf_coords.placing.candidates import Candidate, candidates
from langchain_pymupdf_coords.placing.file_words import FileWords, without_accents
from langchain_pymupdf_coords.placing.gaps import fill_gaps
from langchain_pymupdf_coords.placing.page_hints import PageHint, hinted_pages, learned_shift
from langchain_pymupdf_coords.placing.tiling import NOWHERE, Tiling, shortest_stretch

# A longer text, such as a whole page, is placed in parts of at most this many letters.
_LONGEST_PART = 900

# Letters that say by themselves where they are from. A shorter text must be all there, and its file known by others.
_TELLING_LENGTH = 24

# Of what is placed, from the first letter to the last, so much must be placed; and so much of the whole text, unless
# what is placed is too long for chance: then the rest was put in front of it, or after it.
_LEAST_DENSITY = 0.7

_LEAST_SHARE = 0.5

_BEYOND_CHANCE = 80

# Of the texts that can be told from others, so many must be from the file for the short ones to be believed.
_LEAST_PLACED = 0.5

# What speaks against a place, beside the logarithm of the letters between it and the text before it.
_PRICE_OF_UNLIKELY_PAGE = 3.0

_PRICE_OF_WRONG_PAGE = 6.0

# Of the letters, so many may be left over by reading forward before the pages are read otherwise too.
_MOST_LEFT_OVER = 0.05

# Where more of the letters have no place, the pages before and after are looked at too.
_MOST_LACKING = 0.02

_FAR = 2_000  # letters; texts farther apart are no neighbours


# What pdfminer writes for a glyph that it cannot decode.
_UNDECODED = re.compile(r"\(cid:\d+\)")


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


@dataclass(frozen=True, slots=True)
class Text:
    """A text to place.

    Attributes:
        content: The text.
        hint: What it says of its page.
    """

    content: str
    hint: PageHint | None = None


@dataclass(frozen=True, slots=True)
class PlacedText:
    """Where a text stands.

    Attributes:
        folded: The text, folded.
        positions: For each of its letters the position in the file, or ``NOWHERE``.
        choices: How many places it might have been given with no reason to choose between them.
    """

    folded: FoldedText
    positions: Sequence[int]
    choices: int = 1

    @property
    def placed(self) -> int:
        """How many letters have a place."""
        return len(self.positions) - list(self.positions).count(NOWHERE)

    @property
    def coverage(self) -> float:
        """Share of the letters that have a place; 1 for a text without letters."""
        return self.placed / len(self.positions) if self.positions else 1.0


def place_texts(texts: Sequence[Text], file: FileWords) -> list[PlacedText]:
    """Place texts that are said to be from a file.

    Args:
        texts: The texts, those beside each other in the file beside each other, as far as is known.
        file: The words of the file.
    """
    folded = [fold(_UNDECODED.sub(_blank, text.content)) for text in texts]
    parts = [part for number, text in enumerate(texts) for part in _parts(number, text, folded[number])]
    _find(parts, file)
    by_text = {number: list(own) for number, own in groupby(parts, key=lambda part: part.text)}
    taken: set[int] = set()
    placed = []
    for number, view in enumerate(folded):
        positions: list[int] = []
        for part in by_text.get(number, []):
            positions += part.positions(view, file, taken)
            taken.update(positions[-len(part.letters) :])
        choices = max((part.choices for part in by_text.get(number, [])), default=1)
        placed.append(PlacedText(view, positions, choices))
    return _believed(placed, parts)


@dataclass(slots=True)
class _Part:
    """A text, or a part of a long one, on its way to its place."""

    text: int
    start: int
    letters: str
    hint: PageHint | None
    found: list[Candidate]
    chosen: Candidate | None = None
    choices: int = 1

    def positions(self, folded: FoldedText, file: FileWords, taken: Container[int]) -> list[int]:
        """Return the position of each letter; of equal places those that no other text has taken come first."""
        if self.chosen is None:
            return [NOWHERE] * len(self.letters)
        if self.chosen.verbatim:
            return [*range(self.chosen.start, self.chosen.end)]
        pages = self.chosen.pages
        found = self._laid(folded, file, pages, taken)
        if found.count(NOWHERE) > _MOST_LACKING * len(found):
            beside = range(max(pages[0] - 1, 0), min(pages[-1] + 2, len(file.pages)))
            return min(found, self._laid(folded, file, beside, taken), key=lambda way: way.count(NOWHERE))
        return found

    def _laid(
        self, folded: FoldedText, file: FileWords, pages: Sequence[int], taken: Container[int]
    ) -> list[int]:
        """Return the position of each letter on some pages."""
        end = self.start + len(self.letters)
        view = FoldedText(self.letters, folded.starts[self.start : end], folded.ends[self.start : end])
        begins = [True, *(b > a for a, b in zip(view.ends, view.starts[1:], strict=False))]
        tiling = Tiling(self.letters, begins, file, pages, taken)
        tiling.lay(lambda page: (page.drawn, page.rows))
        if tiling.positions.count(NOWHERE) > _MOST_LEFT_OVER * len(self.letters):
            tiling.lay(lambda page: (page.columns, page.backward, page.visual))
        tiling.drop_islands()
        fill_gaps(tiling, view, file)
        return tiling.positions


def _parts(number: int, text: Text, folded: FoldedText) -> Iterator[_Part]:
    letters = without_accents(folded.text)
    count = max(1, math.ceil(len(letters) / _LONGEST_PART))
    edges = [len(letters) * edge // count for edge in range(count + 1)]
    for start, end in pairwise(edges):
        if start < end:
            yield _Part(number, start, letters[start:end], text.hint, [])


def _find(parts: Sequence[_Part], file: FileWords) -> None:
    """Choose a place for each part."""
    last: tuple[int, ...] = ()
    for part in parts:
        hinted = hinted_pages(part.hint, None) or last
        part.found = candidates(part.letters, file, hinted)
        if len(part.found) == 1:
            last = part.found[0].pages
    witnesses = [
        (part.hint, part.found[0].pages[0])
        for part in parts
        if part.hint is not None and len(part.found) == 1 and _tells(part)
    ]
    _choose([part for part in parts if part.found], learned_shift(witnesses))


def _tells(part: _Part) -> bool:
    return len(part.letters) >= _length_that_tells(part.letters)


def _length_that_tells(letters: str) -> int:
    return _TELLING_LENGTH * shortest_stretch(letters) // shortest_stretch("")


@dataclass(frozen=True, slots=True)
class _Path:
    """Places of all parts so far, the last one first, and what speaks against them."""

    price: float
    candidate: Candidate
    before: "_Path | None"


def _choose(parts: Sequence[_Part], shift: int | None) -> None:
    """Choose the places that follow each other best and that the hints speak for."""
    paths: list[_Path] = []
    for part in parts:
        pages = hinted_pages(part.hint, shift)
        costs = [(candidate, _price_of_page(candidate, pages)) for candidate in part.found]
        least = min(cost for _, cost in costs)
        kept = [pair for pair in costs if pair[1] <= least + _PRICE_OF_WRONG_PAGE]
        paths = [_step(paths, candidate, cost) for candidate, cost in kept]
    path = min(paths, key=lambda path: path.price, default=None)
    for part in reversed(parts):
        if path is None:
            return
        part.chosen, path = path.candidate, path.before
    for number, part in enumerate(parts):
        part.choices = _choices(part, parts[max(0, number - 1) : number + 2], hinted_pages(part.hint, shift))


def _step(paths: Sequence[_Path], candidate: Candidate, cost: float) -> _Path:
    best = min(paths, key=lambda path: path.price + _price_of_gap(path.candidate, candidate), default=None)
    price = cost if best is None else best.price + _price_of_gap(best.candidate, candidate) + cost
    return _Path(price, candidate, best)


def _price_of_gap(before: Candidate, after: Candidate) -> float:
    if before.verbatim and after.verbatim:
        return math.log1p(abs(after.start - before.end))
    apart = max(after.start - before.end, before.start - after.end, 0)
    return math.log1p(apart)


def _price_of_page(candidate: Candidate, pages: Sequence[int]) -> float:
    if not pages or pages[0] in candidate.pages:
        return 0.0
    on_other = any(page in candidate.pages for page in pages[1:])
    return _PRICE_OF_UNLIKELY_PAGE if on_other else _PRICE_OF_WRONG_PAGE


def _choices(part: _Part, neighbours: Iterable[_Part], pages: Sequence[int]) -> int:
    """Return in how many places a part may be, for all that its page and the parts beside it say."""
    chosen = part.chosen
    if chosen is None or len(part.found) == 1:
        return 1
    others = [near.chosen for near in neighbours if near is not part and near.chosen is not None]
    if any(_price_of_gap(other, chosen) < math.log1p(_FAR) for other in others):
        return 1
    price = _price_of_page(chosen, pages)
    return sum(_price_of_page(candidate, pages) <= price for candidate in part.found)


def _believed(placed: Sequence[PlacedText], parts: Sequence[_Part]) -> list[PlacedText]:
    """Take their places from texts that the file hardly has, and from short ones where it has few of the others."""
    long = [text for text in placed if len(text.positions) >= _length_that_tells(text.folded.text)]
    likely = [_is_placed(text) for text in long]
    from_file = not long or sum(likely) >= _LEAST_PLACED * len(long)
    believed = []
    for number, text in enumerate(placed):
        telling = len(text.positions) >= _length_that_tells(text.folded.text)
        short = from_file and text.coverage == 1 and (bool(long) or _is_certain(number, parts))
        ok = _is_placed(text) and (from_file or text.coverage >= _LEAST_DENSITY) if telling else short
        believed.append(text if ok else PlacedText(text.folded, [NOWHERE] * len(text.positions)))
    return believed


def _is_certain(number: int, parts: Sequence[_Part]) -> bool:
    return all(part.choices == 1 for part in parts if part.text == number)


def _is_placed(text: PlacedText) -> bool:
    at = [number for number, position in enumerate(text.positions) if position != NOWHERE]
    if not at:
        return False
    reach = at[-1] - at[0] + 1
    dense = len(at) >= _LEAST_DENSITY * reach
    return dense and (len(at) >= _LEAST_SHARE * len(text.positions) or len(at) >= _BEYOND_CHANCE)
