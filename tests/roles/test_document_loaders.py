"""The loader and the parser, on real files made by the tests."""

import json
import pickle
import re
import threading
import uuid
import warnings
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pymupdf
import pytest
from langchain_core.documents import Document
from langchain_core.documents.base import Blob
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_pymupdf_coords import (
    LineBox,
    OptionError,
    PageFallbackWarning,
    PDFOpenError,
    PDFPasswordError,
    PyMuPDFCoordsLoader,
    PyMuPDFCoordsParser,
    SourceAccessError,
    SourceBox,
    SourceUnavailableError,
    UnreadableContentWarning,
)
from langchain_pymupdf_coords.folding import fold
from langchain_pymupdf_coords.loading import page_readers
from langchain_pymupdf_coords.pdf import reading
from langchain_pymupdf_coords.pdf.sample import sample_report as new_report
from tests.support import pdf_factory, sample_report
from tests.support.read_once import loaded


def write(folder: Path, data: bytes, name: str = "file.pdf") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_metadata_is_flat_and_as_the_table_says(report_path: Path) -> None:
    documents = PyMuPDFCoordsLoader(report_path, extra_metadata={"team": "audit", "year": 2026}).load()
    assert len(documents) > 3
    for index, document in enumerate(documents):
        metadata = document.metadata
        assert {type(value) for value in metadata.values()} <= {str, int, float, bool}
        assert metadata["source"] == str(report_path)
        assert metadata["chunk_index"] == index
        assert metadata["total_pages"] == 3
        assert metadata["coords_version"] == 1
        assert re.fullmatch("sha256:[0-9a-f]{64}", metadata["source_digest"])
        assert metadata["title"] == sample_report.TITLE
        assert metadata["author"] == sample_report.AUTHOR
        assert metadata["page_label"] == sample_report.PAGE_LABELS[metadata["page"] - 1]
        assert (metadata["team"], metadata["year"]) == ("audit", 2026)
        assert json.loads(metadata["page_sizes"])[str(metadata["page"])] == [595.0, 842.0]
        assert uuid.UUID(document.id or "").version == 5
    assert documents[0].metadata["page"] == 1
    assert documents[-1].metadata["page_end"] == 3


def test_spans_are_the_markdown_of_boxes_and_lines(report_documents: list[Document]) -> None:
    for document in report_documents:
        boxes = SourceBox.from_document(document)
        ends = [box.span for box in boxes if box.span]
        assert ends == sorted(ends)
        parts = "".join(document.page_content[start:end] for start, end in ends)
        assert fold(parts).text == fold(document.page_content).text
        lines = LineBox.from_document(document)
        text = "".join(document.page_content[slice(*line.span)] for line in lines)
        assert fold(text).text == fold(document.page_content).text


def test_lines_fold_to_the_words_under_them(report_path: Path) -> None:
    with pymupdf.open(report_path) as doc:
        for document in loaded(report_path, exclude_classes=()):
            for line in LineBox.from_document(document):
                words = [
                    word[4]
                    for word in doc[line.page - 1].get_text("words")
                    if line.bbox[0] - 1 <= (word[0] + word[2]) / 2 <= line.bbox[2] + 1
                    and line.bbox[1] <= (word[1] + word[3]) / 2 <= line.bbox[3]
                ]
                assert fold("".join(words)).text == fold(document.page_content[slice(*line.span)]).text


def test_sections_are_heading_paths(report_documents: list[Document]) -> None:
    assert any(" > " in document.metadata["section"] for document in report_documents)
    first = report_documents[0].metadata["section"].split(" > ")[0]
    assert fold(first).text == fold(sample_report.TITLE).text


@pytest.mark.parametrize("window", [1, 2, 3])
def test_output_is_the_same_whatever_the_window(
    report_path: Path, report_documents: list[Document], window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_readers, "LOCAL_WINDOW", window)
    assert PyMuPDFCoordsLoader(report_path).load() == report_documents


def test_loading_twice_gives_the_same_ids_and_other_options_give_others(
    report_path: Path, report_documents: list[Document]
) -> None:
    ids = [document.id for document in report_documents]
    assert ids == [document.id for document in PyMuPDFCoordsLoader(report_path).load()]
    assert len(set(ids)) == len(ids)
    others = {document.id for document in PyMuPDFCoordsLoader(report_path, chunk_size=500).load()}
    assert not others & set(ids)


def test_modes(report_path: Path, report_documents: list[Document]) -> None:
    pages = PyMuPDFCoordsLoader(report_path, mode="page").load()
    assert [document.metadata["page"] for document in pages] == [1, 2, 3]
    boxes = PyMuPDFCoordsLoader(report_path, mode="box").load()
    assert len(boxes) > len(report_documents)
    assert all(len([b for b in SourceBox.from_document(d) if b.box_class != "picture"]) == 1 for d in boxes)


