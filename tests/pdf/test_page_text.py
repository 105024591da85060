"""The text of Documents is what their pages say, as a reader of the language would type it."""

import warnings
from collections.abc import Iterable
from pathlib import Path
from unicodedata import normalize

import pymupdf
import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import PyMuPDFCoordsLoader, QuoteLocator
from langchain_pymupdf_coords.errors import UnreadableContentWarning
from langchain_pymupdf_coords.provenance import LineBox, SourceBox
from tests.support.pdf_drawing import save
from tests.support.pdf_scans import scanned
from tests.support.pdf_scripts import Line, from_right, script_pdf, width
from tests.support.read_once import loaded, parsed

HEBREW = "המעבורת יוצאת בשעה שבע בבוקר מן הרציף הישן"
ARABIC = "تغادر العبارة الرصيف القديم في الصباح"
TURNING = (
    HEBREW,
    "המעבורת יוצאת בשנת 2024 מן הרציף הישן בלבד",
    "חברת Ferry קנתה את הרציף הישן מן העירייה",
    "המחיר (ללא מע״מ) הוא 1,250 שקלים",
    ARABIC,
    "تغادر العبارة في عام 2024 من الرصيف القديم",
    "يدفع الراكب ١٢٥٠ دينارا ثمن التذكرة",
)
SENTENCES = (
    "The ferry leaves the old pier at seven every morning except on Sundays.",
    "The crew takes dogs and bicycles free of charge as long as the deck is dry.",
    "In fog it waits until the light on the rock can be seen.",
)
NUMBERED = (
    "The plaintiff alleges that on or about March 3, 2021 the",
    "parties agreed on the sale of 400 barrels of lamp oil, to be",
    "delivered at the wharf no later than June 30, 2021. The",
    "defendant delivered only 310 barrels, of which some were",
    "found to be mixed with water. Notice of the defect was given",
    "on July 9, 2021 and no answer has been received so far.",
)


def page_pdf(*lines: tuple[float, float, str], **options: object) -> bytes:
    """A page with lines at ``(x, base line)``."""
    doc = pymupdf.open()
    page = doc.new_page()
    for x, y, text in lines:
        page.insert_text((x, y), text, **({"fontsize": 11} | options))
    return save(doc)


def wrapped(text: str, per_line: int = 62) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > per_line:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def text_of(documents: Iterable[Document]) -> str:
    return "\n".join(document.page_content for document in documents)


def boxes_of(documents: Iterable[Document], box_class: str) -> list[str]:
    return [
        document.page_content[slice(*box.span)]
        for document in documents
        for box in SourceBox.from_document(document)
        if box.box_class == box_class and box.span
    ]


def status(documents: Iterable[Document], quote: str) -> str:
    found = QuoteLocator().locate_all(documents, quote)
    return found[0][1].status if found else "not found"


# --- right to left --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", TURNING)
def test_a_line_that_runs_from_right_to_left_is_read_as_it_was_typed(line: str, tmp_path: Path) -> None:
    path = tmp_path / "page.pdf"
    path.write_bytes(script_pdf([from_right(line, 100), from_right(HEBREW, 124), from_right(ARABIC, 148)]))
    documents = loaded(path)
    assert line in text_of(documents)
    [(_, match)] = QuoteLocator().locate_all(documents, line)[:1]
    assert (match.status, match.precision) == ("exact", "word")
    [region] = match.regions
    assert region.quads[0][0][0] == pytest.approx(523 - width(line), abs=1)
    assert region.quads[0][1][0] == pytest.approx(523, abs=1)


@pytest.mark.parametrize("line", [f"({HEBREW}).", f"*{HEBREW}:", f"{HEBREW}?"])
def test_brackets_and_stops_stay_at_their_end_of_such_a_line(line: str) -> None:
    assert text_of(parsed(script_pdf([from_right(line, 100)]))) == line


@pytest.mark.parametrize("word", ["\u06a9\u0627\ufefb", "\u0627\ufefb\u0633\u0644\u0627\u0645"])
def test_an_alef_before_the_ligature_of_another_is_kept(word: str) -> None:
    line = f"{ARABIC} {word}"
    assert normalize("NFKC", line) in text_of(parsed(script_pdf([from_right(line, 100)])))


