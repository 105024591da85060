"""Letters that are drawn twice, one over the other, for a bold look, and are meant once."""

from langchain_pymupdf_coords.geometry import BBox

# What is drawn twice covers more than this share of itself.
_OVERPRINTED = 0.75

_SLIVER = 0.01


def is_overprint(a: BBox, b: BBox) -> bool:
    """Tell whether the same letters in these two boxes are drawn twice for a bold look, and meant once."""
    return _overlap(a, b) > _OVERPRINTED


def _overlap(a: BBox, b: BBox) -> float:
    """Return the common area of two boxes as a share of the smaller one; a box without area counts as a sliver."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    smaller = min(max(box[2] - box[0], _SLIVER) * max(box[3] - box[1], _SLIVER) for box in (a, b))
    return max(width, _SLIVER) * max(height, _SLIVER) / smaller if width >= 0 and height >= 0 else 0.0
