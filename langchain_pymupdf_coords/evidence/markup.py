"""The HTML of an evidence page: one document that needs nothing from elsewhere."""

import hashlib
import math
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from langchain_pymupdf_coords.conversions import page_link
from langchain_pymupdf_coords.evidence.entries import Entry, SourceEntries
from langchain_pymupdf_coords.evidence.html_tree import Node, html_document, node
from langchain_pymupdf_coords.evidence.pictures import PageKey
from langchain_pymupdf_coords.folding import plain_text
from langchain_pymupdf_coords.geometry import BBox, Quad, bbox_of_points
from langchain_pymupdf_coords.pdf.colors import BOX_COLOR, STATUS_COLORS, Color
from langchain_pymupdf_coords.pdf.rendering import Rendered
from langchain_pymupdf_coords.provenance.quotes import QuoteMatch, Region, visible

_NUMBERS_PER_WIDTH = 60  # as high as small print on an ordinary page

_ALIKE = 100

_LINKED = re.compile("https?://", re.IGNORECASE)

_PASSAGE_CHARS = 240

_STATUS_WORDS = {
    "exact": "Exact: word for word",
    "normalized": "Normalized: the same words; case, spacing or marks differ",
    "fuzzy": "Fuzzy: found, not word for word",
    "fragments": "Fragments: parts of the text, joined by an ellipsis",
}

_PRECISION_WORDS = {"word": "", "line": "; whole lines are marked", "box": "; the whole box is marked"}


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands at the top: a title, and a question and an answer, or empty texts."""

    title: str
    question: str
    answer: str


def evidence_markup(
    heading: Heading, sources: Sequence[SourceEntries], pictures: Mapping[PageKey, Rendered | str]
) -> str:
    """Return the document.

    Args:
        heading: Its top.
        sources: What to show.
        pictures: The picture of each page, or a sentence that says why there is none.
    """
    script = _resource("page.js")
    side = node("div", _header(heading), _entry_list(sources), class_="side")
    main = node("main", *(_section(source, pictures) for source in sources))
    body = node("body", side, main, node("script", script))
    return html_document(node("html", _head(heading.title, script), body, lang="en"))


def _head(title: str, script: str) -> Node:
    style = _resource("page.css") + _color_rules()
    # Whatever got into the page all the same: nothing is fetched or sent, and only this script runs.
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return node(
        "head",
        node("meta", charset="utf-8"),
        node("meta", http_equiv="Content-Security-Policy", content=policy),
        node("meta", name="viewport", content="width=device-width, initial-scale=1"),
        node("title", title),
        node("style", style),
    )


def _resource(name: str) -> str:
    return (files("langchain_pymupdf_coords.evidence") / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(content.encode()).digest()).decode('ascii')}'"


def _color_rules() -> str:
    colors: list[tuple[str, Color]] = [*STATUS_COLORS.items(), ("passage", BOX_COLOR)]
    percent = {name: " ".join(f"{part:.0%}" for part in color) for name, color in colors}
    return "\n".join(f".{name} {{ --mark: rgb({color}); }}" for name, color in percent.items())


def _header(heading: Heading) -> Node:
    facts = [("Question", heading.question), ("Answer", heading.answer)]
    rows = [part for name, text in facts if text for part in (node("dt", name), node("dd", text, dir="auto"))]
    return node("header", node("h1", heading.title, dir="auto"), node("dl", *rows) if rows else None)


def _entry_list(sources: Sequence[SourceEntries]) -> Node:
    """Return the list of all entries, each a link to its mark."""
    parts = [part for source in sources for part in _source_list(source)]
    return node("nav", *(parts or [node("p", "There are no documents to show.")]), aria_label="Evidence")


def _source_list(source: SourceEntries) -> Iterator[Node]:
    yield node("h2", source.name, dir="auto")
    start = str(source.entries[0].number)
    yield node("ol", *(_item(source, entry) for entry in source.entries), start=start)


def _item(source: SourceEntries, entry: Entry) -> Node:
    match = entry.match
    text = node("q", entry.text, dir="auto") if match else node("span", _excerpt(entry.text), dir="auto")
    if entry.regions:
        text = node("a", text, id=entry.id, href=f"#{entry.mark_id(entry.regions[0])}")
    found = None
    if match and match.status in ("fuzzy", "fragments"):
        found = node("p", "In the document: ", node("q", match.text, dir="auto"), class_="facts")
    section = node("p", entry.section, class_="facts", dir="auto") if entry.section else None
    facts = node("p", node("span", _status(match), class_="status"), *_pages(source, entry), class_="facts")
    return node("li", text, found, facts, _differences(match), section, class_=entry.kind)


def _differences(match: QuoteMatch | None) -> Node | None:
    """Return what a quote and the page differ in, in words, the quote's and the page's in colours of their own."""
    if match is None or not match.differences:
        return None
    rows = (
        node(
            "li",
            f"{difference.kind.replace('_', ' ')}: the quote has ",
            node("q", visible(difference.quote_text), class_="in-quote", dir="auto"),
            ", the page has ",
            node("q", visible(difference.page_text), class_="on-page", dir="auto"),
        )
        for difference in match.differences
    )
    return node("ul", *rows, class_="facts differences")


def _excerpt(text: str) -> str:
    text = plain_text(text)
    return text if len(text) <= _PASSAGE_CHARS else f"{text[:_PASSAGE_CHARS].rstrip()}…"


def _status(match: QuoteMatch | None) -> str:
    if match is None:
        return "Passage: no quote in it was located"
    words = _STATUS_WORDS[match.status]
    if match.status == "fuzzy" and match.score < _ALIKE:
        words += f", {match.score:.0f} % alike"
    if match.occurrences > 1:
        words += f"; one of {match.occurrences} places in its passage"
    return words + (_PRECISION_WORDS[match.precision] if match.regions else "; its place is not known")


def _pages(source: SourceEntries, entry: Entry) -> Iterator[Node | str]:
    for region in entry.regions:
        yield " · "
        link = f"#{entry.mark_id(region)}"
        yield node("a", source.page_name(region.page), href=link, aria_label=_where(source, entry, region))


def _where(source: SourceEntries, entry: Entry, region: Region) -> str:
    return f"{entry.name} on {source.page_name(region.page)}"


def _section(source: SourceEntries, pictures: Mapping[PageKey, Rendered | str]) -> Node:
    """Return the sheets of a file."""
    about = [source.title, source.source if source.source != source.name else ""]
    return node(
        "section",
        node("h2", source.name, dir="auto"),
        *(node("p", fact, class_="facts", dir="auto") for fact in about if fact),
        node("p", source.digest, class_="facts digest") if source.digest else None,
        *(_sheet(source, page, pictures[source.source, page]) for page in source.pages),
        aria_label=source.name,
    )


def _sheet(source: SourceEntries, page: int, picture: Rendered | str) -> Node:
    name = f"{source.page_name(page)} of {source.name}"
    shown = [(entry, region) for entry in source.entries for region in entry.regions]
    marks = [(entry, region) for entry, region in shown if region.page == page]
    if isinstance(picture, str):
        bbox, image, note = _blank(source, page, marks), None, node("p", picture, class_="note", dir="auto")
    else:
        bbox, image, note = picture.bbox, _image(picture, name), None
    left, top, right, bottom = bbox
    # The coordinates of the drawing are points of the displayed page, and it is as large as the picture.
    drawing = node(
        "svg",
        *(_mark(source, entry, region) for entry, region in marks),
        *_numbers(marks, bbox),
        viewBox=f"{left:g} {top:g} {right - left:.6g} {bottom - top:.6g}",
        preserveAspectRatio="none",
        role="group",
        aria_label=f"Marks on {name}",
    )
    names = ", ".join(entry.name.lower() for entry, _ in marks)
    caption = node("figcaption", f"{source.page_name(page).capitalize()}: {names}", *_link(source, page))
    return node("figure", caption, note, node("div", image, drawing, class_="sheet"))


def _link(source: SourceEntries, page: int) -> list[Node | str]:
    """Return a link to the page of a file on the web; a path would be another one on the reader's machine."""
    if not _LINKED.match(source.source):
        return []
    address = page_link(source.source, page)
    return [" · ", node("a", "open the file at this page", href=address, rel="noreferrer", target="_blank")]


