"""From the order on the page to the order of reading."""

import pytest
from bidi.algorithm import get_display
from hypothesis import given
from hypothesis import strategies as st

from langchain_pymupdf_coords.layout.bidi import has_right_to_left, reading_order, runs_right_to_left

HEBREW = "אבגדהוזחט"


@pytest.mark.parametrize(
    "line",
    [
        "המעבורת יוצאת בשנת 2024 מן הרציף (הישן) בלבד",
        "חברת Ferry Lines קנתה 12.5% מן הרציף",
        "يدفع الراكب ١٢٥٠ دينارا ثمن التذكرة",
        "In 2024 the word שלום was new",
    ],
)
def test_what_is_displayed_is_read_as_it_was_typed(line: str) -> None:
    base = runs_right_to_left(line)
    shown = get_display(line, base_dir="R" if base else "L")
    assert "".join(char for _, char in reading_order(shown, right_to_left=base)) == line


@given(st.lists(st.text(HEBREW, min_size=1, max_size=6) | st.text("abc", min_size=1, max_size=4), min_size=1))
def test_every_character_is_read_once(words: list[str]) -> None:
    shown = get_display(" ".join(words))
    read = reading_order(shown, right_to_left=True)
    assert sorted(index for index, _ in read) == list(range(len(shown)))


def test_clusters_keep_their_inner_order() -> None:
    read = reading_order(["א", "לָ", "ב"], right_to_left=True)
    assert [text for _, text in read] == ["ב", "לָ", "א"]


def test_latin_text_does_not_turn() -> None:
    assert not has_right_to_left("Łódź, 1,250 €")
    assert has_right_to_left("١٢")
    assert not runs_right_to_left("In 2024 the word שלום was new")
