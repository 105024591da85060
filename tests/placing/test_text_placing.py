"""Texts placed among the words of pages that are made here, word by word."""

from collections.abc import Sequence

import pytest

from langchain_pymupdf_coords.placing.file_words import FileWords, PageWord, PageWords
from langchain_pymupdf_coords.placing.text_placing import PlacedText, Text, place_texts
from langchain_pymupdf_coords.placing.tiling import NOWHERE

LEFT = ("The ferry leaves the", "old pier at seven and", "comes back by midnight")
RIGHT = ("Bicycles travel free", "on weekdays in winter", "but never on Sundays")
OTHER = "Seven litres of soup were cooked for everybody who had walked over the frozen hills that day."


def line(text: str, number: int, left: float = 72, block: int = 0) -> list[PageWord]:
    """A line of words, each letter 6 points wide."""
    words, x, top = [], left, 100.0 + 14 * number
    for text_word in text.split():
        words.append(PageWord(text_word, (x, top, x + 6 * len(text_word), top + 10), number, block))
        x += 6 * len(text_word) + 4
    return words


def page(*lines: Sequence[PageWord]) -> PageWords:
    return PageWords([word for words in lines for word in words], (595, 842))


TWO_COLUMNS = page(
    *(line(text, number) for number, text in enumerate(LEFT)),
    *(line(text, number, left=320, block=1) for number, text in enumerate(RIGHT)),
)


def letters_at(placed: PlacedText, file: FileWords) -> str:
    return "".join("-" if at == NOWHERE else file.letters[at] for at in placed.positions)


@pytest.mark.parametrize(
    "text",
    [
        "\n".join((*LEFT, *RIGHT)),
        "\n".join(f"{left} {right}" for left, right in zip(LEFT, RIGHT, strict=True)),  # across the columns
        "\n".join((*RIGHT, *LEFT)),
        "".join((*LEFT, *RIGHT)).replace(" ", ""),
        " ".join((*LEFT, *RIGHT)).upper(),
    ],
)
def test_each_letter_is_placed_on_an_equal_one(text: str) -> None:
    file = FileWords([TWO_COLUMNS])
    (placed,) = place_texts([Text(text)], file)
    assert placed.coverage == 1
    assert letters_at(placed, file) == placed.folded.text
    assert len(set(placed.positions)) == len(placed.positions)


def test_what_is_not_from_the_file_has_no_place() -> None:
    (placed,) = place_texts([Text(OTHER)], FileWords([TWO_COLUMNS]))
    assert placed.coverage == 0


def test_what_was_put_in_front_has_no_place() -> None:
    text = f"{OTHER}\n\n" + "\n".join(LEFT + RIGHT)
    file = FileWords([TWO_COLUMNS])
    (placed,) = place_texts([Text(text)], file)
    front = len(placed.folded.text) - len(file.letters)
    assert set(placed.positions[:front]) == {NOWHERE}
    assert letters_at(placed, file)[front:] == file.letters


def test_a_clause_that_stands_twice_goes_where_its_neighbours_are() -> None:
    clause, before, after = (
        "This line stands on both of the pages.",
        "Rules of the first harbour",
        "Rules of the second one",
    )
    file = FileWords([page(line(before, 0), line(clause, 1)), page(line(after, 0), line(clause, 1))])
    placed = place_texts([Text(before), Text(clause), Text(after), Text(clause)], file)
    assert [file.page_at(text.positions[0]) for text in placed] == [0, 0, 1, 1]


def test_letters_of_a_formula_are_placed_in_the_order_of_the_text() -> None:
    sums = [
        PageWord("k", (232, 92, 238, 98), 0, 0),
        PageWord("x", (220, 100, 226, 110), 1, 0),
        PageWord("3", (226, 104, 230, 110), 2, 0),
    ]
    file = FileWords([page(line("The mean of all the", 0), sums, line("was taken by the crew at noon", 1))])
    (placed,) = place_texts([Text("The mean of all the x3k was taken by the crew at noon")], file)
    assert letters_at(placed, file) == placed.folded.text
