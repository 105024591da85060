import pickle
from typing import Any

import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import OptionError, QuoteLocatingTransformer, QuoteMatch
from tests.support.retriever_bases import ANSWER, LOCATOR, QUESTION, keyword_retriever, report_documents

QUOTES = ("The greatest risk is the price of fuel", ANSWER, "Nobody wrote this sentence.")
LOCATE_QUOTES = QuoteLocatingTransformer(QUOTES, locator=LOCATOR)


def _quotes(document: Document) -> list[str]:
    return [match.quote for match in QuoteMatch.from_document(document)]


async def test_a_chain_locates_the_same_quotes_in_every_document() -> None:
    chain = keyword_retriever(k=6) | LOCATE_QUOTES
    found = chain.invoke(QUESTION)
    by_index = {document.metadata["chunk_index"]: _quotes(document) for document in found}
    assert by_index == {0: [ANSWER], 1: [], 2: [], 3: [], 4: [QUOTES[0]], 5: []}
    assert await chain.ainvoke(QUESTION) == found
    assert chain.batch([QUESTION, QUESTION]) == [found, found]


async def test_documents_keep_their_order_and_are_not_changed() -> None:
    documents = report_documents()
    found = LOCATE_QUOTES.transform_documents(documents)
    assert documents == report_documents()
    assert [document.id for document in found] == [document.id for document in documents]
    assert found[1].metadata == {**documents[1].metadata, "quotes": "[]"}
    assert await LOCATE_QUOTES.atransform_documents(documents) == found


def test_quotes_come_in_the_order_asked_for() -> None:
    document = report_documents()[0]
    asked = ["employs 214 people", "It was founded in 1908"]
    [found] = QuoteLocatingTransformer(asked, locator=LOCATOR).invoke([document])
    assert _quotes(found) == asked


def test_without_the_file_the_stored_lines_serve() -> None:
    [found] = QuoteLocatingTransformer([ANSWER]).invoke(report_documents()[:1])
    assert [match.precision for match in QuoteMatch.from_document(found)] == ["line"]


def test_a_list_of_quotes_may_change_afterwards() -> None:
    quotes = [ANSWER]
    transformer = QuoteLocatingTransformer(quotes, locator=LOCATOR)
    quotes.append("The Harbour Ferry Company")
    assert _quotes(transformer.invoke(report_documents())[0]) == [ANSWER]


def test_it_can_be_pickled_and_hashed() -> None:
    copy = pickle.loads(pickle.dumps(LOCATE_QUOTES))
    assert copy == LOCATE_QUOTES
    assert hash(copy) == hash(LOCATE_QUOTES)


@pytest.mark.parametrize("quotes", ["one string", [1], [None]])
def test_anything_but_a_list_of_strings_is_refused(quotes: Any) -> None:
    with pytest.raises(OptionError, match="quotes must be a list of strings"):
        QuoteLocatingTransformer(quotes)
