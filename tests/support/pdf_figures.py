"""PDFs with a chart, and with a table that is turned on an upright page."""

import pymupdf

from tests.support.pdf_drawing import new_page, save, write_lines

BARS = (("North", 80), ("South", 120), ("Gull Rock", 40), ("Lighthouse", 150))
AXIS = "Passengers in thousands"
CAPTION = "Figure 1: Passengers by route."
TURNED_ROWS = (
    ("Route", "Passengers", "Change"),
    ("North Island", "571,900", "+11.6 %"),
    ("South Island", "520,100", "+4.4 %"),
    ("Gull Rock", "102,700", "-9.3 %"),
)
TURNED_CAPTION = "Table 2: Passengers by route, turned to fit the page."
_PARAGRAPH = (
    "Ferries have crossed the strait for more than a hundred years.",
    "In summer they carry tourists, in winter mostly mail and milk.",
    "The crew knows every rock, and most of the passengers by name.",
)


def chart_pdf() -> bytes:
    """A paragraph, a bar chart with labels (one of them upwards), and its caption.

    Bar ``i`` stands at x = 120 + 80 i, its name on the base line y = 415; the label of the axis runs upwards
    from (100, 380).
    """
    doc = pymupdf.open()
    page = new_page(doc)
    write_lines(page, _PARAGRAPH)
    for i, (name, height) in enumerate(BARS):
        left = 120 + i * 80
        page.draw_rect((left, 400 - height, left + 50, 400), fill=(0.2, 0.4, 0.8))
        page.insert_text((left, 415), name, fontsize=9)
        page.insert_text((left + 10, 395 - height), str(height), fontsize=9)
    page.draw_line((110, 400), (450, 400))
    page.draw_line((110, 400), (110, 220))
    page.insert_text((100, 380), AXIS, fontsize=9, rotate=90)
    write_lines(page, [CAPTION], top=440)
    write_lines(page, _PARAGRAPH, top=480)
    return save(doc)


def turned_table_pdf() -> bytes:
    """A paragraph, and a ruled table with its caption that run upwards.

    Row ``r`` is the strip of 24 points from x = 200 + 24 r, column ``c`` begins at y = 700 - 130 c.
    """
    doc = pymupdf.open()
    page = new_page(doc)
    write_lines(page, _PARAGRAPH)
    for r, row in enumerate(TURNED_ROWS):
        for c, cell in enumerate(row):
            x, y = 200 + r * 24, 700 - c * 130
            page.draw_rect((x, y - 130, x + 24, y))
            page.insert_text((x + 16, y - 6), cell, rotate=90, fontsize=10)
    page.insert_text((190, 700), TURNED_CAPTION, rotate=90, fontsize=10)
    return save(doc)
