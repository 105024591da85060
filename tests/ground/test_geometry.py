import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_pymupdf_coords.errors import GeometryError, PyMuPDFCoordsError
from langchain_pymupdf_coords.geometry import (
    PageGeometry,
    bbox_of_points,
    bbox_to_quad,
    clip_bbox,
    expand_bbox,
    quad_to_bbox,
    union_bboxes,
)

COORDINATES = st.floats(-2000, 2000)


@st.composite
def bboxes(draw):
    xs = sorted([draw(COORDINATES), draw(COORDINATES)])
    ys = sorted([draw(COORDINATES), draw(COORDINATES)])
    return xs[0], ys[0], xs[1], ys[1]


def test_bbox_to_quad_gives_corners_row_by_row():
    assert bbox_to_quad((1, 2, 30, 40)) == ((1, 2), (30, 2), (1, 40), (30, 40))


@given(bboxes())
def test_quad_of_bbox_gives_back_bbox(bbox):
    assert quad_to_bbox(bbox_to_quad(bbox)) == bbox


def test_bbox_of_slanted_quad_holds_all_corners():
    assert quad_to_bbox(((10, 5), (50, 0), (12, 25), (52, 20))) == (10, 0, 52, 25)


def test_union_bboxes():
    assert union_bboxes([(10, 20, 30, 40), (5, 30, 8, 60)]) == (5, 20, 30, 60)


@given(st.lists(bboxes(), min_size=1, max_size=5))
def test_union_holds_each_box_and_is_the_smallest(boxes):
    x0, y0, x1, y1 = union_bboxes(boxes)
    assert all(x0 <= b[0] and y0 <= b[1] and b[2] <= x1 and b[3] <= y1 for b in boxes)
    assert x0 in {b[0] for b in boxes}
    assert y1 in {b[3] for b in boxes}


@pytest.mark.parametrize("function", [union_bboxes, bbox_of_points])
def test_nothing_has_no_box(function):
    with pytest.raises(GeometryError, match="no points"):
        function([])


def test_expand_bbox():
    assert expand_bbox((10, 20, 30, 40), 12) == (-2, 8, 42, 52)


@pytest.mark.parametrize("margin", [-1, math.nan])
def test_expand_bbox_refuses_margin(margin):
    with pytest.raises(GeometryError, match="margin"):
        expand_bbox((0, 0, 1, 1), margin)


@pytest.mark.parametrize(
    ("bbox", "clipped"),
    [
        ((-5, -5, 50, 60), (0, 0, 50, 60)),
        ((10, 20, 500, 900), (10, 20, 200, 300)),
        ((300, 20, 400, 30), (200, 20, 200, 30)),
        ((10, 20, 30, 40), (10, 20, 30, 40)),
    ],
)
def test_clip_bbox(bbox, clipped):
    assert clip_bbox(bbox, (200, 300)) == clipped


def test_page_shows_the_part_of_the_cropbox_inside_the_mediabox():
    page = PageGeometry((10, 20, 310, 420), (50, 60, 250, 500), 0)
    assert page.cropbox == (50, 60, 250, 420)
    assert page.size == (200, 360)


@pytest.mark.parametrize(
    ("rotation", "size"), [(0, (200, 360)), (90, (360, 200)), (180, (200, 360)), (270, (360, 200))]
)
def test_size_is_turned_and_scaled(rotation, size):
    page = PageGeometry((0, 0, 300, 400), (50, 20, 250, 380), rotation, user_unit=2.5)
    assert page.size == (size[0] * 2.5, size[1] * 2.5)


def test_boxes_may_name_any_two_opposite_corners():
    page = PageGeometry((300, 400, 0, 0), (200, 50, 100, 300), 0)
    assert page.mediabox == (0, 0, 300, 400)
    assert page.cropbox == (100, 50, 200, 300)


@pytest.mark.parametrize(("given_rotation", "kept"), [(-90, 270), (450, 90), (360, 0), (-720, 0)])
def test_rotation_is_normalised(given_rotation, kept):
    page = PageGeometry((0, 0, 1, 1), (0, 0, 1, 1), given_rotation)
    assert page.rotation == kept
    assert page == PageGeometry((0, 0, 1, 1), (0, 0, 1, 1), kept)


MEDIABOX = (0.0, 0.0, 300.0, 400.0)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((MEDIABOX, MEDIABOX, 45), "rotation"),
        ((MEDIABOX, MEDIABOX, math.nan), "rotation"),
        ((MEDIABOX, MEDIABOX, 0, 0), "user unit"),
        ((MEDIABOX, MEDIABOX, 0, -1), "user unit"),
        ((MEDIABOX, MEDIABOX, 0, math.inf), "user unit"),
        ((MEDIABOX, MEDIABOX, 0, math.nan), "user unit"),
        (((0, 0, math.inf, 1), MEDIABOX, 0), "MediaBox"),
        ((MEDIABOX, (0, math.nan, 1, 1), 0), "CropBox"),
        ((MEDIABOX, (500, 500, 600, 600), 0), "CropBox"),
        ((MEDIABOX, (300, 0, 400, 400), 0), "CropBox"),
        (((0, 0, 0, 0), (0, 0, 0, 0), 0), "CropBox"),
    ],
)
def test_impossible_pages_are_refused_by_name(arguments, named):
    with pytest.raises(GeometryError, match=named) as caught:
        PageGeometry(*arguments[:3], **dict(zip(["user_unit"], arguments[3:], strict=False)))
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, PyMuPDFCoordsError)
