"""A file that changed since it was indexed: one rule, as the table in docs/troubleshooting.md says."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from langchain_pymupdf_coords import (
    CitationLocator,
    Crop,
    EvidenceBundle,
    LocatedAnswer,
    PyMuPDFCoordsLoader,
    QuoteLocatingRetriever,
    QuoteLocatingTransformer,
    QuoteLocator,
    SourceChangedError,
    SourceChangedWarning,
    SourceCropTransformer,
    annotate_pdf,
    content_blocks,
    evidence_html,
)
from tests.support.pdf_factory import text_pdf

LINE = "Crews found and fixed 212 leaks."
OTHER = "Pipes lost 8.4 percent."
PAGE = Path(__file__).parents[2] / "docs" / "troubleshooting.md"


@pytest.fixture
def documents(tmp_path: Path) -> list[Document]:
    """Documents with a located quote; each of the tests changes their file, or not."""
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf(pages=[[LINE, OTHER]]))
    located = QuoteLocatingTransformer([LINE]).invoke(PyMuPDFCoordsLoader(path).load())
    assert located[0].metadata["quotes"] != "[]"
    return located


@pytest.fixture
def changed(documents: list[Document]) -> list[Document]:
    """The same Documents; their file has one line more at its top now."""
    Path(documents[0].metadata["source"]).write_bytes(text_pdf(pages=[["A new first line.", LINE, OTHER]]))
    return documents


def answer_of(documents: list[Document], **options: Any) -> LocatedAnswer:
    return CitationLocator(locator=QuoteLocator(**options)).invoke(
        {"answer": f"“{LINE}”", "documents": documents}
    )


def annotations(path: Path) -> int:
    with pymupdf.open(path) as pdf:
        return sum(len(list(page.annots())) for page in pdf)


def bundle_crops(documents: list[Document], folder: Path, **options: Any) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SourceChangedWarning)
        answer = answer_of(documents)
    bundle = EvidenceBundle.write(answer, folder / "evidence.zip", **options)
    return sum(name.startswith("crops/") for name in bundle.files)


# How many marks each of them draws on the file.
DRAWN: dict[str, Callable[..., int]] = {
    "SourceCropTransformer": lambda documents, folder, **options: sum(
        len(Crop.from_document(document))
        for document in SourceCropTransformer(by="quote", **options).invoke(documents)
    ),
    "annotate_pdf": lambda documents, folder, **options: annotations(
        annotate_pdf(documents, folder / "copy.pdf", **options)
    ),
    "evidence_html": lambda documents, folder, **options: evidence_html(documents, **options).html.count(
        "data:image/"
    ),
    "EvidenceBundle.write": bundle_crops,
}


@pytest.mark.parametrize("name", DRAWN)
def test_without_a_change_it_is_drawn(name: str, documents: list[Document], tmp_path: Path) -> None:
    assert DRAWN[name](documents, tmp_path, on_change="raise") == 1


@pytest.mark.parametrize("options", [{}, {"on_change": "warn"}], ids=["default", "warn"])
@pytest.mark.parametrize("name", DRAWN)
def test_nothing_is_drawn_on_a_changed_file(
    name: str, options: dict[str, Any], changed: list[Document], tmp_path: Path
) -> None:
    with pytest.warns(SourceChangedWarning, match=r"report\.pdf.*index it again") as caught:
        assert DRAWN[name](changed, tmp_path, **options) == 0
    assert len(caught) == 1


@pytest.mark.parametrize("name", DRAWN)
def test_raise(name: str, changed: list[Document], tmp_path: Path) -> None:
    with pytest.raises(SourceChangedError, match=r"report\.pdf.*index it again"):
        DRAWN[name](changed, tmp_path, on_change="raise")


@pytest.mark.parametrize("name", [name for name in DRAWN if name != "EvidenceBundle.write"])
def test_only_the_documents_that_changed_are_left_out(
    name: str, documents: list[Document], tmp_path: Path
) -> None:
    """The index has two states of a file: one is the file as it is."""
    old = documents[0].model_copy(
        update={"metadata": {**documents[0].metadata, "source_digest": "sha256:" + "0" * 64}}
    )
    # Pages of an evidence page are shared by all Documents of a file, so it draws none of them.
    expected = 0 if name == "evidence_html" else 1
    with pytest.warns(SourceChangedWarning):
        assert DRAWN[name]([old, *documents], tmp_path) == expected


LOCATED: dict[str, Callable[..., Any]] = {
    "locate": lambda documents, **options: QuoteLocator(**options).locate(documents[0], LINE),
    "locate_all": lambda documents, **options: QuoteLocator(**options).locate_all(documents, LINE)[0][1],
    "transformer": lambda documents, **options: QuoteLocatingTransformer(
        [LINE], locator=QuoteLocator(**options)
    ).invoke(documents),
    "retriever": lambda documents, **options: QuoteLocatingRetriever(
        base_retriever=RunnableLambda(lambda query: documents),
        select_quotes=lambda query, document: [LINE],
        locator=QuoteLocator(**options),
    ).invoke("leaks"),
    "citations": answer_of,
}


@pytest.mark.parametrize("name", LOCATED)
def test_a_quote_has_its_stored_lines_and_a_warning(name: str, changed: list[Document]) -> None:
    with pytest.warns(SourceChangedWarning, match="the stored lines are used"):
        LOCATED[name](changed)
    with pytest.raises(SourceChangedError, match="index it again"):
        LOCATED[name](changed, on_change="raise")
    with pytest.warns(SourceChangedWarning, match="found in its new version, on page 1"):
        LOCATED[name](changed, on_change="relocate")


def test_pictures_that_were_made_are_shown(documents: list[Document]) -> None:
    pictured = SourceCropTransformer(by="quote").invoke(documents)
    Path(documents[0].metadata["source"]).write_bytes(text_pdf(pages=[["Another text."]]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [block["type"] for block in content_blocks(pictured)] == ["text", "text", "image"]


def test_the_page_names_all_that_opens_a_file_again() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## A file changed")[2].partition("\n## ")[0]
    assert all(f"`{name}`" in section for name in [*DRAWN, "QuoteLocator", "content_blocks"])
