import asyncio
import pickle
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pymupdf
import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from langchain_pymupdf_coords import OptionError, ProvenanceError, QuoteLocatingRetriever, QuoteMatch
from langchain_pymupdf_coords.geometry import quad_to_bbox
from tests.support.retriever_bases import (
    ANSWER,
    LOCATOR,
    QUESTION,
    REPORT,
    keyword_retriever,
    report_documents,
    vector_retriever,
)

QUERIES = (
    QUESTION,
    "What is the greatest risk?",
    "How many passengers did North Island have in 2024?",
    "Why did the line to Gull Rock lose passengers?",
)


def _retriever(**fields: Any) -> QuoteLocatingRetriever:
    return QuoteLocatingRetriever(**{"base_retriever": keyword_retriever(), "locator": LOCATOR, **fields})


def _quoted(documents: Sequence[Document]) -> list[list[str]]:
    return [[match.text for match in QuoteMatch.from_document(document)] for document in documents]


def _last_words(document: Document) -> str:
    return " ".join(document.page_content.split()[-4:])


def _quoting(query: str, document: Document) -> list[str]:
    return [_last_words(document)]


class _Runs(BaseCallbackHandler):
    """The name of each run's parent, by the name of the run."""

    def __init__(self) -> None:
        self.names: dict[UUID, str] = {}
        self.parents: list[tuple[str, str | None]] = []

    def _seen(self, run_id: UUID, parent_run_id: UUID | None, name: str) -> None:
        self.names[run_id] = name
        self.parents.append((name, self.names[parent_run_id] if parent_run_id else None))

    def on_retriever_start(self, serialized: Any, query: str, *, run_id: UUID, **kwargs: Any) -> None:
        self._seen(run_id, kwargs["parent_run_id"], kwargs["name"])

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self._seen(run_id, kwargs["parent_run_id"], kwargs["name"])


# --- what it returns ----------------------------------------------------------------------------------------


def test_the_answer_is_quoted_on_its_words() -> None:
    first = _retriever().invoke(QUESTION)[0]
    match = QuoteMatch.from_document(first)[0]
    assert (match.text, match.status, match.precision) == (ANSWER, "exact", "word")
    assert first.page_content[slice(*match.span)] == ANSWER
    [region] = match.regions
    with pymupdf.open(stream=REPORT) as pdf:
        page = pdf[region.page - 1]
        seen = [page.get_textbox(pymupdf.Rect(quad_to_bbox(quad))).split() for quad in region.quads]
    assert [word for line in seen for word in line] == ANSWER.split()


def test_a_row_of_a_table_is_quoted() -> None:
    found = _retriever().invoke("How many passengers did North Island have in 2024?")
    table = next(document for document in found if document.metadata["chunk_index"] == 3)
    assert "North Island|512,400|571,900|+11.6 %" in _quoted([table])[0]


def test_documents_are_those_of_the_base_but_for_quotes() -> None:
    base = keyword_retriever()
    expected = [document.model_copy(deep=True) for document in base.invoke(QUESTION)]
    found = _retriever(base_retriever=base).invoke(QUESTION)
    assert [document.id for document in found] == [document.id for document in expected]
    assert all(document.id for document in found)
    for document, original in zip(found, expected, strict=True):
        metadata = dict(document.metadata)
        metadata.pop("quotes")
        assert (document.page_content, metadata) == (original.page_content, original.metadata)
        assert metadata["score"] >= 0
    assert base.invoke(QUESTION) == expected


def test_a_quote_that_cannot_be_placed_leaves_an_empty_list() -> None:
    found = _retriever(select_quotes=lambda query, document: ["Nobody wrote this sentence."]).invoke(QUESTION)
    assert [document.metadata["quotes"] for document in found] == ["[]"] * 4


def test_nothing_selected_leaves_an_empty_list() -> None:
    found = _retriever(select_quotes=lambda query, document: []).invoke(QUESTION)
    assert [document.metadata["quotes"] for document in found] == ["[]"] * 4


def test_a_document_without_coordinates_passes() -> None:
    note = Document("The company was founded in 1908.", metadata={"source": "note.txt"}, id="note")
    base = RunnableLambda(lambda query: [note, report_documents()[0]])
    found = _retriever(base_retriever=base).invoke(QUESTION)
    assert found[0] == Document(note.page_content, metadata={"source": "note.txt", "quotes": "[]"}, id="note")
    assert _quoted(found)[1][0] == ANSWER


def test_an_equal_quote_counts_once() -> None:
    select = lambda query, document: [ANSWER, ANSWER]  # noqa: E731
    assert _quoted(_retriever(select_quotes=select).invoke(QUESTION))[0] == [ANSWER]


def test_quotes_of_an_earlier_step_are_replaced() -> None:
    stored = report_documents()[0]
    stored.metadata["quotes"] = "stale"
    base = RunnableLambda(lambda query: [stored])
    assert _quoted(_retriever(base_retriever=base).invoke(QUESTION))[0][0] == ANSWER
    assert stored.metadata["quotes"] == "stale"


# --- selecting ----------------------------------------------------------------------------------------------


def test_a_function_gets_query_and_document() -> None:
    calls: list[tuple[str, str]] = []

    def select(query: str, document: Document) -> list[str]:
        calls.append((query, document.page_content))
        return [_last_words(document)]

    found = _retriever(select_quotes=select).invoke(QUESTION)
    assert calls == [(QUESTION, document.page_content) for document in found]
    assert _quoted(found) == [[_last_words(document)] for document in found]


