"""Coordinates for Documents of other loaders."""

import pickle
import re
import unicodedata
from pathlib import Path

import pymupdf
import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_pymupdf_coords import (
    CoordsTextSplitter,
    CoordsTransformer,
    LineBox,
    ProvenanceError,
    PyMuPDFCoordsLoader,
    QuoteLocator,
    SourceBox,
    SourceCropTransformer,
    SourceUnavailableError,
    UnplacedTextWarning,
)
from langchain_pymupdf_coords.folding import fold_letters
from langchain_pymupdf_coords.pdf.sample import sample_report

QUOTE = "Leaking pipes lost 8.4 percent of the water"
WRITTEN = {
    *("boxes", "lines", "page_sizes", "total_pages"),
    *("source_digest", "coords_version", "text_digest", "coverage"),
}


@pytest.fixture
def report(tmp_path: Path) -> str:
    path = tmp_path / "report.pdf"
    path.write_bytes(sample_report())
    return str(path)


def page_texts(path: str) -> list[str]:
    with pymupdf.open(path) as file:
        return [page.get_text() for page in file]


def under_lines(document: Document, path: str) -> str:
    """Letters of the page whose centres lie in the lines, in the order of the lines, read by the engine's default."""
    with pymupdf.open(path) as file:
        shown = []
        for line in LineBox.from_document(document):
            x0, y0, x1, y1 = line.bbox
            for block in file[line.page - 1].get_text("rawdict")["blocks"]:
                for span in (span for row in block.get("lines", ()) for span in row["spans"]):
                    for char in span["chars"]:
                        a, b, c, d = char["bbox"]
                        if x0 <= (a + c) / 2 <= x1 and y0 <= (b + d) / 2 <= y1:
                            shown.append(char["c"])
        return fold_letters("".join(shown))


REWRITES = {
    "as it is": lambda text: text,
    "lower case": str.lower,
    "one line": lambda text: " ".join(text.split()),
    "lines doubled": lambda text: text.replace("\n", "\n\n"),
    "no white space": lambda text: "".join(text.split()),
    "accents taken apart": lambda text: unicodedata.normalize("NFD", text),
    "ligatures split": lambda text: unicodedata.normalize("NFKC", text),
    "Markdown": lambda text: re.sub(r"(\w{7,})", r"**\1**", text),
    "HTML": lambda text: re.sub(r"(\d+)", r"<b>\1</b>", text),
}


@pytest.mark.parametrize("rewrite", REWRITES)
def test_rewritten_text_is_placed_whole_and_on_its_letters(report: str, rewrite: str) -> None:
    document = Document(REWRITES[rewrite](page_texts(report)[0]), metadata={"source": report, "page": 0})
    (placed,) = CoordsTransformer().transform_documents([document])
    assert placed.metadata["coverage"] == 1
    assert sorted(under_lines(placed, report)) == sorted(fold_letters(document.page_content))


def test_keys_of_the_loader_stay_and_ours_are_added(report: str) -> None:
    own = {"source": report, "page": 0, "page_label": "1", "total_pages": 2, "author": "Board"}
    document = Document(page_texts(report)[0], id="a", metadata=own)
    (placed,) = CoordsTransformer().transform_documents([document])
    assert placed.metadata | own == placed.metadata
    assert set(placed.metadata) - set(own) == WRITTEN - {"total_pages"}
    assert (placed.id, placed.page_content, document.metadata) == ("a", document.page_content, own)
    assert {box.page for box in SourceBox.from_document(placed)} == {1}


@pytest.mark.parametrize(
    "hint", [{}, {"page": 0}, {"page": 1}, {"page": 77}, {"page_number": 1}, {"page_label": "iv"}]
)
def test_a_page_is_a_hint_and_never_decides(report: str, hint: dict[str, object]) -> None:
    texts = page_texts(report)
    (placed,) = CoordsTransformer().transform_documents(
        [Document(texts[0], metadata={"source": report, **hint})]
    )
    assert placed.metadata["coverage"] == 1
    assert {box.page for box in SourceBox.from_document(placed)} == {1}


def test_a_chunk_over_two_pages_has_both(report: str) -> None:
    document = Document("\n".join(page_texts(report)), metadata={"file_path": report})
    (placed,) = CoordsTransformer().transform_documents([document])
    assert placed.metadata["coverage"] == 1
    assert {box.page for box in SourceBox.from_document(placed)} == {1, 2}
    assert placed.metadata["source"] == report


def test_text_put_in_front_has_no_line_and_lowers_the_coverage(report: str) -> None:
    front = "This passage tells what the works did to find and mend holes in their conduits. "
    body = page_texts(report)[0][200:500]
    with pytest.warns(UnplacedTextWarning, match=r"found in part .*below 0\.9"):
        (placed,) = CoordsTransformer().transform_documents(
            [Document(front + body, metadata={"source": report})]
        )
    assert min(line.span[0] for line in LineBox.from_document(placed)) >= len(front)
    share = len(fold_letters(body)) / len(fold_letters(front + body))
    assert placed.metadata["coverage"] == pytest.approx(share, abs=0.02)


