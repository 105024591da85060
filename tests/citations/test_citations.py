"""From an answer to located citations: the Runnable, its chains and its streams."""

import json
import pickle
import threading
from typing import Any

import pymupdf
import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough

from langchain_pymupdf_coords import (
    CitationLocator,
    LocatedAnswer,
    LocatedCitation,
    OptionError,
    ProvenanceError,
    QuotedAnswer,
    QuoteLocator,
    QuoteMatch,
    citation_prompt,
    format_sources,
)
from tests.support.scripted_chat_model import ScriptedChatModel

PASSENGERS = "The fleet carried 1,482,300 passengers in 2024"
FARES = "Fares will stay as they are until the end of the year."
VESSELS = "owns nine vessels and employs 214 people"
INVENTED = "Passengers praised the new restaurants on board."
ANSWER = QuotedAnswer(
    answer="It carried 1.5 million people with nine vessels.",
    citations=[
        {"source": 2, "quote": PASSENGERS},
        {"source": 1, "quote": VESSELS},
        {"source": 3, "quote": FARES},
        {"source": 2, "quote": INVENTED},
    ],
)
TEXT = (
    f"It says “{PASSENGERS}” [2]. It “{VESSELS}” [1]! Then: “{FARES}” [3] and “{INVENTED}” [2]. That is all."
)


def locate(answer: Any, documents: list[Document], **options: Any) -> LocatedAnswer:
    return CitationLocator(**options).invoke({"answer": answer, "documents": documents})


def summary(citation: LocatedCitation) -> tuple[Any, ...]:
    flags = citation.verified, citation.confirmed, citation.swapped
    return citation.quote, citation.source_number, citation.document_index, citation.status, *flags


EXPECTED = [
    (PASSENGERS, 2, 1, "exact", True, True, False),
    (VESSELS, 1, 0, "exact", True, True, False),
    (FARES, 3, 4, "exact", False, True, True),
    (INVENTED, 2, None, "not_found", False, False, False),
]


# What is found


@pytest.mark.parametrize("answer", [ANSWER, ANSWER.model_dump(), TEXT, AIMessage(TEXT)], ids=type)
def test_each_form_of_answer(report_documents: list[Document], answer: Any) -> None:
    located = locate(answer, report_documents)
    assert list(map(summary, located.citations)) == EXPECTED
    assert located.answer == (ANSWER.answer if isinstance(answer, QuotedAnswer | dict) else TEXT)
    assert [citation.quote for citation in located.unverified] == [FARES, INVENTED]
    assert [citation.quote for citation in located.of_document(4)] == [FARES]


def test_a_citation_has_the_document_that_it_was_found_in(report_documents: list[Document]) -> None:
    located = locate(ANSWER, report_documents)
    found, _, elsewhere, invented = located.citations
    assert found.document is report_documents[1]
    assert elsewhere.document is report_documents[4]
    assert (invented.document, invented.status) == (None, "not_found")
    assert invented in located.unverified
    # Documents cannot be hashed, yet citations can; their JSON names a Document by its index.
    assert len(set(located.citations)) == 4
    assert set(found.to_dict()) >= {"source_number", "document_index"}
    assert not {"document", "source"} & set(found.to_dict())


def test_quads_are_on_the_words(report_documents: list[Document]) -> None:
    """PyMuPDF itself finds the words under each quad."""
    located = locate(ANSWER, report_documents)
    for citation in located.citations[:3]:
        assert citation.match is not None
        source = report_documents[0].metadata["source"]
        with pymupdf.open(source) as doc:
            words = [
                doc[region.page - 1].get_textbox(pymupdf.Rect(ul[0] + 0.5, ul[1] + 3, lr[0] - 0.5, lr[1] - 3))
                for region in citation.match.regions
                for ul, _, _, lr in region.quads
            ]
        assert " ".join(" ".join(words).split()) == citation.quote


def test_documents_come_back_with_quotes_and_unchanged_otherwise(report_documents: list[Document]) -> None:
    before = [document.model_dump_json() for document in report_documents]
    located = locate(ANSWER, report_documents)
    assert [document.model_dump_json() for document in report_documents] == before
    for old, new in zip(report_documents, located.documents, strict=True):
        assert (new.id, new.page_content) == (old.id, old.page_content)
        assert {**new.metadata, "quotes": None} == {**old.metadata, "quotes": None}
    quotes = [[match.quote for match in QuoteMatch.from_document(d)] for d in located.documents]
    assert quotes == [[VESSELS], [PASSENGERS], [], [], [FARES], []]


