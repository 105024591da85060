"""What the engine complains about is in the log, under a name that stays."""

import logging
from pathlib import Path

import pytest

from langchain_pymupdf_coords import PyMuPDFCoordsLoader
from tests.support.pdf_factory import report_pdf


def test_what_is_repaired_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    contents = report_pdf()
    damaged = tmp_path / "report.pdf"
    damaged.write_bytes(contents[: contents.rindex(b"startxref")])
    with caplog.at_level(logging.INFO, logger="langchain_pymupdf_coords"):
        assert PyMuPDFCoordsLoader(damaged, pages=[1]).load()
    assert {record.name for record in caplog.records} == {"langchain_pymupdf_coords.pdf"}
    assert any("report.pdf" in record.message and "repair" in record.message for record in caplog.records)
