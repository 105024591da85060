"""Worker processes: the same Documents, clear errors when a process dies, and nothing left behind."""

import gc
import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from langchain_core.documents import Document
from langchain_core.documents.base import Blob

from langchain_pymupdf_coords import (
    OptionError,
    PDFOpenError,
    PyMuPDFCoordsLoader,
    PyMuPDFCoordsParser,
    SkippedFileWarning,
    SourceUnavailableError,
    WorkerError,
)
from langchain_pymupdf_coords.layout.pages import DocumentInfo, ParsedPage
from langchain_pymupdf_coords.loading import document_streams, page_readers
from langchain_pymupdf_coords.loading import worker as worker_process
from langchain_pymupdf_coords.loading.page_readers import (
    LOCAL_WINDOW,
    WORKER_WINDOW,
    AutoPageReader,
    LocalPageReader,
    WorkerPageReader,
    choose_page_reader,
    usable_cores,
)
from langchain_pymupdf_coords.loading.progress import Progress
from langchain_pymupdf_coords.loading.worker import PDFJob
from langchain_pymupdf_coords.loading.worker_pool import WorkerPool
from tests.support import pdf_factory

ROOT = Path(__file__).parents[2]
SLOW = 0.5


def pages_pdf(count: int) -> bytes:
    pages = [
        [f"Words of page {n} are here.", "And a second line.", "And a third."] for n in range(1, count + 1)
    ]
    return pdf_factory.text_pdf(pages=pages)


@pytest.fixture(scope="module")
def long_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("long") / "long.pdf"
    path.write_bytes(pages_pdf(18))
    return path


@pytest.fixture(scope="module")
def long_documents(long_path: Path) -> list[Document]:
    """What is read from the long file without workers."""
    return PyMuPDFCoordsLoader(long_path).load()


@pytest.fixture(autouse=True)
def _no_process_is_left() -> Iterator[None]:
    yield
    assert not multiprocessing.active_children()


# --- what stands in for the functions of a worker; pickled by name ------------------------------------------


def begin_or_die(
    job: PDFJob, pages: Sequence[int] | None, window: int
) -> tuple[DocumentInfo, list[ParsedPage]]:
    if "poison" in job.name:
        os._exit(9)
    return worker_process.begin_job(job, pages, window)


def read_or_die_once(job: PDFJob, numbers: Sequence[int]) -> list[ParsedPage]:
    marker = Path(os.environ["MARKER"])
    if 9 in numbers and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return worker_process.read_pages(job, numbers)


def sessions() -> list[tuple[int, int]]:
    """How many threads each session of the layout model uses in a worker."""
    import onnxruntime

    worker_process.load_engine()
    held = [thing for thing in gc.get_objects() if type(thing) is onnxruntime.InferenceSession]
    used = [session.get_session_options() for session in held]
    return [(options.intra_op_num_threads, options.inter_op_num_threads) for options in used]


def nap() -> int:
    time.sleep(SLOW)
    return os.getpid()


# --- the same Documents --------------------------------------------------------------------------------------


def test_workers_give_the_same_documents_in_the_same_order(
    long_path: Path, long_documents: list[Document], report_path: Path, report_documents: list[Document]
) -> None:
    loader = PyMuPDFCoordsLoader([long_path, report_path], workers=2)
    assert loader.load() == long_documents + report_documents


def test_bytes_and_chosen_pages(long_path: Path) -> None:
    blob = Blob.from_data(long_path.read_bytes(), metadata={"source": "memory"})
    options = {"pages": [2, 3, 7, 11, 12, 18]}
    alone = PyMuPDFCoordsParser(**options).parse(blob)
    assert PyMuPDFCoordsParser(**options, workers=2).parse(blob) == alone
    assert {document.metadata["page"] for document in alone} <= set(options["pages"])


def test_errors_are_those_of_one_process(
    tmp_path: Path, long_path: Path, long_documents: list[Document]
) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"plain words")
    stream = PyMuPDFCoordsLoader([long_path, broken, tmp_path / "absent.pdf"], workers=2).lazy_load()
    documents = []
    with pytest.raises(PDFOpenError, match=r"broken\.pdf") as caught:
        documents.extend(stream)
    assert caught.value.__cause__ is not None
    assert documents == long_documents
    with pytest.raises(OptionError, match="has no page 19, it has 18"):
        PyMuPDFCoordsLoader(long_path, pages=range(1, 20), workers=2).load()


