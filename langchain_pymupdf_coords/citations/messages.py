"""Chat messages with citations: those of a provider read, and our own written with their places.

``langchain-core`` gives the citations of providers one form, but they do not mean the same:

- Anthropic and Bedrock cite an excerpt of a source, ``cited_text``, for a whole text block.
- Google's ``cited_text`` is a segment of the *answer*, with offsets in bytes; the source is only named.
- OpenAI names the source and where in the answer its mark stands, and seldom quotes anything.

Where nothing of the source is quoted, the quotations in that part of the answer are looked for, or else what
it says there in its own words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AIMessageChunk, message_chunk_to_message

from langchain_pymupdf_coords.citations.cited_quotes import (
    CitedQuote,
    ParsedAnswer,
    SourceRequest,
    plain_quotes,
)
from langchain_pymupdf_coords.citations.quotations import MARK, Segment, Span, segments, without_marks
from langchain_pymupdf_coords.citations.results import LocatedCitation

_LINK = r"\(?\[[^\[\]]*\]\([^()\s]*\)\)?"

_ONLY_MARKS = re.compile(rf"[\s(]*(?:(?:{_LINK}|{MARK})[\s,;)]*)*")


def parse_message(message: AIMessage) -> ParsedAnswer:
    """Read a chat message, of whatever provider."""
    quotes: list[CitedQuote] = []
    text = ""
    for index, block in enumerate(content_blocks(message)):
        if block.get("type") == "text":
            quotes += block_quotes(message, index, block, len(text))
            text += block.get("text") or ""
    return ParsedAnswer(text, tuple(quotes), message)


def block_quotes(
    message: AIMessage, index: int, block: Mapping[str, Any], offset: int
) -> Iterator[CitedQuote]:
    """Yield the quotes of a content block, none if it is not of text.

    Args:
        message: The message.
        index: Index of the block.
        block: The block.
        offset: Where its text begins in the text of the answer.
    """
    if block.get("type") == "text":
        yield from _BlockReader(message, index, block, offset).quotes()


def content_blocks(message: AIMessage) -> list[dict[str, Any]]:
    """Return the standard content blocks of a message, copied as deep as annotations are."""
    blocks = [dict(cast("Mapping[str, Any]", block)) for block in message.content_blocks]
    for block in blocks:
        if isinstance(annotations := block.get("annotations"), list):
            block["annotations"] = [dict(annotation) for annotation in annotations]
    return blocks


class _BlockReader:
    """Reads a text block: first its citations, then what else is quoted in its text."""

    def __init__(self, message: AIMessage, index: int, block: Mapping[str, Any], offset: int) -> None:
        self._message = message
        self._index = index
        self._text: str = block.get("text") or ""
        self._offset = offset
        self._annotations: Sequence[Mapping[str, Any]] = block.get("annotations") or ()
        self._segments = list(segments(self._text))

    def quotes(self) -> Iterator[CitedQuote]:
        excerpts: list[str] = []
        claims: list[Span] = []
        for number, annotation in enumerate(self._annotations):
            if annotation.get("type") != "citation":
                continue
            place = self._index, number
            if cited := _excerpt(annotation):
                excerpts.append(cited)
                span = self._given_span(annotation) or (0, len(self._text))
                yield CitedQuote(cited, _request(annotation), True, self._shifted(span), place)
            else:
                claims.append(self._claim_span(annotation))
                yield from self._claim(claims[-1], self._request(annotation), place)
        for segment in self._segments:
            yield from plain_quotes(_without(segment, excerpts, claims), self._offset)

    def _request(self, annotation: Mapping[str, Any]) -> SourceRequest:
        request = _request(annotation)
        names = request.names + tuple(_retrieved_names(self._message, annotation))
        return SourceRequest(request.number, names, request.pages)

    def _claim(self, claim: Span, request: SourceRequest, place: tuple[int, int]) -> Iterator[CitedQuote]:
        """Yield the quotations in a part of the answer, or else the part."""
        quotations = [
            quotation
            for segment in self._segments
            for quotation in segment.quotations
            if quotation.quoted and claim[0] <= quotation.span[0] and quotation.span[1] <= claim[1]
        ]
        for quotation in quotations:
            yield CitedQuote(quotation.text, request, True, self._shifted(quotation.span), place)
        if not quotations:
            words = without_marks(re.sub(_LINK, "", self._text[slice(*claim)])).strip()
            yield CitedQuote(words, request, False, self._shifted(claim), place)

    def _given_span(self, annotation: Mapping[str, Any]) -> Span | None:
        """The part of the text that an annotation says it is for. Google counts bytes."""
        start, end = annotation.get("start_index", 0), annotation.get("end_index")
        if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start <= end:
            return None
        if _is_google(annotation):
            data = self._text.encode("utf-8", errors="surrogatepass")
            before = data[:start].decode("utf-8", errors="ignore")
            start, end = len(before), len(data[:end].decode("utf-8", errors="ignore"))
        return start, min(end, len(self._text))

    def _claim_span(self, annotation: Mapping[str, Any]) -> Span:
        """What an annotation without an excerpt stands for: its part of the text, or that before its mark."""
        cited, span = annotation.get("cited_text"), self._given_span(annotation)
        if isinstance(cited, str) and cited and (span is None or self._text[slice(*span)] != cited):
            start = self._text.find(cited)
            span = (start, start + len(cited)) if start >= 0 else span
        if span is not None and not _ONLY_MARKS.fullmatch(self._text[slice(*span)]):
            return span
        index = _extras_of(annotation).get("index")
        at = span[0] if span is not None else index if isinstance(index, int) else len(self._text)
        return self._before(at)

    def _before(self, at: int) -> Span:
        """The last segment with any words before a place, up to that place."""
        for segment in reversed(self._segments):
            start, end = segment.span[0], min(segment.span[1], at)
            if start < end and not _ONLY_MARKS.fullmatch(self._text, start, end):
                return start + len(self._text[start:end]) - len(self._text[start:end].lstrip()), end
        return 0, len(self._text)

    def _shifted(self, span: Span) -> Span:
        return span[0] + self._offset, span[1] + self._offset


def _without(segment: Segment, excerpts: Sequence[str], claims: Sequence[Span]) -> Segment:
    """A segment without what its block's citations have already given."""
    left = [
        quotation
        for quotation in segment.quotations
        if not any(quotation.text in excerpt for excerpt in excerpts)
        and not any(start < quotation.span[1] and quotation.span[0] < end for start, end in claims)
    ]
    return Segment(segment.span, tuple(left))


