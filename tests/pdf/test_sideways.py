"""Text that is turned on an upright page is in the chunks, with rectangles around its ink."""

import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import LineBox, QuoteLocator
from langchain_pymupdf_coords.geometry import BBox, quad_to_bbox, union_bboxes
from tests.support.ink import ink, ink_bbox
from tests.support.pdf_turned import (
    TURNED_CAPTION,
    TURNED_LINES,
    TURNED_TABLE,
    turned_paragraph_pdf,
    turned_table_pdf,
)
from tests.support.read_once import parsed

TOLERANCE = 2.5
GAP = 4.0


def load(pdf: bytes) -> Document:
    [document] = parsed(pdf, ocr="never")
    return document


def place(document: Document, quote: str) -> BBox:
    match = QuoteLocator().locate(document, quote)
    assert match is not None
    assert match.precision != "box"
    return union_bboxes(quad_to_bbox(quad) for region in match.regions for quad in region.quads)


def is_around_ink(pdf: bytes, bbox: BBox) -> bool:
    """Whether a rectangle ends where its ink does, and the ink where the rectangle does."""
    x0, y0, x1, y1 = bbox
    found = ink_bbox(ink(pdf), (x0 - GAP, y0 - GAP, x1 + GAP, y1 + GAP))
    return found == pytest.approx(bbox, abs=TOLERANCE)


@pytest.mark.parametrize("rotate", [90, 180, 270])
def test_lines_of_a_turned_paragraph_have_their_places(rotate: int) -> None:
    pdf = turned_paragraph_pdf(rotate=rotate)
    document = load(pdf)
    for number, line in enumerate(TURNED_LINES):
        bbox = place(document, line)
        assert is_around_ink(pdf, bbox)
        x0, y0, x1, y1 = bbox
        assert (y1 - y0 > 10 * (x1 - x0)) is (rotate != 180)
        position = {90: x1 - 350, 180: 600 - y0, 270: 450 - x0}[rotate]
        assert position == pytest.approx(16 * number, abs=4)


def test_a_turned_table_caption_has_its_place() -> None:
    pdf = turned_table_pdf(rotate=90)
    assert is_around_ink(pdf, place(load(pdf), TURNED_CAPTION))


@pytest.mark.parametrize("rotate", [90, 270])
def test_cells_of_a_turned_table_have_their_places(rotate: int) -> None:
    pdf = turned_table_pdf(rotate=rotate)
    document = load(pdf)
    lines = [
        (document.page_content[slice(*line.span)].strip("|-*\n "), line.bbox)
        for line in LineBox.from_document(document)
    ]
    for row in TURNED_TABLE[1:]:
        for cell in row:
            [bbox] = [bbox for text, bbox in lines if text == cell]
            assert is_around_ink(pdf, bbox)


def test_turned_text_is_not_lost_between_upright_text() -> None:
    document = load(turned_paragraph_pdf(rotate=90))
    for line in TURNED_LINES:
        assert document.page_content.count(line) == 1
