"""Threads at everything at once: PyMuPDF knows no threads, LangChain uses them everywhere."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path

import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import (
    PyMuPDFCoordsLoader,
    QuoteLocatingRetriever,
    QuoteLocator,
    QuoteMatch,
    SourceCropTransformer,
)
from tests.support import pdf_factory
from tests.support.retriever_bases import LOCATOR, QUESTION, vector_retriever

THREADS = 8


def crops(documents: list[Document]) -> list[str]:
    return [document.metadata["crops"] for document in SourceCropTransformer(dpi=50).invoke(documents)]


def quotes(documents: list[Document]) -> list[QuoteMatch | None]:
    """Locate a word of each Document, by a locator of its own."""
    locator = QuoteLocator()
    return [locator.locate(document, document.page_content.split()[-1]) for document in documents]


@pytest.fixture
def jobs(report_path: Path, tmp_path: Path) -> list[Callable[[], object]]:
    """One call for each thing that opens files, on files that all of them share."""
    turned = tmp_path / "turned.pdf"
    turned.write_bytes(pdf_factory.text_pdf(rotation=90))
    documents = PyMuPDFCoordsLoader([report_path, turned]).load()
    retriever = QuoteLocatingRetriever(base_retriever=vector_retriever(), locator=LOCATOR)
    return [
        lambda: PyMuPDFCoordsLoader(report_path).load(),
        lambda: quotes(documents),
        lambda: retriever.invoke(QUESTION),
        lambda: crops(documents),
        lambda: PyMuPDFCoordsLoader(turned).load(),
        lambda: retriever.batch([QUESTION, "How many vessels are there?"]),
    ]


@pytest.mark.parametrize("seconds", [5, pytest.param(60, marks=pytest.mark.slow)])
def test_threads_get_the_results_of_one(jobs: list[Callable[[], object]], seconds: float) -> None:
    expected = [job() for job in jobs]
    assert all(expected)
    assert all(match is not None for match in expected[1])
    deadline = time.monotonic() + seconds

    def work(first: int) -> int:
        done = 0
        for number in islice(cycle(range(len(jobs))), first, None):
            assert jobs[number]() == expected[number]
            done += 1
            if time.monotonic() > deadline and done >= len(jobs):
                return done
        return done

    with ThreadPoolExecutor(THREADS) as pool:
        counts = list(pool.map(work, range(THREADS)))
    assert min(counts) >= len(jobs)
