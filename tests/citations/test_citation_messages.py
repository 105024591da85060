"""Chat messages with the citations of providers, in the shapes that their integrations make.

Each is given as the integration package leaves it, provider's content and ``response_metadata`` and all, and
is read through ``AIMessage.content_blocks``, where langchain-core gives citations their standard form.
"""

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AIMessageChunk, message_to_dict, messages_from_dict

from langchain_pymupdf_coords import CitationLocator, LocatedAnswer, LocatedCitation

PASSENGERS = "The fleet carried 1,482,300 passengers in 2024"
FOUNDED = "It was founded in 1908, owns nine vessels and employs 214 people. "
FARES = "Fares will stay as they are until the end of the year."
PETREL = "The oldest vessel, the Petrel, was sold in March."


def locate(message: AIMessage, documents: list[Document]) -> LocatedAnswer:
    return CitationLocator().invoke({"answer": message, "documents": documents})


def extras_of(message: AIMessage) -> list[dict[str, Any]]:
    return [
        annotation["extras"]
        for block in message.content_blocks
        for annotation in block.get("annotations", [])
        if annotation["type"] == "citation"
    ]


def brief(citation: LocatedCitation) -> tuple[Any, ...]:
    return (
        citation.source_number,
        citation.document_index,
        citation.status,
        citation.verified,
        citation.swapped,
    )


def assert_extras_say_where(located: LocatedAnswer, documents: list[Document]) -> None:
    """The standard citations of the new message say what the typed result says."""
    assert located.message is not None
    extras = extras_of(located.message)
    assert len(extras) == len(located.citations)
    for extra, citation in zip(extras, located.citations, strict=True):
        assert extra["status"] == citation.status
        assert extra["verified"] == citation.verified
        assert extra["swapped"] == citation.swapped
        if citation.match is None:
            assert "page" not in extra
            continue
        assert extra["source"] == documents[citation.document_index or 0].metadata["source"]
        assert extra["page"] == citation.page
        regions = citation.match.to_dict()["regions"]
        assert extra["regions"] == regions
        assert extra["quads"] == regions[0]["quads"]
        assert extra["quads"]


# Anthropic


def anthropic(*blocks: dict[str, Any]) -> AIMessage:
    return AIMessage(
        content=list(blocks),
        id="msg_013Zva2CMHLNnXjNJJKqJ2EF",
        response_metadata={
            "id": "msg_013Zva2CMHLNnXjNJJKqJ2EF",
            "model": "claude-sonnet-4-5-20250929",
            "stop_reason": "end_turn",
            "model_provider": "anthropic",
        },
        usage_metadata={"input_tokens": 1843, "output_tokens": 97, "total_tokens": 1940},
    )


def char_location(text: str, index: int, title: str | None = None) -> dict[str, Any]:
    return {
        "type": "char_location",
        "cited_text": text,
        "document_index": index,
        "document_title": title,
        "file_id": None,
        "start_char_index": 29,
        "end_char_index": 29 + len(text),
    }


ANTHROPIC = anthropic(
    {"type": "text", "text": "According to the report, "},
    {
        "type": "text",
        "text": "the fleet carried about 1.5 million people in 2024",
        "citations": [char_location(PASSENGERS, 1), char_location(FARES, 4)],
    },
    {"type": "text", "text": ", and "},
    {"type": "text", "text": "the company is old", "citations": [char_location(FOUNDED, 0, "Annual report")]},
    {"type": "text", "text": "."},
)


def test_anthropic_documents(report_documents: list[Document]) -> None:
    located = locate(ANTHROPIC, report_documents)
    assert [citation.quote for citation in located.citations] == [PASSENGERS, FARES, FOUNDED]
    assert [brief(citation) for citation in located.citations] == [
        (2, 1, "exact", True, False),
        (5, 4, "exact", True, False),
        (1, 0, "exact", True, False),
    ]
    claims = [located.answer[slice(*citation.answer_span)] for citation in located.citations]
    assert claims == ["the fleet carried about 1.5 million people in 2024"] * 2 + ["the company is old"]
    assert located.answer == ANTHROPIC.text
    assert_extras_say_where(located, report_documents)


