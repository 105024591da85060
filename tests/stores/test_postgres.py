"""What PostgreSQL with pgvector refuses, and filters on columns of their own."""

import uuid
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index

from tests.stores.adapters import DIMENSIONS, EMBEDDING, Postgres, without_keys

package = pytest.importorskip("langchain_postgres", reason="langchain-postgres is not installed")


@pytest.fixture
def store(postgres_url: str) -> Any:
    return Postgres().open(postgres_url)


def test_ids_must_be_uuids(store: Any, chunks: list[Document]) -> None:
    from sqlalchemy.exc import DataError

    with pytest.raises(DataError, match="uuid"):
        store.add_documents([chunks[0].model_copy(update={"id": "report.pdf-0"})])
    records = InMemoryRecordManager("chunks")
    records.create_schema()
    with pytest.raises(DataError, match="uuid"):
        index(chunks, records, store, key_encoder="sha256")


def test_nul_is_refused_so_the_loader_writes_none(store: Any, chunks: list[Document]) -> None:
    from sqlalchemy.exc import DataError

    chunks[0].page_content += "\0"
    with pytest.raises(DataError, match="NUL"):
        store.add_documents(chunks[:1])


def test_columns_for_what_is_filtered_by(postgres_url: str, chunks: list[Document]) -> None:
    from langchain_postgres.v2.engine import Column

    engine = package.PGEngine.from_connection_string(postgres_url)
    table = f"columns_{uuid.uuid4().hex}"
    columns = [Column("page", "INTEGER"), Column("section", "TEXT"), Column("page_label", "TEXT")]
    engine.init_vectorstore_table(table, DIMENSIONS, metadata_columns=columns)
    store = package.PGVectorStore.create_sync(
        engine, EMBEDDING, table, metadata_columns=["page", "section", "page_label"]
    )
    unlabelled = without_keys(chunks[0], "page_label")
    store.add_documents([unlabelled, *chunks[1:]])
    wanted = {"page": 3, "section": chunks[5].metadata["section"]}
    assert store.similarity_search("ferry", filter=wanted) == [chunks[5]]
    # A column is there for every row.
    (found,) = store.similarity_search(unlabelled.page_content, k=1)
    assert found.metadata == {**unlabelled.metadata, "page_label": None}
