"""How each vector store is used so that nothing of a chunk is lost: what docs/vector-stores.md advises.

Packages of stores are imported where they are needed, since not all are installed everywhere.
"""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

DIMENSIONS = 32
EMBEDDING = DeterministicFakeEmbedding(size=DIMENSIONS)


class StoreAdapter:
    """One store: how to open it, add to it and filter, and what its Documents lack on the way back."""

    packages: ClassVar[tuple[str, ...]] = ()
    needs_postgres = False
    returns_ids = True
    """Whether the Documents of a search have the ids that they were added with."""
    replaces = True
    """Whether adding a Document again replaces it."""

    def open(self, location: str) -> VectorStore:
        """Open a new, empty store in a folder, or at a URL of PostgreSQL."""
        raise NotImplementedError

    def where(self, store: VectorStore, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a search among Documents that have all of some metadata."""
        return {"filter": dict(wanted)}

    def prepared(self, document: Document) -> Document:
        """A Document as the store can take it."""
        return document

    def restored(self, document: Document) -> Document:
        """A Document from the store as it was before ``prepared``."""
        return document

    def add(self, store: VectorStore, documents: list[Document]) -> None:
        """Add Documents under their own ids."""
        store.add_documents([self.prepared(document) for document in documents])


class InMemory(StoreAdapter):
    def open(self, location: str) -> VectorStore:
        return InMemoryVectorStore(EMBEDDING)

    def where(self, store: VectorStore, wanted: Mapping[str, Any]) -> dict[str, Any]:
        return {"filter": lambda document: wanted.items() <= document.metadata.items()}


class Chroma(StoreAdapter):
    packages = ("langchain_chroma",)

    def open(self, location: str) -> VectorStore:
        from langchain_chroma import Chroma

        return Chroma("chunks", EMBEDDING, persist_directory=location)

    def where(self, store: VectorStore, wanted: Mapping[str, Any]) -> dict[str, Any]:
        conditions = [{key: value} for key, value in wanted.items()]
        return {"filter": {"$and": conditions} if len(conditions) > 1 else conditions[0]}


class Qdrant(StoreAdapter):
    packages = ("langchain_qdrant",)
    returns_ids = False  # they are in the metadata

    def open(self, location: str) -> VectorStore:
        from langchain_qdrant import QdrantVectorStore
        from qdrant_client import QdrantClient, models

        client = QdrantClient(path=location)
        vectors = models.VectorParams(size=DIMENSIONS, distance=models.Distance.COSINE)
        client.create_collection("chunks", vectors_config=vectors)
        return QdrantVectorStore(client, "chunks", EMBEDDING)

    def where(self, store: VectorStore, wanted: Mapping[str, Any]) -> dict[str, Any]:
        from qdrant_client import models

        conditions = [
            models.FieldCondition(key=f"metadata.{key}", match=models.MatchValue(value=value))
            for key, value in wanted.items()
        ]
        return {"filter": models.Filter(must=conditions)}

    def restored(self, document: Document) -> Document:
        return without_keys(document, "_id", "_collection_name")


class FAISS(StoreAdapter):
    packages = ("faiss", "langchain_community")
    replaces = False

    def open(self, location: str) -> VectorStore:
        import faiss
        from langchain_community.docstore.in_memory import InMemoryDocstore
        from langchain_community.vectorstores import FAISS

        return FAISS(EMBEDDING, faiss.IndexFlatL2(DIMENSIONS), InMemoryDocstore(), {})

    def where(self, store: Any, wanted: Mapping[str, Any]) -> dict[str, Any]:
        return {"filter": dict(wanted), "fetch_k": store.index.ntotal}


class LanceDB(StoreAdapter):
    """The wrapper of ``langchain-community``."""

    packages = ("lancedb", "langchain_community")
    returns_ids = False
    replaces = False
    # All rows have the columns of the first one: files without one of these have an empty string there.
    columns = ("page_label", "title", "author", "producer", "creator", "creationdate", "moddate", "team")

    def open(self, location: str) -> VectorStore:
        from langchain_community.vectorstores import LanceDB

        return LanceDB(embedding=EMBEDDING, uri=location, mode="append")

    def where(self, store: VectorStore, wanted: Mapping[str, Any]) -> dict[str, Any]:
        terms = [f"metadata.{key} = {sql_literal(value)}" for key, value in wanted.items()]
        return {"filter": " AND ".join(terms), "prefilter": True}

    def prepared(self, document: Document) -> Document:
        metadata = {**dict.fromkeys(self.columns, ""), **document.metadata}
        return document.model_copy(update={"metadata": metadata})

    def restored(self, document: Document) -> Document:
        empty = [key for key in self.columns if document.metadata[key] == ""]
        return without_keys(document, *empty)


class Milvus(StoreAdapter):
    packages = ("langchain_milvus", "milvus_lite")
    returns_ids = False

    def open(self, location: str) -> VectorStore:
        from langchain_milvus import Milvus

        return Milvus(
            EMBEDDING,
            connection_args={"uri": f"{location}/chunks.db"},
            index_params={"index_type": "FLAT", "metric_type": "L2"},
            metadata_field="metadata",
        )

    def where(self, store: VectorStore, wanted: Mapping[str, Any]) -> dict[str, Any]:
        terms = [
            f'metadata["{key}"] == {json.dumps(value, ensure_ascii=False)}' for key, value in wanted.items()
        ]
        return {"expr": " and ".join(terms)}

    def add(self, store: VectorStore, documents: list[Document]) -> None:
        store.add_documents(documents, ids=[document.id for document in documents])


class Postgres(StoreAdapter):
    packages = ("langchain_postgres", "pgserver")
    needs_postgres = True

    def open(self, location: str) -> VectorStore:
        from langchain_postgres import PGEngine, PGVectorStore

        engine = PGEngine.from_connection_string(location)
        table = f"chunks_{uuid.uuid4().hex}"
        engine.init_vectorstore_table(table, DIMENSIONS)
        return PGVectorStore.create_sync(engine, EMBEDDING, table)


ADAPTERS = (InMemory(), Chroma(), Qdrant(), FAISS(), LanceDB(), Milvus(), Postgres())


def without_keys(document: Document, *keys: str) -> Document:
    """A Document without some metadata."""
    metadata = {key: value for key, value in document.metadata.items() if key not in keys}
    return document.model_copy(update={"metadata": metadata})


def sql_literal(value: str | int) -> str:
    """A value as SQL writes it."""
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def name(adapter: StoreAdapter) -> str:
    """Name of a store for the id of a test."""
    return type(adapter).__name__


@dataclass(frozen=True)
class OpenStore:
    """An open store, used the way its adapter says."""

    adapter: StoreAdapter
    store: VectorStore

    def add(self, documents: list[Document]) -> None:
        self.adapter.add(self.store, documents)

    def search(self, query: str, k: int = 100, **wanted: Any) -> list[Document]:
        where = self.adapter.where(self.store, wanted) if wanted else {}
        found = self.store.similarity_search(query, k=k, **where)
        return [self.adapter.restored(document) for document in found]
