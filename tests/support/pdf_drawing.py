"""Drawing for the PDF builders, and ``text_pdf``: known words at known places in any frame of a page."""

from collections.abc import Iterable, Sequence

import pymupdf

Box = tuple[float, float, float, float]

MARGIN = 36.0
LINE_HEIGHT = 1.5
LETTER = (612.0, 792.0)

PAGE_TEXT = (
    "The harbour was quiet at dawn.",
    "Seven boats left before sunrise.",
    "Only four came back by noon.",
)
CROPPED = (40.0, 200.0, 560.0, 740.0)  # a CropBox around it: x0, y0, x1, y1 from the bottom left


def new_page(doc: pymupdf.Document, size: tuple[float, float] = LETTER) -> pymupdf.Page:
    return doc.new_page(width=size[0], height=size[1])


def write_lines(
    page: pymupdf.Page,
    lines: Iterable[str],
    *,
    top: float = 72.0,
    left: float = 72.0,
    fontsize: float = 11.0,
    fontname: str = "helv",
) -> float:
    """Write lines one below the other and return the baseline of the line that would follow."""
    baseline = top
    for line in lines:
        page.insert_text((left, baseline), line, fontsize=fontsize, fontname=fontname)
        baseline += LINE_HEIGHT * fontsize
    return baseline


def save(doc: pymupdf.Document, **options: object) -> bytes:
    """Serialise without a fresh file id, so that the same arguments give the same bytes."""
    data = doc.tobytes(no_new_id=True, **options)
    doc.close()
    return data


def ruled_table(
    page: pymupdf.Page,
    rows: Sequence[Sequence[str]],
    *,
    top: float,
    widths: Sequence[float],
    left: float = 72.0,
) -> float:
    """Draw a table with rules around each cell, its first row bold, and return the lower edge."""
    height = 20.0
    edges = [left + sum(widths[:i]) for i in range(len(widths) + 1)]
    for r, row in enumerate(rows):
        y = top + r * height
        for c, cell in enumerate(row):
            page.draw_rect((edges[c], y, edges[c + 1], y + height), width=0.7)
            page.insert_text((edges[c] + 5, y + 14), cell, fontsize=10, fontname="hebo" if r == 0 else "helv")
    return top + len(rows) * height


def line_origin(line: int, fontsize: float = 11.0) -> tuple[float, float]:
    """Where ``text_pdf`` starts the baseline of line ``line`` (from 0), in the displayed frame."""
    return MARGIN, MARGIN + (line + 1) * LINE_HEIGHT * fontsize


def text_pdf(
    *,
    pages: Sequence[Sequence[str] | str] = (PAGE_TEXT,),
    size: tuple[float, float] = LETTER,
    rotation: int = 0,
    cropbox: Box | None = None,
    mediabox_origin: tuple[float, float] = (0.0, 0.0),
    fontsize: float = 11.0,
    hidden: Sequence[str] = (),
) -> bytes:
    """Pages of Helvetica lines that read upright in the displayed page, whatever its boxes and rotation.

    The content stream is written by hand, so the positions do not rest on the engine's own conversions.

    Args:
        pages: For each page its lines, or one string to be split at line breaks (Latin-1).
        size: Width and height of the MediaBox in points, before rotation.
        rotation: ``/Rotate``: 0, 90, 180 or 270.
        cropbox: ``/CropBox`` in PDF user space (x0, y0, x1, y1), origin bottom-left; inside the MediaBox.
        mediabox_origin: Lower left corner of the MediaBox in PDF user space.
        fontsize: In points.
        hidden: Lines to put inside the MediaBox but outside the CropBox, below or above the visible part.

    Raises:
        ValueError: If ``hidden`` does not fit between CropBox and MediaBox.
    """
    x, y = mediabox_origin
    media = (x, y, x + size[0], y + size[1])
    crop = cropbox or media
    doc = pymupdf.open()
    for number, content in enumerate(pages):
        lines = content.splitlines() if isinstance(content, str) else content
        page = new_page(doc, size)
        page.insert_font(fontname="helv")
        placed = [(line_origin(i, fontsize), line) for i, line in enumerate(lines)]
        placed += _hidden_lines(hidden, media, crop, rotation, fontsize)
        stream = "".join(_text_operators(origin, line, crop, rotation, fontsize) for origin, line in placed)
        set_content(doc, page, stream.encode("latin-1"))
        _set_boxes(doc, number, media, cropbox, rotation)
    return save(doc)


def set_content(doc: pymupdf.Document, page: pymupdf.Page, stream: bytes) -> None:
    xref = doc.get_new_xref()
    doc.update_object(xref, "<<>>")
    doc.update_stream(xref, stream)
    page.set_contents(xref)


def _set_boxes(
    doc: pymupdf.Document,
    number: int,
    media: Box,
    cropbox: Box | None,
    rotation: int,
) -> None:
    xref = doc.page_xref(number)
    doc.xref_set_key(xref, "MediaBox", "[{:g} {:g} {:g} {:g}]".format(*media))
    doc.xref_set_key(xref, "Rotate", str(rotation))
    if cropbox is not None:
        doc.xref_set_key(xref, "CropBox", "[{:g} {:g} {:g} {:g}]".format(*cropbox))


def _text_operators(
    origin: tuple[float, float],
    line: str,
    crop: Box,
    rotation: int,
    fontsize: float,
) -> str:
    """One text object whose baseline starts at ``origin`` of the displayed frame (PDF 32000-1, 9.4.2)."""
    x, y = origin
    x0, y0, x1, y1 = crop
    across, down = {
        0: ((1, 0), (x0 + x, y1 - y)),
        90: ((0, 1), (x0 + y, y0 + x)),
        180: ((-1, 0), (x1 - x, y0 + y)),
        270: ((0, -1), (x1 - y, y1 - x)),
    }[rotation]
    a, b = across
    escaped = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /helv {fontsize:g} Tf {a} {b} {-b} {a} {down[0]:g} {down[1]:g} Tm ({escaped}) Tj ET\n"


def _hidden_lines(
    hidden: Sequence[str],
    media: Box,
    crop: Box,
    rotation: int,
    fontsize: float,
) -> list[tuple[tuple[float, float], str]]:
    left, bottom = crop[0] - media[0], crop[1] - media[1]
    right, top = media[2] - crop[2], media[3] - crop[3]
    above = {0: top, 90: left, 180: bottom, 270: right}[rotation]
    below = {0: bottom, 90: right, 180: top, 270: left}[rotation]
    width, height = crop[2] - crop[0], crop[3] - crop[1]
    visible = height if rotation in (0, 180) else width
    step = LINE_HEIGHT * fontsize
    needed = (len(hidden) + 1) * step
    if hidden and max(above, below) < needed:
        raise ValueError(f"hidden lines need {needed:g} pt above or below the CropBox")
    start = visible + step if below >= above else -needed + step
    return [((MARGIN, start + i * step), line) for i, line in enumerate(hidden)]
