"""Warnings point at the line of the user's code that called the package, whatever is between."""

import asyncio
import linecache
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda, RunnableParallel

import langchain_pymupdf_coords
from langchain_pymupdf_coords import (
    CitationLocator,
    CoordsTextSplitter,
    PyMuPDFCoordsLoader,
    QuoteLocatingRetriever,
    QuoteLocator,
    SourceCropTransformer,
    evidence_html,
)

PACKAGE = str(Path(langchain_pymupdf_coords.__file__).parent)
LOADER = PyMuPDFCoordsLoader("gone.pdf", on_error="warn")
CROPS = SourceCropTransformer(on_error="warn")
QUOTE = "The ferries sail at dawn"
GONE = Document(
    QUOTE,
    metadata={
        "source": "gone.pdf",
        "page": 1,
        "boxes": '[{"page": 1, "bbox": [0, 0, 9, 9], "class": "text"}]',
    },
)


@pytest.fixture
def changed(report_documents: list[Document]) -> Document:
    """A Document whose file is there, and is another one now."""
    document = report_documents[0]
    return document.model_copy(update={"metadata": {**document.metadata, "source_digest": "sha256:0"}})


@pytest.fixture
def caught() -> Iterator[list[warnings.WarningMessage]]:
    """The warnings of a test, each of which must be about a line with the comment ``here``."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found
    assert found
    assert {warning.filename for warning in found} == {__file__}
    lines = [linecache.getline(__file__, warning.lineno) for warning in found]
    assert all("# here" in line for line in lines), lines


@pytest.mark.usefixtures("caught")
def test_in_a_call() -> None:
    LOADER.load()  # here
    CROPS.transform_documents([GONE])  # here
    CoordsTextSplitter(Splitter()).split_documents([GONE])  # here
    evidence_html([GONE], on_error="warn")  # here


@pytest.mark.usefixtures("caught")
def test_in_a_generator() -> None:
    for _ in LOADER.lazy_load():  # here
        pass


@pytest.mark.usefixtures("caught")
def test_in_a_chain() -> None:
    chain = RunnableLambda(lambda _: [GONE]) | CROPS
    chain.invoke("a question")  # here


@pytest.mark.usefixtures("caught")
def test_in_a_locator_a_retriever_and_citations(changed: Document) -> None:
    quote = changed.page_content[:40].rpartition(" ")[0]
    retriever = QuoteLocatingRetriever(
        base_retriever=RunnableLambda(lambda _: [changed]), select_quotes=lambda *_: [quote]
    )
    QuoteLocator().locate(changed, quote)  # here
    retriever.invoke("a question")  # here
    CitationLocator().invoke({"answer": f"“{quote}”", "documents": [changed]})  # here


@pytest.mark.usefixtures("caught")
async def test_in_async_code(changed: Document) -> None:
    quote = changed.page_content[:40].rpartition(" ")[0]
    retriever = QuoteLocatingRetriever(
        base_retriever=RunnableLambda(lambda _: [changed]), select_quotes=lambda *_: [quote]
    )
    await LOADER.aload()  # here
    async for _ in LOADER.alazy_load():  # here
        pass
    await QuoteLocator().alocate(changed, quote)  # here
    await retriever.ainvoke("a question")  # here
    await asyncio.create_task(load())


async def load() -> None:
    await LOADER.aload()  # here


def test_where_no_line_called_it_the_warning_is_of_what_did() -> None:
    with pytest.warns(match="no pictures") as caught:
        RunnableParallel(crops=RunnableLambda(lambda _: [GONE]) | CROPS, other=lambda _: None).invoke("")
    assert not caught[0].filename.startswith(PACKAGE)


def test_each_line_is_told_once_by_default() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(3):
            LOADER.load()
        LOADER.load()
    assert len(found) == 2


class Splitter:
    def split_text(self, text: str) -> list[Any]:
        return [text[:5], text[5:]]
