"""An answer that comes in parts, and the quotes in it that are complete."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AIMessageChunk
from pydantic import ValidationError

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.citations.answers import (
    cited_quote,
    parse_answer,
)
from langchain_pymupdf_coords.citations.cited_quotes import CitedQuote, ParsedAnswer, plain_quotes
from langchain_pymupdf_coords.citations.messages import block_quotes, content_blocks
from langchain_pymupdf_coords.citations.quotations import segments
from langchain_pymupdf_coords.citations.schema import QuotedAnswer, SourceQuote


@dataclass(slots=True)
class AnswerStream:
    """Puts the parts of an answer together and gives each quote once it is complete.

    Attributes:
        documents: The Documents, once they have come.
    """

    documents: tuple[Document, ...] | None = None
    _answer: Any = None
    _shown: int = 0
    _block: int = 0
    _read: int = 0
    _given: list[CitedQuote] = field(default_factory=list)

    def add(self, part: Mapping[str, Any]) -> None:
        """Take a part of the input: Documents, a part of the answer, or both.

        Strings and message chunks add up; of objects such as ``QuotedAnswer`` each replaces the one before.
        """
        if part.get("documents") is not None:
            new = checks.several_documents("documents", part["documents"])
            self.documents = (*(self.documents or ()), *new)
        answer = part.get("answer")
        if answer is not None:
            adds_up = isinstance(answer, str | AIMessageChunk) and self._answer is not None
            self._answer = self._answer + answer if adds_up else answer

    @property
    def has_begun(self) -> bool:
        """Whether any part of the answer has come."""
        return self._answer is not None

    def new_text(self) -> str:
        """Return what of the answer's text has come since the last call."""
        text = _text(self._answer)
        new = text[self._shown :]
        self._shown = max(self._shown, len(text))
        return new

    def complete_quotes(self) -> list[CitedQuote]:
        """Return the quotes that are complete since the last call."""
        if isinstance(self._answer, str):
            return self._new(self._plain(self._answer, 0))
        if isinstance(self._answer, AIMessage):
            return self._new(self._of_message(self._answer))
        return self._new(_complete_citations(self._answer))

    def finish(self) -> tuple[ParsedAnswer, list[CitedQuote]]:
        """Return the whole answer, and those of its quotes that have not been returned before.

        Raises:
            OptionError: It has none of the forms of an answer.
        """
        parsed = parse_answer(self._answer)
        return parsed, self._new(parsed.quotes)

    def _new(self, quotes: Iterable[CitedQuote]) -> list[CitedQuote]:
        new = list((Counter(quotes) - Counter(self._given)).elements())
        self._given += new
        return new

    def _plain(self, text: str, offset: int) -> Iterator[CitedQuote]:
        """Yield the quotes of the segments of a text that are complete."""
        for segment in segments(text, self._read, complete=False):
            self._read = segment.span[1]
            yield from plain_quotes(segment, offset)

    def _of_message(self, message: AIMessage) -> Iterator[CitedQuote]:
        """Yield the quotes of complete blocks, and of a last one that has no citations so far."""
        offset = 0
        blocks = content_blocks(message)
        for index, block in enumerate(blocks):
            text = block.get("text") or "" if block.get("type") == "text" else ""
            if index == len(blocks) - 1 and not block.get("annotations"):
                yield from self._plain(text, offset)
            elif self._block <= index < len(blocks) - 1:
                self._block, self._read = index + 1, 0
                yield from block_quotes(message, index, block, offset)
            offset += len(text)


def _text(answer: object) -> str:
    if isinstance(answer, AIMessage):
        return str(answer.text)
    if isinstance(answer, QuotedAnswer):
        return answer.answer
    text = answer.get("answer") if isinstance(answer, Mapping) else answer
    return text if isinstance(text, str) else ""


def _complete_citations(answer: object) -> Iterator[CitedQuote]:
    """Yield the citations of a partial ``QuotedAnswer`` or its dict; the last one may still grow."""
    citations = answer.get("citations") if isinstance(answer, Mapping) else getattr(answer, "citations", ())
    for citation in (citations or ())[:-1]:
        try:
            yield cited_quote(SourceQuote.model_validate(citation))
        except ValidationError:
            continue  # the whole answer is checked when it has come
