"""Pictures of pages by their pixels: where the ink of words lies, and what colour lies over it."""

import io
import itertools
import math
import tracemalloc
from collections.abc import Iterator

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray
from PIL import Image

from langchain_pymupdf_coords.errors import GeometryError, PDFOpenError, PDFPasswordError
from langchain_pymupdf_coords.geometry import BBox, bbox_to_quad
from langchain_pymupdf_coords.pdf.colors import Overlay
from langchain_pymupdf_coords.pdf.rendering import ImageFormat, PageRenderer, Rendered
from langchain_pymupdf_coords.sources.files import SourceFile
from tests.support.ink import ink, ink_bbox
from tests.support.pdf_factory import PAGE_TEXT, encrypted_pdf, huge_page_pdf, short_page_tree_pdf, text_pdf

YELLOW = (1.0, 0.9, 0.0)
WIDTH, HEIGHT = 612.0, 792.0
CROPPED = (40.0, 200.0, 560.0, 740.0)


def renderer(pdf: bytes, password: str | None = None) -> PageRenderer:
    return PageRenderer(SourceFile("report.pdf", None, pdf), password=password)


def pixels(rendered: Rendered) -> NDArray[np.uint8]:
    """The picture as rows, columns, RGB."""
    image = Image.open(io.BytesIO(rendered.data))
    assert image.size == (rendered.width, rendered.height)
    return np.asarray(image.convert("RGB"))


def dark(rendered: Rendered) -> NDArray[np.bool_]:
    return pixels(rendered).max(axis=2) < 128


def line_boxes(pdf: bytes) -> list[BBox]:
    """The ink of each line of ``PAGE_TEXT``: rows of pixels with and without ink, no text extraction."""
    page = ink(pdf, dpi=288)
    rows = page.any(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], rows, [False]]).astype(np.int8)))
    bands = [(edges[i] / 4, edges[i + 1] / 4) for i in range(0, len(edges), 2)]
    merged = [bands[0]]
    for top, bottom in bands[1:]:  # the dots of "i" stand alone
        if top - merged[-1][1] < 3:
            merged[-1] = merged[-1][0], bottom
        else:
            merged.append((top, bottom))
    boxes = (ink_bbox(page, (0, top, page.shape[1] / 4, bottom), dpi=288) for top, bottom in merged)
    return [box for box in boxes if box]


def layouts() -> Iterator[tuple[int, BBox | None, tuple[float, float]]]:
    for rotation, crop, origin in itertools.product(
        (0, 90, 180, 270), (None, CROPPED), ((0.0, 0.0), (-120.0, 35.0))
    ):
        box = crop and (crop[0] + origin[0], crop[1] + origin[1], crop[2] + origin[0], crop[3] + origin[1])
        yield rotation, box, origin


@pytest.mark.parametrize("dpi", [72, 150, 233])
@pytest.mark.parametrize(("rotation", "crop", "origin"), list(layouts()))
def test_a_crop_shows_the_words_and_the_highlight_covers_them(
    rotation: int, crop: BBox | None, origin: tuple[float, float], dpi: int
) -> None:
    pdf = text_pdf(rotation=rotation, cropbox=crop, mediabox_origin=origin)
    lines = line_boxes(pdf)
    assert len(lines) == len(PAGE_TEXT)
    line = lines[1]
    clip = (line[0] - 4, line[1] - 4, line[2] + 4, line[3] + 4)
    marked = Overlay((bbox_to_quad(line),), YELLOW, 0.5)
    with renderer(pdf) as pages:
        plain = pages.render(1, clip=clip, dpi=dpi)
        highlighted = pages.render(1, clip=clip, dpi=dpi, overlays=[marked])

    assert plain.scale == pytest.approx(dpi / 72)
    assert plain.bbox == pytest.approx(clip, abs=1.01 / plain.scale)
    assert plain.bbox[2] - plain.bbox[0] == pytest.approx(plain.width / plain.scale)
    # The words, whole, at their place; nothing of the lines above and below.
    x0, y0, x1, y1 = ink_bbox(dark(plain), dpi=dpi)
    left, top = plain.bbox[:2]
    assert (left + x0, top + y0, left + x1, top + y1) == pytest.approx(line, abs=1.5 / plain.scale + 0.25)
    whole = ink(pdf, dpi=dpi)
    a, b = round(left * plain.scale), round(top * plain.scale)
    assert np.array_equal(dark(plain), whole[b : b + plain.height, a : a + plain.width])

    before, after = pixels(plain).astype(int), pixels(highlighted).astype(int)
    tinted = (before - after).max(axis=2) > 40
    expected = np.zeros_like(tinted)
    r0, r1 = ((edge - top) * plain.scale for edge in (line[1], line[3]))
    c0, c1 = ((edge - left) * plain.scale for edge in (line[0], line[2]))
    expected[math.ceil(r0) : math.floor(r1), math.ceil(c0) : math.floor(c1)] = True
    white = (before.min(axis=2) == 255) & expected
    assert white.sum() > 100
    assert np.abs(after[white] - (255, 242, 128)).max() <= 1  # white multiplied by yellow at one half
    assert tinted[expected & (before.max(axis=2) > 200)].all()
    grown = (slice(max(math.floor(r0), 0), math.ceil(r1)), slice(max(math.floor(c0), 0), math.ceil(c1)))
    outside = np.ones_like(tinted)
    outside[grown] = False
    assert (before[outside] == after[outside]).all()
    assert (dark(highlighted) == dark(plain))[dark(plain)].all()  # black text stays black


