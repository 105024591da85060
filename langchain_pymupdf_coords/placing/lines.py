"""From the positions of a text's letters to lines and boxes: rectangles on pages, and spans of the text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langchain_pymupdf_coords.folding import FoldedText
from langchain_pymupdf_coords.geometry import BBox, clip_bbox, union_bboxes
from langchain_pymupdf_coords.placing.file_words import FileWords
from langchain_pymupdf_coords.placing.tiling import NOWHERE
from langchain_pymupdf_coords.provenance.boxes import LineBox, SourceBox

# What closes a line, and belongs to it.
_CLOSING = re.compile(r"[^\w\s|]*")


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line of a text on its page, and the block of lines that it belongs to."""

    line: LineBox
    block: int


def placed_lines(
    content: str, folded: FoldedText, positions: Sequence[int], file: FileWords
) -> list[PlacedLine]:
    """Return the lines of a text in its order: letters that follow each other on one line of a page.

    Args:
        content: The text.
        folded: The text, folded.
        positions: For each of its letters the position in the file, or ``NOWHERE``.
        file: The words of the file.
    """
    lines = []
    for first, last in _runs(content, folded, positions, file):
        page, word = file.word_at(positions[first])
        words = file.pages[page]
        following = folded.starts[last] if last < len(folded.text) else len(content)
        closing = _CLOSING.match(content, folded.ends[last - 1], max(following, folded.ends[last - 1]))
        end = closing.end() if closing else folded.ends[last - 1]
        start_place, end_place = sorted(positions[at] - file.starts[page] for at in (first, last - 1))
        bbox = clip_bbox(_bbox(file, page, start_place, end_place), words.size)
        lines.append(
            PlacedLine(LineBox(page + 1, bbox, (folded.starts[first], end)), words.words[word].block)
        )
    return lines


def _runs(
    content: str, folded: FoldedText, positions: Sequence[int], file: FileWords
) -> Iterator[tuple[int, int]]:
    """Yield stretches of letters that follow each other in the text and on one line of a page."""
    first = 0
    for at in range(1, len(positions) + 1):
        if at == len(positions) or not _continues(content, folded, positions, file, (first, at)):
            if positions[first] != NOWHERE:
                yield first, at
            first = at


def _continues(
    content: str, folded: FoldedText, positions: Sequence[int], file: FileWords, run: tuple[int, int]
) -> bool:
    """Tell whether the letter after a run goes on with it, forward or, in text read backward, back."""
    first, at = run
    before, here = positions[at - 1], positions[at]
    if NOWHERE in (before, here):
        return before == here
    turns = at - first > 1 and here - before != before - positions[at - 2]
    if abs(here - before) != 1 or turns or "|" in content[folded.ends[at - 1] : folded.starts[at]]:
        return False
    (page, word), (other_page, other) = file.word_at(before), file.word_at(here)
    words = file.pages[page].words
    return page == other_page and (words[word].block, words[word].line) == (
        words[other].block,
        words[other].line,
    )


def _bbox(file: FileWords, page: int, start: int, end: int) -> BBox:
    """Return the rectangle around the letters of a page from ``start`` to ``end``, of one line."""
    words = file.pages[page]
    first, last = (file.word_at(file.starts[page] + place)[1] for place in (start, end))
    bboxes = [words.words[number].bbox for number in range(first, last + 1)]
    bboxes[0] = _without(bboxes[0], words.letters_of(first), start, words.letters_of(first).stop)
    if first < last:
        bboxes[-1] = _without(bboxes[-1], words.letters_of(last), words.letters_of(last).start, end + 1)
    else:
        bboxes[0] = _without(words.words[first].bbox, words.letters_of(first), start, end + 1)
    return union_bboxes(bboxes)


def _without(bbox: BBox, letters: range, start: int, end: int) -> BBox:
    """Cut a word to some of its letters, as far as can be told without its glyphs: all are as wide."""
    x0, y0, x1, y1 = bbox
    if len(letters) < 2 or x1 - x0 < y1 - y0:
        return bbox
    width = (x1 - x0) / len(letters)
    return x0 + (start - letters.start) * width, y0, x1 - (letters.stop - end) * width, y1


def source_boxes(lines: Sequence[PlacedLine], class_name: str = "text") -> list[SourceBox]:
    """Return a box for each block of lines, in the order of the text.

    Blocks whose lines take turns, as those of columns that were read across, are one box.
    """
    groups: list[tuple[set[tuple[int, int]], list[PlacedLine]]] = []
    for placed in lines:
        key = placed.line.page, placed.block
        known = next((number for number, (keys, _) in enumerate(groups) if key in keys), None)
        if known is None:
            groups.append(({key}, [placed]))
            continue
        same_page = [
            number for number in range(known, len(groups)) if groups[number][1][0].line.page == key[0]
        ]
        if len(same_page) < len(groups) - known:
            groups.append(({key}, [placed]))
            continue
        for keys, members in groups[known + 1 :]:
            groups[known][0].update(keys)
            groups[known][1].extend(members)
        del groups[known + 1 :]
        groups[known][1].append(placed)
    return [_box([placed.line for placed in members], class_name) for _, members in groups]


def _box(lines: Sequence[LineBox], class_name: str) -> SourceBox:
    span = min(line.span[0] for line in lines), max(line.span[1] for line in lines)
    return SourceBox(
        lines[0].page, union_bboxes(line.bbox for line in lines), box_class=class_name, span=span
    )
