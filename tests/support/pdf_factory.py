"""The smallest PDFs that show one fault or feature each, built on the spot.

Every builder takes keyword arguments only and returns the bytes of a PDF. Positions are in the displayed
frame (after /Rotate and CropBox, origin top-left, x right, y down, points) unless a docstring says otherwise.
``test_pdf_factory.py`` checks that each fault is really there.
"""

from collections.abc import Sequence

import pymupdf

from tests.support.pdf_drawing import (
    PAGE_TEXT,
    new_page,
    ruled_table,
    save,
    set_content,
    text_pdf,
    write_lines,
)
from tests.support.pdf_drawing import line_origin as line_origin
from tests.support.sample_report import report_pdf as report_pdf

BODY = (
    "Ferries have crossed the strait for more than a hundred years.",
    "In summer they carry tourists, in winter mostly mail and milk.",
    "The crew knows every rock, and most of the passengers by name.",
)
HYPHENATED_WORD = "consideration"
LIGATURE_TEXT = (
    "The effect of an efficient office staff is a fine workflow. Five officials filed the final figures, and "
    "nobody found a difference that would have been difficult to explain. The first flood of offers followed."
)
SIDEWAYS_TEXT = (
    "This note beside the text runs upwards along the page,",
    "so that its letters are not horizontal to the reader,",
    "and it goes on for three lines like any paragraph.",
)
HEBREW_TEXT = (
    "הספינה יצאה מהנמל לפני הזריחה וחזרה בצהריים. הים היה שקט והרוח נשבה ממערב. "
    "שבעה דייגים עמדו על הסיפון וחיכו לאור הראשון. בערב חזרו כולם הביתה עם דגים רבים."
)
CHINESE_TEXT = "港口在黎明时分很安静。七艘船在日出前离开。"
SPLIT_SENTENCE = "The last ferry of the day leaves the island shortly before midnight."
SCRIPT_TITLE = "<script>alert(1)</script> & \"quoted\" 'title'"


# --- text that is not what it seems -------------------------------------------------------------------------


def _html_pdf(body: str, *, css: str = "") -> bytes:
    doc = pymupdf.open()
    new_page(doc).insert_htmlbox((72, 72, 540, 720), body, css="* {font-size: 12px}" + css)
    return save(doc, garbage=3, deflate=True)


def ligature_pdf() -> bytes:
    """``LIGATURE_TEXT`` in a font that joins letters: the page holds the single characters ﬀ, ﬁ, ﬃ, ﬂ."""
    return _html_pdf(f"<p>{LIGATURE_TEXT}</p>", css="* {font-family: serif}")


def rtl_pdf() -> bytes:
    """``HEBREW_TEXT``, a right-to-left sentence."""
    return _html_pdf(f'<p dir="rtl">{HEBREW_TEXT}</p>')


def cjk_pdf() -> bytes:
    """``CHINESE_TEXT``: two sentences without spaces, on two lines."""
    doc = pymupdf.open()
    page = new_page(doc)
    write_lines(page, [s + "。" for s in CHINESE_TEXT.split("。") if s], fontname="china-s", fontsize=14)
    return save(doc)


def hyphenated_pdf() -> bytes:
    """A paragraph in which ``HYPHENATED_WORD`` is broken by a hyphen at a line end."""
    doc = pymupdf.open()
    write_lines(
        new_page(doc),
        [
            "The committee gave the proposal its careful consid-",
            "eration before the vote, and the well-known expert",
            "spoke for an hour about the cost of the new bridge.",
        ],
    )
    return save(doc)


def superscript_pdf() -> bytes:
    """A sentence with superscripts, a subscript and a half-bold word, then ``BODY``."""
    doc = pymupdf.open()
    page = new_page(doc)
    write_lines(page, BODY, top=118, fontsize=12)
    runs = [
        ("The sample held 10", 12, "helv", 0),
        ("3", 7, "helv", 5),
        (" m", 12, "helv", 0),
        ("2", 7, "helv", 5),
        (" of CO", 12, "helv", 0),
        ("2", 7, "helv", -2),
        (" and ", 12, "helv", 0),
        ("bold", 12, "hebo", 0),
        ("ness grew.", 12, "helv", 0),
    ]
    x = 72.0
    for text, fontsize, fontname, rise in runs:
        page.insert_text((x, 100 - rise), text, fontsize=fontsize, fontname=fontname)
        x += pymupdf.get_text_length(text, fontname=fontname, fontsize=fontsize)
    return save(doc)


