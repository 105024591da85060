"""Lines that run from right to left, wholly or in part: from the order on the page to the order of reading.

A page shows a line in visual order, from left to right. The order in which it is read follows from the Unicode
bidirectional algorithm (UAX 9), which turns runs of letters and of digits around; applied to what is seen, it
turns them back.
"""

from collections.abc import Sequence
from unicodedata import bidirectional, mirrored

from bidi import algorithm
from bidi.mirror import MIRRORED

_RIGHT_TO_LEFT = ("R", "AL")

# What the algorithm would take out of the line: a soft hyphen, a mark of direction.
_IGNORED = ("BN", "LRE", "LRO", "RLE", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "B", "S")


def has_right_to_left(text: str) -> bool:
    """Tell whether a text has letters of a script that runs from right to left, or their digits."""
    return not text.isascii() and any(bidirectional(char) in (*_RIGHT_TO_LEFT, "AN") for char in text)


def runs_right_to_left(text: str) -> bool:
    """Tell whether most letters of a paragraph run from right to left."""
    kinds = [bidirectional(char) for char in text]
    turned = sum(kind in _RIGHT_TO_LEFT for kind in kinds)
    return turned > 0 and turned >= sum(kind == "L" for kind in kinds)


def reading_order(visual: Sequence[str], *, right_to_left: bool) -> list[tuple[int, str]]:
    """Return the characters of a line in the order in which they are read.

    Args:
        visual: The characters from left to right, as they are drawn.
        right_to_left: Whether the paragraph runs from right to left.

    Returns:
        For each character its index in ``visual`` and itself, or its mirror image: a closing bracket of a line
        that runs from right to left is drawn as an opening one.
    """
    text = "".join(_neutral(char) for char in visual)
    storage = algorithm.get_empty_storage()
    storage["base_level"] = int(right_to_left)
    storage["base_dir"] = "LR"[right_to_left]
    algorithm.get_embedding_levels(text, storage)
    for index, char in enumerate(storage["chars"]):
        char["index"] = index
    algorithm.explicit_embed_and_overrides(storage)
    for resolve in (algorithm.resolve_weak_types, algorithm.resolve_neutral_types):
        resolve(storage, False)
    algorithm.resolve_implicit_levels(storage, False)
    algorithm.reorder_resolved_levels(storage, False)
    return [(char["index"], _shown(visual[char["index"]], char["level"])) for char in storage["chars"]]


def _neutral(char: str) -> str:
    first = char[:1]
    return first if first and bidirectional(first) not in _IGNORED else " "


def _shown(char: str, level: int) -> str:
    return MIRRORED.get(char, char) if level % 2 and len(char) == 1 and mirrored(char) else char
