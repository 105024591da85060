"""Conversions out of the displayed frame, for PDF writers, viewers and web front ends, and back.

The displayed frame is that of ``geometry``: the page as shown, origin at the top left, y down, in points.
Everything that leaves it is converted here and nowhere else.
"""

import math
import re
from collections.abc import Callable, Sequence
from pathlib import PureWindowsPath
from typing import Any, overload
from urllib.parse import quote

from langchain_pymupdf_coords.errors import GeometryError
from langchain_pymupdf_coords.geometry import (
    BBox,
    PageGeometry,
    PageSize,
    Point,
    Quad,
    bbox_of_points,
    quad_to_bbox,
)

# A link is made from untrusted metadata: of URLs, only the kinds that fetch a file are kept as URLs, so that
# "javascript://…" becomes a harmless relative path.
_FILE_URL = re.compile(r"(?:https?|file|s3|gs)://", re.IGNORECASE)

_WINDOWS_PATH = re.compile(r"[A-Za-z]:[\\/]")


def bbox_to_fractions(bbox: BBox, size: PageSize) -> BBox:
    """Return a box as fractions of the page: ``(0, 0, 1, 1)`` is the whole displayed page, y down.

    Args:
        bbox: Box in the displayed frame, in points. What lies outside the page stays outside 0 to 1.
        size: Width and height of the displayed page in points.

    Raises:
        GeometryError: The page has no area.
    """
    x0, y0, x1, y1 = bbox
    width, height = _checked_size(size)
    return x0 / width, y0 / height, x1 / width, y1 / height


def quad_to_fractions(quad: Quad, size: PageSize) -> Quad:
    """Return a quad as fractions of the page, corners in the same order; see ``bbox_to_fractions``.

    Args:
        quad: Quad in the displayed frame, in points.
        size: Width and height of the displayed page in points.

    Raises:
        GeometryError: The page has no area.
    """
    width, height = _checked_size(size)
    return _each_corner(quad, lambda point: (point[0] / width, point[1] / height))


@overload
def to_pdf_user_space(shape: Point, geometry: PageGeometry) -> Point: ...


@overload
def to_pdf_user_space(shape: Quad, geometry: PageGeometry) -> Quad: ...


def to_pdf_user_space(shape: Point | Quad, geometry: PageGeometry) -> Point | Quad:
    """Return a point or quad of the displayed frame in PDF user space (bottom-left origin, y up, user units).

    The corners of a quad keep their order: the first is the one that a reader of the displayed page sees at
    the upper left, which on a turned page is another corner in user space.

    Args:
        shape: Point or quad in the displayed frame, in points.
        geometry: The page.
    """
    if len(shape) == 2:
        return _to_user(shape, geometry)
    return _each_corner(shape, lambda point: _to_user(point, geometry))


@overload
def from_pdf_user_space(shape: Point, geometry: PageGeometry) -> Point: ...


@overload
def from_pdf_user_space(shape: Quad, geometry: PageGeometry) -> Quad: ...


def from_pdf_user_space(shape: Point | Quad, geometry: PageGeometry) -> Point | Quad:
    """Return a point or quad of PDF user space in the displayed frame, in points.

    It undoes ``to_pdf_user_space``.

    Args:
        shape: Point or quad in PDF user space (bottom-left origin, y up, user units).
        geometry: The page.
    """
    if len(shape) == 2:
        return _from_user(shape, geometry)
    return _each_corner(shape, lambda point: _from_user(point, geometry))


def quad_points(quads: Sequence[Quad], geometry: PageGeometry) -> list[float]:
    """Return the numbers of a /QuadPoints array: eight per quad, in PDF user space.

    ISO 32000-1, 12.5.6.10 asks for the corners counterclockwise. Acrobat writes upper left, upper right,
    lower left, lower right; viewers (Acrobat, PDF.js, MuPDF, Ghostscript) expect that and draw the order of
    the standard wrongly, so Acrobat's order is the one returned.

    Args:
        quads: Quads of one page in the displayed frame, in points.
        geometry: The page.
    """
    return [number for quad in quads for point in to_pdf_user_space(quad, geometry) for number in point]


