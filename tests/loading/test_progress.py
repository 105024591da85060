"""Progress: pages done and known, by a function or a bar."""

import sys
from pathlib import Path

import pytest

from langchain_pymupdf_coords import OptionError, PyMuPDFCoordsLoader
from langchain_pymupdf_coords.loading import page_readers
from langchain_pymupdf_coords.loading.progress import Progress
from tests.support import pdf_factory


def test_a_function_is_told_of_each_window(
    tmp_path: Path, report_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.pdf"
    other.write_bytes(pdf_factory.two_column_pdf())
    monkeypatch.setattr(page_readers, "LOCAL_WINDOW", 2)
    steps: list[tuple[int, int]] = []
    PyMuPDFCoordsLoader([report_path, other], progress=lambda done, total: steps.append((done, total))).load()
    assert steps == [(2, 3), (3, 3), (4, 4)]


def test_pages_left_out_are_not_counted(report_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    PyMuPDFCoordsLoader(report_path, pages=[2], progress=lambda *step: steps.append(step)).load()
    assert steps == [(1, 1)]


def test_a_bar(report_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    PyMuPDFCoordsLoader(report_path, progress=True).load()
    shown = capsys.readouterr()
    assert "3/3" in shown.err
    assert not shown.out


def test_without_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match=r"langchain-pymupdf-coords\[progress\]"):
        PyMuPDFCoordsLoader("report.pdf", progress=True)


def test_neither_a_bool_nor_a_function() -> None:
    with pytest.raises(OptionError, match="progress must be"):
        PyMuPDFCoordsLoader("report.pdf", progress=1)


def test_what_is_left_is_estimated_from_the_files_so_far() -> None:
    progress = Progress(files=4)
    assert progress.remaining() == 0
    progress.open(10)
    progress.advance(10)
    progress.open(20)
    progress.advance(5)
    assert progress.remaining() == 15 + 2 * 15
