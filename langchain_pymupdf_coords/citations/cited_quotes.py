"""The quotes of an answer in any of its forms, and the sources that it names for them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langchain_core.documents import Document
from langchain_core.messages import AIMessage

from langchain_pymupdf_coords.citations.quotations import Segment, Span
from langchain_pymupdf_coords.provenance.boxes import page_range
from langchain_pymupdf_coords.provenance.source_names import file_name


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """The source that an answer names for a quote, as far as it names one.

    Attributes:
        number: Number of the source, from 1; None if not given.
        names: File names, titles or addresses of the source.
        pages: First and last page of the file, from 1; None if not given.
    """

    number: int | None = None
    names: tuple[str, ...] = ()
    pages: tuple[int, int] | None = None

    def indices(self, documents: Sequence[Document]) -> frozenset[int] | None:
        """Return which Documents are meant, or None if the answer does not say.

        A name that no Document has counts only if there is no number: it may be a title of the caller's.
        Without one, the source that was asked for is not among the Documents.
        """
        if self == SourceRequest():
            return None
        everything = frozenset(range(len(documents)))
        wanted = {form for name in self.names for form in _forms(name)}
        named = frozenset(index for index in everything if wanted & _names(documents[index]))
        if self.pages is not None:
            return frozenset(i for i in named or everything if _overlaps(documents[i], self.pages))
        if self.number is None or (named and self.number - 1 not in named):
            return named
        return frozenset([self.number - 1]) & everything


@dataclass(frozen=True, slots=True)
class CitedQuote:
    """Words of an answer that are to be found in a source.

    Attributes:
        text: The words.
        request: The source that is named for them.
        quoted: Whether the answer gives them as the words of a source.
        span: Where the answer has them, or what they support; None if it does not say.
        annotation: Index of the content block and of its annotation that they come from; None if from none.
    """

    text: str
    request: SourceRequest = SourceRequest()
    quoted: bool = True
    span: Span | None = None
    annotation: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """An answer, read.

    Attributes:
        text: Its text; spans count in it.
        quotes: Its quotes, in order.
        message: The message that it came in; None if it is none.
    """

    text: str
    quotes: tuple[CitedQuote, ...]
    message: AIMessage | None = None


def plain_quotes(segment: Segment, offset: int = 0) -> Iterator[CitedQuote]:
    """Yield the quotes of a segment of plain text, one for each source that a quotation is given.

    Args:
        segment: The segment.
        offset: What to add to its spans.
    """
    for quotation in segment.quotations:
        span = quotation.span[0] + offset, quotation.span[1] + offset
        for number in quotation.sources or (None,):
            yield CitedQuote(quotation.text, SourceRequest(number), quotation.quoted, span)


def _forms(name: str) -> Iterator[str]:
    """Yield the forms of a name under which a source may go: whole, file name, file name without ending."""
    text = name.strip().casefold()
    yield text
    file = file_name(text)
    yield file
    yield file.removesuffix(".pdf")


def _names(document: Document) -> set[str]:
    names = (document.metadata.get(key) for key in ("source", "title"))
    return {form for name in names if isinstance(name, str) for form in _forms(name)} - {""}


def _overlaps(document: Document, pages: tuple[int, int]) -> bool:
    own = page_range(document)
    return own is not None and own[0] <= pages[1] and pages[0] <= own[1]
