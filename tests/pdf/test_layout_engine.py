"""The layout engine keeps to what is asked of it, some of which it does not document."""

import pymupdf

from langchain_pymupdf_coords.pdf.engine import engine
from langchain_pymupdf_coords.pdf.layout_engine import layout_boxes
from langchain_pymupdf_coords.pdf.opening import open_upright
from tests.support.pdf_drawing import save

ROWS = (("Pier", "Boats", "Fares"), ("Old", "12", "3.50"), ("New", "7", "4.25"))
LEFTS = (72, 200, 330, 460)
TOPS = (200, 224, 248, 272)


def table_pdf() -> bytes:
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_text((72, 100), "The ferry leaves the old pier at seven every morning.", fontsize=12)
    for y in TOPS:
        page.draw_line((LEFTS[0], y), (LEFTS[-1], y))
    for x in LEFTS:
        page.draw_line((x, TOPS[0]), (x, TOPS[-1]))
    for y, row in zip(TOPS, ROWS, strict=False):
        for x, cell in zip(LEFTS, row, strict=False):
            page.insert_text((x + 6, y + 16), cell, fontsize=11)
    doc.new_page().insert_text((72, 100), "In fog it waits for the light on the rock.", fontsize=12)
    return save(doc)


def test_its_two_steps_give_what_its_documented_call_gives() -> None:
    with engine("test.pdf"):
        found = layout_boxes(open_upright(table_pdf(), name="test.pdf"), [0, 1])
        chunks = open_upright(table_pdf(), name="test.pdf").to_markdown(
            pages=[0, 1], page_chunks=True, use_ocr=False
        )
    documented = [
        [(box["class"], tuple(box["bbox"]), chunk["text"][slice(*box["pos"])]) for box in chunk["page_boxes"]]
        for chunk in chunks
    ]
    assert [[(box.box_class, box.bbox, box.markdown) for box in page] for page in found] == documented


def test_the_cells_of_a_table_are_around_their_words() -> None:
    with engine("test.pdf"):
        [boxes, _] = layout_boxes(open_upright(table_pdf(), name="test.pdf"), [0, 1])
    [table] = [box for box in boxes if box.box_class == "table"]
    assert [len(row) for row in table.grid] == [3, 3, 3]
    for row, y in zip(table.grid, TOPS, strict=False):
        for (x0, y0, x1, y1), x in zip(row, LEFTS, strict=False):
            assert x0 <= x + 9 <= x1, "the first letter of the word"
            assert y0 <= y + 13 <= y1, "the middle of the word"
    assert all(box.grid == () for box in boxes if box is not table)
