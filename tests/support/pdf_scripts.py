"""Pages whose text stands where a test puts it, in any script and direction, without a font file.

The font is drawn here (Type 3): its glyphs are plain cells, and a map says which letters they stand for.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from unicodedata import normalize

import pymupdf
from bidi.algorithm import get_display

PAGE = (595, 842)

LIGATURES = "\ufb01\ufb02\ufefb"  # one glyph each, of which fonts say that it stands for two letters

_WIDTH = 0.6  # of the font size, for each glyph


@dataclass(frozen=True)
class Line:
    """A line of glyphs, as drawn from left to right.

    Attributes:
        text: The characters in visual order.
        x: Where the first begins, from the left.
        y: Base line, from the top of the page.
        size: Font size.
        gray: 0 is black.
        turn: ``(cosine, sine)`` of the writing direction, y running up.
    """

    text: str
    x: float
    y: float
    size: float = 12.0
    gray: float = 0.0
    turn: tuple[float, float] = (1.0, 0.0)


def width(text: str, size: float = 12.0) -> float:
    """Width of a line in points."""
    return _WIDTH * size * len(text)


def from_right(text: str, y: float, *, right: float = 523.0, size: float = 12.0) -> Line:
    """A line as it is read, of Hebrew or Arabic, set against the right margin."""
    shown = str(get_display(text, base_dir="R"))
    return Line(shown, right - width(shown, size), y, size)


def script_pdf(*pages: Iterable[Line], blank: bool = False) -> bytes:
    """A PDF with lines at their places; with blank glyphs, which have no outline, on demand."""
    doc = pymupdf.open()
    for lines in pages:
        lines = list(lines)
        page = doc.new_page(width=PAGE[0], height=PAGE[1])
        codes = {
            char: number for number, char in enumerate(dict.fromkeys("".join(line.text for line in lines)), 1)
        }
        font = _font(doc, codes, blank=blank)
        doc.xref_set_key(page.xref, "Resources", f"<< /Font << /F {font} 0 R >> >>")
        content = doc.get_new_xref()
        doc.update_object(content, "<< >>")
        doc.update_stream(content, "\n".join(_shown(line, codes) for line in lines).encode())
        doc.xref_set_key(page.xref, "Contents", f"{content} 0 R")
    return bytes(doc.tobytes())


def _shown(line: Line, codes: dict[str, int]) -> str:
    cosine, sine = line.turn
    at = f"{cosine} {sine} {-sine} {cosine} {line.x} {PAGE[1] - line.y}"
    text = "".join(f"{codes[char]:02x}" for char in line.text)
    return f"BT {line.gray} g /F {line.size} Tf {at} Tm <{text}> Tj ET"


def _font(doc: pymupdf.Document, codes: dict[str, int], *, blank: bool) -> int:
    """Add a font of cells: a space is empty, every other glyph a filled rectangle."""
    cell, empty = _stream(doc, b"600 0 50 0 550 700 d1 50 0 500 700 re f"), _stream(doc, b"600 0 d0")
    names = " ".join(f"/g{code}" for code in codes.values())
    glyphs = " ".join(
        f"/g{code} {empty if blank or char.isspace() else cell} 0 R" for char, code in codes.items()
    )
    to_unicode = _stream(doc, _cmap(codes))
    widths = " ".join(["600"] * len(codes))
    xref = doc.get_new_xref()
    doc.update_object(
        xref,
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 -200 600 800] /FontMatrix [0.001 0 0 0.001 0 0] "
        f"/FirstChar 1 /LastChar {len(codes)} /Widths [{widths}] /CharProcs << {glyphs} >> "
        f"/Encoding << /Type /Encoding /Differences [1 {names}] >> /ToUnicode {to_unicode} 0 R /Resources << >> >>",
    )
    return int(xref)


def _stream(doc: pymupdf.Document, data: bytes) -> int:
    xref = doc.get_new_xref()
    doc.update_object(xref, "<< >>")
    doc.update_stream(xref, data)
    return int(xref)


def _cmap(codes: dict[str, int]) -> bytes:
    meant = {char: normalize("NFKC", char) for char in LIGATURES}
    pairs = "\n".join(
        f"<{code:02x}> <{meant.get(char, char).encode('utf-16-be').hex()}>" for char, code in codes.items()
    )
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /U def /CMapType 2 def "
        "1 begincodespacerange <00> <ff> endcodespacerange "
        f"{len(codes)} beginbfchar\n{pairs}\nendbfchar endcmap end end"
    ).encode()
