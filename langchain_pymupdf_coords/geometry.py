"""Points, boxes, quads and pages.

Unless a name says otherwise, coordinates are in the *displayed frame*: the page as a viewer shows it, after
/Rotate and CropBox, origin at the top left, x to the right, y down, in points (1/72 inch). A ``BBox`` is
``(x0, y0, x1, y1)`` with ``x0 <= x1`` and ``y0 <= y1``. A ``Quad`` is four points in the order upper left,
upper right, lower left, lower right. Pages count from 1.
"""

import math
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass

from langchain_pymupdf_coords.errors import GeometryError

Point = tuple[float, float]

BBox = tuple[float, float, float, float]

Quad = tuple[Point, Point, Point, Point]

PageSize = tuple[float, float]


def bbox_to_quad(bbox: BBox) -> Quad:
    """Return the four corners of a box: upper left, upper right, lower left, lower right.

    Args:
        bbox: The box.
    """
    x0, y0, x1, y1 = bbox
    return (x0, y0), (x1, y0), (x0, y1), (x1, y1)


def quad_to_bbox(quad: Quad) -> BBox:
    """Return the smallest box around a quad.

    Args:
        quad: Four corners, in any order.
    """
    return bbox_of_points(quad)


def bbox_of_points(points: Iterable[Point]) -> BBox:
    """Return the smallest box around some points.

    Args:
        points: Points of one page; at least one.

    Raises:
        GeometryError: There are no points.
    """
    corners = list(points)
    if not corners:
        raise GeometryError("no points, so no box around them: pass at least one point")
    xs = [x for x, _ in corners]
    ys = [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def union_bboxes(bboxes: Iterable[BBox]) -> BBox:
    """Return the smallest box around some boxes.

    Args:
        bboxes: Boxes of one page; at least one.

    Raises:
        GeometryError: There are no boxes.
    """
    return bbox_of_points(corner for x0, y0, x1, y1 in bboxes for corner in ((x0, y0), (x1, y1)))


def expand_bbox(bbox: BBox, margin: float) -> BBox:
    """Return a box that is larger on each side; it may leave its page.

    Args:
        bbox: The box.
        margin: Points to add on each side.

    Raises:
        GeometryError: The margin is negative or not a number.
    """
    if not margin >= 0:
        raise GeometryError(f"margin must be 0 or more points, not {margin!r}")
    x0, y0, x1, y1 = bbox
    return x0 - margin, y0 - margin, x1 + margin, y1 + margin


def clip_bbox(bbox: BBox, size: PageSize) -> BBox:
    """Return the part of a box that lies on its page.

    A box that lies wholly outside the page becomes one without area, on the nearest edge.

    Args:
        bbox: The box.
        size: Width and height of the displayed page in points.
    """
    width, height = size
    x0, y0, x1, y1 = bbox
    return _clamp(x0, width), _clamp(y0, height), _clamp(x1, width), _clamp(y1, height)


def _clamp(value: float, end: float) -> float:
    return min(max(value, 0.0), end)


@dataclass(frozen=True, slots=True)
class PageGeometry:
    """How a page is cut out of PDF user space, turned and scaled to become the displayed page.

    The boxes are in PDF user space: origin at the bottom left of no box in particular, y up, in user units.
    They may be given by any two opposite corners (ISO 32000-1, 7.9.5) and are kept ordered. What a page
    shows is the part of the CropBox inside the MediaBox (14.11.2.1), so ``cropbox`` is kept cut to it.

    Attributes:
        mediabox: The MediaBox, ``(left, bottom, right, top)``.
        cropbox: The CropBox in the same form; the MediaBox for a page without one.
        rotation: Clockwise turn of the displayed page in degrees, any multiple of 90; kept as 0, 90, 180
            or 270 (7.7.3.3, table 30).
        user_unit: Points (1/72 inch) per user unit (table 30). PyMuPDF and PDF.js both scale the displayed
            page by it, and so does ``size``.

    Raises:
        GeometryError: The rotation is no multiple of 90, a number is not finite, the user unit is not
            positive, or the CropBox leaves nothing of the MediaBox.
    """

    mediabox: BBox
    cropbox: BBox
    rotation: int
    _: KW_ONLY
    user_unit: float = 1.0

    def __post_init__(self) -> None:
        mediabox = _ordered("MediaBox", self.mediabox)
        visible = _intersection(_ordered("CropBox", self.cropbox), mediabox)
        if not (visible[0] < visible[2] and visible[1] < visible[3]):
            raise GeometryError(
                f"CropBox {self.cropbox} leaves nothing of MediaBox {self.mediabox}: "
                "pass the MediaBox as CropBox to show the whole page"
            )
        if self.rotation % 90:
            raise GeometryError(f"rotation must be a multiple of 90 degrees, not {self.rotation!r}")
        if not 0 < self.user_unit < math.inf:
            raise GeometryError(f"user unit must be a positive number, not {self.user_unit!r}")
        object.__setattr__(self, "mediabox", mediabox)
        object.__setattr__(self, "cropbox", visible)
        object.__setattr__(self, "rotation", self.rotation % 360)

    @property
    def size(self) -> PageSize:
        """Width and height of the displayed page in points, after /Rotate, CropBox and UserUnit."""
        left, bottom, right, top = self.cropbox
        width, height = (right - left) * self.user_unit, (top - bottom) * self.user_unit
        return (height, width) if self.rotation in (90, 270) else (width, height)


def _ordered(name: str, box: BBox) -> BBox:
    if not all(map(math.isfinite, box)):
        raise GeometryError(f"{name} must be four finite numbers, not {box}")
    x0, y0, x1, y1 = box
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _intersection(a: BBox, b: BBox) -> BBox:
    return max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])
