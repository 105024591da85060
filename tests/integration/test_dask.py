"""The parser on Dask: two worker processes give what one process gives, and a restart skips what is done."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from langchain_pymupdf_coords import SkippedFileWarning
from tests.support.engine_runs import expected_documents, in_order, recipe, write_files

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def steps() -> ModuleType:
    return recipe()


@pytest.fixture(scope="module")
def client(steps: ModuleType) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_the_same_documents_and_failures_as_rows(client: Any, steps: ModuleType, tmp_path: Path) -> None:
    sources = write_files(tmp_path)
    urls = [Path(source).as_uri() for source in sources]  # another engine's form of the same names
    output = tmp_path / "rows.jsonl"
    steps.run_on_dask(client, [*urls, str(tmp_path / "absent.pdf")], output)
    rows = steps.read_rows(output)

    with pytest.warns(SkippedFileWarning, match=r"damaged\.pdf"):
        expected = expected_documents(sources)
    assert in_order(list(steps.documents_of(rows)), sources) == expected
    failures = {Path(row["source"]).name: row["error"].partition(":")[0] for row in rows if row["error"]}
    assert failures == {"damaged.pdf": "PDFOpenError", "absent.pdf": "FileNotFoundError"}
    assert {row["source"] for row in rows} == {*sources, str(tmp_path / "absent.pdf")}


def test_a_restart_skips_what_is_done(client: Any, steps: ModuleType, tmp_path: Path) -> None:
    sources = write_files(tmp_path)
    output = tmp_path / "rows.jsonl"
    steps.run_on_dask(client, sources[:3], output)
    first = output.read_text(encoding="utf-8")
    with output.open("a", encoding="utf-8") as stream:
        stream.write('{"source": "cut off')
    assert steps.still_to_do(sources, steps.read_rows(output)) == sources[3:]
    steps.run_on_dask(client, sources, output)
    before = [json.loads(line) for line in first.split("\n") if line]
    added = steps.read_rows(output)[len(before) :]
    assert {row["source"] for row in added} == set(sources[3:])
    assert steps.still_to_do(sources, steps.read_rows(output)) == [sources[4]]  # the damaged one


def test_both_processes_work_with_one_thread_each(client: Any, steps: ModuleType, tmp_path: Path) -> None:
    sources = write_files(tmp_path)
    steps.run_on_dask(client, sources, tmp_path / "rows.jsonl")

    def single() -> bool:
        import onnxruntime

        return bool(getattr(onnxruntime.SessionOptions, "is_single", False))

    assert list(client.run(single).values()) == [True, True]
