"""A retriever whose Documents come with quotes, located on the pages that they came from."""

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever, RetrieverLike
from langchain_core.runnables import Runnable
from pydantic import Field

from langchain_pymupdf_coords.async_streams import run_in_background
from langchain_pymupdf_coords.errors import OptionError
from langchain_pymupdf_coords.quote_locator import QuoteLocator
from langchain_pymupdf_coords.quote_selection import BM25SentenceSelector
from langchain_pymupdf_coords.quote_transformers import with_quotes

QuoteSelector = Callable[[str, Document], Sequence[str]] | Runnable[dict[str, Any], Sequence[str]]


class QuoteLocatingRetriever(BaseRetriever):
    """Wraps a retriever and attaches, to each Document, quotes that answer the query and where they stand.

    Quotes are written as JSON to ``metadata["quotes"]``, ``"[]"`` where none could be placed;
    ``QuoteMatch.from_document`` reads them. Documents come back in the order of the base retriever, as copies
    with the same id, text and other metadata. Those without coordinates pass, with no quotes. Keyword
    arguments of ``invoke``, such as ``k``, go to the base retriever, and its errors come through unchanged.

    Example:
        .. code-block:: python

            from langchain_pymupdf_coords import QuoteLocatingRetriever, QuoteMatch

            retriever = QuoteLocatingRetriever(base_retriever=vector_store.as_retriever())
            for document in retriever.invoke("When was the company founded?"):
                for match in QuoteMatch.from_document(document):
                    print(match.text, [(region.page, region.quads) for region in match.regions])

    Raises:
        ProvenanceError: Coordinates of a retrieved Document are malformed.
        SourceAccessError: A ``source`` lies outside of the locator's ``root``.
        SourceChangedError: A file changed, and the locator's ``on_change`` is ``"raise"``.
        PDFPasswordError: A password is needed, or the locator's ``password`` is wrong.
        OptionError: ``select_quotes`` returned something else than a list of strings.
        ImportError: The default of ``select_quotes`` is used without the extra ``sentences``.
    """

    base_retriever: RetrieverLike
    """Where Documents come from: a retriever, or any Runnable from a query to Documents."""

    select_quotes: QuoteSelector = Field(default_factory=BM25SentenceSelector)
    """What to quote: a function of the query and a Document, ``select(query, document)``, or a Runnable of
    ``{"query": query, "document": document}``. It returns a list of strings, which need not be verbatim.
    Functions must be safe to call from threads; an async one is given as ``RunnableLambda(f)``."""

    locator: QuoteLocator = Field(default_factory=QuoteLocator)
    """What finds the quotes in the Documents."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        documents = self.base_retriever.invoke(query, config={"callbacks": run_manager.get_child()}, **kwargs)
        if isinstance(self.select_quotes, Runnable):
            quotes = self.select_quotes.batch(
                _selector_inputs(query, documents), config={"callbacks": run_manager.get_child()}
            )
            return self._located(documents, quotes)
        return self._select_and_locate(query, documents, self.select_quotes)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        documents = await self.base_retriever.ainvoke(
            query, config={"callbacks": run_manager.get_child()}, **kwargs
        )
        if isinstance(self.select_quotes, Runnable):
            quotes = await self.select_quotes.abatch(
                _selector_inputs(query, documents), config={"callbacks": run_manager.get_child()}
            )
            return await run_in_background(self._located, documents, quotes)
        return await run_in_background(self._select_and_locate, query, documents, self.select_quotes)

    def _select_and_locate(
        self, query: str, documents: Sequence[Document], select: Callable[[str, Document], Sequence[str]]
    ) -> list[Document]:
        return self._located(documents, [select(query, document) for document in documents])

    def _located(self, documents: Sequence[Document], quotes: Sequence[Sequence[str]]) -> list[Document]:
        return [
            with_quotes(document, _checked(selected), self.locator)
            for document, selected in zip(documents, quotes, strict=True)
        ]


def _selector_inputs(query: str, documents: Sequence[Document]) -> list[dict[str, Any]]:
    return [{"query": query, "document": document} for document in documents]


def _checked(quotes: object) -> Sequence[str]:
    """Return what was selected, unless it is no list of strings: a single string would be taken for many."""
    if isinstance(quotes, list | tuple) and all(isinstance(quote, str) for quote in quotes):
        return quotes
    raise OptionError(f"select_quotes must return a list of strings, not {type(quotes).__name__}")