def test_pages_count_from_one(report_path: Path) -> None:
    documents = PyMuPDFCoordsLoader(report_path, pages=[2]).load()
    assert {document.metadata["page"] for document in documents} == {2}
    with pytest.raises(OptionError, match="a page number must be a whole number from 1, not 0"):
        PyMuPDFCoordsLoader(report_path, pages=[0])
    with pytest.raises(OptionError, match=r"report\.pdf.* has no page 9, it has 3"):
        PyMuPDFCoordsLoader(report_path, pages=range(1, 10)).load()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pages": []}, "pages is empty"),
        ({"pages": 3}, "pages must be page numbers"),
        ({"pages": [True]}, "not True"),
        ({"chunk_size": 0}, "chunk_size must be"),
        ({"chunk_size": 100, "chunk_overlap": 100}, "chunk_overlap must be"),
        ({"mode": "paragraph"}, "mode must be one of 'chunk', 'page', 'box'"),
        ({"ocr": "yes"}, "ocr must be one of"),
        ({"exclude_classes": "table"}, "exclude_classes must be a list"),
        ({"extra_metadata": {"page": 1}}, "'page' is written by the loader"),
        ({"extra_metadata": {"tags": ["a"]}}, "'tags' is a list"),
        ({"extra_metadata": {"score": float("nan")}}, "'score' is not a number"),
    ],
)
def test_options_that_cannot_be_used(report_path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        PyMuPDFCoordsLoader(report_path, **options)


def test_page_headers_and_footers_are_left_out_unless_asked_for(
    report_path: Path, report_documents: list[Document]
) -> None:
    without = {box.box_class for d in report_documents for box in SourceBox.from_document(d)}
    assert not without & {"page-header", "page-footer"}
    everything = loaded(report_path, exclude_classes=())
    assert "page-footer" in {box.box_class for d in everything for box in SourceBox.from_document(d)}


def test_a_page_with_nothing_but_a_header_keeps_it(tmp_path: Path) -> None:
    path = write(tmp_path, pdf_factory.text_pdf(pages=(["Part Two"],)))
    (document,) = PyMuPDFCoordsLoader(path).load()
    assert "Part Two" in document.page_content


def test_encrypted_files_need_their_password(tmp_path: Path) -> None:
    path = write(tmp_path, pdf_factory.encrypted_pdf(user_password="secret"))
    with pytest.raises(PDFPasswordError, match=r"file\.pdf.*needs a password"):
        PyMuPDFCoordsLoader(path).load()
    with pytest.raises(PDFPasswordError, match="wrong"):
        PyMuPDFCoordsLoader(path, password="guess").load()
    assert PyMuPDFCoordsLoader(path, password="secret").load()
    assert "secret" not in repr(PyMuPDFCoordsLoader(path, password="secret"))


@pytest.mark.parametrize("data", [pdf_factory.damaged_pdf(), b"", b"plain words"])
def test_damaged_files_are_named(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path, data, "broken.pdf")
    with pytest.raises(PDFOpenError, match=r"broken\.pdf") as caught:
        PyMuPDFCoordsLoader(path).load()
    assert caught.value.__cause__ is not None
    with pytest.raises(PDFOpenError, match="memory"):
        list(PyMuPDFCoordsParser().lazy_parse(Blob.from_data(data, metadata={"source": "memory"})))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_file_that_was_cut_off_is_an_error_once_its_pages_are_gone(tmp_path: Path, workers: int) -> None:
    """The page tree is there, and the pages in it are not."""
    path = tmp_path / "cut.pdf"
    path.write_bytes(new_report()[:1000])
    loader = PyMuPDFCoordsLoader(path, workers=workers)
    with (
        pytest.warns(UnreadableContentWarning, match="page 2"),
        pytest.raises(PDFOpenError, match="none of 2"),
    ):
        loader.load()


def test_a_page_whose_content_is_damaged_is_reported(tmp_path: Path) -> None:
    """MuPDF goes on without the rest of it, and says so only in its own messages."""
    with pymupdf.open() as made:
        page = made.new_page()
        for number in range(3):
            page.insert_text((72, 110 + 14 * number), f"Sentence {number} tells of thing number {number}.")
        made.new_page().insert_text((72, 100), "The second page is whole.")
        data = made.tobytes(deflate=True)
    with pymupdf.open(stream=data) as made:
        last = made[0].get_contents()[-1]
    start = data.index(b"stream\n", data.index(b"\n%d 0 obj" % last)) + 7
    path = write(tmp_path, data[:start] + bytes(20) + data[start + 20 :])
    with pytest.warns(UnreadableContentWarning, match=r"page 1: a part of it is damaged") as caught:
        documents = PyMuPDFCoordsLoader(path).load()
    assert len(caught) == 1
    assert "Sentence 1" in documents[0].page_content
    assert "Sentence 2" not in documents[0].page_content


def test_pictures_and_text_files_are_not_pdfs(tmp_path: Path) -> None:
    picture = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 9, 9)).tobytes("png")
    for name, data in {"picture.png": picture, "notes.txt": b"plain words"}.items():
        with pytest.raises(PDFOpenError, match="not a PDF"):
            PyMuPDFCoordsLoader(write(tmp_path, data, name)).load()


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailableError, match=r"absent\.pdf"):
        PyMuPDFCoordsLoader(tmp_path / "absent.pdf").load()


