"""Retrievers over the sample report for the wrapper to wrap: one by vectors, one by keywords."""

from typing import Any

import bm25s
from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import InMemoryVectorStore, VectorStoreRetriever

from langchain_pymupdf_coords import QuoteLocator
from tests.support.pdf_factory import report_pdf
from tests.support.read_once import parsed

REPORT = report_pdf()
QUESTION = "When was the company founded?"
ANSWER = "It was founded in 1908, owns nine vessels and employs 214 people."


def read_report(source: str) -> bytes:
    """The bytes of the report, whatever its name: a resolver that needs no file."""
    return REPORT


LOCATOR = QuoteLocator(resolver=read_report)


def report_documents() -> list[Document]:
    """The six chunks of the report, new ones on each call."""
    return parsed(REPORT)


def vector_retriever(k: int = 4) -> VectorStoreRetriever:
    """A vector store's own retriever; the embedding knows no meaning, so its order is arbitrary but fixed."""
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=32))
    store.add_documents(report_documents())
    return store.as_retriever(search_kwargs={"k": k})


class KeywordRetriever(BaseRetriever):
    """Ranks Documents by BM25 and writes the score to their metadata."""

    documents: list[Document]
    k: int = 4

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        index = bm25s.BM25()
        index.index(
            [document.page_content.lower().split() for document in self.documents], show_progress=False
        )
        scores = index.get_scores(query.lower().split())
        best = sorted(range(len(self.documents)), key=lambda at: -scores[at])[: kwargs.get("k", self.k)]
        return [self._scored(self.documents[at], float(scores[at])) for at in best]

    # LangChain's own version, which runs the method above, takes no other arguments.
    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return self._get_relevant_documents(query, run_manager=run_manager.get_sync(), **kwargs)

    @staticmethod
    def _scored(document: Document, score: float) -> Document:
        return document.model_copy(update={"metadata": {**document.metadata, "score": score}})


def keyword_retriever(k: int = 4) -> KeywordRetriever:
    """A retriever by keywords, which finds the chunk with ``ANSWER`` first when asked ``QUESTION``."""
    return KeywordRetriever(documents=report_documents(), k=k)
