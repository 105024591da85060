import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_pymupdf_coords.folding import (
    FoldedText,
    drop_emphasis,
    fold,
    fold_glyphs,
    fold_letters,
    plain_text,
)

TAG_NAMES = ["br", "sup", "sub", "u", "mark", "b", "i"]
TAGS = [head + name + tail for name in TAG_NAMES for head in ("<", "</") for tail in (">", "/>", " >", " />")]
TAGS.append('<b class="x">')
# Letters that fold to several, that compose, that join, that look like markup or fold to nothing.
TRICKY = [
    *"aZ09 \n\t.,-*_`~#|><!eéßİﬀﬃΐᾳŉ½²①Ⅷ㎏ｶﾞﾟがはㄱㅏ각가ำคाאעﻻﷺ𐐀豈㌀",
    *"\u0131\u017f\uff21\uff5a\U0001d400",  # dotless i, long s, full-width and mathematical letters
    *"\u0301\u0308\u0323\u0345\u00ad\u200d\ufe0f\u05b8\u064e",  # marks and joiners
    *"\u1100\u1161\u11a8\u09c7\u09be",  # Hangul jamo and Bengali vowel signs that compose
    *("<!--", "-->", "<br>", "<br>", "<sup>", "</sup>", "<mark>", *TAGS),
]
any_text = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.lists(st.sampled_from(TRICKY), max_size=25).map("".join),
    st.text(st.characters(codec="ascii"), max_size=60),
)


def without_markup(text: str) -> str:
    """Tags and comments found letter by letter, as long as before."""
    out, at = "", 0
    while at < len(text):
        end = at
        if text.startswith("<!--", at) and "-->" in text[at + 4 :]:
            end = text.index("-->", at + 4) + 3
        else:
            for tag in TAGS:
                if text[at : at + len(tag)].lower() == tag:
                    end = at + len(tag)
        out += " " * (end - at) if end > at else text[at]
        at = max(end, at + 1)
    return out


def letters_of(text: str) -> str:
    """The whole text normalised at once, with no map."""
    cased = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(char for char in cased if char.isalnum())


def check_map(text: str, folded: FoldedText) -> None:
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert list(folded.starts) == sorted(folded.starts)
    assert list(folded.ends) == sorted(folded.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True))


@given(any_text)
def test_fold_agrees_with_the_slow_reference(text: str) -> None:
    folded = fold(text)
    check_map(text, folded)
    assert folded.text == letters_of(without_markup(text))
    assert fold_letters(text) == folded.text
    assert fold_glyphs(text) == letters_of(text)


@given(any_text, st.data())
def test_folded_span_maps_to_source_that_folds_to_the_same(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    # Spans that cut no source character in two.
    whole = [i for i in range(1, len(folded.text)) if folded.starts[i] >= folded.ends[i - 1]]
    cut = st.sampled_from([0, len(folded.text), *whole])
    i, j = sorted((data.draw(cut), data.draw(cut)))
    if i == j:
        return
    start, end = folded.source_span(i, j)
    assert fold(text[start:end]).text == folded.text[i:j]
    assert folded.folded_span(start, end) == (i, j)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_composed_and_decomposed_text_fold_alike(text: str) -> None:
    assert fold_glyphs(text) == fold_glyphs(unicodedata.normalize("NFD", text))
    assert fold_glyphs(text) == fold_glyphs(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("**Bold** _it_ `code` ~~x~~ # H | cell", "bolditcodexhcell"),
        ("eﬀect eﬃcient", "effectefficient"),
        ("infor\u00admation infor-\nmation", "informationinformation"),
        ("word<sup>3</sup><br>next<BR/>x", "word3nextx"),
        ('<b class="a b">x</b> <mark style=color:red>', "xmarkstylecolorred"),
        ("a<b and c>d", "abandcd"),
        ("if a <b and c> d", "ifabandcd"),
        ("<activity> stays", "activitystays"),
        ("x<!-- Start of picture text -->y<!-- open", "xyopen"),
        ("a <!-- b <br> --> c --> d", "acd"),
        ("Straße STRASSE", "strassestrasse"),
        ("İstanbul", "istanbul"),
        ("\uff46\uff55\uff4c\uff4c\u3000\uff17", "full7"),
        ("ｶﾞ", "ガ"),
        ("\u1100\u1161\u11a8", "각"),
        ("10½ m²", "1012m2"),
        ("שָׁלוֹם", "שלום"),
        ("e\u0301 é E\u0301", "ééé"),
        ("", ""),
        ("… — !?", ""),
    ],
)
def test_fold_letters_of_real_kinds(text: str, letters: str) -> None:
    assert fold(text).text == fold_letters(text) == letters


def test_page_text_keeps_what_looks_like_a_tag() -> None:
    assert fold_glyphs("write <br> or <!-- x -->") == "writebrorx"
    assert fold_letters("write <br> or <!-- x -->") == "writeor"


def test_ligature_and_accent_are_mapped_whole() -> None:
    folded = fold("aﬀe\u0301.")
    assert folded.text == "affé"
    assert (tuple(folded.starts), tuple(folded.ends)) == ((0, 1, 1, 2), (1, 2, 2, 4))
    assert folded.source_span(1, 2) == folded.source_span(2, 3) == (1, 2)
    assert folded.source_span(3, 4) == (2, 4)


@pytest.mark.parametrize(("i", "j"), [(0, 0), (2, 1), (-1, 1), (0, 9)])
def test_empty_or_outlying_folded_span_is_refused(i: int, j: int) -> None:
    with pytest.raises(ValueError, match="must hold a character"):
        fold("a b c").source_span(i, j)


def test_folded_span_holds_only_whole_characters() -> None:
    folded = fold("a (b) e\u0301")
    assert folded.folded_span(1, 6) == (1, 2)
    assert folded.folded_span(6, 7) == (2, 2)
    assert folded.folded_span(6, 8) == (2, 3)


@pytest.mark.parametrize("unit", ["<!--", "<!-- -->", "<b ", "<b a=", "\u0301\u0323"])
def test_hostile_text_folds_in_bounded_time(unit: str) -> None:
    text = unit * 50_000
    assert fold(text).text == fold_letters(text)


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("## **3. _Results_ of** `2024`", "3. Results of 2024"),
        ("~~Old~~ page_end,  ~5 _x_y_", "Old page_end, ~5 x_y"),
        ("one<br>two<sup>3</sup>\n\n# Three", "one two 3 Three"),
        ("#5 of C# 4", "#5 of C# 4"),
        ("a<b and c>d", "a<b and c>d"),
    ],
)
def test_plain_text_is_what_a_reader_sees(markdown: str, text: str) -> None:
    assert plain_text(markdown) == text


def test_every_mark_of_style_is_dropped() -> None:
    assert drop_emphasis("half**bold**ness ~5 `page_end` *") == "halfboldness 5 pageend "