@pytest.mark.parametrize("make", [pdf_factory.form_cycle_pdf, pdf_factory.form_kids_cycle_pdf])
def test_cycles_in_form_fields_do_not_stop_the_file(tmp_path: Path, make: object) -> None:
    documents = PyMuPDFCoordsLoader(write(tmp_path, make())).load()
    assert documents
    assert LineBox.from_document(documents[0])


def test_dense_and_huge_pages_are_read_without_the_layout_model(tmp_path: Path) -> None:
    for name, data in {
        "dense": pdf_factory.dense_pdf(words=4200),
        "huge": pdf_factory.huge_page_pdf(),
    }.items():
        path = write(tmp_path, data, f"{name}.pdf")
        with pytest.warns(PageFallbackWarning, match=rf"{name}\.pdf, page 1: read without the layout model"):
            documents = PyMuPDFCoordsLoader(path).load()
        assert documents
        assert LineBox.from_document(documents[0])


def test_pages_that_a_page_tree_only_claims_are_reported(tmp_path: Path) -> None:
    path = write(tmp_path, pdf_factory.short_page_tree_pdf())
    with pytest.warns(UserWarning, match="page 3: cannot be read"):
        assert PyMuPDFCoordsLoader(path).load()


def test_nothing_is_printed(report_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    PyMuPDFCoordsLoader(report_path).load()
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err == ""


def test_the_file_is_not_changed(report_path: Path) -> None:
    before = report_path.read_bytes()
    PyMuPDFCoordsLoader(report_path).load()
    assert report_path.read_bytes() == before


def test_bytes_and_paths_give_the_same_documents(report_path: Path, report_documents: list[Document]) -> None:
    blob = Blob.from_data(report_path.read_bytes(), metadata={"source": str(report_path)})
    parser = pickle.loads(pickle.dumps(PyMuPDFCoordsParser()))
    assert parser.parse(blob) == report_documents


def test_several_files_in_order(tmp_path: Path, report_path: Path) -> None:
    other = write(tmp_path, pdf_factory.two_column_pdf(), "other.pdf")
    documents = PyMuPDFCoordsLoader([other, report_path]).load()
    assert list(dict.fromkeys(d.metadata["source"] for d in documents)) == [str(other), str(report_path)]


def test_the_first_document_comes_after_a_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_readers, "LOCAL_WINDOW", 2)
    pages = [[f"Words of page {n} are here.", "And a second line.", "And a third line."] for n in range(12)]
    path = write(tmp_path, pdf_factory.text_pdf(pages=pages))
    seen: list[int] = []
    original = reading.PageParser.parse

    def counting(self: reading.PageParser, indices: list[int]) -> object:
        seen.extend(indices)
        return original(self, indices)

    monkeypatch.setattr(reading.PageParser, "parse", counting)
    stream = PyMuPDFCoordsLoader(path, chunk_size=60).lazy_load()
    next(stream)
    assert len(seen) <= 4
    stream.close()


async def test_async_gives_the_same_documents(report_path: Path, report_documents: list[Document]) -> None:
    loader = PyMuPDFCoordsLoader(report_path)
    assert [document async for document in loader.alazy_load()] == report_documents


def test_a_vector_store_gives_coordinates_back_unchanged(report_documents: list[Document]) -> None:
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=64))
    store.add_documents(report_documents)
    by_id = {document.id: document for document in report_documents}
    found = store.similarity_search("ferries", k=len(report_documents))
    assert len(found) == len(report_documents)
    for document in found:
        assert document.metadata == by_id[document.id].metadata


def test_without_line_map(report_path: Path) -> None:
    documents = PyMuPDFCoordsLoader(report_path, line_map=False).load()
    assert all("lines" not in document.metadata for document in documents)


def test_urls(report_path: Path, report_documents: list[Document]) -> None:
    handler = partial(SimpleHTTPRequestHandler, directory=str(report_path.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/report.pdf"
        try:
            with pytest.raises(SourceAccessError):
                PyMuPDFCoordsLoader(url).load()
            documents = PyMuPDFCoordsLoader(url, allow_private_urls=True).load()
            with pytest.raises(SourceUnavailableError, match="404"):
                PyMuPDFCoordsLoader(url + "x", allow_private_urls=True).load()
        finally:
            server.shutdown()
    assert {document.metadata["source"] for document in documents} == {url}
    assert [d.page_content for d in documents] == [d.page_content for d in report_documents]
    assert [d.id for d in documents] == [d.id for d in report_documents]


def test_ordinary_files_raise_no_warning(report_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PyMuPDFCoordsLoader(report_path).load()
