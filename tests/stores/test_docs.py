"""The code of docs/vector-stores.md that needs more than the package; tests/test_docs.py runs the rest."""

import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from langchain_pymupdf_coords.pdf.sample import sample_report

PAGE = (Path(__file__).parents[2] / "docs" / "vector-stores.md").read_text(encoding="utf-8")
INTRODUCTION, *SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)
STORES = {section.partition("\n")[0]: section for section in SECTIONS if "```py\n" in section}
MODULES = {
    "Chroma": ("langchain_chroma",),
    "Qdrant": ("langchain_qdrant",),
    "FAISS": ("faiss", "langchain_community"),
    "LanceDB": ("lancedb", "langchain_community", "langchain_lancedb"),
    "Milvus": ("langchain_milvus", "milvus_lite"),
    "PostgreSQL": ("langchain_postgres", "pgserver"),
    "LlamaIndex": ("llama_index.core",),
}


def blocks(text: str, tag: str) -> Iterator[CodeType]:
    for block in re.findall(rf"```{tag}\n(.*?)```", text, re.DOTALL):
        yield compile(block, "docs/vector-stores.md", "exec")


@pytest.fixture(scope="module")
def introduction(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The names that the code before the first section leaves."""
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("introduction"))
        Path("report.pdf").write_bytes(sample_report())
        for block in blocks(INTRODUCTION, "python"):
            exec(block, names)
    assert names["found"]
    return names


def test_every_section_with_code_of_stores_is_known() -> None:
    assert STORES.keys() == MODULES.keys()


@pytest.mark.parametrize("name", STORES)
def test_code_runs_and_finds_what_it_asks_for(
    name: str,
    introduction: dict[str, Any],
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in MODULES[name]:
        pytest.importorskip(module, reason=f"{module} is not installed")
    monkeypatch.chdir(tmp_path)
    Path("report.pdf").write_bytes(sample_report())
    names = {**introduction, "documents": deepcopy(introduction["documents"])}
    expected = [document.page_content for document in names["found"]]
    if name == "PostgreSQL":
        names["url"] = request.getfixturevalue("postgres_url")
    if name == "LlamaIndex":
        from llama_index.core.embeddings import MockEmbedding

        names["embed_model"] = MockEmbedding(embed_dim=4)
        expected = [document.page_content for document in names["documents"]]
    for block in blocks(STORES[name], "py"):
        exec(block, names)
        assert sorted(document.page_content for document in names["found"]) == sorted(expected)
