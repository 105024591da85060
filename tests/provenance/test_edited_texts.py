"""Coordinates of a chunk whose text was changed after it was loaded."""

import warnings
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_text_splitters import CharacterTextSplitter

from langchain_pymupdf_coords import (
    CitationLocator,
    CoordsTextSplitter,
    LineBox,
    ProvenanceError,
    PyMuPDFCoordsLoader,
    QuoteLocator,
    SourceBox,
    UnplacedTextWarning,
)
from langchain_pymupdf_coords.folding import fold_letters
from langchain_pymupdf_coords.pdf.sample import sample_report
from langchain_pymupdf_coords.provenance.text_digests import line_count, moved_lines, text_digest

QUOTE = "Leaking pipes lost 8.4 percent of the water"
PREFIX = "This passage is about the water works of Lindholm and what became of its pipes in the year. " * 3
EDITS = {
    "prefix": lambda text: f"{PREFIX}\n\n{text}",
    "five characters in front": lambda text: f"Abcd {text}",
    "suffix": lambda text: f"{text}\n\nThe board was re-elected.",
    "both": lambda text: f"Pipes | {text}\n\nEnd of section",
    "changed character": lambda text: text.replace("to renew", "to rexew", 1),
    "white space": lambda text: " ".join(text.split()),
    "no white space": lambda text: "".join(text.split()),
    "lower case": str.lower,
    "plain splitter's piece": lambda text: text[text.index("The network") : text.index("212 leaks")],
}


@pytest.fixture(scope="module")
def chunk(tmp_path_factory: pytest.TempPathFactory) -> Document:
    path = tmp_path_factory.mktemp("edited") / "report.pdf"
    path.write_bytes(sample_report())
    (found,) = (one for one in PyMuPDFCoordsLoader(path).lazy_load() if QUOTE in one.page_content)
    return found


def edited(chunk: Document, edit: str, **changed: object) -> Document:
    return Document(EDITS[edit](chunk.page_content), metadata={**chunk.metadata, **changed})


@pytest.mark.parametrize("edit", EDITS)
def test_quote_of_an_edited_chunk_is_on_its_words(chunk: Document, edit: str) -> None:
    right = QuoteLocator().locate(chunk, QUOTE)
    found = QuoteLocator().locate(edited(chunk, edit), QUOTE)
    assert right is not None
    assert found is not None
    assert (found.precision, found.regions) == ("word", right.regions)


@pytest.mark.filterwarnings("ignore::langchain_pymupdf_coords.UnplacedTextWarning")
@pytest.mark.parametrize("edit", EDITS)
def test_without_the_file_it_is_on_its_line(chunk: Document, edit: str, tmp_path: Path) -> None:
    gone = {"source": str(tmp_path / "gone.pdf")}
    right = QuoteLocator().locate(Document(chunk.page_content, metadata={**chunk.metadata, **gone}), QUOTE)
    found = QuoteLocator().locate(edited(chunk, edit, **gone), QUOTE)
    assert right is not None
    assert found is not None
    assert (found.precision, found.regions) == ("line", right.regions)


@pytest.mark.filterwarnings("ignore::langchain_pymupdf_coords.UnplacedTextWarning")
@pytest.mark.parametrize("edit", EDITS)
def test_lines_of_an_edited_chunk_have_the_letters_that_they_had(chunk: Document, edit: str) -> None:
    before = {
        line.bbox: fold_letters(chunk.page_content[slice(*line.span)])
        for line in LineBox.from_document(chunk)
    }
    document = edited(chunk, edit)
    after = LineBox.from_document(document)
    assert after
    for line in after:
        assert fold_letters(document.page_content[slice(*line.span)]) == before[line.bbox]


@pytest.mark.filterwarnings("ignore::langchain_pymupdf_coords.UnplacedTextWarning")
@pytest.mark.parametrize("edit", EDITS)
def test_pieces_of_an_edited_chunk_keep_the_words_of_their_lines(chunk: Document, edit: str) -> None:
    splitter = CoordsTextSplitter(CharacterTextSplitter(separator=" ", chunk_size=90, chunk_overlap=0))
    before = {
        line.bbox: fold_letters(chunk.page_content[slice(*line.span)])
        for line in LineBox.from_document(chunk)
    }
    for piece in splitter.split_documents([edited(chunk, edit)]):
        for line in LineBox.from_document(piece):
            assert fold_letters(piece.page_content[slice(*line.span)]) in before[line.bbox]


def test_boxes_that_were_cut_off_are_left_out(chunk: Document) -> None:
    heading, *others = SourceBox.from_document(chunk)
    with pytest.warns(UnplacedTextWarning, match="CoordsTextSplitter"):
        boxes = SourceBox.from_document(edited(chunk, "plain splitter's piece"))
    assert heading.bbox not in [box.bbox for box in boxes]
    assert [box.bbox for box in boxes] == [others[0].bbox]


