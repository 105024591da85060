import asyncio
import warnings
from collections.abc import Sequence
from itertools import pairwise

import pytest
from langchain_core.documents import Document
from langchain_text_splitters import (
    CharacterTextSplitter,
    MarkdownHeaderTextSplitter,
    RecursiveCharacterTextSplitter,
    TextSplitter,
)

from langchain_pymupdf_coords.errors import OptionError
from langchain_pymupdf_coords.folding import fold_letters
from langchain_pymupdf_coords.layout.pages import ParsedBox
from langchain_pymupdf_coords.provenance import LineBox, SourceBox, page_sizes
from langchain_pymupdf_coords.text_splitters import CoordsTextSplitter
from tests.support.parsed_boxes import line_bbox, page_of, table_box, text_box
from tests.support.pdf_factory import report_pdf, table_two_pages_pdf
from tests.support.read_once import parsed
from tests.support.sample_report import YEAR
from tests.support.split_documents import LINES, bboxes, chunk_of, line_texts, sentences, split

# --- boxes and lines ----------------------------------------------------------------------------------------


def test_the_box_of_a_sentence_is_not_that_of_the_paragraph() -> None:
    pieces = split(chunk_of(page_of(text_box(*LINES))), sentences())
    assert [piece.page_content for piece in pieces] == [
        "Ferries cross the strait every hour.",
        "In summer they carry tourists.",
        "In winter they carry mostly mail.",
        "In summer they carry tourists.",
    ]
    assert bboxes(pieces[0]) == [line_bbox(LINES[0], 0)]
    assert line_texts(pieces[0]) == ["Ferries cross the strait every hour."]
    assert line_texts(pieces[1]) == ["In summer", "they carry tourists."]
    assert bboxes(pieces[2]) == [(50.0, 112.0, 50 + 6 * 48, 134.0)]


def test_a_repeated_sentence_has_its_own_place() -> None:
    pieces = split(chunk_of(page_of(text_box(*LINES))), sentences())
    assert pieces[1].page_content == pieces[3].page_content
    assert bboxes(pieces[1]) == [(50.0, 100.0, 50 + 6 * 48, 122.0)]
    assert bboxes(pieces[3]) == [line_bbox(LINES[2], 2)]
    assert [piece.metadata["start_index"] for piece in pieces] == [0, 37, 68, 102]


def test_langchain_names_the_first_occurrence() -> None:
    """What this class is for; if this fails, TextSplitter has learnt it."""
    splitter = CharacterTextSplitter(
        separator=" ",
        chunk_size=3,
        chunk_overlap=2,
        length_function=lambda text: len(text.split()),
        add_start_index=True,
    )
    text = "one two three one two three one two three"
    starts = [piece.metadata["start_index"] for piece in splitter.create_documents([text])]
    document = chunk_of(page_of(text_box(text)))
    true = [piece.metadata["start_index"] for piece in split(document, splitter)]
    assert true == [0, 4, 8, 14, 18, 22, 28]
    assert starts != true


def test_overlap_has_boxes_and_lines() -> None:
    pieces = split(
        chunk_of(page_of(text_box(*LINES))), RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=25)
    )
    for before, after in pairwise(pieces):
        end = before.metadata["start_index"] + len(before.page_content)
        overlap = before.page_content[after.metadata["start_index"] - end :]
        assert len(overlap) > 10
        assert after.page_content.startswith(overlap)
        assert fold_letters("".join(line_texts(after))) == fold_letters(after.page_content)
        shared = {line.bbox for line in LineBox.from_document(before)} & {
            line.bbox for line in LineBox.from_document(after)
        }
        assert shared


def test_a_whole_box_keeps_its_rectangle() -> None:
    box = text_box("All of it.")
    loose = ParsedBox("text", (10.0, 90.0, 400.0, 200.0), box.text, box.lines)
    document = chunk_of(page_of(loose, text_box("Another one.", top=300)))
    pieces = split(document, CharacterTextSplitter(separator="\n\n", chunk_size=12, chunk_overlap=0))
    assert bboxes(pieces[0]) == [(10.0, 90.0, 400.0, 200.0)]


