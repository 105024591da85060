"""What an evidence page has to show: quotes and passages, by the file that they come from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document

from langchain_pymupdf_coords.document_sources import document_source
from langchain_pymupdf_coords.geometry import PageSize, Quad, bbox_to_quad
from langchain_pymupdf_coords.metadata_json import clean_text
from langchain_pymupdf_coords.provenance import QuoteMatch, Region, SourceBox, page_sizes


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One entry of an evidence page.

    Attributes:
        text: The quote as asked for, or the text of a passage.
        regions: Where it stands, a region per page.
        match: The located quote; None for a passage, which is a Document without quotes.
        section: Heading path, or empty.
    """

    text: str
    regions: tuple[Region, ...]
    match: QuoteMatch | None
    section: str


@dataclass(frozen=True, slots=True)
class SourceExhibits:
    """The entries of one file.

    Attributes:
        source: ``metadata["source"]``.
        title: Title of the file, or empty.
        digest: ``metadata["source_digest"]`` of its first Document, or empty.
        documents: Its Documents.
        exhibits: Its entries, each once, in the order of the Documents.
        sizes: Width and height in points of its pages, as far as the Documents have them.
        labels: Printed page numbers, as far as the Documents have them.
    """

    source: str
    title: str
    digest: str
    documents: tuple[Document, ...]
    exhibits: tuple[Exhibit, ...]
    sizes: Mapping[int, PageSize]
    labels: Mapping[int, str]

    @property
    def pages(self) -> list[int]:
        """The pages to show, in order."""
        return sorted({region.page for exhibit in self.exhibits for region in exhibit.regions})


def exhibits_by_source(documents: Iterable[Document]) -> list[SourceExhibits]:
    """Sort Documents by file, in the order in which the files come first.

    Raises:
        ProvenanceError: Coordinates or quotes of a Document are missing or malformed.
    """
    groups: dict[str, list[Document]] = {}
    for document in documents:
        groups.setdefault(document_source(document), []).append(document)
    return [_source_exhibits(source, group) for source, group in groups.items()]


def _source_exhibits(source: str, documents: Sequence[Document]) -> SourceExhibits:
    exhibits: dict[Exhibit, None] = {}
    sizes: dict[int, PageSize] = {}
    labels: dict[int, str] = {}
    for document in documents:
        # Chunks that overlap may hold the same quote: a dict keeps it once, and in order.
        exhibits |= dict.fromkeys(_exhibits(document))
        sizes |= page_sizes(document)
        page, label = document.metadata.get("page"), _text(document.metadata, "page_label")
        if label and isinstance(page, int):
            labels[page] = label
    first = documents[0].metadata
    title, digest = _text(first, "title"), _text(first, "source_digest")
    return SourceExhibits(source, title, digest, tuple(documents), tuple(exhibits), sizes, labels)


def _exhibits(document: Document) -> list[Exhibit]:
    section = _text(document.metadata, "section")
    matches = QuoteMatch.from_document(document)
    if not matches:
        return [Exhibit(document.page_content, _box_regions(document), None, section)]
    return [Exhibit(match.quote, match.regions, match, section) for match in matches]


def _box_regions(document: Document) -> tuple[Region, ...]:
    quads: dict[int, list[Quad]] = {}
    for box in SourceBox.from_document(document):
        quads.setdefault(box.page, []).append(bbox_to_quad(box.bbox))
    return tuple(Region(page, tuple(quads[page])) for page in sorted(quads))


def _text(metadata: Mapping[str, Any], key: str) -> str:
    value = metadata.get(key)
    return clean_text(value) if isinstance(value, str) else ""
