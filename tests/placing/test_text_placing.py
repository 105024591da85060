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


def test_text_goes_on_beyond_ligatures_that_the_page_cannot_decode() -> None:
    file = FileWords([page(line("They know of aX1fairX1s of the harbour", 0), line("every day at seven", 1))])
    (placed,) = place_texts([Text("They know of aYfairYs of the harbour\nevery day at seven")], file)
    assert letters_at(placed, file) == "theyknowofa-fair-softheharboureverydayatseven"


def test_a_changed_number_is_not_taken_for_a_glyph_that_cannot_be_decoded() -> None:
    file = FileWords([page(line("All the crew of the northern ferry", 0), line("earned 4711 crowns", 1))])
    (placed,) = place_texts([Text("All the crew of the northern ferry\nearned 4811 crowns")], file)
    assert letters_at(placed, file) == "allthecrewofthenorthernferryearned4-11crowns"


def test_right_to_left_words_are_found_in_a_row_that_is_drawn_from_the_left() -> None:
    words = ["שלום", "לכולם", "ברוכים", "הבאים", "לנמל"]
    # The page draws the row from the left, each word with its letters in the order of reading.
    drawn = [
        PageWord(text, (72 + 40 * at, 100, 106 + 40 * at, 110), at, 0) for at, text in enumerate(words[::-1])
    ]
    file = FileWords([PageWords(drawn, (595, 842))])
    # A loader that knows nothing of right-to-left writes the row as it is seen, each word reversed.
    (placed,) = place_texts([Text(" ".join(word[::-1] for word in reversed(words)))], file)
    assert placed.coverage == 1
    assert letters_at(placed, file) == placed.folded.text
    words_at = [file.word_at(at)[1] for at in placed.positions]
    assert words_at == sorted(words_at)


def test_a_copy_of_a_word_that_is_drawn_a_little_aside_takes_turns_with_it() -> None:
    words = [
        PageWord("Harbour", (72, 100, 114, 110), 0, 0),
        PageWord("Harbour", (73, 100.5, 115, 110.5), 1, 0),
        PageWord("rules", (120, 100, 150, 110), 0, 1),
        PageWord("rules", (121, 100.5, 151, 110.5), 1, 1),
    ]
    file = FileWords([PageWords(words, (595, 842))])
    (placed,) = place_texts([Text("HHaarrbboouurr rruulleess")], file)
    assert letters_at(placed, file) == "hhaarrbboouurrrruulleess"


def test_a_text_ends_on_the_next_page_although_its_end_tells_little() -> None:
    first = page(*(line(text, number) for number, text in enumerate(LEFT)))
    file = FileWords([first, page(line("in May again.", 0), line(RIGHT[0], 1))])
    (placed,) = place_texts([Text(" ".join((LEFT[1], LEFT[0], LEFT[2], "in May again.")))], file)
    assert placed.coverage == 1
    assert file.page_at(placed.positions[-1]) == 1


@pytest.mark.parametrize(("in_margin", "placed_on"), [(["471"], 13), (["471", "471"], NOWHERE)])
def test_a_number_far_aside_is_placed_if_it_is_there_but_once(in_margin: list[str], placed_on: int) -> None:
    margin = [word for at, text in enumerate(in_margin, 1) for word in line(text, at, left=500, block=1)]
    file = FileWords([page(*(line(text, number) for number, text in enumerate(LEFT)), margin)])
    (placed,) = place_texts([Text(" ".join((LEFT[0], "471", *LEFT[1:])))], file)
    number = placed.positions[len("theferryleavesthe") :][:3]
    words = {NOWHERE if at == NOWHERE else file.word_at(at)[1] for at in number}
    assert words == {placed_on}