def test_a_part_of_such_a_line_has_the_place_of_its_words(tmp_path: Path) -> None:
    path = tmp_path / "page.pdf"
    path.write_bytes(script_pdf([from_right(TURNING[1], 100), from_right(HEBREW, 124)]))
    match = QuoteLocator().locate(loaded(path)[0], "בשנת 2024 מן")
    assert match is not None
    before, quote = TURNING[1].split("בשנת")[0], "בשנת 2024 מן"
    right = 523 - width(before)
    x0, x1 = match.regions[0].quads[0][0][0], match.regions[0].quads[0][1][0]
    assert (x0, x1) == pytest.approx((right - width(quote), right), abs=1)


def test_a_document_without_lines_finds_them_again_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "page.pdf"
    path.write_bytes(script_pdf([from_right(TURNING[1], 100), from_right(HEBREW, 124)]))
    match = QuoteLocator().locate(loaded(path, line_map=False)[0], TURNING[1])
    assert match is not None
    assert (match.status, match.precision) == ("exact", "word")


@pytest.mark.parametrize("line", [HEBREW, ARABIC, TURNING[1]])
def test_words_that_are_drawn_one_by_one_from_the_right_are_read_in_order(line: str) -> None:
    words, right = [], 523.0
    for word in line.split():
        words.append(from_right(word, 100, right=right))
        right -= width(word) + 4
    assert line in text_of(parsed(script_pdf(words)))


# --- hyphens --------------------------------------------------------------------------------------------------

RAGGED = (
    "The harbour board bought a new and state-of-the-",
    "art crane. Its well-",
    "known light was mended, and the light-house keeper of the old town",
    "left. The whole com\u00ad",
    "pany came to see the inter-",
    "national harbour; an international crowd it was.",
)


def test_a_hyphen_at_a_line_end_stays_where_the_word_has_one() -> None:
    text = text_of(parsed(script_pdf([Line(line, 72, 100 + 14 * k) for k, line in enumerate(RAGGED)])))
    for word in ("state-of-the-art", "well-known", "the inter", "whole company"):
        assert word in text
    assert "the international harbour" in text


# --- what stands beside and behind the text --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "pitch", "size", "step"),
    [(66, 24, 11, 1), (50, 14, 7, 1), (60, 14, 8, 5)],
    ids=["pleading", "preprint", "fifth"],
)
def test_line_numbers_stand_in_no_sentence(x: float, pitch: float, size: float, step: int) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    for k in range(24):
        if (k + 1) % step == 0:
            page.insert_text((x, 80 + pitch * k), str(k + 1), fontsize=size)
        if k < len(NUMBERED):
            page.insert_text((110, 80 + pitch * k), NUMBERED[k], fontsize=11)
    documents = parsed(save(doc))
    flowing = " ".join(text_of(documents).split())
    assert " ".join(NUMBERED) in flowing
    [numbers] = boxes_of(documents, "line-number")
    assert numbers.split() == [str(k + 1) for k in range(24) if (k + 1) % step == 0]
    placed = {
        document.page_content[slice(*line.span)]: line
        for document in documents
        for line in LineBox.from_document(document)
    }
    assert placed["5"].bbox[3] == pytest.approx(80 + pitch * 4, abs=size)


def test_a_sentence_goes_on_past_line_numbers_and_watermarks() -> None:
    begins, ends = (
        "The pilot of the northern ferry has kept a log of each of his",
        "crossings since last spring.",
    )
    doc = pymupdf.open()
    for lines in ((*NUMBERED * 2, begins), (ends, *NUMBERED * 2)):
        page = doc.new_page()
        for k, line in enumerate(lines):
            page.insert_text((100, 80 + 24 * k), line, fontsize=12)
            page.insert_text((60, 80 + 24 * k), str(k + 1), fontsize=12)
        page.insert_text((90, 200), "CONFIDENTIAL DRAFT", fontsize=40, color=(0.85, 0.85, 0.85))
    documents = parsed(save(doc), exclude_classes=(), chunk_size=5000)
    assert len(boxes_of(documents, "line-number")) == len(boxes_of(documents, "watermark")) == 2
    assert status(documents, f"{begins} {ends}") == "normalized"