def test_new_message_keeps_what_the_provider_said(report_documents: list[Document]) -> None:
    before = ANTHROPIC.model_dump()
    message = locate(ANTHROPIC, report_documents).message
    assert ANTHROPIC.model_dump() == before
    assert message is not None
    assert (message.id, message.text) == (ANTHROPIC.id, ANTHROPIC.text)
    assert message.usage_metadata == ANTHROPIC.usage_metadata
    assert message.response_metadata == {**ANTHROPIC.response_metadata, "output_version": "v1"}
    (first, _, _) = extras_of(message)
    assert (first["document_index"], first["start_char_index"]) == (1, 29)
    old = [{**block, "annotations": None} for block in ANTHROPIC.content_blocks]
    assert [{**block, "annotations": None} for block in message.content_blocks] == old
    (restored,) = messages_from_dict([message_to_dict(message)])
    assert restored.content_blocks == message.content_blocks


def test_anthropic_document_that_was_swapped_or_made_up(report_documents: list[Document]) -> None:
    text = {
        "type": "text",
        "text": "Something.",
        "citations": [
            char_location(PASSENGERS, 3),
            char_location(PASSENGERS, 9),
            char_location("Not there at all", 0),
        ],
    }
    located = locate(anthropic(text), report_documents)
    assert [brief(citation) for citation in located.citations] == [
        (4, 1, "exact", False, True),
        (10, 1, "exact", False, True),
        (1, None, "not_found", False, False),
    ]
    assert_extras_say_where(located, report_documents)


def test_anthropic_pages_of_a_file(report_documents: list[Document]) -> None:
    """A whole PDF was sent: the index is that of a file, and the pages (end excluded) tell the chunks."""

    def page_location(text: str, first: int, end: int) -> dict[str, Any]:
        return {
            "type": "page_location",
            "cited_text": text,
            "document_index": 0,
            "document_title": "report.pdf",
            "file_id": None,
            "start_page_number": first,
            "end_page_number": end,
        }

    broken = PASSENGERS.replace(" passengers", "\r\npassengers")
    cited = [page_location(broken, 1, 2), page_location(FARES, 2, 4), page_location(FARES, 1, 3)]
    located = locate(anthropic({"type": "text", "text": "So.", "citations": cited}), report_documents)
    assert [brief(citation) for citation in located.citations] == [
        (2, 1, "normalized", True, False),
        (5, 4, "exact", True, False),
        (1, 4, "exact", False, True),
    ]


def test_anthropic_search_results_are_known_by_source(report_documents: list[Document]) -> None:
    """A ``search_result`` block has the source; its index counts those of all tool results."""
    source = report_documents[0].metadata["source"]

    def search_result(text: str, name: str, index: int) -> dict[str, Any]:
        return {
            "type": "search_result_location",
            "cited_text": text,
            "source": name,
            "title": "Ferries",
            "search_result_index": index,
            "start_block_index": 0,
            "end_block_index": 1,
        }

    block = {
        "type": "text",
        "text": "So.",
        "citations": [search_result(PASSENGERS, source, 40), search_result(PASSENGERS, "other.pdf", 1)],
    }
    located = locate(anthropic(block), report_documents)
    assert [brief(citation) for citation in located.citations] == [
        (2, 1, "exact", True, False),
        (2, 1, "exact", True, False),
    ]
    first, second = extras_of(located.message) if located.message else []
    assert "cited_source" not in first
    assert (second["source"], second["cited_source"]) == (source, "other.pdf")


def test_anthropic_quotation_in_the_answer_is_checked_too(report_documents: list[Document]) -> None:
    block = {
        "type": "text",
        "text": "It says that it “carried 1,482,300 passengers” and that “profits doubled”.",
        "citations": [char_location(PASSENGERS, 1)],
    }
    located = locate(anthropic(block), report_documents)
    assert [(c.quote, c.status) for c in located.citations] == [
        (PASSENGERS, "exact"),
        ("profits doubled", "not_found"),
    ]
    assert_extras_say_where(located, report_documents)


