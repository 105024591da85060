"""Locating and cropping against bare PyMuPDF, and how other loaders are called."""

import statistics
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pymupdf
from langchain_core.documents import Document

from langchain_pymupdf_coords import PyMuPDFCoordsLoader, QuoteLocator, SourceBox, SourceCropTransformer
from tests.support.pdf_factory import report_pdf

Row = tuple[str, str, str]
ROUNDS = 5

OTHER_LOADERS = {
    "langchain-pymupdf4llm": [],
    "langchain-docling": [],
    "langchain-unstructured": ["unstructured[pdf]"],
}


def _report(folder: Path) -> tuple[Path, list[Document]]:
    path = folder / "queries.pdf"
    path.write_bytes(report_pdf())
    return path, PyMuPDFCoordsLoader(path).load()


def _median(clock: str, work: Callable[[], object]) -> float:
    now = time.process_time if clock == "cpu" else time.perf_counter
    times = []
    for _ in range(ROUNDS):
        start = now()
        work()
        times.append(now() - start)
    return statistics.median(times)


def locating(folder: Path, clock: str) -> Iterator[Row]:
    """Locate sentences of each chunk: our way, by ``search_for`` in its boxes, by runs of equal words."""
    path, documents = _report(folder)
    quotes = [
        (document, line)
        for document in documents
        for line in islice(filter(lambda text: len(text.split()) > 4, document.page_content.splitlines()), 3)
    ]
    locator = QuoteLocator()
    ways: dict[str, Callable[[Document, str], object]] = {
        "locate": locator.locate,
        "search_for": lambda document, quote: _search(path, document, quote),
        "word runs": lambda document, quote: _word_runs(path, document, quote),
    }
    found = {name: sum(bool(way(*pair)) for pair in quotes) for name, way in ways.items()}
    times = {
        name: _median(clock, lambda way=way: [way(*pair) for pair in quotes]) for name, way in ways.items()
    }
    for name, value in times.items():
        each = f"{1000 * value / len(quotes):.2f} ms, {found[name]} of {len(quotes)} found"
        yield f"{name}, each of {len(quotes)} quotes", each, f"{value / times['search_for']:.2f}"


def _search(path: Path, document: Document, quote: str) -> list[pymupdf.Quad]:
    with pymupdf.open(path) as pdf:
        return [
            quad
            for box in SourceBox.from_document(document)
            for quad in pdf[box.page - 1].search_for(quote, clip=box.bbox, quads=True)
        ]


def _word_runs(path: Path, document: Document, quote: str) -> list[tuple[float, ...]]:
    """The recipe of grounding pages: words of the page that are those of the quote, in a row."""
    wanted = quote.split()
    with pymupdf.open(path) as pdf:
        for number in range(document.metadata["page"], document.metadata["page_end"] + 1):
            words = pdf[number - 1].get_text("words")
            for start in range(len(words) - len(wanted) + 1):
                run = words[start : start + len(wanted)]
                if [word[4] for word in run] == wanted:
                    return [word[:4] for word in run]
    return []


def crops(folder: Path, clock: str) -> Iterator[Row]:
    """Crops of all chunks against pixmaps of the same rectangles, as PNG at the same resolution."""
    path, documents = _report(folder)
    transformer = SourceCropTransformer(dpi=150)
    ours = _median(clock, lambda: transformer.transform_documents(documents))
    bare = _median(clock, lambda: _pixmaps(path, documents))
    yield (
        f"crops / bare pixmaps, {len(documents)} chunks",
        f"{ours:.3f} s / {bare:.3f} s",
        f"{ours / bare:.2f}",
    )


def _pixmaps(path: Path, documents: list[Document]) -> None:
    with pymupdf.open(path) as pdf:
        for document in documents:
            for page in {box.page for box in SourceBox.from_document(document)}:
                area = pymupdf.Rect()
                for box in SourceBox.from_document(document):
                    if box.page == page:
                        area |= pymupdf.Rect(box.bbox)
                clip = (
                    pymupdf.Rect(area.x0 - 12, area.y0 - 12, area.x1 + 12, area.y1 + 12) & pdf[page - 1].rect
                )
                pdf[page - 1].get_pixmap(clip=clip, dpi=150).tobytes("png")
