"""Markdown of boxes aligned with the runs of a page, without any PDF."""

from typing import TYPE_CHECKING

import pytest

from langchain_pymupdf_coords.folding import fold
from langchain_pymupdf_coords.layout.alignment import Placement, align, runs_inside
from langchain_pymupdf_coords.layout.assembly import assemble, on_page, place
from langchain_pymupdf_coords.layout.letters import Unit, fill_gaps, place_in_order
from langchain_pymupdf_coords.layout.pages import Glyph, ParsedBox, TextLine, TextRun
from langchain_pymupdf_coords.layout.repair import LayoutBox
from langchain_pymupdf_coords.layout.running import Surroundings
from langchain_pymupdf_coords.layout.tables import table_rows

if TYPE_CHECKING:
    from langchain_pymupdf_coords.geometry import BBox

BOX = (0.0, 0.0, 400.0, 400.0)
WIDTH = 5.0
PAGE = Surroundings((400.0, 400.0))


def run(text: str, x: float, y: float, line: int, *, turned: bool = False) -> TextRun:
    """A run of glyphs of one width; y is the top of the line."""
    bbox = (x, y, x + WIDTH * len(text), y + 10)
    glyphs = tuple(Glyph(c, (x + WIDTH * k, y, x + WIDTH * (k + 1), y + 10)) for k, c in enumerate(text))
    return TextRun(text, bbox, bbox, line, 0, (0.0, 1.0) if turned else (1.0, 0.0), 10.0, glyphs)


def placed(markdown: str, runs: list[TextRun], box_class: str = "text") -> Placement:
    return align(markdown, box_class, BOX, runs, runs_inside(runs, BOX))


def texts(markdown: str, placement: Placement) -> list[str]:
    return [markdown[line.start : line.end] for line in placement.lines]


def test_marks_and_hyphens_do_not_matter() -> None:
    markdown = "**The consideration** of <sup>2</sup>all."
    runs = [
        run("The consid-", 0, 0, 1),
        run("eration of", 0, 12, 2),
        run("2", 60, 10, 3),
        run("all.", 70, 12, 2),
    ]
    placement = placed(markdown, runs)
    assert placement.missing == 0
    assert texts(markdown, placement) == ["The consid", "eration** of <sup>", "2</sup>", "all."]
    assert placement.lines[3].bbox == (70, 12, 70 + 3 * WIDTH, 22)


def test_a_box_reads_rows_from_left_to_right() -> None:
    placement = placed(
        "left right below", [run("right", 100, 1, 2), run("below", 0, 20, 3), run("left", 0, 0, 1)]
    )
    assert [line.bbox[0] for line in placement.lines] == [0, 100, 0]
    assert placement.missing == 0


def test_what_the_page_does_not_show_has_no_place() -> None:
    markdown = "The ferry left at noon sharp as ever"
    placement = placed(markdown, [run("The ferry left", 0, 0, 1), run("sharp as ever", 100, 0, 1)])
    assert placement.missing == len("atnoon")
    assert texts(markdown, placement) == ["The ferry left", "sharp as ever"]


def test_another_text_in_the_box_is_not_taken() -> None:
    assert placed("completely different words", [run("nothing of that kind", 0, 0, 1)]).lines == ()


TABLE = "|Year|Total|\n|---|---|\n|2024|1,250|\n|2025|1,250<br>of 11|\n"


def table_runs() -> list[TextRun]:
    """Drawn column by column, so that the page's order is not that of the Markdown."""
    left = [run("Year", 0, 0, 1), run("2024", 0, 20, 2), run("2025", 0, 40, 3)]
    right = [
        run("Total", 100, 0, 4),
        run("1,250", 100, 20, 5),
        run("1,250", 100, 40, 6),
        run("of 11", 100, 52, 7),
    ]
    return left + right


def test_cells_are_found_by_counting_letters() -> None:
    placement = placed(TABLE, table_runs(), "table")
    assert placement.missing == 0
    assert texts(TABLE, placement) == ["Year", "Total", "2024", "1,250", "2025", "1,250<br>", "of 11"]
    second = placement.lines[5]
    assert (second.bbox[0], second.bbox[1]) == (100, 40)


