"""One measurement in a process of its own; ``bench_loading`` starts it and reads the JSON that it prints."""

import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

from langchain_pymupdf_coords import PyMuPDFCoordsLoader
from langchain_pymupdf_coords.loading import document_streams
from langchain_pymupdf_coords.loading.page_readers import LOCAL_WINDOW, WorkerPageReader
from langchain_pymupdf_coords.loading.worker import load_engine, use_one_thread
from langchain_pymupdf_coords.loading.worker_pool import WorkerPool


def clocks(work: Callable[[], object]) -> tuple[float, float]:
    """Time on the clock and processor time of this process, both in seconds."""
    seconds, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - seconds, time.process_time() - cpu


def load(paths: list[str], *, one_worker: bool = False, warm: bool = False, **options: Any) -> dict[str, Any]:
    if one_worker:  # which no option asks for
        document_streams.choose_page_reader = lambda *_: WorkerPageReader(1)  # type: ignore[assignment]
    if warm:
        import langchain_pymupdf_coords.pdf  # noqa: F401
    done, first = [0], {}
    loader = PyMuPDFCoordsLoader(paths, progress=lambda pages, _: done.__setitem__(0, pages), **options)
    begun = time.perf_counter()

    def work() -> None:
        for _ in loader.lazy_load():
            first.setdefault("first", time.perf_counter() - begun)
            first.setdefault("pages_at_first", done[0])

    seconds, cpu = clocks(work)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1024 if sys.platform != "darwin" else 1024**2
    )
    return {"seconds": seconds, "cpu": cpu, "peak_mb": peak, **first}


def overhead(path: str, runs: int, *, one_thread: bool) -> dict[str, list[float]]:
    if one_thread:
        use_one_thread()
    import pymupdf

    def bare() -> None:
        with pymupdf.open(path) as document:
            for start in range(0, len(document), LOCAL_WINDOW):
                window = range(start, min(start + LOCAL_WINDOW, len(document)))
                document.to_markdown(pages=list(window), page_chunks=True, use_ocr=False)

    def ours() -> None:
        PyMuPDFCoordsLoader(path).load()

    found: dict[str, list[float]] = {}
    for number in range(runs + 1):
        for name, work in (("bare", bare), ("load", ours)):
            for clock, value in zip(("seconds", "cpu"), clocks(work), strict=True):
                if number:
                    found.setdefault(f"{name}_{clock}", []).append(value)
    return found


def start() -> dict[str, float]:
    """How long two workers take until both are ready."""
    pool = WorkerPool(2)
    seconds, cpu = clocks(lambda: [task.result() for task in [pool.submit("", load_engine) for _ in "12"]])
    pool.close()
    return {"seconds": seconds, "cpu": cpu}


if __name__ == "__main__":
    what = {"load": load, "overhead": overhead, "start": start}[sys.argv[1]]
    print(json.dumps(what(**json.loads(sys.argv[2] if len(sys.argv) > 2 else "{}"))))  # noqa: T201
