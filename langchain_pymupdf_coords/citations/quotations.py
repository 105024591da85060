"""Quotations in the text of an answer, and the sources that it names for them.

Quotation marks of many languages, Markdown block quotes and source marks (``[1]``, ``[2, 3]``, ``[^1]``,
``(source 1)``, ``【1】``) are read. An answer is read in segments, which are about a sentence each: a mark stands
for the quotation before it in its segment, or else after it, or, where the segment quotes nothing, for what the
segment says in its own words. Segments depend on nothing that comes after them, so a streamed answer is read the
same way as a whole one.

All spans are half-open code-point offsets into the answer.
"""

# ruff: noqa: RUF001 - quotation marks of many languages, and ranges with dashes of either kind

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langchain_pymupdf_coords.folding import STOP_CLOSERS, STOPS, UNSPACED_CLOSERS, UNSPACED_STOPS

_WORDS = (
    "source|doc|document|ref|quelle|dokument|fuente|documento|fonte|référence|bron|källa|kilde|źródło"
    "|источник|来源|文献|出典|資料|출처"
)

_WORD = rf"(?:{_WORDS})(?:n|s|es)?[.:]?\s?"

_NUMBERS = r"\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20}"

MARK = (
    rf"(?i:\[\^?(?:{_WORD})?{_NUMBERS}\](?:\([^()\s]*\))?"
    rf"|\((?:{_WORD}){_NUMBERS}\)"
    r"|【\d{1,3}[^】\n]{0,60}】)"
)
"""Pattern of a mark. Years, having four digits, are none."""

_NUMBER = re.compile(r"(?P<first>\d{1,3})(?:\s?[–-]\s?(?P<last>\d{1,3}))?")

_LENTICULAR = re.compile(r"【(?P<number>\d{1,3})(?:†[^】]*)?】")

_LONGEST_RANGE = 20


def mark_numbers(mark: str) -> tuple[int, ...]:
    """Return the numbers of a mark in order.

    ``[2-4]`` names 2, 3 and 4. A mark of OpenAI's assistants, ``【4:0†source】``, counts messages and not
    sources, so it has none.
    """
    if mark.startswith("【"):
        match = _LENTICULAR.fullmatch(mark)
        return (int(match["number"]),) if match else ()
    numbers: list[int] = []
    for match in _NUMBER.finditer(mark.partition("](")[0]):
        first, last = int(match["first"]), int(match["last"] or match["first"])
        numbers += range(first, last + 1) if first <= last < first + _LONGEST_RANGE else (first, last)
    return tuple(dict.fromkeys(numbers))


def without_marks(text: str) -> str:
    """Return a text without its source marks."""
    return re.sub(MARK, "", text)


Span = tuple[int, int]


def _inside(closing: str) -> str:
    """Pattern of what is quoted: anything but the characters given and a blank line."""
    return rf"(?:[^{closing}\n]|\n(?![^\S\n]*\n))+"


# In scripts with spaces a straight mark beside a letter or digit is another sign, such as that of inches.
_LETTER = r"[0-9A-Za-z\u00aa-\u1fff]"

_BLOCK_QUOTE = r"^[ ]{0,3}>[^\n]*(?:\n[ ]{0,3}>[^\n]*)*"

_QUOTED = "|".join(
    [
        rf"“{_inside('“”„')}”",
        rf"„{_inside('“”„')}[“”]",
        rf"(?<!{_LETTER})”{_inside('”')}”(?!{_LETTER})",
        rf"«{_inside('«»')}»",
        rf"»{_inside('«»')}[«»]",
        rf"「{_inside('「」')}」",
        rf"『{_inside('『』')}』",
        rf'(?<!{_LETTER})"(?=\S){_inside(chr(34))}(?<!\s)"(?!{_LETTER})',
        rf"(?<!{_LETTER})‘(?=\S)[^‘\n]*?\S’(?!{_LETTER})",
    ]
)

# Where what follows may still turn out to close a quotation.
_OPENING = rf'[“„”«»「『]|(?<!{_LETTER})["‘](?=\S|\Z)'

_SENTENCE_END = (
    rf"(?<![{STOPS}])[{STOPS}][{STOPS}{STOP_CLOSERS}]{{0,9}}+(?=\s++[^a-z])"
    rf"|[{UNSPACED_STOPS}][{UNSPACED_CLOSERS}]*"
)

_TOKEN = re.compile(
    rf"(?P<block>{_BLOCK_QUOTE})|(?P<quoted>{_QUOTED})|(?P<mark>{MARK})|(?P<end>{_SENTENCE_END})"
    rf"|(?P<line>\n)|(?P<opening>{_OPENING})",
    re.MULTILINE,
)

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")

_ENDS_SENTENCE = re.compile(rf"[{STOPS}{UNSPACED_STOPS}]\W?\Z")

_NEW_SENTENCE = re.compile(r"\s+[^\sa-z]")

_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>)\s+")

