"""Documents with pictures of the places that they came from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.runnables import Runnable, RunnableConfig

from langchain_pymupdf_coords.crop_options import CropOptions
from langchain_pymupdf_coords.crop_rendering import CropRendering
from langchain_pymupdf_coords.crops import dump_crops


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
            ProvenanceError: Coordinates of a Document are missing or malformed, or not those of its file.
            SourceUnavailableError: A file is gone or cannot be read.
            SourceChangedError: A file is not the one that was indexed.
            SourceAccessError: A ``source`` lies outside of ``root``.
            PDFPasswordError: A password is needed, or ``password`` is wrong.
            PDFOpenError: A file is damaged or not a PDF.
            OSError: ``folder`` cannot be written to.
        """
        crops = CropRendering(self, documents).crops()
        return [
            document.model_copy(update={"metadata": {**document.metadata, "crops": dump_crops(pictures)}})
            for document, pictures in zip(documents, crops, strict=True)
        ]

    def invoke(
        self,
        input: Sequence[Document],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """Return what a step of a chain does; see ``transform_documents``."""
        return self._call_with_config(self.transform_documents, input, config, **kwargs)
