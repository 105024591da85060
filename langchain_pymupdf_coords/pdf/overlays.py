"""Marks drawn over the picture of a page: filled like a highlighter pen, or outlined."""

from collections.abc import Sequence
from dataclasses import dataclass

import pymupdf
from pymupdf import mupdf

from langchain_pymupdf_coords.geometry import Quad
from langchain_pymupdf_coords.highlight_colors import Color

_LINE_WIDTH = 1.0


@dataclass(frozen=True, slots=True)
class Overlay:
    """Quads of one page to mark in one way.

    Attributes:
        quads: In the displayed frame, in points.
        color: Red, green and blue, each 0 to 1.
        opacity: 0 (invisible) to 1 (full colour).
        fill: Whether to fill the quads, so that black text under them stays black, or to outline them with
            a line of 1 point.
    """

    quads: tuple[Quad, ...]
    color: Color
    opacity: float = 0.5
    fill: bool = True


def draw_overlays(pixmap: pymupdf.Pixmap, scale: float, overlays: Sequence[Overlay]) -> None:
    """Draw marks onto an RGB picture of a page.

    They are drawn onto the pixels and not into the page: a page would have to be changed and interpreted
    again, and pages of e-books take no annotations.

    Args:
        pixmap: The picture; the position of its first pixel counts from the corner of the displayed page.
        scale: Pixels per point.
        overlays: What to draw.
    """
    if not overlays:
        return
    device = mupdf.fz_new_draw_device(mupdf.FzMatrix(scale, 0, 0, scale, 0, 0), pixmap.this)
    for overlay in overlays:
        _draw(device, overlay)
    mupdf.fz_close_device(device)


def _draw(device: mupdf.FzDevice, overlay: Overlay) -> None:
    rgb, identity, params = mupdf.fz_device_rgb(), mupdf.FzMatrix(), mupdf.FzColorParams()
    everywhere = mupdf.FzRect(mupdf.FzRect.Fixed_INFINITE)
    blend = mupdf.FZ_BLEND_MULTIPLY if overlay.fill else mupdf.FZ_BLEND_NORMAL
    color = mupdf.new_floats(3)
    try:
        for index, value in enumerate(overlay.color):
            mupdf.floats_setitem(color, index, value)
        path = _path(overlay.quads)
        # One group for all quads: where two of them overlap, the colour does not double.
        mupdf.fz_begin_group(device, everywhere, rgb, False, False, blend, overlay.opacity)
        if overlay.fill:
            mupdf.fz_fill_path(device, path, 0, identity, rgb, color, 1.0, params)
        else:
            mupdf.fz_stroke_path(device, path, _stroke(), identity, rgb, color, 1.0, params)
        mupdf.fz_end_group(device)
    finally:
        mupdf.delete_floats(color)


def _path(quads: Sequence[Quad]) -> mupdf.FzPath:
    path = mupdf.FzPath()
    for upper_left, upper_right, lower_left, lower_right in quads:
        path.fz_moveto(*upper_left)
        for corner in (upper_right, lower_right, lower_left):
            path.fz_lineto(*corner)
        path.fz_closepath()
    return path


def _stroke() -> mupdf.FzStrokeState:
    stroke = mupdf.fz_new_stroke_state()
    stroke.m_internal.linewidth = _LINE_WIDTH
    return stroke
