"""The code of docs/vector-stores.md that needs more than the package; tests/test_docs.py runs the rest."""

import re
from collections.abc import Iterator
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


def test_every_section_with_code_of_stores_is_known() -> None:
    assert STORES.keys() == MODULES.keys()


@pytest.mark.parametrize("name", STORES)
def test_code_runs_and_finds_what_it_asks_for(
    name: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in MODULES[name]:
        pytest.importorskip(module, reason=f"{module} is not installed")
    monkeypatch.chdir(tmp_path)
    Path("report.pdf").write_bytes(sample_report())
    names: dict[str, Any] = {}
    for block in blocks(INTRODUCTION, "python"):
        exec(block, names)
    expected = names["found"]
    assert expected
    if name == "PostgreSQL":
        names["url"] = request.getfixturevalue("postgres_url")
    if name == "LlamaIndex":
        from llama_index.core.embeddings import MockEmbedding

        names["embed_model"] = MockEmbedding(embed_dim=4)
    for block in blocks(STORES[name], "py"):
        exec(block, names)
        if name != "LlamaIndex":
            assert [document.page_content for document in names["found"]] == [
                document.page_content for document in expected
            ]
