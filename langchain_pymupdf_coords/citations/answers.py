"""A model's answer in any of its forms, read."""

from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.messages import AIMessage
from pydantic import ValidationError

from langchain_pymupdf_coords.citations.cited_quotes import (
    CitedQuote,
    ParsedAnswer,
    SourceRequest,
    plain_quotes,
)
from langchain_pymupdf_coords.citations.messages import parse_message
from langchain_pymupdf_coords.citations.quotations import segments
from langchain_pymupdf_coords.citations.schema import QuotedAnswer, SourceQuote
from langchain_pymupdf_coords.errors import OptionError

Answer = QuotedAnswer | AIMessage | str | Mapping[str, Any]


def parse_answer(answer: Answer) -> ParsedAnswer:
    """Read an answer in any of its forms.

    Raises:
        OptionError: It has none of them.
    """
    if isinstance(answer, Mapping) and "parsed" in answer and "raw" in answer:
        # What with_structured_output(..., include_raw=True) gives.
        answer = answer["raw"] if answer["parsed"] is None else answer["parsed"]
    if isinstance(answer, str):
        return ParsedAnswer(answer, tuple(_quotes_in(answer)))
    if isinstance(answer, AIMessage):
        return parse_message(answer)
    if isinstance(answer, QuotedAnswer | Mapping):
        return _parse_quoted_answer(answer)
    raise OptionError(f"answer must be a QuotedAnswer, an AIMessage or a str, not {type(answer).__name__}")


def _parse_quoted_answer(answer: QuotedAnswer | Mapping[str, Any]) -> ParsedAnswer:
    """Read a ``QuotedAnswer`` or its dict: its citations, and what its text quotes beyond them."""
    if not isinstance(answer, QuotedAnswer):
        try:
            answer = QuotedAnswer.model_validate(dict(answer))
        except ValidationError as cause:
            raise OptionError(f"answer is not a QuotedAnswer: {cause}") from cause
    quotes = [cited_quote(citation) for citation in answer.citations]
    return ParsedAnswer(answer.answer, (*quotes, *_only_in_text(answer)))


def cited_quote(citation: SourceQuote) -> CitedQuote:
    """Return a citation of a ``QuotedAnswer`` as a quote."""
    return CitedQuote(citation.quote, SourceRequest(citation.source))


def _only_in_text(answer: QuotedAnswer) -> Iterator[CitedQuote]:
    """Yield what the text quotes, or marks with a source, without a citation for it."""
    for quote in _quotes_in(answer.answer):
        if quote.quoted:
            cited = any(quote.text in citation.quote for citation in answer.citations)
        else:
            cited = any(quote.request.number == citation.source for citation in answer.citations)
        if not cited:
            yield quote


def _quotes_in(text: str) -> Iterator[CitedQuote]:
    """Yield what a plain text quotes, or marks with a source."""
    for segment in segments(text):
        yield from plain_quotes(segment)
