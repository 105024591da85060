"""The glyphs of a page, and how the letters of a line are found among them.

Coordinates are in the displayed frame (see ``geometry``).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from langchain_pymupdf_coords.folding import fold_glyphs
from langchain_pymupdf_coords.geometry import BBox, union_bboxes
from langchain_pymupdf_coords.layout.pages import Glyph, TextRun

# Lines are stored with one decimal, so a centre may be this far outside (points).
_TOLERANCE = 0.5

# What is drawn twice for a bold look covers more than this share of itself.
_OVERPRINTED = 0.5

_SLIVER = 0.01

CutAt = Literal["start", "end"]


@dataclass(frozen=True, slots=True)
class PlacedLetters:
    """Letters and digits of a line, each with the glyph that shows it."""

    text: str
    owners: tuple[int, ...]

    def part(self, start: int, end: int) -> "PlacedLetters":
        """Return the letters from ``start`` to ``end``, exclusive."""
        return PlacedLetters(self.text[start:end], self.owners[start:end])


class PageGlyphs:
    """All glyphs of a page in the order of the page.

    Attributes:
        runs: The text runs.
        glyphs: The glyphs, white space included.
        lines: For each glyph, the number of its line.
        horizontal: For each glyph, whether its line runs from left to right or right to left.
        letters: For each glyph, its letters and digits, folded; often one, for most punctuation none.
    """

    def __init__(self, runs: Iterable[TextRun]) -> None:
        """Take the glyphs of text runs that were read with glyphs."""
        self.runs = list(runs)
        self.glyphs: list[Glyph] = []
        self.lines: list[int] = []
        self.horizontal: list[bool] = []
        self._lefts: list[float] = []
        self._rows: list[tuple[BBox, range]] = []
        for run in self.runs:
            start = len(self.glyphs)
            self.glyphs += run.glyphs
            self.lines += [run.line] * len(run.glyphs)
            self.horizontal += [run.horizontal] * len(run.glyphs)
            self._lefts += [run.ink[0]] * len(run.glyphs)
            if run.glyphs:
                around = union_bboxes(glyph.bbox for glyph in run.glyphs)
                self._rows.append((around, range(start, len(self.glyphs))))
        self.letters = [fold_glyphs(glyph.text) for glyph in self.glyphs]

    def inside(self, bbox: BBox) -> list[int]:
        """Return the glyphs with letters whose centres lie in a box."""
        x0, y0, x1, y1 = (
            bbox[0] - _TOLERANCE,
            bbox[1] - _TOLERANCE,
            bbox[2] + _TOLERANCE,
            bbox[3] + _TOLERANCE,
        )
        found = []
        for around, members in self._rows:
            if around[0] > x1 or around[2] < x0 or around[1] > y1 or around[3] < y0:
                continue
            for index in members:
                left, top, right, bottom = self.glyphs[index].bbox
                if x0 <= (left + right) / 2 <= x1 and y0 <= (top + bottom) / 2 <= y1 and self.letters[index]:
                    found.append(index)
        return found

    def find(self, bbox: BBox, letters: str, cut_at: CutAt | None = None) -> PlacedLetters | None:
        """Find the letters of a line among the glyphs in its rectangle; None unless there is one way.

        Args:
            bbox: The rectangle of the line.
            letters: Its letters, or those of the part of it that a text has.
            cut_at: Where the text was cut off the rest of the line, if it was: what was cut at its end is the
                beginning of the line, and what was cut at its start the end, however often the line has it.
        """
        inside = self.inside(bbox)
        for candidate in self._orders(inside):
            if candidate.text == letters:
                return candidate
        hits = [(line, at) for line in self._by_line(inside) for at in _occurrences(line.text, letters)]
        if len(hits) > 1 and cut_at is not None:
            hits = [
                (line, at)
                for line, at in hits
                if (at == 0 if cut_at == "end" else at + len(letters) == len(line.text))
            ]
        return hits[0][0].part(hits[0][1], hits[0][1] + len(letters)) if len(hits) == 1 else None

    def _orders(self, indices: Sequence[int]) -> Iterator[PlacedLetters]:
        yield self._placed(indices)
        yield from self._by_line(indices)
        # The engine puts runs from left to right, even those of a line that is read from right to left.
        yield self._placed(sorted(indices, key=self._lefts.__getitem__))
        distinct = self.without_twins(indices)
        yield self._placed(distinct)
        yield self._placed(sorted(distinct, key=lambda index: self.glyphs[index].bbox[0]))

    def _by_line(self, indices: Iterable[int]) -> Iterator[PlacedLetters]:
        groups: dict[int, list[int]] = {}
        for index in indices:
            groups.setdefault(self.lines[index], []).append(index)
        for group in groups.values():
            yield self._placed(group)

    def without_twins(self, indices: Iterable[int]) -> list[int]:
        """Return glyphs in the same order, each letter that is drawn twice for a bold look once."""
        kept: dict[str, list[int]] = defaultdict(list)
        distinct = []
        for index in indices:
            alike = kept[self.letters[index]]
            if not any(self.is_twin(other, index) for other in alike):
                alike.append(index)
                distinct.append(index)
        return distinct

    def is_twin(self, a: int, b: int) -> bool:
        """Tell whether two glyphs are the same letter, drawn twice for a bold look."""
        return self.letters[a] == self.letters[b] and is_overprint(self.glyphs[a].bbox, self.glyphs[b].bbox)

    def _placed(self, indices: Iterable[int]) -> PlacedLetters:
        pairs = [(letter, index) for index in indices for letter in self.letters[index]]
        return PlacedLetters("".join(letter for letter, _ in pairs), tuple(index for _, index in pairs))


def _occurrences(text: str, part: str) -> Iterator[int]:
    at = text.find(part) if part else -1
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def is_overprint(a: BBox, b: BBox) -> bool:
    """Tell whether the same letters in these two boxes are drawn twice for a bold look, and meant once."""
    return _overlap(a, b) > _OVERPRINTED


def _overlap(a: BBox, b: BBox) -> float:
    """Return the common area of two boxes as a share of the larger one; a box without area counts as a sliver."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    larger = max(max(box[2] - box[0], _SLIVER) * max(box[3] - box[1], _SLIVER) for box in (a, b))
    return max(width, _SLIVER) * max(height, _SLIVER) / larger if width >= 0 and height >= 0 else 0.0
