"""What runs in a worker process. Importing this module loads no PyMuPDF: the threads are set first."""

import os
import signal
import sys
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection

from langchain_pymupdf_coords.pages import DocumentInfo, ParsedPage
from langchain_pymupdf_coords.reading_jobs import PDFJob, ReaderSlot

_slot = ReaderSlot()


def begin_work(lifeline: Connection) -> None:
    """Make this process a worker.

    Args:
        lifeline: Ends with the parent, however it ends, or when the parent has no more use for the worker.
    """
    # Ctrl-C reaches the whole process group; the parent is the one that reacts.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    use_one_thread()


def load_engine() -> None:
    """Load PyMuPDF and the layout model, before there is something to do."""
    import langchain_pymupdf_coords.pdf  # noqa: F401


def begin_job(job: PDFJob, pages: Sequence[int] | None, window: int) -> tuple[DocumentInfo, list[ParsedPage]]:
    """Open a file, and read it if it has few pages; see ``ReaderSlot.begin``."""
    return _slot.begin(job, pages, window, all_or_none=True)


def read_pages(job: PDFJob, numbers: Sequence[int]) -> list[ParsedPage]:
    """Read pages; see ``ReaderSlot.read``."""
    return _slot.read(job, numbers)


def _end_with(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        pass
    finally:
        os._exit(0)


def use_one_thread() -> None:
    """Give the layout model a single thread in this process, if it has more.

    By default it has as many as there are cores, and they spin while they wait for each other: with two
    processes on two cores, both were slower than one alone. Neither an environment variable nor the engine
    sets their number. For the worker processes of other engines; those of this package do it themselves.
    """
    import onnxruntime

    if getattr(onnxruntime.SessionOptions, "is_single", False):
        return

    class OneThread(onnxruntime.SessionOptions):  # type: ignore[misc]  # onnxruntime has no annotations
        is_single = True

        def __init__(self) -> None:
            super().__init__()
            self.intra_op_num_threads = 1
            self.inter_op_num_threads = 1

    is_loaded = "pymupdf" in sys.modules  # and with it the model, such as by the script that runs
    onnxruntime.SessionOptions = OneThread
    from langchain_pymupdf_coords.pdf.engine import load_model_again

    if is_loaded:
        load_model_again()
