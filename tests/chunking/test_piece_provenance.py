"""What pieces have of the metadata of their chunk, however they were made."""

import json
import re
import uuid

import pytest
from langchain_core.documents import Document
from langchain_text_splitters import (
    CharacterTextSplitter,
    ExperimentalMarkdownSyntaxTextSplitter,
    MarkdownHeaderTextSplitter,
    RecursiveCharacterTextSplitter,
)

from langchain_pymupdf_coords.errors import ProvenanceError, UnplacedTextWarning
from langchain_pymupdf_coords.provenance import SourceBox
from langchain_pymupdf_coords.text_splitters import CoordsTextSplitter
from tests.support.parsed_boxes import line_bbox, page_of, text_box
from tests.support.split_documents import LINES, bboxes, chunk_of, line_texts, sentences, split

# --- other metadata -----------------------------------------------------------------------------------------


def test_metadata_of_a_piece() -> None:
    document = chunk_of(page_of(text_box(*LINES), number=7, label="A-7"))
    document.metadata |= {"quotes": "[]", "crops": "[]", "owner": {"name": "Anna"}}
    before = document.model_copy(deep=True)
    piece = split(document, sentences())[1]
    assert document == before
    assert piece.metadata["page"] == piece.metadata["page_end"] == 7
    assert piece.metadata["page_label"] == "A-7"
    assert piece.metadata["chunk_index"] == 3
    assert piece.metadata["source_digest"] == "sha256:0"
    assert not {"quotes", "crops"} & piece.metadata.keys()
    piece.metadata["owner"]["name"] = "Peter"
    assert document == before


def test_section_of_a_piece_of_a_page_with_headings() -> None:
    document = chunk_of(
        page_of(
            text_box("Report", box_class="title", font_size=20.0),
            text_box("Introduction of it.", top=120),
            text_box("Traffic", box_class="section-header", top=140, font_size=14.0),
            text_box("Routes", box_class="section-header", top=160, font_size=12.0),
            text_box("Traffic grew.", top=180),
            text_box("Outlook", box_class="section-header", top=200, font_size=14.0),
            text_box("It will grow.", top=220),
        ),
        mode="page",
    )
    pieces = split(document, CharacterTextSplitter(separator="\n\n", chunk_size=12, chunk_overlap=0))
    assert [(piece.page_content, piece.metadata["section"]) for piece in pieces] == [
        ("# Report", "Report"),
        ("Introduction of it.", "Report"),
        ("## Traffic", "Report > Traffic"),
        ("### Routes", "Report > Traffic > Routes"),
        ("Traffic grew.", "Report > Traffic > Routes"),
        ("## Outlook", "Report > Outlook"),
        ("It will grow.", "Report > Outlook"),
    ]


def test_section_of_a_chunk_that_begins_with_two_headings() -> None:
    document = chunk_of(
        page_of(
            text_box("Report", box_class="title", font_size=20.0),
            text_box("Traffic", box_class="section-header", top=120, font_size=14.0),
            text_box("Traffic grew.", top=140),
        )
    )
    pieces = split(document, CharacterTextSplitter(separator="\n\n", chunk_size=12, chunk_overlap=0))
    assert [piece.metadata["section"] for piece in pieces] == [
        "Report",
        "Report > Traffic",
        "Report > Traffic",
    ]


def test_a_full_stop_alone_brings_neither_line_nor_box() -> None:
    class Cutting(CharacterTextSplitter):
        def split_text(self, text: str) -> list[str]:
            return [text[:7], text[7:]]

    document = chunk_of(page_of(text_box("One two."), text_box("Three.", top=200)))
    first, second = split(document, Cutting())
    assert second.page_content == ".\n\nThree."
    assert line_texts(second) == ["Three."]
    assert bboxes(second) == [line_bbox("Three.", 0, top=200)]
    assert SourceBox.from_document(second)[0].span == (3, 9)
    assert line_texts(first) == ["One two"]


def test_ids_are_uuids_that_depend_on_the_piece_only() -> None:
    document = chunk_of(page_of(text_box(*LINES)))
    ids = [piece.id for piece in split(document, sentences())]
    assert len(set(ids)) == 4
    assert all(str(uuid.UUID(name)) == name for name in ids)
    assert ids == [piece.id for piece in split(document, sentences())]
    other = document.model_copy(update={"id": str(uuid.uuid4())})
    assert not set(ids) & {piece.id for piece in split(other, sentences())}
    nameless = document.model_copy(update={"id": None})
    assert len({piece.id for piece in split(nameless, sentences())}) == 4
    elsewhere = Document(
        page_content=nameless.page_content, metadata={**nameless.metadata, "source": "other.pdf"}
    )
    assert not {piece.id for piece in split(elsewhere, sentences())} & {
        piece.id for piece in split(nameless, sentences())
    }
    assert [piece.id for piece in split(nameless, sentences())] == [
        piece.id for piece in split(nameless, sentences())
    ]