def test_quotation_in_a_later_block_is_cited_there(report_documents: list[Document]) -> None:
    message = anthropic(
        {"type": "text", "text": "As it says, "}, {"type": "text", "text": f"“{PETREL}” is true."}
    )
    located = locate(message, report_documents)
    assert located.message is not None
    first, second = located.message.content_blocks
    assert "annotations" not in first
    (annotation,) = second["annotations"]
    assert second["text"][annotation["start_index"] : annotation["end_index"]] == PETREL


def test_citation_that_is_streamed_before_its_text(report_documents: list[Document]) -> None:
    cited = {"type": "text", "index": 0, "citations": [char_location(PASSENGERS, 1)]}
    texts = ["It “carried 1,482,300 passengers”. ", "That is ", "much."]
    deltas = [cited, *({"type": "text", "text": text, "index": 0} for text in texts)]
    provider = {"model_provider": "anthropic"}
    chunks = [AIMessageChunk(content=[delta], response_metadata=provider) for delta in deltas]
    steps = [{"documents": report_documents}, *({"answer": chunk} for chunk in chunks)]
    parts = list(CitationLocator().transform(iter(steps)))
    assert [citation.quote for part in parts for citation in part.citations] == [PASSENGERS]


def anthropic_chunks() -> list[AIMessageChunk]:
    """``ANTHROPIC`` as it is streamed: text deltas, then each citation in a delta of its own."""
    metadata = {"model_provider": "anthropic"}
    chunks = [AIMessageChunk(content=[], response_metadata=metadata)]
    for index, block in enumerate(ANTHROPIC.content):
        assert isinstance(block, dict)
        for at in range(0, len(block["text"]), 9):
            delta = {"type": "text", "text": block["text"][at : at + 9], "index": index}
            chunks.append(AIMessageChunk(content=[delta], response_metadata=metadata))
        for citation in block.get("citations", []):
            delta = {"type": "text", "index": index, "citations": [citation]}
            chunks.append(AIMessageChunk(content=[delta], response_metadata=metadata))
    return [
        *chunks,
        AIMessageChunk(content=[], response_metadata={"stop_reason": "end_turn"}, chunk_position="last"),
    ]


def test_anthropic_stream(report_documents: list[Document]) -> None:
    stream = iter([{"documents": report_documents}, *({"answer": chunk} for chunk in anthropic_chunks())])
    first, *rest = CitationLocator().transform(stream)
    total = first
    seen = []
    for part in rest:
        total += part
        seen += [(total.answer, citation.quote) for citation in part.citations]
    whole = locate(ANTHROPIC, report_documents)
    assert total.citations == whole.citations
    assert total.answer == whole.answer
    assert total.documents == whole.documents
    assert total.message is not None
    assert whole.message is not None
    assert extras_of(total.message) == extras_of(whole.message)
    # Those of a block come with the first text of the next.
    assert seen[0][0] == "According to the report, the fleet carried about 1.5 million people in 2024, and "
    assert seen[2][0].endswith("the company is old.")


# Google


def google(text: str, supports: list[dict[str, Any]], chunks: list[dict[str, Any]]) -> AIMessage:
    return AIMessage(
        content=text,
        id="lc_run--0f1e",
        response_metadata={
            "finish_reason": "STOP",
            "model_name": "gemini-2.5-flash",
            "safety_ratings": [],
            "grounding_metadata": {
                "grounding_chunks": chunks,
                "grounding_supports": supports,
                "web_search_queries": [],
                "retrieval_queries": None,
            },
            "model_provider": "google_genai",
        },
    )


def support(text: str, segment: str, *indices: int) -> dict[str, Any]:
    """A grounding support: offsets count bytes of UTF-8, and a start of 0 is left out."""
    start = len(text[: text.index(segment)].encode())
    given: dict[str, Any] = {"end_index": start + len(segment.encode()), "text": segment, "part_index": None}
    if start:
        given["start_index"] = start
    return {"segment": given, "grounding_chunk_indices": list(indices), "confidence_scores": None}


def retrieved(title: str, uri: str = "") -> dict[str, Any]:
    """A chunk of Vertex RAG or of Gemini's file search."""
    return {"web": None, "retrieved_context": {"title": title, "uri": uri or None, "text": "…"}}


