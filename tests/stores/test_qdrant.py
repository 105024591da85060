"""What Qdrant refuses or passes over in silence, and the way round."""

from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index

from tests.stores.adapters import Qdrant

models = pytest.importorskip("qdrant_client", reason="qdrant-client is not installed").models
pytest.importorskip("langchain_qdrant", reason="langchain-qdrant is not installed")


def matching(key: str, value: int) -> object:
    return models.Filter(must=[models.FieldCondition(key=key, match=models.MatchValue(value=value))])


def test_ids_must_be_uuids(chunks: list[Document], tmp_path: Path) -> None:
    store = Qdrant().open(str(tmp_path))
    with pytest.raises(ValueError, match="not a valid UUID"):
        store.add_documents([chunks[0].model_copy(update={"id": "report.pdf-0"})])
    records = InMemoryRecordManager("chunks")
    records.create_schema()
    with pytest.raises(ValueError, match="not a valid UUID"):
        index(chunks, records, store, key_encoder="sha256")


def test_metadata_keys_have_a_prefix_in_filters(chunks: list[Document], tmp_path: Path) -> None:
    store = Qdrant().open(str(tmp_path))
    store.add_documents(chunks)
    with pytest.raises(AttributeError):
        store.similarity_search("ferry", filter={"page": 3})
    assert store.similarity_search("ferry", filter=matching("page", 3)) == []
    assert len(store.similarity_search("ferry", filter=matching("metadata.page", 3))) == 2


def test_the_id_is_in_the_metadata(chunks: list[Document], tmp_path: Path) -> None:
    store = Qdrant().open(str(tmp_path))
    store.add_documents(chunks)
    (found,) = store.similarity_search(chunks[0].page_content, k=1)
    assert found.id is None
    assert found.metadata == {**chunks[0].metadata, "_id": chunks[0].id, "_collection_name": "chunks"}
