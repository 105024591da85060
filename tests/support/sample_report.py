"""A realistic report of three pages, with everything that a chunk can come from."""

from collections.abc import Iterable

import pymupdf

from tests.support.pdf_drawing import new_page, ruled_table, save, write_lines

A4 = (595.0, 842.0)
LEFT, RIGHT, TOP = 72.0, 523.0, 100.0
HEADER = "Harbour Ferry Company"

TITLE_LINES = ("Ferries of the Harbour: Annual Report", "of the Company for the Year 2024")
TITLE = " ".join(TITLE_LINES)
AUTHOR = "Anna Lund and Peter Berg"
PAGE_LABELS = ("i", "1", "2")
SECTIONS = ("1. The year in brief", "2. Traffic", "2.1 Passengers by route", "3. Outlook", "3.1 New vessel")
INTRODUCTION = (
    "The Harbour Ferry Company connects the city with the four islands of the bay. It was founded in "
    "1908, owns nine vessels and employs 214 people. This report describes the work of the company in "
    "2024 and its plans."
)
YEAR = (
    "The fleet carried 1,482,300 passengers in 2024, which is 6.2 percent more than in the year before. "
    "Storms in January kept the boats in port for eleven days. Revenue grew to 18.4 million euros, and "
    "the company closed the year with a profit for the first time since the pandemic."
)
BULLET = "\x95"  # in WinAnsiEncoding, which is what the built-in font is written in
HIGHLIGHTS = (
    "Ticket machines were installed at all seven piers.",
    "The oldest vessel, the Petrel, was sold in March.",
    "Night service to North Island started in June.",
)
HIGHLIGHTS_END = (
    "The board thanks the crews, who kept to the timetable on 97 percent of all crossings in spite of the"
    " weather."
)
TRAFFIC = (
    "Traffic grew on three of the four routes. The line to North Island profited from the night service "
    "and from the new hotel at the western pier. Only the line to Gull Rock lost passengers, because its "
    "pier was closed for repairs from April to July."
)
TABLE = (
    ("Route", "Passengers 2023", "Passengers 2024", "Change"),
    ("North Island", "512,400", "571,900", "+11.6 %"),
    ("South Island", "498,200", "520,100", "+4.4 %"),
    ("Lighthouse", "268,900", "287,600", "+7.0 %"),
    ("Gull Rock", "116,200", "102,700", "-11.6 %"),
)
AFTER_TABLE = (
    "The figures count every single journey. Children below the age of six travel free of charge and are "
    "not included. Cars and bicycles are counted apart and are published once a year by the port "
    "authority."
)
OUTLOOK = (
    "The company expects a further rise of three percent in 2025. Fares will stay as they are until the "
    "end of the year. The greatest risk is the price of fuel, which made up 31 percent of all costs in "
    "2024."
)
VESSEL = (
    "An electric ferry for 300 passengers has been ordered and will be delivered in May 2026. It will "
    "serve the route to South Island and save about 640 tonnes of carbon dioxide every year. The contract"
    " is worth 12.5 million euros, of which the state pays two fifths."
)


def report_pdf() -> bytes:
    """The report: title, headings of three sizes, text, list, table, running head and foot, labels, outline.

    The printed page numbers are ``PAGE_LABELS``; metadata title and author are ``TITLE`` and ``AUTHOR``.
    """
    doc = pymupdf.open()
    for number, draw in enumerate((_first_page, _second_page, _third_page)):
        page = new_page(doc, A4)
        write_lines(page, [HEADER], top=44, fontsize=8)
        draw(page)
        _centred(page, [f"Page {PAGE_LABELS[number]}"], 800, 9, "helv")
    doc.set_metadata({"title": TITLE, "author": AUTHOR, "creationDate": "D:20250131120000Z"})
    doc.set_toc(
        [
            [1, TITLE, 1],
            [2, SECTIONS[0], 1],
            [2, SECTIONS[1], 2],
            [3, SECTIONS[2], 2],
            [2, SECTIONS[3], 3],
            [3, SECTIONS[4], 3],
        ]
    )
    doc.set_page_labels(
        [
            {"startpage": 0, "style": "r", "prefix": "", "firstpagenum": 1},
            {"startpage": 1, "style": "D", "prefix": "", "firstpagenum": 1},
        ]
    )
    return save(doc)


def _first_page(page: pymupdf.Page) -> None:
    y = _centred(page, TITLE_LINES, TOP, 20, "hebo")
    y = _centred(page, [AUTHOR], y, 11, "helv") + 20
    y = _paragraph(page, INTRODUCTION, y)
    y = _heading(page, SECTIONS[0], y, 14)
    y = _paragraph(page, YEAR, y)
    for item in HIGHLIGHTS:
        page.insert_text((LEFT + 8, y), BULLET)
        y = write_lines(page, [item], top=y, left=LEFT + 22)
    _paragraph(page, HIGHLIGHTS_END, y + 8)


def _second_page(page: pymupdf.Page) -> None:
    y = _heading(page, SECTIONS[1], TOP, 14)
    y = _paragraph(page, TRAFFIC, y)
    y = _heading(page, SECTIONS[2], y, 12)
    y = ruled_table(page, TABLE, top=y - 8, widths=(130, 110, 110, 80))
    _paragraph(page, AFTER_TABLE, y + 28)


def _third_page(page: pymupdf.Page) -> None:
    y = _heading(page, SECTIONS[3], TOP, 14)
    y = _paragraph(page, OUTLOOK, y)
    y = _heading(page, SECTIONS[4], y, 12)
    _paragraph(page, VESSEL, y)


def _centred(
    page: pymupdf.Page, lines: Iterable[str], baseline: float, fontsize: float, fontname: str
) -> float:
    for line in lines:
        left = (A4[0] - pymupdf.get_text_length(line, fontname=fontname, fontsize=fontsize)) / 2
        baseline = write_lines(page, [line], top=baseline, left=left, fontsize=fontsize, fontname=fontname)
    return baseline


def _heading(page: pymupdf.Page, text: str, baseline: float, fontsize: float) -> float:
    write_lines(page, [text], top=baseline, left=LEFT, fontsize=fontsize, fontname="hebo")
    return baseline + fontsize + 14


def _paragraph(page: pymupdf.Page, text: str, baseline: float) -> float:
    return write_lines(page, _wrap(text), top=baseline, left=LEFT) + 14


def _wrap(text: str, fontsize: float = 11.0) -> Iterable[str]:
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if pymupdf.get_text_length(longer, fontsize=fontsize) > RIGHT - LEFT:
            yield line
            longer = word
        line = longer
    yield line
