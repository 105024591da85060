"""A small user's program: CI's session "typing" checks it with ``mypy --strict`` and pyright, and runs it not.

Each ``assert_type`` says what a reader's editor should know; a name that has become ``Any`` fails there.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import assert_type

from langchain_core.documents import Document
from langchain_core.documents.base import Blob
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_pymupdf_coords import (
    BM25SentenceSelector,
    BundleReport,
    CitationLocator,
    CoordsTextSplitter,
    Crop,
    EvidenceBundle,
    EvidencePage,
    LineBox,
    LocatedAnswer,
    LocatedCitation,
    PyMuPDFCoordsError,
    PyMuPDFCoordsLoader,
    PyMuPDFCoordsParser,
    QuotedAnswer,
    QuoteLocatingRetriever,
    QuoteLocatingTransformer,
    QuoteLocator,
    QuoteMatch,
    Region,
    SourceBox,
    SourceCropTransformer,
    annotate_pdf,
    citation_prompt,
    content_blocks,
    evidence_html,
    format_sources,
)


def load(path: Path) -> list[Document]:
    loader = PyMuPDFCoordsLoader(path, pages=[1, 2], chunk_size=800, workers=2)
    assert_type(loader.lazy_load(), Iterator[Document])
    parser = PyMuPDFCoordsParser(mode="page")
    assert_type(parser.parse(Blob.from_data(path.read_bytes(), mime_type="application/pdf")), list[Document])
    return loader.load()


def split(documents: Sequence[Document]) -> list[Document]:
    splitter = CoordsTextSplitter(RecursiveCharacterTextSplitter(chunk_size=200, chunk_overlap=0))
    return splitter.split_documents(documents)


def show_places(document: Document) -> None:
    assert_type(SourceBox.from_document(document), tuple[SourceBox, ...])
    assert_type(LineBox.from_document(document), tuple[LineBox, ...])
    match = QuoteLocator().locate(document, "Crews found and fixed 212 leaks.")
    assert_type(match, QuoteMatch | None)
    if match is not None:
        assert_type(match.regions, tuple[Region, ...])


def pictures(base_retriever: BaseRetriever, question: str) -> tuple[Crop, ...]:
    retriever = QuoteLocatingRetriever(
        base_retriever=base_retriever, select_quotes=BM25SentenceSelector(max_sentences=2)
    )
    chain = retriever | SourceCropTransformer(by="quote")
    documents = chain.invoke(question)
    assert_type(documents, list[Document])
    HumanMessage(content_blocks=content_blocks(documents))
    return Crop.from_document(documents[0])


def cited(model: BaseChatModel, retriever: BaseRetriever) -> Runnable[str, LocatedAnswer]:
    """The chain of the README."""
    answer = citation_prompt() | model.with_structured_output(QuotedAnswer)
    return (
        {"documents": retriever, "question": RunnablePassthrough()}
        | RunnablePassthrough.assign(sources=lambda step: format_sources(step["documents"]))
        | RunnablePassthrough.assign(answer=answer)
        | CitationLocator()
    )


async def answer(chain: Runnable[str, LocatedAnswer], question: str) -> list[LocatedCitation]:
    located = await chain.ainvoke(question)
    assert_type(located, LocatedAnswer)
    async for part in chain.astream(question):
        assert_type(part, LocatedAnswer)
    return [citation for citation in located.citations if citation.verified]


def locate_citations(message: AIMessage, documents: list[Document]) -> LocatedAnswer:
    return CitationLocator().invoke({"answer": message, "documents": documents})


def write(documents: list[Document], folder: Path) -> None:
    located = QuoteLocatingTransformer(["8.4 percent"]).invoke(documents)
    assert_type(located, list[Document])
    assert_type(annotate_pdf(located, folder / "annotated.pdf"), Path)
    assert_type(evidence_html(located, folder / "evidence.html", question="How much?"), EvidencePage)


def write_bundle(located: LocatedAnswer, path: Path) -> BundleReport:
    EvidenceBundle.write(located, path, question="How much?")
    return EvidenceBundle.read(path).verify()


def main() -> None:
    try:
        documents = split(load(Path("report.pdf")))
    except PyMuPDFCoordsError as error:
        raise SystemExit(str(error)) from error
    store = InMemoryVectorStore.from_documents(documents, DeterministicFakeEmbedding(size=256))
    crops = pictures(store.as_retriever(), "How much water is lost to leaking pipes?")
    assert_type(crops[0].width, int)
    write(documents, Path())
