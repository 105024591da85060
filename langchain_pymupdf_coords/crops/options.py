"""Options of source crops, checked where they are given."""

import math
import os
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.checks import OnError
from langchain_pymupdf_coords.crops.areas import CropBy
from langchain_pymupdf_coords.pdf.colors import BOX_COLOR, Color
from langchain_pymupdf_coords.pdf.rendering import MAX_PIXELS, ImageFormat
from langchain_pymupdf_coords.sources.resolver import FileAccess, OnChange

Drawn = Literal["boxes", "quotes"]


_QUOTES: tuple[Drawn, ...] = ("quotes",)

_MAX_DPI = 4_800


@dataclass(frozen=True, kw_only=True)
class CropOptions(FileAccess):
    """What to render, how large, and where to put it. The other options are those of ``FileAccess``.

    Attributes:
        by: ``"page"``: a picture of each page that a Document touches, cut to the box around its boxes.
            ``"box"``: one of each box. ``"quote"``: one of each located quote with the text around it;
            Documents without quotes get none.
        margin: Points to add on each side, cut at the edge of the page; by default 12, or 36 around a quote.
        dpi: Pixels per inch.
        image_format: ``"png"``, ``"jpeg"``, or ``"webp"``, which needs Pillow.
        draw: What to mark: ``"quotes"`` that were located, ``"boxes"``, both or None.
        box_color: Colour of the outlines of boxes: red, green and blue, each 0 to 1.
        quote_color: Colour over quotes; by default it tells how a quote was found (``STATUS_COLORS``).
        opacity: Of the colour over quotes, 0 to 1; text under it stays black.
        folder: Write the pictures to files in this folder, made if missing; by default they are base64.
        max_pixels: Most pixels of a picture.
        max_total_pixels: Most pixels of all pictures of one call; the largest are reduced first.
        on_error: When the file of a Document is gone or damaged: ``"raise"``, or ``"warn"`` and leave the
            Document without pictures.
        on_change: When the file is not the one that was indexed: ``"warn"`` and leave the Document without
            pictures, since its coordinates would be drawn in wrong places; or ``"raise"``.

    Raises:
        OptionError: An option has a value that cannot be used; the message names it.
    """

    by: CropBy = "page"
    margin: float | None = None
    dpi: float = 150
    image_format: ImageFormat = "png"
    draw: Drawn | Collection[Drawn] | None = _QUOTES
    box_color: Color = BOX_COLOR
    quote_color: Color | None = None
    opacity: float = 0.6
    folder: str | os.PathLike[str] | None = None
    max_pixels: int = MAX_PIXELS
    max_total_pixels: int = 256_000_000
    on_error: OnError = "raise"
    on_change: OnChange = "warn"

    def __post_init__(self) -> None:
        super().__post_init__()
        drawn = (self.draw,) if isinstance(self.draw, str) else self.draw or ()
        checked = {
            "draw": checks.names("draw", drawn, get_args(Drawn)),
            "margin": None if self.margin is None else checks.number("margin", self.margin, 0, 10_000),
            "dpi": checks.number("dpi", self.dpi, 1, _MAX_DPI),
            "opacity": checks.number("opacity", self.opacity, 0, 1),
            "max_pixels": checks.number("max_pixels", self.max_pixels, 1, math.inf),
            "max_total_pixels": checks.number("max_total_pixels", self.max_total_pixels, 1, math.inf),
            "box_color": _color("box_color", self.box_color),
            "quote_color": None if self.quote_color is None else _color("quote_color", self.quote_color),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        checks.choice("by", self.by, get_args(CropBy))
        checks.choice("image_format", self.image_format, get_args(ImageFormat))
        checks.choice("on_error", self.on_error, get_args(OnError))
        checks.choice("on_change", self.on_change, get_args(OnChange))
        if self.folder is not None:
            checks.path("folder", self.folder)


def _color(name: str, color: Color) -> Color:
    if not isinstance(color, tuple) or len(color) != 3:
        raise checks.wrong(name, "(red, green, blue), each from 0 to 1", color)
    red, green, blue = (checks.number(name, value, 0, 1) for value in color)
    return red, green, blue
