"""Upright pages with text that is turned: 90 reads upwards, 270 downwards, 180 stands on its head."""

import pymupdf

from tests.support.pdf_drawing import PAGE_TEXT, new_page, save, write_lines

TURNED_LINES = (
    "This note beside the text is turned, as notes often are,",
    "so that its letters are not horizontal to the reader,",
    "and it goes on for three lines like any paragraph.",
)
TURNED_CAPTION = "Table 3: Stations of the line, and passengers of the year."
TURNED_TABLE = (
    ("Station", "Opened", "Passengers"),
    *((f"Station {n}", str(1900 + n), f"{n},{37 * n % 1000:03d}") for n in range(1, 8)),
)


def turned_paragraph_pdf(*, rotate: int) -> bytes:
    """``PAGE_TEXT``, and ``TURNED_LINES`` in a place of their own."""
    doc = pymupdf.open()
    page = new_page(doc)
    write_lines(page, PAGE_TEXT)
    start, step = {
        90: ((350.0, 560.0), (16.0, 0.0)),
        180: ((540.0, 600.0), (0.0, -16.0)),
        270: ((450.0, 250.0), (-16.0, 0.0)),
    }[rotate]
    for i, line in enumerate(TURNED_LINES):
        page.insert_text((start[0] + i * step[0], start[1] + i * step[1]), line, rotate=rotate)
    return save(doc)


def turned_table_pdf(*, rotate: int) -> bytes:
    """``PAGE_TEXT``, and ``TURNED_TABLE`` with rules, its caption before its first row; both turned."""
    doc = pymupdf.open()
    page = new_page(doc)
    write_lines(page, PAGE_TEXT)
    side, left, start = (1, 140.0, 700.0) if rotate == 90 else (-1, 460.0, 150.0)
    page.insert_text((left, start), TURNED_CAPTION, rotate=rotate, fontsize=11)
    for r, row in enumerate(TURNED_TABLE):
        for c, cell in enumerate(row):
            x, y = left + side * (50 + r * 20), start - side * c * 140
            page.draw_rect(pymupdf.Rect(x, y, x + side * 20, y - side * 140).normalize(), width=0.7)
            font = "hebo" if r == 0 else "helv"
            page.insert_text((x + side * 14, y - side * 5), cell, rotate=rotate, fontsize=10, fontname=font)
    return save(doc)
