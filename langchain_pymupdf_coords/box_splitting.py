"""Splitting a box that is too large for a chunk, each piece with its own lines and a tight rectangle."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from langchain_pymupdf_coords.box_slicing import shifted, slice_box
from langchain_pymupdf_coords.errors import OptionError
from langchain_pymupdf_coords.pages import ParsedBox
from langchain_pymupdf_coords.piece_alignment import align_pieces
from langchain_pymupdf_coords.table_splitting import is_table, split_table
from langchain_pymupdf_coords.text_cutting import Fits, cut, tail_start, text_borders

BoxSplitter = Callable[[ParsedBox], Sequence[ParsedBox]]

_FENCED = re.compile(r"(?P<open>(?P<fence>`{3,}|~{3,})[^\n]*)\n(?P<code>.*)\n(?P=fence)", re.DOTALL)


class SplitsText(Protocol):
    """What is asked of a LangChain ``TextSplitter``; header splitters, which give Documents, will do too."""

    def split_text(self, text: str, /) -> Sequence[object]:
        """Split a text into pieces: strings, or objects with ``page_content``."""


def box_splitter(
    text_splitter: SplitsText | None, limit: int, length: Callable[[str], int], *, overlap: int = 0
) -> BoxSplitter:
    """Return what splits a box whose text is longer than a limit.

    Text is split at the ends of sentences, then of lines, then of words; tables between rows, with the header
    row repeated in each piece (see ``table_splitting``); code at line ends, each piece with its own fences.
    A single word or row that passes the limit stays whole. The pieces hold all of the text.

    Args:
        text_splitter: Splits text instead, where given; tables and code keep their own rules. Each of its
            pieces is a piece, but as the box has it, even where the splitter rewrote it.
        limit: Longest piece.
        length: Length of a text, in the unit of the limit.
        overlap: How much of a piece's end the next one repeats, in the same unit. The header is all that
            pieces of tables repeat, and with ``text_splitter`` the overlap is its own.

    Raises:
        OptionError: By the result: a piece of ``text_splitter`` cannot be found in the text.
    """
    return _Splitter(text_splitter, limit, length, overlap)


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


@dataclass(frozen=True, slots=True)
class _Splitter:
    text_splitter: SplitsText | None
    limit: int
    length: Callable[[str], int]
    overlap: int

    def __call__(self, box: ParsedBox) -> list[ParsedBox]:
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
