"""A quote located in a chunk and on its pages, and its JSON in the metadata of a Document.

Coordinates are in the displayed frame (see ``geometry``), spans are half-open code-point offsets into
``page_content``, and pages count from 1. These values are written when quotes are located and are read as
untrusted, like all metadata.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Self, cast

from langchain_pymupdf_coords.folding import clean_text
from langchain_pymupdf_coords.geometry import Quad
from langchain_pymupdf_coords.provenance.fields import (
    DocumentLike,
    Field,
    checked_content,
    compact_json,
    rounded,
    stored_value,
)

QuoteStatus = Literal["exact", "normalized", "fuzzy", "fragments"]

QuotePrecision = Literal["word", "line", "box"]

_STATUSES = ("exact", "normalized", "fuzzy", "fragments")

_PRECISIONS = ("word", "line", "box")

_MAX_OCCURRENCES = 1_000_000


@dataclass(frozen=True, slots=True)
class Region:
    """Where a quote stands on one page.

    Attributes:
        page: Page number, from 1.
        quads: One quad per line, in reading order, in the displayed frame, in points.
    """

    page: int
    quads: tuple[Quad, ...]

    @classmethod
    def _from_record(cls, field: Field, record: object) -> Self:
        values = field.mapping(record)
        quads = field.items("quads", values.get("quads"))
        return cls(field.page(values.get("page")), tuple(field.quad(quad) for quad in quads))

    def _to_dict(self) -> dict[str, Any]:
        return {"page": self.page, "quads": [[rounded(point) for point in quad] for quad in self.quads]}


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """A quote found in a chunk, and where it stands on its pages.

    Attributes:
        quote: The quote as asked for.
        text: What the chunk has for it: ``page_content[start:end]``.
        span: ``(start, end)`` in ``page_content``.
        status: How it was found: ``"exact"``, ``"normalized"`` (but for marks, case, white space),
            ``"fuzzy"`` or ``"fragments"`` (parts joined by an ellipsis).
        score: Similarity, 0 to 100.
        occurrences: How often the chunk has the quote; the match is one of them.
        precision: What the quads follow: ``"word"``, whole ``"line"`` or whole ``"box"``.
        regions: One region per page, in reading order; quads in the displayed frame, in points.
    """

    quote: str
    text: str
    span: tuple[int, int]
    status: QuoteStatus
    score: float
    occurrences: int
    precision: QuotePrecision
    regions: tuple[Region, ...]

    @classmethod
    def from_document(cls, document: DocumentLike) -> tuple[Self, ...]:
        """Return the located quotes that a retriever or citation locator wrote, or none.

        Quads are in the displayed frame, in points.

        Args:
            document: Any Document.

        Raises:
            ProvenanceError: ``metadata["quotes"]`` is malformed, claims text that ``page_content`` does not
                have at its span, or is of a newer version.
        """
        field, stored = stored_value(document, "quotes")
        if stored is None:
            return ()
        content = checked_content(document)
        return tuple(
            cls._from_record(field.at(index), record, content)
            for index, record in enumerate(field.records(stored))
        )

    @classmethod
    def _from_record(cls, field: Field, record: object, content: str) -> Self:
        values = field.mapping(record)
        start, end = field.span(values.get("span"), len(content))
        text = field.text("text", values.get("text"))
        if len(text) != end - start or text != clean_text(content[start:end]):
            raise field.error("text is not what page_content has at its span")
        regions = field.items("regions", values.get("regions"))
        return cls(
            quote=field.text("quote", values.get("quote")),
            text=text,
            span=(start, end),
            status=cast("QuoteStatus", field.one_of("status", values.get("status"), _STATUSES)),
            score=field.number("score", values.get("score"), 0, 100),
            occurrences=field.integer("occurrences", values.get("occurrences"), 1, _MAX_OCCURRENCES),
            precision=cast("QuotePrecision", field.one_of("precision", values.get("precision"), _PRECISIONS)),
            regions=tuple(Region._from_record(field, region) for region in regions),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the match as it is stored: lists, dicts, clean strings, numbers of at most 2 decimals."""
        return {
            "quote": clean_text(self.quote),
            "text": clean_text(self.text),
            "span": list(self.span),
            "status": self.status,
            "score": rounded([self.score])[0],
            "occurrences": self.occurrences,
            "precision": self.precision,
            "regions": [region._to_dict() for region in self.regions],
        }


def dump_quotes(matches: Iterable[QuoteMatch]) -> str:
    """Return ``metadata["quotes"]``: the matches as JSON objects, see ``QuoteMatch.to_dict``.

    Raises:
        ProvenanceError: A coordinate or score is not finite.
    """
    return compact_json([match.to_dict() for match in matches], "quotes")