def _excerpt(annotation: Mapping[str, Any]) -> str:
    """What an annotation quotes from a source; empty if it quotes nothing."""
    # OpenAI's older file citations have a quote.
    given = annotation.get("cited_text") or _extras_of(annotation).get("quote")
    return given if isinstance(given, str) and not _is_google(annotation) else ""


def _request(annotation: Mapping[str, Any]) -> SourceRequest:
    extras = _extras_of(annotation)
    names = [annotation.get("title"), annotation.get("url"), extras.get("source")]
    indices = (_index(extras.get(key)) for key in ("document_index", "search_result_index"))
    index = next((index for index in indices if index is not None), None)
    first, end = (_index(extras.get(f"{edge}_page_number")) for edge in ("start", "end"))
    pages = None if first is None else (first, max(first, (end or 0) - 1))  # the end is exclusive
    number = None if index is None else index + 1
    return SourceRequest(number, tuple(name for name in names if isinstance(name, str) and name), pages)


def _retrieved_names(message: AIMessage, annotation: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the passage that Google grounds a segment in, which langchain-core leaves out."""
    metadata = message.response_metadata.get("grounding_metadata")
    chunks = metadata.get("grounding_chunks") if isinstance(metadata, Mapping) else None
    google = _extras_of(annotation).get("google_ai_metadata")
    number = google.get("grounding_chunk_index") if isinstance(google, Mapping) else None
    if not isinstance(chunks, list) or not isinstance(number, int) or not 0 <= number < len(chunks):
        return
    passage = chunks[number].get("retrieved_context") if isinstance(chunks[number], Mapping) else None
    for key in ("title", "uri", "document_name"):
        if isinstance(passage, Mapping) and isinstance(name := passage.get(key), str) and name:
            yield name


def _is_google(annotation: Mapping[str, Any]) -> bool:
    return "google_ai_metadata" in _extras_of(annotation)


def _extras_of(annotation: Mapping[str, Any]) -> Mapping[str, Any]:
    extras = annotation.get("extras")
    return extras if isinstance(extras, Mapping) else {}


def _index(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


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
