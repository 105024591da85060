"""JSON in the metadata of Documents: written always the same way, read as untrusted input.

A vector store may have been tampered with, and a crafted value must not take the memory or the time of the
reader, or reach the PDF engine. Everything read here is checked for type, size and range, and refused with
``ProvenanceError`` naming the metadata key. Work is bounded: text is measured before it is parsed.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.errors import ProvenanceError
from langchain_pymupdf_coords.folding import UNSTORABLE
from langchain_pymupdf_coords.geometry import BBox, Quad

COORDS_VERSION = 1

MAX_JSON_CHARS = 2_000_000

MAX_RECORDS = 50_000

MAX_PAGE = 1_000_000

# Pages reach 14,400 units (ISO 32000-1, annex C) times their UserUnit; a million points are 350 m.
MAX_COORDINATE = 1e6


def _refuse_constant(constant: str) -> float:
    raise ValueError(f"{constant} is not a number of JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class DocumentLike(Protocol):
    """What is read of a LangChain ``Document``; anything with these two attributes will do."""

    @property
    def page_content(self) -> str:
        """The text of the chunk, which spans count in."""

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the chunk."""


def compact_json(value: Any, key: str) -> str:
    """Return JSON without blanks, for a value made of lists, dicts, strings and finite numbers.

    Raises:
        ProvenanceError: A number is not finite; ``key`` names the metadata key in the message.
    """
    try:
        return _ENCODER.encode(value)
    except ValueError as cause:
        raise ProvenanceError(f"metadata[{key!r}]: NaN and infinity cannot be stored") from cause


def rounded(numbers: Iterable[float]) -> list[float]:
    """Return numbers as they are stored: floats with at most 2 decimals, and never a negative zero."""
    return [round(float(number), 2) + 0.0 for number in numbers]


def shown(value: object) -> str:
    """Return a short description of an untrusted value for a message; its length is bounded."""
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:40] + "…")
    if isinstance(value, bool | float) or value is None or (isinstance(value, int) and abs(value) < 1 << 64):
        return repr(value)
    return f"a huge {type(value).__name__}" if isinstance(value, int) else f"a {type(value).__name__}"