def test_text_put_in_front_has_no_place_and_is_not_verified(chunk: Document) -> None:
    quote = "the water works of Lindholm and what became of its pipes"
    document = edited(chunk, "prefix")
    match = QuoteLocator().locate(document, quote)
    assert match is not None
    assert match.regions == ()
    (citation,) = (
        CitationLocator()
        .invoke(
            {
                "answer": {"answer": "So [1].", "citations": [{"source": 1, "quote": quote}]},
                "documents": [document],
            }
        )
        .citations
    )
    assert (citation.quote, citation.status, citation.verified) == (quote, "exact", False)


def test_a_changed_line_gets_its_box(chunk: Document, tmp_path: Path) -> None:
    document = edited(chunk, "changed character", source=str(tmp_path / "gone.pdf"))
    # The changed line, and the two short words after it, which nothing beside them tells from others.
    with pytest.warns(UnplacedTextWarning, match="2 of them"):
        match = QuoteLocator().locate(document, "rexew the whole network")
    assert match is not None
    assert match.precision == "box"


def test_an_index_without_digests_is_noticed_where_the_file_is_at_hand(chunk: Document) -> None:
    old = {key: value for key, value in chunk.metadata.items() if key != "text_digest"}
    right = QuoteLocator().locate(Document(chunk.page_content, metadata=old), QUOTE)
    assert right is not None
    assert right.precision == "word"
    for edit in ("prefix", "five characters in front", "plain splitter's piece"):
        found = QuoteLocator().locate(Document(EDITS[edit](chunk.page_content), metadata=old), QUOTE)
        assert found is not None
        assert (found.precision, found.regions) == ("word", right.regions), edit


def test_a_cut_text_without_digest_and_file_is_refused_in_a_sentence(chunk: Document, tmp_path: Path) -> None:
    old = {key: value for key, value in chunk.metadata.items() if key != "text_digest"}
    cut = Document(
        EDITS["plain splitter's piece"](chunk.page_content),
        metadata={**old, "source": str(tmp_path / "no.pdf")},
    )
    with pytest.raises(ProvenanceError, match="split with CoordsTextSplitter"):
        QuoteLocator().locate(cut, QUOTE)


def test_an_unchanged_chunk_warns_of_nothing(chunk: Document) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert SourceBox.from_document(chunk)


def test_a_malformed_digest_is_refused(chunk: Document) -> None:
    with pytest.raises(ProvenanceError, match="text_digest"):
        SourceBox.from_document(Document(chunk.page_content, metadata={**chunk.metadata, "text_digest": "x"}))


def test_a_line_with_a_namesake_is_found_by_its_neighbour_or_not_at_all() -> None:
    lines = [
        "Fees for the harbour",
        "are paid in May.",
        "Boats are let out",
        "are paid in May.",
        "Rowing is free",
    ]
    text = "\n".join(lines)
    spans = [(text.index(lines[0]), 20), (21, 37), (38, 55), (56, 72), (73, 87)]
    digest = text_digest(text, spans)
    assert moved_lines("Boats are let out are paid in May.", digest) == (None, None, (0, 17), (18, 34), None)
    assert moved_lines("are paid in May.", digest) == (None,) * 5
    assert moved_lines(text, digest) == tuple(spans)


def test_marks_of_short_lines_take_two_bytes_and_of_long_ones_four() -> None:
    lines = ["Fee", "120", "Seven", "Rowing is free on Sundays"]
    text = "\n".join(lines)
    spans = [(text.index(line), text.index(line) + len(line)) for line in lines]
    digest = text_digest(text, spans)
    whole, _, marks = digest.partition(".")
    assert len(whole) == 16
    assert len(marks) == -(-(3 * 2 + 4) * 4 // 3)  # base64 without its padding
    assert line_count(digest) == len(lines)


def test_short_lines_are_found_beside_the_lines_that_they_stood_beside() -> None:
    lines = ["Fee", "120", "Rowing is free on Sundays", "471", "May"]
    text = "\n".join(lines)
    spans = [(text.index(line), text.index(line) + len(line)) for line in lines]
    digest = text_digest(text, spans)
    edited_text = "120 471 Fee | 120 | Rowing is free on Sundays | 481 | May"
    found = moved_lines(edited_text, digest)
    assert [None if span is None else edited_text[slice(*span)] for span in found] == [
        "Fee",
        "120",
        "Rowing is free on Sundays",
        None,
        None,
    ]
    assert found[1] == (edited_text.index("| 120") + 2, edited_text.index("| 120") + 5)


def test_a_line_too_long_to_be_counted_is_not_found_and_its_neighbours_are() -> None:
    lines = ["Rowing is free on Sundays", "very " * 300, "Boats are let out in May"]
    text = "\n".join(lines)
    spans = [(0, 25), (26, 26 + 1500), (len(text) - 24, len(text))]
    found = moved_lines(f"Title | {text}", text_digest(text, spans))
    assert found == ((8, 33), None, (len(text) - 24 + 8, len(text) + 8))


def test_a_line_without_letters_is_not_found_and_its_neighbours_are() -> None:
    text = "Rowing is free on Sundays\n* * *\nBoats are let out in May"
    spans = [(0, 25), (26, 31), (32, 56)]
    assert moved_lines(f"Title | {text}", text_digest(text, spans)) == ((8, 33), None, (40, 64))
