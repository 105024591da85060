"""The process-wide state of PyMuPDF: its lock, its messages and what it raises."""

import ctypes
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pymupdf
import pymupdf4llm

logger = logging.getLogger("langchain_pymupdf_coords.pdf")

# PyMuPDF's makers do not support threads, and LangChain uses them everywhere. Held per unit of work (some
# pages, a crop, a search), never across a yield.
engine_lock = threading.RLock()

# What PyMuPDF and its layout model raise on files that break their expectations. MuPDF's own errors derive
# from Exception directly; the others come from Python code that meets an object it did not expect.
ENGINE_ERRORS: tuple[type[Exception], ...] = (
    pymupdf.mupdf.FzErrorBase,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)

# Of glibc only.
_malloc_trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None


@contextmanager
def engine(name: str) -> Iterator[None]:
    """Hold the engine for one unit of work on a file, and pass what it complains about to the logger.

    Args:
        name: Name of the file in log records.
    """
    with engine_lock:
        tools = pymupdf.TOOLS
        shown = tools.mupdf_display_errors(), tools.mupdf_display_warnings()
        tools.mupdf_display_errors(False)
        tools.mupdf_display_warnings(False)
        tools.reset_mupdf_warnings()
        try:
            yield
        finally:
            if messages := tools.mupdf_warnings(reset=True):
                logger.info("%s: MuPDF: %s", name, messages)
            tools.mupdf_display_errors(shown[0])
            tools.mupdf_display_warnings(shown[1])


def trim_memory() -> None:
    """Make the C library give back what was freed in small pieces: some 70 MB for each 100 pages read."""
    if _malloc_trim is not None:
        _malloc_trim(0)


def load_model_again() -> None:
    """Load the layout model anew, with sessions as onnxruntime makes them now."""
    with engine_lock:
        pymupdf4llm.use_layout(False)
        pymupdf4llm.use_layout(True)
