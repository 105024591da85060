"""How large the metadata of chunks is: some vector stores cap a record at 40 kB."""

import json

import pytest
from langchain_core.documents import Document

from tests.corpus.test_corpus import FILES, loaded

pytestmark = pytest.mark.corpus

LIMIT = 8_000
CHUNK_SIZE = 1500


def size(document: Document, **changed: str) -> int:
    """Bytes of the metadata as JSON."""
    return len(json.dumps({**document.metadata, **changed}, ensure_ascii=False).encode())


def percentile(sizes: list[int], share: float) -> int:
    return sorted(sizes)[min(len(sizes) - 1, int(share * len(sizes)))]


def test_metadata_of_almost_all_chunks_is_below_8_kb() -> None:
    """A table row longer than a chunk stays whole: there are few of them, and they may be larger."""
    if not FILES:
        pytest.skip("no shared corpus beside the repository")
    chunks = [document for name in FILES for document in loaded(name).documents]
    fitting = [chunk for chunk in chunks if len(chunk.page_content) <= CHUNK_SIZE]
    assert len(fitting) > 500
    assert len(fitting) > 0.97 * len(chunks)
    assert percentile([size(chunk) for chunk in fitting], 0.99) < LIMIT
    assert percentile([size(chunk, lines="") for chunk in chunks], 0.99) < LIMIT / 2
    assert max(map(size, fitting)) < 2 * LIMIT
