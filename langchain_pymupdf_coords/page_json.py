"""Parsed pages as JSON, for a cache on disk.

JSON rather than pickle: reading a pickle runs whatever code it names, so whoever can write into a cache of
pickles owns its readers. Numbers and strings come back exactly as they were.
"""

import json
from typing import Any

from langchain_pymupdf_coords.geometry import BBox
from langchain_pymupdf_coords.pages import DocumentInfo, PageNote, ParsedBox, ParsedPage, TextLine


def dump_page(page: ParsedPage) -> str:
    """Write a page as JSON."""
    boxes = [
        [box.box_class, box.bbox, box.text, _rows(box.lines), box.font_size, _rows(box.parts)]
        for box in page.boxes
    ]
    notes = [[note.kind, note.message] for note in page.notes]
    return json.dumps([page.number, page.size, page.label, boxes, notes], separators=(",", ":"))


def load_page(text: str) -> ParsedPage:
    """Read a page from JSON.

    Raises:
        ValueError: The text is not what ``dump_page`` writes.
    """
    try:
        number, (width, height), label, boxes, notes = json.loads(text)
        return ParsedPage(
            _checked(number, int),
            (_checked(width, float), _checked(height, float)),
            _checked(label, str),
            tuple(_box(*box) for box in boxes),
            tuple(PageNote(_checked(kind, str), _checked(message, str)) for kind, message in notes),
        )
    except (TypeError, ValueError, RecursionError) as cause:
        raise ValueError(f"not a parsed page: {cause}") from cause


def dump_info(info: DocumentInfo) -> str:
    """Write what a file says of itself as JSON."""
    return json.dumps([info.total_pages, dict(info.metadata)], separators=(",", ":"))


def load_info(text: str) -> DocumentInfo:
    """Read what a file says of itself from JSON.

    Raises:
        ValueError: The text is not what ``dump_info`` writes.
    """
    try:
        total, metadata = json.loads(text)
        values = {key: _checked(value, str) for key, value in _checked(metadata, dict).items()}
        return DocumentInfo(_checked(total, int), values)
    except (TypeError, ValueError, RecursionError) as cause:
        raise ValueError(f"not the information of a file: {cause}") from cause


def _rows(lines: tuple[TextLine, ...]) -> list[list[float]]:
    return [[*line.bbox, line.start, line.end] for line in lines]


def _box(box_class: Any, bbox: Any, text: Any, lines: Any, font_size: Any, parts: Any) -> ParsedBox:
    return ParsedBox(
        _checked(box_class, str),
        _bbox(*bbox),
        _checked(text, str),
        tuple(_line(*row) for row in lines),
        _checked(font_size, float),
        tuple(_line(*row) for row in parts),
    )


def _line(x0: Any, y0: Any, x1: Any, y1: Any, start: Any, end: Any) -> TextLine:
    return TextLine(_bbox(x0, y0, x1, y1), _checked(start, int), _checked(end, int))


def _bbox(x0: Any, y0: Any, x1: Any, y1: Any) -> BBox:
    return _checked(x0, float), _checked(y0, float), _checked(x1, float), _checked(y1, float)


def _checked(value: Any, kind: type) -> Any:
    """Return a value that has a type; a whole number will do for a float."""
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    raise TypeError(f"{type(value).__name__} instead of {kind.__name__}")
