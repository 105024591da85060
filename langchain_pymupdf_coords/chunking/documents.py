"""From chunks to LangChain Documents: the metadata table of this package, written in one place."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document

from langchain_pymupdf_coords.chunking.chunks import Chunk
from langchain_pymupdf_coords.folding import clean_text
from langchain_pymupdf_coords.provenance.boxes import document_id, dump_boxes, dump_lines, dump_page_sizes
from langchain_pymupdf_coords.provenance.fields import COORDS_VERSION
from langchain_pymupdf_coords.provenance.text_digests import text_digest


@dataclass(frozen=True, slots=True)
class DocumentFactory:
    """Makes Documents of the chunks of one file.

    Attributes:
        source: The source as the caller gave it.
        digest: Digest of the file's bytes.
        total_pages: Number of pages of the file.
        file_metadata: Document information and whatever else all chunks share.
        identity: What the chunks depend on besides the file, for their ids.
        line_map: Whether to write ``lines``.
    """

    source: str
    digest: str
    total_pages: int
    file_metadata: Mapping[str, Any]
    identity: Mapping[str, Any]
    line_map: bool = True

    def document(self, chunk: Chunk, index: int) -> Document:
        """Return the Document of a chunk: flat metadata, and an id that is the same for the same input."""
        metadata: dict[str, Any] = {**self.file_metadata, "source": clean_text(self.source)}
        pages = sorted(chunk.page_sizes)
        metadata |= {"page": pages[0], "page_end": pages[-1], "boxes": dump_boxes(chunk.boxes)}
        lines = chunk.lines if self.line_map else ()
        if self.line_map:
            metadata["lines"] = dump_lines(lines)
        metadata["page_sizes"] = dump_page_sizes(chunk.page_sizes)
        if chunk.page_label:
            metadata["page_label"] = clean_text(chunk.page_label)
        metadata |= {
            "section": chunk.section,
            "chunk_index": index,
            "total_pages": self.total_pages,
            "source_digest": self.digest,
            "coords_version": COORDS_VERSION,
            "text_digest": text_digest(chunk.text, [line.span for line in lines]),
        }
        return Document(
            id=document_id(self.digest, self.identity, index), page_content=chunk.text, metadata=metadata
        )
