"""Text of charts, and text that is turned on an upright page, is in the chunks and has its place."""

import pytest
from langchain_core.documents import Document
from langchain_text_splitters import CharacterTextSplitter

from langchain_pymupdf_coords.folding import fold_letters
from langchain_pymupdf_coords.geometry import BBox
from langchain_pymupdf_coords.provenance import LineBox, SourceBox
from langchain_pymupdf_coords.text_splitters import CoordsTextSplitter
from tests.support.pdf_factory import SIDEWAYS_TEXT, sideways_pdf
from tests.support.pdf_figures import AXIS, BARS, TURNED_CAPTION, TURNED_ROWS, chart_pdf, turned_table_pdf
from tests.support.read_once import parsed


def load(pdf: bytes) -> Document:
    (document,) = parsed(pdf)
    return document


def place(document: Document, text: str) -> BBox:
    """Where the only line that says a text stands."""
    letters = fold_letters(text)
    (line,) = (
        line
        for line in LineBox.from_document(document)
        if fold_letters(document.page_content[slice(*line.span)]) == letters
    )
    return line.bbox


def test_labels_of_a_chart_have_their_places() -> None:
    document = load(chart_pdf())
    for i, (name, height) in enumerate(BARS):
        left = 120 + i * 80
        assert place(document, name)[0] == pytest.approx(left, abs=1)
        assert place(document, name)[3] == pytest.approx(417, abs=1.5)
        assert place(document, str(height))[0] == pytest.approx(left + 10, abs=1)
        assert place(document, str(height))[3] == pytest.approx(397 - height, abs=1.5)
    x0, y0, x1, y1 = place(document, AXIS)
    assert (x0, x1, y1) == pytest.approx((93, 102, 380), abs=1.5)
    assert y1 - y0 > 90


def test_the_box_of_the_chart_is_there_too() -> None:
    document = load(chart_pdf())
    (picture,) = (box for box in SourceBox.from_document(document) if box.box_class == "picture")
    x0, y0, x1, y1 = picture.bbox
    assert x0 <= 94
    assert y0 <= 250
    assert x1 >= 410
    assert y1 >= 415
    labels = document.page_content[slice(*picture.span or ())]
    assert all(name in labels for name, _ in BARS)


def test_a_label_that_is_cut_off_still_shows_the_chart() -> None:
    document = load(chart_pdf())
    (picture,) = (box.bbox for box in SourceBox.from_document(document) if box.box_class == "picture")
    splitter = CoordsTextSplitter(CharacterTextSplitter(separator="\n", chunk_size=12, chunk_overlap=0))
    piece = next(piece for piece in splitter.split_documents([document]) if piece.page_content == "40")
    assert [box.bbox for box in SourceBox.from_document(piece)] == [picture]
    assert place(piece, "40")[0] == pytest.approx(290, abs=1)


def test_a_turned_table_and_its_caption_have_their_places() -> None:
    document = load(turned_table_pdf())
    for r, row in enumerate(TURNED_ROWS):
        for c, cell in enumerate(row):
            x0, y0, x1, y1 = place(document, cell)
            assert 200 + 24 * r < x0 < x1 < 224 + 24 * r
            assert 570 - 130 * c < y0 < y1 < 700 - 130 * c
    assert place(document, TURNED_CAPTION)[3] == pytest.approx(700, abs=1.5)


def test_a_turned_paragraph_has_its_place() -> None:
    document = load(sideways_pdf())
    for i, line in enumerate(SIDEWAYS_TEXT):
        x0, y0, x1, y1 = place(document, line)
        assert (x1, y1) == pytest.approx((352 + 16 * i, 500), abs=2)
        assert x1 - x0 < 12
        assert y1 - y0 > 200
