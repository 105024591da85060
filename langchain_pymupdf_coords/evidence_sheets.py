"""The pages of an evidence page: pictures, and the marks over them."""

import math
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping

from langchain_pymupdf_coords.conversions import page_link
from langchain_pymupdf_coords.evidence_entries import Entry, SourceEntries
from langchain_pymupdf_coords.evidence_pictures import PageKey
from langchain_pymupdf_coords.geometry import BBox, Quad, bbox_of_points
from langchain_pymupdf_coords.html_tree import Node, node
from langchain_pymupdf_coords.pdf.rendering import Rendered
from langchain_pymupdf_coords.provenance import Region

_NUMBERS_PER_WIDTH = 60  # as high as small print on an ordinary page

_LINKED = re.compile("https?://", re.IGNORECASE)


def source_section(source: SourceEntries, pictures: Mapping[PageKey, Rendered | str]) -> Node:
    """Return the pages of a file, each with the marks of its entries."""
    exhibits = source.source
    about = [exhibits.title, exhibits.source if exhibits.source != source.name else ""]
    return node(
        "section",
        node("h2", source.name, dir="auto"),
        *(node("p", fact, class_="facts", dir="auto") for fact in about if fact),
        node("p", exhibits.digest, class_="facts digest") if exhibits.digest else None,
        *(_figure(source, page, pictures[exhibits.source, page]) for page in exhibits.pages),
        aria_label=source.name,
    )


def _figure(source: SourceEntries, page: int, picture: Rendered | str) -> Node:
    name = f"{source.page_name(page)} of {source.name}"
    shown = [(entry, region) for entry in source.entries for region in entry.exhibit.regions]
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
    if not _LINKED.match(source.source.source):
        return []
    address = page_link(source.source.source, page)
    return [" · ", node("a", "open the file at this page", href=address, rel="noreferrer", target="_blank")]


def _image(picture: Rendered, description: str) -> Node:
    data = f"data:{picture.mime_type};base64,{b64encode(picture.data).decode('ascii')}"
    width, height = str(picture.width), str(picture.height)
    return node("img", alt=description, width=width, height=height, src=data)


def _blank(source: SourceEntries, page: int, marks: list[tuple[Entry, Region]]) -> BBox:
    """Return what to show of a page without a picture: as much as is known of its size."""
    if size := source.source.sizes.get(page):
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
