"""The one door: private handles on PDF files, whose pages are in the displayed frame.

Form fields that would hang or stop the engine are made harmless in the private handle.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf

from langchain_pymupdf_coords.errors import GeometryError, PDFOpenError, PDFPasswordError
from langchain_pymupdf_coords.pdf.engine import ENGINE_ERRORS
from langchain_pymupdf_coords.pdf.frame import bring_upright, is_upright

# Formats with pages of their own or, for e-books, of the engine's default size. The engine would open
# pictures and plain text too, but a text file that is called .pdf is a damaged file for its owner.
_FORMATS = ("PDF", "EPUB", "FictionBook2", "XPS", "MOBI")

_DEEPEST_TREE = 64

_REFERENCE = re.compile(r"(\d+) \d+ R")

PageHook = Callable[[pymupdf.Page], None]


class PrivateDocument(pymupdf.Document):
    """A document that belongs to nobody else, so that its pages may be rewritten.

    Attributes:
        upright: Whether each page is brought into the displayed frame when it is loaded.
        watch: Called with each page that is loaded, before anybody else sees it.
    """

    upright = False
    watch: PageHook | None = None
    _baked = False

    def load_page(self, page_id: Any) -> pymupdf.Page:
        """Load a page; see ``pymupdf.Document.load_page``."""
        if self.upright and not self._baked and self._is_turned_form(page_id):
            # remove_rotation moves annotations and form fields but leaves what they show as it was. As a part
            # of the page's content it turns with the page. A page that is loaded already would keep both.
            self.bake()
            self._baked = True
        page = super().load_page(page_id)
        if self.upright and not _shown_upright(page):
            bring_upright(page)
        if self.watch is not None:
            self.watch(page)
        return page

    def _is_turned_form(self, index: int) -> bool:
        """Tell from its objects, without loading it, whether a page is rotated and has annotations."""
        xref = self.page_xref(index)
        if self.xref_get_key(xref, "Annots")[0] == "null":
            return False
        for _ in range(_DEEPEST_TREE):
            kind, value = self.xref_get_key(xref, "Rotate")
            if kind == "int":
                return int(value) % 360 != 0
            kind, value = self.xref_get_key(xref, "Parent")
            if kind != "xref":
                break
            xref = int(value.split()[0])
        return False


def _shown_upright(page: pymupdf.Page) -> bool:
    try:
        return is_upright(page)
    except GeometryError:
        # Nothing of the page lies in its CropBox. The engine shows a blank page of its own, as it is.
        return True


def open_upright(file: Path | bytes, *, name: str, password: str | None = None) -> PrivateDocument:
    """Open a file with every page in the displayed frame, for reading and searching text.

    Raises:
        PDFPasswordError: A password is needed, or this one is wrong.
        PDFOpenError: The file is damaged or not a PDF.
    """
    document = open_original(file, name=name, password=password)
    document.upright = bool(document.is_pdf)
    return document


def open_original(file: Path | bytes, *, name: str, password: str | None = None) -> PrivateDocument:
    """Open a file as it is: its pages keep rotation and CropBox, for rendering and annotating.

    Args:
        file: Path or contents.
        name: Name of the file in error messages.
        password: User or owner password.

    Raises:
        PDFPasswordError: A password is needed, or this one is wrong.
        PDFOpenError: The file is damaged or not a PDF.
    """
    try:
        document = _open(file)
        if document.needs_pass and not document.authenticate(password or ""):
            raise _password_error(name, password)
        document_format = str((document.metadata or {}).get("format", ""))
        pages = document.page_count
    except ENGINE_ERRORS as cause:
        raise PDFOpenError(
            f"cannot open {name!r}: {str(cause).rstrip('.')}; is it a PDF, and complete?"
        ) from cause
    if not document_format.startswith(_FORMATS):
        raise PDFOpenError(f"cannot open {name!r}: it is not a PDF but {document_format or 'unknown'!r}")
    if pages < 1:
        raise PDFOpenError(f"cannot open {name!r}: it has no pages")
    return document


def _open(file: Path | bytes) -> PrivateDocument:
    if isinstance(file, bytes):
        # A PDF may have leading junk, which stops the engine from knowing the type of a stream.
        return PrivateDocument(stream=file, filetype="pdf" if b"%PDF-" in file[:1024] else None)
    return PrivateDocument(str(file))


def _password_error(name: str, password: str | None) -> PDFPasswordError:
    what = "the password is wrong" if password else "it is encrypted and needs a password"
    return PDFPasswordError(f"cannot open {name!r}: {what}; pass password=")


def disarm_forms(document: pymupdf.Document) -> None:
    """Cut cycles in the tree of form fields, and empty the list that leads into it."""
    root = document.pdf_catalog()
    waiting = [(xref, 0) for xref in _references(document, root, "AcroForm/Fields")]
    if not waiting:
        return
    seen: set[int] = set()
    while waiting:
        xref, parent = waiting.pop()
        seen.add(xref)
        if _references(document, xref, "Parent") not in ([], [parent]):
            document.xref_set_key(xref, "Parent", f"{parent} 0 R" if parent else "null")
        kids = _references(document, xref, "Kids")
        if seen.intersection(kids) or len(set(kids)) < len(kids):
            document.xref_set_key(xref, "Kids", "null")
        else:
            waiting += [(kid, xref) for kid in kids]
    document.xref_set_key(root, "AcroForm/Fields", "[]")


def _references(document: pymupdf.Document, xref: int, key: str) -> list[int]:
    kind, value = document.xref_get_key(xref, key)
    if kind == "xref" and key != "Parent":
        # The array itself is an object of its own.
        value = document.xref_object(int(value.split()[0]), compressed=True)
    return [int(number) for number in _REFERENCE.findall(value)] if kind in ("array", "xref") else []
