"""What LangChain's store in memory does differently."""

from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore

from tests.stores.adapters import EMBEDDING, InMemory


def test_a_filter_is_a_function_of_the_document(chunks: list[Document]) -> None:
    store = InMemory().open("")
    store.add_documents(chunks)
    with pytest.raises(TypeError):
        store.similarity_search("ferry", filter={"page": 3})
    assert len(store.similarity_search("ferry", filter=lambda chunk: chunk.metadata["page"] == 3)) == 2


def test_all_metadata_survives_dump_and_load(chunks: list[Document], tmp_path: Path) -> None:
    store = InMemoryVectorStore(EMBEDDING)
    store.add_documents(chunks)
    store.dump(str(tmp_path / "store.json"))
    loaded = InMemoryVectorStore.load(str(tmp_path / "store.json"), EMBEDDING)
    assert sorted(loaded.similarity_search("ferry", k=6), key=str) == sorted(chunks, key=str)


def test_a_file_that_only_moved_is_skipped_by_its_own_ids(chunks: list[Document]) -> None:
    store = InMemory().open("")
    records = InMemoryRecordManager("chunks")
    records.create_schema()
    index(chunks, records, store, key_encoder=lambda chunk: str(chunk.id))
    for chunk in chunks:
        chunk.metadata["source"] = "moved.pdf"
    for force, skipped, moved in ((False, 6, 0), (True, 0, 6)):
        done = index(chunks, records, store, key_encoder=lambda chunk: str(chunk.id), force_update=force)
        assert (done["num_added"], done["num_skipped"], done["num_updated"]) == (0, skipped, moved)
        found = store.similarity_search("ferry", k=100)
        assert [chunk.metadata["source"] for chunk in found].count("moved.pdf") == moved