def fake_bold_pdf() -> bytes:
    """A sentence drawn twice, 0.4 pt apart, to look bold: each of its glyphs is on the page twice."""
    doc = pymupdf.open()
    page = new_page(doc)
    for shift in (0.0, 0.4):
        page.insert_text((72 + shift, 100), "Total assets rose again to a new height, as they had before.")
    write_lines(page, BODY, top=116.5)
    return save(doc)


def actual_text_pdf() -> bytes:
    """A sentence whose glyphs say "SoHware" while its /ActualText says "Software", then ``BODY``."""
    doc = pymupdf.open()
    page = new_page(doc)
    write_lines(page, BODY, top=116.5)
    stream = page.read_contents() + (
        b"BT /helv 11 Tf 1 0 0 1 72 692 Tm (All ) Tj /Span <</ActualText (Software)>> BDC (SoHware) Tj EMC"
        b" ( on board was renewed in the spring of that year.) Tj ET"
    )
    set_content(doc, page, stream)
    return save(doc)


# --- layouts ------------------------------------------------------------------------------------------------


def two_column_pdf() -> bytes:
    """Two columns; the sentence ``SPLIT_SENTENCE`` starts in the left one and ends in the right one."""
    left = [
        "Ferries cross the strait every hour from",
        "early morning. Crossing takes forty minutes",
        "when the sea is calm, and longer in winter.",
        "Tickets are sold on board and at the pier.",
        "The last ferry of the day leaves the island",
    ]
    right = [
        "shortly before midnight. Dogs travel free of",
        "charge if they stay on the open deck. Cars",
        "must be booked one day ahead of the trip.",
        "Groups of ten or more pay a reduced fare,",
        "and schools may ask for a special rate.",
    ]
    doc = pymupdf.open()
    page = new_page(doc)
    write_lines(page, left, left=72)
    write_lines(page, right, left=324)
    return save(doc)


def sideways_pdf() -> bytes:
    """An upright page with ``PAGE_TEXT`` and a paragraph, ``SIDEWAYS_TEXT``, that runs upwards."""
    doc = pymupdf.open()
    page = new_page(doc)
    write_lines(page, PAGE_TEXT)
    for i, line in enumerate(SIDEWAYS_TEXT):
        page.insert_text((350 + i * 16, 500), line, rotate=90)
    return save(doc)