def test_pieces_of_pieces_count_from_the_chunk() -> None:
    document = chunk_of(page_of(text_box(*LINES)))
    halves = split(document, RecursiveCharacterTextSplitter(chunk_size=80, chunk_overlap=0))
    words = CoordsTextSplitter(CharacterTextSplitter(separator=" ", chunk_size=1, chunk_overlap=0))
    pieces = words.split_documents(halves)
    for piece in pieces:
        start = piece.metadata["start_index"]
        assert document.page_content[start : start + len(piece.page_content)] == piece.page_content
    assert [text for piece in pieces for text in line_texts(piece)] == " ".join(LINES).split()


# --- splitters that rewrite ---------------------------------------------------------------------------------


def test_markdown_header_splitter() -> None:
    document = chunk_of(
        page_of(
            text_box("Traffic", box_class="section-header", font_size=14.0),
            text_box("Traffic  grew.", top=120),
            text_box("Not everywhere.", top=140),
        )
    )
    (piece,) = split(document, MarkdownHeaderTextSplitter([("#", "Header 1")]))
    assert piece.page_content == "Traffic  grew.  \nNot everywhere."
    assert piece.metadata["Header 1"] == "Traffic"
    assert [(box.bbox, box.span) for box in SourceBox.from_document(piece)] == [
        (line_bbox("Traffic  grew.", 0, top=120), (0, 14)),
        (line_bbox("Not everywhere.", 0, top=140), (17, 32)),
    ]
    assert line_texts(piece) == ["Traffic  grew.", "Not everywhere."]
    assert piece.metadata["section"] == "Traffic"


def test_a_splitter_that_uses_its_list_again() -> None:
    splitter = CoordsTextSplitter(ExperimentalMarkdownSyntaxTextSplitter())
    first, second = (chunk_of(page_of(text_box(text))) for text in ("First text.", "Second text."))
    assert [piece.page_content for piece in splitter.split_documents([first, second])] == [
        "First text.",
        "Second text.",
    ]


class Inventing(CharacterTextSplitter):
    def split_text(self, text: str) -> list[str]:
        return [*super().split_text(text), *["Nothing of this is in the text."] * 2]


def test_a_piece_that_cannot_be_placed_is_an_error() -> None:
    document = chunk_of(page_of(text_box(*LINES), number=7))
    with pytest.raises(ProvenanceError, match=re.escape("report.pdf, page 7: a piece that Inventing made")):
        split(document, Inventing())


def test_or_it_warns_and_has_no_boxes() -> None:
    document = chunk_of(page_of(text_box(*LINES), number=7))
    with pytest.warns(UnplacedTextWarning, match="Nothing of this is in the text"):
        pieces = split(document, Inventing(), on_unaligned="warn")
    assert bboxes(pieces[0])
    assert (pieces[-1].metadata["boxes"], pieces[-1].metadata["lines"]) == ("[]", "[]")
    assert pieces[-1].metadata["page"] == 7
    assert "start_index" not in pieces[-1].metadata
    assert len({piece.id for piece in pieces}) == len(pieces)


# --- Documents of the article's form ------------------------------------------------------------------------


def test_boxes_without_span_are_kept_with_a_warning() -> None:
    boxes = json.dumps([{"page": 2, "bbox": [1, 2, 3, 4]}, {"page": 3, "bbox": [5, 6, 7, 8]}])
    document = Document(page_content=" ".join(LINES), metadata={"source": "a.pdf", "page": 2, "boxes": boxes})
    with pytest.warns(UnplacedTextWarning, match=r"a\.pdf, page 2: boxes without span"):
        pieces = split(document, sentences())
    assert [bboxes(piece) for piece in pieces] == [[(1.0, 2.0, 3.0, 4.0), (5.0, 6.0, 7.0, 8.0)]] * 4
    assert {piece.metadata["page"] for piece in pieces} == {2}
    assert not {"lines", "section", "page_sizes", "page_end"} & pieces[0].metadata.keys()


def test_no_boxes_are_an_error() -> None:
    with pytest.raises(ProvenanceError, match="boxes"):
        split(Document(page_content="Text.", metadata={"source": "a.pdf"}), sentences())
