"""Stores to test with, each opened anew for each test; those that are not installed are skipped."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from tests.stores.adapters import ADAPTERS, StoreAdapter


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


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL server of its own with pgvector, stopped at the end."""
    pgserver = pytest.importorskip("pgserver", reason="pgserver is not installed")
    server = pgserver.get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="delete")
    server.psql("CREATE EXTENSION IF NOT EXISTS vector")
    yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
    server.cleanup()


def name(adapter: StoreAdapter) -> str:
    """Name of a store for the id of a test."""
    return type(adapter).__name__


@pytest.fixture(params=ADAPTERS, ids=name)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> OpenStore:
    """Each store in turn, new and empty."""
    adapter = request.param
    for package in adapter.packages:
        pytest.importorskip(package, reason=f"{package} is not installed")
    location = request.getfixturevalue("postgres_url") if adapter.needs_postgres else str(tmp_path)
    return OpenStore(adapter, adapter.open(location))


@pytest.fixture
def chunks(report_documents: list[Document]) -> list[Document]:
    """The six chunks of the sample report, to be changed at will."""
    return [document.model_copy(deep=True) for document in report_documents]
