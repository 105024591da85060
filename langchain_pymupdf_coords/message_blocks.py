"""Documents as text and pictures for a prompt to a multimodal model."""

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator

from langchain_core.documents import Document
from langchain_core.messages.content import ContentBlock, create_image_block, create_text_block

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.errors import SourceAccessError
from langchain_pymupdf_coords.provenance.boxes import page_range
from langchain_pymupdf_coords.provenance.crops import Crop
from langchain_pymupdf_coords.sources.files import shown
from langchain_pymupdf_coords.sources.resolver import FileAccess, document_source


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
        OptionError: ``documents`` holds something else than Documents, or ``root`` is no folder.
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
    access = FileAccess(root=root)
    return [
        block
        for number, document in enumerate(checks.several_documents("documents", documents), start=1)
        for block in _document_blocks(number, document, access)
    ]


def _document_blocks(number: int, document: Document, access: FileAccess) -> Iterator[ContentBlock]:
    source = document_source(document)
    yield create_text_block(f"[{number}] {source}{_pages(document)}\n\n{document.page_content}")
    for crop in Crop.from_document(document):
        yield create_text_block(f"[{number}] {source}, page {crop.page}, as printed:")
        yield create_image_block(base64=crop_base64(crop, access), mime_type=crop.mime_type)


def _pages(document: Document) -> str:
    """Return ``", page 3"``, ``", pages 3 to 4"``, or nothing where the Document does not say."""
    pages = page_range(document)
    if pages is None:
        return ""
    first, last = pages
    label = document.metadata.get("page_label")
    printed = f" (printed {label})" if label and str(label) != str(first) else ""
    return f", page {first}{printed}" if first == last else f", pages {first} to {last}{printed}"


# How the files of each type begin; the four bytes after RIFF are a length.
_SIGNATURES = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
}


def crop_base64(crop: Crop, access: FileAccess) -> str:
    """Return the picture of a crop in base64, read from its file if it is in one.

    Metadata may have been tampered with, so only a file of the type that it claims is read, and only where
    the rules of access allow.

    Raises:
        SourceUnavailableError: There is no such file, or it cannot be read.
        SourceAccessError: The file lies outside of the root, or it is no image of this type.
    """
    if crop.path is None:
        return crop.base64 or ""
    data = access.resolve(crop.path).read_bytes()
    if not _SIGNATURES[crop.mime_type].match(data):
        raise SourceAccessError(f"{shown(crop.path)} in metadata['crops'] is not of type {crop.mime_type}")
    return b64encode(data).decode("ascii")
