"""Copies of PDFs with highlight annotations."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pymupdf

from langchain_pymupdf_coords.conversions import from_pdf_user_space, to_pdf_user_space
from langchain_pymupdf_coords.errors import GeometryError, PDFOpenError, PyMuPDFCoordsError
from langchain_pymupdf_coords.geometry import Quad, quad_to_bbox
from langchain_pymupdf_coords.pdf.colors import Highlight
from langchain_pymupdf_coords.pdf.engine import ENGINE_ERRORS, engine
from langchain_pymupdf_coords.pdf.frame import page_geometry
from langchain_pymupdf_coords.pdf.opening import open_original

if TYPE_CHECKING:
    from langchain_pymupdf_coords.sources.files import SourceFile


def write_annotated(
    file: "SourceFile", path: Path, highlights: Sequence[Highlight], *, password: str | None = None
) -> None:
    """Write a copy of a PDF with highlights; an encrypted one keeps its passwords and permissions.

    Args:
        file: The PDF; it is not changed.
        path: The file to write, already checked to be another one.
        highlights: What to add, in this order.
        password: User or owner password.

    Raises:
        GeometryError: The file has no such page, or a quad lies outside of its page.
        PDFPasswordError: A password is needed, or this one is wrong.
        PDFOpenError: The file or a page of it is damaged, or it is not a PDF but an e-book.
        SourceUnavailableError: The file is gone or cannot be read.
    """
    contents = file.path or file.read_bytes()
    with engine(file.name):
        document = open_original(contents, name=file.source, password=password)
        try:
            if not document.is_pdf:
                raise PDFOpenError(f"{file.name} is not a PDF: only a PDF can be annotated")
            for highlight in highlights:
                _add(document, file.name, highlight)
            document.save(str(path), encryption=pymupdf.PDF_ENCRYPT_KEEP)
        except PyMuPDFCoordsError:
            raise
        except ENGINE_ERRORS as cause:
            raise PDFOpenError(f"{file.name} cannot be annotated: {cause}") from cause
        finally:
            document.close()


def _add(document: pymupdf.Document, name: str, highlight: Highlight) -> None:
    if not 1 <= highlight.page <= document.page_count:
        raise GeometryError(f"{name} has no page {highlight.page}, it has {document.page_count}")
    page = document.load_page(highlight.page - 1)
    width, height = page.rect.width, page.rect.height
    for quad in highlight.quads:
        x0, y0, x1, y1 = quad_to_bbox(quad)
        if x1 < 0 or y1 < 0 or x0 > width or y0 > height:
            raise GeometryError(
                f"{(x0, y0, x1, y1)} lies outside of page {highlight.page} of {name}, "
                f"which is {width:g} x {height:g} points"
            )
    # The engine takes the quads of annotations on the page as it is before it is turned. Its own matrix for
    # that, derotation_matrix, leaves out the UserUnit.
    geometry = page_geometry(page)
    unturned = replace(geometry, rotation=0)
    quads = [
        pymupdf.Quad(*from_pdf_user_space(to_pdf_user_space(_along(quad), geometry), unturned))
        for quad in highlight.quads
    ]
    annotation = page.add_highlight_annot(quads)
    annotation.set_colors(stroke=highlight.color)
    annotation.set_info(title=highlight.title, content=highlight.contents)
    annotation.update()


def _along(quad: Quad) -> Quad:
    """Turn the corners of a tall quad so that its first side is a long one: text that runs upwards.

    The engine rounds the two other sides outward, by as much as they are long.
    """
    upper_left, upper_right, lower_left, lower_right = quad
    if math.dist(upper_left, lower_left) <= math.dist(upper_left, upper_right):
        return quad
    return lower_left, upper_left, lower_right, upper_right
