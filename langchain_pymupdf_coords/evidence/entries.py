"""The entries of an evidence page: quotes and passages by file, each with its number."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from langchain_core.documents import Document

from langchain_pymupdf_coords.folding import clean_text
from langchain_pymupdf_coords.geometry import PageSize, bbox_to_quad
from langchain_pymupdf_coords.provenance.boxes import SourceBox, boxes_by_page, page_range, page_sizes
from langchain_pymupdf_coords.provenance.quotes import QuoteMatch, Region
from langchain_pymupdf_coords.provenance.source_names import file_name
from langchain_pymupdf_coords.sources.resolver import document_source


@dataclass(frozen=True, slots=True)
class Entry:
    """A quote, or a passage: a Document without quotes.

    Attributes:
        number: Its number on the page, from 1.
        text: The quote as asked for, or the text of the passage.
        regions: Where it stands, a region per page.
        match: The located quote; None for a passage.
        section: Heading path, or empty.
    """

    number: int
    text: str
    regions: tuple[Region, ...]
    match: QuoteMatch | None
    section: str

    @property
    def kind(self) -> str:
        """What gives the colour: the status of a quote, or ``"passage"``."""
        return self.match.status if self.match else "passage"

    @property
    def name(self) -> str:
        """``"Quote 1"`` or ``"Passage 2"``."""
        return f"{'Quote' if self.match else 'Passage'} {self.number}"

    @property
    def id(self) -> str:
        """Id of its link in the list."""
        return f"entry-{self.number}"

    def mark_id(self, region: Region) -> str:
        """Id of its mark on a sheet."""
        return f"mark-{self.number}-{region.page}"


@dataclass(frozen=True, slots=True)
class SourceEntries:
    """The entries of one file.

    Attributes:
        source: ``metadata["source"]``.
        title: Title of the file, or empty.
        digest: ``metadata["source_digest"]`` of its first Document, or empty.
        documents: Its Documents.
        entries: Its entries, each once, in the order of the Documents.
        sizes: Width and height in points of its pages, as far as the Documents have them.
        labels: Printed page numbers, as far as the Documents have them.
    """

    source: str
    title: str
    digest: str
    documents: tuple[Document, ...]
    entries: tuple[Entry, ...]
    sizes: Mapping[int, PageSize]
    labels: Mapping[int, str]

    @property
    def name(self) -> str:
        """Name of the file without its folder."""
        return file_name(self.source)

    @property
    def pages(self) -> list[int]:
        """The pages to show, in order."""
        return sorted({region.page for entry in self.entries for region in entry.regions})

    def page_name(self, page: int) -> str:
        """Name of a page, with its printed number where that is another one."""
        label = self.labels.get(page)
        return f"page {page}" if label in (None, str(page)) else f"page {page}, printed “{label}”"


def entries_by_source(documents: Iterable[Document]) -> list[SourceEntries]:
    """Sort Documents by file, in the order in which the files come first, and number their entries in one row.

    Raises:
        ProvenanceError: Coordinates or quotes of a Document are missing or malformed.
    """
    groups: dict[str, list[Document]] = {}
    for document in documents:
        groups.setdefault(document_source(document), []).append(document)
    numbers = count(1)
    return [_source_entries(source, group, numbers) for source, group in groups.items()]


_Content = tuple[str, tuple[Region, ...], QuoteMatch | None, str]


def _source_entries(source: str, documents: Sequence[Document], numbers: Iterator[int]) -> SourceEntries:
    contents: dict[_Content, None] = {}
    sizes: dict[int, PageSize] = {}
    labels: dict[int, str] = {}
    for document in documents:
        # Chunks that overlap may hold the same quote: a dict keeps it once, and in order.
        contents |= dict.fromkeys(_contents(document))
        sizes |= page_sizes(document)
        pages, label = page_range(document), _text(document.metadata, "page_label")
        if label and pages:
            labels[pages[0]] = label
    first = documents[0].metadata
    entries = tuple(Entry(next(numbers), *content) for content in contents)
    title, digest = _text(first, "title"), _text(first, "source_digest")
    return SourceEntries(source, title, digest, tuple(documents), entries, sizes, labels)


def _contents(document: Document) -> list[_Content]:
    section = _text(document.metadata, "section")
    matches = QuoteMatch.from_document(document)
    if not matches:
        return [(document.page_content, _box_regions(document), None, section)]
    return [(match.quote, match.regions, match, section) for match in matches]


def _box_regions(document: Document) -> tuple[Region, ...]:
    pages = boxes_by_page(SourceBox.from_document(document))
    return tuple(
        Region(page, tuple(bbox_to_quad(box.bbox) for box in boxes)) for page, boxes in pages.items()
    )


def _text(metadata: Mapping[str, Any], key: str) -> str:
    value = metadata.get(key)
    return clean_text(value) if isinstance(value, str) else ""
