"""Where a chunk came from: typed values, and their JSON in the metadata of a Document.

All coordinates are in the displayed frame (see ``geometry``), all spans are half-open code-point offsets
into ``page_content``, and pages count from 1. Reading treats the metadata as untrusted; writing is
canonical: floats are rounded and always written with a decimal point (``12.0``), without blanks, so that
``dump_lines(LineBox.from_document(d))`` gives back the stored text byte for byte.

This is the one place where spans are read. Those of a text that was changed since, as ``text_digest`` tells, are
moved to where their lines now stand, and what cannot be found there has no span: no reader sees a stale one.
"""

import json
import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

from langchain_pymupdf_coords.caller_warnings import warn
from langchain_pymupdf_coords.errors import ProvenanceError, UnplacedTextWarning
from langchain_pymupdf_coords.folding import clean_text
from langchain_pymupdf_coords.geometry import BBox, PageSize
from langchain_pymupdf_coords.provenance.fields import (
    MAX_COORDINATE,
    MAX_JSON_CHARS,
    MAX_PAGE,
    DocumentLike,
    Field,
    checked_content,
    compact_json,
    rounded,
    shown,
    stored_value,
)
from langchain_pymupdf_coords.provenance.moved_boxes import moved_boxes
from langchain_pymupdf_coords.provenance.text_digests import DIGEST_FORM, is_text_of, line_count, moved_lines

DEFAULT_BOX_CLASS = "text"

_ID_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "langchain-pymupdf-coords")

_PAGE_NAME = re.compile("[1-9][0-9]{0,6}")

_SMALLEST_SIDE = 0.01

_ROW_TYPES = [int, float, float, float, float, int, int]


@dataclass(frozen=True, slots=True)
class SourceBox:
    """A layout box of a page that a chunk contains.

    Attributes:
        page: Page number, from 1.
        bbox: ``(x0, y0, x1, y1)`` in the displayed frame, in points.
        box_class: Layout class such as ``"text"``, ``"table"`` or ``"section-header"``; ``"text"`` where the
            record has none.
        span: The part of ``page_content`` that is the Markdown of this box; None where the record has none.
    """

    page: int
    bbox: BBox
    _: KW_ONLY
    box_class: str = DEFAULT_BOX_CLASS
    span: tuple[int, int] | None = None

    @classmethod
    def from_document(cls, document: DocumentLike) -> "tuple[SourceBox, ...]":
        """Return the boxes of a Document in reading order.

        Records of the article's form, ``{"page", "bbox"}``, are read too; unknown keys are ignored. Where the
        text was changed after it was loaded, spans are those of the text as it is, boxes whose text was cut
        off are left out, and there is an ``UnplacedTextWarning`` if lines are not found in it.

        Args:
            document: A Document with ``metadata["boxes"]``.

        Raises:
            ProvenanceError: ``metadata["boxes"]`` is missing or malformed, or of a newer version.
        """
        if changed_digest(document) is None:
            return _boxes(document, None)
        coordinates = Coordinates.from_document(document)
        coordinates.warn_if_lost(document)
        return coordinates.boxes

    @classmethod
    def _from_record(cls, field: Field, record: object, length: int) -> Self:
        values = field.mapping(record)
        span = values.get("span")
        return cls(
            page=field.page(values.get("page")),
            bbox=field.bbox(values.get("bbox")),
            box_class=field.text("class", values.get("class", DEFAULT_BOX_CLASS)),
            span=None if span is None else field.span(span, length),
        )


def boxes_by_page(boxes: Iterable[SourceBox]) -> dict[int, list[SourceBox]]:
    """Return boxes by the page that they are on, in the order of the pages."""
    pages: dict[int, list[SourceBox]] = {}
    for box in sorted(boxes, key=lambda box: box.page):
        pages.setdefault(box.page, []).append(box)
    return pages


@dataclass(frozen=True, slots=True)
class LineBox:
    """A line of text on a page (in a table: a line of a cell) and the part of the chunk that it is.

    Attributes:
        page: Page number, from 1.
        bbox: ``(x0, y0, x1, y1)`` in the displayed frame, in points.
        span: The part of ``page_content`` that stands in this line.
    """

    page: int
    bbox: BBox
    span: tuple[int, int]

    @classmethod
    def from_document(cls, document: DocumentLike) -> "tuple[LineBox, ...]":
        """Return the lines of a Document in the order of its text, or none where it has no line map.

        Where the text was changed after it was loaded, these are the lines that are found in it.

        Args:
            document: Any Document.

        Raises:
            ProvenanceError: ``metadata["lines"]`` is malformed, or of a newer version.
        """
        return _lines(document, changed_digest(document))[1]

    @classmethod
    def _from_row(cls, field: Field, row: object, length: int) -> Self:
        page, *bbox, start, end = field.sequence("row", row, 7)
        return cls(field.page(page), field.bbox(bbox), field.span((start, end), length))


