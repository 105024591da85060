"""The errors and warnings of this package.

Every error that the package raises on purpose derives from ``PyMuPDFCoordsError`` and every warning
from ``PyMuPDFCoordsWarning``, so one ``except`` clause or one warnings filter covers them all::

    Exception
    └── PyMuPDFCoordsError
        ├── OptionError                 an option that cannot be used (also a ValueError)
        ├── GeometryError               a box or rotation that no page can have (also a ValueError)
        ├── PDFOpenError                damaged, empty, or not a PDF
        │   └── PDFPasswordError        a password is needed, or the given one is wrong
        ├── ProvenanceError             coordinate metadata is missing or malformed
        ├── SourceUnavailableError      the file behind a Document cannot be reached
        ├── SourceAccessError           the file lies outside the allowed root
        ├── SourceChangedError          the file is not the one that was indexed
        ├── OCRUnavailableError         OCR was asked for and no engine can do it
        └── WorkerError                 a worker process died while it read a file

    UserWarning
    └── PyMuPDFCoordsWarning
        ├── UnreadableContentWarning    a page or box shows something that yields no text
        ├── PageFallbackWarning         a page was read without the layout model
        ├── UnplacedTextWarning         text of a chunk that no word of the page accounts for
        ├── SourceChangedWarning        the file changed, so nothing is drawn on it
        ├── SourceUnavailableWarning    the file behind a Document cannot be shown
        ├── RenderBudgetWarning         a crop was reduced or left out to stay within its budget
        ├── CacheWarning                a cached result could not be read or written
        └── SkippedFileWarning          a file could not be loaded, and the others were

Messages name the file, page or metadata key concerned and what to do about it. An error that comes
from another library is chained to it (``__cause__``).
"""

import sys
import warnings
from contextvars import ContextVar
from typing import Any, NamedTuple


class PyMuPDFCoordsError(Exception):
    """Base class of every error that this package raises on purpose."""


class OptionError(PyMuPDFCoordsError, ValueError):
    """An option has a value that cannot be used; the message names the option."""


class GeometryError(PyMuPDFCoordsError, ValueError):
    """A box, a page or a rotation that no page can have."""


class PDFOpenError(PyMuPDFCoordsError):
    """The bytes cannot be opened as a PDF: they are damaged, empty, or of another type."""


class PDFPasswordError(PDFOpenError):
    """The PDF is encrypted, and the password is missing or wrong."""


class ProvenanceError(PyMuPDFCoordsError):
    """Coordinate metadata of a Document is missing or malformed; the message names the key."""


class SourceUnavailableError(PyMuPDFCoordsError):
    """The source of a Document cannot be reached: no such file, a failed download, no resolver."""


class SourceAccessError(PyMuPDFCoordsError):
    """The source of a Document lies outside what the caller allowed, such as the given root."""


class SourceChangedError(PyMuPDFCoordsError):
    """The file at the source is not the one that was indexed: its digest differs from the stored one."""


class OCRUnavailableError(PyMuPDFCoordsError):
    """OCR was asked for, but no OCR engine or no data for the language is installed."""


class WorkerError(PyMuPDFCoordsError):
    """A worker process died, and died again, while it read some pages; the message names file and pages."""


class PyMuPDFCoordsWarning(UserWarning):
    """Base class of every warning that this package issues."""


class UnreadableContentWarning(PyMuPDFCoordsWarning):
    """A page or box shows something that yields no text, such as a scan without an OCR engine."""


class PageFallbackWarning(PyMuPDFCoordsWarning):
    """A page was read without the layout model, as plain text blocks, because the model failed on it."""


class UnplacedTextWarning(PyMuPDFCoordsWarning):
    """Some text of a chunk could not be placed on the page with certainty and has no line of its own."""


class SourceChangedWarning(PyMuPDFCoordsWarning):
    """The file differs from the indexed one: quotes get stored or relocated places, and nothing is drawn on it."""


class SourceUnavailableWarning(PyMuPDFCoordsWarning):
    """The file behind a Document is gone or damaged, so it was left without pictures."""


class RenderBudgetWarning(PyMuPDFCoordsWarning):
    """A crop was rendered at a lower resolution, or left out, to stay within the pixel or byte budget."""


class CacheWarning(PyMuPDFCoordsWarning):
    """A cached result could not be read or written; the work was done again without it."""


class SkippedFileWarning(PyMuPDFCoordsWarning):
    """A file could not be loaded to its end; the other files were, as ``on_error="warn"`` asks."""


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
