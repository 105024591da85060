"""What the two LangChain wrappers of LanceDB break, and the way round."""

from pathlib import Path

import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import QuoteLocator
from tests.stores.adapters import EMBEDDING, LanceDB, without_keys

pytest.importorskip("lancedb", reason="lancedb is not installed")
community = pytest.importorskip(
    "langchain_community.vectorstores", reason="langchain-community is not installed"
)


def test_by_default_every_call_of_add_wipes_the_table(chunks: list[Document], tmp_path: Path) -> None:
    store = community.LanceDB(embedding=EMBEDDING, uri=str(tmp_path / "default"))
    store.add_documents(chunks)
    store.add_documents(chunks[:1])
    assert len(store.similarity_search("ferry", k=100)) == 1
    appending = LanceDB().open(str(tmp_path / "append"))
    appending.add_documents(chunks)
    appending.add_documents(chunks[:1])
    assert len(appending.similarity_search("ferry", k=100)) == 7  # the first one twice: delete it first
    appending.delete([chunks[0].id])
    assert len(appending.similarity_search("ferry", k=100)) == 5


def test_keys_are_those_of_the_first_call(chunks: list[Document], tmp_path: Path) -> None:
    unlabelled = without_keys(chunks[0], "page_label")
    store = LanceDB().open(str(tmp_path / "first"))
    store.add_documents([unlabelled])
    with pytest.raises(ValueError, match="page_label"):
        store.add_documents([chunks[1]])
    store = LanceDB().open(str(tmp_path / "second"))
    store.add_documents([chunks[1]])
    store.add_documents([unlabelled])
    (found,) = store.similarity_search(unlabelled.page_content, k=1)
    assert found.metadata == {**unlabelled.metadata, "page_label": None}


def test_filters_are_sql_and_come_after_the_search(chunks: list[Document], tmp_path: Path) -> None:
    store = LanceDB().open(str(tmp_path))
    store.add_documents(chunks)
    for wanted in ({"page": 3}, {"metadata.page": 3}):
        with pytest.raises(ValueError, match="Invalid input"):
            store.similarity_search("ferry", filter=wanted)
    query = chunks[0].page_content
    assert len(store.similarity_search(query, k=2, filter="metadata.page = 3")) < 2
    assert len(store.similarity_search(query, k=2, filter="metadata.page = 3", prefilter=True)) == 2


def test_langchain_lancedb_overwrites_the_source(chunks: list[Document], tmp_path: Path) -> None:
    package = pytest.importorskip("langchain_lancedb", reason="langchain-lancedb is not installed")
    store = package.LanceDB(EMBEDDING, uri=str(tmp_path))
    for chunk in chunks:
        chunk.metadata["file"] = chunk.metadata["source"]
    store.add_documents(chunks)
    (found,) = store.similarity_search(chunks[5].page_content, k=1)
    assert found.metadata["source"] == str(tmp_path)
    found.metadata["source"] = found.metadata["file"]
    assert found.metadata == chunks[5].metadata
    match = QuoteLocator().locate(found, "delivered in May 2026")
    assert match is not None
    assert match.precision == "word"


def test_langchain_lancedb_ignores_filters_in_silence(chunks: list[Document], tmp_path: Path) -> None:
    package = pytest.importorskip("langchain_lancedb", reason="langchain-lancedb is not installed")
    store = package.LanceDB(EMBEDDING, uri=str(tmp_path))
    store.add_documents(chunks)
    assert len(store.similarity_search("ferry", k=100, filter={"page": 3})) == 6
    store.add_documents(chunks)
    assert len(store.similarity_search("ferry", k=100)) == 12
    # The other wrapper reads metadata that it wrote itself only, so there is no filter but one afterwards.
    found = [chunk for chunk in store.similarity_search("ferry", k=100) if chunk.metadata["page"] == 3]
    assert len(found) == 4
