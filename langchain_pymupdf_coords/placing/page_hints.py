"""What Documents say of their pages, read as a hint: loaders count from 0 or from 1, and may be wrong."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Keys under which loaders name the page, and the number that they count its first page as by habit.
_KEYS = (("page", 0), ("page_number", 1), ("page_no", 1), ("page_label", 1))

_LEAST_WITNESSES = 2

_MAJORITY = 0.6


@dataclass(frozen=True, slots=True)
class PageHint:
    """A page as a Document names it.

    Attributes:
        number: The number.
        first: What the loader counts the first page as, by habit.
    """

    number: int
    first: int

    @property
    def pages(self) -> tuple[int, int]:
        """The two pages that may be meant, as indices from 0: the likelier first."""
        likely = self.number - self.first
        return likely, self.number - 1 + self.first


def page_hint(metadata: Mapping[str, Any]) -> PageHint | None:
    """Return what metadata says of the page, or None."""
    for key, first in _KEYS:
        value = metadata.get(key)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 8:
            value = int(value)
        if isinstance(value, float) and value.is_integer():  # some stores turn every number into a float
            value = int(value)
        if type(value) is int and value >= 0:
            return PageHint(value, first)
    return None


def learned_shift(witnesses: Iterable[tuple[PageHint, int]]) -> int | None:
    """Return how far the pages that Documents name are from those that they are on.

    Args:
        witnesses: Hints of texts that stand in one place only, and the index from 0 of their page.

    Returns:
        What to add to a hint's number for the index of its page; None where they do not agree.
    """
    shifts = Counter(page - hint.number for hint, page in witnesses)
    total = shifts.total()
    if total < _LEAST_WITNESSES:
        return None
    shift, count = shifts.most_common(1)[0]
    return shift if count >= _MAJORITY * total else None


def hinted_pages(hint: PageHint | None, shift: int | None) -> Sequence[int]:
    """Return the pages that a hint may mean, as indices from 0; the likelier ones first."""
    if hint is None:
        return ()
    learned = () if shift is None else (hint.number + shift,)
    return tuple(dict.fromkeys((*learned, *hint.pages)))
