"""Boxes written anew from the letters of a page, without any PDF."""

from dataclasses import replace

import pytest

from langchain_pymupdf_coords.layout.assembly import assemble
from langchain_pymupdf_coords.layout.grid import write_table
from langchain_pymupdf_coords.layout.pages import Glyph, TextRun
from langchain_pymupdf_coords.layout.repair import LayoutBox
from langchain_pymupdf_coords.layout.rows import by_rows, ordered, rows_of
from langchain_pymupdf_coords.layout.running import Surroundings, is_page_number, page_lines
from langchain_pymupdf_coords.layout.vertical import bands, with_columns

WIDTH = 5.0
SIZE = (400.0, 400.0)


def run(text: str, x: float, y: float, line: int, *, marks: tuple[str, ...] = (), block: int = 0) -> TextRun:
    """A run of glyphs of one width; y is the top of the line."""
    bbox = (x, y, x + WIDTH * len(text), y + 10)
    glyphs = tuple(Glyph(c, (x + WIDTH * k, y, x + WIDTH * (k + 1), y + 10)) for k, c in enumerate(text))
    return TextRun(text, bbox, bbox, line, block, (1.0, 0.0), 10.0, glyphs, marks)


def words(runs: list[TextRun]) -> list[str]:
    return [item.text for item in runs]


def test_columns_are_read_one_after_the_other() -> None:
    runs = [run("one", 0, 0, 1), run("two", 0, 14, 2), run("three", 200, 0, 3), run("four", 200, 14, 4)]
    assert words(ordered(runs)) == ["one", "two", "three", "four"]
    assert words(by_rows(runs)) == ["one", "three", "two", "four"]


def test_bands_of_columns_are_read_one_after_the_other() -> None:
    def column(text: str, x: float, y: float, line: int) -> list[TextRun]:
        return [run(f"{text} one", x, y, line), run(f"{text} two", x, y + 12, line + 1)]

    runs = [*column("a", 0, 0, 1), *column("b", 200, 0, 3), *column("c", 0, 40, 5), *column("d", 200, 40, 7)]
    assert words(ordered(runs)) == [f"{text} {line}" for text in "abcd" for line in ("one", "two")]


def test_an_order_that_jumps_about_is_not_taken() -> None:
    runs = [run("below", 0, 40, 1), run("above", 0, 0, 2), run("middle", 0, 20, 3)]
    assert words(ordered(runs)) == ["above", "middle", "below"]


def test_a_box_that_mixes_columns_is_written_anew_and_placed() -> None:
    runs = [run("one", 0, 0, 1), run("two", 0, 14, 2), run("three", 200, 0, 3), run("four", 200, 14, 4)]
    boxes = [LayoutBox("text", (0, 0, 300, 30), "one three two four")]
    [box], [note] = assemble(boxes, lambda _: runs, Surroundings(SIZE))
    assert box.text == "one two three four"
    assert [(box.text[line.start : line.end], line.bbox) for line in box.lines] == [
        (item.text, item.bbox) for item in runs
    ]
    assert note.kind == "rewritten"


def test_a_box_that_agrees_keeps_the_engine_s_text() -> None:
    runs = [run("The ferry", 0, 0, 1), run("left.", 0, 14, 2)]
    boxes = [LayoutBox("text", (0, 0, 300, 30), "The **ferry**  left. ")]
    [box], notes = assemble(boxes, lambda _: runs, Surroundings(SIZE))
    assert (box.text, notes) == ("The **ferry**  left.", [])


def test_marks_of_style_are_written_around_whole_runs() -> None:
    runs = [run("was ", 0, 0, 1), run("not", 20, 0, 1, marks=("**", "~~")), run(" signed", 35, 0, 1)]
    boxes = [LayoutBox("text", (0, 0, 300, 12), "wrong")]
    [box], _ = assemble(boxes, lambda _: runs, Surroundings(SIZE))
    assert box.text == "was **~~not~~** signed"


@pytest.mark.parametrize(("first", "second"), [(100, 114), (114, 100)], ids=["mirrored", "upside down"])
def test_lines_that_run_to_the_left_are_read_in_the_order_in_which_they_are_drawn(
    first: float, second: float
) -> None:
    runs = [
        replace(run("one", 200, first, 1), direction=(-1.0, 0.0)),
        replace(run("two", 200, second, 2), direction=(-1.0, 0.0)),
    ]
    rows = rows_of(runs)
    assert [(row.text, row.bbox) for row in rows] == [(item.text, item.bbox) for item in runs]


