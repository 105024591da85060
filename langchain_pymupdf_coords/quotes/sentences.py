"""Sentences of Markdown, as slices of it.

All spans are half-open code-point offsets into the Markdown.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from langchain_pymupdf_coords.folding import EMPHASIS, TAG, blank_markup

SentenceKind = Literal["prose", "heading", "row"]

_Unit = tuple[int, int, SentenceKind]

_HIDDEN = "\0"

_LINE_OF_ITS_OWN = re.compile(r"^[^\S\n]*(?:(?P<row>\|)|#{1,6}[^\S\n]).*$", re.MULTILINE)

# Not the bullet of a list, which has a space after it and only the start of its line before.
_EMPHASIS = re.compile(rf"(?<=\S)[{EMPHASIS}]+|[{EMPHASIS}]+(?=\S)")

_RAISED = re.compile(r"<sup>[^<>]{1,12}</sup>")

_LEAD = re.compile(r"(?:[\s|>]|#{1,6}\s|[-*+\u2022\u2013]\s)*")

_TAIL = " \t\r\n|"

_OPENING_MARKS = re.compile(rf"(?:[{EMPHASIS}]|<(?!br)\w{{1,4}}>)+\Z")

_CLOSING_MARKS = re.compile(rf"(?:[{EMPHASIS}]|<sup>[^<>]{{1,12}}</sup>|</\w{{1,4}}>)*")

_LONGEST_MARKS = 16

_WINDOW = 2000


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of prose, an item of a list, a heading, or a row of a table.

    Attributes:
        span: ``(start, end)`` in the text, without outer white space, bullets, ``#`` and pipes.
        kind: What it is.
    """

    span: tuple[int, int]
    kind: SentenceKind


def split_sentences(text: str, language: str = "en") -> list[Sentence]:
    """Return the sentences of Markdown in order, without those that have no letter (a row: nor digit).

    Args:
        text: Markdown as the engine writes it, or plain text.
        language: Its language as a code of ISO 639-1. It matters for abbreviations and ordinals only: the
            stops of all scripts are known in any language.

    Raises:
        ImportError: ``sentencex``, of the extra ``sentences``, is not installed.
    """
    plain, offsets = _without_marks(text)
    found: list[Sentence] = []
    for start, end, kind in _units(plain, language):
        begin, stop = _trimmed(plain, start, end)
        if any(map(str.isalnum if kind == "row" else str.isalpha, plain[begin:stop])):
            after = found[-1].span[1] if found else 0
            found.append(Sentence(_with_marks(text, after, offsets[begin], offsets[stop - 1] + 1), kind))
    return found


def _without_marks(text: str) -> tuple[str, list[int]]:
    """The text without markup and footnote marks, and where in the text each character of it stands.

    So stops are followed by white space, as the rules for sentences expect.
    """
    hidden = _EMPHASIS.sub(_hide, TAG.sub(_hide, _RAISED.sub(_hide, text)))
    visible = blank_markup(hidden)
    offsets = [at for at, char in enumerate(visible) if char != _HIDDEN]
    return visible.replace(_HIDDEN, ""), offsets


def _hide(mark: re.Match[str]) -> str:
    return (" " if mark.group()[1:3].lower() == "br" else _HIDDEN) * len(mark.group())


def _units(plain: str, language: str) -> Iterator[_Unit]:
    done = 0
    for line in _LINE_OF_ITS_OWN.finditer(plain):
        yield from _prose(plain, done, line.start(), language)
        yield line.start(), line.end(), "row" if line["row"] else "heading"
        done = line.end()
    yield from _prose(plain, done, len(plain), language)


def _prose(plain: str, start: int, end: int, language: str) -> Iterator[_Unit]:
    """Cut prose at its stops, in windows: sentencex takes the square of the stops of a paragraph as time."""
    width = _WINDOW
    while start < end:
        stops = _stops(plain[start : min(start + width, end)], language)
        # The last stop is the end of the window, which may be amid a sentence.
        whole = stops if start + width >= end else stops[:-1]
        for stop, following in pairwise([0, *whole]):
            yield start + stop, start + following, "prose"
        start, width = (start + whole[-1], _WINDOW) if whole else (start, 2 * width)


def _stops(prose: str, language: str) -> list[int]:
    """Return where the rules of the language and the English ones agree that a sentence ends, and the end.

    The rules of every language have gaps ("M." is no abbreviation in the French ones), and a sentence too
    long is better than half of one.
    """
    from sentencex import get_sentence_boundaries

    own, english = (
        {sentence["end_index"] for sentence in get_sentence_boundaries(rules, prose)}
        for rules in (language, "en")
    )
    return sorted((own & english) | {len(prose)})


def _trimmed(plain: str, start: int, end: int) -> tuple[int, int]:
    end = start + len(plain[start:end].rstrip(_TAIL))
    lead = _LEAD.match(plain, start, end)
    return lead.end() if lead else start, end


def _with_marks(text: str, after: int, start: int, end: int) -> tuple[int, int]:
    """Take in the marks that stand right before the first and right after the last letter."""
    opening = _OPENING_MARKS.search(text, max(after, start - _LONGEST_MARKS), start)
    closing = _CLOSING_MARKS.match(text, end, end + 2 * _LONGEST_MARKS)
    return opening.start() if opening else start, closing.end() if closing else end
