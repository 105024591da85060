"""The passages of a file that answer a question best, and the sentences that do, located on their pages."""

from collections.abc import Sequence
from functools import partial

from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from langchain_pymupdf_coords.quote_locator import QuoteLocator
from langchain_pymupdf_coords.quote_selection import BM25SentenceSelector
from langchain_pymupdf_coords.retrievers import QuoteLocatingRetriever
from langchain_pymupdf_coords.search_terms import SearchTerms, words


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
    import bm25s

    texts, asked = [words(document.page_content) for document in documents], words(question)
    terms_of = SearchTerms.of([word for text in (*texts, asked) for word in text])
    terms, asked = [terms_of(text) for text in texts], terms_of(asked)
    if not asked or not any(terms):
        return []
    index = bm25s.BM25()
    index.index(terms, show_progress=False)
    scores = index.get_scores(asked)
    order = sorted(range(len(documents)), key=lambda at: -scores[at])
    return [documents[at] for at in order[:top] if scores[at] > 0]
