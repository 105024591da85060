"""Whether a hyphen at the end of a line belongs to its word, without a dictionary.

It goes where the word is written without it elsewhere, and stays where it is written with it, where more hyphens
follow or come before, and before a capital or a digit. Where nothing of that tells, the typesetting does: lines
are hyphenated by syllables in order to be justified, so a ragged right edge speaks for a hyphen that is always
written.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

HYPHENS = ("-", "\u2010")

SOFT_HYPHEN = "\u00ad"

_WORD = re.compile(r"[^\W_]+(?:[-\u2010][^\W_]+)*")

_LAST_PART = re.compile(r"[^\W_]+(?:[-\u2010][^\W_]+)*(?=[-\u2010]$)")

# Right edges that are this close (points) are flush. The last line of a paragraph is not, nor are some others.
_FLUSH = 2.0

_MOSTLY = 0.6

_SAME_EDGE = 1.0

_FEWEST_LINES = 4


@dataclass(slots=True)
class Hyphenation:
    """What a document shows of its words.

    Attributes:
        texts: Lines of the page and of those around it.
        page_is_justified: Tells whether lines end flush where a box has too few of them to say.
    """

    texts: Iterable[str] = ()
    page_is_justified: Callable[[], bool] = bool
    _words: set[str] = field(default_factory=set)

    def keeps(self, before: str, after: str, *, justified: bool | None = None) -> bool:
        """Tell whether the hyphen stays that ends a line.

        Args:
            before: The line up to and with its hyphen.
            after: The line after it.
            justified: Whether the lines are justified; None where that cannot be seen.
        """
        first, second = _LAST_PART.search(before), _WORD.match(after)
        if first is None or second is None or not after[0].islower() or not before[-2].isalpha():
            return True
        left, right = _plain(first.group()), _plain(second.group())
        if f"{left}-{right}" in self.words or "-" in left + right:
            return True
        if left + right in self.words:
            return False
        return not (self.page_is_justified() if justified is None else justified)

    @property
    def words(self) -> set[str]:
        """The words that stand whole on a line; read when they are asked for."""
        if not self._words:
            for text in self.texts:
                found = [_plain(match.group()) for match in _WORD.finditer(text)]
                # The last word of the line may go on in the next, and the first may have begun before.
                self._words.update(found[1:-1] if text.rstrip().endswith(HYPHENS) else found)
        return self._words


def is_justified(rights: Sequence[float]) -> bool | None:
    """Tell from the right edges of a paragraph's lines whether they are justified; None for too few lines."""
    if len(rights) < _FEWEST_LINES:
        return None
    edge = max(rights)
    return sum(edge - right <= _FLUSH for right in rights) >= _MOSTLY * (len(rights) - 1)


def share_edges(rights: Sequence[float]) -> bool:
    """Tell whether most of some lines end where several others do, in whatever column: they are justified."""
    edges = sorted(rights)
    shared = sum(
        bisect_right(edges, right + _SAME_EDGE) - bisect_left(edges, right - _SAME_EDGE) >= _FEWEST_LINES
        for right in edges
    )
    return shared > 0 and shared >= _MOSTLY * len(edges)


def _plain(word: str) -> str:
    return word.casefold().replace("\u2010", "-")
