"""Documents as text and pictures for a prompt to a multimodal model."""

import os
from collections.abc import Iterable, Iterator

from langchain_core.documents import Document
from langchain_core.messages.content import ContentBlock, create_image_block, create_text_block

from langchain_pymupdf_coords.crop_files import crop_base64
from langchain_pymupdf_coords.crops import Crop
from langchain_pymupdf_coords.document_sources import document_source
from langchain_pymupdf_coords.sources import SourceResolver


def content_blocks(
    documents: Iterable[Document], *, root: str | os.PathLike[str] | None = None
) -> list[ContentBlock]:
    """Return Documents as standard content blocks of LangChain, in their order.

    Each Document becomes a text block, which begins with its number, source and pages, and then, for each of
    its crops, a text block that names the page and an image block. Nothing is rendered: without
    ``metadata["crops"]`` (see ``SourceCropTransformer``) there is only the text.

    Args:
        documents: The Documents.
        root: Folder that no file of a crop may lie outside of, where crops are files.

    Raises:
        ProvenanceError: A Document has no ``source``, or its crops are malformed.
        SourceUnavailableError: The file of a crop is gone or cannot be read.
        SourceAccessError: The file of a crop lies outside of ``root``, or is no image of the type it claims.

    Example:
        .. code-block:: python

            from langchain_core.messages import HumanMessage
            from langchain_pymupdf_coords import SourceCropTransformer, content_blocks

            documents = (retriever | SourceCropTransformer()).invoke(question)
            message = HumanMessage(content_blocks=[*content_blocks(documents), create_text_block(question)])
    """
    resolver = SourceResolver(root=root)
    return [
        block
        for number, document in enumerate(documents, start=1)
        for block in _document_blocks(number, document, resolver)
    ]


def _document_blocks(number: int, document: Document, resolver: SourceResolver) -> Iterator[ContentBlock]:
    source = document_source(document)
    yield create_text_block(f"[{number}] {source}{_pages(document)}\n\n{document.page_content}")
    for crop in Crop.from_document(document):
        yield create_text_block(f"[{number}] {source}, page {crop.page}, as printed:")
        yield create_image_block(base64=crop_base64(crop, resolver), mime_type=crop.mime_type)


def _pages(document: Document) -> str:
    """Return ``", page 3"``, ``", pages 3 to 4"``, or nothing where the Document does not say."""
    first = document.metadata.get("page")
    if not isinstance(first, int | float):
        return ""
    last = document.metadata.get("page_end", first)
    label = document.metadata.get("page_label")
    printed = f" (printed {label})" if label and str(label) != f"{first:g}" else ""
    return f", page {first:g}{printed}" if first == last else f", pages {first:g} to {last:g}{printed}"
