"""Pages with something that is not upright text: turned tables, a chart, a photograph with lettering."""

import pymupdf

from tests.pdf_drawing import PAGE_TEXT, new_page, save, write_lines

TURNED_CAPTION = "Table 3: Stations of the line, and passengers of the year."
TURNED_TABLE = (
    ("Station", "Opened", "Passengers"),
    *((f"Station {n}", str(1900 + n), f"{n},{37 * n % 1000:03d}") for n in range(1, 8)),
)
BARS = (("North", 120), ("South", 95), ("East", 60), ("West", 140))
CHART_CAPTION = "Figure 1: Passengers of the four routes in thousands."
LETTERING = "Lighthouse Pier"


def turned_table_pdf(*, rotate: int = 90) -> bytes:
    """An upright page with ``PAGE_TEXT`` and a ruled table with a caption, both turned: 90 reads upwards."""
    doc = pymupdf.open()
    page = new_page(doc)
    write_lines(page, PAGE_TEXT)
    side = 1 if rotate == 90 else -1
    left, start = (140.0, 700.0) if rotate == 90 else (460.0, 150.0)
    page.insert_text((left, start), TURNED_CAPTION, rotate=rotate, fontsize=11)
    for r, row in enumerate(TURNED_TABLE):
        for c, cell in enumerate(row):
            x, y = left + side * (40 + r * 20), start - side * c * 140
            page.draw_rect(pymupdf.Rect(x, y, x + side * 20, y - side * 140).normalize(), width=0.7)
            font = "hebo" if r == 0 else "helv"
            page.insert_text((x + side * 14, y - side * 5), cell, rotate=rotate, fontsize=10, fontname=font)
    return save(doc)


def chart_pdf() -> bytes:
    """A bar chart drawn in lines, with a label below each of ``BARS`` and a value above, and a caption."""
    doc = pymupdf.open()
    page = new_page(doc)
    end = write_lines(page, PAGE_TEXT)
    floor = 400.0
    page.draw_line((120, end + 40), (120, floor))
    page.draw_line((120, floor), (480, floor))
    for k, (name, value) in enumerate(BARS):
        x = 150 + k * 80
        page.draw_rect((x, floor - value * 1.5, x + 40, floor), fill=(0.2, 0.4 + k * 0.1, 0.8))
        page.insert_text((x + 4, floor + 14), name, fontsize=10)
        page.insert_text((x + 8, floor - value * 1.5 - 6), str(value), fontsize=10)
    write_lines(page, [CHART_CAPTION], top=floor + 45)
    return save(doc)


def lettered_photo_pdf() -> bytes:
    """A photograph with ``LETTERING`` written over it in white print, between lines of text."""
    doc = pymupdf.open()
    page = new_page(doc)
    end = write_lines(page, PAGE_TEXT)
    width, height = 60, 40
    samples = bytes(40 + (x * 3 + y * 2 + x * y % 17) % 120 for y in range(height) for x in range(width * 3))
    photo = pymupdf.Pixmap(pymupdf.csRGB, width, height, samples, False)
    page.insert_image((120, end + 30, 480, end + 270), pixmap=photo)
    page.insert_text((200, end + 150), LETTERING, fontsize=24, color=(1, 1, 1))
    write_lines(page, PAGE_TEXT[::-1], top=end + 320)
    return save(doc)