def test_a_page_without_a_clip_is_the_whole_displayed_page() -> None:
    with renderer(text_pdf(rotation=90, cropbox=CROPPED)) as pages:
        assert pages.page_size(1) == (540.0, 520.0)
        rendered = pages.render(1, dpi=72)
    assert (rendered.width, rendered.height, rendered.page) == (540, 520, 1)
    assert rendered.bbox == (0.0, 0.0, 540.0, 520.0)
    assert not rendered.reduced


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_page_in_larger_units(rotation: int) -> None:
    document = pymupdf.open(stream=text_pdf(rotation=rotation))
    document.xref_set_key(document.page_xref(0), "UserUnit", "2")
    line = tuple(2 * edge for edge in line_boxes(text_pdf(rotation=rotation))[1])
    with renderer(document.tobytes()) as pages:
        assert sorted(pages.page_size(1)) == [1224.0, 1584.0]
        rendered = pages.render(1, clip=line, dpi=72, overlays=[Overlay((bbox_to_quad(line),), YELLOW)])
    assert (rendered.width, rendered.height) == pytest.approx((line[2] - line[0], line[3] - line[1]), abs=2)
    assert ink_bbox(dark(rendered), dpi=72) == pytest.approx((0, 0, rendered.width, rendered.height), abs=2)
    assert (pixels(rendered)[1:-1, 1:-1, 2] <= 129).all()


def test_pages_in_any_order() -> None:
    with renderer(text_pdf(pages=[["First page."], [], ["A much longer line on the third page."]])) as pages:
        widths = [
            np.flatnonzero(dark(pages.render(page, dpi=72)).any(axis=0)).size for page in (1, 2, 3, 1, 1)
        ]
    assert widths[1] == 0 < widths[0] < widths[2]
    assert widths[3:] == [widths[0]] * 2


def test_outlines_run_along_the_quad_and_leave_its_inside_alone() -> None:
    box = (72.0, 72.0, 172.0, 122.0)
    outline = Overlay((bbox_to_quad(box),), (0.0, 0.0, 1.0), 1.0, fill=False)
    with renderer(text_pdf(pages=[[]])) as pages:
        picture = pixels(pages.render(1, dpi=144, overlays=[outline]))
    blue = (picture[..., 0] < 128) & (picture[..., 2] > 128)
    assert ink_bbox(blue, dpi=144) == (71.5, 71.5, 172.5, 122.5)
    assert not blue[146:243, 146:343].any()


def test_overlapping_quads_of_one_overlay_do_not_add_up_and_slanted_ones_stay_slanted() -> None:
    square = bbox_to_quad((100.0, 100.0, 150.0, 150.0))
    shifted = bbox_to_quad((130.0, 100.0, 180.0, 150.0))
    slanted = ((300.0, 100.0), (400.0, 200.0), (250.0, 150.0), (350.0, 250.0))
    marks = [Overlay((square, shifted), YELLOW, 0.5), Overlay((slanted,), (0.0, 0.0, 0.0), 1.0)]
    with renderer(text_pdf(pages=[[]])) as pages:
        picture = pixels(pages.render(1, dpi=72, overlays=marks))
    assert len({tuple(picture[120, x]) for x in range(101, 179)}) == 1
    assert picture[175, 325].max() == 0
    assert picture[110, 390].min() == 255
    assert (picture[90:260, 240:410].max(axis=2) < 128).sum() == pytest.approx(10_000, rel=0.02)