def test_google_segments_are_of_the_answer_and_count_bytes(report_documents: list[Document]) -> None:
    text = f"Für 2025 gilt: {FARES} Übrigens heißt es: „{PETREL}“ Und: alles wird größer."
    segments = [f"Für 2025 gilt: {FARES}", f"Übrigens heißt es: „{PETREL}“", "Und: alles wird größer."]
    message = google(
        text,
        [support(text, segments[0], 0), support(text, segments[1], 0, 1), support(text, segments[2], 1)],
        [retrieved("report.pdf"), retrieved("other", "gs://bucket/other.pdf")],
    )
    located = locate(message, report_documents)
    assert [(c.quote, c.quoted, *brief(c)) for c in located.citations] == [
        (segments[0], False, 1, None, "not_found", False, False),
        (PETREL, True, 2, 1, "exact", True, False),
        (PETREL, True, None, 1, "exact", False, True),
        (segments[2], False, None, None, "not_found", False, False),
    ]
    for citation in located.citations:
        assert text[slice(*citation.answer_span)] == citation.quote
    assert_extras_say_where(located, report_documents)


def test_google_segment_that_is_the_source_s_own_words(report_documents: list[Document]) -> None:
    message = google(
        FARES, [support(FARES, FARES, 0)], [retrieved("Report", "https://example.org/files/Report.pdf")]
    )
    (citation,) = locate(message, report_documents).citations
    assert (citation.quoted, *brief(citation)) == (False, 5, 4, "exact", True, False)


def test_google_segment_without_its_text(report_documents: list[Document]) -> None:
    text = f"Überführung für größere Schiffe. {FARES} Ärger."
    given = support(text, FARES, 0)
    del given["segment"]["text"]
    (citation,) = locate(google(text, [given], [retrieved("report.pdf")]), report_documents).citations
    assert text[slice(*citation.answer_span)] == citation.quote == FARES
    assert brief(citation) == (5, 4, "exact", True, False)


def test_google_search_names_web_pages_and_not_our_documents(report_documents: list[Document]) -> None:
    web = {"web": {"uri": "https://vertexaisearch.cloud.google.com/x", "title": "example.org"}, "maps": None}
    (citation,) = locate(google(FARES, [support(FARES, FARES, 0)], [web]), report_documents).citations
    assert brief(citation) == (None, 4, "exact", False, True)


@pytest.mark.parametrize("content", [[FARES], [{"type": "text", "text": FARES}]])
def test_google_content_as_a_list(report_documents: list[Document], content: Any) -> None:
    message = google("", [support(FARES, FARES, 0)], [retrieved("report.pdf")])
    message = message.model_copy(update={"content": content})
    located = locate(message, report_documents)
    assert brief(located.citations[0]) == (5, 4, "exact", True, False)
    assert message.content == content


def test_google_stream_brings_the_sources_last(report_documents: list[Document]) -> None:
    text = f"It says: “{PETREL}” That is all."
    whole = google(text, [support(text, f"It says: “{PETREL}”", 0)], [retrieved("other.pdf")])
    provider = {"model_provider": "google_genai"}
    chunks = [AIMessageChunk(text[at : at + 8], response_metadata=provider) for at in range(0, len(text), 8)]
    grounding = {"grounding_metadata": whole.response_metadata["grounding_metadata"]}
    chunks.append(AIMessageChunk("", response_metadata={**grounding, "finish_reason": "STOP"}))
    steps = [{"documents": report_documents}, *({"answer": chunk} for chunk in chunks)]
    parts = list(CitationLocator().transform(iter(steps)))
    early = [citation for part in parts[:-1] for citation in part.citations]
    assert [(c.quote, c.verified) for c in early] == [(PETREL, True)]
    # The source that is named in the end is another one: the quote comes again, with what is known now.
    assert [(c.quote, c.verified, c.swapped) for c in parts[-1].citations] == [(PETREL, False, True)]


# OpenAI


