"""The invariants of the metadata over real files: what DESIGN calls the frame and the spans.

Reads the first two pages of a sample of the shared corpus: ``CORPUS_PAGES=12`` reads more of them,
``CORPUS=whole`` all files, as CI does.
"""

import collections
import json
import os
import random
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import pymupdf
import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import (
    LineBox,
    PyMuPDFCoordsError,
    PyMuPDFCoordsLoader,
    QuoteLocator,
    SourceBox,
    UnplacedTextWarning,
)
from langchain_pymupdf_coords.folding import fold, fold_glyphs
from langchain_pymupdf_coords.provenance import page_sizes
from tests.support.corpus import CorpusFile, corpus_files

pytestmark = pytest.mark.corpus

PAGES = int(os.environ.get("CORPUS_PAGES", "2"))
FILES = corpus_files()
# A page of them takes minutes to open, or cannot be told apart from a damaged file.
UNOPENABLE = {"unopenable", "pw-unknown"}
FLAGS = pymupdf.TEXT_ACCURATE_BBOXES | pymupdf.TEXT_IGNORE_ACTUALTEXT | pymupdf.TEXT_MEDIABOX_CLIP


@dataclass
class Loaded:
    documents: list[Document] = field(default_factory=list)
    error: Exception | None = None
    seconds: float = 0.0
    caught: list[warnings.WarningMessage] = field(default_factory=list)


@cache
def loaded(name: str) -> Loaded:
    file = FILES[name]
    pages = range(1, min(PAGES, file.pages or 1) + 1)
    result = Loaded()
    start = time.process_time()  # which other work on the machine does not change
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            loader = PyMuPDFCoordsLoader(
                file.path, pages=pages, exclude_classes=(), password=file.password, ocr="never"
            )
            result.documents = loader.load()
        except PyMuPDFCoordsError as error:
            result.error = error
    result.seconds = time.process_time() - start
    result.caught = caught
    return result


each_file = pytest.mark.parametrize("name", FILES)


