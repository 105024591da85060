from collections.abc import Sequence
from itertools import pairwise

import pytest
from langchain_text_splitters import CharacterTextSplitter

from langchain_pymupdf_coords.chunking.boxes import BoxSplitter
from langchain_pymupdf_coords.chunking.chunks import Chunk, Chunker
from langchain_pymupdf_coords.layout.pages import ParsedPage
from tests.support.parsed_boxes import line_bbox, page_of, table_box, text_box

FIRST = text_box("Aaa aaa. Bbb bbb.", "Ccc ccc ccc.", top=100)
SECOND = text_box("Ddd ddd ddd ddd. Eee.", top=200)
THIRD = text_box("Fff fff.", top=300)


def chunks(
    pages: Sequence[ParsedPage], size: int, overlap: int, mode: str = "chunk", length: object = len
) -> list[Chunk]:
    chunker = Chunker(
        mode=mode,  # type: ignore[arg-type]
        chunk_size=size,
        chunk_overlap=overlap,
        length=length,  # type: ignore[arg-type]
        exclude_classes=frozenset(),
        split=BoxSplitter(None, size, length, overlap=overlap),  # type: ignore[arg-type]
    )
    return [*chunker.chunks(pages)]


def texts(*args: object, **options: object) -> list[str]:
    return [chunk.text for chunk in chunks(*args, **options)]  # type: ignore[arg-type]


def test_the_next_chunk_repeats_the_last_sentences() -> None:
    assert texts([page_of(FIRST, SECOND)], 50, 25) == [
        "Aaa aaa. Bbb bbb. Ccc ccc ccc.",
        "Bbb bbb. Ccc ccc ccc.\n\nDdd ddd ddd ddd. Eee.",
    ]


def test_the_overlap_has_its_own_box_and_lines() -> None:
    _, second = chunks([page_of(FIRST, number=3), page_of(SECOND, number=4)], 50, 25)
    repeated, new = second.boxes
    assert (repeated.page, repeated.bbox) == (3, (50.0, 100.0, 50 + 6 * 17, 122.0))
    assert second.text[slice(*repeated.span or ())] == "Bbb bbb. Ccc ccc ccc."
    assert (new.page, new.bbox, new.span) == (4, SECOND.bbox, (23, 44))
    assert [(line.page, line.bbox, second.text[slice(*line.span)]) for line in second.lines] == [
        (3, line_bbox("Aaa aaa. Bbb bbb.", 0), "Bbb bbb."),
        (3, line_bbox("Ccc ccc ccc.", 1), "Ccc ccc ccc."),
        (4, SECOND.lines[0].bbox, SECOND.text),
    ]
    assert [*second.page_sizes] == [3, 4]


def test_whole_boxes_are_repeated_where_they_fit() -> None:
    assert texts([page_of(SECOND, THIRD, FIRST)], 45, 12)[1] == "Fff fff.\n\nAaa aaa. Bbb bbb. Ccc ccc ccc."
    both = texts([page_of(THIRD, SECOND, THIRD, FIRST)], 50, 15)[1]
    assert both == "Eee.\n\nFff fff.\n\nAaa aaa. Bbb bbb. Ccc ccc ccc."


def test_no_overlap_where_there_is_no_room_for_a_sentence() -> None:
    assert texts([page_of(FIRST, SECOND)], 34, 20) == [FIRST.text, SECOND.text]


def test_a_chunk_with_overlap_keeps_to_the_limit() -> None:
    pages = [page_of(FIRST, SECOND, THIRD, SECOND, FIRST, THIRD, FIRST)]
    for size in range(30, 60):
        for overlap in range(0, 30, 3):
            assert max(map(len, texts(pages, size, overlap))) <= size


def test_a_heading_ends_the_overlap() -> None:
    heading = text_box("Next", box_class="section-header", font_size=12.0)
    assert texts([page_of(FIRST, heading, SECOND)], 200, 30) == [FIRST.text, f"# Next\n\n{SECOND.text}"]
    # The limit, not the heading, parts the last two chunks; the heading itself is not repeated.
    assert texts([page_of(heading, THIRD, FIRST)], 40, 30) == [
        "# Next\n\nFff fff.",
        f"Fff fff.\n\n{FIRST.text}",
    ]


def test_parts_of_a_split_box_overlap_without_a_blank_line() -> None:
    assert texts([page_of(FIRST)], 22, 9) == ["Aaa aaa. Bbb bbb.", "Bbb bbb. Ccc ccc ccc."]


