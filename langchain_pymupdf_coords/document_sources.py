"""The file behind a Document, if it is still the one that was indexed."""

from langchain_pymupdf_coords.errors import ProvenanceError, SourceChangedError
from langchain_pymupdf_coords.metadata_json import DocumentLike
from langchain_pymupdf_coords.source_files import SourceFile, check_digest, shown


def document_source(document: DocumentLike) -> str:
    """Return ``metadata["source"]``.

    Raises:
        ProvenanceError: It is missing or no text.
    """
    source = document.metadata.get("source")
    if not isinstance(source, str):
        raise ProvenanceError(f"metadata['source'] must be a str, not {type(source).__name__}")
    return source


def require_unchanged(document: DocumentLike, file: SourceFile) -> None:
    """Refuse a file that is not the one the Document was made of.

    A Document without ``source_digest`` (the article's form) is taken at its word.

    Raises:
        SourceChangedError: The digests differ.
        SourceUnavailableError, SourceAccessError: See ``SourceFile.digest``.
    """
    digest = document.metadata.get("source_digest")
    if digest is not None and not check_digest(file, digest):
        raise SourceChangedError(
            f"{shown(file.source)} is not the file that was indexed: its digest differs from "
            "metadata['source_digest']; index it again"
        )
