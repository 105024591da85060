"""Markdown from the rows of a box, in the manner of the engine, with the place of each row."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from langchain_pymupdf_coords.folding import clean_text
from langchain_pymupdf_coords.geometry import union_bboxes
from langchain_pymupdf_coords.layout.hyphens import HYPHENS, SOFT_HYPHEN, Hyphenation, is_justified
from langchain_pymupdf_coords.layout.pages import PICTURE_CLASSES, TextLine
from langchain_pymupdf_coords.layout.rows import Row
from langchain_pymupdf_coords.layout.vertical import is_ideographic

_CLOSING = {"<sup>": "</sup>"}

_CODE = ("`",)

_FENCE = "```"

# What the engine takes for the mark of a list item and replaces by its own.
_BULLET = re.compile(
    r"(?:[\u2022\u2023\u2043\u204c\u204d\u2219\u25a0-\u25ff\u00b7\uf000-\uf8ff*>-]|o(?=\s))\s*"
)

_NUMBER = re.compile(r"\d+\.(?:\s|$)")

# A row of a list item that begins this much further left (points) than the one before begins another item.
_OUTDENT = 2.0


@dataclass(frozen=True, slots=True)
class Written:
    """Markdown, and where its rows stand."""

    text: str
    lines: tuple[TextLine, ...]


def write_box(box_class: str, rows: Sequence[Row], hyphenation: Hyphenation) -> Written:
    """Write the rows of a box as Markdown."""
    if box_class in PICTURE_CLASSES:
        return write_lines([_plain(row) for row in rows])
    if all(set(_CODE) <= set(piece.marks) for row in rows for piece in row.pieces):
        return _write_code(rows)
    if box_class == "list-item":
        return _write_items(rows, hyphenation)
    writer = _Writer()
    if box_class == "footnote":
        writer.add("> ")
    writer.add_paragraph(rows, hyphenation)
    return writer.written()


def write_lines(rows: Iterable[Row], separator: str = "\n") -> Written:
    """Write rows one after another, each on a line of its own."""
    writer = _Writer()
    for row in rows:
        if writer.parts:
            writer.add(separator)
        writer.add_row(row)
    return writer.written()


def _write_code(rows: Sequence[Row]) -> Written:
    writer = _Writer()
    writer.add(_FENCE)
    for row in rows:
        writer.add("\n")
        writer.add_row(_plain(row))
    writer.add("\n" + _FENCE)
    return writer.written()


def _plain(row: Row) -> Row:
    return Row(tuple(replace(piece, marks=()) for piece in row.pieces), row.bbox)


def _write_items(rows: Sequence[Row], hyphenation: Hyphenation) -> Written:
    writer = _Writer()
    for item in _items(rows):
        if writer.parts:
            writer.add("\n\n")
        first = item[0].text.lstrip()
        bullet = _BULLET.match(first)
        if bullet is not None:
            item = [_without(item[0], len(item[0].text) - len(first) + bullet.end()), *item[1:]]
        if not _NUMBER.match(first):
            writer.add("- ")
        writer.add_paragraph([row for row in item if row.text.strip()], hyphenation)
    return writer.written()


def _items(rows: Sequence[Row]) -> list[list[Row]]:
    items: list[list[Row]] = []
    left = 0.0
    for row in rows:
        if items and row.bbox[0] >= left - _OUTDENT:
            items[-1].append(row)
        else:
            items.append([row])
        left = row.bbox[0]
    return items


def _without(row: Row, count: int) -> Row:
    """Return a row without its first characters."""
    pieces = []
    for piece in row.pieces:
        text, count = piece.text[count:], max(0, count - len(piece.text))
        if text:
            pieces.append(replace(piece, text=text))
    return Row(tuple(pieces), row.bbox)


@dataclass(slots=True)
class _Writer:
    """Puts Markdown together, keeping track of the open marks and of where each row begins and ends."""

    parts: list[str] = field(default_factory=list)
    _length: int = 0
    _marks: tuple[str, ...] = ()
    _space: bool = False
    _lines: list[TextLine] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Add text outside of any row and style."""
        self._change(())
        self._put(text)
        self._space = False

    def add_paragraph(self, rows: Sequence[Row], hyphenation: Hyphenation) -> None:
        """Add rows as flowing text; a word that a line end parts is put together."""
        justified = is_justified([row.right for row in rows])
        for number, row in enumerate(rows):
            after = rows[number + 1].text.lstrip() if number + 1 < len(rows) else ""
            text = row.text.rstrip()
            dropped = 0
            if after and text.endswith(SOFT_HYPHEN):
                dropped = 1
            elif after and text.endswith(HYPHENS) and text[-2:-1].isalnum() and after[0].isalnum():
                dropped = int(not hyphenation.keeps(text, after, justified=justified))
            else:
                self.add_row(row)
                # Ideographs are written without spaces, at the ends of lines too.
                self._space = not (text and after and is_ideographic(text[-1] + after[0]))
                continue
            self.add_row(row, drop=dropped)

    def add_row(self, row: Row, *, drop: int = 0) -> None:
        """Add a row, without its last ``drop`` characters."""
        left = len(row.text.rstrip()) - drop
        line: int | None = None
        for piece in row.pieces:
            text, left = piece.text[:left], left - len(piece.text[:left])
            self._space |= text[:1].isspace() and line is not None
            if shown := clean_text(text).strip():
                start = self._show(shown, piece.marks)
                if line == piece.line:
                    before = self._lines.pop()
                    start, bbox = before.start, union_bboxes([before.bbox, piece.bbox])
                else:
                    bbox = piece.bbox
                self._lines.append(TextLine(bbox, start, self._length))
                line = piece.line
                self._space = text[-1:].isspace()
        self._space = False

    def _show(self, text: str, marks: tuple[str, ...]) -> int:
        space, self._space = self._space, False
        if marks != self._marks:
            self._change(())
        if space:
            self._put(" ")
        self._change(marks)
        start = self._length
        self._put(text)
        return start

    def _change(self, marks: tuple[str, ...]) -> None:
        if marks != self._marks:
            self._put("".join(_CLOSING.get(mark, mark) for mark in reversed(self._marks)))
            self._put("".join(marks))
            self._marks = marks

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self._length += len(text)

    def written(self) -> Written:
        """Return what was put together."""
        self._change(())
        return Written("".join(self.parts), tuple(self._lines))
