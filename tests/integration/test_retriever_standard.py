"""LangChain's own tests of retrievers, passed by the wrapper over two kinds of retriever."""

from collections.abc import Callable
from typing import Any

from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests

from langchain_pymupdf_coords import QuoteLocatingRetriever, QuoteMatch
from tests.support.retriever_bases import ANSWER, LOCATOR, QUESTION, keyword_retriever, vector_retriever


def _over_vectors(k: int = 4) -> QuoteLocatingRetriever:
    return QuoteLocatingRetriever(base_retriever=vector_retriever(k), locator=LOCATOR)


def _over_keywords(k: int = 4) -> QuoteLocatingRetriever:
    return QuoteLocatingRetriever(base_retriever=keyword_retriever(k), locator=LOCATOR)


class _WrapperTests(RetrieversIntegrationTests):
    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"k": 6}

    @property
    def retriever_query_example(self) -> str:
        return QUESTION

    def test_all_documents_have_quotes(self, retriever: BaseRetriever) -> None:
        documents = retriever.invoke(QUESTION)
        matches = [match for document in documents for match in QuoteMatch.from_document(document)]
        assert len(documents) == 6
        assert ANSWER in [match.text for match in matches]
        assert {match.precision for match in matches} == {"word"}


class TestOverVectors(_WrapperTests):
    @property
    def retriever_constructor(self) -> Callable[..., BaseRetriever]:
        return _over_vectors


class TestOverKeywords(_WrapperTests):
    @property
    def retriever_constructor(self) -> Callable[..., BaseRetriever]:
        return _over_keywords
