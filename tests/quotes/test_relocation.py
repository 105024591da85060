"""Quotes of an indexed file that has another version now."""

import warnings
from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import (
    CitationLocator,
    LocatedCitation,
    OptionError,
    PDFPasswordError,
    PyMuPDFCoordsLoader,
    QuoteLocator,
    QuoteMatch,
    SourceChangedError,
    SourceChangedWarning,
)
from langchain_pymupdf_coords.folding import fold_letters
from tests.support.pdf_factory import encrypted_pdf, text_pdf

INTRODUCTION = (
    "This report describes the fishing fleet of the village",
    "and what became of it in the last fifty years.",
)
NORTH = (
    "In the north the boats leave at four in the morning.",
    "The catch is sold on the quay before breakfast.",
    "It comes to 120 tonnes a year.",
)
SOUTH = (
    "In the south the boats leave when the tide allows it.",
    "The catch is sold on the quay before breakfast.",
    "It comes to 310 tonnes a year.",
)
OLD = (INTRODUCTION, NORTH, SOUTH)
TIDE = "In the south the boats leave when the tide allows it."
QUAY = "The catch is sold on the quay before breakfast."


class Files:
    """A file as it was indexed, of which other versions are then written."""

    def __init__(self, path: Path, documents: Sequence[Document]) -> None:
        self.path = path
        path.write_bytes(text_pdf(pages=OLD))
        self.documents = [
            document.model_copy(update={"metadata": {**document.metadata, "source": str(path)}})
            for document in documents
        ]

    def replace(self, pages: Sequence[Sequence[str]], **options: object) -> None:
        self.path.write_bytes(text_pdf(pages=pages, **options))

    def cite(self, quote: str, page: int, *, on_change: str = "relocate") -> LocatedCitation:
        locator = CitationLocator(locator=QuoteLocator(on_change=on_change))
        located = locator.invoke({"answer": f"“{quote}”", "documents": [self.documents[page - 1]]})
        (citation,) = located.citations
        return citation

    def words(self, match: QuoteMatch) -> str:
        """What PyMuPDF finds under the quads in the file as it is now."""
        with pymupdf.open(self.path) as doc:
            texts = []
            for region in match.regions:
                page = doc[region.page - 1]
                page.remove_rotation()
                for ul, _, _, lr in region.quads:
                    clip = pymupdf.Rect(ul[0] + 0.5, ul[1] + 3, lr[0] - 0.5, lr[1] - 3)
                    texts.append(page.get_textbox(clip))
            return " ".join(" ".join(texts).split())


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[Document]:
    path = tmp_path_factory.mktemp("old") / "fleet.pdf"
    path.write_bytes(text_pdf(pages=OLD))
    return PyMuPDFCoordsLoader(path, mode="page").load()


@pytest.fixture
def files(tmp_path: Path, documents: list[Document]) -> Files:
    return Files(tmp_path / "fleet.pdf", documents)


def test_unchanged_file_needs_no_relocation(files: Files) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        citation = files.cite(TIDE, 3)
    assert (citation.page, citation.relocated, citation.confirmed) == (3, False, True)


def test_quote_that_moved_to_another_page_and_line(files: Files) -> None:
    files.replace((("A new cover",), ("A new preface",), *OLD[:2], ("A new line above.", *SOUTH)))
    with pytest.warns(SourceChangedWarning, match=r"fleet\.pdf.*new version, on page 5"):
        citation = files.cite(TIDE, 3)
    assert (citation.page, citation.relocated, citation.confirmed) == (5, True, True)
    assert citation.verified
    assert citation.match is not None
    assert citation.match.precision == "word"
    assert files.words(citation.match) == TIDE


def test_the_text_around_tells_namesakes_apart(files: Files) -> None:
    files.replace((("A cover",), *OLD))
    for page in (2, 3):
        with pytest.warns(SourceChangedWarning):
            citation = files.cite(QUAY, page)
        assert (citation.page, citation.relocated) == (page + 1, True)


def test_text_around_may_change_a_little(files: Files) -> None:
    files.replace((INTRODUCTION, NORTH, ("In the far south it is all about the tide.", *SOUTH[1:])))
    with pytest.warns(SourceChangedWarning):
        citation = files.cite(QUAY, 3)
    assert (citation.page, citation.relocated) == (3, True)


def test_short_quote_without_its_surroundings_is_not_believed(files: Files) -> None:
    files.replace((("120 tonnes",), ("It has 120 tonnes of ice.",), ("It comes to 120 tonnes a week.",)))
    with pytest.warns(SourceChangedWarning, match="was not found in its new version"):
        citation = files.cite("120 tonnes", 2)
    assert (citation.page, citation.relocated, citation.confirmed) == (2, False, False)


def test_number_is_not_found_within_a_number(files: Files) -> None:
    files.replace((INTRODUCTION, (*NORTH[:2], "It comes to 120.5 tonnes a year.")))
    with pytest.warns(SourceChangedWarning, match="was not found"):
        assert not files.cite("It comes to 120", 2).relocated


def test_quote_that_is_gone_keeps_its_old_place_and_is_not_confirmed(files: Files) -> None:
    files.replace((INTRODUCTION, NORTH, ("The south has no boats any more.",)))
    with pytest.warns(SourceChangedWarning, match="was not found in its new version, and the stored lines"):
        citation = files.cite(TIDE, 3)
    assert citation.match is not None
    assert (citation.page, citation.relocated, citation.confirmed) == (3, False, False)
    assert citation.match.precision == "line"


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_new_version_is_rotated(files: Files, rotation: int) -> None:
    files.replace(OLD, rotation=rotation)
    with pytest.warns(SourceChangedWarning, match="on page 3"):
        citation = files.cite(TIDE, 3)
    assert citation.relocated
    assert citation.confirmed
    assert citation.match is not None
    assert files.words(citation.match) == TIDE