def dense_pdf(*, words: int = 8000) -> bytes:
    """One page with up to 8,400 words (w0, w1, …) in tiny print, in a grid so wide that each stands alone.

    Alone matters: what the layout model's time and memory grow with is the number of runs, not of letters.
    """
    columns, fontsize = 40, 3.0
    doc = pymupdf.open()
    page = new_page(doc)
    page.insert_font(fontname="helv")
    places = ((24 + n % columns * 14, 760 - n // columns * 3.5) for n in range(words))
    shown = "".join(f"1 0 0 1 {x:g} {y:g} Tm (w{n}) Tj\n" for n, (x, y) in enumerate(places))
    set_content(doc, page, f"BT /helv {fontsize:g} Tf\n{shown}ET".encode())
    return save(doc, deflate=True)


def table_two_pages_pdf() -> bytes:
    """A ruled table of 12 stations that goes on, with its header row, on the second page."""
    head = ("Station", "Opened", "Passengers")
    stations = [(f"Station {n}", str(1900 + n), f"{n},{37 * n % 1000:03d}") for n in range(1, 13)]
    doc = pymupdf.open()
    page = new_page(doc)
    write_lines(page, BODY, top=500)
    ruled_table(page, [head, *stations[:7]], top=580, widths=(180, 120, 120))
    page = new_page(doc)
    end = ruled_table(page, [head, *stations[7:]], top=72, widths=(180, 120, 120))
    write_lines(page, BODY, top=end + 40)
    return save(doc)


# --- scans --------------------------------------------------------------------------------------------------


def scan_pdf(*, lines: Sequence[str] = PAGE_TEXT, dpi: int = 150, fontsize: float = 14.0) -> bytes:
    """A page that is one grey image of ``lines``: no text layer."""
    original = pymupdf.open(stream=text_pdf(pages=[lines], fontsize=fontsize))
    pixmap = original[0].get_pixmap(dpi=dpi, colorspace="gray")
    doc = pymupdf.open()
    page = new_page(doc)
    page.insert_image(page.rect, pixmap=pixmap)
    return save(doc, deflate=True)


# --- document level -----------------------------------------------------------------------------------------


def labels_pdf() -> bytes:
    """Three pages whose printed numbers are i, ii and A-1."""
    doc = pymupdf.open()
    for text in ("Preface of the book.", "Preface, continued.", "First appendix of the book."):
        write_lines(new_page(doc), [text, *BODY])
    doc.set_page_labels(
        [
            {"startpage": 0, "style": "r", "prefix": "", "firstpagenum": 1},
            {"startpage": 2, "style": "D", "prefix": "A-", "firstpagenum": 1},
        ]
    )
    return save(doc)


def js_title_pdf() -> bytes:
    """A document whose metadata title, ``SCRIPT_TITLE``, is markup."""
    doc = pymupdf.open()
    write_lines(new_page(doc), ["<b>Not bold</b> & <script>alert(2)</script> in the text.", *BODY])
    doc.set_metadata({"title": SCRIPT_TITLE, "author": "O'Neil <o@example.org>"})
    return save(doc)


def encrypted_pdf(*, user_password: str = "user", owner_password: str = "owner") -> bytes:
    """``PAGE_TEXT`` behind AES-256; with an empty ``user_password`` everybody may open it."""
    doc = pymupdf.open(stream=text_pdf())
    data = doc.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=user_password, owner_pw=owner_password)
    doc.close()
    return data


def damaged_pdf() -> bytes:
    """A PDF header and some bytes of a file: no object of it can be found."""
    return text_pdf()[:30]


def broken_xref_pdf() -> bytes:
    """``PAGE_TEXT`` without cross-reference table and trailer: the engine repairs it."""
    data = text_pdf()
    return data[: data.rindex(b"xref\n", 0, data.rindex(b"startxref"))]


def short_page_tree_pdf() -> bytes:
    """Three pages by count, but the second is an empty branch of the page tree: only two can be loaded."""
    doc = pymupdf.open(stream=text_pdf(pages=[["First page."], ["Second page."], ["Third page."]]))
    doc.update_object(doc.page_xref(1), "<</Type/Pages/Kids[]/Count 1>>")
    return save(doc)


def huge_page_pdf(*, side: float = 20_000.0) -> bytes:
    """``BODY`` on a square page of ``side`` points: rendering the page fails, "Overly large image"."""
    doc = pymupdf.open()
    write_lines(new_page(doc, (side, side)), BODY)
    return save(doc)


def _form_pdf(field: str) -> bytes:
    """Two pages of text, the first with a text field; ``{xref}`` in ``field`` stands for the field itself."""
    doc = pymupdf.open(stream=text_pdf(pages=[PAGE_TEXT, BODY]))
    xref = doc.get_new_xref()
    common = "/Type/Annot/Subtype/Widget/Rect[72 472 300 492]/F 4/FT/Tx/Ff 0/V(x)/DA(/Helv 0 Tf 0 g)"
    doc.update_object(xref, f"<<{common}{field.format(xref=f'{xref} 0 R')}>>")
    doc.xref_set_key(doc.page_xref(0), "Annots", f"[{xref} 0 R]")
    doc.xref_set_key(doc.pdf_catalog(), "AcroForm", f"<</Fields[{xref} 0 R]/DA(/Helv 0 Tf 0 g)>>")
    return save(doc)


def form_cycle_pdf() -> bytes:
    """A page with a field that is its own parent ("Cycle in field parents"), then a sound page."""
    return _form_pdf("/T(name)/Parent {xref}")


def form_kids_cycle_pdf() -> bytes:
    """Two pages and a field that is its own kid: the engine recurses without end, on any page."""
    return _form_pdf("/T(name)/Kids[{xref}]")
