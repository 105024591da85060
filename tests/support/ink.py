"""Where the dark pixels of a page are: the truth that rectangles are held to."""

import numpy as np
import pymupdf
from numpy.typing import NDArray

from langchain_pymupdf_coords.geometry import BBox

DPI = 144


def ink(pdf: bytes, page: int = 1, dpi: int = DPI) -> NDArray[np.bool_]:
    """Dark pixels of a page (from 1) of the file as it is, displayed: rows down, columns right."""
    with pymupdf.open(stream=pdf) as doc:
        pixmap = doc[page - 1].get_pixmap(dpi=dpi, colorspace="gray")
        samples = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
        return samples[:, : pixmap.width] < 128


def ink_bbox(dark: NDArray[np.bool_], clip: BBox | None = None, dpi: int = DPI) -> BBox | None:
    """The rectangle around the dark pixels inside ``clip``, in points of the displayed page, if any."""
    scale = dpi / 72
    x0, y0, x1, y1 = (round(v * scale) for v in clip) if clip else (0, 0, dark.shape[1], dark.shape[0])
    rows, columns = np.nonzero(dark[max(y0, 0) : y1, max(x0, 0) : x1])
    if not rows.size:
        return None
    left, top = max(x0, 0), max(y0, 0)
    edges = (columns.min() + left, rows.min() + top, columns.max() + left + 1, rows.max() + top + 1)
    return tuple(float(edge) / scale for edge in edges)
