import itertools
import re

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from langchain_pymupdf_coords.conversions import (
    bbox_to_fractions,
    from_pdf_user_space,
    highlight_position,
    page_link,
    quad_points,
    quad_to_fractions,
    to_pdf_user_space,
)
from langchain_pymupdf_coords.errors import GeometryError
from langchain_pymupdf_coords.geometry import PageGeometry, bbox_to_quad, quad_to_bbox

ROTATIONS = [0, 90, 180, 270]
# MediaBox with its origin at zero and elsewhere; CropBox inside, equal to it, and reaching out of it.
BOXES = {
    "whole": ((0, 0, 300, 400), (0, 0, 300, 400)),
    "cropped": ((0, 0, 300, 400), (40, 30, 260, 350)),
    "moved": ((-100, 200, 200, 600), (-100, 200, 200, 600)),
    "moved-cropped": ((-100, 200, 200, 600), (-60, 230, 160, 550)),
    "crop-sticks-out": ((10, 20, 310, 420), (50, 60, 250, 500)),
}


@st.composite
def pages(draw):
    left, bottom = draw(st.floats(-500, 500)), draw(st.floats(-500, 500))
    width, height = draw(st.floats(10, 1000)), draw(st.floats(10, 1000))
    insets = [draw(st.floats(-0.2, 0.4)) for _ in range(4)]
    cropbox = (
        left + insets[0] * width,
        bottom + insets[1] * height,
        left + width - insets[2] * width,
        bottom + height - insets[3] * height,
    )
    mediabox = (left, bottom, left + width, bottom + height)
    return PageGeometry(
        mediabox, cropbox, draw(st.sampled_from(ROTATIONS)), user_unit=draw(st.floats(0.1, 10))
    )


FRACTIONS = st.floats(0, 1)


@given(pages(), FRACTIONS, FRACTIONS)
def test_user_space_and_back(page, fx, fy):
    width, height = page.size
    point = (fx * width, fy * height)
    x, y = to_pdf_user_space(point, page)
    left, bottom, right, top = page.cropbox
    assert left - 1e-6 <= x <= right + 1e-6
    assert bottom - 1e-6 <= y <= top + 1e-6
    assert from_pdf_user_space((x, y), page) == pytest.approx(point, abs=1e-6)


@given(pages())
def test_corner_that_a_reader_sees_at_the_upper_left(page):
    left, bottom, right, top = page.cropbox
    corner = {0: (left, top), 90: (left, bottom), 180: (right, bottom), 270: (right, top)}[page.rotation]
    assert to_pdf_user_space((0.0, 0.0), page) == pytest.approx(corner, abs=1e-6)


@given(pages(), FRACTIONS, FRACTIONS)
def test_conversion_turns_and_scales_but_never_mirrors(page, fx, fy):
    width, height = page.size
    x, y = fx * width, fy * height
    (ax, ay), (bx, by), (cx, cy), _ = to_pdf_user_space(bbox_to_quad((x, y, x + 10, y + 10)), page)
    side = 10 / page.user_unit
    # The frame has y down, user space y up: one mirror, so right times down changes its sign.
    assert (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) == pytest.approx(-side * side, rel=1e-4)


@given(pages(), FRACTIONS, FRACTIONS)
def test_fractions_scale_to_any_size(page, fx, fy):
    width, height = page.size
    bbox = (0.0, 0.0, fx * width, fy * height)
    assert bbox_to_fractions(bbox, page.size) == pytest.approx((0, 0, fx, fy))
    quad = quad_to_fractions(bbox_to_quad(bbox), page.size)
    assert quad == bbox_to_quad(bbox_to_fractions(bbox, page.size))


def test_fractions_of_a_known_box():
    assert bbox_to_fractions((50, 80, 100, 200), (200, 400)) == (0.25, 0.2, 0.5, 0.5)
    assert quad_to_fractions(((0, 40), (100, 0), (0, 400), (200, 300)), (200, 400)) == (
        (0, 0.1),
        (0.5, 0),
        (0, 1),
        (1, 0.75),
    )


@pytest.mark.parametrize("size", [(0, 100), (100, 0), (-1, 100), (float("nan"), 1)])
def test_page_without_area_is_refused(size):
    with pytest.raises(GeometryError, match="page size"):
        bbox_to_fractions((0, 0, 1, 1), size)


