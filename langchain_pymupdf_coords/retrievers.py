"""A retriever whose Documents come with quotes, located on the pages that they came from.

Which sentences of a Document to quote is the choice of ``BM25SentenceSelector``, or of a function or Runnable.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever, RetrieverLike
from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import Field

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.async_streams import run_in_background
from langchain_pymupdf_coords.errors import OptionError
from langchain_pymupdf_coords.quote_locator import QuoteLocator, with_quotes
from langchain_pymupdf_coords.quotes.search_terms import LANGUAGES, SearchTerms, rank, words
from langchain_pymupdf_coords.quotes.sentences import split_sentences

_EXTRA = "pip install 'langchain-pymupdf-coords[sentences]'"


@dataclass(frozen=True, kw_only=True)
class BM25SentenceSelector:
    """Picks the sentences of a Document that answer a query best, by BM25 over the Document's sentences.

    Rows of tables count as sentences; headings do not, unless there is nothing else. The language is guessed
    from stop words. Danish, Dutch, English, French, German, Italian, Norwegian, Portuguese, Russian, Spanish,
    Swedish and Turkish words are compared by their stems and without stop words, words of other languages as
    they are, and Chinese, Japanese, Korean and other scripts of Asia by pairs of characters.

    Needs the extra ``sentences``: ``pip install 'langchain-pymupdf-coords[sentences]'``.

    Attributes:
        max_sentences: How many sentences to pick at most.

    Raises:
        OptionError: ``max_sentences`` is not a positive whole number.
        ImportError: The extra is not installed.
    """

    max_sentences: int = 3

    def __post_init__(self) -> None:
        number = checks.whole_number("max_sentences", self.max_sentences)
        object.__setattr__(self, "max_sentences", number)
        _check_installed()

    def __call__(self, query: str, document: Document) -> list[str]:
        """Return sentences that share a term with the query, the best first.

        Args:
            query: The question or search words.
            document: A Document; only its ``page_content`` is read.

        Returns:
            Slices of ``page_content``, verbatim with their Markdown; none where nothing fits.

        Raises:
            OptionError: ``query`` is no string, or ``document`` is not one Document.
        """
        checks.text("query", query)
        checks.one_document("document", document)
        text, asked = document.page_content, words(query)
        terms_of = SearchTerms.of(words(text) + asked)
        sentences = _candidates(text, terms_of.language)
        best = rank([terms_of(words(sentence)) for sentence in sentences], terms_of(asked))
        return list(dict.fromkeys(sentences[at] for at in best))[: self.max_sentences]


def _check_installed() -> None:
    try:
        with warnings.catch_warnings():
            # It has a progress bar, which would ask for widgets in a notebook; it is never shown.
            warnings.filterwarnings("ignore", message="IProgress not found")
            import bm25s  # noqa: F401
        import sentencex  # noqa: F401
        import Stemmer  # noqa: F401
    except ImportError as cause:
        raise ImportError(f"selecting sentences by BM25 needs {cause.name}: {_EXTRA}") from cause


def _candidates(text: str, language: str | None) -> list[str]:
    sentences = split_sentences(text, LANGUAGES[language] if language else "en")
    answers = [sentence for sentence in sentences if sentence.kind != "heading"]
    return [text[slice(*sentence.span)] for sentence in answers or sentences]


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


def answering_passages(
    documents: Sequence[Document], question: str, *, top: int, password: str | None = None
) -> list[Document]:
    """Return the Documents that answer a question best, each with its best sentence located.

    Args:
        documents: Where to search.
        question: The question, or search words.
        top: How many Documents to return at most.
        password: User or owner password of an encrypted file.

    Returns:
        Copies with ``metadata["quotes"]``, the best first; fewer where fewer share a term with the question.

    Raises:
        ImportError: The extra ``ask`` is not installed.
    """
    retriever = QuoteLocatingRetriever(
        select_quotes=BM25SentenceSelector(max_sentences=1),
        base_retriever=RunnableLambda(partial(best_passages, documents, top)),
        locator=QuoteLocator(password=password),
    )
    return retriever.invoke(question)


def best_passages(documents: Sequence[Document], top: int, question: str) -> list[Document]:
    """Rank Documents by BM25; those that share no term with the question are left out."""
    texts, asked = [words(document.page_content) for document in documents], words(question)
    terms_of = SearchTerms.of([word for text in (*texts, asked) for word in text])
    best = rank([terms_of(text) for text in texts], terms_of(asked))
    return [documents[at] for at in best[:top]]