def test_cells_are_found_by_their_text_where_the_counts_are_wrong() -> None:
    """Letters between the rows that are in no cell shift the count of every row after them."""
    markdown = "|Steel|C|Mn|\n|---|---|---|\n|16CrMn|0.13|1.10|\n|20CrMn|0.17|1.10|\n|28CrMn|0.23|0.13|\n"
    runs, rows = [], ["Steel C Mn", "16CrMn 0.13 1.10", "20CrMn 0.17 1.10", "28CrMn 0.23 0.13"]
    for number, row in enumerate(rows):
        for column, word in enumerate(row.split()):
            runs.append(run(word, 100 * column, 20 * number, 10 * number + column))
    stray = [run("N" * 9, 330, 5, 50), run("N" * 9, 330, 25, 51), run("N" * 9, 330, 70, 52)]
    placement = placed(markdown, [*runs, *stray], "table")
    found = {markdown[line.start : line.end].strip("|"): line.bbox for line in placement.lines}
    assert placement.missing == 0
    assert found["28CrMn"][:2] == (0, 60)
    repeated = [
        (line.bbox[0], line.bbox[1]) for line in placement.lines if "1.10" in markdown[line.start : line.end]
    ]
    assert repeated == [(200, 20), (200, 40)]
    again = [
        (line.bbox[0], line.bbox[1]) for line in placement.lines if "0.13" in markdown[line.start : line.end]
    ]
    assert again == [(100, 20), (200, 60)]


def test_a_row_is_not_taken_for_another_one_with_the_same_numbers() -> None:
    """A tag that the page shows is no letter of the Markdown, so that all counts after it are wrong."""
    markdown = (
        "|Tag|Old|New|\n|---|---|---|\n|Pears|<br>|1<br>1|\n|Plums|2|2|\n|Quince|2|2|\n|Rhubarb|1|<br>|\n"
    )
    shown = [["Tag", "Old", "New"], ["Pears", "<br>", "1<br>1"], ["Plums", "2", "2"], ["Quince", "2", "2"]]
    shown.append(["Rhubarb", "1", "<br>"])
    runs = [
        run(word, 100 * column, 20 * number, 10 * number + column)
        for number, row in enumerate(shown)
        for column, word in enumerate(row)
    ]
    placement = placed(markdown, runs, "table")
    start = markdown.index("|Quince")
    tops = [line.bbox[1] for line in placement.lines if start <= line.start < markdown.index("|Rhubarb")]
    assert tops == [60, 60, 60]


def test_cells_of_the_same_text_have_no_place_if_nothing_tells_them_apart() -> None:
    markdown = "|1.10|1.10|\n|---|---|\n"
    stray = [run("N" * 9, 30, 5, 3), run("N" * 9, 130, 5, 4)]
    placement = placed(markdown, [run("1.10", 0, 0, 1), *stray, run("1.10", 100, 0, 2)], "table")
    assert placement.lines == ()
    assert placement.missing == 6


def test_a_word_that_a_border_cuts_lies_in_two_cells() -> None:
    markdown = "|SanDisk U|ltra|\n|---|---|\n|32|64|\n"
    runs = [run("SanDisk Ultra", 0, 0, 1), run("32", 0, 20, 2), run("64", 60, 20, 3)]
    placement = placed(markdown, runs, "table")
    assert placement.missing == 0
    assert texts(markdown, placement)[:2] == ["SanDisk U", "ltra"]
    assert placement.lines[0].bbox[2] == placement.lines[1].bbox[0] == 9 * WIDTH


def test_rows_with_stray_pipes_follow_the_other_rows() -> None:
    markdown = "|Sign|Name|\n|---|---|\n|a|b|or|\n|plus|and|\n"
    runs = [run("Sign", 0, 0, 1), run("Name", 100, 0, 2), run("a|b", 0, 20, 3), run("or", 100, 20, 4)]
    runs += [run("plus", 0, 40, 5), run("and", 100, 40, 6)]
    placement = placed(markdown, runs, "table")
    assert placement.missing == 0
    assert placement.lines[-3].bbox == (100, 20, 110, 30)