def pdf_with(mediabox, cropbox, rotation, user_unit, ink):
    """A page whose only content is a black rectangle at ``ink``, a box in PDF user space."""
    document = pymupdf.open()
    page = document.new_page()
    for key, box in (("MediaBox", mediabox), ("CropBox", cropbox)):
        document.xref_set_key(page.xref, key, "[" + " ".join(map(str, box)) + "]")
    document.xref_set_key(page.xref, "Rotate", str(rotation))
    document.xref_set_key(page.xref, "UserUnit", str(user_unit))
    contents = document.get_new_xref()
    document.update_object(contents, "<<>>")
    x0, y0, x1, y1 = ink
    document.update_stream(contents, f"0 g {x0} {y0} {x1 - x0} {y1 - y0} re f".encode())
    document.xref_set_key(page.xref, "Contents", f"{contents} 0 R")
    return pymupdf.open(stream=document.tobytes())


def ink_box(page):
    """Box of the dark pixels of a page rendered at 72 dpi, so in points of the displayed frame."""
    pixmap = page.get_pixmap(colorspace=pymupdf.csGRAY)
    image = Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples)
    return image.point(lambda gray: 255 * (gray < 128)).getbbox()


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("boxes", BOXES.values(), ids=BOXES)
@pytest.mark.parametrize("user_unit", [1.0, 2.5])
def test_frame_is_where_the_rendering_has_the_ink(rotation, boxes, user_unit):
    mediabox, cropbox = boxes
    geometry = PageGeometry(mediabox, cropbox, rotation, user_unit=user_unit)
    left, bottom, _, _ = geometry.cropbox
    ink = (left + 30, bottom + 50, left + 100, bottom + 70)
    page = pdf_with(mediabox, cropbox, rotation, user_unit, ink)[0]

    assert geometry.size == pytest.approx((page.rect.width, page.rect.height))
    quad = from_pdf_user_space(bbox_to_quad(ink), geometry)
    assert ink_box(page) == pytest.approx(quad_to_bbox(quad), abs=1)


@pytest.mark.parametrize("rotation", ROTATIONS)
# PyMuPDF's matrices neglect UserUnit and what the MediaBox cuts off; the rendering above covers those.
@pytest.mark.parametrize("boxes", [BOXES[name] for name in BOXES if name != "crop-sticks-out"])
def test_agrees_with_matrices_of_pymupdf(rotation, boxes):
    mediabox, cropbox = boxes
    geometry = PageGeometry(mediabox, cropbox, rotation)
    page = pdf_with(mediabox, cropbox, rotation, 1, (0, 0, 1, 1))[0]
    turn = page.rotation_matrix
    page.set_rotation(0)
    to_frame = page.transformation_matrix * turn
    for point in itertools.product((-37.0, 0.0, 111.0), (0.0, 250.0, 432.5)):
        expected = tuple(pymupdf.Point(point) * to_frame)
        assert from_pdf_user_space(point, geometry) == pytest.approx(expected, abs=1e-3)
        assert to_pdf_user_space(expected, geometry) == pytest.approx(point, abs=1e-3)
    assert tuple(page.cropbox_position) == pytest.approx((cropbox[0], mediabox[3] - cropbox[3]))


def stored_quad_points(annotation):
    kind, value = annotation.parent.parent.xref_get_key(annotation.xref, "QuadPoints")
    assert kind == "array"
    return [float(number) for number in re.findall(r"-?[\d.]+", value)]


@pytest.mark.parametrize("boxes", [BOXES["whole"], BOXES["moved-cropped"]])
def test_quad_points_are_those_of_a_highlight_by_pymupdf(boxes):
    mediabox, cropbox = boxes
    page = pdf_with(mediabox, cropbox, 0, 1, (0, 0, 1, 1))[0]
    quads = [bbox_to_quad((20, 30, 120, 42)), bbox_to_quad((20, 44, 80, 56))]
    annotation = page.add_highlight_annot(quads=[pymupdf.Quad(*quad) for quad in quads])
    expected = quad_points(quads, PageGeometry(mediabox, cropbox, 0))
    assert stored_quad_points(annotation) == pytest.approx(expected, abs=0.01)


