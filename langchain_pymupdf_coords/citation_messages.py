"""An answer as a chat message of standard content blocks, whose citations say where they are."""

from collections.abc import Sequence
from typing import Any, cast

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AIMessageChunk, message_chunk_to_message

from langchain_pymupdf_coords.answer_messages import content_blocks
from langchain_pymupdf_coords.answer_parsing import ParsedAnswer
from langchain_pymupdf_coords.citation_results import LocatedCitation

Block = dict[str, Any]


def cited_message(
    answer: ParsedAnswer, citations: Sequence[LocatedCitation], documents: Sequence[Document]
) -> AIMessage:
    """Return the answer as a new message with located citations.

    Each citation of the answer's own message gets ``extras``; each other quote becomes a citation of the text
    block that it is in. ``response_metadata["output_version"]`` is ``"v1"``, since the content is standard.

    Args:
        answer: The answer, read.
        citations: Its quotes in the same order, located.
        documents: The Documents that they were looked for in.
    """
    blocks: list[Block] = [{"type": "text", "text": answer.text}]
    if answer.message is not None:
        blocks = content_blocks(answer.message)
    written: set[tuple[int, int]] = set()
    for quote, citation in zip(answer.quotes, citations, strict=True):
        if quote.annotation is None or quote.annotation in written:
            _add(blocks, citation, documents)
        else:
            block, number = quote.annotation
            written.add(quote.annotation)
            blocks[block]["annotations"][number] |= _located(citation, documents, blocks[block], number)
    return _message(answer.message, blocks)


def _message(original: AIMessage | None, blocks: Sequence[Block]) -> AIMessage:
    if original is None:
        return AIMessage(content=list(blocks), response_metadata={"output_version": "v1"})
    whole = message_chunk_to_message(original) if isinstance(original, AIMessageChunk) else original
    metadata = {**original.response_metadata, "output_version": "v1"}
    update = {"content": list(blocks), "response_metadata": metadata}
    return cast("AIMessage", whole.model_copy(update=update))


def _located(
    citation: LocatedCitation, documents: Sequence[Document], block: Block, number: int
) -> dict[str, Any]:
    """What to add to a citation of a provider: nothing of its own is lost."""
    given = block["annotations"][number]
    extras = {**(given.get("extras") or {})}
    added = _extras(citation, documents)
    if "source" in extras and extras["source"] != added.get("source", extras["source"]):
        extras["cited_source"] = extras["source"]
    new: dict[str, Any] = {"extras": {**extras, **added}}
    if "cited_text" not in given and citation.match is not None:
        new["cited_text"] = citation.match.text
    return new


def _add(blocks: Sequence[Block], citation: LocatedCitation, documents: Sequence[Document]) -> None:
    """Add a citation to the text block that has the quote, or else to the first."""
    offset, chosen, span = 0, None, citation.answer_span
    for block in blocks:
        if block.get("type") != "text":
            continue
        length = len(block.get("text") or "")
        if chosen is None or (span is not None and offset <= span[0] < offset + length):
            chosen = block, offset
        offset += length
    if chosen is None:
        return
    block, start = chosen
    annotation: dict[str, Any] = {"type": "citation"}
    if citation.quoted:
        annotation["cited_text"] = citation.quote
    elif citation.match is not None:
        annotation["cited_text"] = citation.match.text
    if span is not None:
        annotation |= {"start_index": span[0] - start, "end_index": span[1] - start}
    block.setdefault("annotations", []).append({**annotation, "extras": _extras(citation, documents)})


def _extras(citation: LocatedCitation, documents: Sequence[Document]) -> dict[str, Any]:
    extras: dict[str, Any] = {
        "status": citation.status,
        "verified": citation.verified,
        "confirmed": citation.confirmed,
        "swapped": citation.swapped,
        "relocated": citation.relocated,
    }
    if citation.match is None or citation.document_index is None:
        return extras
    regions = citation.match.to_dict()["regions"]
    extras |= {
        "document_index": citation.document_index,
        "precision": citation.match.precision,
        "regions": regions,
    }
    if isinstance(source := documents[citation.document_index].metadata.get("source"), str):
        extras["source"] = source
    if regions:
        extras |= {"page": regions[0]["page"], "quads": regions[0]["quads"]}
    return extras
