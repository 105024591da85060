"""The verdict on one place of a text: what the quote and the text differ in there, and what that leaves."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langchain_pymupdf_coords.provenance.quotes import Difference
from langchain_pymupdf_coords.quotes.comparing import Comparison
from langchain_pymupdf_coords.quotes.differences import KINDS, Contrast, Effect
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
    effect = _worst(contrasts) or Effect.NORMALIZED
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
    return Judged(span, _worst(contrasts), quote, page, None, contrasts)


def _worst(contrasts: Sequence[Contrast]) -> Effect | None:
    return max((KINDS[contrast.kind].effect for contrast in contrasts), default=None)


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
    shift = len(quote) - len(quote.lstrip())
    found = [
        _difference(
            contrast.kind,
            text,
            quote,
            _source(judged.page, contrast.page),
            _source(judged.quote, contrast.quote),
            shift,
        )
        for contrast in judged.contrasts
    ]
    if judged.comparison is not None:
        found += _written_differently(judged, text, quote, shift)
    found.sort(key=lambda difference: (difference.text_span, difference.quote_span))
    return tuple({(d.kind, d.quote_text, d.page_text): d for d in reversed(found)}.values())[::-1]


def _difference(
    kind: str, text: str, quote: str, page_span: tuple[int, int], quote_span: tuple[int, int], shift: int
) -> Difference:
    start, end = quote_span[0] + shift, quote_span[1] + shift
    return Difference(kind, quote[start:end], text[slice(*page_span)], (start, end), page_span)


def _source(reading: Reading, span: tuple[int, int]) -> tuple[int, int]:
    """Source offsets of some signs, or of the place between two."""
    start, end = span
    if start < end:
        return reading.starts[start], reading.ends[end - 1]
    at = reading.ends[start - 1] if start else reading.starts[0]
    return at, at


def _written_differently(judged: Judged, text: str, quote: str, shift: int) -> Iterator[Difference]:
    """Differences in how the signs that are equal are written."""
    if judged.comparison is None:
        return
    ours, theirs = judged.quote, judged.page
    forms = dict(theirs.forms), {at + shift: kind for at, kind in ours.forms}
    for i, j, size in judged.comparison.equal_runs:
        mine = (ours.starts[i] + shift, ours.ends[i + size - 1] + shift)
        if quote[slice(*mine)] == text[theirs.starts[j] : theirs.ends[j + size - 1]]:
            continue
        for step in range(size):
            pieces = [
                (ours.starts[i + step], ours.ends[i + step], theirs.starts[j + step], theirs.ends[j + step])
            ]
            if step:
                pieces.append(
                    (
                        ours.ends[i + step - 1],
                        ours.starts[i + step],
                        theirs.ends[j + step - 1],
                        theirs.starts[j + step],
                    )
                )
            for number, (a, b, c, d) in enumerate(pieces):
                a, b = a + shift, max(a, b) + shift
                d = max(c, d)
                if quote[a:b] != text[c:d] and ours.signs[i + step] == theirs.signs[j + step]:
                    kind = _form(forms, (c, d), (a, b), ours.signs[i + step] if number == 0 else " ")
                    yield _difference(kind, text, quote, (c, d), (a - shift, b - shift), shift)


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