@dataclass(frozen=True, slots=True)
class Coordinates:
    """The boxes and lines of a Document, their spans in its text as it is.

    Attributes:
        boxes: Boxes in reading order.
        lines: Lines in the order of the text; none where there is no line map.
        edited: Whether the text was changed since the coordinates were written.
        lost: How many lines are not found in it for that reason.
    """

    boxes: tuple[SourceBox, ...]
    lines: tuple[LineBox, ...]
    edited: bool = False
    lost: int = 0

    @classmethod
    def from_document(cls, document: DocumentLike) -> Self:
        """Read ``boxes`` and ``lines`` of a Document.

        Raises:
            ProvenanceError: ``metadata["boxes"]`` is missing, or something is malformed or of a newer version.
        """
        digest = changed_digest(document)
        boxes = _boxes(document, digest)
        stored, lines = _lines(document, digest)
        if digest is None:
            return cls(boxes, lines)
        content = document.page_content
        found = moved_lines(content, digest)
        moved = moved_boxes(content, [box.span for box in boxes], [line.span for line in stored], found)
        now = tuple(replace(boxes[box.number], span=box.span) for box in moved)
        return cls(now, lines, True, len(stored) - len(lines) if stored else len(boxes))

    def warn_if_lost(self, document: DocumentLike) -> None:
        """Say that lines, or else boxes, of a changed text are not found in it."""
        if self.lost:
            warn(
                f"page_content is not the text that its boxes and lines count in, and {self.lost} of them are not "
                f"found in it: quotes there get a box (source {shown(document.metadata.get('source'))}, page "
                f"{shown(document.metadata.get('page'))}). For pieces with coordinates of their own, split with "
                "CoordsTextSplitter",
                UnplacedTextWarning,
            )


def boxes_of_other_text(document: DocumentLike) -> tuple[SourceBox, ...]:
    """Return the boxes of a Document as stored: their spans may count in a longer text than it has.

    Raises:
        ProvenanceError: See ``SourceBox.from_document``.
    """
    boxes = _boxes(document, "")
    _stored_lines(document, "")  # malformed ones are refused
    return boxes


def changed_digest(document: DocumentLike) -> str | None:
    """Return ``metadata["text_digest"]`` if it is that of another text than the Document has, else None.

    A Document without it, as older indexes have them, is taken at its word, and so is one whose lines were
    written anew without it.

    Raises:
        ProvenanceError: It is malformed.
    """
    field, digest = stored_value(document, "text_digest")
    if digest is None:
        return None
    if not isinstance(digest, str) or not DIGEST_FORM.fullmatch(digest):
        raise field.error(f"not a digest of a text: {shown(digest)}")
    if is_text_of(checked_content(document), digest):
        return None
    field, lines = stored_value(document, "lines")
    return digest if line_count(digest) == (0 if lines is None else len(field.records(lines))) else None


def _boxes(document: DocumentLike, digest: str | None) -> tuple[SourceBox, ...]:
    """Return the boxes as stored; their spans count in another text where ``digest`` is that of another."""
    field, stored = stored_value(document, "boxes")
    if stored is None:
        raise field.error(
            "missing: load the file with PyMuPDFCoordsLoader, and let the vector store keep all metadata"
        )
    length = _longest(document, digest)
    return tuple(
        SourceBox._from_record(field.at(index), record, length)
        for index, record in enumerate(field.records(stored))
    )


def _lines(document: DocumentLike, digest: str | None) -> tuple[list[LineBox], tuple[LineBox, ...]]:
    """Return the lines as stored, and those that the text has, with their spans in it."""
    lines = _stored_lines(document, digest)
    if digest is None:
        return lines, tuple(lines)
    found = moved_lines(document.page_content, digest)
    return lines, tuple(
        replace(line, span=span) for line, span in zip(lines, found, strict=True) if span is not None
    )


def _stored_lines(document: DocumentLike, digest: str | None) -> list[LineBox]:
    field, stored = stored_value(document, "lines")
    if stored is None:
        return []
    length = _longest(document, digest)
    lines = []
    for index, row in enumerate(field.records(stored)):
        # Rows as dump_lines writes them pass here at once; others are looked at value by value.
        if type(row) is list and [*map(type, row)] == _ROW_TYPES:
            page, x0, y0, x1, y1, start, end = row
            if (
                0 < page <= MAX_PAGE
                and -MAX_COORDINATE <= x0 <= x1 <= MAX_COORDINATE
                and -MAX_COORDINATE <= y0 <= y1 <= MAX_COORDINATE
                and 0 <= start <= end <= length
            ):
                lines.append(LineBox(page, (x0, y0, x1, y1), (start, end)))
                continue
        lines.append(LineBox._from_row(field.at(index), row, length))
    return lines


