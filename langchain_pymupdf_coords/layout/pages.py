"""What was read from a page: its text runs, its layout boxes and where each line of their Markdown sits.

Coordinates are in the displayed frame (see ``geometry``). These values are plain and picklable: they cross
process borders and are what a cache keeps.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from langchain_pymupdf_coords.geometry import BBox, PageSize

HEADING_CLASSES = ("title", "section-header")

PICTURE_CLASSES = ("picture", "formula")

_TEXT_CLASSES = ("text", "list-item", "table", "caption", "footnote")

EDGE_CLASSES = ("page-header", "page-footer")

# The layout model has no classes for what stands beside and behind the text.
LINE_NUMBER, WATERMARK = "line-number", "watermark"

LAYOUT_CLASSES = (*HEADING_CLASSES, *_TEXT_CLASSES, *PICTURE_CLASSES, *EDGE_CLASSES, LINE_NUMBER, WATERMARK)
"""The classes of boxes: those of the layout model, and what stands beside and behind the text."""


class Glyph(NamedTuple):
    """A character as the page draws it, and where. A tuple, because pages have thousands."""

    text: str
    bbox: BBox


@dataclass(frozen=True, slots=True)
class TextRun:
    """A run of glyphs of one style on one line of the page.

    Attributes:
        text: The characters in reading order.
        bbox: Where they stand: as high as the font says, so that the centre of each glyph is inside.
        ink: The part of the page that they darken, as wide and as high as the line they belong to.
        line: Number of the line on this page; a line is what the page draws in one go, not a visual row.
        block: Number of the block of lines on this page.
        direction: Writing direction ``(cosine, sine)``; ``(1, 0)`` is upright text from left to right.
        size: Font size in points.
        glyphs: The single glyphs, where they were read.
        marks: The Markdown marks and tags of its style, the outermost first.
        faint: Whether it is drawn so light or transparent that text over it can be read.
    """

    text: str
    bbox: BBox
    ink: BBox
    line: int
    block: int
    direction: tuple[float, float]
    size: float
    glyphs: tuple[Glyph, ...] = ()
    marks: tuple[str, ...] = ()
    faint: bool = False

    @property
    def horizontal(self) -> bool:
        """Whether the text runs from left to right or right to left on an upright line."""
        return abs(1 - self.direction[0]) <= 1e-3


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a box: where it stands, and ``text[start:end]`` of the box."""

    bbox: BBox
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ParsedBox:
    """A layout box of a page.

    Attributes:
        box_class: Class of the layout model, such as ``"text"`` or ``"table"``.
        bbox: ``(x0, y0, x1, y1)`` in the displayed frame, in points.
        text: The Markdown of the box, without white space around it; may be empty.
        lines: Lines of the page in the order of ``text``.
        font_size: Largest font size in points; 0 where there is no text.
        parts: Rectangles of the parts of ``text`` that stand apart on the page, such as the repeated header
            of a table that was split; empty where ``bbox`` says it all.
    """

    box_class: str
    bbox: BBox
    text: str
    lines: tuple[TextLine, ...] = ()
    font_size: float = 0.0
    parts: tuple[TextLine, ...] = ()


@dataclass(frozen=True, slots=True)
class PageNote:
    """Something about a page that its reader must be told: a warning that has not been issued yet.

    Attributes:
        kind: ``"fallback"`` (read without the layout model), ``"unreadable"`` (shown, but yields no text),
            ``"unplaced"`` (text that no word of the page accounts for), ``"rewritten"`` (boxes whose text was not
            that of the page), ``"scan"`` (image without text, no
            OCR) or ``"engine"`` (a message of the engine).
        message: What happened, without file and page.
    """

    kind: str
    message: str


# The size of a page that cannot be read.
NO_SIZE: PageSize = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page as it was read.

    Attributes:
        number: Page number, from 1.
        size: Width and height of the displayed page in points; ``NO_SIZE`` if it cannot be read.
        label: Printed page number, empty where the file has none.
        boxes: Layout boxes in reading order.
        notes: What could not be read or placed.
    """

    number: int
    size: PageSize
    label: str
    boxes: tuple[ParsedBox, ...]
    notes: tuple[PageNote, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """What a file says of itself.

    Attributes:
        total_pages: Number of pages.
        metadata: Document information under the names that LangChain's PDF loaders use; no empty values.
    """

    total_pages: int
    metadata: Mapping[str, str]