_QUOTE_SIGN = re.compile(r"^[ ]{0,3}>[ ]?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words of an answer that a source should have.

    Attributes:
        text: The words, without quotation marks around them.
        span: Where the answer has them.
        sources: Numbers of the sources that the answer names for them, as written; often none or one.
        quoted: Whether the answer gives them as the words of a source. Otherwise they are what it says in
            its own words before a source mark.
    """

    text: str
    span: Span
    sources: tuple[int, ...]
    quoted: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of an answer, about a sentence, and the quotations in it.

    Attributes:
        span: The stretch. Segments follow one another without a gap.
        quotations: In order.
    """

    span: Span
    quotations: tuple[Quotation, ...]


def segments(text: str, start: int = 0, *, complete: bool = True) -> Iterator[Segment]:
    """Read an answer in segments.

    Args:
        text: The answer, or what has come of it.
        start: Where to begin: 0, or the end of a segment that was read before.
        complete: Whether nothing more will come. Otherwise the last segments, which may still change, are
            left out.
    """
    tokens: list[re.Match[str]] = []
    cut: _Cut | None = None
    for token in _TOKEN.finditer(text, start):
        if token.lastgroup == "opening":
            if complete or _BLANK_LINE.search(text, token.start()):
                continue
            break
        if cut is not None and not cut.is_passed_by(token):
            cut = _Cut(text, token.end(), cut.at_line_end)
        elif cut is not None:
            yield _segment(text, (start, cut.at), tokens)
            start, tokens, cut = cut.at, [], None
        if token.lastgroup not in ("end", "line"):
            tokens.append(token)
        cut = _cut_after(text, token) or cut
    if cut is not None and cut.is_final(complete):
        yield _segment(text, (start, cut.at), tokens)
        start, tokens = cut.at, []
    if complete and start < len(text):
        yield _segment(text, (start, len(text)), tokens)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A place where a segment may end: marks that follow it at once still belong to the segment."""

    text: str
    at: int
    at_line_end: bool

    def is_final(self, complete: bool) -> bool:
        """Whether something follows that is no mark, and may not become one."""
        following = self.text[self.at :].lstrip()[:1]
        return bool(following) and (complete or following not in "[(【")

    def is_passed_by(self, token: re.Match[str]) -> bool:
        """Whether a later token, and so all after it, belongs to the next segment."""
        if self.text[self.at : token.start()].strip():
            return True
        if token.lastgroup != "mark":
            return token.lastgroup != "line"
        # A mark at the start of a line is for what follows it, if anything does.
        line_end = self.text.find("\n", token.end())
        rest = self.text[token.end() : line_end if line_end >= 0 else None]
        return self.at_line_end and bool(without_marks(rest).strip())


def _cut_after(text: str, token: re.Match[str]) -> _Cut | None:
    if token.lastgroup in ("line", "end"):
        return _Cut(text, token.end(), token.lastgroup == "line")
    ends = token.lastgroup == "quoted" and _ENDS_SENTENCE.search(token.group())
    if not ends or not _NEW_SENTENCE.match(text, token.end()):
        return None
    return _Cut(text, token.end(), at_line_end=False)


@dataclass(frozen=True, slots=True)
class _Marks:
    """Source marks side by side."""

    span: Span
    numbers: tuple[int, ...]


def _segment(text: str, span: Span, tokens: Sequence[re.Match[str]]) -> Segment:
    quoted: list[Quotation] = []
    groups: list[_Marks] = []
    for token in tokens:
        if token.lastgroup == "mark":
            _add_mark(groups, text, token)
        else:
            quoted += _quoted(text, token)
    used: set[int] = set()
    found: list[Quotation] = []
    starts = [group.span[0] for group in groups]
    for quotation in quoted:
        # The first marks after a quotation are its own, or else the last before it.
        nearest = min(bisect_left(starts, quotation.span[1]), len(groups) - 1) if groups else None
        used |= set() if nearest is None else {nearest}
        sources = quotation.sources or (() if nearest is None else groups[nearest].numbers)
        found.append(Quotation(quotation.text, quotation.span, sources, quoted=True))
    spans = [quotation.span for quotation in quoted] + [group.span for group in groups]
    edges = sorted([*span, *(end for _, end in spans)])
    for index, group in enumerate(groups):
        if index not in used and (claim := _claim(text, edges, group)):
            found.append(claim)
    return Segment(span, tuple(sorted(found, key=lambda quotation: quotation.span)))


def _add_mark(groups: list[_Marks], text: str, token: re.Match[str]) -> None:
    start, numbers = token.start(), mark_numbers(token.group())
    if groups and not text[groups[-1].span[1] : start].strip(" ,;"):
        last = groups.pop()
        start, numbers = last.span[0], tuple(dict.fromkeys(last.numbers + numbers))
    groups.append(_Marks((start, token.end()), numbers))


def _quoted(text: str, token: re.Match[str]) -> Iterator[Quotation]:
    """Yield the quotations of a token: one, or, where a block quote has quotation marks of its own, those."""
    start, end = token.span()
    if token.lastgroup == "quoted":
        yield Quotation(text[start + 1 : end - 1], (start + 1, end - 1), (), quoted=True)
        return
    marks = [mark for inner in re.finditer(MARK, token.group()) for mark in mark_numbers(inner.group())]
    sources = tuple(dict.fromkeys(marks))
    inner = [*re.finditer(_QUOTED, token.group())]
    for match in inner:
        span = start + match.start() + 1, start + match.end() - 1
        yield Quotation(_QUOTE_SIGN.sub("", text[slice(*span)]), span, sources, quoted=True)
    words = without_marks(_QUOTE_SIGN.sub("", token.group())).strip()
    if words and not inner:
        yield Quotation(words, (start, end), sources, quoted=True)


def _claim(text: str, edges: Sequence[int], group: _Marks) -> Quotation | None:
    """What a segment says before a group of marks, or, if nothing, after it."""
    before = edges[bisect_right(edges, group.span[0]) - 1]
    after = edges[min(bisect_right(edges, group.span[1]), len(edges) - 1)]
    for start, end in ((before, group.span[0]), (group.span[1], after)):
        if bullet := _BULLET.match(text, start, end):
            start = bullet.end()
        words = without_marks(text[start:end])
        if any(map(str.isalnum, words)):
            start += len(text[start:end]) - len(text[start:end].lstrip())
            end = start + len(text[start:end].rstrip())
            return Quotation(words.strip(), (start, end), group.numbers, quoted=False)
    return None
