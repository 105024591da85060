from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_text_splitters import CharacterTextSplitter, MarkdownHeaderTextSplitter

from langchain_pymupdf_coords.chunking.boxes import BoxSplitter, slice_box, tail_of
from langchain_pymupdf_coords.errors import OptionError
from langchain_pymupdf_coords.folding import fold_letters
from langchain_pymupdf_coords.layout.pages import ParsedBox, TextLine
from tests.support.parsed_boxes import line_bbox, line_texts, table_box, text_box

PARAGRAPH = text_box(
    "Ferries cross the strait every hour. In summer",
    "they carry tourists. In winter they carry mostly",
    "mail. The crew knows every rock by name.",
)
HEADER = "|Station|Opened|\n|---|---|"
STATIONS = table_box([("Station", "Opened"), *((f"Station {n}", str(1900 + n)) for n in range(1, 7))])


def split(box: ParsedBox, limit: int, *, overlap: int = 0, text_splitter: object = None) -> list[ParsedBox]:
    return [*BoxSplitter(text_splitter, limit, len, overlap=overlap)(box)]


def test_a_sentence_has_its_own_lines_and_rectangle() -> None:
    first, *_, last = split(PARAGRAPH, 40)
    assert first.text == "Ferries cross the strait every hour."
    assert first.bbox == line_bbox("Ferries cross the strait every hour. In summer", 0)
    assert line_texts(first) == ["Ferries cross the strait every hour."]
    assert last.text == "The crew knows every rock by name."
    assert last.bbox == line_bbox("mail. The crew knows every rock by name.", 2)
    assert line_texts(last) == ["The crew knows every rock by name."]


def test_a_piece_of_two_lines_has_the_rectangle_around_them() -> None:
    second = split(PARAGRAPH, 40)[1]
    assert second.text == "In summer they carry tourists."
    assert line_texts(second) == ["In summer", "they carry tourists."]
    upper = line_bbox("Ferries cross the strait every hour. In summer", 0)
    lower = line_bbox("they carry tourists. In winter they carry mostly", 1)
    assert second.bbox == (upper[0], upper[1], lower[2], lower[3])


def test_without_sentences_pieces_end_with_lines_of_the_page() -> None:
    pieces = split(text_box("one two three", "four five six", "seven eight"), 34)
    assert [piece.text for piece in pieces] == ["one two three four five six", "seven eight"]
    assert pieces[1].bbox == line_bbox("seven eight", 2)


def test_the_overlap_has_its_lines() -> None:
    second = split(PARAGRAPH, 80, overlap=40)[1]
    assert second.text == "In summer they carry tourists. In winter they carry mostly mail."
    assert line_texts(second)[0] == "In summer"
    assert second.bbox[1] == PARAGRAPH.bbox[1]


def test_a_slice_is_never_larger_than_its_box() -> None:
    box = replace(PARAGRAPH, bbox=(60.0, 101.0, 200.0, 130.0))
    assert slice_box(box, 0, 36).bbox == (60.0, 101.0, 200.0, 110.0)


def test_lines_that_a_cut_only_touches_are_not_in_the_slice() -> None:
    pieces = split(text_box("港口在黎明", "时分很安静", joint=""), 5)
    assert [line_texts(piece) for piece in pieces] == [["港口在黎明"], ["时分很安静"]]


def test_a_slice_without_lines_has_the_rectangle_of_the_box() -> None:
    box = replace(PARAGRAPH, lines=())
    assert [piece.bbox for piece in split(box, 40)] == [box.bbox] * 4


@pytest.mark.parametrize("box_class", ["picture", "formula"])
def test_a_piece_of_a_picture_shows_the_picture(box_class: str) -> None:
    box = text_box("label of one axis", "label of the other", box_class=box_class, joint="\n")
    pieces = split(box, 20)
    assert [piece.text for piece in pieces] == ["label of one axis", "label of the other"]
    assert {piece.bbox for piece in pieces} == {box.bbox}
    assert line_texts(pieces[1]) == ["label of the other"]


@given(st.lists(st.text("ab. c", min_size=1, max_size=20), min_size=1, max_size=8), st.integers(1, 40))
def test_no_letter_of_text_is_lost(lines: list[str], limit: int) -> None:
    box = text_box(*lines)
    if not box.text.strip():
        return
    pieces = split(box, limit)
    assert "".join(fold_letters(piece.text) for piece in pieces) == fold_letters(box.text)
    shown = "".join(fold_letters(text) for piece in pieces for text in line_texts(piece))
    assert shown == fold_letters(box.text)