def openai(text: str, *annotations: dict[str, Any]) -> AIMessage:
    search = {
        "type": "file_search_call",
        "id": "fs_68c7",
        "queries": ["passengers 2024"],
        "results": None,
        "status": "completed",
    }
    answer = {"type": "text", "text": text, "annotations": list(annotations), "id": "msg_68c7"}
    return AIMessage(
        content=[search, answer],
        id="resp_68c7",
        response_metadata={
            "id": "resp_68c7",
            "model": "gpt-4.1-2025-04-14",
            "model_name": "gpt-4.1-2025-04-14",
            "model_provider": "openai",
            "object": "response",
            "status": "completed",
        },
    )


def file_citation(index: int, filename: str = "report.pdf") -> dict[str, Any]:
    return {"type": "file_citation", "file_id": "file-2dtbBZ", "filename": filename, "index": index}


def test_openai_file_citations_stand_where_their_marks_are(report_documents: list[Document]) -> None:
    text = f"They carried many. {FARES} The report says “{PASSENGERS}” and “profits doubled”. That was good."
    ends = [text.index(end) + len(end) for end in ("many.", "the year.", "doubled”.")]
    cited = [
        file_citation(ends[0]),
        file_citation(ends[1]),
        file_citation(ends[2]),
        file_citation(ends[1], "b.pdf"),
    ]
    located = locate(openai(text, *cited), report_documents)
    assert [(c.quote, c.quoted, *brief(c)) for c in located.citations] == [
        ("They carried many.", False, 1, None, "not_found", False, False),
        (FARES, False, 5, 4, "exact", True, False),
        (PASSENGERS, True, 2, 1, "exact", True, False),
        ("profits doubled", True, 1, None, "not_found", False, False),
        (FARES, False, None, 4, "exact", False, True),
    ]
    for citation in located.citations:
        assert text[slice(*citation.answer_span)] == citation.quote
    assert located.message is not None
    block = located.message.content_blocks[-1]
    assert [a["extras"].get("file_id") for a in block["annotations"]] == ["file-2dtbBZ"] * 4 + [None]
    assert block["annotations"][1]["cited_text"] == FARES  # the words of the source, which OpenAI leaves out
    assert "cited_text" not in block["annotations"][0]


def test_openai_marks_in_the_text_are_no_claims_of_their_own(report_documents: list[Document]) -> None:
    text = f"{FARES}【4:0†report.pdf】 The rest is silence."
    located = locate(openai(text, file_citation(len(FARES))), report_documents)
    assert [(c.quote, *brief(c)) for c in located.citations] == [(FARES, 5, 4, "exact", True, False)]


def test_openai_url_citation_covers_its_link(report_documents: list[Document]) -> None:
    link = "([example.org](https://example.org/report.pdf?utm_source=openai))"
    text = f"{FARES} {link} The rest is silence."
    citation = {
        "type": "url_citation",
        "url": "https://example.org/report.pdf?utm_source=openai",
        "title": "The report",
        "start_index": text.index(link),
        "end_index": text.index(link) + len(link),
    }
    located = locate(openai(text, citation), report_documents)
    assert [(c.quote, *brief(c)) for c in located.citations] == [(FARES, 5, 4, "exact", True, False)]
    assert_extras_say_where(located, report_documents)


def test_openai_url_citation_covers_a_claim(report_documents: list[Document]) -> None:
    text = f"So: {FARES} The rest is silence."
    start = text.index(FARES)
    url = "https://example.org/else.pdf"
    citation = {
        "type": "url_citation",
        "url": url,
        "title": "",
        "start_index": start,
        "end_index": start + len(FARES),
    }
    (found,) = locate(openai(text, citation), report_documents).citations
    assert (found.quote, *brief(found)) == (FARES, None, 4, "exact", False, True)


def test_openai_quote_of_the_source(report_documents: list[Document]) -> None:
    quoted = {**file_citation(7), "quote": PASSENGERS}
    (citation,) = locate(openai("It did.", quoted), report_documents).citations
    assert (citation.quote, citation.quoted, *brief(citation)) == (
        PASSENGERS,
        True,
        2,
        1,
        "exact",
        True,
        False,
    )


