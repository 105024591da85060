"""Warnings that point at the line of the user's code, through chains and into threads."""

import sys
import warnings
from contextvars import ContextVar
from typing import Any, NamedTuple

from langchain_pymupdf_coords.errors import PyMuPDFCoordsWarning


class _Line(NamedTuple):
    """A line of code that a warning may point at, as ``warnings.warn_explicit`` takes it."""

    filename: str
    lineno: int
    module: str
    registry: dict[Any, Any]


_PACKAGE = "langchain_pymupdf_coords"

# What may stand between a user's line and this package: chains, threads, event loops, context managers.
_MACHINERY = frozenset([_PACKAGE]).union(
    ("langchain", "langchain_classic", "langchain_core", "llama_index", "pydantic"),
    ("asyncio", "concurrent", "contextlib", "functools", "runpy", "threading"),
)

_awaiting: ContextVar[_Line | None] = ContextVar("awaiting", default=None)


def warn(message: str, category: type[PyMuPDFCoordsWarning]) -> None:
    """Issue a warning that points at the line of the user's code that called this package.

    That is the innermost line outside of this package and of the machinery that may have called it. In a thread
    that has no such line it is the one that ``remember_caller`` saw.
    """
    line = _calling_line(_MACHINERY) or _awaiting.get() or _calling_line(frozenset([_PACKAGE]))
    if line is None:
        warnings.warn(message, category, stacklevel=2)
    else:
        warnings.warn_explicit(message, category, *line)


def remember_caller() -> None:
    """Let warnings of the present context point at the present caller, in other threads too."""
    _awaiting.set(_calling_line(_MACHINERY) or _awaiting.get())


def _calling_line(passed_over: frozenset[str]) -> _Line | None:
    frame = sys._getframe(1)
    while str(frame.f_globals.get("__name__")).partition(".")[0] in passed_over:
        if frame.f_back is None:
            return None
        frame = frame.f_back
    names = frame.f_globals
    registry = names.setdefault("__warningregistry__", {})
    return _Line(frame.f_code.co_filename, frame.f_lineno, str(names.get("__name__")), registry)