def _longest(document: DocumentLike, digest: str | None) -> int:
    """Return how far spans may reach: into a text that is no longer there, any distance."""
    return len(checked_content(document)) if digest is None else MAX_JSON_CHARS


def dump_boxes(boxes: Iterable[SourceBox]) -> str:
    """Return ``metadata["boxes"]``: JSON objects, coordinates rounded to 2 decimals.

    Raises:
        ProvenanceError: A coordinate is not finite.
    """
    records: list[dict[str, Any]] = []
    for box in boxes:
        record = {"page": box.page, "bbox": rounded(box.bbox), "class": clean_text(box.box_class)}
        if box.span is not None:
            record["span"] = list(box.span)
        records.append(record)
    return compact_json(records, "boxes")


def dump_lines(lines: Iterable[LineBox]) -> str:
    """Return ``metadata["lines"]``: rows ``[page,x0,y0,x1,y1,start,end]``, rounded to 1 decimal.

    Rows are many, so one decimal: 0.05 pt is less than the stem of a letter.

    Raises:
        ProvenanceError: A coordinate is not finite.
    """
    # Formatted by hand, in less than half the time of rounding and json: rows are many, and only numbers.
    rows = []
    for line in lines:
        (x0, y0, x1, y1), (start, end) = line.bbox, line.span
        rows.append(f"[{line.page},{x0:.1f},{y0:.1f},{x1:.1f},{y1:.1f},{start},{end}]")
    text = ",".join(rows)
    if "n" in text:  # "nan" or "inf"
        raise ProvenanceError("metadata['lines']: NaN and infinity cannot be stored")
    return f"[{text.replace('-0.0,', '0.0,')}]"


def dump_page_sizes(sizes: Mapping[int, PageSize]) -> str:
    """Return ``metadata["page_sizes"]``: page number to ``[width, height]``, in order of pages.

    Raises:
        ProvenanceError: A size is not finite.
    """
    return compact_json({str(page): rounded(sizes[page]) for page in sorted(sizes)}, "page_sizes")


def page_sizes(document: DocumentLike) -> dict[int, PageSize]:
    """Return width and height in points of the displayed pages that a chunk touches, by page number.

    Args:
        document: Any Document; the article's form has no page sizes, and the result is empty.

    Raises:
        ProvenanceError: ``metadata["page_sizes"]`` is malformed, or of a newer version.
    """
    field, stored = stored_value(document, "page_sizes")
    if stored is None:
        return {}
    sizes = {}
    for name, size in field.mapping(field.decoded(stored)).items():
        page = field.page(int(name) if isinstance(name, str) and _PAGE_NAME.fullmatch(name) else name)
        width, height = (
            field.number(f"size of page {page}", side, _SMALLEST_SIDE, MAX_COORDINATE)
            for side in field.sequence(f"size of page {page}", size, 2)
        )
        sizes[page] = width, height
    return sizes


def page_range(document: DocumentLike) -> tuple[int, int] | None:
    """Return the first and the last page of a Document, from 1; None where it does not say.

    Where another loader wrote ``page``, and coordinates came later, the boxes say it: it may count from 0.

    Raises:
        ProvenanceError: The boxes of such a Document are malformed.
    """
    if "coverage" in document.metadata:
        pages = [box.page for box in _boxes(document, changed_digest(document))]
        return (min(pages), max(pages)) if pages else None
    first = document.metadata.get("page")
    last = document.metadata.get("page_end", first)
    # Some stores turn every number into a float.
    if not isinstance(first, int | float) or not isinstance(last, int | float):
        return None
    return int(first), int(last)


def document_id(digest: str, options: Mapping[str, Any], chunk_index: int) -> str:
    """Return the id of a chunk: the same file, options and index give the same UUID, on every machine.

    Args:
        digest: Digest of the file's bytes, as in ``metadata["source_digest"]``.
        options: What the chunks depend on, as JSON values; the order of keys does not matter.
        chunk_index: Index of the chunk in the file.

    Raises:
        ProvenanceError: An option has no JSON form.
    """
    try:
        canonical = json.dumps(options, sort_keys=True, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as cause:
        raise ProvenanceError(f"options of a document id must be JSON values: {cause}") from cause
    return str(uuid.uuid5(_ID_NAMESPACE, f"{digest}\n{canonical}\n{chunk_index}"))
