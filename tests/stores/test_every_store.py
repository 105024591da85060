"""What every vector store must do with chunks, one body for all of them."""

import json
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index

from langchain_pymupdf_coords import Crop, QuoteLocator, SourceCropTransformer
from tests.stores.adapters import ADAPTERS, OpenStore, name

QUOTE = "An electric ferry for 300 passengers has been ordered and will be delivered in May 2026."


def canonical(document: Document) -> str:
    """Text and metadata as JSON: 3 and 3.0 differ, and so does every byte of the coordinates."""
    return json.dumps([document.page_content, document.metadata], sort_keys=True)


def canonicals(documents: list[Document]) -> list[str]:
    return sorted(map(canonical, documents))


def second_file(chunks: list[Document]) -> list[Document]:
    """Chunks of a file without page labels, author and date, loaded with metadata that the first has not."""
    others = []
    for number, chunk in enumerate(chunks):
        metadata = {**chunk.metadata, "source": "other.pdf", "team": "Ünïcode “quotes” ≤ 😀"}
        for key in ("page_label", "author", "creationdate"):
            del metadata[key]
        others.append(
            Document(
                id=f"00000000-0000-5000-8000-{number:012}",
                page_content=f"Other: {chunk.page_content}",
                metadata=metadata,
            )
        )
    return others


def test_metadata_comes_back_byte_for_byte(opened: OpenStore, chunks: list[Document]) -> None:
    opened.add(chunks)
    for chunk in chunks:
        nearest, *_ = opened.search(chunk.page_content, k=2)
        assert canonical(nearest) == canonical(chunk)
        assert nearest.id == (chunk.id if opened.adapter.returns_ids else None)


def test_files_with_different_keys(opened: OpenStore, chunks: list[Document]) -> None:
    others = second_file(chunks)
    opened.add(chunks)
    opened.add(others)
    assert canonicals(opened.search("ferry")) == canonicals(chunks + others)


# The query is the text of a chunk that no filter wants, and k is small: who filters only the nearest k fails.
@pytest.mark.parametrize("keys", [("page",), ("section",), ("page", "section"), ("source", "page")])
def test_filter_really_filters(opened: OpenStore, chunks: list[Document], keys: tuple[str, ...]) -> None:
    opened.add(chunks)
    wanted = {key: chunks[5].metadata[key] for key in keys}
    expected = [chunk for chunk in chunks if wanted.items() <= chunk.metadata.items()]
    assert 0 < len(expected) < len(chunks)
    assert canonicals(opened.search(chunks[0].page_content, k=2, **wanted)) == canonicals(expected)


@pytest.mark.filterwarnings("ignore:No results found")  # LanceDB
def test_filter_that_nothing_passes(opened: OpenStore, chunks: list[Document]) -> None:
    opened.add(chunks)
    assert opened.search(chunks[0].page_content, page=3, section=chunks[0].metadata["section"]) == []


def test_delete_by_id(opened: OpenStore, chunks: list[Document]) -> None:
    opened.add(chunks)
    opened.store.delete([chunk.id for chunk in chunks if chunk.metadata["page"] == 1])
    assert canonicals(opened.search("ferry")) == canonicals(chunks[2:])


@pytest.mark.parametrize("opened", [store for store in ADAPTERS if store.replaces], indirect=True, ids=name)
def test_adding_again_replaces(opened: OpenStore, chunks: list[Document]) -> None:
    opened.add(chunks)
    chunks[0].metadata["source"] = "moved.pdf"
    opened.add(chunks)
    assert canonicals(opened.search("ferry")) == canonicals(chunks)


@pytest.mark.parametrize("key_encoder", ["sha1", lambda document: document.id], ids=["hash", "own-id"])
def test_indexing_twice_adds_nothing(opened: OpenStore, chunks: list[Document], key_encoder: Any) -> None:
    records = InMemoryRecordManager("chunks")
    records.create_schema()
    prepared = [opened.adapter.prepared(chunk) for chunk in chunks]

    def run(documents: list[Document]) -> tuple[int, int, int]:
        done = index(
            documents,
            records,
            opened.store,
            cleanup="incremental",
            source_id_key="source",
            key_encoder=key_encoder,
        )
        return done["num_added"], done["num_skipped"], done["num_deleted"]

    assert run(prepared) == (6, 0, 0)
    assert run(prepared) == (0, 6, 0)
    assert canonicals(opened.search("ferry")) == canonicals(chunks)
    # A new version of the file: other bytes, so another digest and other ids.
    changed = second_file(chunks)
    for chunk in changed:
        chunk.metadata |= {"source": chunks[0].metadata["source"], "source_digest": f"sha256:{0:064}"}
    assert run([opened.adapter.prepared(chunk) for chunk in changed]) == (6, 0, 6)
    assert canonicals(opened.search("ferry")) == canonicals(changed)


def test_a_quote_is_located_and_cropped(opened: OpenStore, chunks: list[Document]) -> None:
    opened.add(chunks)
    (found,) = opened.search("ferry", section=chunks[5].metadata["section"])
    match = QuoteLocator().locate(found, QUOTE)
    assert match is not None
    assert (match.status, match.precision, match.regions[0].page) == ("exact", "word", 3)
    assert match == QuoteLocator().locate(chunks[5], QUOTE)
    (cropped,) = SourceCropTransformer().transform_documents([found])
    assert [crop.page for crop in Crop.from_document(cropped)] == [3]
