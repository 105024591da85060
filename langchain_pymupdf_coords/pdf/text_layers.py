"""Whether an OCR engine wrote the text of a page: an invisible layer over a scan, or none in the file at all."""

from typing import TYPE_CHECKING, Any

from langchain_pymupdf_coords.errors import PDFOpenError, PDFPasswordError, SourceUnavailableError
from langchain_pymupdf_coords.pdf.engine import ENGINE_ERRORS, engine
from langchain_pymupdf_coords.pdf.glyphs import kept_document

if TYPE_CHECKING:
    from langchain_pymupdf_coords.sources.files import SourceFile

# Text render mode 3, "neither fill nor stroke": ISO 32000-2, table 104; PyMuPDF's type of such spans.
_INVISIBLE = 3

_UNREADABLE: tuple[type[Exception], ...] = (PDFOpenError, SourceUnavailableError, *ENGINE_ERRORS)


def is_from_ocr(file: "SourceFile", page: int, *, password: str | None = None) -> bool:
    """Whether the text that a page was loaded with is from an OCR engine, as far as the page tells.

    True where most of its letters are invisible, or where it has none, so that whoever loaded text read a picture.
    False where the file cannot be read.

    Args:
        file: The file.
        page: Page number, from 1.
        password: User or owner password.

    Raises:
        PDFPasswordError: A password is needed, or this one is wrong.
    """
    try:
        spans = _spans(file, page, password)
    except PDFPasswordError:
        raise
    except _UNREADABLE:
        return False
    letters = sum(len(span["chars"]) for span in spans)
    hidden = sum(len(span["chars"]) for span in spans if span["type"] == _INVISIBLE)
    return hidden * 2 >= letters


def _spans(file: "SourceFile", page: int, password: str | None) -> list[dict[str, Any]]:
    """The text of a page as it is painted."""
    with engine(file.name):
        spans: list[dict[str, Any]] = kept_document(file, password).load_page(page - 1).get_texttrace()
    return spans