def test_a_runnable_gets_a_dict() -> None:
    select = RunnableLambda(lambda given: _quoting(given["query"], given["document"]))
    found = _retriever(select_quotes=select).invoke(QUESTION)
    assert _quoted(found) == [[_last_words(document)] for document in found]


async def test_a_runnable_is_awaited() -> None:
    async def select(given: dict[str, Any]) -> list[str]:
        await asyncio.sleep(0)
        return [_last_words(given["document"])]

    found = await _retriever(select_quotes=RunnableLambda(select)).ainvoke(QUESTION)
    assert _quoted(found) == [[_last_words(document)] for document in found]


@pytest.mark.parametrize("wrong", ["one string", None, [1], {"a": 1}])
@pytest.mark.parametrize("wrap", [lambda f: f, lambda f: RunnableLambda(lambda given: f(None, None))])
def test_anything_but_a_list_of_strings_is_refused(wrong: Any, wrap: Any) -> None:
    retriever = _retriever(select_quotes=wrap(lambda query, document: wrong))
    with pytest.raises(OptionError, match="select_quotes must return a list of strings"):
        retriever.invoke(QUESTION)


# --- as a Runnable ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [keyword_retriever, vector_retriever])
async def test_arguments_reach_the_base(base: Any) -> None:
    retriever = _retriever(base_retriever=base(k=4))
    assert len(retriever.invoke(QUESTION)) == 4
    assert len(retriever.invoke(QUESTION, k=2)) == 2
    assert len(await retriever.ainvoke(QUESTION, k=3)) == 3
    assert [len(found) for found in retriever.batch([QUESTION, QUESTION], k=1)] == [1, 1]


async def test_all_ways_to_call_it_agree() -> None:
    retriever = _retriever()
    expected = [retriever.invoke(query) for query in QUERIES]
    assert all(any(_quoted(found)) for found in expected)
    assert [await retriever.ainvoke(query) for query in QUERIES] == expected
    assert retriever.batch(QUERIES) == expected
    assert await retriever.abatch(QUERIES) == expected
    assert list(retriever.stream(QUERIES[0])) == [expected[0]]


def test_eight_threads_agree() -> None:
    retriever = _retriever()
    expected = [retriever.invoke(query) for query in QUERIES]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: retriever.batch(QUERIES), range(8)))
    assert found == [expected] * 8


async def test_the_event_loop_is_left_free() -> None:
    threads: list[threading.Thread] = []

    def select(query: str, document: Document) -> list[str]:
        threads.append(threading.current_thread())
        return []

    await _retriever(select_quotes=select).ainvoke(QUESTION)
    assert threads
    assert threading.current_thread() not in threads


@pytest.mark.parametrize("select", [None, _quoting])
def test_it_can_be_pickled(select: Any) -> None:
    retriever = _retriever(**({"select_quotes": select} if select else {}))
    copy = pickle.loads(pickle.dumps(retriever))
    assert copy.invoke(QUESTION) == retriever.invoke(QUESTION)


def test_runs_of_base_and_selector_are_its_children() -> None:
    runs = _Runs()
    select = RunnableLambda(lambda given: []).with_config(run_name="select")
    retriever = _retriever(base_retriever=keyword_retriever(k=2), select_quotes=select)
    retriever.invoke(QUESTION, {"callbacks": [runs]})
    parent = "QuoteLocatingRetriever"
    expected = [(parent, None), ("KeywordRetriever", parent), ("select", parent), ("select", parent)]
    assert runs.parents == expected


async def test_async_runs_of_base_and_selector_are_its_children() -> None:
    runs = _Runs()
    select = RunnableLambda(lambda given: []).with_config(run_name="select")
    retriever = _retriever(base_retriever=keyword_retriever(k=1), select_quotes=select)
    await retriever.ainvoke(QUESTION, {"callbacks": [runs]})
    parent = "QuoteLocatingRetriever"
    assert runs.parents == [(parent, None), ("KeywordRetriever", parent), ("select", parent)]


async def test_a_chain_around_it_streams() -> None:
    model = GenericFakeChatModel(messages=iter([AIMessage("It was founded in 1908.")] * 2))
    chain = (
        {"context": _retriever(), "question": RunnablePassthrough()}
        | ChatPromptTemplate.from_template("{context}\n{question}")
        | model
        | StrOutputParser()
    )
    pieces = list(chain.stream(QUESTION))
    assert len(pieces) > 3
    assert "".join(pieces) == "It was founded in 1908."
    events = [event async for event in chain.astream_events(QUESTION, version="v2")]
    ends = [event for event in events if event["event"] == "on_retriever_end"]
    assert {event["name"] for event in ends} == {"KeywordRetriever", "QuoteLocatingRetriever"}
    output = next(event["data"]["output"] for event in ends if event["name"] == "QuoteLocatingRetriever")
    assert _quoted(output)[0][0] == ANSWER


# --- errors -------------------------------------------------------------------------------------------------


class _FailingRetriever(BaseRetriever):
    error: Exception

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        raise self.error


async def test_errors_of_the_base_come_through() -> None:
    error = LookupError("no index")
    retriever = _retriever(base_retriever=_FailingRetriever(error=error))
    with pytest.raises(LookupError) as sync:
        retriever.invoke(QUESTION)
    with pytest.raises(LookupError) as unsync:
        await retriever.ainvoke(QUESTION)
    assert sync.value is unsync.value is error


def test_malformed_coordinates_are_not_hidden() -> None:
    document = report_documents()[0]
    document.metadata["boxes"] = "[{"
    retriever = _retriever(base_retriever=RunnableLambda(lambda query: [document]))
    with pytest.raises(ProvenanceError, match="boxes"):
        retriever.invoke(QUESTION)