def test_a_word_that_a_border_cuts_stays_whole() -> None:
    grid = (((0, 0, 52, 20), (52, 0, 120, 20)), ((0, 20, 52, 40), (52, 20, 120, 40)))
    runs = [run("N Security", 5, 5, 1), run("111 11", 65, 5, 2), run("a|b", 5, 25, 3), run("c", 60, 25, 4)]
    written = write_table(grid, runs)
    assert written.text == "|N Security|111 11|\n|---|---|\n|a\\|b|c|"
    assert [written.text[line.start : line.end] for line in written.lines] == [
        "N Security",
        "111 11",
        "a\\|b",
        "c",
    ]


def test_letters_of_a_column_are_one_run() -> None:
    runs = [run(char, 100, 14 * k, k) for k, char in enumerate("渡船は朝")]
    [column] = with_columns([*runs])
    assert (column.text, column.direction) == ("渡船は朝", (0.0, 1.0))
    assert with_columns(runs[:3]) == runs[:3]
    assert [row.text for row in rows_of([column])] == ["渡船は朝"]


def test_bands_of_columns_are_told_apart_and_stops_stay_in_their_column() -> None:
    stop = replace(run("\u3002", 104, 54, 5), direction=(0.0, 1.0))
    above = [*(run(char, 100, 14 * k, k) for k, char in enumerate("渡船は朝")), stop]
    below = [run(char, 100, 90 + 14 * k, 10 + k) for k, char in enumerate("霧の日は")]
    columns = with_columns([*above, *below])
    assert [column.text for column in columns] == ["渡船は朝\u3002", "霧の日は"]
    assert bands(columns[::-1]) == [[column] for column in columns]


@pytest.mark.parametrize("text", ["3", "- 3 -", "iv", "Page 3 of 12", "Seite 7", "\uff0d15 \uff0d", "3 / 12"])
def test_page_numbers(text: str) -> None:
    assert is_page_number(text)


@pytest.mark.parametrize("text", ["Invoice 2024-0117", "14 March 2024", "IBAN EE76 1700", "Chapter 3", "mix"])
def test_other_text_is_no_page_number(text: str) -> None:
    assert not is_page_number(text)


def test_a_running_head_leaves_the_box_that_it_was_put_into() -> None:
    def page(number: int) -> list[TextRun]:
        return [
            run(f"Report {number}", 0, 5, 1, block=1),
            run(f"sentence {'abc'[number]} goes on", 0, 60, 2, block=2),
        ]

    around = page_lines(page(2), SIZE)
    boxes = [LayoutBox("text", (0, 0, 300, 72), "Report 1 sentence b goes on")]
    parsed, _ = assemble(boxes, lambda _: page(1), Surroundings(SIZE, (around,)))
    assert [(box.box_class, box.text) for box in parsed] == [
        ("page-header", "Report 1"),
        ("text", "sentence b goes on"),
    ]
    parsed, _ = assemble(boxes, lambda _: page(1), Surroundings(SIZE))
    assert [(box.box_class, box.text) for box in parsed] == [("text", "Report 1 sentence b goes on")]


def test_a_word_in_two_styles_stays_in_one_cell() -> None:
    grid = [[(0, 0, 100, 10), (100, 0, 200, 10)]]
    runs = [run("SCI", 90, 0, 1), run("BERT", 105, 0, 1, marks=("**",))]
    assert write_table(grid, runs).text == "||SCI**BERT**|\n|---|---|"


def test_words_of_a_cell_that_stand_apart_do_not_run_together() -> None:
    grid = (((0, 0, 200, 20),),)
    apart = run("13", 5, 5, 1)
    moved = replace(apart, glyphs=(apart.glyphs[0], Glyph("3", (40, 5, 45, 15))), bbox=(5, 5, 45, 15))
    assert write_table(grid, [moved]).text == "|1 3|\n|---|"


def test_a_paragraph_that_repeats_is_no_running_head() -> None:
    runs = [run(f"line {'abcdef'[k]} of a notice", 0, 4 + 8 * k, k, block=1) for k in range(5)]
    runs += [run("text", 0, 100, 9, block=2)]
    boxes = [LayoutBox("text", (0, 0, 300, 120), " ".join(item.text for item in runs))]
    parsed, _ = assemble(boxes, lambda _: runs, Surroundings(SIZE, (page_lines(runs, SIZE),)))
    assert [box.box_class for box in parsed] == ["text"]


def test_a_number_of_a_sentence_is_no_page_number() -> None:
    runs = [run("London", 0, 5, 1, block=1), run("174", 32, 5, 2, block=2), run(", 935.", 48, 5, 3, block=3)]
    around = page_lines([run("173", 32, 5, 1)], SIZE)
    boxes = [LayoutBox("text", (0, 0, 300, 20), "London 174, 935.")]
    parsed, _ = assemble(boxes, lambda _: runs, Surroundings(SIZE, (around,)))
    assert [box.text for box in parsed] == ["London 174, 935."]