def test_openai_chat_completion_with_marks_in_its_text(report_documents: list[Document]) -> None:
    message = AIMessage(f"It says “{PETREL}” [2].", response_metadata={"model_provider": "openai"})
    located = locate(message, report_documents)
    assert [brief(citation) for citation in located.citations] == [(2, 1, "exact", True, False)]
    assert_extras_say_where(located, report_documents)
    (block,) = located.message.content_blocks if located.message else []
    (annotation,) = block["annotations"]
    assert (
        block["text"][annotation["start_index"] : annotation["end_index"]]
        == PETREL
        == annotation["cited_text"]
    )


# Others


def test_bedrock_converse(report_documents: list[Document]) -> None:
    cited = {
        "title": "report.pdf",
        "source_content": [{"text": PASSENGERS}, {"text": ", which is 6.2 percent more"}],
        "location": {"document_char": {"document_index": 0, "start": 29, "end": 75}},
    }
    message = AIMessage(
        content=[{"type": "text", "text": "Many.", "citations": [cited]}],
        response_metadata={"model_provider": "bedrock_converse"},
    )
    located = locate(message, report_documents)
    assert [brief(citation) for citation in located.citations] == [(2, 1, "exact", True, False)]
    assert_extras_say_where(located, report_documents)


def test_message_of_standard_blocks(report_documents: list[Document]) -> None:
    citation = {"type": "citation", "cited_text": PETREL, "start_index": 0, "end_index": 4, "title": "report"}
    message = AIMessage(content_blocks=[{"type": "text", "text": "Sold!", "annotations": [citation]}])
    located = locate(message, report_documents)
    assert [(c.answer_span, *brief(c)) for c in located.citations] == [((0, 4), 2, 1, "exact", True, False)]
    assert_extras_say_where(located, report_documents)


def test_what_is_no_citation_is_left_alone(report_documents: list[Document]) -> None:
    message = anthropic(
        {"type": "thinking", "thinking": f"“{FARES}”", "signature": "x"},
        {"type": "text", "text": "So.", "citations": [{"bar": "baz"}, char_location(PETREL, 1)]},
        {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"query": "x"}},
        {"type": "something_else", "foo": "bar"},
    )
    message.tool_calls = [{"name": "search", "args": {"query": "x"}, "id": "toolu_1", "type": "tool_call"}]
    located = locate(message, report_documents)
    assert [citation.quote for citation in located.citations] == [PETREL]
    assert located.message is not None
    types = [block["type"] for block in located.message.content_blocks]
    assert types == ["reasoning", "text", "tool_call", "non_standard"]
    annotations = located.message.content_blocks[1]["annotations"]
    assert annotations[0] == {"type": "non_standard_annotation", "value": {"bar": "baz"}}
    assert located.message.tool_calls == message.tool_calls


@pytest.mark.parametrize(
    "annotation",
    [
        {"type": "citation"},
        {"type": "citation", "cited_text": None, "extras": None, "title": 7},
        {
            "type": "citation",
            "start_index": -4,
            "end_index": "x",
            "extras": {"index": "x", "document_index": True},
        },
        {"type": "citation", "start_index": 90, "end_index": 99, "extras": {"google_ai_metadata": 7}},
        {
            "type": "citation",
            "cited_text": "not in it",
            "extras": {"google_ai_metadata": {"grounding_chunk_index": 9}},
        },
        {"type": "citation", "extras": {"index": 10**30, "start_page_number": 5, "end_page_number": 1}},
    ],
)
def test_odd_annotations_are_kept_and_flagged(report_documents: list[Document], annotation: Any) -> None:
    message = AIMessage(
        content=[{"type": "text", "text": "Nothing of the kind.", "annotations": [annotation]}],
        response_metadata={"output_version": "v1", "grounding_metadata": {"grounding_chunks": [None]}},
    )
    located = locate(message, report_documents)
    (citation,) = located.citations
    assert citation.status == "not_found"
    assert not citation.quoted
    assert_extras_say_where(located, report_documents)


def test_empty_message(report_documents: list[Document]) -> None:
    located = locate(AIMessage(""), report_documents)
    assert (located.answer, located.citations) == ("", ())