@dataclass(frozen=True, slots=True)
class Field:
    """A place in the metadata of a Document, and the checks of what stands there.

    Attributes:
        key: The metadata key.
        source: ``metadata["source"]``, for messages.
        record: Index of the record in the list under the key, from 0; None for the whole value.
    """

    key: str
    source: object = None
    record: int | None = None

    def error(self, problem: str) -> ProvenanceError:
        """Return the error to raise: it names the key, the record, the problem and the source."""
        record = "" if self.record is None else f" record {self.record}"
        source = "" if self.source is None else f" (source {shown(self.source)})"
        return ProvenanceError(f"metadata[{self.key!r}]{record}: {problem}{source}")

    def at(self, record: int) -> "Field":
        """Return the place of one record of the list under this key."""
        return Field(self.key, self.source, record)

    def decoded(self, value: object, *, max_chars: int = MAX_JSON_CHARS) -> object:
        """Return a stored value as lists and dicts.

        The value is JSON text, or what a store that decodes JSON made of it.
        """
        if isinstance(value, list | dict):
            return value
        if not isinstance(value, str):
            raise self.error(f"must be JSON text, not {shown(value)}")
        if len(value) > max_chars:
            raise self.error(f"{len(value)} characters of JSON, more than the {max_chars} allowed")
        try:
            return _DECODER.decode(value)
        except RecursionError as cause:
            raise self.error("JSON nested too deeply") from cause
        except ValueError as cause:
            raise self.error(f"not valid JSON: {str(cause)[:100]}") from cause

    def records(self, value: object) -> list[Any]:
        """Return a stored value as a list of records, of bounded length and not yet checked otherwise."""
        return self.items("value", self.decoded(value))

    def items(self, name: str, value: object) -> list[Any]:
        """Return a list of bounded length, its items not yet checked."""
        if not isinstance(value, list):
            raise self.error(f"{name} must be a JSON list, not {shown(value)}")
        if len(value) > MAX_RECORDS:
            raise self.error(f"{name} has {len(value)} items, more than the {MAX_RECORDS} allowed")
        return value

    def mapping(self, value: object) -> dict[str, Any]:
        """Return a value that must be a JSON object."""
        if not isinstance(value, dict):
            raise self.error(f"must be a JSON object, not {shown(value)}")
        return value

    def integer(self, name: str, value: object, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``; a bool is none."""
        if type(value) is not int or not low <= value <= high:
            raise self.error(f"{name} must be an integer from {low} to {high}, not {shown(value)}")
        return value

    def page(self, value: object) -> int:
        """Return a page number, from 1."""
        return self.integer("page", value, 1, MAX_PAGE)

    def number(self, name: str, value: object, low: float, high: float) -> float:
        """Return a number from ``low`` to ``high`` as a float; a bool or NaN is none."""
        if type(value) not in (int, float) or not low <= value <= high:  # type: ignore[operator]
            raise self.error(f"{name} must be a number from {low:g} to {high:g}, not {shown(value)}")
        return float(value)  # type: ignore[arg-type]

    def text(self, name: str, value: object) -> str:
        """Return a string without NUL and lone surrogates."""
        if not isinstance(value, str):
            raise self.error(f"{name} must be a string, not {shown(value)}")
        if UNSTORABLE.search(value):
            raise self.error(f"{name} holds a NUL or a lone surrogate")
        return value

    def one_of(self, name: str, value: object, choices: tuple[str, ...]) -> str:
        """Return a string that is one of the choices."""
        if not isinstance(value, str) or value not in choices:
            raise self.error(f"{name} must be one of {', '.join(choices)}, not {shown(value)}")
        return value

    def sequence(self, name: str, value: object, length: int) -> list[Any]:
        """Return a list of exactly ``length`` items."""
        if not isinstance(value, list | tuple) or len(value) != length:
            raise self.error(f"{name} must be a list of {length} items, not {shown(value)}")
        return list(value)

    def bbox(self, value: object) -> BBox:
        """Return a box ``(x0, y0, x1, y1)`` with ordered, bounded coordinates."""
        x0, y0, x1, y1 = (self._coordinate("bbox", item) for item in self.sequence("bbox", value, 4))
        if x1 < x0 or y1 < y0:
            raise self.error(f"bbox must have x0 <= x1 and y0 <= y1, not {(x0, y0, x1, y1)}")
        return x0, y0, x1, y1

    def quad(self, value: object) -> Quad:
        """Return a quad: four points ``[x, y]`` with bounded coordinates."""
        corners = [self.sequence("corner of a quad", item, 2) for item in self.sequence("quad", value, 4)]
        a, b, c, d = ((self._coordinate("quad", x), self._coordinate("quad", y)) for x, y in corners)
        return a, b, c, d

    def span(self, value: object, length: int) -> tuple[int, int]:
        """Return half-open offsets ``(start, end)`` inside a text of ``length`` characters."""
        start, end = self.sequence("span", value, 2)
        start = self.integer("span start", start, 0, MAX_JSON_CHARS)
        end = self.integer("span end", end, start, MAX_JSON_CHARS)
        if end > length:
            raise self.error(
                f"span ends at {end}, and page_content has {length} characters: the text was cut or edited after "
                "it was loaded; split with CoordsTextSplitter, which gives each piece its own coordinates"
            )
        return start, end

    def _coordinate(self, name: str, value: object) -> float:
        return self.number(f"coordinate of {name}", value, -MAX_COORDINATE, MAX_COORDINATE)


def stored_value(document: DocumentLike, key: str) -> tuple[Field, object]:
    """Return the place and the unchecked value of a metadata key; None if missing, as some stores give it.

    Raises:
        OptionError: ``document`` is not one Document.
        ProvenanceError: ``metadata["coords_version"]`` is malformed or newer than ``COORDS_VERSION``.
    """
    checks.one_document("document", document)
    metadata = document.metadata
    source = metadata.get("source")
    version = metadata.get("coords_version")
    if version is not None:
        field = Field("coords_version", source)
        # Some stores turn every number into a float.
        if field.number("version", version, 1, MAX_PAGE) > COORDS_VERSION:
            raise field.error(
                f"version {version} is newer than {COORDS_VERSION}, the newest that can be read here: "
                "upgrade langchain-pymupdf-coords"
            )
    return Field(key, source), metadata.get(key)


def checked_content(document: DocumentLike) -> str:
    """Return ``page_content``, which spans count in, as a string that it must be."""
    content: object = document.page_content
    if not isinstance(content, str):
        source = document.metadata.get("source")
        raise ProvenanceError(f"page_content must be a string, not {shown(content)} (source {shown(source)})")
    return content
