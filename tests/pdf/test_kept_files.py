"""What is kept of files for repeated calls: once, bounded, and without their passwords."""

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from langchain_pymupdf_coords.errors import PDFPasswordError
from langchain_pymupdf_coords.pdf import glyphs
from langchain_pymupdf_coords.pdf.engine import engine
from langchain_pymupdf_coords.pdf.glyphs import clear_kept_files, file_words, kept_document, page_glyphs
from langchain_pymupdf_coords.sources.files import SourceFile
from tests.support.pdf_drawing import text_pdf
from tests.support.pdf_factory import encrypted_pdf

SECRET = "correct horse battery staple"


@pytest.fixture(autouse=True)
def _nothing_is_kept() -> Iterator[None]:
    clear_kept_files()
    yield
    clear_kept_files()


def in_memory(data: bytes) -> SourceFile:
    return SourceFile("memory.pdf", None, data)


def report(number: int) -> SourceFile:
    return in_memory(text_pdf(pages=[[f"Report {number} of the harbour."]]))


def test_words_are_read_once() -> None:
    data = text_pdf(pages=[["The ferry leaves at seven."]])
    words = file_words(in_memory(data))
    assert words.letters == "theferryleavesatseven"
    assert file_words(in_memory(data)) is words
    clear_kept_files()
    assert file_words(in_memory(data)) is not words


def test_a_changed_file_is_another_one(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf(pages=[["The ferry leaves at seven."]]))
    file = SourceFile("report.pdf", path, None)
    assert file_words(file).letters == "theferryleavesatseven"
    path.write_bytes(text_pdf(pages=[["The ferry leaves at eight."]]))
    assert file_words(file).letters == "theferryleavesateight"


def test_the_words_used_last_are_kept_within_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(file_words(report(1)).letters)
    clear_kept_files()
    monkeypatch.setattr(glyphs._words, "_size", 2 * size)
    first, second = file_words(report(1)), file_words(report(2))
    assert file_words(report(1)) is first  # now the second one is the oldest
    file_words(report(3))
    assert file_words(report(1)) is first
    assert file_words(report(2)) is not second


def test_a_file_larger_than_the_bound_drives_no_other_out(monkeypatch: pytest.MonkeyPatch) -> None:
    small = file_words(report(1))
    monkeypatch.setattr(glyphs._words, "_size", len(small.letters))
    large = in_memory(
        text_pdf(pages=[["The ferry leaves the old pier at seven and comes back by midnight."]])
    )
    assert file_words(large) is not file_words(large)
    assert file_words(report(1)) is small


def test_documents_that_have_to_go_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glyphs._documents, "_size", 1)
    with engine("reports"):
        first = kept_document(report(1), None)
        second = kept_document(report(2), None)
        assert (first.is_closed, second.is_closed) == (True, False)
    clear_kept_files()
    assert second.is_closed


def test_one_password_opens_nothing_for_another() -> None:
    file = in_memory(encrypted_pdf(user_password=SECRET, owner_password="owner"))
    assert file_words(file, password=SECRET).letters
    assert page_glyphs(file, 1, password=SECRET) is not None
    for wrong in ("wrong", None):
        with pytest.raises(PDFPasswordError):
            file_words(file, password=wrong)
        with pytest.raises(PDFPasswordError):
            page_glyphs(file, 1, password=wrong)


def test_no_key_holds_a_password() -> None:
    file = in_memory(encrypted_pdf(user_password=SECRET, owner_password="owner"))
    file_words(file, password=SECRET)
    page_glyphs(file, 1, password=SECRET)
    kept = [glyphs._documents, glyphs._pages, glyphs._words]
    keys = [key for recent in kept for key in recent._values]
    assert len(keys) == len(kept)
    assert SECRET not in repr(keys)
    assert SECRET.encode() not in repr(keys).encode()


def test_threads_read_the_same_words() -> None:
    files = [report(number % 5) for number in range(40)]
    with ThreadPoolExecutor(8) as threads:
        found = [*threads.map(lambda file: file_words(file).letters, files)]
    assert found == [f"report{number % 5}oftheharbour" for number in range(40)]


def test_clearing_while_others_read_loses_nothing() -> None:
    file = report(7)

    def read(number: int) -> str:
        if number % 3 == 0:
            clear_kept_files()
        return file_words(file).letters

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(read, range(60))) == {"report7oftheharbour"}
    gc.collect()