def test_quote_over_two_lines_and_fragments(files: Files) -> None:
    files.replace((("A cover",), *OLD))
    for quote in (f"{TIDE} {QUAY}", "when the tide allows it ... before breakfast. It comes to 310"):
        with pytest.warns(SourceChangedWarning):
            citation = files.cite(quote, 3)
        assert citation.relocated
        assert citation.confirmed
        assert citation.match is not None
        assert fold_letters(files.words(citation.match)) == fold_letters(quote)
        assert len(citation.match.regions[0].quads) >= 2


def test_fragments_that_changed_their_order_are_not_believed(tmp_path: Path) -> None:
    lines = (
        "Nobody in the whole village remembers any winter as mild and as long as the last one was.",
        "The ice never came any closer than the third of the buoys that lie outside of the old harbour.",
    )
    path = tmp_path / "winter.pdf"
    path.write_bytes(text_pdf(pages=(lines,)))
    (chunk,) = PyMuPDFCoordsLoader(path).load()
    locator = QuoteLocator(on_change="relocate")
    path.write_bytes(text_pdf(pages=(lines[1:], lines[:1])))
    with pytest.warns(SourceChangedWarning, match="on page 2"):
        assert locator.locate(chunk, lines[0])
    with pytest.warns(SourceChangedWarning, match="was not found"):
        match = locator.locate(chunk, f"{lines[0].removesuffix(' one was.')} … {lines[1]}")
    assert match is not None
    assert match.status == "fragments"


def test_stored_lines_are_used_even_if_the_page_is_the_same(files: Files) -> None:
    files.replace((*OLD, ("An afterword",)))
    with pytest.warns(SourceChangedWarning, match="the stored lines are used"):
        citation = files.cite(TIDE, 3, on_change="warn")
    assert citation.match is not None
    assert (citation.match.precision, citation.confirmed) == ("line", False)


def test_quote_over_two_pages(files: Files, tmp_path: Path) -> None:
    ends = ("The last boat of the evening comes home with the tide",)
    goes_on = ("and with no more than a handful of fish for the cat.",)
    path = tmp_path / "two.pdf"
    path.write_bytes(text_pdf(pages=(ends, goes_on)))
    (chunk,) = PyMuPDFCoordsLoader(path).load()
    quote = "comes home with the tide and with no more than a handful"
    old = QuoteLocator().locate(chunk, quote)
    assert old is not None
    assert [region.page for region in old.regions] == [1, 2]
    path.write_bytes(text_pdf(pages=(("A cover",), ends, goes_on)))
    with pytest.warns(SourceChangedWarning, match="on page 2"):
        new = QuoteLocator(on_change="relocate").locate(chunk, quote)
    assert new is not None
    assert [region.page for region in new.regions] == [2, 3]
    assert [region.quads for region in new.regions] == [region.quads for region in old.regions]


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7 broken", b"something else"])
def test_new_version_that_cannot_be_read(files: Files, data: bytes) -> None:
    files.path.write_bytes(data)
    with pytest.warns(SourceChangedWarning, match="was not found"):
        citation = files.cite(TIDE, 3)
    assert (citation.page, citation.relocated, citation.confirmed) == (3, False, False)


def test_new_version_that_needs_a_password(files: Files) -> None:
    files.path.write_bytes(encrypted_pdf())
    with pytest.raises(PDFPasswordError):
        files.cite(TIDE, 3)


def test_file_that_is_gone_is_no_change(files: Files) -> None:
    files.path.unlink()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        citation = files.cite(TIDE, 3)
    assert (citation.page, citation.relocated, citation.confirmed) == (3, False, False)


def test_other_ways_to_deal_with_a_change(files: Files) -> None:
    files.replace((("A cover",), *OLD))
    with pytest.warns(SourceChangedWarning, match="the stored lines are used"):
        citation = files.cite(TIDE, 3, on_change="warn")
    assert (citation.page, citation.relocated, citation.confirmed) == (3, False, False)
    with pytest.raises(SourceChangedError, match=r"fleet\.pdf.*index it again"):
        files.cite(TIDE, 3, on_change="raise")
    with pytest.raises(OptionError, match="on_change"):
        QuoteLocator(on_change="ignore")  # type: ignore[arg-type]


def test_moved_file_is_found_by_a_resolver(files: Files) -> None:
    moved = files.path.with_name("moved.pdf")
    files.path.rename(moved)
    locator = CitationLocator(locator=QuoteLocator(resolver=lambda source: moved.read_bytes()))
    step = {"answer": f"“{TIDE}”", "documents": files.documents}
    (citation,) = locator.invoke(step).citations
    assert (citation.page, citation.confirmed, citation.relocated) == (3, True, False)


def test_long_file_is_searched_near_the_old_place_only(files: Files) -> None:
    files.replace((*[("Nothing here.",)] * 260, *OLD))
    with pytest.warns(SourceChangedWarning, match="was not found"):
        assert not files.cite(TIDE, 3).relocated
    files.replace((*[("Nothing here.",)] * 150, *OLD))
    with pytest.warns(SourceChangedWarning, match="on page 153"):
        assert files.cite(TIDE, 3).relocated


def test_document_of_the_article_s_form(files: Files) -> None:
    """Without a digest nothing can have changed."""
    document = Document(TIDE, metadata={k: files.documents[2].metadata[k] for k in ("source", "page")})
    document.metadata["boxes"] = '[{"page": 3, "bbox": [30, 30, 400, 60]}]'
    files.replace((("A cover",), *OLD))
    located = QuoteLocator(on_change="relocate").examine(document, TIDE)
    assert located is not None
    assert not located.relocated
    assert not located.confirmed
