"""Heading levels and paths, decided page after page.

The engine ranks font sizes over the pages of one call, so its levels change with the window of pages. Here a
heading is below the nearest one before it that is larger: that needs no look ahead, and gives the same levels
whatever the window.
"""

from dataclasses import dataclass, field

from langchain_pymupdf_coords.folding import plain_text
from langchain_pymupdf_coords.layout.pages import ParsedBox

MAX_LEVEL = 6

PATH_SEPARATOR = " > "


@dataclass(slots=True)
class HeadingTracker:
    """The headings above the current place in a document, the outermost first."""

    _open: list[tuple[float, str]] = field(default_factory=list)

    def enter(self, box: ParsedBox) -> int:
        """Pass a heading; return its level, from 1 to 6."""
        # A title outranks every section header, whatever its size.
        rank = float("inf") if box.box_class == "title" else round(box.font_size)
        while self._open and self._open[-1][0] <= rank:
            self._open.pop()
        self._open.append((rank, plain_text(box.text)))
        return min(len(self._open), MAX_LEVEL)

    @property
    def path(self) -> str:
        """The headings joined by `` > ``; empty before the first heading."""
        return PATH_SEPARATOR.join(text for _, text in self._open if text)
