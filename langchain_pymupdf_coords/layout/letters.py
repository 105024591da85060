"""Letters of a Markdown text and the pieces of a page that show them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz.distance import Indel

from langchain_pymupdf_coords.folding import FoldedText
from langchain_pymupdf_coords.geometry import BBox, union_bboxes
from langchain_pymupdf_coords.layout.pages import TextLine

# Two texts that share less than this are not the same text with a fault, and a few letters in common
# between them mean nothing: then only common stretches of some length count.
_SAME_TEXT = 0.9

_TELLING_LENGTH = 8

_HEADER_END = "|\n|---"


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of page text that is placed as a whole: a run, or a single glyph.

    Attributes:
        letters: Its letters and digits, folded; at least one.
        bbox: Where it stands.
        line: Number of its line on the page.
    """

    letters: str
    bbox: BBox
    line: int


Placed = tuple[int, Unit]


def place_in_order(want: str, units: Sequence[Unit]) -> list[Placed]:
    """Find units in the wanted letters, in order; return each with the offset of its first letter.

    Where the two sides differ, a unit counts only if all its letters stand together in both.
    """
    have = "".join(unit.letters for unit in units)
    if not want or not have:
        return []
    blocks = iter([(0, 0, len(want))] if have == want else _common_blocks(have, want))
    source, target, length = next(blocks, (0, 0, 0))
    placed = []
    end = 0
    for unit in units:
        start, end = end, end + len(unit.letters)
        while source + length < end and (step := next(blocks, None)):
            source, target, length = step
        if source <= start and end <= source + length:
            placed.append((target + start - source, unit))
    return placed


def _common_blocks(have: str, want: str) -> list[tuple[int, int, int]]:
    blocks = [
        (code.src_start, code.dest_start, code.src_end - code.src_start)
        for code in Indel.opcodes(have, want)
        if code.tag == "equal"
    ]
    same = sum(length for _, _, length in blocks) >= _SAME_TEXT * max(len(have), len(want))
    return [block for block in blocks if same or block[2] >= _TELLING_LENGTH]


def fill_gaps(want: str, units: Sequence[Unit], placed: Sequence[Placed]) -> list[Placed]:
    """Place units that were left over right beside placed ones, where the wanted letters have them too.

    Args:
        want: The wanted letters.
        units: All units that may be meant, in the order in which the page draws them.
        placed: What has been found; comes back with the additions.
    """
    numbers = {id(unit): number for number, unit in enumerate(units)}
    at_start = {position: numbers[id(unit)] for position, unit in placed}
    at_end = {position + len(unit.letters): numbers[id(unit)] for position, unit in placed}
    taken = set(at_start.values())
    filled = list(placed)

    def take(position: int, number: int) -> bool:
        if not 0 <= number < len(units) or number in taken or not _fits(want, position, units[number]):
            return False
        end = position + len(units[number].letters)
        if any(start in at_start for start in range(position, end)):
            return False
        taken.add(number)
        at_start[position] = at_end[end] = number
        filled.append((position, units[number]))
        return True

    for position in range(len(want)):
        if position in at_end and position not in at_start:
            take(position, at_end[position] + 1)
    for position in range(len(want), 0, -1):
        number = at_start.get(position, 0) - 1
        if position in at_start and position not in at_end and 0 <= number < len(units):
            take(position - len(units[number].letters), number)
    return filled


def _fits(want: str, position: int, unit: Unit) -> bool:
    return position >= 0 and want.startswith(unit.letters, position)


def text_lines(markdown: str, folded: FoldedText, placed: Sequence[Placed]) -> Iterator[TextLine]:
    """Join placed units that follow each other on one line of the page.

    A line reaches to the next one, so that the punctuation that closes it belongs to it.
    """
    groups: list[list[Placed]] = []
    for position, unit in sorted(placed, key=lambda item: item[0]):
        if (
            groups
            and _continues(groups[-1][-1], position, unit)
            and not _cell_ends(markdown, folded, position)
        ):
            groups[-1].append((position, unit))
        else:
            groups.append([(position, unit)])
    starts = [folded.starts[group[0][0]] for group in groups]
    for group, (start, following) in zip(groups, pairwise([*starts, len(markdown)]), strict=True):
        position, unit = group[-1]
        after = position + len(unit.letters)
        end = folded.ends[after - 1]
        if after == len(folded.text) or folded.starts[after] == following:
            own = markdown[start:following].split(_HEADER_END)[0]
            end = max(end, start + len(own.rstrip("|\n ")))
        yield TextLine(union_bboxes(unit.bbox for _, unit in group), start, end)


def _continues(before: Placed, position: int, unit: Unit) -> bool:
    return before[1].line == unit.line and before[0] + len(before[1].letters) == position


def _cell_ends(markdown: str, folded: FoldedText, position: int) -> bool:
    """Tell whether a border of a table stands before a letter: it may cut a line of the page, even a word."""
    return "|" in markdown[folded.ends[position - 1] : folded.starts[position]]
