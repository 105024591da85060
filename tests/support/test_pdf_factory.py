"""Each builder shows the fault it is for: what the bare engine and other readers make of it."""

from collections.abc import Callable

import numpy as np
import pymupdf
import pypdfium2
import pytest

from tests.support import pdf_factory, sample_report
from tests.support.corpus import manifest
from tests.support.ink import ink, ink_bbox
from tests.support.pdf_drawing import LETTER, MARGIN, PAGE_TEXT, line_origin, text_pdf

BUILDERS = [
    pdf_factory.actual_text_pdf,
    pdf_factory.broken_xref_pdf,
    pdf_factory.cjk_pdf,
    pdf_factory.dense_pdf,
    pdf_factory.fake_bold_pdf,
    pdf_factory.form_cycle_pdf,
    pdf_factory.form_kids_cycle_pdf,
    pdf_factory.huge_page_pdf,
    pdf_factory.hyphenated_pdf,
    pdf_factory.js_title_pdf,
    pdf_factory.labels_pdf,
    pdf_factory.ligature_pdf,
    pdf_factory.report_pdf,
    pdf_factory.rtl_pdf,
    pdf_factory.scan_pdf,
    pdf_factory.short_page_tree_pdf,
    pdf_factory.sideways_pdf,
    pdf_factory.superscript_pdf,
    pdf_factory.table_two_pages_pdf,
    pdf_factory.text_pdf,
    pdf_factory.two_column_pdf,
]
CROP = (150.0, 120.0, 512.0, 642.0)


def _open(data: bytes) -> pymupdf.Document:
    return pymupdf.open(stream=data)


def _words(page: pymupdf.Page) -> list[str]:
    return [word[4] for word in page.get_text("words")]


def _markdown(data: bytes, **options: object) -> list[dict[str, object]]:
    return _open(data).to_markdown(page_chunks=True, use_ocr=False, **options)


def _boxes(chunk: dict[str, object]) -> list[tuple[str, str]]:
    """Class and Markdown of each box of an engine's page."""
    return [(box["class"], chunk["text"][slice(*box["pos"])].strip()) for box in chunk["page_boxes"]]


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda builder: builder.__name__)
def test_builders_are_deterministic_and_open(builder: Callable[[], bytes]) -> None:
    data = builder()
    assert data == builder()
    assert _open(data).page_count >= 1


# --- frames -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("cropped", [False, True])
@pytest.mark.parametrize("origin", [(0.0, 0.0), (100.0, 200.0), (-50.0, -30.0)])
def test_text_looks_the_same_in_every_frame(
    rotation: int, cropped: bool, origin: tuple[float, float]
) -> None:
    crop = tuple(edge + origin[i % 2] for i, edge in enumerate(CROP)) if cropped else None
    dark = ink(text_pdf(rotation=rotation, cropbox=crop, mediabox_origin=origin))
    width, height = (CROP[2] - CROP[0], CROP[3] - CROP[1]) if cropped else LETTER
    shape = (height, width) if rotation in (0, 180) else (width, height)
    assert dark.shape == tuple(round(edge * 2) for edge in shape)
    assert ink_bbox(dark) == pytest.approx(ink_bbox(ink(text_pdf())), abs=1)


def test_lines_stand_where_line_origin_says() -> None:
    dark = ink(text_pdf())
    for number in range(len(PAGE_TEXT)):
        x, y = line_origin(number)
        left, _, _, bottom = ink_bbox(dark, (0, y - 9, 600, y + 4))
        assert left == pytest.approx(x, abs=1.5)
        assert 0 <= bottom - y <= 3


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_hidden_text_is_on_the_sheet_but_not_in_the_crop(rotation: int) -> None:
    data = text_pdf(rotation=rotation, cropbox=CROP, hidden=["Hidden words"])
    assert np.array_equal(ink(data), ink(text_pdf(rotation=rotation, cropbox=CROP)))
    page = _open(data)[0]
    assert "Hidden" not in _words(page)
    page.set_cropbox(page.mediabox)
    assert "Hidden" in _words(page)


def test_hidden_text_needs_room() -> None:
    with pytest.raises(ValueError, match="above or below the CropBox"):
        text_pdf(hidden=["Hidden words"])


def test_pages_may_be_strings() -> None:
    doc = _open(text_pdf(pages=["one (1)\ntwo", ["three \\"]]))
    assert [page.get_text().split() for page in doc] == [["one", "(1)", "two"], ["three", "\\"]]


# --- the report ---------------------------------------------------------------------------------------------


