"""Quads over the glyphs of a quote, one for each line.

A highlight over the wrong words is worse than none, so each quad is checked against the glyphs of the page: it
must hold the centres of the quote's letters and of no others, and is made lower where a tall font reaches into
the next line.
"""

from collections.abc import Sequence

from langchain_pymupdf_coords.geometry import BBox, union_bboxes
from langchain_pymupdf_coords.page_glyphs import PageGlyphs

# Two parts of a line are one quad if their heights overlap by this share and their gap is below this many
# heights.
_SAME_HEIGHT = 0.6
_GAP = 1.5
# Room that a lowered quad leaves to a centre it must not hold, in points.
_CLEARANCE = 1.0
# Fonts say how high their tallest letters are and leave room above and below; more than this is letters.
_SPARE_HEIGHT = 0.25


def line_bboxes(page: PageGlyphs, parts: Sequence[Sequence[int]], tail: str = "") -> list[BBox]:
    """Return a box for each line of a quote on one page.

    Args:
        page: The glyphs of the page.
        parts: Glyphs of each stored line that the quote touches, in the order of the quote.
        tail: What follows the last letter of the quote; closing punctuation is covered where the page has it.
    """
    chosen = {index for part in parts for index in part}
    bboxes: list[BBox] = []
    for number, part in enumerate(parts):
        members = list(part) + (_closing(page, part[-1], tail) if number == len(parts) - 1 else [])
        bbox = union_bboxes(page.glyphs[index].bbox for index in members)
        merged = union_bboxes([bboxes[-1], bbox]) if bboxes and _one_line(page, parts, number) else None
        if merged and _adjoins(bboxes[-1], bbox) and not _strangers(page, merged, chosen):
            bboxes[-1] = merged
        else:
            bboxes.append(bbox)
    return [_without_strangers(page, bbox, chosen) for bbox in bboxes]


def _one_line(page: PageGlyphs, parts: Sequence[Sequence[int]], number: int) -> bool:
    """Tell whether a part may stand in the visual line of the one before: side by side means that only upright."""
    before, after = parts[number - 1][-1], parts[number][0]
    return page.lines[before] == page.lines[after] or (page.horizontal[before] and page.horizontal[after])


def _closing(page: PageGlyphs, last: int, tail: str) -> list[int]:
    found = []
    for index in range(last + 1, min(last + 1 + len(tail), len(page.glyphs))):
        glyph = page.glyphs[index]
        if page.lines[index] != page.lines[last] or page.letters[index] or glyph.text not in tail:
            break
        if not glyph.text.isspace():
            found.append(index)
    return found


def _adjoins(a: BBox, b: BBox) -> bool:
    overlap = min(a[3], b[3]) - max(a[1], b[1])
    lower = min(a[3] - a[1], b[3] - b[1])
    gap = max(a[0], b[0]) - min(a[2], b[2])
    return overlap >= _SAME_HEIGHT * lower and gap <= _GAP * lower


def _strangers(page: PageGlyphs, bbox: BBox, chosen: set[int]) -> list[int]:
    others = [index for index in page.inside(bbox) if index not in chosen]
    if not others:
        return []
    # A letter of the quote that is drawn a second time is no stranger.
    twins = {(page.letters[index], *_centre(page.glyphs[index].bbox)) for index in chosen}
    return [
        index for index in others if (page.letters[index], *_centre(page.glyphs[index].bbox)) not in twins
    ]


def _centre(bbox: BBox) -> tuple[int, int]:
    return round((bbox[0] + bbox[2]) / 4), round((bbox[1] + bbox[3]) / 4)


def _without_strangers(page: PageGlyphs, bbox: BBox, chosen: set[int]) -> BBox:
    """Lower a box until it holds no centre of the lines above and below, but never into its own letters."""
    x0, y0, x1, y1 = bbox
    room = _SPARE_HEIGHT * (y1 - y0)
    for index in _strangers(page, bbox, chosen):
        _, top, _, bottom = page.glyphs[index].bbox
        middle = (top + bottom) / 2
        if middle < bbox[1] + room:
            y0 = max(y0, min(middle + _CLEARANCE, bbox[1] + room))
        elif middle > bbox[3] - room:
            y1 = min(y1, max(middle - _CLEARANCE, bbox[3] - room))
    return x0, y0, x1, y1
