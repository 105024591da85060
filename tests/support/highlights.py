"""Annotated pages as pictures, and whether the highlight on them lies on the ink of the words."""

from pathlib import Path

import numpy as np
import pymupdf
import pypdfium2
from numpy.typing import NDArray

from langchain_pymupdf_coords.geometry import BBox
from langchain_pymupdf_coords.pdf.colors import STATUS_COLORS

SCALE = 2  # pixels per point
GREEN = STATUS_COLORS["exact"]


def rendered_by_pdfium(path: Path, page: int = 0, password: str | None = None) -> NDArray[np.int16]:
    """Rows, columns, RGB of the displayed page with its annotations, by PDFium."""
    document = pypdfium2.PdfDocument(path, password=password)
    picture = document[page].render(scale=SCALE, may_draw_forms=False).to_pil().convert("RGB")
    document.close()
    return np.asarray(picture).astype(np.int16)


def rendered_by_mupdf(path: Path, page: int = 0) -> NDArray[np.int16]:
    with pymupdf.open(path) as document:
        pixmap = document[page].get_pixmap(matrix=pymupdf.Matrix(SCALE, SCALE))
        return (
            np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3).astype(np.int16)
        )


def extent(mask: NDArray[np.bool_]) -> BBox:
    """The box around what is true, in points."""
    rows, columns = np.nonzero(mask)
    edges = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
    return tuple(float(edge) / SCALE for edge in edges)


def coloured(picture: NDArray[np.int16]) -> NDArray[np.bool_]:
    return picture.max(axis=2) - picture.min(axis=2) > 40


def check_highlight(before: NDArray[np.int16], after: NDArray[np.int16]) -> None:
    """The second line of ``PAGE_TEXT``, all of it and nothing else, got the colour of an exact quote."""
    assert before.shape == after.shape
    tinted = coloured(after)
    x0, y0, x1, y1 = extent(tinted)
    box = (slice(round(y0 * SCALE), round(y1 * SCALE)), slice(round(x0 * SCALE), round(x1 * SCALE)))
    dark = before.max(axis=2) < 128
    # The ink under the highlight is the line, whole: as wide, and with nothing of the lines above and below.
    line = extent(dark & _rows(dark, 1))
    assert x0 <= line[0] + 0.5
    assert y0 <= line[1] + 0.5
    assert x1 >= line[2] - 0.5
    assert y1 >= line[3] - 0.5
    covered = np.zeros_like(dark)
    covered[box] = dark[box]
    assert extent(covered) == line
    assert x1 - x0 < line[2] - line[0] + 8
    # White became the colour of the status, black stayed black.
    inside = before[box].min(axis=2) == 255
    expected = np.round(np.array(GREEN) * 255)
    assert (np.abs(after[box][inside] - expected).max(axis=1) <= 3).mean() > 0.85
    assert after[box][dark[box]].max() < 160
    # Nothing else changed, but for traces of antialiasing by MuPDF.
    assert np.abs(before - after)[~_grown(box, dark)].max() < 40


def _rows(dark: NDArray[np.bool_], line: int) -> NDArray[np.bool_]:
    """The rows of a line of ``PAGE_TEXT``, which starts every 1.5 * 11 points below the margin of 36."""
    rows = np.zeros_like(dark)
    top = 36 + (line + 0.2) * 16.5
    rows[round(top * SCALE) : round((top + 16.5) * SCALE)] = True
    return rows


def _grown(box: tuple[slice, slice], like: NDArray[np.bool_]) -> NDArray[np.bool_]:
    grown = np.zeros_like(like)
    rows, columns = box
    grown[rows.start - 2 : rows.stop + 2, columns.start - 2 : columns.stop + 2] = True
    return grown
