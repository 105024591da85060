"""Quotes looked for in whole files."""

from pathlib import Path

import pymupdf
import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import (
    CitationLocator,
    PyMuPDFCoordsLoader,
    QuoteLocator,
    SourceUnavailableError,
    clear_kept_files,
)
from langchain_pymupdf_coords.pdf.sample import sample_report

QUOTE = "Leaking pipes lost 8.4 percent of the water"
CLAUSE = "The parties shall keep all of this secret."


@pytest.fixture
def report(tmp_path: Path) -> str:
    path = tmp_path / "report.pdf"
    path.write_bytes(sample_report())
    return str(path)


@pytest.fixture
def clauses(tmp_path: Path) -> str:
    path = tmp_path / "clauses.pdf"
    with pymupdf.open() as file:
        for _ in range(3):
            file.new_page().insert_text((72, 100), CLAUSE)
        file.save(path)
    return str(path)


def test_a_quote_in_a_file_is_where_its_document_has_it(report: str) -> None:
    (_, own), *_ = QuoteLocator().locate_all(PyMuPDFCoordsLoader(report).load(), QUOTE)
    found = QuoteLocator().locate_in_file(report, QUOTE)
    assert found is not None
    assert (found.status, found.precision, found.occurrences) == ("exact", "word", 1)
    assert [region.page for region in found.regions] == [region.page for region in own.regions]
    for mine, theirs in zip(found.regions[0].quads, own.regions[0].quads, strict=True):
        assert mine[0] == pytest.approx(theirs[0], abs=3)


def test_all_places_of_a_quote_are_given_by_page(clauses: str) -> None:
    found = QuoteLocator().locate_all_in_file(clauses, CLAUSE)
    assert [(match.regions[0].page, match.occurrences) for match in found] == [(1, 3), (2, 3), (3, 3)]
    second = QuoteLocator().locate_in_file(clauses, CLAUSE, pages=[2])
    assert second is not None
    assert second.regions[0].page == 2


def test_what_the_file_has_not_is_not_found(report: str) -> None:
    assert QuoteLocator().locate_in_file(report, "Leaking pipes lost 9.4 percent of the water") is None


def test_a_changed_file_is_read_anew_and_a_gone_one_is_said(clauses: str, report: str) -> None:
    assert QuoteLocator().locate_in_file(clauses, CLAUSE)
    Path(clauses).write_bytes(Path(report).read_bytes())
    assert QuoteLocator().locate_in_file(clauses, CLAUSE) is None
    clear_kept_files()
    assert QuoteLocator().locate_in_file(clauses, QUOTE)
    with pytest.raises(SourceUnavailableError):
        QuoteLocator().locate_in_file(clauses + ".gone", QUOTE)


def test_a_citation_outside_the_documents_says_so_and_is_not_verified(report: str) -> None:
    document = Document("Something else.", metadata={"source": report})
    answer = {"answer": "So [1].", "citations": [{"source": 1, "quote": QUOTE}]}
    given = {"answer": answer, "documents": [document]}
    (found,) = CitationLocator(search_files=True).invoke(given).citations
    assert (found.outside_documents, found.verified, found.document) == (True, False, None)
    assert found.match is not None
    assert found.match.regions[0].page == 1
    (plain,) = CitationLocator().invoke(given).citations
    assert (plain.outside_documents, plain.match) == (False, None)