# --- tables -------------------------------------------------------------------------------------------------


def test_a_table_is_split_between_rows_and_repeats_its_header() -> None:
    first, second, third = split(STATIONS, 70)
    assert first.text == f"{HEADER}\n|Station 1|1901|\n|Station 2|1902|"
    assert second.text == f"{HEADER}\n|Station 3|1903|\n|Station 4|1904|"
    assert third.text == f"{HEADER}\n|Station 5|1905|\n|Station 6|1906|"
    assert line_texts(third) == ["Station", "Opened", "Station 5", "1905", "Station 6", "1906"]


def test_the_repeated_header_is_a_part_of_its_own() -> None:
    first, second, _ = split(STATIONS, 70)
    assert first.parts == ()
    assert first.bbox == (50.0, 100.0, 186.0, 128.0)
    header, rows = second.parts
    assert second.text[header.start : header.end] == HEADER
    assert header.bbox == (50.0, 100.0, 186.0, 104.0)
    assert second.text[rows.start : rows.end] == "|Station 3|1903|\n|Station 4|1904|"
    assert rows.bbox == second.bbox == (50.0, 136.0, 174.0, 152.0)


def test_a_row_above_the_limit_stays_whole_and_alone() -> None:
    long = "x" * 100
    pieces = split(table_box([("A", "B"), ("1", "2"), (long, "3"), ("4", "5")]), 40)
    assert [piece.text for piece in pieces] == [
        "|A|B|\n|---|---|\n|1|2|",
        f"|{long}|3|",
        "|A|B|\n|---|---|\n|4|5|",
    ]


def test_a_header_that_leaves_no_room_for_the_row_is_not_repeated() -> None:
    pieces = split(table_box([("A", "B"), ("1" * 20, "2"), ("3", "4")]), 32)
    assert [piece.text for piece in pieces] == [
        "|A|B|\n|---|---|",
        f"|{'1' * 20}|2|",
        "|A|B|\n|---|---|\n|3|4|",
    ]


def test_a_header_of_more_than_half_the_limit_is_not_repeated() -> None:
    pieces = split(STATIONS, 50)
    assert [piece.text for piece in pieces] == [
        f"{HEADER}\n|Station 1|1901|",
        "|Station 2|1902|\n|Station 3|1903|\n|Station 4|1904|",
        "|Station 5|1905|\n|Station 6|1906|",
    ]
    assert pieces[1].bbox == (50.0, 124.0, 174.0, 152.0)


def test_an_empty_header_is_nowhere_on_the_page() -> None:
    pieces = split(table_box([("", ""), *((f"Station {n}", str(n)) for n in range(1, 4))]), 30)
    assert [piece.text for piece in pieces] == [
        "|||\n|---|---|\n|Station 1|1|",
        "|||\n|---|---|\n|Station 2|2|",
        "|||\n|---|---|\n|Station 3|3|",
    ]
    assert pieces[1].parts == ()
    assert pieces[1].bbox == (50.0, 124.0, 156.0, 128.0)


def test_a_cell_of_many_lines_is_covered_by_its_piece() -> None:
    cell = "first line<br>second line<br>third line"
    pieces = split(table_box([("A", "B"), ("1", cell), ("2", "end")]), 60)
    assert line_texts(pieces[0])[-3:] == cell.split("<br>")
    # Three lines of 4 points, from the top of the second row.
    assert pieces[0].bbox == (50.0, 100.0, 216.0, 124.0)


@given(st.lists(st.text("abc", max_size=30), min_size=1, max_size=10), st.integers(1, 80))
def test_each_row_of_a_table_is_in_one_piece(cells: list[str], limit: int) -> None:
    table = table_box([("A", "B"), *((cell, "b") for cell in cells)])
    pieces = split(table, limit)
    rows = [row for piece in pieces for row in piece.text.split("\n")]
    assert [row for row in rows if row not in ("|A|B|", "|---|---|")] == table.text.split("\n")[2:]
    assert rows[:2] == table.text.split("\n")[:2]
    for piece in pieces:
        assert len(piece.text) <= limit or len(piece.text.split("\n")) <= 2
        assert [row for row in piece.text.split("\n") if "|A|B|" in row] in ([], ["|A|B|"])
        assert all(piece.text[line.start : line.end] in ("A", "B", "b", *cells) for line in piece.lines)