def test_parts_of_a_split_box_overlap_once() -> None:
    long = text_box("Aaa aaa aaa aaa aaa aaa aaa. Bbb bbb. Ccc ccc.")
    assert texts([page_of(long)], 40, 9) == ["Aaa aaa aaa aaa aaa aaa aaa. Bbb bbb.", "Bbb bbb. Ccc ccc."]


def test_no_part_of_a_heading_is_repeated() -> None:
    heading = text_box("Aaa aaa aaa aaa", box_class="section-header", font_size=12.0)
    pages = [page_of(heading, text_box("Fff."), FIRST)]
    assert texts(pages, 48, 14) == ["# Aaa aaa aaa aaa\n\nFff.", f"Fff.\n\n{FIRST.text}"]


def test_the_overlap_has_no_gaps() -> None:
    # There were room for "Yes." too, but a part of the box after it is left out.
    assert (
        texts([page_of(text_box("Yes."), FIRST, SECOND)], 52, 28)[1]
        == "Bbb bbb. Ccc ccc ccc.\n\n" + SECOND.text
    )


def test_the_repeated_header_of_a_table_has_a_record_of_its_own() -> None:
    table = table_box([("A", "B"), *((f"name {n}", str(n)) for n in range(4))])
    _, second = chunks([page_of(table)], 40, 0)
    assert second.text == "|A|B|\n|---|---|\n|name 2|2|\n|name 3|3|"
    header, rows = second.boxes
    assert (header.box_class, header.bbox, header.span) == ("table", (50.0, 100.0, 156.0, 104.0), (0, 15))
    assert (rows.box_class, rows.bbox, rows.span) == ("table", (50.0, 136.0, 156.0, 152.0), (16, 37))
    assert [line.bbox[1] for line in second.lines] == [100.0, 100.0, 136.0, 136.0, 148.0, 148.0]


def test_pieces_of_the_callers_splitter_are_not_put_together_again() -> None:
    chunker = Chunker(
        mode="chunk",
        chunk_size=25,
        chunk_overlap=0,
        length=len,
        exclude_classes=frozenset(),
        split=BoxSplitter(CharacterTextSplitter(separator=" ", chunk_size=9, chunk_overlap=0), 25, len),
    )
    assert [chunk.text for chunk in chunker.chunks([page_of(FIRST)])] == [
        "Aaa aaa.",
        "Bbb bbb.",
        "Ccc ccc",
        "ccc.",
    ]


def test_parts_of_a_split_box_are_not_put_together_again() -> None:
    long = text_box("Aaa aaa. Bbb bbb. Ccc ccc.", top=100)
    assert texts([page_of(long)], 17, 0) == ["Aaa aaa. Bbb bbb.", "Ccc ccc."]
    assert texts([page_of(long, THIRD)], 20, 0) == ["Aaa aaa. Bbb bbb.", "Ccc ccc.\n\nFff fff."]


def test_tables_are_repeated_whole_or_not_at_all() -> None:
    table = table_box([("A", "B"), ("1", "2"), ("3", "4")])
    pages = [page_of(SECOND, table, FIRST)]
    assert texts(pages, 60, 26)[1] == FIRST.text
    assert texts(pages, 60, 27)[1] == f"{table.text}\n\n{FIRST.text}"


@pytest.mark.parametrize("mode", ["box", "page"])
def test_boxes_and_pages_of_their_own_do_not_overlap(mode: str) -> None:
    found = texts([page_of(FIRST), page_of(SECOND)], 100, 30, mode)
    assert found == [FIRST.text, SECOND.text]


def test_overlap_counts_in_the_unit_of_the_limit() -> None:
    def words(text: str) -> int:
        return len(text.split())

    pages = [page_of(FIRST, SECOND, THIRD)]
    found = texts(pages, 10, 4, length=words)
    assert found == ["Aaa aaa. Bbb bbb. Ccc ccc ccc.", "Ccc ccc ccc.\n\nDdd ddd ddd ddd. Eee.\n\nFff fff."]


def test_every_chunk_begins_with_the_end_of_the_one_before() -> None:
    found = texts([page_of(FIRST, SECOND, THIRD, FIRST, SECOND)], 45, 22)
    assert len(found) == 5
    for before, after in pairwise(found):
        repeated = next(size for size in range(22, 0, -1) if before.endswith(after[:size]))
        assert repeated >= 4
