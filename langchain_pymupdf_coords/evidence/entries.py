"""The entries of an evidence page: their numbers, names and words, and the list of them.

HTML is built as a tree of elements, whose serialiser escapes every text and attribute, so that nothing from a
PDF, a question or an answer can become markup.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from langchain_pymupdf_coords.evidence.exhibits import Exhibit, SourceExhibits
from langchain_pymupdf_coords.folding import plain_text
from langchain_pymupdf_coords.provenance.quotes import QuoteMatch, Region
from langchain_pymupdf_coords.provenance.source_names import file_name

Node = ET.Element


def node(tag: str, *content: Node | str | None, **attributes: str) -> Node:
    """Return an element.

    Args:
        tag: Its name.
        *content: Elements and texts in order; None is left out.
        **attributes: Named as in HTML with ``_`` for ``-``, and ``class_`` for ``class``.
    """
    names = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    element = ET.Element(tag, names)
    for part in content:
        if isinstance(part, str):
            _append_text(element, part)
        elif part is not None:
            element.append(part)
    return element


def html_document(root: Node) -> str:
    """Return the text of a document whose root element is ``html``.

    Text of ``style`` and ``script`` is not escaped, as HTML demands: only ever give them constants.
    """
    return f"<!doctype html>\n{ET.tostring(root, encoding='unicode', method='html')}\n"


def _append_text(element: Node, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


_PASSAGE_CHARS = 240

_STATUS_WORDS = {
    "exact": "Exact: word for word",
    "normalized": "Normalized: the same words; case, spacing or marks differ",
    "fuzzy": "Fuzzy: similar words",
    "fragments": "Fragments: parts of the text, joined by an ellipsis",
}

_PRECISION_WORDS = {"word": "", "line": "; whole lines are marked", "box": "; the whole box is marked"}


@dataclass(frozen=True, slots=True)
class Entry:
    """An exhibit with its number on the page, from 1."""

    number: int
    exhibit: Exhibit

    @property
    def kind(self) -> str:
        """What gives the colour: the status of a quote, or ``"passage"``."""
        return self.exhibit.match.status if self.exhibit.match else "passage"

    @property
    def name(self) -> str:
        """``"Quote 1"`` or ``"Passage 2"``."""
        return f"{'Quote' if self.exhibit.match else 'Passage'} {self.number}"

    @property
    def id(self) -> str:
        """Id of its link in the list."""
        return f"entry-{self.number}"

    def mark_id(self, region: Region) -> str:
        """Id of its mark on a page."""
        return f"mark-{self.number}-{region.page}"


@dataclass(frozen=True, slots=True)
class SourceEntries:
    """The entries of one file."""

    source: SourceExhibits
    entries: tuple[Entry, ...]

    @property
    def name(self) -> str:
        """Name of the file without its folder."""
        return file_name(self.source.source)

    def page_name(self, page: int) -> str:
        """Name of a page, with its printed number where that is another one."""
        label = self.source.labels.get(page)
        return f"page {page}" if label in (None, str(page)) else f"page {page}, printed “{label}”"


def numbered(sources: Sequence[SourceExhibits]) -> list[SourceEntries]:
    """Number the entries of all files in one row."""
    numbers = count(1)
    return [
        SourceEntries(source, tuple(Entry(next(numbers), exhibit) for exhibit in source.exhibits))
        for source in sources
    ]


def entry_list(sources: Sequence[SourceEntries]) -> Node:
    """Return the list of all entries, each a link to its mark."""
    parts = [part for source in sources for part in _source_list(source)]
    return node("nav", *(parts or [node("p", "There are no documents to show.")]), aria_label="Evidence")


def _source_list(source: SourceEntries) -> Iterator[Node]:
    yield node("h2", source.name, dir="auto")
    start = str(source.entries[0].number)
    yield node("ol", *(_item(source, entry) for entry in source.entries), start=start)


def _item(source: SourceEntries, entry: Entry) -> Node:
    exhibit, match = entry.exhibit, entry.exhibit.match
    text = node("q", exhibit.text, dir="auto") if match else node("span", _excerpt(exhibit.text), dir="auto")
    if exhibit.regions:
        text = node("a", text, id=entry.id, href=f"#{entry.mark_id(exhibit.regions[0])}")
    found = None
    if match and match.status in ("fuzzy", "fragments"):
        found = node("p", "In the document: ", node("q", match.text, dir="auto"), class_="facts")
    section = node("p", exhibit.section, class_="facts", dir="auto") if exhibit.section else None
    facts = node("p", node("span", _status(match), class_="status"), *_pages(source, entry), class_="facts")
    return node("li", text, found, facts, section, class_=entry.kind)


def _excerpt(text: str) -> str:
    text = plain_text(text)
    return text if len(text) <= _PASSAGE_CHARS else f"{text[:_PASSAGE_CHARS].rstrip()}…"


def _status(match: QuoteMatch | None) -> str:
    if match is None:
        return "Passage: no quote in it was located"
    words = _STATUS_WORDS[match.status]
    if match.status == "fuzzy":
        words += f", {match.score:.0f} % alike"
    if match.occurrences > 1:
        words += f"; one of {match.occurrences} places in its passage"
    return words + (_PRECISION_WORDS[match.precision] if match.regions else "; its place is not known")


def _pages(source: SourceEntries, entry: Entry) -> Iterator[Node | str]:
    for region in entry.exhibit.regions:
        yield " · "
        link = f"#{entry.mark_id(region)}"
        yield node("a", source.page_name(region.page), href=link, aria_label=_where(source, entry, region))


def _where(source: SourceEntries, entry: Entry, region: Region) -> str:
    return f"{entry.name} on {source.page_name(region.page)}"