# --- code ---------------------------------------------------------------------------------------------------


def code_box(*lines: str) -> ParsedBox:
    box = text_box(*lines, joint="\n")
    fence = "```python\n"
    shifted = tuple(TextLine(line.bbox, line.start + len(fence), line.end + len(fence)) for line in box.lines)
    return replace(box, text=f"{fence}{box.text}\n```", lines=shifted)


def test_code_is_split_at_line_ends_and_each_piece_is_fenced() -> None:
    pieces = split(code_box("def f(x):", "    return x", "", "def g(x):", "    return 2 * x"), 38)
    assert [piece.text for piece in pieces] == [
        "```python\ndef f(x):\n    return x\n```",
        "```python\ndef g(x):\n```",
        "```python\n    return 2 * x\n```",
    ]
    assert line_texts(pieces[2]) == ["    return 2 * x"]
    assert pieces[2].bbox == line_bbox("    return 2 * x", 4)


def test_a_line_of_code_above_the_limit_is_cut_at_words() -> None:
    pieces = split(code_box("call(first, second, third)"), 34)
    assert [piece.text for piece in pieces] == [
        "```python\ncall(first, second,\n```",
        "```python\nthird)\n```",
    ]


# --- the caller's text splitter -----------------------------------------------------------------------------


def test_the_text_splitter_decides_where_text_is_cut() -> None:
    splitter = CharacterTextSplitter(separator=" carry ", chunk_size=1, chunk_overlap=0)
    pieces = split(PARAGRAPH, 80, text_splitter=splitter)
    assert [piece.text for piece in pieces] == [
        "Ferries cross the strait every hour. In summer they",
        "tourists. In winter they",
        "mostly mail. The crew knows every rock by name.",
    ]
    assert pieces[1].bbox == line_bbox("they carry tourists. In winter they carry mostly", 1)


def test_pieces_that_were_rewritten_are_as_the_box_has_them() -> None:
    class Shouting(CharacterTextSplitter):
        def split_text(self, text: str) -> list[str]:
            return [piece.upper() for piece in super().split_text(text)]

    pieces = split(PARAGRAPH, 80, text_splitter=Shouting(separator=". ", chunk_size=40, chunk_overlap=0))
    assert [piece.text for piece in pieces][:2] == [
        "Ferries cross the strait every hour",
        "In summer they carry tourists",
    ]


def test_splitters_that_give_documents_will_do() -> None:
    splitter = MarkdownHeaderTextSplitter([("#", "title")])
    assert "".join(piece.text for piece in split(PARAGRAPH, 80, text_splitter=splitter)) == PARAGRAPH.text


def test_tables_are_split_between_rows_all_the_same() -> None:
    splitter = CharacterTextSplitter(separator="|", chunk_size=10, chunk_overlap=0)
    assert split(STATIONS, 70, text_splitter=splitter) == split(STATIONS, 70)


def test_a_piece_from_elsewhere_is_an_error_of_the_option() -> None:
    class Inventing(CharacterTextSplitter):
        def split_text(self, text: str) -> list[str]:
            return ["Nothing of this stands in the paragraph."]

    with pytest.raises(OptionError, match=r"text_splitter: Inventing .*'Nothing of this"):
        split(PARAGRAPH, 80, text_splitter=Inventing())


# --- ends of boxes, for the overlap of chunks ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("most", "least", "expected"),
    [
        (300, 0, PARAGRAPH.text),
        (80, 0, "In winter they carry mostly mail. The crew knows every rock by name."),
        (40, 40, "The crew knows every rock by name."),
        (20, 10, "every rock by name."),
        (20, 20, None),
        (3, 0, None),
    ],
)
def test_tail_of_a_paragraph(most: int, least: int, expected: str | None) -> None:
    tail = tail_of(PARAGRAPH, lambda text: len(text) <= most, lambda text: len(text) >= max(1, least))
    assert (tail and tail.text) == expected


def test_tables_and_code_are_repeated_whole_or_not_at_all() -> None:
    for box in (STATIONS, code_box("one", "two")):
        size = len(box.text)
        assert tail_of(box, lambda text, size=size: len(text) <= size, lambda _: True) == box
        assert tail_of(box, lambda text, size=size: len(text) < size, lambda _: True) is None
