"""Whether a hyphen at a line end belongs to its word."""

import pytest

from langchain_pymupdf_coords.layout.hyphens import Hyphenation, is_justified, share_edges


@pytest.mark.parametrize(
    ("before", "after", "texts", "justified", "keeps"),
    [
        ("a state-of-", "the-art crane", [], True, True),
        ("a well-", "known light", ["the well-known light"], True, True),
        ("the inter-", "national board", ["an international board"], False, False),
        ("the inter-", "national board", [], True, False),
        ("its well-", "known light", [], False, True),
        ("Anne-", "Marie left", [], True, True),
        ("1990-", "and later", [], True, True),
        ("the compa-", "ny came", ["the com-", "pany company compa-"], True, False),
    ],
)
def test_a_hyphen_stays_where_the_word_has_one(
    before: str, after: str, texts: list[str], justified: bool, keeps: bool
) -> None:
    assert Hyphenation(texts).keeps(before, after, justified=justified) is keeps


def test_parts_of_broken_words_are_no_words() -> None:
    hyphenation = Hyphenation(["pany wrote to the com-"])
    assert hyphenation.words == {"wrote", "to", "the"}


def test_lines_are_justified_if_their_right_edges_agree() -> None:
    assert is_justified([500, 500.4, 499.2, 500, 210]) is True
    assert is_justified([500, 455, 480, 470, 210]) is False
    assert is_justified([500, 500]) is None


def test_lines_of_several_short_paragraphs_show_whether_a_page_is_justified() -> None:
    assert share_edges([290.0, 290.3, 289.8, 540.0, 540.2, 539.9, 290.1, 540.1, 211.0])
    assert not share_edges([290.0, 280.3, 269.8, 540.0, 520.2, 500.9, 291.9, 533.1, 211.0])
    assert not share_edges([])
