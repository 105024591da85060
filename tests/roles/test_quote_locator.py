"""Quotes land on their words: the faults of searching the page, one by one."""

import json
import pickle
import re
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pymupdf
import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import (
    OptionError,
    PDFPasswordError,
    ProvenanceError,
    QuoteLocator,
    QuoteMatch,
    SourceAccessError,
    SourceChangedError,
    SourceChangedWarning,
)
from langchain_pymupdf_coords.folding import fold_glyphs
from langchain_pymupdf_coords.geometry import quad_to_bbox
from tests.support import pdf_factory
from tests.support.ink import ink, ink_bbox
from tests.support.read_once import loaded

LOCATOR = QuoteLocator()


def load(folder: Path, data: bytes, **options: object) -> list[Document]:
    path = folder / "file.pdf"
    path.write_bytes(data)
    return loaded(path, exclude_classes=(), **options)


def letters_under(data: bytes, match: QuoteMatch) -> str:
    """Letters whose centres lie under the quads, read from the file as it is."""
    found = []
    with pymupdf.open(stream=data) as doc:
        for region in match.regions:
            page = doc[region.page - 1]
            boxes = [quad_to_bbox(quad) for quad in region.quads]
            flags = pymupdf.TEXTFLAGS_RAWDICT | pymupdf.TEXT_IGNORE_ACTUALTEXT
            for block in page.get_text("rawdict", flags=flags)["blocks"]:
                for line in block.get("lines", ()):
                    for char in (char for span in line["spans"] for char in span["chars"]):
                        centre = pymupdf.Rect(char["bbox"]) * page.rotation_matrix
                        x, y = (centre.x0 + centre.x1) / 2, (centre.y0 + centre.y1) / 2
                        if any(b[0] <= x <= b[2] and b[1] - 0.5 <= y <= b[3] + 0.5 for b in boxes):
                            found.append(char["c"])
    return fold_glyphs("".join(found))


def locate(documents: list[Document], quote: str) -> QuoteMatch:
    found = LOCATOR.locate_all(documents, quote)
    assert found, quote
    return found[0][1]


@pytest.mark.parametrize(
    ("make", "quote"),
    [
        (pdf_factory.ligature_pdf, "nobody found a difference that would have been difficult to explain"),
        (pdf_factory.hyphenated_pdf, "gave the proposal its careful consideration before the vote"),
        (pdf_factory.hyphenated_pdf, "careful consideration"),
        (pdf_factory.actual_text_pdf, "All SoHware on board was renewed"),
        (pdf_factory.cjk_pdf, "七艘船在日出前离开"),
        (pdf_factory.two_column_pdf, pdf_factory.SPLIT_SENTENCE),
        (pdf_factory.superscript_pdf, "The sample held 10^3 m2 of CO2 and boldness grew."),
        (pdf_factory.superscript_pdf, "boldness grew"),
    ],
)
def test_the_letters_under_the_quads_are_the_quote(tmp_path: Path, make: object, quote: str) -> None:
    data = make()
    match = locate(load(tmp_path, data), quote)
    assert match.precision == "word"
    assert letters_under(data, match) == fold_glyphs(quote)


def test_fake_bold_is_found_once(tmp_path: Path) -> None:
    data = pdf_factory.fake_bold_pdf()
    quote = "Total assets rose again to a new height"
    match = locate(load(tmp_path, data), quote)
    assert sorted(letters_under(data, match)) == sorted(fold_glyphs(quote) * 2)
    assert len(match.regions[0].quads) == 1


def test_right_to_left_text_as_the_chunk_has_it(tmp_path: Path) -> None:
    data = pdf_factory.rtl_pdf()
    documents = load(tmp_path, data)
    quote = documents[0].page_content.split("\n")[0][:60].rsplit(" ", 1)[0]
    match = locate(documents, quote)
    assert match.precision == "word"
    assert sorted(letters_under(data, match)) == sorted(fold_glyphs(quote))


def test_a_quote_over_three_lines_is_one_match_with_a_quad_per_line(tmp_path: Path) -> None:
    data = pdf_factory.text_pdf(pages=(pdf_factory.BODY,))
    quote = " ".join(pdf_factory.BODY)
    match = locate(load(tmp_path, data), quote)
    assert len(match.regions) == 1
    assert len(match.regions[0].quads) == 3
    assert match.occurrences == 1


def test_a_quote_over_two_pages_has_a_region_on_each(tmp_path: Path) -> None:
    first = [*pdf_factory.BODY, "The harbour master, who had seen many winters, looked out of the window and"]
    second = ["saw that the ice had come early this year. Everyone was surprised.", *pdf_factory.BODY]
    data = pdf_factory.text_pdf(pages=(first, second))
    match = locate(load(tmp_path, data), "looked out of the window and saw that the ice had come early")
    assert [region.page for region in match.regions] == [1, 2]
    assert letters_under(data, match) == "lookedoutofthewindowandsawthattheicehadcomeearly"