def highlight_position(page: int, quads: Sequence[Quad], size: PageSize) -> dict[str, Any]:
    """Return quads as the ``ScaledPosition`` of react-pdf-highlighter and of its successors.

    Each rectangle is ``x1, y1, x2, y2`` with origin at the top left, beside the ``width`` and ``height`` of
    the page in the same unit, here points; the viewer scales by their ratio. ``pageNumber`` stands in the
    position (react-pdf-highlighter) and in each rectangle (react-pdf-highlighter-extended).

    Args:
        page: Page number, from 1.
        quads: Quads of that page in the displayed frame, in points; at least one.
        size: Width and height of the displayed page in points.

    Raises:
        GeometryError: There are no quads, or the page has no area.
    """
    width, height = _checked_size(size)

    def scaled(bbox: BBox) -> dict[str, float]:
        x1, y1, x2, y2 = (round(value, 2) for value in bbox)
        return {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "width": width, "height": height, "pageNumber": page}

    return {
        "boundingRect": scaled(bbox_of_points(point for quad in quads for point in quad)),
        "rects": [scaled(quad_to_bbox(quad)) for quad in quads],
        "pageNumber": page,
        "usePdfCoordinates": False,
    }


def page_link(source: str, page: int, *, bbox: BBox | None = None) -> str:
    """Return a link that opens a PDF at a page: ``report.pdf#page=3``.

    The fragment follows RFC 8118, section 3. ``viewrect`` counts from the top left of the visible page
    whatever its rotation, which is the displayed frame; viewers that do not know it (PDF.js) open the page.
    ``zoom`` is not used, since PDF.js takes its offsets from the bottom left and others from the top left.

    Args:
        source: Path or URL (http, https, file, s3, gs) as in the metadata; a fragment of a URL is replaced.
            Anything else, ``javascript:`` among it, is quoted as a relative path. The result holds no
            quotation mark, blank or angle bracket, but may hold ``&``: escape it in HTML.
        page: Page number, from 1.
        bbox: Part of the page to show, in the displayed frame, in points; rounded outward to whole points.
    """
    link = f"{_quoted(source)}#page={page}"
    if bbox is None:
        return link
    left, top = math.floor(bbox[0]), math.floor(bbox[1])
    return f"{link}&viewrect={left},{top},{math.ceil(bbox[2]) - left},{math.ceil(bbox[3]) - top}"


def _quoted(source: str) -> str:
    source = re.sub(r"[\ud800-\udfff]", "\ufffd", source)
    if _FILE_URL.match(source):
        return quote(source.partition("#")[0], safe="%/:?&=+,;@!$()*~[]")
    if _WINDOWS_PATH.match(source):
        return PureWindowsPath(source).as_uri()
    # "//host/report.pdf" is a path here but would be another host in a link.
    return quote(re.sub(r"^/+", "/", source), safe="/")


def _each_corner(quad: Quad, convert: Callable[[Point], Point]) -> Quad:
    a, b, c, d = quad
    return convert(a), convert(b), convert(c), convert(d)


def _checked_size(size: PageSize) -> PageSize:
    width, height = size
    if not (width > 0 and height > 0):
        raise GeometryError(f"page size must be two positive numbers of points, not {size}")
    return size


def _to_user(point: Point, geometry: PageGeometry) -> Point:
    x, y = point[0] / geometry.user_unit, point[1] / geometry.user_unit
    left, bottom, right, top = geometry.cropbox
    match geometry.rotation:
        case 0:
            return left + x, top - y
        case 90:
            return left + y, bottom + x
        case 180:
            return right - x, bottom + y
        case _:
            return right - y, top - x


def _from_user(point: Point, geometry: PageGeometry) -> Point:
    unit = geometry.user_unit
    left, bottom, right, top = geometry.cropbox
    match geometry.rotation:
        case 0:
            x, y = point[0] - left, top - point[1]
        case 90:
            x, y = point[1] - bottom, point[0] - left
        case 180:
            x, y = right - point[0], point[1] - bottom
        case _:
            x, y = top - point[1], right - point[0]
    return x * unit, y * unit
