"""Letters that OCR confuses may differ where an OCR engine wrote the text, and only there."""

from pathlib import Path

import pymupdf
import pytest

from langchain_pymupdf_coords import PyMuPDFCoordsLoader, QuoteLocator

VISIBLE, INVISIBLE = 0, 3

READ = "The cornpany paid its sharehoIders twice in the year of the flood."
PRINTED = "The company paid its shareholders twice in the year of the flood."


def written(path: Path, render_mode: int, producer: str = "") -> str:
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), READ, render_mode=render_mode)
    document.set_metadata({"producer": producer})
    document.save(path)
    return str(path)


@pytest.mark.parametrize(
    ("render_mode", "producer"), [(INVISIBLE, ""), (VISIBLE, "ABBYY FineReader 16"), (VISIBLE, "Tesseract 5")]
)
def test_misread_letters_are_told(tmp_path: Path, render_mode: int, producer: str) -> None:
    (document,) = PyMuPDFCoordsLoader(written(tmp_path / "a.pdf", render_mode, producer), ocr="never").load()
    match = QuoteLocator().locate(document, PRINTED)
    assert match is not None
    assert match.status == "fuzzy"
    assert [(d.quote_text, d.page_text) for d in match.differences if d.kind == "ocr_confusable"] == [
        ("company", "cornpany"),
        ("shareholders", "sharehoIders"),
    ]


def test_typed_letters_may_not_differ(tmp_path: Path) -> None:
    (document,) = PyMuPDFCoordsLoader(written(tmp_path / "a.pdf", VISIBLE), ocr="never").load()
    assert QuoteLocator().locate(document, PRINTED) is None
    (tmp_path / "a.pdf").unlink()
    assert QuoteLocator().locate(document, PRINTED) is None


def test_text_that_was_read_from_a_picture_has_no_layer_in_the_file(tmp_path: Path) -> None:
    (document,) = PyMuPDFCoordsLoader(written(tmp_path / "a.pdf", VISIBLE), ocr="never").load()
    scan = pymupdf.open()
    with pymupdf.open(tmp_path / "a.pdf") as original:
        page = scan.new_page()
        page.insert_image(page.rect, pixmap=original[0].get_pixmap(dpi=72))
    scan.save(tmp_path / "scan.pdf")
    kept = {key: value for key, value in document.metadata.items() if key != "source_digest"}
    document = document.model_copy(update={"metadata": {**kept, "source": str(tmp_path / "scan.pdf")}})
    assert QuoteLocator().locate(document, PRINTED) is not None
