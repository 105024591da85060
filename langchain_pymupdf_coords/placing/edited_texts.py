"""Lines of an edited text, found anew among the words in the boxes that it came from."""

from collections.abc import Sequence

from langchain_pymupdf_coords.geometry import BBox, expand_bbox
from langchain_pymupdf_coords.placing.file_words import FileWords
from langchain_pymupdf_coords.placing.lines import placed_lines, source_boxes
from langchain_pymupdf_coords.placing.text_placing import Text, place_texts
from langchain_pymupdf_coords.provenance.boxes import Coordinates, SourceBox

# Boxes are the ink's, rounded; a word may reach over their edges (points).
_MARGIN = 2.0


def found_anew(content: str, boxes: Sequence[SourceBox], words: FileWords) -> Coordinates | None:
    """Return the coordinates of a text by the words of its file; None where its boxes have hardly anything of it.

    Args:
        content: The text as it is.
        boxes: The boxes that it came from; their spans do not matter.
        words: The words of their pages.
    """
    around: dict[int, list[BBox]] = {}
    for box in boxes:
        around.setdefault(box.page, []).append(expand_bbox(box.bbox, _MARGIN))
    own = words.within(around)
    (placed,) = place_texts([Text(content)], own)
    lines = placed_lines(content, placed.folded, placed.positions, own)
    if not lines:
        return None
    return Coordinates(tuple(source_boxes(lines)), tuple(placed.line for placed in lines), edited=True)