def test_report_shows_the_engine_every_class() -> None:
    pages = [_boxes(chunk) for chunk in _markdown(pdf_factory.report_pdf())]
    titles = [[text for kind, text in page if kind == "title"] for page in pages]
    assert titles == [[f"# **{sample_report.TITLE}**"], [], []]
    headings = [text.strip("#* ") for page in pages for kind, text in page if kind == "section-header"]
    assert headings == list(sample_report.SECTIONS)
    items = [text for kind, text in pages[0] if kind == "list-item"]
    assert items == [f"- {item}" for item in sample_report.HIGHLIGHTS]
    [table] = [text for kind, text in pages[1] if kind == "table"]
    assert table.splitlines()[2] == f"|{'|'.join(sample_report.TABLE[1])}|"
    assert ("text", sample_report.YEAR) in pages[0]
    for page, label in zip(pages, sample_report.PAGE_LABELS, strict=True):
        assert page[0] == ("page-header", sample_report.HEADER)
        assert page[-1] == ("page-footer", f"Page {label}")


def test_report_has_labels_metadata_and_outline() -> None:
    doc = _open(pdf_factory.report_pdf())
    assert tuple(page.get_label() for page in doc) == sample_report.PAGE_LABELS
    assert (doc.metadata["title"], doc.metadata["author"]) == (sample_report.TITLE, sample_report.AUTHOR)
    assert [entry[1] for entry in doc.get_toc()] == [sample_report.TITLE, *sample_report.SECTIONS]


# --- text that is not what it seems -------------------------------------------------------------------------


def test_ligatures_are_on_the_page_and_not_in_the_markdown() -> None:
    data = pdf_factory.ligature_pdf()
    page = _open(data)[0]
    assert {"eﬀect", "eﬃcient", "ﬁne", "workﬂow."} <= set(_words(page))
    assert _boxes(_markdown(data)[0]) == [("text", pdf_factory.LIGATURE_TEXT)]
    assert not page.search_for("effect")


def test_hyphen_is_on_the_page_and_not_in_the_markdown() -> None:
    data = pdf_factory.hyphenated_pdf()
    assert {"consid-", "eration", "well-known"} <= set(_words(_open(data)[0]))
    [(_, text)] = _boxes(_markdown(data)[0])
    assert pdf_factory.HYPHENATED_WORD in text
    assert "well-known" in text


def test_superscripts_and_bold_add_marks_and_spaces() -> None:
    data = pdf_factory.superscript_pdf()
    assert {"103", "m2", "CO2", "boldness"} <= set(_words(_open(data)[0]))
    [(_, text)] = _boxes(_markdown(data)[0])
    assert text.startswith("The sample held 10<sup>3</sup> m<sup>2</sup> of CO2 and **bold** ness grew.")


def test_fake_bold_is_twice_on_the_page_and_once_in_the_markdown() -> None:
    data = pdf_factory.fake_bold_pdf()
    assert _words(_open(data)[0]).count("assets") == 2
    [(_, text)] = _boxes(_markdown(data)[0])
    assert text.count("assets") == 1


def test_actual_text_is_read_by_words_and_ignored_by_the_engine() -> None:
    data = pdf_factory.actual_text_pdf()
    [(_, text)] = _boxes(_markdown(data)[0])
    assert text.startswith("All SoHware on board")
    assert "SoHware" not in _words(_open(data)[0])


def test_right_to_left_words_are_reversed_in_the_markdown() -> None:
    data = pdf_factory.rtl_pdf()
    words = pdf_factory.HEBREW_TEXT.replace(".", "").split()
    read = [word for word in _words(_open(data)[0]) if word != "."]
    assert read == words
    [(_, text)] = _boxes(_markdown(data)[0])
    written = text.replace(".", " ").split()
    assert sorted(written) == sorted(words)
    assert written != words


def test_chinese_is_read() -> None:
    data = pdf_factory.cjk_pdf()
    [(_, text)] = _boxes(_markdown(data)[0])
    assert "".join(_words(_open(data)[0])) == pdf_factory.CHINESE_TEXT
    assert text.replace(" ", "") == pdf_factory.CHINESE_TEXT


# --- layouts ------------------------------------------------------------------------------------------------


def test_columns_are_two_boxes_and_a_sentence_goes_from_one_to_the_other() -> None:
    data = pdf_factory.two_column_pdf()
    [(_, left), (_, right)] = _boxes(_markdown(data)[0])
    assert pdf_factory.SPLIT_SENTENCE in f"{left} {right}"
    assert pdf_factory.SPLIT_SENTENCE not in left
    assert pdf_factory.SPLIT_SENTENCE not in right


def test_sideways_paragraph_is_a_box_without_text() -> None:
    data = pdf_factory.sideways_pdf()
    assert "upwards" in _words(_open(data)[0])
    assert ("text", "") in _boxes(_markdown(data)[0])


