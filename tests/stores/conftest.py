"""Stores to test with, each opened anew for each test; those that are not installed are skipped."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.documents import Document

from tests.stores.adapters import ADAPTERS, OpenStore, name


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL server of its own with pgvector, stopped at the end."""
    pgserver = pytest.importorskip("pgserver", reason="pgserver is not installed")
    server = pgserver.get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="delete")
    server.psql("CREATE EXTENSION IF NOT EXISTS vector")
    yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
    server.cleanup()


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