def test_a_running_head_interrupts_a_sentence_but_not_its_quote() -> None:
    head = "Annual report 2025"
    content = f"The harbour froze early and\n\n{head}\n\nthe ferries stayed in port until March."
    at = content.index(head)
    parts = [
        ("text", 0, at - 2),
        ("page-header", at, at + len(head)),
        ("text", at + len(head) + 2, len(content)),
    ]
    boxes = [
        {
            "page": 1 + (start > 0),
            "bbox": [10, 10 + start, 200, 20 + start],
            "class": name,
            "span": [start, end],
        }
        for name, start, end in parts
    ]
    document = Document(page_content=content, metadata={"source": "gone.pdf", "boxes": json.dumps(boxes)})
    match = LOCATOR.locate(document, "froze early and the ferries stayed in port")
    assert match is not None
    assert match.status == "normalized"
    assert [region.page for region in match.regions] == [1, 2]
    assert [len(region.quads) for region in match.regions] == [1, 1]
    assert LOCATOR.locate(document, "froze early and Annual the ferries stayed") is None


def test_a_number_is_not_found_inside_another(tmp_path: Path) -> None:
    lines = [
        "The harbour paid 1,250.00 for repairs.",
        "Another 250 went to the crew of the ferry.",
        *pdf_factory.BODY,
    ]
    data = pdf_factory.text_pdf(pages=(lines,))
    documents = load(tmp_path, data)
    match = locate(documents, "250")
    assert match.occurrences == 1
    _, y0, _, _ = quad_to_bbox(match.regions[0].quads[0])
    assert letters_under(data, match) == "250"
    assert y0 > 55


def test_occurrences_are_counted(tmp_path: Path) -> None:
    lines = ["The ferry leaves at noon on Monday.", "Nobody waits.", "The ferry leaves at noon on Monday."]
    match = locate(load(tmp_path, pdf_factory.text_pdf(pages=(lines,))), "The ferry leaves at noon")
    assert match.occurrences == 2
    assert match.status == "exact"


def test_table_cells(tmp_path: Path) -> None:
    data = pdf_factory.table_two_pages_pdf()
    documents = load(tmp_path, data)
    for row in ("|Station 3|1903|3,111|", "Station 9 1909 9,333"):
        match = locate(documents, row)
        assert match.precision == "word"
        assert letters_under(data, match) == fold_glyphs(row)
        assert len(match.regions) == 1


def test_sideways_text(tmp_path: Path) -> None:
    data = pdf_factory.sideways_pdf()
    quote = pdf_factory.SIDEWAYS_TEXT[1]
    match = locate(load(tmp_path, data), quote)
    (quad,) = match.regions[0].quads
    x0, y0, x1, y1 = quad_to_bbox(quad)
    assert y1 - y0 > 5 * (x1 - x0)
    assert letters_under(data, match) == fold_glyphs(quote)


def test_sideways_lines_side_by_side_are_not_one_quad(tmp_path: Path) -> None:
    data = pdf_factory.sideways_pdf()
    match = locate(load(tmp_path, data), " ".join(pdf_factory.SIDEWAYS_TEXT))
    assert len(match.regions[0].quads) == 3


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_quads_cover_the_ink_of_the_quote_only(tmp_path: Path, rotation: int) -> None:
    data = pdf_factory.text_pdf(
        pages=(pdf_factory.PAGE_TEXT,), rotation=rotation, cropbox=(30, 40, 580, 740), mediabox_origin=(0, 0)
    )
    documents = load(tmp_path, data)
    quote = pdf_factory.PAGE_TEXT[1]
    match = locate(documents, quote)
    dark = ink(data)
    (quad,) = match.regions[0].quads
    bbox = quad_to_bbox(quad)
    inside = ink_bbox(dark, bbox)
    line = ink_bbox(dark, (0, bbox[1] - 1, 10_000, bbox[3] + 1))
    assert inside is not None
    assert line is not None
    assert inside[0] == pytest.approx(line[0], abs=0.6)
    assert inside[2] == pytest.approx(line[2], abs=1.1)
    assert letters_under(data, match) == fold_glyphs(quote)


def test_closing_punctuation_is_covered(tmp_path: Path) -> None:
    documents = load(tmp_path, pdf_factory.text_pdf(pages=(pdf_factory.BODY,)))
    (with_stop,) = locate(documents, "by name.").regions[0].quads
    (without,) = locate(documents, "by name").regions[0].quads
    assert with_stop[1][0] > without[1][0] + 1


def test_without_the_file_the_stored_lines_are_used(tmp_path: Path) -> None:
    documents = load(tmp_path, pdf_factory.text_pdf(pages=(pdf_factory.BODY,)))
    word = locate(documents, pdf_factory.BODY[1])
    (tmp_path / "file.pdf").unlink()
    line = locate(documents, pdf_factory.BODY[1])
    assert (word.precision, line.precision) == ("word", "line")
    for a, b in zip(word.regions[0].quads, line.regions[0].quads, strict=True):
        assert quad_to_bbox(a) == pytest.approx(quad_to_bbox(b), abs=2.5)


