"""The cache of parsed pages: the same Documents without the engine, safe with whatever is in its folder."""

import os
import pickle
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
import textwrap
import time
import warnings
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import CacheWarning, OptionError, PDFPasswordError, PyMuPDFCoordsLoader
from langchain_pymupdf_coords.layout.pages import DocumentInfo, PageNote, ParsedBox, ParsedPage, TextLine
from langchain_pymupdf_coords.loading.page_cache import dump_info, dump_page, load_info, load_page
from langchain_pymupdf_coords.loading.worker import PDFJob, ReaderSlot
from langchain_pymupdf_coords.pdf import ocr_lookup
from langchain_pymupdf_coords.pdf.ocr_engines import Tesseract
from tests.support import pdf_factory
from tests.support.read_once import loaded

diskcache = pytest.importorskip("diskcache")
page_cache = pytest.importorskip("langchain_pymupdf_coords.loading.page_cache")

ROOT = Path(__file__).parents[2]
PAGE = ParsedPage(
    7,
    (595.0, 841.8898),
    "iv",
    (
        ParsedBox(
            "text",
            (1, 2.5, 3.1, 1 / 3),
            'Ä "quoted" \ud800 \U0001f600\n',
            (TextLine((0.1, 2, 3, 4), 0, 5),),
            11.5,
        ),
        ParsedBox("table", (0.0, 0.0, 9.0, 9.0), "", (), 0.0, (TextLine((1e-7, 0.0, 1.0, 1.0), 0, 0),)),
    ),
    (PageNote("scan", "it shows something, and has no text"),),
)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """The pages that were really read, window by window."""
    seen: list[list[int]] = []
    read = ReaderSlot.read

    def counting(self: ReaderSlot, job: PDFJob, numbers: Any) -> list[ParsedPage]:
        seen.append(list(numbers))
        return read(self, job, numbers)

    monkeypatch.setattr(ReaderSlot, "read", counting)
    return seen


def test_pages_come_back_exactly() -> None:
    again = load_page(dump_page(PAGE))
    assert again == PAGE
    assert repr(again) == repr(PAGE)
    info = DocumentInfo(12, {"title": "Ä", "author": "B"})
    assert load_info(dump_info(info)) == info


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", "[1]", "[" * 100_000,
        '["7",[1,2],"",[],[]]', '[7,[1],"",[],[]]', '[7,[1,"2"],"",[],[]]', '[7,[1,2],null,[],[]]',
        '[7,[1,2],"",[["text",[1,2,3],"x",[],0,[]]],[]]', '[7,[1,2],"",[["text",[1,2,3,4],5,[],0,[]]],[]]',
        '[7,[1,2],"",[["text",[1,2,3,4],"x",[[1,2,3,4,0.5,1]],0,[]]],[]]', '[7,[1,2],"",[],[["scan"]]]',
        '[true,[1,2],"",[],[]]',
    ],
)  # fmt: skip
def test_anything_else_is_no_page(text: str) -> None:
    with pytest.raises(ValueError, match="not a parsed page"):
        load_page(text)
    with pytest.raises(ValueError, match="not the information"):
        load_info(text)


def test_a_second_load_reads_nothing(
    report_path: Path, report_documents: list[Document], tmp_path: Path, reads: list[list[int]]
) -> None:
    first = PyMuPDFCoordsLoader(report_path, cache_dir=tmp_path / "cache").load()
    assert reads == [[1, 2, 3]]
    assert PyMuPDFCoordsLoader(report_path, cache_dir=tmp_path / "cache").load() == first
    assert PyMuPDFCoordsLoader(report_path, cache_dir=tmp_path / "cache", workers=2).load() == first
    assert len(reads) == 1
    assert first == report_documents


def test_options_that_cut_share_pages_and_pages_fill_up(
    report_path: Path, tmp_path: Path, reads: list[list[int]]
) -> None:
    options = {"cache_dir": tmp_path / "cache"}
    PyMuPDFCoordsLoader(report_path, pages=[2], **options).load()
    whole = PyMuPDFCoordsLoader(report_path, mode="page", chunk_size=300, **options).load()
    assert reads == [[2], [1, 3]]
    assert whole == loaded(report_path, mode="page", chunk_size=300)


def test_a_copy_is_known_and_a_changed_file_is_not(
    report_path: Path, tmp_path: Path, reads: list[list[int]]
) -> None:
    cache = tmp_path / "cache"
    first = PyMuPDFCoordsLoader(report_path, cache_dir=cache).load()
    copy = tmp_path / "copy.pdf"
    copy.write_bytes(report_path.read_bytes())
    again = PyMuPDFCoordsLoader(copy, cache_dir=cache).load()
    assert len(reads) == 1
    assert [document.page_content for document in again] == [document.page_content for document in first]
    assert {document.metadata["source"] for document in again} == {str(copy)}
    copy.write_bytes(pdf_factory.two_column_pdf())
    changed = PyMuPDFCoordsLoader(copy, cache_dir=cache).load()
    assert len(reads) == 2
    assert changed == loaded(copy)


