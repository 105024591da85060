"""LlamaIndex: nodes that know where on the page they came from, and the way back to Documents.

Needs the extra ``llama-index``. Everything that locates, crops or highlights takes LangChain Documents, so
retrieved nodes go through ``to_documents``.

A LlamaIndex splitter copies the metadata of a node to its pieces, whose text is shorter. So nodes made here
also carry the text that their coordinates count in, hidden from embedding and prompt like the coordinates:
with it ``to_documents`` gives each piece the coordinates of its own text, whichever node parser made it.
``CoordsNodeCutter`` does the same before the nodes are stored, and leaves that text out.

Example:
    .. code-block:: python

        from langchain_pymupdf_coords import QuoteLocator
        from langchain_pymupdf_coords.llama_index import (
            CoordsNodeCutter,
            PyMuPDFCoordsReader,
            to_documents,
        )
        from llama_index.core import VectorStoreIndex
        from llama_index.core.node_parser import SentenceSplitter

        index = VectorStoreIndex.from_documents(
            PyMuPDFCoordsReader().load_data("report.pdf"),
            transformations=[SentenceSplitter(chunk_size=256), CoordsNodeCutter()],
        )
        nodes = index.as_retriever().retrieve("When was the company founded?")
        QuoteLocator().locate_all(to_documents(nodes), "It was founded in 1908")
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

from langchain_core.documents import Document
from langchain_core.documents.base import Blob

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.document_loaders import PyMuPDFCoordsLoader, PyMuPDFCoordsParser
from langchain_pymupdf_coords.errors import ProvenanceError
from langchain_pymupdf_coords.loading.options import ParsingOptions
from langchain_pymupdf_coords.provenance.boxes import Coordinates, document_id
from langchain_pymupdf_coords.text_splitters import with_own_coordinates

try:
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.schema import (
        BaseNode,
        MetadataMode,
        NodeRelationship,
        NodeWithScore,
        ObjectType,
        RelatedNodeInfo,
        TextNode,
        TransformComponent,
    )
    from llama_index.core.schema import Document as LlamaDocument
except ImportError as cause:
    raise ImportError(
        "LlamaIndex is not installed: pip install 'langchain-pymupdf-coords[llama-index]'"
    ) from cause

__all__ = ["HIDDEN_KEYS", "CoordsNodeCutter", "PyMuPDFCoordsReader", "to_documents", "to_text_nodes"]

COORDS_TEXT = "coords_text"
"""Metadata key of the text that the spans of a node count in."""

HIDDEN_KEYS = frozenset(
    (
        *("boxes", "lines", "page_sizes", "source_digest", "coords_version", "text_digest", "coverage"),
        *("quotes", "crops", COORDS_TEXT),
        *("chunk_index", "start_index", "total_pages", "producer", "creator", "creationdate", "moddate"),
    )
)
"""Metadata keys that nodes keep out of the text for the embedding and the language model."""


def to_text_nodes(documents: Iterable[Document]) -> list[TextNode]:
    """Return Documents as LlamaIndex nodes with the same ids, text and metadata, in the same order.

    The coordinates and other metadata that says nothing to a model are in both lists of excluded keys. The
    source of each node is its file, by ``metadata["source"]``, so that ``index.delete_ref_doc("report.pdf")``
    removes all nodes of a file. Neighbours in a file, where both are given, are previous and next.

    Args:
        documents: Documents of this package, or with the article's ``source``, ``page`` and ``boxes``.

    Raises:
        OptionError: ``documents`` holds something else than Documents.
    """
    documents = list(checks.several_documents("documents", documents))
    nodes = [TextNode(**_node_fields(document)) for document in documents]
    for node, document in zip(nodes, documents, strict=True):
        if (source := document.metadata.get("source")) is not None:
            node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(
                node_id=str(source),
                node_type=ObjectType.DOCUMENT,
                hash=document.metadata.get("source_digest"),
            )
    for before, after in pairwise(nodes):
        if _are_neighbours(before.metadata, after.metadata):
            before.relationships[NodeRelationship.NEXT] = _related(after)
            after.relationships[NodeRelationship.PREVIOUS] = _related(before)
    return nodes


def to_documents(nodes: Iterable[BaseNode | NodeWithScore]) -> list[Document]:
    """Return LlamaIndex nodes as Documents with the same ids and text, in the same order.

    A node that a node parser cut out of another, or whose text a postprocessor replaced, has the coordinates
    of its own text; one whose text is not found, or not in one place only, has none.

    Args:
        nodes: Nodes as retrieved, with or without score, made by ``to_text_nodes``, ``PyMuPDFCoordsReader``
            or a node parser from theirs. Nodes of other readers pass as they are.

    Raises:
        OptionError: ``nodes`` is one node.
        ProvenanceError: The coordinates of a node are malformed, or are those of a longer text that is not
            at hand.
    """
    if isinstance(nodes, BaseNode | NodeWithScore):
        raise checks.wrong("nodes", "a list of nodes", nodes, hint="give [node]")
    return [_document(node.node if isinstance(node, NodeWithScore) else node) for node in nodes]


class CoordsNodeCutter(TransformComponent):
    """Gives each node that a node parser made the coordinates of its own text, before it is stored.

    Comes after all node parsers and before the embedding. What is stored of a node is then as small as can
    be: the whole text that it was cut from is gone, and its relationships repeat no coordinates. The nodes
    given are not changed.
    """

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:  # noqa: ARG002
        """Return the nodes, each with the coordinates of its own text; see ``to_documents``.

        Raises:
            ProvenanceError: See ``to_documents``.
        """
        return [
            node.model_copy(
                update={"metadata": _document(node).metadata, "relationships": _without_coordinates(node)}
            )
            for node in nodes
        ]


@dataclass(frozen=True, kw_only=True)
class PyMuPDFCoordsReader(ParsingOptions, BaseReader):
    """Reads PDFs as LlamaIndex Documents, one for each chunk, that carry their page coordinates.

    Ids are the same for the same file and options, so that ``refresh_ref_docs`` and an ``IngestionPipeline``
    with a docstore take only what is new. The options are those of ``ParsingOptions``. Also serves as
    ``SimpleDirectoryReader(folder, file_extractor={".pdf": PyMuPDFCoordsReader()})``.
    """

    def load_data(
        self, file: str | os.PathLike[str], *, extra_info: Mapping[str, Any] | None = None, fs: Any = None
    ) -> list[LlamaDocument]:
        """Return the Documents of a PDF; see ``lazy_load_data``."""
        return list(self.lazy_load_data(file, extra_info=extra_info, fs=fs))

    def lazy_load_data(
        self, file: str | os.PathLike[str], *, extra_info: Mapping[str, Any] | None = None, fs: Any = None
    ) -> Iterator[LlamaDocument]:
        """Yield the Documents of a PDF, each as soon as its pages are read.

        Args:
            file: A path, or an http or https URL; with ``fs``, a path in it.
            extra_info: Added to the metadata of each Document, where it has no such key.
            fs: The fsspec file system to read from.

        Raises:
            PDFPasswordError, PDFOpenError, SourceUnavailableError, SourceAccessError, OptionError,
            OCRUnavailableError: See ``PyMuPDFCoordsLoader.lazy_load``.
        """
        options = {option.name: getattr(self, option.name) for option in fields(ParsingOptions)}
        if fs is None:
            documents = PyMuPDFCoordsLoader(file, **options).lazy_load()
        else:
            blob = Blob.from_data(fs.read_bytes(os.fspath(file)), metadata={"source": os.fspath(file)})
            documents = PyMuPDFCoordsParser(**options).lazy_parse(blob)
        for document in documents:
            yield LlamaDocument(**_node_fields(document, extra_info or {}))


def _node_fields(document: Document, extra_info: Mapping[str, Any] = {}) -> dict[str, Any]:
    metadata = {**extra_info, **document.metadata}
    if "boxes" in metadata:
        metadata[COORDS_TEXT] = document.page_content
    return {
        "id_": document.id or _id(document),
        "text": document.page_content,
        "metadata": metadata,
        "excluded_embed_metadata_keys": sorted(HIDDEN_KEYS),
        "excluded_llm_metadata_keys": sorted(HIDDEN_KEYS),
    }


def _id(document: Document) -> str:
    """Return an id for a Document of the article's form, the same each time."""
    place = [document.metadata.get(key) for key in ("source", "page", "boxes")]
    return document_id("", {"chunk": [*place, document.page_content]}, 0)


