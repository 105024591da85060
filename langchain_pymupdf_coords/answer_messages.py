"""The quotes of a chat message: the citations that providers attach to it, and its text.

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

from langchain_core.messages import AIMessage

from langchain_pymupdf_coords.answer_parsing import (
    CitedQuote,
    ParsedAnswer,
    SourceRequest,
    plain_quotes,
)
from langchain_pymupdf_coords.answer_quotations import Segment, Span, segments
from langchain_pymupdf_coords.source_marks import MARK, without_marks

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
        index = _extras(annotation).get("index")
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
    given = annotation.get("cited_text") or _extras(annotation).get("quote")
    return given if isinstance(given, str) and not _is_google(annotation) else ""


def _request(annotation: Mapping[str, Any]) -> SourceRequest:
    extras = _extras(annotation)
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
    google = _extras(annotation).get("google_ai_metadata")
    number = google.get("grounding_chunk_index") if isinstance(google, Mapping) else None
    if not isinstance(chunks, list) or not isinstance(number, int) or not 0 <= number < len(chunks):
        return
    passage = chunks[number].get("retrieved_context") if isinstance(chunks[number], Mapping) else None
    for key in ("title", "uri", "document_name"):
        if isinstance(passage, Mapping) and isinstance(name := passage.get(key), str) and name:
            yield name


def _is_google(annotation: Mapping[str, Any]) -> bool:
    return "google_ai_metadata" in _extras(annotation)


def _extras(annotation: Mapping[str, Any]) -> Mapping[str, Any]:
    extras = annotation.get("extras")
    return extras if isinstance(extras, Mapping) else {}


def _index(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None
