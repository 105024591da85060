"""Steps of a chain that add to Documents what is found in their files: located quotes, pictures of the source."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.runnables import Runnable, RunnableConfig

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.crops.options import CropOptions
from langchain_pymupdf_coords.crops.rendering import CropRendering
from langchain_pymupdf_coords.provenance.crops import dump_crops
from langchain_pymupdf_coords.quote_locator import QuoteLocator, with_quotes


@dataclass(frozen=True, kw_only=True)
class SourceCropTransformer(
    CropOptions, BaseDocumentTransformer, Runnable[Sequence[Document], list[Document]]
):
    """Adds pictures of their source regions to Documents, as JSON in ``metadata["crops"]``.

    Each record has ``page``, ``bbox`` (displayed frame, in points), ``width`` and ``height`` in pixels,
    ``mime_type``, and ``base64`` or ``path``; ``Crop.from_document`` reads them. The Documents given are not
    changed. Pictures are limited in size, so that a huge page or crafted metadata cannot take the memory:
    beyond the limits the resolution is lowered, with a ``RenderBudgetWarning``. Holds no open file, so it can
    be pickled and shared by threads. The options are those of ``CropOptions``.

    Example:
        .. code-block:: python

            from langchain_pymupdf_coords import SourceCropTransformer

            chain = retriever | SourceCropTransformer(draw=("boxes", "quotes"))
            documents = chain.invoke("How many passengers were there in 2024?")
    """

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:  # noqa: ARG002
        """Return copies of Documents with ``metadata["crops"]``, in the same order.

        Args:
            documents: Documents of this package, or with the article's ``source``, ``page`` and ``boxes``.
            **kwargs: Ignored; LangChain's interface has them.

        Raises:
            OptionError: ``documents`` holds something else than Documents.
            ProvenanceError: Coordinates of a Document are missing or malformed, or not those of its file.
            SourceUnavailableError: A file is gone or cannot be read.
            SourceChangedError: A file is not the one that was indexed, and ``on_change`` is ``"raise"``.
            SourceAccessError: A ``source`` lies outside of ``root``.
            PDFPasswordError: A password is needed, or ``password`` is wrong.
            PDFOpenError: A file is damaged or not a PDF.
            OSError: ``folder`` cannot be written to.
        """
        documents = list(checks.several_documents("documents", documents))
        crops = CropRendering(self, documents).crops()
        return [
            document.model_copy(update={"metadata": {**document.metadata, "crops": dump_crops(pictures)}})
            for document, pictures in zip(documents, crops, strict=True)
        ]

    def invoke(
        self,
        input: Sequence[Document],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> list[Document]:
        """Return what a step of a chain does; see ``transform_documents``."""
        return self._call_with_config(self.transform_documents, input, config)


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
        OptionError: ``quotes`` is not a list of strings, or ``locator`` no ``QuoteLocator``.
    """

    quotes: Sequence[str]
    locator: QuoteLocator = field(default_factory=QuoteLocator, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "quotes", checks.texts("quotes", self.quotes))
        checks.instance("locator", self.locator, QuoteLocator)

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:  # noqa: ARG002
        """Return copies of Documents with ``metadata["quotes"]``, in the same order.

        Args:
            documents: Documents of this package, or with the article's ``source``, ``page`` and ``boxes``;
                others hold no quotes.
            **kwargs: Ignored; LangChain's interface has them.

        Raises:
            OptionError: ``documents`` holds something else than Documents.
            ProvenanceError: Coordinates of a Document are malformed.
            SourceAccessError: A ``source`` lies outside of the locator's ``root``.
            SourceChangedError: A file changed, and the locator's ``on_change`` is ``"raise"``.
            PDFPasswordError: A password is needed, or the locator's ``password`` is wrong.
        """
        checked = checks.several_documents("documents", documents)
        return [with_quotes(document, self.quotes, self.locator) for document in checked]

    def invoke(
        self,
        input: Sequence[Document],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> list[Document]:
        """Return what a step of a chain does; see ``transform_documents``."""
        return self._call_with_config(self.transform_documents, input, config)
