"""Where the pieces that a text splitter made stand in the text that it was given.

Splitters do not say, and the same sentence may stand in a text many times. Of the places that each piece may
have (see ``piece_places``) the pieces get those that together follow each other best: in order, without
leaving text out, and with an overlap as even as can be.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from langchain_pymupdf_coords.chunking.piece_places import Place, PlaceFinder, Placement, Search

_MOST_PATHS = 8

# What speaks against places, in characters that a piece is away from where it should begin: each character of
# the end of the text that no piece reaches, and each place where a piece and the text part.
_PRICE_OF_LOSS = 4.0

_PRICE_OF_REWRITING = 4.0


def align_pieces(text: str, pieces: Sequence[str]) -> list[Placement | None]:
    """Find the place of each piece.

    Args:
        text: The text that was split.
        pieces: The pieces, in the order of the text; neighbours may overlap.

    Returns:
        The placement of each piece, None where it is not from this text as far as can be told.
    """
    # A splitter whose pieces all stand in the text as they are has not rewritten any white space.
    finder = PlaceFinder(text, verbatim=all(piece.strip() in text for piece in pieces))
    total = len(finder.squeezed.text)
    # What neighbours share, if nothing was left out.
    shared = sum(len("".join(piece.split())) for piece in pieces) - total
    overlap = max(0.0, shared / max(1, len(pieces) - 1))
    paths = [_Path(0.0, 0, 0)]
    for piece in pieces:
        paths = _extended(finder, paths, piece, overlap)
    best = min(paths, key=lambda path: path.price + _PRICE_OF_LOSS * (total - path.end))
    return [*best.placements()][::-1]


@dataclass(frozen=True, slots=True)
class _Path:
    """Places of all pieces so far, the last one first, and what speaks against them.

    Attributes:
        price: What speaks against them, in characters.
        start: Where the last piece that has a place begins, in squeezed characters.
        end: Where it ends.
        placement: Place of the last piece.
        before: Places of the pieces before it.
    """

    price: float
    start: int
    end: int
    placement: Placement | None = None
    before: "_Path | None" = None

    def placements(self) -> Iterator[Placement | None]:
        """Yield the placements, the last one first."""
        path = self
        while path.before is not None:
            yield path.placement
            path = path.before


def _extended(finder: PlaceFinder, paths: list[_Path], piece: str, overlap: float) -> list[_Path]:
    """Return the cheapest ways in which a piece can go on from some paths."""
    if not piece.strip():
        return [_Path(path.price, path.start, path.end, _nothing(finder, path), path) for path in paths]
    search = Search(
        after=min(path.start for path in paths),
        near=max(path.end for path in paths),
        expected=min(paths, key=lambda path: path.price).end - overlap,
    )
    for places in finder.places(piece, search):
        steps = (_cheapest_step(paths, place, overlap) for place in places)
        found = nsmallest(_MOST_PATHS, filter(None, steps), key=lambda path: path.price)
        if found:
            return found
    return [_Path(path.price, path.start, path.end, None, path) for path in paths]


def _nothing(finder: PlaceFinder, path: _Path) -> Placement:
    at = finder.squeezed.ends[path.end - 1] if path.end else 0
    return Placement((at, at), ())


def _cheapest_step(paths: Iterable[_Path], place: Place, overlap: float) -> _Path | None:
    steps = [
        _Path(path.price + _price(path, place, overlap), place.start, place.end, place.placement, path)
        for path in paths
        if (path.start, path.end) < (place.start, place.end)
    ]
    return min(steps, key=lambda path: path.price, default=None)


def _price(path: _Path, place: Place, overlap: float) -> float:
    rewritten = len(place.placement.blocks) - 1
    return abs(path.end - overlap - place.start) + _PRICE_OF_REWRITING * rewritten
