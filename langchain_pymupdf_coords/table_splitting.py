"""Splitting a Markdown table between its rows; each piece repeats the header row."""

import re
from collections.abc import Callable
from dataclasses import replace

from langchain_pymupdf_coords.box_slicing import shifted, slice_box
from langchain_pymupdf_coords.folding import fold_letters
from langchain_pymupdf_coords.pages import ParsedBox, TextLine
from langchain_pymupdf_coords.text_cutting import cut

_HEADER = re.compile(r"\|[^\n]*\n\|[ :|-]*-[ :|-]*(?=\n|$)")


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
