"""Fixtures and helpers that several test modules share."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from langchain_core.documents import Document
from numpy.typing import NDArray

from langchain_pymupdf_coords import PyMuPDFCoordsLoader
from tests.support.pdf_factory import report_pdf

SHARED = Path(__file__).parents[2] / "shared"
DPI = 144


@dataclass(frozen=True)
class CorpusFile:
    """A row of the corpus manifest; ``pages`` is None where the engine cannot say, ``password`` if none."""

    path: Path
    pages: int | None
    password: str | None
    tags: frozenset[str]


def manifest() -> Iterator[CorpusFile]:
    """Every file of the corpus in the order of its manifest, nothing where the corpus is missing."""
    corpus = SHARED / "corpus"
    if not (corpus / "manifest.tsv").exists():
        return
    header, *rows = (corpus / "manifest.tsv").read_text(encoding="utf-8").splitlines()
    for line in rows:
        row = dict(zip(header.split("\t"), line.split("\t"), strict=True))
        yield CorpusFile(
            corpus / row["file"],
            None if row["pages"] == "?" else int(row["pages"]),
            row["password"] or None,
            frozenset(filter(None, row["tags"].split(","))),
        )


def ink(pdf: bytes, page: int = 1, dpi: int = DPI) -> NDArray[np.bool_]:
    """Dark pixels of a page (from 1) of the file as it is, displayed: rows down, columns right."""
    with pymupdf.open(stream=pdf) as doc:
        pixmap = doc[page - 1].get_pixmap(dpi=dpi, colorspace="gray")
        samples = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
        return samples[:, : pixmap.width] < 128


def ink_bbox(
    dark: NDArray[np.bool_], clip: tuple[float, float, float, float] | None = None, dpi: int = DPI
) -> tuple[float, float, float, float] | None:
    """The rectangle around the dark pixels inside ``clip``, in points of the displayed page, if any."""
    scale = dpi / 72
    x0, y0, x1, y1 = (round(v * scale) for v in clip) if clip else (0, 0, dark.shape[1], dark.shape[0])
    rows, columns = np.nonzero(dark[max(y0, 0) : y1, max(x0, 0) : x1])
    if not rows.size:
        return None
    left, top = max(x0, 0), max(y0, 0)
    edges = (columns.min() + left, rows.min() + top, columns.max() + left + 1, rows.max() + top + 1)
    return tuple(float(edge) / scale for edge in edges)


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
