"""How the tests run, and fixtures that several modules share.

With ``CI`` set, properties are tried with more examples (``--hypothesis-profile=ci`` does the same), and tests
that read the corpus beside the repository read all of it (``CORPUS=whole`` does the same).
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import PyMuPDFCoordsLoader
from langchain_pymupdf_coords.loading.worker import use_one_thread
from tests.support.corpus import SHARED
from tests.support.pdf_factory import report_pdf

with suppress(ImportError):  # some environments of CI run tests that have no properties
    from hypothesis import HealthCheck, settings

    # How fast the machine is decides nothing.
    steady = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
    settings.register_profile("dev", max_examples=25, **steady)
    settings.register_profile("ci", max_examples=400, print_blob=True, **steady)
    settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_configure(config: pytest.Config) -> None:
    """Give the layout model one thread in each process of pytest-xdist: it would take every core in each."""
    if hasattr(config, "workerinput"):
        use_one_thread()


def _shared_folder(name: str) -> Path:
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"no shared/{name} beside the repository")
    return folder


@pytest.fixture(scope="session")
def report_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample report as a file in a folder of its own; not to be changed."""
    path = tmp_path_factory.mktemp("report") / "report.pdf"
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
def report_documents(report_path: Path) -> Iterator[list[Document]]:
    """What the loader makes of the sample report: a chunk for each of its sections; not to be changed."""
    documents = PyMuPDFCoordsLoader(report_path).load()
    unchanged = [document.model_copy(deep=True) for document in documents]
    yield documents
    assert documents == unchanged, "a test changed the Documents that all share"