def test_quotes_of_an_earlier_step_are_replaced(report_documents: list[Document]) -> None:
    earlier = locate(f"“{FARES}”", report_documents).documents
    located = locate(f"“{VESSELS}”", list(earlier))
    assert [document.metadata["quotes"] != "[]" for document in located.documents] == [True] + [False] * 5


def test_same_quote_twice_is_two_citations_and_one_match(report_documents: list[Document]) -> None:
    located = locate(f"“{VESSELS}” [1]. Again: “{VESSELS}” [1].", report_documents)
    assert [citation.verified for citation in located.citations] == [True, True]
    assert len(QuoteMatch.from_document(located.documents[0])) == 1


# Of several Documents


def plain(*texts: str) -> list[Document]:
    return [Document(text, metadata={"source": f"{number}.pdf"}) for number, text in enumerate(texts, 1)]


CONDITION = "The supplier must report every accident within three days."


@pytest.mark.parametrize("source", [1, 2, 3])
def test_the_source_asked_for_comes_first(source: int) -> None:
    documents = plain(CONDITION, f"Again: {CONDITION}", f"As said: {CONDITION}")
    answer = QuotedAnswer(answer="", citations=[{"source": source, "quote": CONDITION}])
    (citation,) = locate(answer, documents).citations
    assert citation.document_index == source - 1
    assert citation.also_in == tuple(index for index in range(3) if index != source - 1)
    assert citation.verified
    assert not citation.swapped


def test_without_a_source_the_best_match_comes_first() -> None:
    documents = plain(CONDITION.upper(), CONDITION.replace("report", "reprot"), CONDITION)
    (citation,) = locate(f"“{CONDITION}”", documents).citations
    assert (citation.document_index, citation.also_in, citation.status) == (2, (0, 1), "exact")
    assert citation.verified
    assert citation.source_number is None


def test_word_for_word_elsewhere_is_better_than_alike_in_the_source_asked_for() -> None:
    documents = plain(CONDITION.replace("every", "evrey"), CONDITION)
    (citation,) = locate(f"“{CONDITION}” [1]", documents).citations
    assert (citation.document_index, citation.swapped, citation.verified) == (1, True, False)
    (citation,) = locate(f"“{CONDITION}” [1]", documents[:1]).citations
    assert (citation.document_index, citation.swapped, citation.verified) == (0, False, False)
    assert citation.status == "fuzzy"


def test_a_quote_with_two_sources_is_judged_for_each() -> None:
    located = locate(f"“{CONDITION}” [1][2].", plain(CONDITION, "Nothing of the kind."))
    assert [(c.source_number, c.verified, c.swapped) for c in located.citations] == [
        (1, True, False),
        (2, False, True),
    ]


def test_a_document_without_coordinates_has_the_words_but_no_place(report_documents: list[Document]) -> None:
    (citation,) = locate(f"“{CONDITION}” [7]", [*report_documents, *plain(CONDITION)]).citations
    assert citation.verified
    assert not citation.confirmed
    assert citation.match is not None
    assert citation.match.regions == ()
    assert citation.page is None


def test_a_claim_is_no_quotation() -> None:
    answer = f"{CONDITION} [1] The supplier may do as it likes [1]."
    first, second = locate(answer, plain(CONDITION)).citations
    assert (first.quote, first.quoted, first.verified) == (CONDITION, False, True)
    assert (second.quote, second.quoted, second.status) == (
        "The supplier may do as it likes",
        False,
        "not_found",
    )
    assert answer[slice(*second.answer_span)] == second.quote


def test_text_of_a_quoted_answer_is_looked_through_too() -> None:
    answer = QuotedAnswer(
        answer="It says “must report every accident” [1] and “pay 100 euros” [1], see [2] and more [3].",
        citations=[{"source": 1, "quote": CONDITION}, {"source": 2, "quote": "b"}],
    )
    located = locate(answer, plain(CONDITION, "b", "c"))
    assert [(c.quote, c.source_number, c.quoted, c.status) for c in located.citations] == [
        (CONDITION, 1, True, "exact"),
        ("b", 2, True, "exact"),
        ("pay 100 euros", 1, True, "not_found"),
        ("and more", 3, False, "not_found"),
    ]


