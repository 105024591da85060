"""A layout box cut into parts that fit a chunk, each with its own lines and a tight rectangle.

A Markdown table is cut between its rows, and each part repeats the header row.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from langchain_pymupdf_coords.chunking.cutting import Fits, cut, tail_start, text_borders
from langchain_pymupdf_coords.chunking.piece_alignment import align_pieces
from langchain_pymupdf_coords.errors import OptionError
from langchain_pymupdf_coords.folding import fold_letters
from langchain_pymupdf_coords.geometry import BBox, union_bboxes
from langchain_pymupdf_coords.layout.pages import PICTURE_CLASSES, ParsedBox, TextLine

_HEADER = re.compile(r"\|[^\n]*\n\|[ :|-]*-[ :|-]*(?=\n|$)")

_FENCED = re.compile(r"(?P<open>(?P<fence>`{3,}|~{3,})[^\n]*)\n(?P<code>.*)\n(?P=fence)", re.DOTALL)


class SplitsText(Protocol):
    """What is asked of a LangChain ``TextSplitter``; header splitters, which give Documents, will do too."""

    def split_text(self, text: str, /) -> Sequence[object]:
        """Split a text into pieces: strings, or objects with ``page_content``."""


@dataclass(frozen=True, slots=True)
class BoxSplitter:
    """Splits a box whose text is longer than a limit.

    Text is split at the ends of sentences, then of lines, then of words; tables between rows, with the header
    row repeated in each piece (see ``split_table``); code at line ends, each piece with its own fences. A single
    word or row that passes the limit stays whole. The pieces hold all of the text.

    Attributes:
        text_splitter: Splits text instead, where given; tables and code keep their own rules. Each of its
            pieces is a piece, but as the box has it, even where the splitter rewrote it.
        limit: Longest piece.
        length: Length of a text, in the unit of the limit.
        overlap: How much of a piece's end the next one repeats, in the same unit. The header is all that
            pieces of tables repeat, and with ``text_splitter`` the overlap is its own.
    """

    text_splitter: SplitsText | None
    limit: int
    length: Callable[[str], int]
    overlap: int = 0

    def __call__(self, box: ParsedBox) -> list[ParsedBox]:
        """Return the pieces of a box.

        Raises:
            OptionError: A piece of ``text_splitter`` cannot be found in the text.
        """
        if is_table(box.text):
            return split_table(box, self.limit, self.length)
        if match := _FENCED.fullmatch(box.text):
            return self._code(box, match)
        return [slice_box(box, start, end) for start, end in self._text_spans(box)]

    def _text_spans(self, box: ParsedBox) -> list[tuple[int, int]]:
        if self.text_splitter is None:
            return cut(box.text, _borders(box), self._fits, repeats=self._repeats)
        pieces = _piece_texts(self.text_splitter, box.text)
        spans = []
        for piece, placement in zip(pieces, align_pieces(box.text, pieces), strict=True):
            if placement is None:
                name = type(self.text_splitter).__name__
                raise OptionError(
                    f"text_splitter: {name} made a piece that is not in its text: {piece[:80]!r}"
                )
            spans.append(placement.span)
        return [(start, end) for start, end in spans if start < end]

    def _code(self, box: ParsedBox, match: re.Match[str]) -> list[ParsedBox]:
        opening, closing = match["open"] + "\n", "\n" + match["fence"]
        code = match["code"]
        breaks = [found.end() for found in re.finditer("\n+", code) if found.end() < len(code)]

        def fits(part: str) -> bool:
            return self._fits(opening + part + closing)

        pieces = []
        for start, end in cut(code, [breaks, text_borders(code)[-1]], fits, repeats=self._repeats):
            part = slice_box(box, match.start("code") + start, match.start("code") + end)
            lines = shifted(part.lines, len(opening))
            pieces.append(replace(part, text=opening + part.text + closing, lines=lines))
        return pieces

    def _fits(self, text: str) -> bool:
        return self.length(text) <= self.limit

    def _repeats(self, text: str) -> bool:
        return self.length(text) <= self.overlap


def _piece_texts(splitter: SplitsText, text: str) -> list[str]:
    """Return the texts of the pieces that a splitter makes of a text."""
    pieces = splitter.split_text(text)
    return [piece if isinstance(piece, str) else str(getattr(piece, "page_content", "")) for piece in pieces]


def _borders(box: ParsedBox) -> Sequence[Sequence[int]]:
    return text_borders(box.text, [line.end for line in box.lines])


def tail_of(box: ParsedBox, short: Fits, worthwhile: Fits) -> ParsedBox | None:
    """Return the longest end of a box that is short enough to be repeated in the next chunk, if any.

    Tables and code are repeated whole or not at all: their parts mean little without the rest.

    Args:
        box: The box.
        short: Tells whether a text is short enough.
        worthwhile: Tells whether the end of a sentence is long enough to mean something.
    """
    text, end = box.text, len(box.text)
    if short(text):
        return box
    if is_table(text) or _FENCED.fullmatch(text):
        return None
    sentences, lines, words = _borders(box)
    start = tail_start(text, [sentences], short, (0, end))
    if start == end:
        start = tail_start(text, [lines, words], short, (0, end))
        if not worthwhile(text[start:]):
            return None
    return slice_box(box, start, end)


def is_table(text: str) -> bool:
    """Tell whether a text is a Markdown table with a header row and a separator row."""
    return _HEADER.match(text) is not None


def split_table(box: ParsedBox, limit: int, length: Callable[[str], int]) -> list[ParsedBox]:
    """Split a table between rows. A row that passes the limit by itself stays whole.

    Each piece begins with the header row and the separator row, unless they take more than half of the limit
    or leave no room for the row.

    Args:
        box: A box whose text is a table.
        limit: Longest piece.
        length: Length of a text, in the unit of the limit.

    Returns:
        The pieces from top to bottom. Together they hold each row once, the header aside.
    """
    match = _HEADER.match(box.text)
    below = match.end() + 1 if match else 0
    header = slice_box(box, 0, below - 1) if below and 2 * length(box.text[: below - 1]) <= limit else None
    rest = box.text[below if header else 0 :]
    offset = len(box.text) - len(rest)

    def fits(rows: str) -> bool:
        return length(f"{header.text}\n{rows}" if header else rows) <= limit

    breaks = [at.end() - offset for at in re.finditer("\n", box.text) if at.end() > max(offset, below - 1)]
    pieces = []
    for start, end in cut(rest, [breaks], fits):
        rows = slice_box(box, offset + start, offset + end)
        if header is None:
            pieces.append(rows)
        elif fits(rows.text):
            pieces.append(_under(header, rows) if pieces else slice_box(box, 0, offset + end))
        else:
            pieces += [rows] if pieces else [header, rows]
    return pieces


def _under(header: ParsedBox, rows: ParsedBox) -> ParsedBox:
    """Return the table of a header and rows that do not follow it on the page.

    It has two parts: a rectangle around both would cover the rows between them, which are not in its text.
    """
    start = len(header.text) + 1
    text = f"{header.text}\n{rows.text}"
    lines = (*header.lines, *shifted(rows.lines, start))
    if not fold_letters(header.text):  # an empty header is nowhere on the page
        return replace(rows, text=text, lines=lines)
    parts = TextLine(header.bbox, 0, start - 1), TextLine(rows.bbox, start, len(text))
    return replace(rows, text=text, lines=lines, parts=parts)


def slice_box(box: ParsedBox, start: int, end: int) -> ParsedBox:
    """Return the part of a box whose text is ``text[start:end]``, with the lines that it touches.

    A line that the cut goes through keeps its whole rectangle, and its span is cut. The part's rectangle is
    that of its lines within the box. It is the box's where it has no lines, and in pictures and formulas,
    which mean little in parts.
    """
    lines = tuple(
        TextLine(line.bbox, max(line.start, start) - start, min(line.end, end) - start)
        for line in box.lines
        if line.start < end and start < line.end
    )
    bbox = tight_bbox(box.box_class, box.bbox, [line.bbox for line in lines])
    return ParsedBox(box.box_class, bbox, box.text[start:end], lines, box.font_size)


def tight_bbox(box_class: str, bbox: BBox, lines: Sequence[BBox]) -> BBox:
    """Return the rectangle of a part of a box, given those of its lines; never more than the box."""
    if not lines or box_class in PICTURE_CLASSES:
        return bbox
    # Lines are as high as their font, boxes only as their ink.
    x0, y0, x1, y1 = union_bboxes(lines)
    x0, y0, x1, y1 = max(x0, bbox[0]), max(y0, bbox[1]), min(x1, bbox[2]), min(y1, bbox[3])
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else bbox


def shifted(lines: Iterable[TextLine], by: int) -> tuple[TextLine, ...]:
    """Return lines whose text stands ``by`` characters further on."""
    return tuple(TextLine(line.bbox, line.start + by, line.end + by) for line in lines)
