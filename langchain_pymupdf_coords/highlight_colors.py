"""Colours of marks on pages: one for each way in which a quote was found."""

from collections.abc import Mapping

from langchain_pymupdf_coords.quote_matches import QuoteStatus

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