def test_boxes_have_the_span_of_their_text_in_the_piece() -> None:
    document = chunk_of(
        page_of(text_box("One two three."), text_box("Four five.", top=200), text_box("Six.", top=300))
    )
    pieces = split(document, CharacterTextSplitter(separator=" ", chunk_size=18, chunk_overlap=0))
    assert [piece.page_content for piece in pieces] == ["One two", "three.\n\nFour", "five.\n\nSix."]
    assert [[box.span for box in SourceBox.from_document(piece)] for piece in pieces] == [
        [(0, 7)],
        [(0, 6), (8, 12)],
        [(0, 5), (7, 11)],
    ]


def test_a_piece_of_a_picture_shows_the_picture() -> None:
    picture = text_box("label one", "label two", box_class="picture", joint="\n")
    pieces = split(
        chunk_of(page_of(picture)), CharacterTextSplitter(separator="\n", chunk_size=9, chunk_overlap=0)
    )
    assert [bboxes(piece) for piece in pieces] == [[picture.bbox]] * 2
    assert line_texts(pieces[1]) == ["label two"]


def test_a_picture_without_text_goes_with_one_piece() -> None:
    picture = ParsedBox("picture", (300.0, 100.0, 400.0, 200.0), "")
    document = chunk_of(page_of(text_box("First text."), picture, text_box("Second text.", top=200)))
    pieces = split(document, CharacterTextSplitter(separator="\n\n", chunk_size=12, chunk_overlap=0))
    assert [[box.box_class for box in SourceBox.from_document(piece)] for piece in pieces] == [
        ["text", "picture"],
        ["text"],
    ]
    assert SourceBox.from_document(pieces[0])[1].span == (11, 11)


def test_without_lines_a_part_has_the_rectangle_of_its_box() -> None:
    box = text_box(*LINES)
    document = chunk_of(page_of(box), line_map=False)
    for piece in split(document, sentences()):
        assert bboxes(piece) == [box.bbox]
        assert "lines" not in piece.metadata


# --- tables -------------------------------------------------------------------------------------------------


def test_a_table_over_two_pages_gives_rectangles_on_both() -> None:
    rows = [("Name", "Age"), *((f"name {n}", str(n)) for n in range(4))]
    document = chunk_of(
        page_of(table_box(rows[:3], top=700), number=4, label="iv"),
        page_of(table_box(rows[3:]), number=5, label="v"),
    )
    whole, *_ = split(document, CharacterTextSplitter(separator="@", chunk_size=500, chunk_overlap=0))
    assert [(box.page, box.bbox[1]) for box in SourceBox.from_document(whole)] == [(4, 700.0), (5, 100.0)]
    assert (whole.metadata["page"], whole.metadata["page_end"], whole.metadata["page_label"]) == (4, 5, "iv")
    lines = CharacterTextSplitter(separator="\n", chunk_size=20, chunk_overlap=0)
    last = split(document, lines)[-1]
    assert (last.metadata["page"], last.metadata["page_end"]) == (5, 5)
    assert page_sizes(last) == {5: (600.0, 800.0)}
    assert "page_label" not in last.metadata


def test_a_real_table_over_two_pages() -> None:
    (document,) = parsed(table_two_pages_pdf(), chunk_size=5000)
    pieces = split(document, RecursiveCharacterTextSplitter(chunk_size=5000, chunk_overlap=0))
    assert {box.page for box in SourceBox.from_document(pieces[0]) if box.box_class == "table"} == {1, 2}


def test_a_cell_of_many_lines_is_covered_by_its_piece() -> None:
    cell = "first line<br>second line<br>third line"
    document = chunk_of(page_of(table_box([("A", "B"), ("1", cell), ("2", "end")])))
    pieces = split(document, CharacterTextSplitter(separator="\n", chunk_size=40, chunk_overlap=0))
    piece = next(piece for piece in pieces if "third" in piece.page_content)
    assert [text for text in line_texts(piece) if "line" in text] == cell.split("<br>")
    # From the first line of the row, at y = 112, to the third line of its last cell.
    assert bboxes(piece) == [(50.0, 112.0, 216.0, 124.0)]


# --- the class ----------------------------------------------------------------------------------------------