def _image(picture: Rendered, description: str) -> Node:
    data = f"data:{picture.mime_type};base64,{b64encode(picture.data).decode('ascii')}"
    width, height = str(picture.width), str(picture.height)
    return node("img", alt=description, width=width, height=height, src=data)


def _blank(source: SourceEntries, page: int, marks: list[tuple[Entry, Region]]) -> BBox:
    """Return what to show of a page without a picture: as much as is known of its size."""
    if size := source.sizes.get(page):
        return 0.0, 0.0, *size
    points = [point for _, region in marks for quad in region.quads for point in quad]
    return bbox_of_points([(0.0, 0.0), (1.0, 1.0), *points])


def _mark(source: SourceEntries, entry: Entry, region: Region) -> Node:
    return node(
        "a",
        *(node("polygon", points=_points(quad)) for quad in region.quads),
        id=entry.mark_id(region),
        href=f"#{entry.id}",
        class_=f"mark {entry.kind}",
        aria_label=f"{entry.name} on {source.page_name(region.page)}, back to the list",
    )


def _numbers(marks: list[tuple[Entry, Region]], bbox: BBox) -> Iterator[Node]:
    """Yield the numbers of entries, left of the page, where they cover nothing: print has no links."""
    size = (bbox[2] - bbox[0]) / _NUMBERS_PER_WIDTH
    last = -math.inf
    placed = [(max(y for _, y in region.quads[0]), entry) for entry, region in marks if region.quads]
    for bottom, entry in sorted(placed, key=lambda place: place[0]):
        last = max(bottom, last + size)
        x, y = f"{bbox[0] - size / 4:.2f}", f"{last:.2f}"
        yield node("text", str(entry.number), x=x, y=y, font_size=f"{size:.2f}", aria_hidden="true")


def _points(quad: Quad) -> str:
    upper_left, upper_right, lower_left, lower_right = quad
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in (upper_left, upper_right, lower_right, lower_left))
