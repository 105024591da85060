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