def test_a_numbered_list_is_no_column_of_line_numbers() -> None:
    items = ["Apples", "Pears", "Plums from the south", "Cherries", "Quinces", "Medlars"]
    lines = [
        line
        for k, item in enumerate(items, 1)
        for line in ((72, 100 + 16 * k, str(k)), (100, 100 + 16 * k, item))
    ]
    documents = parsed(page_pdf(*lines))
    assert boxes_of(documents, "line-number") == []
    assert text_of(documents).count("3") == 1


@pytest.mark.parametrize(("size", "rows"), [(44, 2), (62, 3)])
def test_a_drop_cap_begins_its_word(size: float, rows: int) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_text((72, 100 + 14 * (rows - 1)), "T", fontsize=size, fontname="tiro")
    text = " ".join(SENTENCES)
    for k, line in enumerate(wrapped(text[1:])):
        page.insert_text((72 + (size * 0.7 if k < rows else 0), 100 + 14 * k), line, fontsize=11)
    documents = parsed(save(doc))
    assert [status(documents, sentence) for sentence in SENTENCES] == ["exact"] * 3
    assert text_of(documents).startswith("The ferry leaves")


def crossed_pdf(mark: str, *, size: float, gray: float, at: tuple[float, float] = (80, 118)) -> bytes:
    doc = pymupdf.open()
    page = doc.new_page()
    for k, line in enumerate(wrapped(" ".join(SENTENCES))):
        page.insert_text((72, 100 + 14 * k), line, fontsize=11)
    page.insert_text(at, mark, fontsize=size, color=(gray, gray, gray))
    return save(doc)


def test_a_watermark_is_a_box_of_its_own_and_left_out_by_default() -> None:
    pdf = crossed_pdf("SAMPLE COPY", size=40, gray=0.8)
    documents = parsed(pdf)
    assert [status(documents, sentence) for sentence in SENTENCES] == ["exact"] * 3
    assert "SAMPLE" not in text_of(documents)
    assert boxes_of(parsed(pdf, exclude_classes=()), "watermark") == ["SAMPLE COPY"]


def test_a_stamp_across_the_text_is_kept_beside_its_sentences() -> None:
    documents = parsed(crossed_pdf("RECEIVED 3 MAY", size=20, gray=0.0, at=(250, 118)))
    assert [status(documents, sentence) for sentence in SENTENCES] == ["exact"] * 3
    assert "RECEIVED 3 MAY" in boxes_of(documents, "text")


def test_a_large_pale_title_is_no_watermark() -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_text((72, 90), "Harbours of the north", fontsize=30, color=(0.7, 0.7, 0.7))
    for k, line in enumerate(wrapped(" ".join(SENTENCES))):
        page.insert_text((72, 130 + 14 * k), line, fontsize=11)
    assert "Harbours of the north" in text_of(parsed(save(doc)))


# --- headers and footers ---------------------------------------------------------------------------------------


def letter_pdf(head: str, foot: str) -> bytes:
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_text((72, 40), head)
    page.insert_textbox((72, 300, 523, 420), " ".join(SENTENCES))
    page.insert_text((72, 810), foot, fontsize=8)
    return save(doc)


def test_what_stands_once_at_the_edge_of_a_page_stays_in() -> None:
    text = text_of(
        parsed(letter_pdf("Notice of termination, 14 March 2024", "IBAN EE76 1700 0170 0021 7199"))
    )
    assert "Notice of termination, 14 March 2024" in text
    assert "IBAN EE76 1700 0170 0021 7199" in text
    assert text.index("14 March") < text.index(SENTENCES[0]) < text.index("IBAN")


def headed_pdf(pages: int) -> bytes:
    doc = pymupdf.open()
    for number in range(pages):
        page = doc.new_page()
        page.insert_text((72, 40), "Report of the harbour board", fontsize=9)
        page.insert_text((290, 810), str(number + 1), fontsize=9)
        for k, line in enumerate(wrapped(f"Page {number + 1} begins. " + " ".join(SENTENCES) * 3)):
            page.insert_text((72, 90 + 14 * k), line, fontsize=11)
    return save(doc)