def test_no_documents_and_no_quotes() -> None:
    assert locate("No quotes.", plain(CONDITION)).citations == ()
    (citation,) = locate(f"“{CONDITION}” [1]", []).citations
    assert (citation.status, citation.source_number) == ("not_found", 1)
    assert locate("", []).message is not None


# What the file says


def test_a_tampered_index_is_not_confirmed(report_documents: list[Document]) -> None:
    document = report_documents[0]
    forged = document.page_content.replace("nine vessels", "many vessels").replace("214", "912")
    (citation,) = locate(
        "“owns many vessels and employs 912 people” [1]", [Document(forged, metadata=document.metadata)]
    ).citations
    assert citation.verified  # the index has it
    assert not citation.confirmed  # the page has not


def test_a_quote_added_to_the_index_is_not_confirmed(report_documents: list[Document]) -> None:
    document = report_documents[0]
    forged = document.page_content.replace("It was founded", "It was not founded")
    assert len(forged) == len(document.page_content) + 4
    (citation,) = locate(
        "“It was not founded in 1908”", [Document(forged, metadata=document.metadata)]
    ).citations
    assert not citation.confirmed


def test_without_the_file_there_is_a_place_but_no_confirmation(report_documents: list[Document]) -> None:
    moved = [
        d.model_copy(update={"metadata": {**d.metadata, "source": "moved.pdf"}}) for d in report_documents
    ]
    (citation,) = locate(f"“{VESSELS}” [1]", moved).citations
    assert citation.verified
    assert not citation.confirmed
    assert citation.match is not None
    assert citation.match.precision == "line"
    assert citation.page == 1


# As a Runnable


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ("text", "must be a dict"),
        ({"documents": []}, "'answer'"),
        ({"answer": "x"}, "'documents'"),
        ({"answer": None, "documents": []}, "'answer'"),
        ({"answer": 7, "documents": []}, "not int"),
        ({"answer": {"answer": "x", "citations": [{"source": "x"}]}, "documents": []}, "QuotedAnswer"),
        ({"answer": {}, "documents": []}, "QuotedAnswer"),
    ],
)
def test_wrong_input_is_refused(step: Any, problem: str) -> None:
    for run in (CitationLocator().invoke, lambda value: list(CitationLocator().transform(iter([value])))):
        with pytest.raises(OptionError, match=problem):
            run(step)


def test_malformed_coordinates_are_refused() -> None:
    document = Document(CONDITION, metadata={"source": "a.pdf", "boxes": "[7]"})
    with pytest.raises(ProvenanceError, match="boxes"):
        locate(f"“{CONDITION}”", [document])
    assert locate("“something else entirely”", [document]).citations[0].status == "not_found"


@pytest.mark.parametrize("parsed", [ANSWER, None])
def test_raw_output_beside_the_parsed_one(report_documents: list[Document], parsed: Any) -> None:
    raw = {"raw": AIMessage(TEXT), "parsed": parsed, "parsing_error": None}
    assert list(map(summary, locate(raw, report_documents).citations)) == EXPECTED


def test_results_are_plain_values(report_documents: list[Document]) -> None:
    located = locate(ANSWER, report_documents)
    assert pickle.loads(pickle.dumps(located)) == located
    for citation in located.citations:
        values = json.loads(json.dumps(citation.to_dict(), allow_nan=False))
        assert values["quote"] == citation.quote
        assert values["status"] == citation.status
        assert (values["match"] is None) == (citation.match is None)
    with pytest.raises(AttributeError):
        located.answer = ""  # type: ignore[misc]


def test_locator_can_be_pickled(report_documents: list[Document]) -> None:
    locator = pickle.loads(
        pickle.dumps(CitationLocator(locator=QuoteLocator(cutoff=80, on_change="relocate")))
    )
    assert locator == CitationLocator(locator=QuoteLocator(cutoff=80, on_change="relocate"))
    assert (
        list(map(summary, locator.invoke({"answer": ANSWER, "documents": report_documents}).citations))
        == EXPECTED
    )


