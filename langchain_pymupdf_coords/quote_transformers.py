"""Documents with quotes located on the pages that they came from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.runnables import Runnable, RunnableConfig

from langchain_pymupdf_coords.errors import OptionError
from langchain_pymupdf_coords.provenance import dump_quotes
from langchain_pymupdf_coords.quote_locator import QuoteLocator


def with_quotes(document: Document, quotes: Iterable[str], locator: QuoteLocator) -> Document:
    """Return a copy of a Document with ``metadata["quotes"]``: those of some quotes that it holds, located.

    Args:
        document: Any Document; one without ``metadata["boxes"]`` has no place on a page, and so no quotes.
        quotes: The quotes, plain or in Markdown. Of equal ones the first counts.
        locator: What finds them.

    Raises:
        ProvenanceError, SourceAccessError, SourceChangedError, PDFPasswordError: See ``QuoteLocator.locate``.
    """
    placeable = dict.fromkeys(quotes) if "boxes" in document.metadata else ()
    matches = [match for quote in placeable if (match := locator.locate(document, quote)) is not None]
    return document.model_copy(update={"metadata": {**document.metadata, "quotes": dump_quotes(matches)}})


@dataclass(frozen=True)
class QuoteLocatingTransformer(BaseDocumentTransformer, Runnable[Sequence[Document], list[Document]]):
    """Locates the same quotes in each of some Documents, as JSON in ``metadata["quotes"]``.

    ``QuoteMatch.from_document`` reads them. A Document comes back with those quotes that it holds, with an
    empty list if it holds none, and in place of any quotes that it had. The Documents given are not changed.
    Can be pickled and shared by threads.

    Example:
        .. code-block:: python

            from langchain_pymupdf_coords import QuoteLocatingTransformer, QuoteMatch

            locate_quotes = QuoteLocatingTransformer(["It was founded in 1908"])
            chain = retriever | locate_quotes
            for document in chain.invoke("When was the company founded?"):
                print(QuoteMatch.from_document(document))

    Attributes:
        quotes: The quotes, plain or in Markdown.
        locator: What finds them.

    Raises:
        OptionError: `quotes` is not a list of strings.
    """

    quotes: Sequence[str]
    locator: QuoteLocator = field(default_factory=QuoteLocator, kw_only=True)

    def __post_init__(self) -> None:
        if isinstance(self.quotes, str) or not all(isinstance(quote, str) for quote in self.quotes):
            raise OptionError(f"quotes must be a list of strings, not {self.quotes!r}")
        object.__setattr__(self, "quotes", tuple(self.quotes))

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:  # noqa: ARG002
        """Return copies of Documents with ``metadata["quotes"]``, in the same order.

        Args:
            documents: Documents of this package, or with the article's ``source``, ``page`` and ``boxes``;
                others hold no quotes.
            **kwargs: Ignored; LangChain's interface has them.

        Raises:
            ProvenanceError: Coordinates of a Document are malformed.
            SourceAccessError: A ``source`` lies outside of the locator's ``root``.
            SourceChangedError: A file changed, and the locator's ``on_change`` is ``"raise"``.
            PDFPasswordError: A password is needed, or the locator's ``password`` is wrong.
        """
        return [with_quotes(document, self.quotes, self.locator) for document in documents]

    def invoke(
        self,
        input: Sequence[Document],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """Return what a step of a chain does; see ``transform_documents``."""
        return self._call_with_config(self.transform_documents, input, config, **kwargs)
