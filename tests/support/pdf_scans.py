"""Scans made of PDFs: each page a picture of a page of text, whose words are known."""

from collections.abc import Sequence

import numpy as np
import pymupdf

from tests.support.pdf_drawing import PAGE_TEXT, Box, new_page, save, set_content, write_lines

LETTERING = "Lighthouse Pier"
MARGINS = (30.0, 50.0, 70.0, 20.0)
"""Left, top, right and bottom, in points of the unrotated page: what a scan with a CropBox hides."""


def scanned(pdf: bytes, *, rotation: int = 0, cropped: bool = False, dpi: int = 150) -> bytes:
    """The pages of ``pdf`` as grey pictures without a text layer, displayed as the originals are.

    Args:
        pdf: Upright pages whose displayed frame is that of their MediaBox.
        rotation: ``/Rotate`` of the scan; its picture lies in the page so that it is displayed upright.
        cropped: Whether the MediaBox is larger, by ``MARGINS``, than what the CropBox shows.
        dpi: Resolution of the pictures.
    """
    doc = pymupdf.open()
    with pymupdf.open(stream=pdf) as original:
        for page in original:
            picture = page.get_pixmap(dpi=dpi, colorspace="gray")
            _add_page(doc, picture, (page.rect.width, page.rect.height), rotation, cropped)
    return save(doc, deflate=True)


def _add_page(
    doc: pymupdf.Document,
    picture: pymupdf.Pixmap,
    size: tuple[float, float],
    rotation: int,
    cropped: bool,
) -> None:
    width, height = size if rotation in (0, 180) else size[::-1]
    left, top, right, bottom = MARGINS if cropped else (0.0, 0.0, 0.0, 0.0)
    page = doc.new_page(width=left + width + right, height=top + height + bottom)
    shown = pymupdf.Rect(left, top, left + width, top + height)
    page.insert_image(shown, pixmap=picture, rotate=rotation)
    if cropped:
        page.draw_rect((2, 2, 12, 12), fill=(0, 0, 0))
        page.insert_text((2, 30), "hidden by the crop")
        page.set_cropbox(shown)
    page.set_rotation(rotation)


def add_text(pdf: bytes, lines: Sequence[tuple[tuple[float, float], str]], *, render_mode: int = 0) -> bytes:
    """``pdf`` with lines of text on its first page, each at its origin; mode 3 is invisible (an OCR layer)."""
    doc = pymupdf.open(stream=pdf)
    for origin, text in lines:
        doc[0].insert_text(origin, text, fontsize=14, render_mode=render_mode)
    return save(doc)


def illegible_pdf(lines: Sequence[str]) -> bytes:
    """Lines in a font that does not say which letters its glyphs are: read, they are replacement marks."""
    doc = pymupdf.open()
    page = new_page(doc)
    font = pymupdf.Font("cjk")
    writer = pymupdf.TextWriter(page.rect)
    for number, line in enumerate(lines):
        writer.append((72, 100 + number * 20), line, font=font, fontsize=14)
    writer.write_text(page)
    doc.subset_fonts()
    for xref in range(1, doc.xref_length()):
        if doc.xref_get_key(xref, "ToUnicode")[0] == "xref":
            doc.xref_set_key(xref, "ToUnicode", "null")
    return save(doc)


def stencil_pdf(pdf: bytes) -> bytes:
    """The first page of ``pdf`` as a black and white scan in fax manner: a stencil through which ink is poured."""
    with pymupdf.open(stream=pdf) as original:
        rect = original[0].rect
        picture = original[0].get_pixmap(dpi=200, colorspace="gray")
    dark = np.frombuffer(picture.samples, np.uint8).reshape(picture.height, picture.stride) < 128
    bits = np.packbits(~dark[:, : picture.width], axis=1).tobytes()
    doc = pymupdf.open()
    page = doc.new_page(width=rect.width, height=rect.height)
    stencil = doc.get_new_xref()
    size = f"/Width {picture.width}/Height {picture.height}/BitsPerComponent 1"
    doc.update_object(stencil, f"<</Type/XObject/Subtype/Image/ImageMask true{size}>>")
    doc.update_stream(stencil, bits)
    doc.xref_set_key(page.xref, "Resources", f"<</XObject<</Im0 {stencil} 0 R>>>>")
    set_content(doc, page, f"q {rect.width:g} 0 0 {rect.height:g} 0 0 cm /Im0 Do Q".encode())
    return save(doc, deflate=True)


def slide_pdf() -> bytes:
    """A few words in print in the middle of a page that a picture fills."""
    doc = pymupdf.open()
    page = new_page(doc, (720.0, 405.0))
    samples = bytes(200 + (x + y) % 40 for y in range(30) for x in range(60 * 3))
    page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csRGB, 60, 30, samples, False))
    write_lines(page, PAGE_TEXT, top=180, fontsize=24)
    return save(doc)


def lettered_photo_pdf() -> bytes:
    """A photograph with ``LETTERING`` over it in white print, between lines of text."""
    doc = pymupdf.open()
    page = new_page(doc)
    end = write_lines(page, PAGE_TEXT)
    width, height = 60, 40
    samples = bytes(40 + (x * 3 + y * 2 + x * y % 17) % 120 for y in range(height) for x in range(width * 3))
    photo = pymupdf.Pixmap(pymupdf.csRGB, width, height, samples, False)
    page.insert_image((120, end + 30, 480, end + 270), pixmap=photo)
    page.insert_text((200, end + 150), LETTERING, fontsize=24, color=(1, 1, 1))
    write_lines(page, PAGE_TEXT[::-1], top=end + 320)
    return save(doc)


def outlined_pdf(pdf: bytes) -> bytes:
    """``pdf`` with its letters as drawings: no picture, no text."""
    doc = pymupdf.open()
    with pymupdf.open(stream=pdf) as original:
        for page in original:
            drawn = page.get_svg_image(text_as_path=True)
            with pymupdf.open(stream=drawn.encode(), filetype="svg") as svg:
                outlines = pymupdf.open("pdf", svg.convert_to_pdf())
            target = doc.new_page(width=page.rect.width, height=page.rect.height)
            target.show_pdf_page(target.rect, outlines, 0)
    return save(doc)


def word_boxes(pdf: bytes, page: int = 1) -> list[tuple[str, Box]]:
    """Words of an upright page (from 1) in the order in which it draws them, with their boxes."""
    with pymupdf.open(stream=pdf) as doc:
        return [(word[4], word[:4]) for word in doc[page - 1].get_text("words", sort=False)]
