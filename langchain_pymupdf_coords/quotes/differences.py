"""Kinds of differences between a quote and the text that was found for it, and what each means for the verdict.

The one table of kinds. The status of a match is that of its worst difference.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from langchain_pymupdf_coords.provenance.quotes import Difference, QuoteStatus


class Effect(IntEnum):
    """What a difference allows at most, from the best to the worst."""

    NORMALIZED = 0
    FUZZY = 1
    UNVERIFIED = 2
    FRAGMENTS = 3
    REFUSED = 4


class Kind(NamedTuple):
    """A kind of difference: what it allows, and what it is in words."""

    effect: Effect
    meaning: str


KINDS: dict[str, Kind] = {
    # How the same is written.
    "white_space": Kind(Effect.NORMALIZED, "white space, or a character that is not seen, more or less"),
    "line_end_hyphen": Kind(Effect.NORMALIZED, "a hyphen at the end of a line"),
    "letter_form": Kind(
        Effect.NORMALIZED, "ligatures, wide and composed forms, digits of another script, pointing"
    ),
    "letter_case": Kind(Effect.NORMALIZED, "case of a sentence's first letter, of a heading, of an address"),
    "typographic_mark": Kind(Effect.NORMALIZED, "another form of quotation marks, dashes, apostrophes"),
    "quotation_mark": Kind(Effect.NORMALIZED, "quotation marks and brackets around the quote"),
    "final_punctuation": Kind(Effect.NORMALIZED, "a stop, comma or colon at the end of the quote"),
    "markup": Kind(Effect.NORMALIZED, "marks of Markdown and HTML"),
    "latex": Kind(Effect.NORMALIZED, "LaTeX of what the page shows"),
    "escape": Kind(
        Effect.NORMALIZED, "HTML entities, JSON escapes, badly decoded UTF-8 of the same character"
    ),
    "list_mark": Kind(Effect.NORMALIZED, "bullets and numbering at the start"),
    "table_separator": Kind(Effect.NORMALIZED, "what stands between the cells or lines of a table or form"),
    "leader": Kind(Effect.NORMALIZED, "dots or dashes that lead to a page number"),
    "footnote_mark": Kind(Effect.NORMALIZED, "a footnote mark left out or written another way"),
    "citation_mark": Kind(Effect.NORMALIZED, "a source mark such as [1] or (p. 1)"),
    "bracketed_remark": Kind(Effect.NORMALIZED, "a remark of the one who quotes, in square brackets"),
    "equal_sign": Kind(Effect.NORMALIZED, "a sign spelled out or typed in ASCII: & and, § section, >= for ≥"),
    "number_grouping": Kind(Effect.NORMALIZED, "thousands separators of the same number"),
    # Other letters, the same words.
    "misspelling": Kind(Effect.FUZZY, "a plain misspelling made or mended"),
    "ocr_confusable": Kind(
        Effect.FUZZY, "letters that OCR takes for one another, on a page of an OCR engine"
    ),
    "article": Kind(Effect.FUZZY, "an article left out or added"),
    "contraction": Kind(Effect.FUZZY, "a contraction written out: don't, do not"),
    "hyphen": Kind(Effect.FUZZY, "a hyphen inside a word left out or added: re-signed, resigned"),
    "apostrophe": Kind(Effect.FUZZY, "an apostrophe left out, added or moved: we're, were"),
    "word_case": Kind(Effect.FUZZY, "case of a word amid a sentence"),
    "end_mark": Kind(Effect.FUZZY, "a question or exclamation mark for another mark"),
    "punctuation": Kind(Effect.FUZZY, "punctuation inside the quote left out, added or exchanged"),
    # Found, but never verified.
    "negation_cut": Kind(Effect.UNVERIFIED, "a negation stands just outside the quote, in the same clause"),
    "condition_cut": Kind(
        Effect.UNVERIFIED, "a condition or a limit stands just before the quote: if, only, at least"
    ),
    "currency_cut": Kind(
        Effect.UNVERIFIED, "the currency of the quote's first or last number stands outside it"
    ),
    "struck_out": Kind(Effect.UNVERIFIED, "the text is struck out on the page"),
    "flattened": Kind(Effect.UNVERIFIED, "the sign of an exponent or of a charge on the line: 10-3, R+"),
    "joined_words": Kind(
        Effect.UNVERIFIED, "a long quote begins or ends inside letters and digits that run together"
    ),
    # Left out.
    "left_out": Kind(Effect.FRAGMENTS, "what an ellipsis stands for"),
    "condition_left_out": Kind(Effect.REFUSED, "an ellipsis hides a condition or a negation"),
    "far_apart": Kind(Effect.REFUSED, "an ellipsis joins parts of different sentences, or parts far apart"),
    # Another meaning.
    "number": Kind(Effect.REFUSED, "another number, or numbers joined or parted"),
    "number_sign": Kind(
        Effect.REFUSED, "the sign of a number, a range, the parentheses of a negative number"
    ),
    "exponent": Kind(Effect.REFUSED, "an exponent, or one flattened"),
    "unit": Kind(Effect.REFUSED, "a unit: mW and MW, degrees, feet and inches"),
    "percent": Kind(Effect.REFUSED, "percent or per mille"),
    "currency": Kind(Effect.REFUSED, "a currency sign"),
    "relation": Kind(Effect.REFUSED, "a relation: = ≠ < ≤ ∈ ∉ ~"),
    "operator": Kind(Effect.REFUSED, "a mathematical, logical or code operator, the # and + of a name"),
    "arrow": Kind(Effect.REFUSED, "an arrow"),
    "tick_or_box": Kind(Effect.REFUSED, "a tick, cross or box"),
    "symbol": Kind(Effect.REFUSED, "another symbol: stars, triangles, gender signs, music, cards, emoji"),
    "negation": Kind(Effect.REFUSED, "a negation left out, added, moved, or cut off the word it denies"),
    "modal": Kind(Effect.REFUSED, "a verb of duty, leave or possibility"),
    "condition": Kind(Effect.REFUSED, "a condition, exception or connective"),
    "quantity": Kind(Effect.REFUSED, "a word that says how much or how often"),
    "accent": Kind(Effect.REFUSED, "an accent, tone or vowel sign that may make another word"),
    "name": Kind(Effect.REFUSED, "letters of a name or an acronym"),
    "word": Kind(Effect.REFUSED, "another word, left out, added or exchanged"),
    "struck_text_as_live": Kind(Effect.REFUSED, "struck-out text joined with text that is not"),
    "word_cut": Kind(Effect.REFUSED, "the quote begins or ends inside a word"),
    "number_cut": Kind(
        Effect.REFUSED, "the quote begins or ends inside a number, or cuts off its sign or unit"
    ),
}
"""Each kind by its name."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """A stretch of signs that differs.

    Attributes:
        kind: Its name in the table of kinds.
        quote: Its place in the signs of the quote; may be empty.
        page: Its place in the signs of the text; may be empty.
    """

    kind: str
    quote: tuple[int, int]
    page: tuple[int, int]


def worst(kinds: Sequence[str]) -> str:
    """The kind of the worst effect; the first of equals."""
    return max(kinds, key=lambda kind: KINDS[kind].effect)


def effect_of(differences: Iterable[Difference | Contrast]) -> Effect | None:
    """The worst effect of some differences; None where there is none."""
    return max((KINDS[difference.kind].effect for difference in differences), default=None)


def status_of(effect: Effect | None) -> QuoteStatus | None:
    """The status that the worst effect leaves; None: not found."""
    statuses: dict[Effect | None, QuoteStatus | None] = {
        None: "exact",
        Effect.NORMALIZED: "normalized",
        Effect.FUZZY: "fuzzy",
        Effect.UNVERIFIED: "fuzzy",
        Effect.FRAGMENTS: "fragments",
        Effect.REFUSED: None,
    }
    return statuses[effect]


_ALLOWS = {
    Effect.NORMALIZED: "`normalized`",
    Effect.FUZZY: "`fuzzy`",
    Effect.UNVERIFIED: "`fuzzy`, found but never verified",
    Effect.FRAGMENTS: "`fragments`",
    Effect.REFUSED: "not found",
}


def kinds_table() -> str:
    """The table of kinds as Markdown, for the guide."""
    rows = (f"| `{name}` | {kind.meaning} | {_ALLOWS[kind.effect]} |\n" for name, kind in KINDS.items())
    return "| Kind | What differs | Allows at most |\n|---|---|---|\n" + "".join(rows)
