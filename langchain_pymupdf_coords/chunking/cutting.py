"""Where a text may be cut: at the ends of sentences, then of lines, then of words.

A border is the offset at which the text after a cut begins; what stands before it is cut off without its
trailing white space. All offsets are code points of the text.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from langchain_pymupdf_coords.folding import (
    EMPHASIS,
    STOP_CLOSERS,
    STOPS,
    UNSPACED_CLOSERS,
    UNSPACED_STOPS,
    blank_markup,
)

Fits = Callable[[str], bool]

Borders = Sequence[Sequence[int]]
"""Borders by rank, the best places for a cut first; each rank in ascending order, without 0 and the end."""

# Stops with what may close a sentence and with a footnote number, and the ends of paragraphs.
_SENTENCE_END = re.compile(
    rf"""[{STOPS}] [{STOP_CLOSERS}]* (?:<sup>[^<>]{{1,12}}</sup>)?
        (?=\s+ ["'\u201c\u2018\u00ab(\[{EMPHASIS}]* (?P<next>\S))
      | [{UNSPACED_STOPS}] [{UNSPACED_CLOSERS}]*
      | (?=\n[^\S\n]*\n)""",
    re.VERBOSE,
)

_ABBREVIATION = re.compile(
    r"(?<!\w)(?:[^\W\d_]|Mrs?|Ms|Dr|Prof|St|Nos?|Figs?|Tab|Eqs?|Secs?|Vols?|Art|pp|cf|vs|al|approx|ca|Jr|Sr)$"
)

_LONGEST_ABBREVIATION = 8

_WORD_START = re.compile(r"(?<=\s)\S")

# Thai to Myanmar, Khmer, kana and CJK are written without spaces. Hangul is not among them.
_UNSPACED = "\u0e00-\u109f\u1780-\u17ff\u3041-\ua4cf\uf900-\ufaff"

_UNSPACED_START = re.compile(
    f"(?<=[{_UNSPACED}\u3001\uff0c\uff1b{UNSPACED_STOPS}{UNSPACED_CLOSERS}])[{_UNSPACED}]"
)


def text_borders(text: str, line_ends: Iterable[int] = ()) -> Borders:
    """Return where Markdown may be cut: at sentences and paragraphs, at lines, at words.

    Args:
        text: The Markdown.
        line_ends: Where lines of the page end in it, besides its own line breaks.
    """
    words = sorted(_words(text))
    breaks = (match.start() for match in re.finditer("\n", text))
    lines = {*_borders_after(text, words, {*breaks, *line_ends})}
    return sorted({*_borders_after(text, words, _sentence_ends(text))}), sorted(lines), words


def is_inside_word(text: str, at: int) -> bool:
    """Tell whether the characters before and after an offset belong to one word, of a script with spaces."""
    around = text[max(0, at - 1) : at + 1]
    return len(around) == 2 and around.isalnum() and not _UNSPACED_START.search(around)


def _words(text: str) -> Iterator[int]:
    """Yield where words begin. A tag is no place for a cut; in scripts without spaces any letter is one."""
    visible = blank_markup(text)
    for match in _WORD_START.finditer(text):
        at = match.start()
        if visible[at] == text[at] or text[at] == "<":
            yield at
    for match in _UNSPACED_START.finditer(visible):
        if match.group().isalnum():
            yield match.start()


def _sentence_ends(text: str) -> Iterator[int]:
    for match in _SENTENCE_END.finditer(text):
        following = match["next"]
        if following is not None:
            before = text[max(0, match.start() - _LONGEST_ABBREVIATION) : match.start()]
            abbreviated = match.group()[0] == "." and _ABBREVIATION.search(before)
            if abbreviated or following.islower() or following in ".,;:":
                continue
        yield match.end()


def _borders_after(text: str, words: Sequence[int], ends: Iterable[int]) -> Iterator[int]:
    """Yield the words that follow some ends, with nothing but white space and marks between."""
    for end in ends:
        k = bisect_left(words, end)
        if 0 < end < len(text) and k < len(words) and not text[end : words[k]].strip(" \n\t" + EMPHASIS):
            yield words[k]


def cut(text: str, borders: Borders, fits: Fits, *, repeats: Fits | None = None) -> list[tuple[int, int]]:
    """Cut a text into pieces that fit, each as long as can be, at borders of the best rank.

    Each piece begins where the one before it ends, white space aside, or earlier if it repeats its end.

    Args:
        text: The text.
        borders: Where it may be cut.
        fits: Tells whether a piece is short enough. What stands between two borders stays whole even if not.
        repeats: Tells whether the end of a piece is short enough to be repeated at the start of the next one.

    Returns:
        Spans of the pieces, in order.
    """
    ranked = [[*rank, len(text)] for rank in borders]
    spans: list[tuple[int, int]] = []
    start = fresh = 0
    while fresh < len(text):
        end = _last_fit(text, ranked, start, fresh, fits)
        if end is None and start < fresh:
            start = fresh  # the repeated part leaves no room for what is new
            continue
        if end is None:
            end = ranked[-1][bisect_right(ranked[-1], fresh)]
        spans.append((start, start + len(text[start:end].rstrip())))
        start, fresh = end if repeats is None else tail_start(text, borders, repeats, (start, end)), end
    return spans


def tail_start(text: str, borders: Borders, repeats: Fits, span: tuple[int, int]) -> int:
    """Return where the longest end of a span begins that is short enough, but not all of it.

    It begins at a border of the best rank that leaves anything; where none does, at the end of the span.
    """
    start, end = span
    for rank in borders:
        inside = rank[bisect_right(rank, start) : bisect_left(rank, end)]
        at = bisect_left(inside, True, key=lambda border: repeats(text[border:end].rstrip()))
        if at < len(inside):
            return inside[at]
    return end


def _last_fit(text: str, ranked: Borders, start: int, fresh: int, fits: Fits) -> int | None:
    """Return the last border of the best rank after ``fresh`` up to which the text from ``start`` fits."""

    def too_long(border: int) -> bool:
        return not fits(text[start:border].rstrip())

    finest = ranked[-1]
    first = bisect_right(finest, fresh)
    # In steps that double, so that a long text is not measured as a whole for each piece.
    step = 1
    while first + step < len(finest) and not too_long(finest[first + step - 1]):
        step *= 2
    low, high = first + step // 2, min(first + step, len(finest))
    last = bisect_left(finest, True, low, high, key=too_long) - 1
    if last < first:
        return None
    for rank in ranked:
        best = bisect_right(rank, finest[last]) - 1
        # Measured again, as a shorter text may have more tokens than a longer one.
        if best >= 0 and rank[best] > fresh and not too_long(rank[best]):
            return rank[best]
    return finest[last]
