"""Colours of marks on pages: one for each way in which a quote was found."""

from collections.abc import Mapping
from dataclasses import dataclass

from langchain_pymupdf_coords.geometry import Quad
from langchain_pymupdf_coords.provenance.quotes import QuoteStatus

Color = tuple[float, float, float]
"""Red, green and blue, each 0 to 1."""

# Light, so that text stays readable under them, and told apart by brightness as well as by hue.
STATUS_COLORS: Mapping[QuoteStatus, Color] = {
    "exact": (0.55, 0.93, 0.55),
    "normalized": (1.0, 0.93, 0.35),
    "fuzzy": (1.0, 0.68, 0.32),
    "fragments": (0.55, 0.78, 1.0),
}
"""Colour of a quote by how it was found: green, yellow, orange and blue."""

BOX_COLOR: Color = (0.2, 0.4, 0.85)  # of outlines

PASSAGE_COLOR: Color = (0.85, 0.85, 0.85)  # over whole boxes


@dataclass(frozen=True, slots=True)
class Highlight:
    """A highlight annotation to make.

    Attributes:
        page: Page number, from 1.
        quads: What to cover, in the displayed frame, in points; at least one quad.
        color: Red, green and blue, each 0 to 1.
        title: What viewers show as the heading of the note, where an author's name stands.
        contents: The text of the note.
    """

    page: int
    quads: tuple[Quad, ...]
    color: Color
    title: str
    contents: str


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