def test_quad_points_go_upper_left_upper_right_lower_left_lower_right():
    geometry = PageGeometry((0, 0, 300, 400), (0, 0, 300, 400), 0)
    assert quad_points([bbox_to_quad((10, 20, 60, 30))], geometry) == [10, 380, 60, 380, 10, 370, 60, 370]


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("boxes", BOXES.values(), ids=BOXES)
@pytest.mark.parametrize("user_unit", [1.0, 2.5])
def test_highlight_with_these_quad_points_covers_the_ink(rotation, boxes, user_unit):
    mediabox, cropbox = boxes
    geometry = PageGeometry(mediabox, cropbox, rotation, user_unit=user_unit)
    bbox = (40.0, 60.0, 100.0, 75.0)
    numbers = quad_points([bbox_to_quad(bbox)], geometry)
    document = pdf_with(mediabox, cropbox, rotation, user_unit, (-9999, -9999, -9998, -9998))
    page = document[0]
    xs, ys = numbers[::2], numbers[1::2]
    highlight = document.get_new_xref()
    document.update_object(
        highlight,
        f"<</Type/Annot/Subtype/Highlight/F 4/C[0 0 0]/Rect[{min(xs)} {min(ys)} {max(xs)} {max(ys)}]"
        f"/QuadPoints[{' '.join(map(str, numbers))}]>>",
    )
    document.xref_set_key(page.xref, "Annots", f"[{highlight} 0 R]")
    # No appearance is given, so the renderer must draw the annotation from the quad points.
    page = pymupdf.open(stream=document.tobytes())[0]
    covered = ink_box(page)
    x0, y0, x1, y1 = bbox
    assert covered[0] <= x0 + 1
    assert covered[1] <= y0 + 1
    assert covered[2] >= x1 - 1
    assert covered[3] >= y1 - 1
    assert (covered[2] - covered[0]) * (covered[3] - covered[1]) < 2 * (x1 - x0) * (y1 - y0)


def test_highlight_position_has_the_shape_that_the_viewer_reads():
    quads = [bbox_to_quad((100, 10, 190, 20)), bbox_to_quad((10, 22, 80, 32))]
    page = {"width": 200, "height": 300, "pageNumber": 3}
    assert highlight_position(3, quads, (200, 300)) == {
        "boundingRect": {"x1": 10, "y1": 10, "x2": 190, "y2": 32, **page},
        "rects": [
            {"x1": 100, "y1": 10, "x2": 190, "y2": 20, **page},
            {"x1": 10, "y1": 22, "x2": 80, "y2": 32, **page},
        ],
        "pageNumber": 3,
        "usePdfCoordinates": False,
    }


def test_highlight_position_of_nothing_is_refused():
    with pytest.raises(GeometryError, match="no points"):
        highlight_position(1, [], (200, 300))


@pytest.mark.parametrize(
    ("source", "link"),
    [
        ("report.pdf", "report.pdf#page=3"),
        ("/data/my report #1 (50%).pdf", "/data/my%20report%20%231%20%2850%25%29.pdf#page=3"),
        ("Bericht für 2024.pdf", "Bericht%20f%C3%BCr%202024.pdf#page=3"),
        ("https://example.org/a%20b.pdf?x=1&y=2#page=9", "https://example.org/a%20b.pdf?x=1&y=2#page=3"),
        ("HTTPS://example.org/a b.pdf", "HTTPS://example.org/a%20b.pdf#page=3"),
        ("file:///data/a.pdf", "file:///data/a.pdf#page=3"),
        ("s3://bucket/a.pdf", "s3://bucket/a.pdf#page=3"),
        ("C:\\Files\\a b.pdf", "file:///C:/Files/a%20b.pdf#page=3"),
        ("chapter 1: start.pdf", "chapter%201%3A%20start.pdf#page=3"),
        ("//evil.example/a.pdf", "/evil.example/a.pdf#page=3"),
        ("javascript:alert(1)", "javascript%3Aalert%281%29#page=3"),
        ("javascript://%0aalert(1)", "javascript%3A//%250aalert%281%29#page=3"),
        ("data:text/html,<b>", "data%3Atext/html%2C%3Cb%3E#page=3"),
        ('https://example.org/"><script>', "https://example.org/%22%3E%3Cscript%3E#page=3"),
        ("a\ud800\x00\n.pdf", "a%EF%BF%BD%00%0A.pdf#page=3"),
    ],
)
def test_page_link(source, link):
    assert page_link(source, 3) == link


def test_page_link_with_view():
    assert page_link("a.pdf", 3, bbox=(10.4, 20.6, 30.2, 40.8)) == "a.pdf#page=3&viewrect=10,20,21,21"
