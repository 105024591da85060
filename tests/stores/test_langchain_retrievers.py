"""LangChain's retrievers around chunks and around ours: coordinates arrive, and quotes land on the page."""

import json
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.stores import InMemoryStore
from langchain_core.tools import create_retriever_tool
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import CharacterTextSplitter, RecursiveCharacterTextSplitter

from langchain_pymupdf_coords import QuoteLocatingRetriever, QuoteLocator, QuoteMatch
from langchain_pymupdf_coords.provenance import dump_quotes
from langchain_pymupdf_coords.text_splitters import CoordsTextSplitter
from tests.stores.adapters import EMBEDDING
from tests.support.scripted_chat_model import ScriptedChatModel

retrievers = pytest.importorskip("langchain_classic.retrievers", reason="langchain-classic is not installed")

QUOTE = "The contract is worth 12.5 million euros"
SMALL = RecursiveCharacterTextSplitter(chunk_size=120, chunk_overlap=0)


class ToolCallingModel(GenericFakeChatModel):
    """Gives one answer after the other, whatever tools it is given."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


def quoting(base: Any) -> QuoteLocatingRetriever:
    """Our retriever around another, with the quote that a reader would have picked."""
    return QuoteLocatingRetriever(base_retriever=base, select_quotes=lambda query, document: [QUOTE])


def store_of(documents: list[Document]) -> InMemoryVectorStore:
    store = InMemoryVectorStore(EMBEDDING)
    store.add_documents(documents)
    return store


def located(documents: list[Document]) -> list[QuoteMatch]:
    return [match for document in documents for match in QuoteMatch.from_document(document)]


def expected(chunks: list[Document]) -> QuoteMatch:
    """The match of the chunk that never left our hands, as metadata holds it."""
    match = QuoteLocator().locate(chunks[5], QUOTE)
    assert match is not None
    assert (match.status, match.precision, match.regions[0].page) == ("exact", "word", 3)
    return as_stored(chunks[5], match)


def as_stored(document: Document, match: QuoteMatch) -> QuoteMatch:
    """The match as metadata holds it, rounded."""
    (stored,) = located([Document(document.page_content, metadata={"quotes": dump_quotes([match])})])
    return stored


def check_parents(retriever: BaseRetriever, query: str, chunks: list[Document]) -> None:
    """The whole chunk comes back as it was, and ours around it locates its quote."""
    assert chunks[5] in retriever.invoke(query)
    assert expected(chunks) in located(quoting(retriever).invoke(query))


def test_parent_document_retriever(chunks: list[Document]) -> None:
    children = InMemoryVectorStore(EMBEDDING)
    retriever = retrievers.ParentDocumentRetriever(
        vectorstore=children,
        docstore=InMemoryStore(),
        child_splitter=SMALL,
        child_metadata_fields=["source", "page"],
    )
    retriever.add_documents(chunks, ids=[chunk.id for chunk in chunks])
    (piece, *_) = SMALL.split_text(chunks[5].page_content)
    (child,) = children.similarity_search(piece, k=1)
    assert child.metadata == {"source": chunks[5].metadata["source"], "page": 3, "doc_id": chunks[5].id}
    check_parents(retriever, piece, chunks)


def test_parent_document_retriever_with_our_splitter(chunks: list[Document]) -> None:
    """Children that carry their own coordinates: a quote lands where it lands in the whole chunk."""
    children = InMemoryVectorStore(EMBEDDING)
    splitter = CoordsTextSplitter(SMALL)
    retriever = retrievers.ParentDocumentRetriever(
        vectorstore=children, docstore=InMemoryStore(), child_splitter=splitter, parent_splitter=splitter
    )
    retriever.add_documents(chunks)
    (piece,) = (piece for piece in SMALL.split_text(chunks[5].page_content) if QUOTE in piece)
    (child,) = children.similarity_search(piece, k=1)
    assert child.page_content == piece
    (match,) = located(quoting(children.as_retriever(search_kwargs={"k": 1})).invoke(piece))
    assert match.regions == expected(chunks).regions
    assert match in located(quoting(retriever).invoke(piece))


def test_multi_vector_retriever(chunks: list[Document]) -> None:
    docstore: InMemoryStore = InMemoryStore()
    docstore.mset([(str(chunk.id), chunk) for chunk in chunks])
    summaries = [
        Document(page_content=f"summary {number}", metadata={"doc_id": chunk.id})
        for number, chunk in enumerate(chunks)
    ]
    retriever = retrievers.MultiVectorRetriever(vectorstore=store_of(summaries), docstore=docstore)
    check_parents(retriever, "summary 5", chunks)


def test_ensemble_retriever_merges_the_same_chunk(chunks: list[Document]) -> None:
    both = [store_of(chunks).as_retriever(search_kwargs={"k": 6}) for _ in range(2)]
    ensemble = retrievers.EnsembleRetriever(retrievers=both, weights=[0.5, 0.5])
    assert sorted(ensemble.invoke("ferry"), key=str) == sorted(chunks, key=str)
    check_parents(ensemble, "ferry", chunks)
    # Quotes of the first that has a chunk are kept: ours may stand inside as well as around.
    inside = retrievers.EnsembleRetriever(retrievers=[quoting(both[0]), both[1]], weights=[0.5, 0.5])
    assert located(inside.invoke("ferry")) == [expected(chunks)]


def test_compression_that_filters_and_splits(chunks: list[Document]) -> None:
    from langchain_classic.retrievers.document_compressors import (
        DocumentCompressorPipeline,
        EmbeddingsFilter,
    )

    splitter = CoordsTextSplitter(SMALL)
    query = splitter.split_documents([chunks[5]])[-1].page_content
    retriever = retrievers.ContextualCompressionRetriever(
        base_compressor=DocumentCompressorPipeline(
            transformers=[splitter, EmbeddingsFilter(embeddings=EMBEDDING, k=1)]
        ),
        base_retriever=store_of(chunks).as_retriever(search_kwargs={"k": 6}),
    )
    (piece,) = retriever.invoke(query)
    assert piece.page_content == query
    rows = json.loads(piece.metadata["lines"])
    assert {row[0] for row in rows} == {3}
    assert all(piece.page_content[row[5] : row[6]].strip() for row in rows)
    quote = piece.page_content.split(". ")[-1]
    match, whole = (QuoteLocator().locate(document, quote) for document in (piece, chunks[5]))
    assert match is not None
    assert whole is not None
    assert match.regions == whole.regions


def test_compression_that_rewrites_keeps_the_place_of_what_it_extracts(chunks: list[Document]) -> None:
    from langchain_classic.retrievers.document_compressors import LLMChainExtractor

    base = store_of(chunks[5:]).as_retriever()
    extractor = LLMChainExtractor.from_llm(ScriptedChatModel(text=QUOTE))
    retriever = retrievers.ContextualCompressionRetriever(base_compressor=extractor, base_retriever=base)
    (extract,) = retriever.invoke("What does it cost?")
    assert extract.page_content == QUOTE
    match = QuoteLocator().locate(extract, QUOTE)
    assert match is not None
    assert match.status == "exact"
    assert as_stored(extract, match).regions == expected(chunks).regions
    (chunk,) = quoting(base).invoke("What does it cost?")
    assert located([chunk]) == [expected(chunks)]


def test_pieces_of_splitters_that_copy_coordinates_are_found_in_their_boxes(chunks: list[Document]) -> None:
    pieces = CharacterTextSplitter(separator="\n\n", chunk_size=120, chunk_overlap=0).split_documents(chunks)
    piece = next(piece for piece in pieces if QUOTE in piece.page_content)
    match = QuoteLocator().locate(piece, QUOTE)
    assert match is not None
    assert match.status == "exact"
    assert as_stored(piece, match).regions == expected(chunks).regions


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_agent_gets_text_and_the_application_gets_coordinates(
    chunks: list[Document], asynchronous: bool
) -> None:
    agents = pytest.importorskip("langchain.agents", reason="langchain is not installed")
    tool = create_retriever_tool(
        quoting(store_of(chunks).as_retriever(search_kwargs={"k": 6})),
        "search_reports",
        "Searches annual reports.",
        response_format="content_and_artifact",
    )
    call = {"name": "search_reports", "args": {"query": "price of the vessel"}, "id": "call-1"}
    answers = [AIMessage("", tool_calls=[call]), AIMessage("It costs 12.5 million euros.")]
    model = ToolCallingModel(messages=iter(answers))
    agent = agents.create_agent(model, [tool])
    request = {"messages": [("user", "What does the new vessel cost?")]}
    state = await agent.ainvoke(request) if asynchronous else agent.invoke(request)
    (message,) = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    assert QUOTE in message.content
    assert "bbox" not in message.content
    assert located(message.artifact) == [expected(chunks)]
    assert state["messages"][-1].content == "It costs 12.5 million euros."
