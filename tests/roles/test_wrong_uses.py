"""Options that cannot be used, and one for many and many for one: the error names the option and what is right."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.documents.base import Blob
from langchain_text_splitters import CharacterTextSplitter

from langchain_pymupdf_coords import (
    BM25SentenceSelector,
    CitationLocator,
    CoordsTextSplitter,
    CropOptions,
    EvidenceBundle,
    FileAccess,
    OptionError,
    ParsingOptions,
    PyMuPDFCoordsLoader,
    PyMuPDFCoordsParser,
    QuoteLocatingTransformer,
    QuoteLocator,
    SourceCropTransformer,
    annotate_pdf,
    content_blocks,
    evidence_html,
    format_sources,
)
from langchain_pymupdf_coords.layout.pages import LAYOUT_CLASSES
from langchain_pymupdf_coords.provenance.boxes import SourceBox, dump_boxes, page_sizes

TEXT = "Seven boats"
BOXES = dump_boxes([SourceBox(1, (0.0, 0.0, 100.0, 20.0), span=(0, len(TEXT)))])
ONE = Document(TEXT, metadata={"source": "nowhere.pdf", "boxes": BOXES, "page": 1})
SPLITTER = CoordsTextSplitter(CharacterTextSplitter())


@dataclass(frozen=True)
class Use:
    """A wrong use, and what its error says."""

    call: Callable[[], Any]
    message: str


def load(path: Any = "a.pdf", **options: Any) -> PyMuPDFCoordsLoader:
    return PyMuPDFCoordsLoader(path, **options)


def answered(documents: Any) -> dict[str, Any]:
    return {"answer": f"It has “{TEXT}”.", "documents": documents}


USES = [
    # The loader and the parser
    Use(lambda: load(None), "file_path must be a path, not None"),
    Use(lambda: load(""), "file_path must be a path, not ''"),
    Use(lambda: load(b"%PDF-1.7"), "file_path must be a path, not 8 bytes"),
    Use(lambda: load(["a.pdf", None]), "file_path must be a path, not None"),
    Use(lambda: load({"a.pdf": 1}), "file_path must be a path, not {'a.pdf': 1}"),
    Use(
        lambda: load(Blob.from_data(b"")),
        "file_path must be a path or URL, not Blob ",
    ),
    Use(lambda: load(pages=3), "pages must be page numbers from 1, such as [1, 2] or range(1, 11), not 3"),
    Use(
        lambda: load(pages="1-3"),
        "pages must be page numbers from 1, such as [1, 2] or range(1, 11), not '1-3'",
    ),
    Use(lambda: load(pages=[0]), "pages: a page number must be a whole number from 1, not 0"),
    Use(lambda: load(pages=[True]), "pages: a page number must be a whole number from 1, not True"),
    Use(lambda: load(pages=[1.5]), "pages: a page number must be a whole number from 1, not 1.5"),
    Use(lambda: load(pages=[]), "pages is empty: give page numbers from 1, or None for all"),
    Use(lambda: load(chunk_size="800"), "chunk_size must be a whole number from 1, not '800'"),
    Use(lambda: load(chunk_size=True), "chunk_size must be a whole number from 1, not True"),
    Use(lambda: load(chunk_size=800.0), "chunk_size must be a whole number from 1, not 800.0"),
    Use(lambda: load(chunk_overlap=-1), "chunk_overlap must be a whole number from 0, not -1"),
    Use(
        lambda: load(chunk_size=9, chunk_overlap=9),
        "chunk_overlap must be less than chunk_size, which is 9, not 9",
    ),
    Use(
        lambda: load(length_function=5),
        "length_function must be a function from a text to its length, not 5",
    ),
    Use(
        lambda: load(text_splitter="x"),
        "text_splitter must be a TextSplitter, or have a split_text like it, not 'x'",
    ),
    Use(
        lambda: load(text_splitter=CharacterTextSplitter),
        "text_splitter must be a TextSplitter, or have a split_text like it, not <class",
    ),
    Use(lambda: load(exclude_classes=5), "exclude_classes must be a list of strings, not 5"),
    Use(
        lambda: load(exclude_classes="table"),
        "exclude_classes must be a list of strings, not 'table': give ['table']",
    ),
    Use(
        lambda: load(exclude_classes=["header"]),
        "exclude_classes must be of 'title', 'section-header', 'text', 'list-item', 'table', 'caption', "
        "'footnote', 'picture', 'formula', 'page-header', 'page-footer', "
        "'line-number', 'watermark', not 'header'",
    ),
    Use(lambda: load(mode="paragraph"), "mode must be one of 'chunk', 'page', 'box', not 'paragraph'"),
    Use(lambda: load(ocr=True), "ocr must be one of 'auto', 'never', 'force', not True"),
    Use(lambda: load(ocr_language=""), "ocr_language takes names like 'eng' or 'eng+deu', not ''"),
    Use(lambda: load(password=1234), "password must be a string, or None, not of type int"),
    Use(lambda: load(line_map="no"), "line_map must be True or False, not 'no'"),
    Use(lambda: load(workers="two"), "workers must be a whole number from 1, or \"auto\", not 'two'"),
    Use(lambda: load(workers=0), "workers must be a whole number from 1, not 0"),
    Use(lambda: load(progress="yes"), "progress must be a function of two ints, or a bool, not 'yes'"),
    Use(lambda: load(cache_dir=5), "cache_dir must be a path, not 5"),
    Use(lambda: load(cache_bytes=1.5e9), "cache_bytes must be a whole number from 1, not 1500000000.0"),
    Use(lambda: load(extra_metadata=5), "extra_metadata must be a dict of names to values, not 5"),
    Use(lambda: load(extra_metadata={1: "a"}), "extra_metadata: a key must be a string, not 1"),
    Use(lambda: load(on_error="ignore"), "on_error must be one of 'raise', 'warn', not 'ignore'"),
    Use(
        lambda: load(max_download_bytes="1 GB"),
        "max_download_bytes must be a whole number from 1, not '1 GB'",
    ),
    Use(lambda: load(download_timeout=None), "download_timeout must be a number from 0 to 1e+06, not None"),
    Use(lambda: load(allow_private_urls="no"), "allow_private_urls must be True or False, not 'no'"),
    Use(lambda: PyMuPDFCoordsParser().parse("a.pdf"), "blob must be a Blob, not 'a.pdf'"),  # type: ignore[arg-type]
    # What opens a file again
    Use(
        lambda: FileAccess(resolver="file.pdf"),  # type: ignore[arg-type]
        "resolver must be a function of the source that returns a path, bytes or a Blob, not 'file.pdf'",
    ),
    Use(lambda: FileAccess(root=__file__), "root must be a folder that exists, not '"),
    Use(lambda: FileAccess(root="no/such/folder"), "root must be a folder that exists, not 'no/such/folder'"),
    Use(lambda: FileAccess(root=b"."), "root must be a path, not 1 bytes"),  # type: ignore[arg-type]
    Use(lambda: QuoteLocator(root=5), "root must be a path, not 5"),  # type: ignore[arg-type]
    Use(lambda: QuoteLocator(password=1234), "password must be a string, or None, not of type int"),  # type: ignore[arg-type]
    Use(lambda: QuoteLocator(cutoff="90"), "cutoff must be a number from 0 to 100, not '90'"),  # type: ignore[arg-type]
    Use(lambda: QuoteLocator(cutoff=True), "cutoff must be a number from 0 to 100, not True"),
    Use(
        lambda: QuoteLocator(on_change="ignore"),  # type: ignore[arg-type]
        "on_change must be one of 'warn', 'raise', 'relocate', not 'ignore'",
    ),
    Use(
        lambda: SourceCropTransformer(on_change="relocate"),  # type: ignore[arg-type]
        "on_change must be one of 'warn', 'raise', not 'relocate'",
    ),
    Use(lambda: SourceCropTransformer(root=__file__), "root must be a folder that exists, not '"),
    Use(lambda: SourceCropTransformer(resolver="a.pdf"), "resolver must be a function"),  # type: ignore[arg-type]
    Use(lambda: content_blocks([ONE], root="nowhere"), "root must be a folder that exists, not 'nowhere'"),
    Use(
        lambda: annotate_pdf([ONE], "b.pdf", root="nowhere"),
        "root must be a folder that exists, not 'nowhere'",
    ),
    Use(
        lambda: annotate_pdf([ONE], "b.pdf", mark="lines"),
        "mark must be one of 'quotes', 'boxes', not 'lines'",
    ),  # type: ignore[arg-type]
    Use(lambda: annotate_pdf([ONE], None), "path must be a path, not None"),  # type: ignore[arg-type]
    Use(lambda: evidence_html([ONE], 5), "path must be a path, not 5"),  # type: ignore[arg-type]
    Use(lambda: evidence_html([ONE], title=5), "title must be a string, or None, not 5"),  # type: ignore[arg-type]
    Use(lambda: evidence_html([ONE], dpi="high"), "dpi must be a number from 1 to 4800, not 'high'"),  # type: ignore[arg-type]
    Use(lambda: EvidenceBundle.write([ONE], "a.zip"), "located must be a LocatedAnswer, not "),  # type: ignore[arg-type]
    Use(lambda: EvidenceBundle.read(None), "path must be a path, not None"),  # type: ignore[arg-type]
    # Pictures
    Use(lambda: CropOptions(draw=5), "draw must be a list of strings, not 5"),  # type: ignore[arg-type]
    Use(lambda: CropOptions(draw="lines"), "draw must be of 'boxes', 'quotes', not 'lines'"),  # type: ignore[arg-type]
    Use(lambda: CropOptions(by="line"), "by must be one of 'page', 'box', 'quote', not 'line'"),  # type: ignore[arg-type]
    Use(lambda: CropOptions(max_pixels="all"), "max_pixels must be a number from 1 to inf, not 'all'"),  # type: ignore[arg-type]
    Use(lambda: CropOptions(margin=-1), "margin must be a number from 0 to 10000, not -1"),
    Use(
        lambda: CropOptions(box_color="red"),  # type: ignore[arg-type]
        "box_color must be (red, green, blue), each from 0 to 1, not 'red'",
    ),
    Use(lambda: CropOptions(folder=""), "folder must be a path, not ''"),
    # Steps of a chain
    Use(
        lambda: CoordsTextSplitter("x"),  # type: ignore[arg-type]
        "text_splitter must be a TextSplitter, or have a split_text like it, not 'x'",
    ),
    Use(lambda: CitationLocator(locator="x"), "locator must be a QuoteLocator, not 'x'"),  # type: ignore[arg-type]
    Use(
        lambda: QuoteLocatingTransformer("one quote"),
        "quotes must be a list of strings, not 'one quote': give ['one quote']",
    ),
    Use(lambda: QuoteLocatingTransformer([5]), "quotes must be a list of strings, not [5]"),  # type: ignore[list-item]
    Use(lambda: BM25SentenceSelector(max_sentences=0), "max_sentences must be a whole number from 1, not 0"),
    # Documents where one is meant
    Use(
        lambda: QuoteLocator().locate([ONE], TEXT),  # type: ignore[arg-type]
        "document must be one Document, not [Document(",
    ),
    Use(lambda: QuoteLocator().locate(None, TEXT), "document must be one Document, not None"),  # type: ignore[arg-type]
    Use(lambda: QuoteLocator().examine([ONE], TEXT), "document must be one Document, not ["),  # type: ignore[arg-type]
    Use(lambda: QuoteLocator().locate(ONE, None), "quote must be a string, not None"),  # type: ignore[arg-type]
    Use(lambda: asyncio.run(QuoteLocator().alocate([ONE], TEXT)), "document must be one Document, not ["),  # type: ignore[arg-type]
    Use(lambda: SourceBox.from_document([ONE]), "document must be one Document, not ["),  # type: ignore[arg-type]
    Use(lambda: page_sizes([ONE]), "document must be one Document, not ["),  # type: ignore[arg-type]
    Use(lambda: QuoteLocator(cutoff=10**400), "cutoff must be a number from 0 to 100, not 1"),
    Use(lambda: BM25SentenceSelector()("boats", [ONE]), "document must be one Document, not ["),  # type: ignore[arg-type]
]

# What takes several Documents: one is refused, and so is what is none.
SEVERAL: dict[str, Callable[[Any], Any]] = {
    "locate_all": lambda documents: QuoteLocator().locate_all(documents, TEXT),
    "crops": SourceCropTransformer().transform_documents,
    "crops in a chain": SourceCropTransformer().invoke,
    "quotes": QuoteLocatingTransformer([TEXT]).transform_documents,
    "quotes in a chain": QuoteLocatingTransformer([TEXT]).invoke,
    "splitter": SPLITTER.split_documents,
    "splitter in a chain": SPLITTER.invoke,
    "annotate_pdf": lambda documents: annotate_pdf(documents, "copy.pdf"),
    "evidence_html": evidence_html,
    "content_blocks": content_blocks,
    "format_sources": format_sources,
    "citations": lambda documents: CitationLocator().invoke(answered(documents)),
    "citations in a stream": lambda documents: list(CitationLocator().stream(answered(documents))),
}


def test_the_table_is_long() -> None:
    assert len(USES) >= 40
    assert len({use.message for use in USES}) >= 40


@pytest.mark.parametrize("use", USES, ids=lambda use: use.message[:40])
def test_wrong_use(use: Use) -> None:
    with pytest.raises(OptionError, match=re.escape(use.message)) as caught:
        use.call()
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("function", SEVERAL.values(), ids=SEVERAL)
def test_one_document_for_several(function: Callable[[Any], Any]) -> None:
    message = "documents must be a list of Documents, not one Document: give [document]"
    with pytest.raises(OptionError, match=re.escape(message)):
        function(ONE)


@pytest.mark.parametrize("function", SEVERAL.values(), ids=SEVERAL)
def test_what_is_no_document(function: Callable[[Any], Any]) -> None:
    with pytest.raises(OptionError, match=r"documents must be a list of Documents, not 'report\.pdf'"):
        function("report.pdf")
    with pytest.raises(OptionError, match=r"documents\[1\] must be a Document, not 'a'"):
        function([ONE, "a"])


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    options = ParsingOptions(
        pages=np.arange(1, 4),
        chunk_size=np.int64(800),
        chunk_overlap=np.int32(10),
        workers=np.uint8(1),
        cache_bytes=np.int64(5_000_000),
    )
    assert (options.pages, options.chunk_size, options.workers) == ((1, 2, 3), 800, 1)
    assert options.identity() == ParsingOptions(pages=[1, 2, 3], chunk_size=800, chunk_overlap=10).identity()
    crops = CropOptions(dpi=np.int64(72), margin=np.float32(1.5), max_pixels=np.int32(1000))
    assert crops == CropOptions(dpi=72, margin=1.5, max_pixels=1000)
    numbers = [*options.pages, options.chunk_size, options.chunk_overlap, crops.max_pixels]
    assert {type(number) for number in numbers} == {int}
    assert QuoteLocator(cutoff=np.float64(80)).cutoff == 80
    assert load(max_download_bytes=np.int64(10)).max_download_bytes == 10


@pytest.mark.parametrize("value", [np.True_, np.float64(3), np.nan, "3", None])
def test_what_is_no_whole_number(value: Any) -> None:
    with pytest.raises(OptionError, match="chunk_size must be a whole number from 1"):
        ParsingOptions(chunk_size=value)


def test_the_password_is_never_shown() -> None:
    with pytest.raises(OptionError) as caught:
        ParsingOptions(password=b"secret")  # type: ignore[arg-type]
    assert "secret" not in str(caught.value)


def test_classes_are_those_of_the_engine_and_what_stands_beside_the_text() -> None:
    analyzer = pytest.importorskip("pymupdf.layout.onnx.LayoutProbAnalyzer")
    assert set(LAYOUT_CLASSES) == set(analyzer._CLASS_NAMES) - {"background"} | {"line-number", "watermark"}