async def test_all_ways_to_run_it_agree(report_documents: list[Document]) -> None:
    locator = CitationLocator()
    step = {"answer": TEXT, "documents": report_documents}
    whole = locator.invoke(step)
    assert await locator.ainvoke(step) == whole
    assert locator.batch([step, step]) == [whole, whole]
    assert await locator.abatch([step, step]) == [whole, whole]
    assert _sum(locator.stream(step)) == whole
    assert _sum([part async for part in locator.astream(step)]) == whole


def _sum(parts: Any) -> LocatedAnswer:
    total, *rest = parts
    for part in rest:
        total = total + part
    return total


class Recorder(BaseCallbackHandler):
    def __init__(self) -> None:
        self.runs: list[tuple[str, Any]] = []

    def on_chain_start(self, serialized: Any, inputs: Any, *, name: str = "", **kwargs: Any) -> None:
        self.runs.append((name, kwargs.get("tags")))

    def on_chain_end(self, outputs: Any, **kwargs: Any) -> None:
        self.runs.append(("end", outputs))

    def on_chain_error(self, error: BaseException, **kwargs: Any) -> None:
        self.runs.append(("error", type(error)))


def test_callbacks_names_and_tags(report_documents: list[Document]) -> None:
    recorder = Recorder()
    config = {"callbacks": [recorder], "tags": ["mine"]}
    step = {"answer": TEXT, "documents": report_documents}
    whole = CitationLocator().invoke(step, config)
    assert recorder.runs == [("CitationLocator", ["mine"]), ("end", whole)]
    recorder.runs.clear()
    list(CitationLocator().stream(step, {**config, "run_name": "cite"}))
    assert recorder.runs == [("cite", ["mine"]), ("end", whole)]
    recorder.runs.clear()
    with pytest.raises(OptionError):
        CitationLocator().invoke({"answer": 7, "documents": []}, config)
    assert recorder.runs[-1] == ("error", OptionError)


# In chains


def chain(documents: list[Document], answer: Runnable[Any, Any]) -> Runnable[str, LocatedAnswer]:
    retriever = RunnableLambda(lambda question: documents)
    return (
        {"question": RunnablePassthrough(), "documents": retriever}
        | RunnablePassthrough.assign(sources=lambda step: format_sources(step["documents"]))
        | RunnablePassthrough.assign(answer=answer)
        | CitationLocator()
    )


def structured(model: ScriptedChatModel) -> Runnable[Any, Any]:
    return citation_prompt() | model.with_structured_output(QuotedAnswer)


def test_chain_with_structured_output(report_documents: list[Document]) -> None:
    model = ScriptedChatModel(arguments=ANSWER.model_dump())
    located = chain(report_documents, structured(model)).invoke("How many?")
    assert list(map(summary, located.citations)) == EXPECTED
    (prompt,) = model.prompts
    assert "Question: How many?" in prompt
    for number, document in enumerate(report_documents, 1):
        assert f'<source number="{number}" file="report.pdf" page="{document.metadata["page"]}"' in prompt
        assert document.page_content in prompt


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_structured_answer_is_streamed(report_documents: list[Document], step: int) -> None:
    model = ScriptedChatModel(arguments=ANSWER.model_dump(), step=step)
    parts = list(chain(report_documents, structured(model)).stream("How many?"))
    total = _sum(parts)
    assert total.answer == ANSWER.answer
    assert list(map(summary, total.citations)) == EXPECTED
    assert total.documents == locate(ANSWER, report_documents).documents
    if step < 1000:
        first = next(index for index, part in enumerate(parts) if part.citations)
        assert first < len(parts) - 1
        assert "".join(part.answer for part in parts[:first]) == ANSWER.answer
    assert [part.message is not None for part in parts] == [False] * (len(parts) - 1) + [True]