@each_file
def test_it_loads_or_raises_our_error(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    result = loaded(name)
    assert capfd.readouterr().out == ""
    assert result.seconds < 120
    if result.error is not None:
        assert FILES[name].tags & UNOPENABLE, result.error
        assert FILES[name].path.name in str(result.error)


@each_file
def test_spans_are_ordered_and_boxes_lie_in_their_pages(name: str) -> None:
    for document in loaded(name).documents:
        sizes = page_sizes(document)
        boxes, lines = SourceBox.from_document(document), LineBox.from_document(document)
        spans = [box.span for box in boxes if box.span]
        assert spans == sorted(spans)
        assert all(0 <= a <= b <= len(document.page_content) for a, b in spans)
        starts = [line.span for line in lines]
        assert starts == sorted(starts)
        for place in (*boxes, *lines):
            width, height = sizes[place.page]
            x0, y0, x1, y1 = place.bbox
            assert -1 <= x0 <= x1 <= width + 1
            assert -1 <= y0 <= y1 <= height + 1


@each_file
def test_boxes_hold_all_letters_of_the_chunk(name: str) -> None:
    for document in loaded(name).documents:
        spans = [box.span for box in SourceBox.from_document(document) if box.span]
        joined = "".join(document.page_content[start:end] for start, end in spans)
        assert fold(joined).text == fold(document.page_content).text


def page_letters(file: CorpusFile) -> Iterator[tuple[int, float, float, str]]:
    """Page, centre of the ink in the displayed frame, and letters of each character of the file as it is."""
    with pymupdf.open(file.path) as doc:
        if file.password:
            doc.authenticate(file.password)
        for number in range(min(PAGES, doc.page_count)):
            page = doc[number]
            for block in page.get_text("rawdict", flags=FLAGS)["blocks"]:
                for line in block.get("lines", ()):
                    for char in (char for span in line["spans"] for char in span["chars"]):
                        box = pymupdf.Rect(char["bbox"]) * page.rotation_matrix
                        if letters := fold_glyphs(char["c"]):
                            yield number + 1, (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2, letters


# Turned pages with a UserUnit, and form fields whose look the engine and the page turn apart.
OTHER_FRAME = {"userunit", "non-pdf"}


def letters_off_their_lines(name: str) -> tuple[int, int]:
    """How many letters stand in lines whose rectangle holds other letters too, and how many there are."""
    by_page = collections.defaultdict(list)
    for page, x, y, letters in page_letters(FILES[name]):
        by_page[page].append((x, y, letters))
    wrong = total = 0
    for document in loaded(name).documents:
        for line in LineBox.from_document(document):
            x0, y0, x1, y1 = line.bbox
            want = sorted(fold(document.page_content[slice(*line.span)]).text)
            held = (t for x, y, t in by_page[line.page] if x0 - 0.3 <= x <= x1 + 0.3 and y0 <= y <= y1)
            under = sorted("".join(held))
            total += len(want)
            wrong += len(want) if under not in (want, sorted(want * 2)) else 0
    return wrong, total


def test_lines_fold_to_the_words_under_them() -> None:
    """All but what stands on slanted lines, under stamps and watermarks, or around a superscript of its own."""
    if not FILES:
        pytest.skip("no shared corpus beside the repository")
    names = [
        n for n, file in FILES.items() if not file.tags & (OTHER_FRAME | UNOPENABLE) and not loaded(n).error
    ]
    counts = [letters_off_their_lines(name) for name in names if "unsupported_feature" not in name]
    assert sum(wrong for wrong, _ in counts) <= 0.0125 * sum(total for _, total in counts)


@each_file
def test_any_paragraphs_in_a_row_are_located(name: str) -> None:
    result = loaded(name)
    rng = random.Random(name)
    locator = QuoteLocator(password=FILES[name].password)
    for document in result.documents[:6]:
        paragraphs = document.page_content.split("\n\n")
        for _ in range(3):
            first = rng.randrange(len(paragraphs))
            quote = "\n\n".join(paragraphs[first : first + rng.randrange(1, 4)]).strip()
            if fold(quote).text:
                match = locator.locate(document, quote)
                assert match is not None, quote
                assert match.text == quote


def test_share_of_letters_that_have_a_place() -> None:
    if not FILES:
        pytest.skip("no shared corpus beside the repository")
    letters: collections.Counter[tuple[str, str]] = collections.Counter()
    unreported = []
    for name in FILES:
        reported = any(issubclass(w.category, UnplacedTextWarning) for w in loaded(name).caught)
        missing = 0
        for document in loaded(name).documents:
            lines = LineBox.from_document(document)
            for box in SourceBox.from_document(document):
                start, end = box.span or (0, 0)
                kind = "table" if box.box_class == "table" else "text"
                count = len(fold(document.page_content[start:end]).text)
                placed = sum(
                    len(fold(document.page_content[slice(*line.span)]).text)
                    for line in lines
                    if start <= line.span[0] < end
                )
                letters[kind, "all"] += count
                letters[kind, "placed"] += placed
                missing += count - placed
        if missing and not reported:
            unreported.append((name, missing))
    assert not unreported
    assert letters["text", "placed"] >= 0.995 * letters["text", "all"]
    assert letters["table", "placed"] >= 0.97 * letters["table", "all"]


# --- the size of metadata: some vector stores cap a record at 40 kB ------------------------------------------

METADATA_LIMIT = 8_000
CHUNK_SIZE = 1500


def metadata_size(document: Document, **changed: str) -> int:
    """Bytes of the metadata as JSON."""
    return len(json.dumps({**document.metadata, **changed}, ensure_ascii=False).encode())


def percentile(sizes: list[int], share: float) -> int:
    return sorted(sizes)[min(len(sizes) - 1, int(share * len(sizes)))]


def test_metadata_of_almost_all_chunks_is_below_8_kb() -> None:
    """A table row longer than a chunk stays whole: there are few of them, and they may be larger."""
    if not FILES:
        pytest.skip("no shared corpus beside the repository")
    chunks = [document for name in FILES for document in loaded(name).documents]
    fitting = [chunk for chunk in chunks if len(chunk.page_content) <= CHUNK_SIZE]
    assert len(fitting) > 3 * len(FILES)
    assert len(fitting) > 0.97 * len(chunks)
    assert percentile([metadata_size(chunk) for chunk in fitting], 0.99) < METADATA_LIMIT
    assert percentile([metadata_size(chunk, lines="") for chunk in chunks], 0.99) < METADATA_LIMIT / 2
    assert max(map(metadata_size, fitting)) < 2 * METADATA_LIMIT
