"""The recipes of docs/keep_your_index.md, in real stores that were filled without coordinates."""

import json
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import QuoteMatch
from langchain_pymupdf_coords.pdf.sample import sample_report
from tests.stores.adapters import DIMENSIONS, EMBEDDING

PAGE = (Path(__file__).parents[2] / "docs" / "keep_your_index.md").read_text(encoding="utf-8")

QUOTE = "Leaking pipes lost 8.4 percent of the water"

READER = """
import json, sys
from langchain_core.documents import Document
from langchain_pymupdf_coords import QuoteLocator
rows = json.load(sys.stdin)
documents = [Document(row["text"], metadata=row["metadata"]) for row in rows]
(_, match), *_ = QuoteLocator().locate_all(documents, {quote!r})
print(json.dumps([match.status, match.precision, [region.page for region in match.regions]]))
"""


def run(heading: str, names: dict[str, Any]) -> None:
    """Run the code under a heading of the page."""
    section = re.search(rf"^#+ {re.escape(heading)}$(.*?)(?=^#|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert section
    code = re.findall(r"```py\n(.*?)```", section[1], re.DOTALL)
    assert code
    for block in code:
        exec(compile(block, f"docs/keep_your_index.md, {heading}", "exec"), names)


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the first recipe leaves, run in a folder with a report."""
    pytest.importorskip("langchain_community", reason="langchain-community is not installed")
    pytest.importorskip("pypdf", reason="pypdf is not installed")
    monkeypatch.chdir(tmp_path)
    Path("report.pdf").write_bytes(sample_report())
    names: dict[str, Any] = {"embedding": EMBEDDING}
    run("While loading", names)
    return names


def rows_of(documents: list[Document]) -> str:
    return json.dumps([{"text": one.page_content, "metadata": one.metadata} for one in documents])


def located_elsewhere(rows: str) -> list[Any]:
    """Locate the quote in Documents as a store gave them, in another process."""
    done = subprocess.run(
        [sys.executable, "-c", READER.format(quote=QUOTE)],
        input=rows,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_chunks_of_another_loader_are_placed_to_the_word(names: dict[str, Any]) -> None:
    assert (names["match"].status, names["match"].precision) == ("exact", "word")
    assert all(chunk.metadata["coverage"] == 1 for chunk in names["placed"])
    assert [chunk.metadata["page"] for chunk in names["placed"]] == [
        c.metadata["page"] for c in names["chunks"]
    ]


def test_chroma_in_place(names: dict[str, Any], tmp_path: Path) -> None:
    langchain_chroma = pytest.importorskip("langchain_chroma", reason="langchain-chroma is not installed")
    forget_open_chroma()
    store = langchain_chroma.Chroma("reports", EMBEDDING, persist_directory=str(tmp_path / "chroma"))
    store.add_documents(names["chunks"])
    before = store.get(include=["documents", "embeddings"])
    run("Chroma", names)
    after = store.get(include=["documents", "embeddings", "metadatas"])
    assert (after["ids"], after["documents"]) == (before["ids"], before["documents"])
    assert (after["embeddings"] == before["embeddings"]).all()
    assert located_elsewhere(rows_of(store.similarity_search("water", k=50))) == ["exact", "word", [1]]


def forget_open_chroma() -> None:
    """Let a relative path mean the folder of this test: Chroma keeps what a process opened by its path."""
    from chromadb.api.shared_system_client import SharedSystemClient

    SharedSystemClient.clear_system_cache()


def test_postgres_in_place(names: dict[str, Any], postgres_url: str) -> None:
    package = pytest.importorskip("langchain_postgres", reason="langchain-postgres is not installed")
    engine = package.PGEngine.from_connection_string(postgres_url)
    engine.init_vectorstore_table("reports", DIMENSIONS, overwrite_existing=True)
    store = package.PGVectorStore.create_sync(engine, EMBEDDING, "reports")
    store.add_documents(names["chunks"])
    vectors = "SELECT langchain_id, content, embedding::text FROM reports ORDER BY langchain_id"
    before = selected(postgres_url, vectors)
    run("PostgreSQL with pgvector", names | {"url": postgres_url})
    assert selected(postgres_url, vectors) == before
    reopened = package.PGVectorStore.create_sync(engine, EMBEDDING, "reports")
    assert located_elsewhere(rows_of(reopened.similarity_search("water", k=50))) == ["exact", "word", [1]]


def selected(url: str, query: str) -> list[Any]:
    from sqlalchemy import create_engine, text

    with create_engine(url).connect() as connection:
        return list(connection.execute(text(query)))


def test_qdrant_in_place(names: dict[str, Any], tmp_path: Path) -> None:
    package = pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    vectors = package.models.VectorParams(size=DIMENSIONS, distance=package.models.Distance.COSINE)
    client = package.QdrantClient(path=str(tmp_path / "qdrant"))
    client.create_collection("reports", vectors_config=vectors)
    points = [
        package.models.PointStruct(
            id=str(uuid.UUID(int=number)),
            vector=EMBEDDING.embed_query(chunk.page_content),
            payload={"page_content": chunk.page_content, "metadata": chunk.metadata},
        )
        for number, chunk in enumerate(names["chunks"], start=1)
    ]
    client.upsert("reports", points)
    client.close()
    run("Qdrant", names)
    found, _ = names["client"].scroll("reports", limit=100)
    documents = [Document(one.payload["page_content"], metadata=one.payload["metadata"]) for one in found]
    assert located_elsewhere(rows_of(documents)) == ["exact", "word", [1]]


def test_what_is_retrieved_is_placed(names: dict[str, Any]) -> None:
    run("What is retrieved, only", names)
    assert names["found"]
    for document in names["found"]:
        located = [(match.quote, match.precision) for match in QuoteMatch.from_document(document)]
        assert located == ([(QUOTE, "word")] if QUOTE in document.page_content else [])