def test_what_repeats_at_the_edges_of_pages_is_left_out() -> None:
    pdf = headed_pdf(3)
    documents = parsed(pdf)
    assert "Report of the harbour board" not in text_of(documents)
    assert all("Report" not in document.metadata["section"] for document in documents)
    whole = parsed(pdf, exclude_classes=())
    assert boxes_of(whole, "page-header") == ["Report of the harbour board"] * 3
    assert boxes_of(whole, "page-footer") == ["1", "2", "3"]


def test_pages_are_compared_with_those_around_them_whichever_are_asked_for() -> None:
    pdf = headed_pdf(3)
    assert "Report of the harbour board" not in text_of(parsed(pdf, pages=(2,)))
    one = parsed(headed_pdf(1))
    assert "Report of the harbour board" in text_of(one)


# --- sideways, vertical, overprinted ---------------------------------------------------------------------------


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_no_line_of_a_turned_page_is_lost(rotate: int) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_textbox((110, 120, 420, 500), " ".join(SENTENCES * 2), fontsize=11)
    page.set_rotation(rotate)
    documents = parsed(save(doc))
    assert " ".join(text_of(documents).split()) == " ".join(SENTENCES * 2)


VERTICAL = (
    "渡船は毎朝七時に古い桟橋を出る。",
    "霧の日は岩の灯台が見えるまで待つ。",
    "犬と自転車は無料で乗ることができる。",
    "港長は来る船をすべて書き留める。",
)


