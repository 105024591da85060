"""A quote located in a chunk and on its pages, and its JSON in the metadata of a Document.

Coordinates are in the displayed frame (see ``geometry``), spans are half-open code-point offsets into
``page_content``, and pages count from 1. These values are written when quotes are located and are read as
untrusted, like all metadata.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
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
class Difference:
    """What a quote and the text that was found for it differ in, at one place.

    Attributes:
        kind: Name of the kind, one of the table in the guide on locating quotes: ``"white_space"``,
            ``"negation_cut"`` and so on. Others may come with later versions.
        quote_text: What the quote has; empty where it has nothing.
        page_text: What ``page_content`` has; empty where it has nothing. For what stands just outside of the
            match (kinds that end in ``"_cut"``) the text there.
        quote_span: ``(start, end)`` of ``quote_text`` in the quote.
        text_span: ``(start, end)`` of ``page_text`` in ``page_content``.
    """

    kind: str
    quote_text: str
    page_text: str
    quote_span: tuple[int, int]
    text_span: tuple[int, int]

    @property
    def words(self) -> str:
        """The difference in words, for people: ``'percent: the quote has nothing, the page has "%"'``."""
        sides = (("the quote", self.quote_text), ("the page", self.page_text))
        told = [
            f'{side} has "{text}"' if text.strip() else f"{side} has {visible(text)}" for side, text in sides
        ]
        return f"{self.kind.replace('_', ' ')}: {', '.join(told)}"

    @classmethod
    def _from_record(cls, field: Field, record: object, quote: str, content: str) -> Self:
        values = field.mapping(record)
        sides = {}
        for side, name, whole in (("quote", "quote_span", quote), ("page", "text_span", content)):
            start, end = field.span(values.get(name), len(whole))
            text = field.text(f"{side}_text", values.get(f"{side}_text"))
            if text != clean_text(whole[start:end]):
                raise field.error(f"{side}_text of a difference is not what stands at its {name}")
            sides[side] = (text, (start, end))
        kind = field.text("kind", values.get("kind"))
        return cls(kind, sides["quote"][0], sides["page"][0], sides["quote"][1], sides["page"][1])

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as it is stored: clean strings, and spans as lists."""
        return {
            "kind": self.kind,
            "quote_text": clean_text(self.quote_text),
            "page_text": clean_text(self.page_text),
            "quote_span": list(self.quote_span),
            "text_span": list(self.text_span),
        }


def visible(text: str) -> str:
    """A text, in words where there is nothing to see."""
    return text if text.strip() else "white space" if text else "nothing"


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """A quote found in a chunk, and where it stands on its pages.

    Attributes:
        quote: The quote as asked for.
        text: What the chunk has for it: ``page_content[start:end]``.
        span: ``(start, end)`` in ``page_content``.
        status: How it was found, by the worst of its differences: ``"exact"`` (none), ``"normalized"`` (written
            another way: marks, white space, the case of a heading), ``"fuzzy"`` (a slip in a letter, or words
            that are found but not to be trusted: struck out, or with a negation cut off) or ``"fragments"``
            (parts joined by an ellipsis).
        score: Similarity, 0 to 100.
        occurrences: How often the chunk has the quote; the match is one of them.
        precision: What the quads follow: ``"word"``, whole ``"line"`` or whole ``"box"``.
        regions: One region per page, in reading order; quads in the displayed frame, in points.
        differences: What the quote and ``text`` differ in, in the order of the text. Of differences in writing
            that are alike the first stands for all.
    """

    quote: str
    text: str
    span: tuple[int, int]
    status: QuoteStatus
    score: float
    occurrences: int
    precision: QuotePrecision
    regions: tuple[Region, ...]
    differences: tuple[Difference, ...] = field(default=(), kw_only=True)

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
        quote = field.text("quote", values.get("quote"))
        # Written since differences are told; older matches have none.
        differences = field.items("differences", values.get("differences", []))
        return cls(
            quote=quote,
            text=text,
            span=(start, end),
            status=cast("QuoteStatus", field.one_of("status", values.get("status"), _STATUSES)),
            score=field.number("score", values.get("score"), 0, 100),
            occurrences=field.integer("occurrences", values.get("occurrences"), 1, _MAX_OCCURRENCES),
            precision=cast("QuotePrecision", field.one_of("precision", values.get("precision"), _PRECISIONS)),
            regions=tuple(Region._from_record(field, region) for region in regions),
            differences=tuple(Difference._from_record(field, item, quote, content) for item in differences),
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
            "differences": [difference.to_dict() for difference in self.differences],
        }


def dump_quotes(matches: Iterable[QuoteMatch]) -> str:
    """Return ``metadata["quotes"]``: the matches as JSON objects, see ``QuoteMatch.to_dict``.

    Raises:
        ProvenanceError: A coordinate or score is not finite.
    """
    return compact_json([match.to_dict() for match in matches], "quotes")
