"""The displayed frame: each page upright, cut to its CropBox, origin at the top left."""

import pymupdf

from langchain_pymupdf_coords.conversions import from_pdf_user_space, to_pdf_user_space
from langchain_pymupdf_coords.geometry import BBox, PageGeometry, bbox_of_points, bbox_to_quad

_SAME_POINT = 0.01


def page_geometry(page: pymupdf.Page) -> PageGeometry:
    """Return how a page of a PDF is cut out of PDF user space and turned.

    Raises:
        GeometryError: The CropBox lies outside the MediaBox.
    """
    media, crop = page.mediabox, page.cropbox
    # PyMuPDF gives the CropBox with y running down from the top of the MediaBox.
    bottom_up = (crop.x0, media.y1 - crop.y1, crop.x1, media.y1 - crop.y0)
    return PageGeometry(_bbox(media), bottom_up, page.rotation, user_unit=_user_unit(page))


def _user_unit(page: pymupdf.Page) -> float:
    kind, value = page.parent.xref_get_key(page.xref, "UserUnit")
    return float(value) if kind in ("int", "real", "float") and float(value) > 0 else 1.0


def is_upright(page: pymupdf.Page) -> bool:
    """Tell whether the page's own coordinates are those of the displayed page already."""
    geometry = page_geometry(page)
    return not geometry.rotation and _same(geometry.mediabox, geometry.cropbox)


def bring_upright(page: pymupdf.Page) -> None:
    """Rewrite a page of a private document so that its own coordinates are those of the displayed page.

    Afterwards /Rotate is 0, and MediaBox and CropBox are what the CropBox showed before, so that the engine
    cannot read what the crop hides. The engine's ``remove_rotation`` alone leaves the CropBox where it was,
    over another part of the page.

    Raises:
        GeometryError: The CropBox lies outside the MediaBox.
    """
    geometry = page_geometry(page)
    _set_boxes(page, geometry.mediabox)
    whole = PageGeometry(
        geometry.mediabox, geometry.mediabox, geometry.rotation, user_unit=geometry.user_unit
    )
    # The displayed page, in the displayed frame of a page that shows its whole MediaBox.
    corners = to_pdf_user_space(bbox_to_quad((0.0, 0.0, *geometry.size)), geometry)
    shown = from_pdf_user_space(corners, whole)
    page.remove_rotation()
    media = _bbox(page.mediabox)
    turned = PageGeometry(media, media, 0, user_unit=geometry.user_unit)
    _set_boxes(page, bbox_of_points(to_pdf_user_space(shown, turned)))


def _bbox(rect: pymupdf.Rect) -> BBox:
    return rect.x0, rect.y0, rect.x1, rect.y1


def _same(a: BBox, b: BBox) -> bool:
    return all(abs(x - y) < _SAME_POINT for x, y in zip(a, b, strict=True))


def _set_boxes(page: pymupdf.Page, bbox: BBox) -> None:
    """Set MediaBox and CropBox, both on the page itself: it may inherit either."""
    value = "[" + " ".join(f"{x:.5f}" for x in bbox) + "]"
    for key in ("MediaBox", "CropBox"):
        page.parent.xref_set_key(page.xref, key, value)