def _are_neighbours(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether one chunk follows another in a file, as far as their metadata tells."""
    if before.get("source") is None or before["source"] != after.get("source"):
        return False
    first, second = (metadata.get("chunk_index") for metadata in (before, after))
    if first is None or second is None or second == first + 1:
        return True
    return bool(first == second and before.get("start_index", 0) < after.get("start_index", 0))


def _related(node: TextNode) -> RelatedNodeInfo:
    """Return a reference to a node that does not repeat its metadata, unlike the node's own method."""
    return RelatedNodeInfo(node_id=node.node_id, node_type=ObjectType.TEXT, hash=node.hash)


def _without_coordinates(node: BaseNode) -> dict[NodeRelationship, RelatedNodeInfo | list[RelatedNodeInfo]]:
    return {
        relationship: [_slim(item) for item in related] if isinstance(related, list) else _slim(related)
        for relationship, related in node.relationships.items()
    }


def _slim(related: RelatedNodeInfo) -> RelatedNodeInfo:
    metadata = {key: value for key, value in related.metadata.items() if key not in HIDDEN_KEYS}
    return related.model_copy(update={"metadata": metadata})


def _document(node: BaseNode) -> Document:
    text = node.get_content(metadata_mode=MetadataMode.NONE)
    metadata = dict(node.metadata)
    whole = metadata.pop(COORDS_TEXT, None)
    document = Document(id=node.node_id, page_content=text, metadata=metadata)
    if not isinstance(whole, str) or whole == text:
        _check_fit(document)
        return document
    return with_own_coordinates(document, whole, getattr(node, "start_char_idx", None))


def _check_fit(document: Document) -> None:
    """Refuse coordinates that count in a longer text: a node was cut out of it."""
    if "boxes" not in document.metadata:
        return
    problem: ProvenanceError | None = None
    try:
        lost = Coordinates.from_document(document).lost
    except ProvenanceError as cause:
        lost, problem = 1, cause
    if lost:
        raise ProvenanceError(
            f"node {document.id}: its coordinates do not fit its text. If a node parser cut it, make the "
            "nodes with to_text_nodes or PyMuPDFCoordsReader, and let CoordsNodeCutter come last"
        ) from problem
