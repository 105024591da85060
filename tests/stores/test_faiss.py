"""What FAISS in langchain-community does not guard against, and the way round."""

from pathlib import Path

import pytest
from langchain_core.documents import Document

from tests.stores.adapters import EMBEDDING, FAISS

pytest.importorskip("faiss", reason="faiss-cpu is not installed")
community = pytest.importorskip(
    "langchain_community.vectorstores", reason="langchain-community is not installed"
)


def test_filters_see_the_nearest_fetch_k_only(chunks: list[Document]) -> None:
    store = FAISS().open("")
    padding = [
        Document(id=f"p{number}", page_content=f"{number}", metadata={"page": 9}) for number in range(200)
    ]
    store.add_documents(chunks + padding)
    # Of 206 vectors the nearest 20 are looked at: two Documents are wanted, and not both are among them.
    assert len(store.similarity_search("ferry", k=2, filter={"page": 3})) < 2
    everything = store.index.ntotal
    assert len(store.similarity_search("ferry", k=2, filter={"page": 3}, fetch_k=everything)) == 2


def test_adding_an_id_again_breaks_the_store_so_delete_first(chunks: list[Document]) -> None:
    store = FAISS().open("")
    store.add_documents(chunks)
    store.delete([chunk.id for chunk in chunks])
    store.add_documents(chunks)
    assert len(store.similarity_search("ferry", k=100)) == 6
    with pytest.raises(ValueError, match="already exist"):
        store.add_documents(chunks)
    with pytest.raises(KeyError):
        store.similarity_search("ferry", k=100)


def test_deleting_an_unknown_id_is_an_error() -> None:
    with pytest.raises(ValueError, match="do not exist"):
        FAISS().open("").delete(["unknown"])


def test_chunks_are_there_after_saving_and_loading(chunks: list[Document], tmp_path: Path) -> None:
    store = FAISS().open("")
    store.add_documents(chunks)
    store.save_local(str(tmp_path))
    loaded = community.FAISS.load_local(str(tmp_path), EMBEDDING, allow_dangerous_deserialization=True)
    assert loaded.similarity_search(chunks[3].page_content, k=1) == [chunks[3]]
