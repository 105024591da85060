"""Fixtures that several test modules share."""

from pathlib import Path

import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import PyMuPDFCoordsLoader
from tests.support.corpus import SHARED
from tests.support.pdf_factory import report_pdf


def _shared_folder(name: str) -> Path:
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"no shared/{name} beside the repository")
    return folder


@pytest.fixture
def report_path(tmp_path: Path) -> Path:
    """The sample report as a file."""
    path = tmp_path / "report.pdf"
    path.write_bytes(report_pdf())
    return path


@pytest.fixture(scope="session")
def corpus_dir() -> Path:
    """The corpus of public PDFs; the test is skipped where it is missing."""
    return _shared_folder("corpus")


@pytest.fixture(scope="session")
def eval_dir() -> Path:
    """The quotes of the corpus; the test is skipped where they are missing."""
    return _shared_folder("eval")


@pytest.fixture(scope="session")
def report_documents(tmp_path_factory: pytest.TempPathFactory) -> list[Document]:
    """The chunks of the sample report, one for each of its sections; not to be changed."""
    path = tmp_path_factory.mktemp("report") / "report.pdf"
    path.write_bytes(report_pdf())
    return PyMuPDFCoordsLoader(path).load()
