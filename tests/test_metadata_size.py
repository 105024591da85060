"""How large the metadata of chunks is: some vector stores cap a record at 40 kB."""

import json

import pytest

from tests.test_corpus import FILES, loaded

pytestmark = pytest.mark.corpus

# The goal is 8 kB: numeric tables, with a row of lines for each cell, pass it.
LIMIT = 12_000


def size(metadata: dict[str, object]) -> int:
    return len(json.dumps(metadata, ensure_ascii=False).encode())


def percentile(sizes: list[int], share: float) -> int:
    return sorted(sizes)[min(len(sizes) - 1, int(share * len(sizes)))]


def test_metadata_of_almost_all_chunks_is_below_8_kb() -> None:
    if not FILES:
        pytest.skip("no shared corpus beside the repository")
    chunks = [document.metadata for name in FILES for document in loaded(name).documents]
    assert len(chunks) > 500
    sizes = [size(metadata) for metadata in chunks]
    without_lines = [size({**metadata, "lines": ""}) for metadata in chunks]
    assert percentile(sizes, 0.99) < LIMIT
    assert percentile(without_lines, 0.99) < LIMIT / 2
    assert max(sizes) < 5 * LIMIT
