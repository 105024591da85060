"""Pictures of pages and of parts of pages, with marks drawn over them: filled like a highlighter pen, or outlined."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

import pymupdf
from pymupdf import mupdf

from langchain_pymupdf_coords.errors import GeometryError, PDFOpenError
from langchain_pymupdf_coords.geometry import BBox, PageSize, Quad, clip_bbox
from langchain_pymupdf_coords.pdf.colors import Overlay
from langchain_pymupdf_coords.pdf.engine import ENGINE_ERRORS, engine
from langchain_pymupdf_coords.pdf.opening import open_original

if TYPE_CHECKING:
    from langchain_pymupdf_coords.sources.files import SourceFile
"""Default for the most pixels of one picture: 48 MB while it is made; A4 at 400 dpi."""


ImageFormat = Literal["png", "jpeg", "webp"]

MAX_PIXELS = 16_000_000

# Less of a pixel than this counts as nothing, as in the engine's own rounding.
_NOTHING = 0.001

_LINE_WIDTH = 1.0

# Longest side that the format itself allows.
_MAX_SIDE: Mapping[str, int] = {"png": 1_000_000, "jpeg": 65_500, "webp": 16_383}

_ENCODERS: Mapping[str, Callable[[pymupdf.Pixmap], bytes]] = {
    "png": lambda pixmap: bytes(pixmap.tobytes("png")),
    "jpeg": lambda pixmap: bytes(pixmap.tobytes("jpeg")),
    "webp": lambda pixmap: bytes(pixmap.pil_tobytes("WEBP", quality=90)),
}


@dataclass(frozen=True, slots=True)
class Rendered:
    """A picture of a page or of a part of it.

    Attributes:
        data: The encoded image.
        width: In pixels.
        height: In pixels.
        mime_type: ``"image/png"``, ``"image/jpeg"`` or ``"image/webp"``.
        bbox: What the pixels show, exactly, in points of the displayed page: the clip, rounded outward to
            whole pixels. It may pass the edge of the page by less than a pixel.
        page: Page number, from 1.
        scale: Pixels per point. A point (x, y) of the page is at ``((x - bbox[0]) * scale, …)``.
        reduced: Whether the resolution is lower than asked for, to stay within the limits.
    """

    data: bytes
    width: int
    height: int
    mime_type: str
    bbox: BBox
    page: int
    scale: float
    reduced: bool


class PageRenderer:
    """Renders pages of one file. A context manager; the engine is held for one picture at a time."""

    def __init__(self, file: "SourceFile", *, password: str | None = None) -> None:
        """Open a file on a private handle; its pages keep rotation and CropBox.

        Args:
            file: The file.
            password: User or owner password.

        Raises:
            PDFPasswordError: A password is needed, or this one is wrong.
            PDFOpenError: The file is damaged or not a PDF.
            SourceUnavailableError: The file is gone or cannot be read.
        """
        self._name = file.name
        contents = file.path or file.read_bytes()
        with engine(self._name):
            self._document = open_original(contents, name=file.source, password=password)
        self.page_count: int = self._document.page_count
        self._loaded: tuple[int, PageSize, pymupdf.DisplayList] | None = None

    def page_size(self, page: int) -> PageSize:
        """Return width and height of a displayed page in points.

        Raises:
            GeometryError: The file has no such page.
            PDFOpenError: The page is damaged.
        """
        with engine(self._name):
            return self._page(page)[0]

    def render(
        self,
        page: int,
        *,
        clip: BBox | None = None,
        dpi: float = 150,
        image_format: ImageFormat = "png",
        max_pixels: int = MAX_PIXELS,
        overlays: Sequence[Overlay] = (),
    ) -> Rendered:
        """Render a page, or the part of it inside ``clip``; annotations of the page are shown.

        Args:
            page: Page number, from 1.
            clip: Box in the displayed frame, in points; what of it lies outside the page is left out.
            dpi: Pixels per inch; lowered where the picture would pass ``max_pixels``.
            image_format: ``"webp"`` needs Pillow.
            max_pixels: Most pixels of the picture, at least 1.
            overlays: Marks to draw over the page, in this order; the file is not changed.

        Raises:
            GeometryError: The file has no such page, or ``clip`` has no area on it.
            PDFOpenError: The page is damaged.
            ImportError: Pillow is not installed.
        """
        if image_format == "webp" and find_spec("PIL") is None:
            raise ImportError("image_format='webp' needs Pillow: pip install pillow, or use 'png' or 'jpeg'")
        with engine(self._name):
            size, drawing = self._page(page)
            area = clip_bbox(clip, size) if clip else (0.0, 0.0, *size)
            if not (area[0] < area[2] and area[1] < area[3]):
                raise GeometryError(f"{clip} has no area on page {page} of {self._name}, {_points(size)}")
            scale = _scale(area, dpi / 72, max_pixels, _MAX_SIDE[image_format])
            x0, y0, x1, y1 = (edge / scale for edge in _pixels(area, scale))
            try:
                pixmap = drawing.get_pixmap(
                    matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, clip=(x0, y0, x1, y1)
                )
                draw_overlays(pixmap, scale, overlays)
                pixmap.set_dpi(round(scale * 72), round(scale * 72))
                data = _ENCODERS[image_format](pixmap)
            except ENGINE_ERRORS as cause:
                raise self._broken(page, cause) from cause
            x0, y0, x1, y1 = (edge / scale for edge in pixmap.irect)
            width, height = pixmap.width, pixmap.height
        mime_type = f"image/{image_format}"
        return Rendered(data, width, height, mime_type, (x0, y0, x1, y1), page, scale, scale < dpi / 72)

    def close(self) -> None:
        """Release the file."""
        with engine(self._name):
            self._loaded = None
            self._document.close()
            pymupdf.TOOLS.store_shrink(100)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _page(self, page: int) -> tuple[PageSize, pymupdf.DisplayList]:
        """Return size and content of a page. The last one is kept: crops of a page come one after another."""
        if not 1 <= page <= self.page_count:
            raise GeometryError(f"{self._name} has no page {page}, it has {self.page_count}")
        if self._loaded is None or self._loaded[0] != page:
            self._loaded = None
            try:
                loaded = self._document.load_page(page - 1)
                size = float(loaded.rect.width), float(loaded.rect.height)
                self._loaded = page, size, loaded.get_displaylist(annots=True)
            except ENGINE_ERRORS as cause:
                raise self._broken(page, cause) from cause
        return self._loaded[1:]

    def _broken(self, page: int, cause: Exception) -> PDFOpenError:
        return PDFOpenError(f"page {page} of {self._name} cannot be rendered: {cause}")


def _scale(area: BBox, scale: float, max_pixels: int, max_side: int) -> float:
    """Return ``scale``, or the smaller one at which the picture of an area stays within its limits."""
    while True:
        left, top, right, bottom = _pixels(area, scale)
        width, height = right - left, bottom - top
        excess = max(width * height / max_pixels, (max(width, height) / max_side) ** 2)
        if excess <= 1:
            return scale
        # A little more than needed, since rounding to whole pixels adds to both sides.
        scale *= 0.999 / math.sqrt(excess)


def _pixels(area: BBox, scale: float) -> tuple[int, int, int, int]:
    """Return the whole pixels that an area touches, at least one each way."""
    x0, y0, x1, y1 = (edge * scale for edge in area)
    left, top = math.floor(x0 + _NOTHING), math.floor(y0 + _NOTHING)
    return left, top, max(math.ceil(x1 - _NOTHING), left + 1), max(math.ceil(y1 - _NOTHING), top + 1)


def _points(size: PageSize) -> str:
    return f"which is {size[0]:g} x {size[1]:g} points"


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