def vertical_pdf(*, one_by_one: bool, bands: int = 1) -> bytes:
    """Columns in bands, drawn column by column through all bands."""
    doc = pymupdf.open()
    page = doc.new_page()
    per_band = len(VERTICAL) // bands
    for k in sorted(range(len(VERTICAL)), key=lambda k: k % per_band):
        x, top = 480 - 30 * (k % per_band), 100 + 300 * (k // per_band)
        column = VERTICAL[k]
        parts = [(top + 14 * j, char) for j, char in enumerate(column)] if one_by_one else [(top, column)]
        for y, text in parts:
            page.insert_text((x, y), text, fontname="japan", fontsize=12)
    if not one_by_one:
        for xref in range(1, doc.xref_length()):
            kind, encoding = doc.xref_get_key(xref, "Encoding")
            if kind == "name" and encoding.endswith("-H"):
                doc.xref_set_key(xref, "Encoding", encoding[:-1] + "V")
    return save(doc)


@pytest.mark.parametrize("bands", [1, 2])
@pytest.mark.parametrize("one_by_one", [True, False])
def test_vertical_japanese_is_read_down_its_columns(one_by_one: bool, bands: int) -> None:
    documents = parsed(vertical_pdf(one_by_one=one_by_one, bands=bands))
    assert "".join(VERTICAL) in text_of(documents).replace("\n", "")
    assert [status(documents, sentence) for sentence in VERTICAL] == ["exact"] * 4


def test_letters_that_are_drawn_twice_are_read_once() -> None:
    lines = [(72 + dx, 100 + 14 * k, line) for k, line in enumerate(NUMBERED) for dx in (0, 0.3)]
    documents = parsed(page_pdf(*lines))
    assert " ".join(text_of(documents).replace("**", "").split()) == " ".join(NUMBERED)


@pytest.mark.parametrize("word", ["speci\ufb01c", "\ufb02at", "over\ufb02ow"])
def test_a_ligature_that_is_drawn_twice_stays_in_its_word(word: str) -> None:
    line = f"Every pier has a {word} deck for the ferry."
    twice = [Line(line, 72 + dx, 100, size=9) for dx in (0, 0.3)]
    text = text_of(parsed(script_pdf(twice)))
    assert text.replace("**", "") == normalize("NFKC", line)


# --- tables ----------------------------------------------------------------------------------------------------


def test_words_of_a_table_stay_whole() -> None:
    rows = [
        ("Route", "Passengers", "Change"),
        *((f"Island {k} Gullrock", f"{k}71,900", f"+{k}.6 %") for k in range(6)),
    ]
    doc = pymupdf.open()
    page = doc.new_page()
    for r, row in enumerate(rows):
        for x, cell in zip((72, 220, 330), row, strict=True):
            page.insert_text((x, 120 + 20 * r), cell, fontsize=11)
    for r in range(len(rows) + 1):
        page.draw_line((70, 106 + 20 * r), (420, 106 + 20 * r))
    text = text_of(parsed(save(doc)))
    for row in rows:
        for cell in row:
            assert cell in text


# --- damaged files ---------------------------------------------------------------------------------------------


CUT_LINE = "the harbour master writes down each boat."


def long_pdf() -> bytes:
    doc = pymupdf.open()
    for number in range(6):
        page = doc.new_page()
        lines = (f"Page {number + 1}, line {k + 1}: {CUT_LINE}" for k in range(40))
        page.insert_text((72, 80), "\n".join(lines), fontsize=11)
    return save(doc)


@pytest.mark.parametrize("share", [0.8, 0.7, 0.6])
def test_lines_that_a_cut_off_file_has_lost_are_told_of(share: float, tmp_path: Path) -> None:
    whole = long_pdf()
    path = tmp_path / "cut.pdf"
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.warns(UnreadableContentWarning, match="may be missing|cannot be read"):
        documents = PyMuPDFCoordsLoader(path).load()
    assert 0 < text_of(documents).count(CUT_LINE) < 240


def test_letters_without_ink_are_read_too() -> None:
    lines = [Line(line, 72, 100 + 14 * k) for k, line in enumerate(NUMBERED)]
    documents = parsed(script_pdf(lines, blank=True))
    assert " ".join(NUMBERED) in " ".join(text_of(documents).split())


# --- scans with a little text ----------------------------------------------------------------------------------

STAMPS = (
    "Page 3 of 12",
    "Case 1:21-cv-00123-ABC  Document 45-3  Filed 05/03/23  Page 3 of 12",
    "DocuSign Envelope ID: 7F3C2A10-1B2C-4D5E-8F90-A1B2C3D4E5F6",
)


@pytest.mark.parametrize("stamp", STAMPS)
def test_a_scan_with_a_line_of_real_text_is_still_a_scan(stamp: str) -> None:
    doc = pymupdf.open("pdf", scanned(page_pdf(*((72, 120 + 16 * k, NUMBERED[k % 6]) for k in range(30)))))
    doc[0].insert_text((72, 30), stamp, fontsize=9)
    with pytest.warns(UnreadableContentWarning, match="no readable text on 1 page"):
        parsed(save(doc), ocr="never")


def test_half_a_page_that_is_scanned_is_told_of() -> None:
    scan = pymupdf.open("pdf", scanned(page_pdf(*((72, 120 + 16 * k, NUMBERED[k % 6]) for k in range(40)))))
    picture = scan[0].get_pixmap(dpi=150)
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_image((0, 300, 595, 842), pixmap=picture, keep_proportion=False)
    for k, line in enumerate(wrapped(" ".join(SENTENCES))):
        page.insert_text((72, 100 + 14 * k), line, fontsize=11)
    with pytest.warns(UnreadableContentWarning, match="no readable text on 1 page"):
        parsed(save(doc), ocr="never")


def test_a_photograph_beside_text_is_no_scan() -> None:
    photo = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 300, 200))
    photo.clear_with(140)
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_image((72, 200, 523, 600), pixmap=photo)
    page.insert_text((72, 100), "Annual report of the harbour board for 2023")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = text_of(parsed(save(doc), ocr="never"))
    assert "Annual report of the harbour board for 2023" in text


# --- the engine's own text -------------------------------------------------------------------------------------


def test_repair_can_be_left_out() -> None:
    pdf = script_pdf([from_right(TURNING[1], 100), from_right(HEBREW, 124)])
    repaired, as_it_is = parsed(pdf), parsed(pdf, repair=False)
    assert TURNING[1] in text_of(repaired)
    assert TURNING[1] not in text_of(as_it_is)
    assert repaired[0].id != as_it_is[0].id


def test_rewritten_boxes_are_logged_and_not_warned_of(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    path = tmp_path / "page.pdf"
    path.write_bytes(script_pdf([from_right(TURNING[1], 100)]))
    with warnings.catch_warnings(), caplog.at_level("INFO", "langchain_pymupdf_coords"):
        warnings.simplefilter("error")
        PyMuPDFCoordsLoader(path).load()
    assert "written anew on page(s) 1" in caplog.text