def test_other_files_go_on_if_asked_to(
    tmp_path: Path, report_path: Path, report_documents: list[Document]
) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"plain words")
    files = [tmp_path / "absent.pdf", broken, report_path]
    with pytest.warns(SkippedFileWarning) as caught:
        documents = PyMuPDFCoordsLoader(files, on_error="warn").load()
    assert [str(warning.message).count(".pdf") > 0 for warning in caught] == [True, True]
    assert documents == report_documents
    with pytest.raises(SourceUnavailableError):
        PyMuPDFCoordsLoader(files).load()
    with pytest.raises(OptionError, match="on_error"):
        PyMuPDFCoordsLoader(files, on_error="ignore")


# --- processes that die --------------------------------------------------------------------------------------


def test_a_killed_worker_costs_one_window(
    long_path: Path, long_documents: list[Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARKER", str(tmp_path / "marker"))
    monkeypatch.setattr(worker_process, "read_pages", read_or_die_once)
    assert PyMuPDFCoordsLoader(long_path, workers=2).load() == long_documents
    assert (tmp_path / "marker").exists()


def test_a_file_that_kills_its_worker_is_named_and_the_others_go_on(
    tmp_path: Path,
    long_path: Path,
    long_documents: list[Document],
    report_path: Path,
    report_documents: list[Document],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    poison = tmp_path / "poison.pdf"
    poison.write_bytes(pages_pdf(1))
    files = [long_path, poison, report_path]
    monkeypatch.setattr(worker_process, "begin_job", begin_or_die)
    with pytest.raises(WorkerError, match=r"poison\.pdf.*died twice"):
        PyMuPDFCoordsLoader(files, workers=2).load()
    with pytest.warns(SkippedFileWarning, match=r"poison\.pdf"):
        documents = PyMuPDFCoordsLoader(files, workers=2, on_error="warn").load()
    assert documents == long_documents + report_documents


def test_a_worker_that_died_while_it_was_idle_is_replaced() -> None:
    pool = WorkerPool(1)
    try:
        pid = pool.submit("first", os.getpid).result()
        os.kill(pid, signal.SIGKILL)
        time.sleep(SLOW)
        assert pool.submit("second", os.getpid).result() != pid
    finally:
        pool.close()


# --- nothing left behind -------------------------------------------------------------------------------------


def test_closing_early_ends_busy_workers_at_once(long_path: Path) -> None:
    pool = WorkerPool(2)
    pids = {pool.submit("pid", nap).result()}
    for _ in range(4):
        pool.submit("sleep", time.sleep, 60)
    pids |= {process.pid for process in multiprocessing.active_children()}
    assert len(pids) == 2
    start = time.monotonic()
    pool.close()
    assert time.monotonic() - start < 30
    assert not any(is_running(pid) for pid in pids)

    stream = PyMuPDFCoordsLoader(long_path, workers=2).lazy_load()
    next(stream)
    assert multiprocessing.active_children()
    stream.close()
    assert not multiprocessing.active_children()


SCRIPT = """
    import multiprocessing, signal, time
    from langchain_pymupdf_coords.loading.worker_pool import WorkerPool

    if __name__ == "__main__":
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a runner in the background ignores it
        pool = WorkerPool(2)
        try:
            tasks = [pool.submit("sleep", time.sleep, 0.1), pool.submit("sleep", time.sleep, 120)]
            tasks[0].result()
            print(*[process.pid for process in multiprocessing.active_children()], flush=True)
            tasks[1].result()
        finally:
            pool.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_parent(tmp_path: Path, end: signal.Signals) -> None:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    parent = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    try:
        assert parent.stdout
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert len(pids) == 2
        if end == signal.SIGINT:
            os.killpg(parent.pid, end)  # as a terminal does
        else:
            parent.send_signal(end)
        _, errors = parent.communicate(timeout=240)
        deadline = time.monotonic() + 30
        while any(map(is_running, pids)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any(map(is_running, pids))
        assert errors.count("Traceback") == (end == signal.SIGINT)
    finally:
        parent.kill()
        parent.wait()


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


# --- how many, and when --------------------------------------------------------------------------------------


def test_workers_start_together_with_one_thread_per_session() -> None:
    pool = WorkerPool(2)
    try:
        assert not multiprocessing.active_children()
        first = pool.submit("sessions", sessions)
        assert len(multiprocessing.active_children()) == 2
        assert set(first.result()) == {(1, 1)}
    finally:
        pool.close()


def test_the_worker_with_least_to_do_is_called() -> None:
    pool = WorkerPool(2)
    try:
        calls = [pool.submit("nap", nap, size=size) for size in (4, 1, 2, 2)]
        large, *small = [call.result() for call in calls]
        assert set(small) == {small[0]} != {large}
    finally:
        pool.close()


def test_a_bounded_number_of_windows_is_in_flight(long_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[int]] = []
    read = WorkerPageReader.read

    def counting(self: WorkerPageReader, job: PDFJob, numbers: Sequence[int]) -> object:
        asked.append(numbers)
        return read(self, job, numbers)

    monkeypatch.setattr(WorkerPageReader, "read", counting)
    monkeypatch.setattr(WorkerPageReader, "window", lambda self, remaining: 1)
    stream = PyMuPDFCoordsLoader(long_path, workers=2, mode="page").lazy_load()
    next(stream)
    assert asked == [[n] for n in range(1, 6)]
    assert len(list(stream)) == 17
    assert asked == [[n] for n in range(1, 19)]


def test_windows_are_smaller_at_the_end_of_a_file() -> None:
    reader = WorkerPageReader(2)
    windows, remaining = [], 21
    while remaining:
        windows.append(reader.window(remaining))
        remaining -= windows[-1]
    assert windows == [4, 4, 4, 3, 2, 1, 1, 1, 1]
    reader.close()


def slow_clock(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let each window that is read in this process seem to take so long."""
    clock = SimpleNamespace(perf_counter=itertools.count(step=seconds).__next__)
    monkeypatch.setattr(page_readers, "time", clock)


def test_auto_stays_here_for_little_work_and_changes_over_for_much(
    long_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(choose_page_reader(1, Progress()), LocalPageReader)
    assert isinstance(
        choose_page_reader("auto", Progress()), AutoPageReader if usable_cores() > 1 else LocalPageReader
    )

    slow_clock(monkeypatch, seconds=1.2)
    reader = AutoPageReader(2, progress := Progress(opened=1))
    reader.begin(PDFJob(long_path, "long.pdf", None, "never", "eng"), range(1, 9))()
    progress.total = 20
    assert reader.window(20) == LOCAL_WINDOW  # 3 seconds of work are left
    progress.total = 40
    assert reader.window(40) == WORKER_WINDOW
    reader.close()


def test_auto_gives_the_same_documents_when_it_changes_over(
    long_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_clock(monkeypatch, seconds=10)
    monkeypatch.setattr(
        document_streams, "choose_page_reader", lambda _, progress: AutoPageReader(2, progress)
    )
    stream = PyMuPDFCoordsLoader(long_path, workers="auto", mode="page").lazy_load()
    first = next(stream)
    assert multiprocessing.active_children()
    assert [first, *stream] == PyMuPDFCoordsLoader(long_path, mode="page").load()


def test_daemonic_processes_have_no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiprocessing.current_process(), "daemon", True)
    assert isinstance(choose_page_reader("auto", Progress()), LocalPageReader)
    with pytest.raises(OptionError, match="daemonic"):
        choose_page_reader(2, Progress())


@pytest.mark.parametrize("workers", [0, -1, True, 1.5, "all", None])
def test_numbers_that_are_none(workers: object) -> None:
    with pytest.raises(OptionError, match="workers must be"):
        PyMuPDFCoordsParser(workers=workers)


def test_workers_start_while_other_threads_read(
    long_path: Path, long_documents: list[Document], report_path: Path, report_documents: list[Document]
) -> None:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.extend(PyMuPDFCoordsLoader(report_path).load()))
    thread.start()
    documents = PyMuPDFCoordsLoader(long_path, workers=2).load()
    thread.join()
    assert found == report_documents
    assert documents == long_documents
