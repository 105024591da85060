"""No letter of a page is lost: those that PDFium and MuPDF read on a page are in its boxes.

Reads the first pages of a sample of the shared corpus; ``CORPUS_PAGES`` and ``CORPUS=whole`` as in ``test_corpus``.
"""

import os
from collections import Counter

import pymupdf
import pypdfium2
import pytest

from langchain_pymupdf_coords.errors import PyMuPDFCoordsError
from langchain_pymupdf_coords.folding import fold_glyphs, fold_letters
from langchain_pymupdf_coords.layout.rows import distinct
from langchain_pymupdf_coords.pdf.engine import ENGINE_ERRORS, engine
from langchain_pymupdf_coords.pdf.opening import open_upright
from langchain_pymupdf_coords.pdf.reading import PDFReader
from langchain_pymupdf_coords.pdf.text import TEXT_FLAGS, text_runs
from tests.support.corpus import CorpusFile, corpus_files

pytestmark = pytest.mark.corpus

PAGES = int(os.environ.get("CORPUS_PAGES", "2"))
FILES = {
    name: file
    for name, file in corpus_files().items()
    if file.pages and not file.tags & {"unopenable", "pw-unknown", "huge"}
}
# The engine takes a letter o for the mark of a list item.
BULLETS = "o"


def pdfium_letters(file: CorpusFile, number: int) -> Counter[str]:
    text = (
        pypdfium2.PdfDocument(file.path, password=file.password)[number - 1].get_textpage().get_text_range()
    )
    return Counter(fold_glyphs(text))


def mupdf_letters(file: CorpusFile, number: int) -> Counter[str]:
    """The letters that MuPDF reads as the engine does, without those that are drawn over others."""
    flags = TEXT_FLAGS | pymupdf.TEXT_COLLECT_STYLES
    with (
        engine(file.path.name),
        open_upright(file.path, name=file.path.name, password=file.password) as document,
    ):
        page = document.load_page(number - 1)
        runs = text_runs(page.get_textpage(flags=flags, clip=page.rect), glyphs=False)
    return Counter(fold_glyphs("".join(run.text for run in distinct(runs))))


@pytest.mark.parametrize("name", FILES)
def test_letters_of_pages_are_in_their_boxes(name: str) -> None:
    file = FILES[name]
    pymupdf.TOOLS.mupdf_display_errors(False)
    try:
        numbers = range(1, min(file.pages or 0, PAGES) + 1)
        with PDFReader(file.path, name=name, password=file.password) as reader:
            pages = reader.read(numbers)
        wanted = {number: pdfium_letters(file, number) & mupdf_letters(file, number) for number in numbers}
    except (PyMuPDFCoordsError, pypdfium2.PdfiumError, *ENGINE_ERRORS) as error:
        pytest.skip(f"cannot be read by both: {error}")
    for page in pages:
        have = Counter(fold_letters("\n".join(box.text for box in page.boxes)))
        lost = wanted[page.number] - have
        del lost[BULLETS]
        assert not lost, f"page {page.number}"