def test_rows_of_a_table() -> None:
    assert [TABLE[start:end] for start, end in table_rows(TABLE)] == [
        "|Year|Total|",
        "|2024|1,250|",
        "|2025|1,250<br>of 11|",
    ]


def units(*words: str) -> list[Unit]:
    return [Unit(word, (10.0 * k, 0.0, 10.0 * k + 9, 10.0), 1) for k, word in enumerate(words)]


def test_units_are_placed_whole_or_not_at_all() -> None:
    found = place_in_order("onetwothreefour", units("one", "twx", "three", "four"))
    assert [(at, unit.letters) for at, unit in found] == [(0, "one"), (6, "three"), (11, "four")]


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_gaps_are_filled_from_either_side(missing: int) -> None:
    page = units("a", "b", "c")
    known = [(at, unit) for at, unit in enumerate(page) if at != missing]
    assert sorted(fill_gaps("abc", page, known), key=lambda p: p[0]) == list(enumerate(page))


def test_gaps_are_not_filled_with_other_letters() -> None:
    page = units("a", "x", "c")
    known = [(0, page[0]), (2, page[2])]
    assert fill_gaps("abc", page, known) == known


def read(runs: list[TextRun]) -> object:
    return lambda glyphs: runs


def test_text_in_no_box_is_brought_back_in_reading_order() -> None:
    runs = [run("Above.", 0, 0, 1), run("Lost words.", 0, 20, 2), run("Below.", 0, 40, 3)]
    boxes = [LayoutBox("text", (0, 0, 100, 12), "Above."), LayoutBox("text", (0, 40, 100, 52), "Below.")]
    for number, item in enumerate(runs):
        object.__setattr__(item, "block", number)
    parsed, notes = assemble(boxes, read(runs), PAGE)
    assert [box.text for box in parsed] == ["Above.", "Lost words.", "Below."]
    assert notes == []


def test_turned_text_fills_the_empty_box_that_was_made_for_it() -> None:
    runs = [run("Caption on its side", 0, 0, 1, turned=True)]
    parsed, _ = assemble([LayoutBox("caption", (0, 0, 100, 12), "")], read(runs), PAGE)
    assert [(box.box_class, box.text, len(box.lines)) for box in parsed] == [
        ("caption", "Caption on its side", 1)
    ]


def test_text_that_is_drawn_twice_is_not_brought_back() -> None:
    runs = [run("Bold words", 0, 0, 1), run("Bold words", 0.4, 0, 2)]
    parsed, _ = assemble([LayoutBox("text", (0, 0, 100, 12), "Bold words")], read(runs), PAGE)
    assert len(parsed) == 1


def test_letters_without_a_place_are_reported() -> None:
    _, notes = place(
        [LayoutBox("text", (0, 0, 200, 12), "Words and 12 more")], read([run("Words and", 0, 0, 1)])
    )
    (note,) = notes
    assert note.kind == "unplaced"
    assert "6 letters or digits of the text at (0, 0, 200, 12)" in note.message


def test_picture_marks_and_heading_marks_are_removed() -> None:
    markdown = "<!-- Start of picture text -->\nOne<br>Two<br><!-- End of picture text -->\n"
    boxes = [
        LayoutBox("picture", (0, 0, 100, 30), markdown),
        LayoutBox("section-header", (0, 40, 100, 52), "### Head"),
    ]
    parsed, _ = assemble(
        boxes, read([run("One", 0, 0, 1), run("Two", 0, 12, 2), run("Head", 0, 40, 3)]), PAGE
    )
    assert [box.text for box in parsed] == ["One\nTwo", "Head"]
    assert parsed[1].font_size == 10


def test_boxes_and_lines_are_cut_to_the_page() -> None:
    line = TextLine((-3.0, 5.0, 120.0, 15.0), 0, 4)
    (box,) = on_page([ParsedBox("text", (-7.0, 0.0, 130.0, 20.0), "Text", (line,))], (100.0, 100.0))
    cut: list[BBox] = [box.bbox, box.lines[0].bbox]
    assert cut == [(0.0, 0.0, 100.0, 20.0), (0.0, 5.0, 100.0, 15.0)]
    assert fold(box.text).text == "text"
