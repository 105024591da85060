"""Alefs before the ligature of lam and alef, as in "الا": MuPDF takes one of the two for drawn twice.

The second letter of a ligature takes no room and stands where the alef before it begins. Where MuPDF looks for
letters that are drawn twice for a bold look, it drops the one and calls the other bold.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from langchain_pymupdf_coords.geometry import union_bboxes
from langchain_pymupdf_coords.layout.pages import Glyph, TextRun

_ALEFS = "\u0622\u0623\u0625\u0627"

# Glyphs that are narrower (points), or begin this close to each other, count as without width, or at one place.
_CLOSE = 0.1


def with_alefs(runs: Sequence[TextRun], read_all: Callable[[], Iterable[TextRun]]) -> list[TextRun]:
    """Put the alefs back that MuPDF has dropped.

    Args:
        runs: The runs of a page, with glyphs.
        read_all: Reads the page again, without a look for letters that are drawn twice; called if need be.
    """
    if not any(_is_second(glyph) for run in runs for glyph in run.glyphs):
        return list(runs)
    kept = {_place(glyph) for glyph in _wide_alefs(runs)}
    dropped = [glyph for glyph in _wide_alefs(read_all()) if _place(glyph) not in kept]
    return [_completed(run, dropped) for run in runs]


def _is_second(glyph: Glyph) -> bool:
    return glyph.text in _ALEFS and glyph.bbox[2] - glyph.bbox[0] < _CLOSE


def _wide_alefs(runs: Iterable[TextRun]) -> Iterator[Glyph]:
    for run in runs:
        yield from (glyph for glyph in run.glyphs if glyph.text in _ALEFS and not _is_second(glyph))


def _place(glyph: Glyph) -> tuple[int, int]:
    return round(glyph.bbox[0]), round((glyph.bbox[1] + glyph.bbox[3]) / 2)


def _completed(run: TextRun, dropped: Iterable[Glyph]) -> TextRun:
    glyphs: list[Glyph] = []
    for glyph in run.glyphs:
        if _is_second(glyph):
            glyphs += [alef for alef in dropped if _stand_together(alef, glyph)]
        glyphs.append(glyph)
    if len(glyphs) == len(run.glyphs):
        return run
    bbox = union_bboxes([run.bbox, *(glyph.bbox for glyph in glyphs)])
    called_bold = all(_is_second(glyph) for glyph in run.glyphs)
    return replace(
        run,
        text="".join(glyph.text for glyph in glyphs),
        bbox=bbox,
        ink=(bbox[0], run.ink[1], bbox[2], run.ink[3]),
        glyphs=tuple(glyphs),
        marks=tuple(mark for mark in run.marks if not (called_bold and mark == "**")),
    )


def _stand_together(alef: Glyph, second: Glyph) -> bool:
    middle = (alef.bbox[1] + alef.bbox[3]) / 2
    return abs(alef.bbox[0] - second.bbox[0]) < _CLOSE and second.bbox[1] <= middle <= second.bbox[3]
