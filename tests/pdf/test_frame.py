"""Words found through our metadata cover their ink in a rendering of the original file."""

import itertools
from pathlib import Path

import pymupdf
import pytest

from langchain_pymupdf_coords import LineBox, QuoteLocator
from langchain_pymupdf_coords.geometry import quad_to_bbox
from tests.support.ink import ink, ink_bbox
from tests.support.pdf_factory import PAGE_TEXT, line_origin, text_pdf
from tests.support.read_once import loaded

CROPS = {None: None, "inner": (40, 60, 560, 730), "offset": (12.5, 8.25, 600.5, 770.75)}
ORIGINS = [(0, 0), (100, 200), (-50, -30)]
CASES = list(itertools.product((0, 90, 180, 270), CROPS, ORIGINS))


def framed(rotation: int, crop: str | None, origin: tuple[float, float]) -> bytes:
    box = CROPS[crop]
    hidden = ("Hidden words.",) if crop == "inner" else ()
    cropbox = None if box is None else tuple(v + origin[i % 2] for i, v in enumerate(box))
    return text_pdf(
        pages=(PAGE_TEXT,), rotation=rotation, cropbox=cropbox, mediabox_origin=origin, hidden=hidden
    )


def word_box(line: int, word: str, size: float = 11) -> tuple[float, float, float, float]:
    """Where a word of a line is drawn, by the metrics of its font."""
    x, y = line_origin(line)
    before = PAGE_TEXT[line].split(word)[0]
    left = x + pymupdf.get_text_length(before, fontname="helv", fontsize=size)
    right = left + pymupdf.get_text_length(word, fontname="helv", fontsize=size)
    return left, y - size, right, y + 0.3 * size


@pytest.mark.parametrize(("rotation", "crop", "origin"), CASES)
def test_lines_and_words_cover_their_ink_and_nothing_else(
    tmp_path: Path, rotation: int, crop: str | None, origin: tuple[float, float]
) -> None:
    pdf = framed(rotation, crop, origin)
    path = tmp_path / "framed.pdf"
    path.write_bytes(pdf)
    documents = loaded(path, exclude_classes=())
    dark = ink(pdf)
    text = "\n".join(document.page_content for document in documents)
    assert "Hidden" not in text
    for number, line in enumerate(PAGE_TEXT):
        document = next(d for d in documents if line[:30] in d.page_content)
        start = document.page_content.index(line[:30])
        row = next(r for r in LineBox.from_document(document) if r.span[0] <= start < r.span[1])
        word = max(line.split(), key=len).strip(".,")
        match = QuoteLocator().locate(document, word)
        whole = word_box(number, line)
        assert covers(row.bbox, ink_bbox(dark, whole))
        if line.count(word) == 1 and text.count(word) == 1:
            assert match is not None
            assert match.precision == "word"
            (region,) = match.regions
            (quad,) = region.quads
            bbox = quad_to_bbox(quad)
            expected = word_box(number, word)
            assert covers(bbox, ink_bbox(dark, expected))
            assert bbox[0] == pytest.approx(expected[0], abs=1.5)
            assert bbox[2] == pytest.approx(expected[2], abs=1.5)
            assert bbox[3] - bbox[1] < 18


def covers(bbox: tuple[float, ...], dark: tuple[float, ...] | None, tolerance: float = 0.6) -> bool:
    assert dark is not None
    x0, y0, x1, y1 = bbox
    return (
        x0 <= dark[0] + tolerance
        and y0 <= dark[1] + tolerance
        and dark[2] <= x1 + tolerance
        and dark[3] <= y1 + tolerance
    )


@pytest.mark.parametrize(("rotation", "crop", "origin"), CASES)
def test_no_box_leaves_its_page(
    tmp_path: Path, rotation: int, crop: str | None, origin: tuple[float, float]
) -> None:
    path = tmp_path / "framed.pdf"
    path.write_bytes(framed(rotation, crop, origin))
    with pymupdf.open(path) as doc:
        width, height = doc[0].rect.width, doc[0].rect.height
    for document in loaded(path, exclude_classes=()):
        assert document.metadata["page_sizes"] == f'{{"1":[{round(width, 2)},{round(height, 2)}]}}'
        for line in LineBox.from_document(document):
            x0, y0, x1, y1 = line.bbox
            assert -1 <= x0 <= x1 <= width + 1
            assert -1 <= y0 <= y1 <= height + 1