def test_a_document_of_another_file_has_no_boxes_and_says_so(report: str) -> None:
    other = Document(
        "A treatise on bees, their hives, and the making of wax candles.", metadata={"source": report}
    )
    with pytest.warns(UnplacedTextWarning, match="not found in the file"):
        (placed,) = CoordsTransformer().transform_documents([other])
    assert (placed.metadata["boxes"], placed.metadata["coverage"]) == ("[]", 0)


def repeated_clause(path: Path) -> str:
    """A file of six pages that all have one clause, between sentences of their own."""
    with pymupdf.open() as file:
        for number in range(6):
            page = file.new_page()
            page.insert_text(
                (72, 100), f"Section {number} deals with the case of {'abcdef'[number] * 12} alone."
            )
            page.insert_text((72, 130), "The parties shall keep all of this secret for three years.")
            page.insert_text((72, 160), f"It ends with the words {'uvwxyz'[number] * 12} and nothing more.")
        file.save(path)
    return str(path)


def test_repeated_text_is_placed_by_its_neighbours(tmp_path: Path) -> None:
    path = repeated_clause(tmp_path / "clauses.pdf")
    pieces = [
        Document(line, metadata={"source": path}) for text in page_texts(path) for line in text.splitlines()
    ]
    placed = CoordsTransformer().transform_documents(pieces)
    pages = [{box.page for box in SourceBox.from_document(one)} for one in placed]
    assert pages == [{1 + number // 3} for number in range(18)]


def test_repeated_text_alone_is_placed_by_its_page_or_warned_of(tmp_path: Path) -> None:
    path = repeated_clause(tmp_path / "clauses.pdf")
    clause = "The parties shall keep all of this secret for three years."
    (hinted,) = CoordsTransformer().transform_documents(
        [Document(clause, metadata={"source": path, "page": 3})]
    )
    assert {box.page for box in SourceBox.from_document(hinted)} == {4}
    with pytest.warns(UnplacedTextWarning, match="several places"):
        CoordsTransformer().transform_documents([Document(clause, metadata={"source": path})])


def test_counting_from_one_is_learned_from_the_others(tmp_path: Path) -> None:
    path = repeated_clause(tmp_path / "clauses.pdf")
    texts = [text.splitlines() for text in page_texts(path)]
    pieces = [
        Document(lines[0], metadata={"source": path, "page": n}) for n, lines in enumerate(texts[:3], 1)
    ]
    pieces.append(Document(texts[4][1], metadata={"source": path, "page": 5}))
    *_, last = CoordsTransformer().transform_documents(pieces)
    assert {box.page for box in SourceBox.from_document(last)} == {5}


def test_everything_works_on_it_afterwards(report: str) -> None:
    pages = [
        Document(text, metadata={"source": report, "page": n}) for n, text in enumerate(page_texts(report))
    ]
    pieces = RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=50).split_documents(pages)
    chain = RunnableLambda(lambda _: pieces) | CoordsTransformer() | SourceCropTransformer()
    placed = chain.invoke("question")
    matches = QuoteLocator().locate_all(placed, QUOTE)
    own = QuoteLocator().locate_all(PyMuPDFCoordsLoader(report).load(), QUOTE)
    assert [match.regions for _, match in matches] == [match.regions for _, match in own]
    assert all(one.metadata["crops"] != "[]" for one in placed)
    cut = CoordsTextSplitter(RecursiveCharacterTextSplitter(chunk_size=150, chunk_overlap=0)).split_documents(
        placed
    )
    assert {piece.metadata["page"] for piece in cut} == {0, 1}
    assert QuoteLocator().locate_all(cut, "Leaking pipes")[0][1].precision == "word"


def test_documents_with_coordinates_come_back_as_they_are(report: str) -> None:
    own = PyMuPDFCoordsLoader(report).load()
    assert CoordsTransformer().transform_documents(own) == own


def test_a_document_must_name_a_file_that_is_there(report: str) -> None:
    with pytest.raises(ProvenanceError, match="'source' nor 'file_path'"):
        CoordsTransformer().transform_documents([Document("text")])
    with pytest.raises(SourceUnavailableError):
        CoordsTransformer().transform_documents([Document("text", metadata={"source": report + ".gone"})])


def test_it_can_be_pickled(report: str) -> None:
    transformer = pickle.loads(pickle.dumps(CoordsTransformer(warn_below=0.5, root=Path(report).parent)))
    assert transformer.warn_below == 0.5


async def test_asynchronously(report: str) -> None:
    document = Document(page_texts(report)[0], metadata={"source": report})
    assert await CoordsTransformer().ainvoke([document]) == CoordsTransformer().invoke([document])
