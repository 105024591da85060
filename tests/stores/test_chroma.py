"""What Chroma refuses, and the way round."""

from pathlib import Path

import pytest
from langchain_core.documents import Document

from tests.stores.adapters import Chroma

pytest.importorskip("langchain_chroma", reason="langchain-chroma is not installed")


def test_two_conditions_need_and(chunks: list[Document], tmp_path: Path) -> None:
    store = Chroma().open(str(tmp_path))
    store.add_documents(chunks)
    section = chunks[5].metadata["section"]
    with pytest.raises(ValueError, match="exactly one operator"):
        store.similarity_search("ferry", filter={"page": 3, "section": section})
    (found,) = store.similarity_search("ferry", filter={"$and": [{"page": 3}, {"section": section}]})
    assert found == chunks[5]


def test_nested_metadata_is_refused(chunks: list[Document], tmp_path: Path) -> None:
    chunks[0].metadata["positions"] = {"page": 1, "bbox": [72.0, 90.0, 300.0, 110.0]}
    with pytest.raises(ValueError, match="Expected metadata value"):
        Chroma().open(str(tmp_path)).add_documents(chunks[:1])


def test_chunks_are_there_after_a_restart(chunks: list[Document], tmp_path: Path) -> None:
    Chroma().open(str(tmp_path)).add_documents(chunks)
    assert Chroma().open(str(tmp_path)).get_by_ids([chunks[3].id]) == [chunks[3]]
