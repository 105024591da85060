"""Async loads: the event loop stays free, and so does the executor that all code shares."""

import asyncio
import contextvars
import multiprocessing
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import PDFOpenError, PyMuPDFCoordsLoader, QuoteLocator
from langchain_pymupdf_coords.async_streams import in_background

STEP = 0.2


class CountingPool(ThreadPoolExecutor):
    """Counts what it is given to do."""

    submitted = 0

    def submit(self, *task: Any, **options: Any) -> Future[Any]:
        self.submitted += 1
        return super().submit(*task, **options)


async def test_the_documents_are_those_of_lazy_load(
    report_path: Path, report_documents: list[Document]
) -> None:
    loader = PyMuPDFCoordsLoader(report_path)
    assert await loader.aload() == report_documents
    assert [document async for document in loader.alazy_load()] == report_documents


async def test_errors_come_through(tmp_path: Path) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"words")
    with pytest.raises(PDFOpenError, match="broken"):
        await PyMuPDFCoordsLoader(path).aload()


async def test_loads_leave_the_loop_and_the_default_executor_free() -> None:
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(1))
    waiting = threading.Event()

    def blocked() -> Iterator[int]:
        waiting.wait(30)
        yield 1

    async def load() -> list[int]:
        return [item async for item in in_background(blocked)]

    loads = [asyncio.ensure_future(load()) for _ in range(40)]
    try:
        await asyncio.sleep(STEP)
        assert await asyncio.wait_for(loop.run_in_executor(None, lambda: "free"), 10) == "free"
        assert sum(thread.name.startswith("pymupdf-coords-load") for thread in threading.enumerate()) <= 4
        assert not any(load.done() for load in loads)
    finally:
        waiting.set()
    assert await asyncio.gather(*loads) == [[1]] * 40


async def test_a_cancelled_load_is_closed_after_its_step() -> None:
    started, go_on, closed = threading.Event(), threading.Event(), threading.Event()
    steps: list[int] = []

    def slow() -> Iterator[int]:
        try:
            for step in (1, 2):
                started.set()
                go_on.wait(30)
                steps.append(step)
                yield step
        finally:
            closed.set()

    async def load() -> None:
        async for _ in in_background(slow):
            pass

    task = asyncio.ensure_future(load())
    assert await asyncio.to_thread(started.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 10)
    assert not closed.is_set()  # nobody waited for the step, which goes on
    go_on.set()
    assert await asyncio.to_thread(closed.wait, 10)
    assert steps == [1]


async def test_context_variables_reach_the_steps() -> None:
    variable = contextvars.ContextVar("variable", default="unset")
    variable.set("set")

    def steps() -> Iterator[str]:
        yield variable.get()
        yield variable.get()

    assert [value async for value in in_background(steps)] == ["set", "set"]


async def test_many_files_at_once(report_path: Path, report_documents: list[Document]) -> None:
    loads = [PyMuPDFCoordsLoader(report_path).aload() for _ in range(6)]
    assert await asyncio.gather(*loads) == [report_documents] * 6


async def test_leaving_early_ends_the_workers(report_path: Path) -> None:
    stream = PyMuPDFCoordsLoader([report_path] * 4, workers=2).alazy_load()
    async for _ in stream:
        break
    await stream.aclose()
    deadline = time.monotonic() + 30
    while multiprocessing.active_children() and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
    assert not multiprocessing.active_children()


async def test_locating_leaves_the_default_executor_free(report_path: Path) -> None:
    asyncio.get_running_loop().set_default_executor(pool := CountingPool(1))
    documents = await PyMuPDFCoordsLoader(report_path).aload()
    quotes = [document.page_content.split()[-1] for document in documents]
    locator = QuoteLocator()
    pairs = list(zip(documents, quotes, strict=True))
    found = await asyncio.gather(*(locator.alocate(*pair) for pair in pairs))
    assert found == [locator.locate(*pair) for pair in pairs]
    assert all(found)
    assert pool.submitted == 0