@pytest.mark.parametrize("image_format", ["png", "jpeg", "webp"])
def test_formats(image_format: ImageFormat) -> None:
    with renderer(text_pdf()) as pages:
        reference = pixels(pages.render(1, dpi=72)).astype(int)
        rendered = pages.render(1, dpi=72, image_format=image_format)
    assert rendered.mime_type == f"image/{image_format}"
    assert Image.open(io.BytesIO(rendered.data)).format == image_format.upper()
    assert np.abs(pixels(rendered).astype(int) - reference).mean() < 1


def test_webp_without_pillow_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("langchain_pymupdf_coords.pdf.rendering.find_spec", lambda name: None)
    with renderer(text_pdf()) as pages, pytest.raises(ImportError, match="pip install pillow"):
        pages.render(1, image_format="webp")


@pytest.mark.parametrize("max_pixels", [1, 7, 1000, 123_457])
@pytest.mark.parametrize(
    "clip", [None, (0.0, 0.0, 612.0, 0.02), (100.3, 100.7, 100.31, 792.0), (611.99, 791.99, 612.0, 792.0)]
)
def test_a_picture_stays_within_its_pixels(clip: BBox | None, max_pixels: int) -> None:
    with renderer(text_pdf()) as pages:
        rendered = pages.render(1, clip=clip, dpi=600, max_pixels=max_pixels)
    assert 1 <= rendered.width * rendered.height <= max_pixels
    area = clip or (0.0, 0.0, WIDTH, HEIGHT)
    assert rendered.bbox[0] <= area[0] + 0.01
    assert rendered.bbox[3] >= area[3] - 0.01
    assert rendered.reduced == (rendered.scale < 600 / 72)
    if clip is None:  # no smaller than it must be
        assert rendered.width * rendered.height > 0.8 * max_pixels or max_pixels < 100


def test_a_page_too_large_for_the_engine_is_scaled_down() -> None:
    pdf = huge_page_pdf()
    with pymupdf.open(stream=pdf) as document, pytest.raises(Exception, match=r"[Oo]verly"):
        document[0].get_pixmap(dpi=150)
    tracemalloc.start()
    with renderer(pdf) as pages:
        rendered = pages.render(1, max_pixels=1_000_000)
    assert 990_000 < rendered.width * rendered.height <= 1_000_000
    assert rendered.reduced
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_sides_stay_within_what_a_format_allows() -> None:
    with renderer(text_pdf(pages=[[]], size=(14_400.0, 10.0))) as pages:
        rendered = pages.render(1, dpi=300, image_format="webp")
    assert rendered.width == pytest.approx(16_383, abs=40)
    assert rendered.width <= 16_383


@pytest.mark.parametrize("page", [0, -1, 2])
def test_a_page_that_is_not_there(page: int) -> None:
    with renderer(text_pdf()) as pages, pytest.raises(GeometryError, match=rf"no page {page}, it has 1"):
        pages.render(page)


@pytest.mark.parametrize(
    "clip", [(700.0, 10.0, 800.0, 20.0), (10.0, -20.0, 20.0, 0.0), (9.0, 9.0, 9.0, 20.0)]
)
def test_a_clip_without_area_on_the_page(clip: BBox) -> None:
    with renderer(text_pdf()) as pages, pytest.raises(GeometryError, match=r"page 1 of 'report.pdf'.*612 x"):
        pages.render(1, clip=clip)


def test_a_damaged_page_is_an_error_of_ours() -> None:
    with (
        renderer(short_page_tree_pdf()) as pages,
        pytest.raises(PDFOpenError, match=r"page 3 of 'report.pdf'"),
    ):
        pages.render(3)


def test_an_encrypted_file_needs_its_password() -> None:
    with pytest.raises(PDFPasswordError, match=r"report\.pdf"):
        renderer(encrypted_pdf())
    with renderer(encrypted_pdf(), "user") as pages:
        assert dark(pages.render(1)).any()


def test_annotations_of_the_page_are_shown() -> None:
    document = pymupdf.open(stream=text_pdf())
    document[0].add_highlight_annot(pymupdf.Rect(72, 72, 200, 90))
    with renderer(document.tobytes()) as pages:
        picture = pixels(pages.render(1, clip=(72.0, 72.0, 200.0, 90.0)))
    assert (picture[..., 2] < 128).mean() > 0.8