def test_options_are_checked() -> None:
    with pytest.raises(
        OptionError, match="text_splitter must be a TextSplitter, or have a split_text like it"
    ):
        CoordsTextSplitter(object())  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="on_unaligned must be one of 'raise', 'warn', not 'ignore'"):
        CoordsTextSplitter(sentences(), on_unaligned="ignore")  # type: ignore[arg-type]


def test_sync_and_async_give_the_same() -> None:
    documents = [chunk_of(page_of(text_box(*LINES)))]
    splitter = CoordsTextSplitter(sentences())
    expected = splitter.split_documents(documents)
    assert splitter.split_documents(iter(documents)) == expected
    assert splitter.transform_documents(documents) == expected

    async def both() -> list[Sequence[Document]]:
        return [await splitter.asplit_documents(documents), await splitter.atransform_documents(documents)]

    assert asyncio.run(both()) == [expected, expected]


def test_nothing_to_split() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert CoordsTextSplitter(sentences()).split_documents([]) == []
        assert split(chunk_of(page_of(), mode="page"), sentences()) == []


def test_sentences_of_a_real_page() -> None:
    """Each sentence of the report's paragraph has one rectangle, on lines that follow each other."""
    document = next(
        document for document in parsed(report_pdf()) if "The fleet carried" in document.page_content
    )
    splitter = RecursiveCharacterTextSplitter(
        separators=[r"(?<=\.)\s"], is_separator_regex=True, chunk_size=1, chunk_overlap=0
    )
    pieces = split(document, splitter)
    (paragraph,) = (
        box
        for box in SourceBox.from_document(document)
        if box.span and YEAR in document.page_content[slice(*box.span)]
    )
    storms = next(piece for piece in pieces if "Storms" in piece.page_content)
    assert storms.page_content.strip() == "Storms in January kept the boats in port for eleven days."
    (bbox,) = bboxes(storms)
    assert paragraph.bbox[1] < bbox[1]
    assert bbox[3] < paragraph.bbox[3]
    assert fold_letters("".join(line_texts(storms))) == fold_letters(storms.page_content)


# --- as LangChain uses a TextSplitter ------------------------------------------------------------------------


def test_it_is_a_text_splitter() -> None:
    inner = sentences()
    splitter = CoordsTextSplitter(inner)
    assert isinstance(splitter, TextSplitter)
    text = "\n".join(LINES)
    assert splitter.split_text(text) == inner.split_text(text)
    assert all(type(piece) is str for piece in splitter.split_text(text))


def test_pieces_of_a_markdown_splitter_are_plain_text() -> None:
    splitter = CoordsTextSplitter(MarkdownHeaderTextSplitter([("#", "heading")]))
    assert splitter.split_text("# One\nfirst\n# Two\nsecond") == ["first", "second"]
    (first, second) = splitter.create_documents(["# One\nfirst\n# Two\nsecond"], [{"source": "a.txt"}])
    assert first.metadata == {"heading": "One", "source": "a.txt"}
    assert second.page_content == "second"


def test_documents_made_of_texts_keep_the_coordinates_of_their_metadata() -> None:
    document = chunk_of(page_of(text_box(*LINES)))
    splitter = CoordsTextSplitter(sentences())
    made = splitter.create_documents(
        [document.page_content, "One. Two."], [document.metadata, {"source": "b"}]
    )
    expected = splitter.split_documents([document])
    assert [piece.metadata for piece in made[: len(expected)]] == [piece.metadata for piece in expected]
    assert [piece.page_content for piece in made[: len(expected)]] == [
        piece.page_content for piece in expected
    ]
    assert {str(piece.metadata) for piece in made[len(expected) :]} == {"{'source': 'b'}"}


def test_texts_and_metadata_must_agree() -> None:
    splitter = CoordsTextSplitter(sentences())
    with pytest.raises(OptionError, match="metadatas: 1 for 2 texts"):
        splitter.create_documents(["a", "b"], [{}])
    with pytest.raises(OptionError, match="texts must be a list of strings, not 'a'"):
        splitter.create_documents("a")  # type: ignore[arg-type]


def test_metadata_of_pieces_is_their_own() -> None:
    metadata = {"tags": ["a"]}
    first, second, *_ = CoordsTextSplitter(sentences()).create_documents([" ".join(LINES[:2])], [metadata])
    first.metadata["tags"].append("b")
    assert second.metadata == metadata == {"tags": ["a"]}
