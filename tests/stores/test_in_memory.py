"""What LangChain's store in memory does differently."""

from pathlib import Path

import pytest
from langchain_core.documents import Document
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
