"""From a model's answer to citations that are located on the page, or flagged."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import Document
from langchain_core.runnables import Runnable, RunnableConfig
from typing_extensions import TypedDict  # pydantic, which makes the schema of it, takes no other

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.async_streams import run_in_background
from langchain_pymupdf_coords.citations.answers import Answer, parse_answer
from langchain_pymupdf_coords.citations.cited_quotes import ParsedAnswer
from langchain_pymupdf_coords.citations.messages import cited_message
from langchain_pymupdf_coords.citations.results import LocatedAnswer, LocatedCitation
from langchain_pymupdf_coords.citations.streams import AnswerStream
from langchain_pymupdf_coords.citations.verifying import CitationPlacer
from langchain_pymupdf_coords.errors import OptionError
from langchain_pymupdf_coords.quote_locator import QuoteLocator


class CitationInput(TypedDict):
    """What ``CitationLocator`` takes. Other keys, such as the question, are ignored."""

    answer: Answer
    """A ``QuotedAnswer`` (or its dict), an ``AIMessage``, or a string."""

    documents: Sequence[Document]
    """The Documents that the model was given, in the order of their numbers."""


# A chain hands on plain dicts, which type checkers take for no ``CitationInput``.
ChainStep = CitationInput | Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class CitationLocator(Runnable[ChainStep, LocatedAnswer]):
    """Finds each quote of an answer in the Documents that it was made from and says where, or that it is not.

    Nothing is dropped: a quote that no Document has comes back as ``"not_found"``, and one that stands in
    another source than the answer names is placed where it really is and flagged as ``swapped``. Only a quote
    that is word for word in the source that it names is ``verified``; ``LocatedAnswer.unverified`` lists the others.

    The answer may be

    - a ``QuotedAnswer``, from ``llm.with_structured_output(QuotedAnswer)``;
    - a chat message with the citations of a provider, as LangChain's standard content blocks have them;
    - a message or string with quotation marks, Markdown block quotes, or source marks such as ``[1]``. What
      is marked but not quoted is looked for in the answer's own words, and has ``quoted=False``.

    ``stream`` gives parts of the answer as they come, each citation once it is complete. Holds no open file;
    can be pickled and shared by threads.

    Example:
        .. code-block:: python

            from langchain_core.runnables import RunnablePassthrough
            from langchain_pymupdf_coords import (
                CitationLocator,
                QuotedAnswer,
                citation_prompt,
                format_sources,
            )

            answer = citation_prompt() | llm.with_structured_output(QuotedAnswer)
            chain = (
                {"question": RunnablePassthrough(), "documents": retriever}
                | RunnablePassthrough.assign(sources=lambda step: format_sources(step["documents"]))
                | RunnablePassthrough.assign(answer=answer)
                | CitationLocator()
            )
            for citation in chain.invoke("How many passengers were there in 2024?").citations:
                print(citation.quote, citation.status, citation.page)

    Attributes:
        locator: What finds the quotes; its options say how files are reached, and what to do if one changed.
        search_files: Whether to look for a quote that no Document has in the whole files that the Documents are
            from. It is then ``outside_documents``, and never verified.

    Raises:
        OptionError: ``locator`` is no ``QuoteLocator``.
    """

    locator: QuoteLocator = field(default_factory=QuoteLocator)
    search_files: bool = False

    def __post_init__(self) -> None:
        checks.instance("locator", self.locator, QuoteLocator)
        checks.flag("search_files", self.search_files)

    @property
    def InputType(self) -> type[CitationInput]:  # noqa: N802
        """The type of the input, for the schema that a server or tracer shows."""
        return CitationInput

    def invoke(
        self,
        input: ChainStep,  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> LocatedAnswer:
        """Return an answer with its quotes located.

        Args:
            input: ``{"answer": ..., "documents": [...]}``.
            config: As for every Runnable.
            **kwargs: Ignored.

        Raises:
            OptionError: The input or the answer has another form.
            ProvenanceError: Coordinates of a Document with a quote are malformed.
            SourceAccessError: Its ``source`` lies outside of the locator's ``root``.
            SourceChangedError: Its file changed, and the locator's ``on_change`` is ``"raise"``.
            PDFPasswordError: A password is needed, or the locator's ``password`` is wrong.
        """
        return self._call_with_config(self._locate, input, config)

    def transform(
        self,
        input: Iterator[ChainStep],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> Iterator[LocatedAnswer]:
        """Yield the located answer to an answer that comes in parts, in parts too; see ``invoke``."""
        yield from self._transform_stream_with_config(input, self._stream, config)

    async def atransform(
        self,
        input: AsyncIterator[ChainStep],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> AsyncIterator[LocatedAnswer]:
        """Yield what ``transform`` yields; the work is done in threads. For the arguments see ``invoke``."""
        async for part in self._atransform_stream_with_config(input, self._astream, config):
            yield part

    def stream(
        self,
        input: ChainStep,  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> Iterator[LocatedAnswer]:
        """Yield the located answer to an answer that is there already, in a part or two; see ``invoke``."""
        yield from self.transform(iter([input]), config)

    async def astream(
        self,
        input: ChainStep,  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> AsyncIterator[LocatedAnswer]:
        """Yield what ``stream`` yields; the work is done in threads. For the arguments see ``invoke``."""

        async def parts() -> AsyncIterator[ChainStep]:
            yield input

        async for part in self.atransform(parts(), config):
            yield part

    def _locate(self, step: ChainStep) -> LocatedAnswer:
        answer, documents = _checked(step)
        parsed = parse_answer(answer)
        placer = CitationPlacer(self.locator, documents, self.search_files)
        citations = tuple(placer.place(quote) for quote in parsed.quotes)
        return _whole(parsed.text, parsed, citations, citations, placer)

    def _stream(self, parts: Iterator[ChainStep]) -> Iterator[LocatedAnswer]:
        reader = _StreamReader(self.locator, self.search_files)
        for part in parts:
            if (new := reader.read(part)) is not None:
                yield new
        yield reader.finish()

    async def _astream(self, parts: AsyncIterator[ChainStep]) -> AsyncIterator[LocatedAnswer]:
        reader = _StreamReader(self.locator, self.search_files)
        async for part in parts:
            if (new := await run_in_background(reader.read, part)) is not None:
                yield new
        yield await run_in_background(reader.finish)


class _StreamReader:
    """Turns the parts of a stream into parts of a located answer."""

    def __init__(self, locator: QuoteLocator, search_files: bool) -> None:
        self._locator, self._search_files = locator, search_files
        self._answer = AnswerStream()
        self._placer: CitationPlacer | None = None

    def read(self, part: ChainStep) -> LocatedAnswer | None:
        """Take a part; return what is new, if anything is. Quotes wait for the Documents."""
        self._answer.add(_mapping(part))
        text = self._answer.new_text()
        placer = self._ready()
        quotes = self._answer.complete_quotes() if placer is not None else []
        citations = tuple(placer.place(quote) for quote in quotes) if placer is not None else ()
        return LocatedAnswer(answer=text, citations=citations) if text or citations else None

    def finish(self) -> LocatedAnswer:
        """Return the last part, with the citations that are left, the Documents and the message."""
        placer = self._ready()
        if placer is None or not self._answer.has_begun:
            raise _missing("answer" if placer is not None else "documents")
        parsed, left = self._answer.finish()
        citations = tuple(placer.place(quote) for quote in parsed.quotes)
        new = tuple(placer.place(quote) for quote in left)
        return _whole(self._answer.new_text(), parsed, new, citations, placer)

    def _ready(self) -> CitationPlacer | None:
        if self._placer is None and self._answer.documents is not None:
            self._placer = CitationPlacer(self._locator, self._answer.documents, self._search_files)
        return self._placer


def _whole(
    text: str,
    parsed: ParsedAnswer,
    new: Sequence[LocatedCitation],
    citations: Sequence[LocatedCitation],
    placer: CitationPlacer,
) -> LocatedAnswer:
    return LocatedAnswer(
        answer=text,
        citations=tuple(new),
        documents=placer.with_quotes(citations),
        message=cited_message(parsed, citations, placer.documents),
    )


def _checked(step: object) -> tuple[Answer, Sequence[Document]]:
    values = _mapping(step)
    for key in ("answer", "documents"):
        if values.get(key) is None:
            raise _missing(key)
    return values["answer"], list(checks.several_documents("documents", values["documents"]))


def _mapping(step: object) -> Mapping[str, Any]:
    if not isinstance(step, Mapping):
        raise OptionError(
            f'the input must be a dict {{"answer": ..., "documents": [...]}}, not {type(step).__name__}'
        )
    return step


def _missing(key: str) -> OptionError:
    return OptionError(f'the input has no {key!r}: give a dict {{"answer": ..., "documents": [...]}}')