def test_what_a_file_becomes_while_it_is_read_is_not_stored(tmp_path: Path) -> None:
    unchanged = [True]
    with page_cache.PageCache(tmp_path, 10**8) as store:
        cached = store.file(PDFJob(b"", "a", None, "never", "eng"), "sha256:0", lambda: unchanged[0])
        cached.put_pages([PAGE])
        unchanged[0] = False
        cached.put_pages([replace(PAGE, number=8)])
        cached.put_info(DocumentInfo(9, {}))
        assert cached.page(7) == PAGE
        assert cached.page(8) is None
        assert cached.info() is None


def test_what_decides_what_is_read_decides_what_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = PDFJob(tmp_path, "a.pdf", None, "auto", "eng")
    with page_cache.PageCache(tmp_path / "cache", 10**8) as store:

        def is_known(job: PDFJob, digest: str = "sha256:0") -> bool:
            return store.file(job, digest, lambda: True).info() is not None

        store.file(job, "sha256:0", lambda: True).put_info(DocumentInfo(9, {}))
        assert is_known(job)
        assert is_known(replace(job, name="b.pdf", file=b"", token="t"))
        others = [replace(job, password="x"), replace(job, ocr="never"), replace(job, ocr_language="deu")]
        assert not any(map(is_known, others))
        assert not is_known(job, "sha256:1")

        (tmp_path / "xyz.traineddata").touch()
        with monkeypatch.context() as other_data:
            other_data.setenv("TESSDATA_PREFIX", str(tmp_path))
            assert not is_known(job)
        # Private, as what is installed, and what of a page is read, cannot change while a process runs.
        assert {"pymupdf", "pymupdf4llm", "pymupdf_layout"} <= set(page_cache._versions())
        with monkeypatch.context() as other_engine:
            other_engine.setattr(page_cache, "_versions", lambda: {"pymupdf": "99.0"})
            assert not is_known(job)
        with monkeypatch.context() as other_release:
            other_release.setattr(page_cache, "_PARSE_VERSION", -1)
            assert not is_known(job)
        assert is_known(job)


@pytest.mark.parametrize("number", range(4))
def test_data_for_ocr_is_in_the_key_wherever_it_may_be(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folders are those in which an engine is looked for, on every system."""
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path / "prefix"))
    monkeypatch.setattr(sysconfig, "get_path", lambda name, scheme: str(tmp_path / scheme / name))
    folder = [*ocr_lookup.tessdata_folders()][number]
    job = PDFJob(tmp_path, "a.pdf", None, "auto", "xyz")
    with page_cache.PageCache(tmp_path / "cache", 10**8) as store:
        store.file(job, "sha256:0", lambda: True).put_info(DocumentInfo(9, {}))
        folder.mkdir(parents=True)
        assert store.file(job, "sha256:0", lambda: True).info() is not None
        (folder / "xyz.traineddata").touch()
        assert store.file(job, "sha256:0", lambda: True).info() is None
    assert ocr_lookup.find_engine("xyz") == Tesseract("xyz", str(folder))


def test_the_cache_is_no_way_around_a_password(tmp_path: Path) -> None:
    path = tmp_path / "file.pdf"
    path.write_bytes(pdf_factory.encrypted_pdf(user_password="secret"))
    cache = tmp_path / "cache"
    assert PyMuPDFCoordsLoader(path, password="secret", cache_dir=cache).load()
    for password in (None, "guess"):
        with pytest.raises(PDFPasswordError):
            PyMuPDFCoordsLoader(path, password=password, cache_dir=cache).load()
    assert b"secret" not in (cache / "cache.db").read_bytes()


def entries(cache: Path) -> sqlite3.Connection:
    return sqlite3.connect(cache / "cache.db")


class Evil:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


@pytest.fixture(scope="module")
def filled(report_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the pages of the report; not to be changed."""
    folder = tmp_path_factory.mktemp("filled")
    PyMuPDFCoordsLoader(report_path, cache_dir=folder).load()
    return folder


@pytest.fixture
def cache(filled: Path, tmp_path: Path) -> Path:
    """A cache with the pages of the report."""
    return shutil.copytree(filled, tmp_path / "cache")


@pytest.mark.parametrize("value", [b"", b"garbage", zlib.compress(b"[]"), zlib.compress(b"\xff"), "text", 5])
def test_corrupt_entries_are_ignored_with_a_warning(
    report_path: Path, report_documents: list[Document], cache: Path, value: object
) -> None:
    with entries(cache) as database:
        changed = database.execute("UPDATE Cache SET value = ? WHERE key LIKE '%/2'", (value,))
        assert changed.rowcount == 1
    database.close()
    with pytest.warns(CacheWarning, match="cannot be read"):
        assert PyMuPDFCoordsLoader(report_path, cache_dir=cache).load() == report_documents
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the entry was written anew
        assert PyMuPDFCoordsLoader(report_path, cache_dir=cache).load() == report_documents


def test_a_poisoned_cache_runs_no_code(
    report_path: Path, report_documents: list[Document], cache: Path, tmp_path: Path
) -> None:
    poison = pickle.dumps(Evil(tmp_path / "proof"))
    with entries(cache) as database:
        database.execute("UPDATE Cache SET value = ?, mode = ?", (poison, diskcache.core.MODE_PICKLE))
    database.close()
    with pytest.warns(CacheWarning):
        assert PyMuPDFCoordsLoader(report_path, cache_dir=cache).load() == report_documents
    assert not (tmp_path / "proof").exists()
    pickle.loads(poison)
    assert (tmp_path / "proof").exists()


def test_a_page_under_the_number_of_another_is_not_taken(tmp_path: Path) -> None:
    with page_cache.PageCache(tmp_path, 10**8) as store:
        cached = store.file(PDFJob(b"", "a", None, "never", "eng"), "sha256:0", lambda: True)
        cached.put_pages([PAGE])
        assert cached.page(7) == PAGE
        with entries(tmp_path) as database:
            changed = database.execute("UPDATE Cache SET key = replace(key, '/7', '/3')")
            assert changed.rowcount == 1
        database.close()
        assert cached.page(3) is None
        assert cached.page(7) is None


@pytest.mark.parametrize("content", [b"not a database" * 1000, None])
def test_a_broken_cache_is_a_warning(
    report_path: Path, report_documents: list[Document], tmp_path: Path, content: bytes | None
) -> None:
    cache = tmp_path / "cache"
    if content is None:
        cache.write_text("a file, not a folder")
    else:
        cache.mkdir()
        (cache / "cache.db").write_bytes(content)
    with pytest.warns(CacheWarning, match=r"cache.*cannot be opened") as caught:
        documents = PyMuPDFCoordsLoader(report_path, cache_dir=cache).load()
    assert len(caught) == 1
    assert documents == report_documents


def test_the_size_is_bounded(tmp_path: Path) -> None:
    limit = 400_000
    with page_cache.PageCache(tmp_path, limit) as store:
        cached = store.file(PDFJob(b"", "a", None, "never", "eng"), "sha256:0", lambda: True)
        for number in range(300):
            noise = os.urandom(5000).hex()
            cached.put_pages([replace(PAGE, number=number, label=noise)])
        assert cached.page(0) is None
        assert cached.page(299) is not None
    assert sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()) < 2 * limit