@pytest.mark.parametrize("step", [1, 7, 1000])
async def test_text_is_streamed_in_all_ways(report_documents: list[Document], step: int) -> None:
    model = ScriptedChatModel(text=TEXT, step=step)
    run = chain(report_documents, citation_prompt() | model)
    whole = run.invoke("How many?")
    parts = list(run.stream("How many?"))
    assert list(map(summary, _sum(parts).citations)) == EXPECTED
    assert _sum(parts).citations == whole.citations
    assert _sum(parts).answer == TEXT
    asynchronous = [part async for part in run.astream("How many?")]
    assert asynchronous[:-1] == parts[:-1]
    assert asynchronous[-1].citations == parts[-1].citations
    if step == 1:
        shown = ""
        for part in parts:
            shown += part.answer
            for citation in part.citations:
                # Each comes with the first letter after its source mark.
                assert len(shown) - citation.answer_span[1] <= len("” [1]. A")


async def test_events_graph_and_schemas(report_documents: list[Document]) -> None:
    run = chain(report_documents, citation_prompt() | ScriptedChatModel(text=TEXT))
    events = [
        e async for e in run.astream_events("How many?", version="v2") if e["name"] == "CitationLocator"
    ]
    assert [events[0]["event"], events[-1]["event"]] == ["on_chain_start", "on_chain_end"]
    assert _sum([e["data"]["chunk"] for e in events if e["event"] == "on_chain_stream"]).answer == TEXT
    assert "CitationLocator" in run.get_graph().draw_mermaid()
    given = CitationLocator().get_input_jsonschema()["$defs"]["CitationInput"]
    assert set(given["properties"]) == {"answer", "documents"} == set(given["required"])
    returned = CitationLocator().get_output_jsonschema()["$defs"]["LocatedAnswer"]
    assert set(returned["properties"]) == {"answer", "citations", "documents", "message"}


def test_documents_may_come_after_the_answer(report_documents: list[Document]) -> None:
    parts = [{"answer": TEXT[:90]}, {"answer": TEXT[90:]}, {"documents": report_documents}]
    located = list(CitationLocator().transform(iter(parts)))
    assert [len(part.citations) for part in located[:2]] == [0, 0]
    assert list(map(summary, _sum(located).citations)) == EXPECTED


def test_stream_without_documents_is_refused() -> None:
    with pytest.raises(OptionError, match="'documents'"):
        list(CitationLocator().transform(iter([{"answer": TEXT}])))


def test_what_is_streamed_is_not_searched_for_twice(
    report_documents: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    examine = QuoteLocator.examine

    def counting(self: QuoteLocator, document: Document, quote: str) -> Any:
        asked.append(quote)
        return examine(self, document, quote)

    monkeypatch.setattr(QuoteLocator, "examine", counting)
    parts = [{"documents": report_documents}, *({"answer": piece, "documents": None} for piece in TEXT)]
    list(CitationLocator().transform(iter(parts)))
    assert len(asked) == 4 * len(report_documents)


async def test_event_loop_is_not_blocked(report_documents: list[Document]) -> None:
    threads: set[threading.Thread] = set()

    def resolver(source: str) -> str:
        threads.add(threading.current_thread())
        return source

    locator = CitationLocator(locator=QuoteLocator(resolver=resolver))
    for quotes in ([VESSELS], [VESSELS, FARES]):  # the last one is located at the end of a stream
        answer = QuotedAnswer(answer="", citations=[{"source": 1, "quote": quote} for quote in quotes])
        step = {"answer": answer, "documents": report_documents}
        await locator.ainvoke(step)
        assert [part async for part in locator.astream(step)]
    assert threads
    assert threading.current_thread() not in threads


def test_chunks_of_a_message_add_up_to_a_message(report_documents: list[Document]) -> None:
    parts = [{"documents": report_documents}, *({"answer": AIMessageChunk(piece)} for piece in TEXT)]
    message = _sum(CitationLocator().transform(iter(parts))).message
    assert type(message) is AIMessage
    assert message.text == TEXT


# Sources in the prompt


def test_sources_are_numbered_and_named() -> None:
    documents = [
        Document(
            "a\nb",
            metadata={"source": "C:\\x\\re & port.pdf", "page": 2, "page_end": 3, "section": 'A > "B"'},
        ),
        Document("c", metadata={}),
    ]
    assert format_sources(documents) == (
        '<source number="1" file="re &amp; port.pdf" page="2-3" section="A &gt; &quot;B&quot;">\n'
        "a\nb\n</source>\n\n"
        '<source number="2">\nc\n</source>'
    )
    assert format_sources([]) == ""
