"""What an installed package must do, from the sample report to the evidence: run by each Python in CI.

It is a script, not a test, since it needs only what ``pip install langchain-pymupdf-coords[sentences]`` gives:
``python -I smoke.py FOLDER``, where it writes its files.
"""

import base64
import contextlib
import io
import struct
import sys
from importlib.metadata import version
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

import langchain_pymupdf_coords
from langchain_pymupdf_coords import (
    CitationLocator,
    CoordsTextSplitter,
    Crop,
    PyMuPDFCoordsLoader,
    QuotedAnswer,
    QuoteLocatingRetriever,
    QuoteLocator,
    QuoteMatch,
    SourceBox,
    SourceCropTransformer,
    annotate_pdf,
    evidence_html,
)
from langchain_pymupdf_coords.command_line import main

QUESTION = "How much water was lost through leaking pipes?"
QUOTE = "Leaking pipes lost 8.4 percent of the water produced"
# The two lines of the quote on the page: left, top, right and bottom in points.
PLACES = ((262.2, 333.4, 469.7, 344.7), (83.0, 349.3, 128.6, 360.5))


def check_load(report: Path) -> list[Document]:
    documents = PyMuPDFCoordsLoader(report).load()
    sections = [document.metadata["section"].rpartition(" > ")[2] for document in documents]
    assert sections == [
        *("Annual Report 2025", "1. The year in brief", "2. Pipes and leaks"),
        *("3. Water quality", "4. Finances", "5. Outlook"),
    ], sections
    assert [box.box_class for box in SourceBox.from_document(documents[3])][-1] == "table"
    return documents


def check_cut(documents: list[Document]) -> list[Document]:
    splitter = CoordsTextSplitter(RecursiveCharacterTextSplitter(chunk_size=200, chunk_overlap=0))
    pieces = splitter.split_documents(documents)
    assert len(pieces) > len(documents)
    assert all(SourceBox.from_document(piece) for piece in pieces)
    return pieces


def check_retrieve(documents: list[Document]) -> list[Document]:
    store = InMemoryVectorStore.from_documents(documents, DeterministicFakeEmbedding(size=32))
    retriever = QuoteLocatingRetriever(base_retriever=store.as_retriever(search_kwargs={"k": 6}))
    found = [document for document in retriever.invoke(QUESTION) if "Leaking pipes" in document.page_content]
    best = QuoteMatch.from_document(found[0])[0]
    assert best.text.startswith(QUOTE), best.text
    assert best.status == "exact"
    assert best.precision == "word"
    return found


def check_locate(document: Document) -> None:
    match = QuoteLocator().locate(document, QUOTE)
    assert match is not None
    (region,) = match.regions
    assert region.page == 1
    for (upper_left, _, _, lower_right), place in zip(region.quads, PLACES, strict=True):
        for found, expected in zip((*upper_left, *lower_right), place, strict=True):
            assert abs(found - expected) < 1, region.quads
    assert QuoteLocator().locate(document, QUOTE.replace("8.4", "8.5")) is None


def check_show(documents: list[Document], folder: Path) -> None:
    (document,) = SourceCropTransformer(by="quote", dpi=72).transform_documents(documents)
    crop = Crop.from_document(document)[0]
    picture = base64.b64decode(crop.base64 or "")
    assert picture.startswith(b"\x89PNG")
    assert struct.unpack(">II", picture[16:24]) == (crop.width, crop.height)
    copy = annotate_pdf(documents, folder / "annotated.pdf")
    highlights = copy.read_bytes().count(b"/Subtype/Highlight")
    assert highlights == len(QuoteMatch.from_document(document)), highlights
    page = evidence_html(documents, folder / "evidence.html", question=QUESTION)
    assert "8.4 percent" in page.html
    assert (folder / "evidence.html").read_text(encoding="utf-8") == page.html


def check_cite(document: Document) -> None:
    answer = QuotedAnswer.model_validate(
        {
            "answer": "8.4 percent.",
            "citations": [{"source": 1, "quote": QUOTE}, {"source": 1, "quote": "None"}],
        }
    )
    located = CitationLocator().invoke({"answer": answer, "documents": [document]})
    assert [citation.status for citation in located.citations] == ["exact", "not_found"]


def run(folder: Path) -> None:
    package = Path(langchain_pymupdf_coords.__file__).parent
    assert package.is_relative_to(sys.prefix), f"{package} is not the installed package"
    assert (package / "py.typed").exists()
    report = folder / "report.pdf"
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["sample", str(report)]) == 0
    documents = check_load(report)
    pieces = check_cut(documents)
    found = check_retrieve(documents)
    check_locate(found[0])
    check_locate(next(piece for piece in pieces if QUOTE in " ".join(piece.page_content.split())))
    check_show(found, folder)
    check_cite(found[0])


if __name__ == "__main__":
    run(Path(sys.argv[1]))
    names = ("langchain-core", "pydantic", "pymupdf", "rapidfuzz")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    print(f"smoke test passed: Python {sys.version.split()[0]}, {versions}")  # noqa: T201