def test_without_file_and_lines_the_box_is_used(tmp_path: Path) -> None:
    documents = load(tmp_path, pdf_factory.text_pdf(pages=(pdf_factory.BODY,)), line_map=False)
    assert locate(documents, pdf_factory.BODY[1]).precision == "word"
    (tmp_path / "file.pdf").unlink()
    match = locate(documents, pdf_factory.BODY[1])
    assert match.precision == "box"
    assert list(quad_to_bbox(match.regions[0].quads[0])) in [
        box["bbox"] for box in json.loads(documents[0].metadata["boxes"])
    ]


def test_documents_of_the_article(report_documents: list[Document]) -> None:
    """Only ``source``, ``page`` and ``boxes`` of page and bbox, as older indexes hold them."""
    old = [
        Document(
            page_content=document.page_content,
            metadata={
                "source": document.metadata["source"],
                "page": document.metadata["page"],
                "boxes": json.dumps(
                    [{"page": b["page"], "bbox": b["bbox"]} for b in json.loads(document.metadata["boxes"])]
                ),
            },
        )
        for document in report_documents
    ]
    for before, after in zip(report_documents, old, strict=True):
        for sentence in re.findall(r"[A-Z][^.|\n]{30,}\.", before.page_content):
            new_match, old_match = LOCATOR.locate(before, sentence), LOCATOR.locate(after, sentence)
            assert new_match is not None
            assert old_match is not None
            assert old_match.regions == new_match.regions
            assert old_match.precision == "word"


def test_a_changed_file_is_not_searched(tmp_path: Path) -> None:
    documents = load(tmp_path, pdf_factory.text_pdf(pages=(pdf_factory.BODY,)))
    (tmp_path / "file.pdf").write_bytes(pdf_factory.text_pdf(pages=(["Other words."],)))
    with pytest.warns(SourceChangedWarning, match=r"file\.pdf"):
        match = LOCATOR.locate(documents[0], pdf_factory.BODY[0])
    assert match is not None
    assert match.precision == "line"
    with pytest.raises(SourceChangedError):
        QuoteLocator(on_change="raise").locate(documents[0], pdf_factory.BODY[0])


def test_moved_files_are_found_by_a_resolver(tmp_path: Path) -> None:
    data = pdf_factory.text_pdf(pages=(pdf_factory.BODY,))
    documents = load(tmp_path, data)
    (tmp_path / "file.pdf").unlink()
    match = QuoteLocator(resolver=lambda source: data).locate(documents[0], pdf_factory.BODY[2])
    assert match is not None
    assert match.precision == "word"


def test_files_outside_the_root_are_refused(tmp_path: Path) -> None:
    documents = load(tmp_path, pdf_factory.text_pdf(pages=(pdf_factory.BODY,)))
    (tmp_path / "inner").mkdir()
    with pytest.raises(SourceAccessError):
        QuoteLocator(root=tmp_path / "inner").locate(documents[0], pdf_factory.BODY[2])
    assert QuoteLocator(root=tmp_path).locate(documents[0], pdf_factory.BODY[2])


def test_encrypted_files(tmp_path: Path) -> None:
    documents = load(tmp_path, pdf_factory.encrypted_pdf(user_password="secret"), password="secret")
    quote = documents[0].page_content.split("\n")[0]
    with pytest.raises(PDFPasswordError):
        LOCATOR.locate(documents[0], quote)
    match = QuoteLocator(password="secret").locate(documents[0], quote)
    assert match is not None
    assert match.precision == "word"


def test_what_is_not_there_is_none(report_documents: list[Document]) -> None:
    document = report_documents[0]
    assert LOCATOR.locate(document, "The moon is made of green cheese, said the miller.") is None
    assert LOCATOR.locate(document, "") is None


def test_documents_without_coordinates_are_refused() -> None:
    with pytest.raises(ProvenanceError, match="boxes"):
        LOCATOR.locate(Document(page_content="Some words here.", metadata={"source": "x.pdf"}), "Some words")


def test_options_are_checked() -> None:
    with pytest.raises(OptionError, match="cutoff"):
        QuoteLocator(cutoff=101)
    with pytest.raises(OptionError, match="on_change"):
        QuoteLocator(on_change="ignore")


def test_pickled_and_threaded_locators_agree(report_documents: list[Document]) -> None:
    quotes = [(document, document.page_content[:80]) for document in report_documents]
    expected = [LOCATOR.locate(*pair) for pair in quotes]
    locator = pickle.loads(pickle.dumps(LOCATOR))
    with ThreadPoolExecutor(8) as pool:
        for _ in range(4):
            assert list(pool.map(lambda pair: locator.locate(*pair), quotes)) == expected


async def test_async_twins(report_documents: list[Document]) -> None:
    quote = report_documents[1].page_content[:60]
    assert await LOCATOR.alocate(report_documents[1], quote) == LOCATOR.locate(report_documents[1], quote)
    assert await LOCATOR.alocate_all(report_documents, quote) == LOCATOR.locate_all(report_documents, quote)


def test_locating_changes_no_document(report_documents: list[Document]) -> None:
    document = report_documents[0]
    before = document.model_copy(deep=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LOCATOR.locate(document, document.page_content[:40])
    assert document == before
