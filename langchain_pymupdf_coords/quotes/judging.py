"""The verdict on one place of a text: what the quote and the text differ in there, and what that leaves."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from langchain_pymupdf_coords.provenance.quotes import Difference
from langchain_pymupdf_coords.quotes.comparing import Comparison
from langchain_pymupdf_coords.quotes.differences import Contrast, Effect, effect_of
from langchain_pymupdf_coords.quotes.edges import Edges
from langchain_pymupdf_coords.quotes.reader import read_part
from langchain_pymupdf_coords.quotes.reading import Reading, is_letter
from langchain_pymupdf_coords.quotes.struck import struck_out
from langchain_pymupdf_coords.quotes.wording import Wording

_CONTEXT = 100
"""Characters around a place that are read with it."""

_WORDS_PER_SLIP = 6

_SLIPS = ("misspelling", "article", "ocr_confusable")


@dataclass(frozen=True, slots=True)
class Judged:
    """A place and the verdict on it.

    Attributes:
        span: ``(start, end)`` in the text, with the marks around that the quote has too.
        effect: That of the worst difference; None: word for word.
        quote: The signs of the quote.
        comparison: What was compared; None where it is word for word.
        contrasts: What differs.
    """

    span: tuple[int, int]
    effect: Effect | None
    quote: Reading
    page: Reading
    comparison: Comparison | None
    contrasts: Sequence[Contrast]

    @property
    def is_found(self) -> bool:
        """Whether the place says what the quote says, verified or not."""
        return self.effect is None or self.effect < Effect.REFUSED


def judge(text: str, span: tuple[int, int], asked: str, quote: Reading, wording: Wording) -> Judged:
    """Judge a place.

    Args:
        text: The text.
        span: Where the letters and digits that may be the quote stand.
        asked: The quote, without white space around it.
        quote: Its signs; at least one is a letter or digit.
        wording: Knows the words of the text.
    """
    start, end = _window(text, *span)
    page = read_part(text, start, end)
    first = bisect_left(page.starts, span[0])
    last = bisect_right(page.ends, span[1])
    while first < last and not is_letter(page.signs[first]):
        first += 1
    while last > first and not is_letter(page.signs[last - 1]):
        last -= 1
    if first == last:
        return Judged(span, Effect.REFUSED, quote, page, None, ())
    verbatim = _verbatim_span(text, page.starts[first], asked, quote)
    if verbatim is not None:
        return _judge_verbatim(verbatim, first, quote, page, wording)
    comparison = Comparison(quote, page, (first, last), wording)
    left, right = comparison.run()
    contrasts = [*comparison.contrasts]
    contrasts += Edges(page, first, last, left, right, wording).contrasts(0, len(quote.signs))
    contrasts = _within_budget(contrasts, quote)
    effect = effect_of(contrasts) or Effect.NORMALIZED
    return Judged((page.starts[left], page.ends[right - 1]), effect, quote, page, comparison, contrasts)


def _judge_verbatim(
    span: tuple[int, int], first: int, quote: Reading, page: Reading, wording: Wording
) -> Judged:
    """The verdict on a place that has the quote word for word: only what is cut or struck out counts."""
    left = min(first, bisect_left(page.starts, span[0]))
    last = right = max(first + 1, bisect_right(page.ends, span[1]))
    while not is_letter(page.signs[last - 1]):
        last -= 1
    size = len(quote.signs)
    contrasts = struck_out(quote, (0, size), page, (left, right), wording)
    contrasts += Edges(page, first, last, left, right, wording).contrasts(0, size)
    return Judged(span, effect_of(contrasts), quote, page, None, contrasts)


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    """Start and end of what is read with a place, at white space if that is near."""
    begin, stop = max(0, start - _CONTEXT), min(len(text), end + _CONTEXT)
    gap = text.find(" ", begin, max(begin, start - _CONTEXT // 2)) if begin else -1
    begin = gap + 1 if gap >= 0 else begin
    gap = text.rfind(" ", min(stop, end + _CONTEXT // 2), stop) if stop < len(text) else -1
    return begin, gap if gap >= 0 else stop


def _verbatim_span(text: str, first: int, asked: str, quote: Reading) -> tuple[int, int] | None:
    """The span of the quote word for word, if its first letter is the one of the text at `first`."""
    letter = next((at for at, sign in zip(quote.starts, quote.signs, strict=True) if is_letter(sign)), 0)
    start = first - letter
    return (start, start + len(asked)) if start >= 0 and text.startswith(asked, start) else None


def _within_budget(contrasts: Sequence[Contrast], quote: Reading) -> list[Contrast]:
    """Contrasts; where slips are more than a few, they are another text."""
    slips = sum(contrast.kind in _SLIPS for contrast in contrasts)
    if slips <= 1 + len(quote.breaks) // _WORDS_PER_SLIP:
        return list(contrasts)
    return [
        Contrast("word", contrast.quote, contrast.page) if contrast.kind in _SLIPS else contrast
        for contrast in contrasts
    ]


def differences_of(judged: Judged, text: str, quote: str) -> tuple[Difference, ...]:
    """What a quote and its place differ in, in the order of the text.

    Args:
        judged: The verdict.
        text: The text.
        quote: The quote as it was asked for, with the white space around it.
    """
    asked = quote.strip()
    found = [
        _difference(
            contrast.kind,
            text,
            asked,
            _source(judged.page, contrast.page),
            _source(judged.quote, contrast.quote),
        )
        for contrast in judged.contrasts
    ]
    if judged.comparison is not None:
        found += _written_differently(judged.comparison, text, asked)
    found.sort(key=lambda difference: (difference.text_span, difference.quote_span))
    unlike = {(d.kind, d.quote_text, d.page_text): d for d in reversed(found)}
    shift = len(quote) - len(quote.lstrip())
    return tuple(_shifted(difference, shift) for difference in reversed(unlike.values()))


def _difference(
    kind: str, text: str, asked: str, page_span: tuple[int, int], quote_span: tuple[int, int]
) -> Difference:
    return Difference(kind, asked[slice(*quote_span)], text[slice(*page_span)], quote_span, page_span)


def _shifted(difference: Difference, shift: int) -> Difference:
    start, end = difference.quote_span
    return replace(difference, quote_span=(start + shift, end + shift))


def _source(reading: Reading, span: tuple[int, int]) -> tuple[int, int]:
    """Source offsets of some signs, or of the place between two."""
    start, end = span
    if start < end:
        return reading.starts[start], reading.ends[end - 1]
    at = reading.ends[start - 1] if start else reading.starts[0]
    return at, at


def _written_differently(comparison: Comparison, text: str, asked: str) -> Iterator[Difference]:
    """Differences in how the signs that are equal are written."""
    ours, theirs = comparison.quote, comparison.page
    forms = dict(theirs.forms), dict(ours.forms)
    for i, j, size in comparison.equal_runs:
        mine = asked[ours.starts[i] : ours.ends[i + size - 1]]
        if mine == text[theirs.starts[j] : theirs.ends[j + size - 1]]:
            continue
        for step in range(size):
            if ours.signs[i + step] != theirs.signs[j + step]:
                continue
            pieces = [(_sign(theirs, j + step), _sign(ours, i + step), ours.signs[i + step])]
            if step:
                pieces.append((_gap(theirs, j + step), _gap(ours, i + step), " "))
            for page, quote, sign in pieces:
                if asked[slice(*quote)] != text[slice(*page)]:
                    yield _difference(_form(forms, page, quote, sign), text, asked, page, quote)


def _sign(reading: Reading, at: int) -> tuple[int, int]:
    """Source offsets of a sign."""
    return reading.starts[at], max(reading.starts[at], reading.ends[at])


def _gap(reading: Reading, at: int) -> tuple[int, int]:
    """Source offsets of what stands between a sign and the one before it."""
    return reading.ends[at - 1], max(reading.ends[at - 1], reading.starts[at])


def _form(
    forms: tuple[dict[int, str], dict[int, str]], page: tuple[int, int], quote: tuple[int, int], sign: str
) -> str:
    for known, (start, end) in zip(forms, (page, quote), strict=True):
        for at in range(start, max(end, start + 1)):
            if at in known:
                return known[at]
    if sign.isspace():
        return "white_space"
    return "letter_form" if is_letter(sign) else "typographic_mark"
