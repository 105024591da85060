"""What Milvus drops or adds without metadata_field, and how its ids and filters are given."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document

from tests.stores.adapters import EMBEDDING, Milvus, without_keys

package = pytest.importorskip("langchain_milvus", reason="langchain-milvus is not installed")
pytest.importorskip("milvus_lite", reason="milvus-lite is not installed")


def milvus(folder: Path, **options: Any) -> Any:
    index = {"index_type": "FLAT", "metric_type": "L2"}
    uri = str(folder / "chunks.db")
    return package.Milvus(EMBEDDING, connection_args={"uri": uri}, index_params=index, **options)


def test_by_default_the_first_call_decides_the_keys(chunks: list[Document], tmp_path: Path) -> None:
    from pymilvus import MilvusException

    store = milvus(tmp_path)
    store.add_documents(chunks[:1], ids=[chunks[0].id])
    with pytest.raises(MilvusException, match="page_label"):
        store.add_documents([without_keys(chunks[1], "page_label")], ids=[chunks[1].id])
    chunks[2].metadata["team"] = "ferries"
    store.add_documents([chunks[2]], ids=[chunks[2].id])
    (found,) = store.similarity_search(chunks[2].page_content, k=1)
    assert found.metadata == {**without_keys(chunks[2], "team").metadata, "pk": chunks[2].id}


def test_dynamic_fields_keep_all_keys_and_add_the_id(chunks: list[Document], tmp_path: Path) -> None:
    store = milvus(tmp_path, enable_dynamic_field=True)
    store.add_documents(chunks[:1], ids=[chunks[0].id])
    chunks[1].metadata["team"] = "ferries"
    store.add_documents(chunks[1:], ids=[chunk.id for chunk in chunks[1:]])
    (found,) = store.similarity_search("ferry", k=1, expr='team == "ferries"')
    assert found.metadata == {**chunks[1].metadata, "pk": chunks[1].id}


def test_ids_of_documents_count_only_where_given_apart(chunks: list[Document], tmp_path: Path) -> None:
    store = Milvus().open(str(tmp_path))
    with pytest.warns(UserWarning, match="No ids provided"):
        ids = store.add_documents(chunks)
    assert not set(ids) & {chunk.id for chunk in chunks}


def test_filters_are_called_expr(chunks: list[Document], tmp_path: Path) -> None:
    store = Milvus().open(str(tmp_path))
    Milvus().add(store, chunks)
    with pytest.raises(TypeError, match="filter"):
        store.similarity_search("ferry", filter={"page": 3})
    assert len(store.similarity_search("ferry", expr='metadata["page"] == 3')) == 2


def test_upsert_replaces_what_was_added_before(chunks: list[Document], tmp_path: Path) -> None:
    from pymilvus import MilvusException

    store = Milvus().open(str(tmp_path))
    ids = [chunk.id for chunk in chunks]
    with pytest.raises(MilvusException, match="does not exist"):
        store.upsert(ids, chunks)
    Milvus().add(store, chunks)
    chunks[0].metadata["source"] = "moved.pdf"
    store.upsert(ids, chunks)
    assert len(store.similarity_search("ferry", k=100)) == 6
    assert len(store.similarity_search("ferry", expr='metadata["source"] == "moved.pdf"')) == 1