WRITER = """
    import sys, warnings
    warnings.simplefilter("error")
    from langchain_pymupdf_coords.loading.page_cache import PageCache
    from langchain_pymupdf_coords.layout.pages import ParsedPage
    from langchain_pymupdf_coords.loading.worker import PDFJob

    with PageCache(sys.argv[1], 10**8) as store:
        cached = store.file(PDFJob(b"", "a", None, "never", "eng"), "sha256:0", lambda: True)
        for _ in range(3):
            for number in range(1, 60):
                cached.put_pages([ParsedPage(number, (1.0, 2.0), "x" * 3000, ())])
                assert cached.page(number).label == "x" * 3000
"""


def python(script: str, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_processes_share_a_cache(tmp_path: Path) -> None:
    writers = [python(WRITER, str(tmp_path)) for _ in range(3)]
    for writer in writers:
        output, _ = writer.communicate(timeout=120)
        assert writer.returncode == 0, output


HIT = """
    import sys
    from langchain_pymupdf_coords import PyMuPDFCoordsLoader

    documents = PyMuPDFCoordsLoader(sys.argv[1], cache_dir=sys.argv[2]).load()
    print(len(documents), *{"pymupdf", "onnxruntime", "pymupdf4llm"} & set(sys.modules))
"""


def test_a_hit_does_not_load_the_engine(
    report_path: Path, report_documents: list[Document], cache: Path
) -> None:
    output, _ = python(HIT, str(report_path), str(cache)).communicate(timeout=120)
    assert output.split() == [str(len(report_documents))]


def test_a_hit_is_fifty_times_as_fast(tmp_path: Path) -> None:
    options = {"cache_dir": tmp_path / "cache"}
    path = tmp_path / "report.pdf"
    path.write_bytes(pdf_factory.report_pdf())
    PyMuPDFCoordsLoader(path, pages=[1]).load()  # loads the engine
    os.utime(path, (1, 1))
    start = time.process_time()
    PyMuPDFCoordsLoader(path, **options).load()
    first = time.process_time() - start
    hits = []
    for _ in range(5):
        start = time.process_time()
        PyMuPDFCoordsLoader(path, **options).load()
        hits.append(time.process_time() - start)
    assert first / min(hits) >= 50, (first, hits)


def test_without_diskcache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("langchain_pymupdf_coords.loading.options.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"langchain-pymupdf-coords\[cache\]"):
        PyMuPDFCoordsLoader("report.pdf", cache_dir="cache")


@pytest.mark.parametrize("size", [0, -1, 1.5, True])
def test_sizes_that_are_none(size: object) -> None:
    with pytest.raises(OptionError, match="cache_bytes"):
        PyMuPDFCoordsLoader("report.pdf", cache_bytes=size)