def test_dense_page_has_its_words_apart() -> None:
    page = _open(pdf_factory.dense_pdf())[0]
    assert len(_words(page)) == 8000
    assert page.get_text("words", clip=page.rect)[-1][4] == "w7999"
    assert ink_bbox(ink(pdf_factory.dense_pdf()))[3] < page.rect.height


def test_table_goes_on_with_its_header_row() -> None:
    pages = [_boxes(chunk) for chunk in _markdown(pdf_factory.table_two_pages_pdf())]
    tables = [text.splitlines() for page in pages for kind, text in page if kind == "table"]
    assert [table[0] for table in tables] == ["|**Station**|**Opened**|**Passengers**|"] * 2
    assert [len(table) for table in tables] == [2 + 7, 2 + 5]


def test_scan_shows_ink_and_holds_no_text() -> None:
    data = pdf_factory.scan_pdf()
    assert _words(_open(data)[0]) == []
    assert ink_bbox(ink(data))[0] == pytest.approx(MARGIN, abs=2)


# --- whole documents ----------------------------------------------------------------------------------------


def test_labels() -> None:
    assert [page.get_label() for page in _open(pdf_factory.labels_pdf())] == ["i", "ii", "A-1"]


def test_title_is_markup() -> None:
    assert _open(pdf_factory.js_title_pdf()).metadata["title"] == pdf_factory.SCRIPT_TITLE


def test_encryption_wants_its_password() -> None:
    doc = _open(pdf_factory.encrypted_pdf(user_password="open sesame"))
    assert doc.needs_pass
    assert not doc.authenticate("wrong")
    assert doc.authenticate("open sesame")
    assert _words(doc[0])[:2] == ["The", "harbour"]


def test_encryption_without_user_password_opens() -> None:
    doc = _open(pdf_factory.encrypted_pdf(user_password=""))
    assert not doc.needs_pass
    assert doc.metadata["encryption"]


def test_damaged_file_does_not_open() -> None:
    data = pdf_factory.damaged_pdf()
    assert data.startswith(b"%PDF-")
    with pytest.raises(pymupdf.FileDataError):
        _open(data)


def test_broken_xref_is_repaired() -> None:
    doc = _open(pdf_factory.broken_xref_pdf())
    assert doc.is_repaired
    assert _words(doc[0])[:2] == ["The", "harbour"]


def test_page_tree_is_shorter_than_it_says() -> None:
    doc = _open(pdf_factory.short_page_tree_pdf())
    assert doc.page_count == 3
    assert [_words(doc[i])[0] for i in range(2)] == ["First", "Third"]
    with pytest.raises(IndexError):
        doc[2]


def test_form_cycle_stops_the_engine_on_one_page_and_the_text_can_be_read() -> None:
    data = pdf_factory.form_cycle_pdf()
    assert _words(_open(data)[0])[:2] == ["The", "harbour"]
    with pytest.raises(pymupdf.mupdf.FzErrorBase) as caught:
        _markdown(data, pages=[0])
    assert "Cycle in field parents" in str(caught.value)
    assert _boxes(_markdown(data, pages=[1])[0])


@pytest.mark.parametrize("page", [0, 1])
def test_form_kids_cycle_stops_the_engine_on_every_page(page: int) -> None:
    data = pdf_factory.form_kids_cycle_pdf()
    assert _words(_open(data)[page])
    with pytest.raises(RecursionError):
        _markdown(data, pages=[page])


def test_huge_page_cannot_be_rendered_and_the_text_can_be_read() -> None:
    data = pdf_factory.huge_page_pdf()
    assert _words(_open(data)[0])[:2] == ["Ferries", "have"]
    with pytest.raises(pymupdf.mupdf.FzErrorBase) as caught:
        _markdown(data)
    assert "Overly large image" in str(caught.value)


# --- helpers ------------------------------------------------------------------------------------------------


def test_ink_agrees_with_another_renderer() -> None:
    data = text_pdf(rotation=90, cropbox=CROP, mediabox_origin=(10.0, 20.0))
    bitmap = pypdfium2.PdfDocument(data)[0].render(scale=2, grayscale=True)
    theirs = bitmap.to_numpy().squeeze() < 128
    assert theirs.shape == ink(data).shape
    assert ink_bbox(theirs) == pytest.approx(ink_bbox(ink(data)), abs=1)


def test_ink_bbox_of_an_empty_clip_is_none() -> None:
    assert ink_bbox(ink(text_pdf()), (300, 300, 400, 400)) is None


def test_manifest_names_files_that_exist(corpus_dir: object) -> None:
    rows = list(manifest())
    assert len(rows) > 100
    assert all(row.path.is_file() for row in rows)
    assert any(row.password for row in rows)
    assert any(row.pages is None for row in rows)
