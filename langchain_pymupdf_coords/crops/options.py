"""Options of source crops, checked where they are given."""

import math
import os
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal, get_args

from langchain_pymupdf_coords.crops.areas import CropBy
from langchain_pymupdf_coords.errors import OptionError
from langchain_pymupdf_coords.pdf.colors import BOX_COLOR, Color
from langchain_pymupdf_coords.pdf.rendering import MAX_PIXELS, ImageFormat
from langchain_pymupdf_coords.sources.resolver import Resolver

Drawn = Literal["boxes", "quotes"]

OnError = Literal["raise", "warn"]

_QUOTES: tuple[Drawn, ...] = ("quotes",)

_MAX_DPI = 4_800


@dataclass(frozen=True, kw_only=True)
class CropOptions:
    """What to render, how large, and where to put it.

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
        root: Folder that no source may lie outside of.
        resolver: Called with the ``source`` of a Document; returns a path, the bytes or a ``Blob``.
        password: User or owner password of encrypted files.
        on_error: When the file of a Document is gone, damaged, or not the one that was indexed: ``"raise"``,
            or ``"warn"`` and leave the Document without pictures.

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
    root: str | os.PathLike[str] | None = None
    resolver: Resolver | None = None
    password: str | None = field(default=None, repr=False)
    on_error: OnError = "raise"

    def __post_init__(self) -> None:
        object.__setattr__(self, "draw", _names(self.draw))
        _check_choices("by", [self.by], get_args(CropBy))
        _check_choices("image_format", [self.image_format], get_args(ImageFormat))
        _check_choices("draw", _names(self.draw), get_args(Drawn))
        _check_choices("on_error", [self.on_error], get_args(OnError))
        _check_number("margin", 0 if self.margin is None else self.margin, 0, 10_000)
        _check_number("dpi", self.dpi, 1, _MAX_DPI)
        _check_number("opacity", self.opacity, 0, 1)
        _check_number("max_pixels", self.max_pixels, 1, math.inf)
        _check_number("max_total_pixels", self.max_total_pixels, 1, math.inf)
        _check_color("box_color", self.box_color)
        if self.quote_color is not None:
            _check_color("quote_color", self.quote_color)


def _names(value: str | Collection[str] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


def _check_choices(name: str, values: Collection[str], choices: Collection[str]) -> None:
    for value in values:
        if value not in choices:
            raise OptionError(f"{name} must be of {', '.join(map(repr, choices))}, not {value!r}")


def _check_number(name: str, value: object, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise OptionError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")


def _check_color(name: str, color: Color) -> None:
    if not isinstance(color, tuple) or len(color) != 3:
        raise OptionError(f"{name} must be (red, green, blue), each from 0 to 1, not {color!r}")
    for value in color:
        _check_number(name, value, 0, 1)
