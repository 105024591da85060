"""The parser on Ray Data gives what one process gives, and a restart skips what is done."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from langchain_pymupdf_coords import SkippedFileWarning
from tests.support.engine_runs import COOKBOOK, expected_documents, in_order, recipe, write_files

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def steps() -> Iterator[ModuleType]:
    module = recipe()
    path = os.pathsep.join([str(COOKBOOK.parent), str(COOKBOOK), os.environ.get("PYTHONPATH", "")])
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        object_store_memory=200 * 1024**2,
        runtime_env={"env_vars": {"PYTHONPATH": path}},
        _system_config={"worker_niceness": 0},
    )
    yield module
    ray.shutdown()


def rows_in(folder: Path) -> list[dict[str, Any]]:
    return [row for part in folder.glob("*.parquet") for row in parquet.read_table(part).to_pylist()]


def test_the_same_documents_and_failures_as_rows(steps: ModuleType, tmp_path: Path) -> None:
    sources = write_files(tmp_path)
    steps.run_on_ray(sources, tmp_path / "rows")
    rows = rows_in(tmp_path / "rows")

    with pytest.warns(SkippedFileWarning, match=r"damaged\.pdf"):
        expected = expected_documents(sources)
    assert in_order(list(steps.documents_of(rows)), sources) == expected
    failures = {Path(row["source"]).name: row["error"].partition(":")[0] for row in rows if row["error"]}
    assert failures == {"damaged.pdf": "PDFOpenError"}
    assert {row["source"] for row in rows} == set(sources)


def test_a_restart_skips_what_is_done(steps: ModuleType, tmp_path: Path) -> None:
    sources = write_files(tmp_path)
    folder = tmp_path / "rows"
    steps.run_on_ray(sources[:3], folder)
    before = {part.name for part in folder.iterdir()}
    steps.run_on_ray(sources, folder)
    added = [
        row
        for part in folder.iterdir()
        if part.name not in before
        for row in parquet.read_table(part).to_pylist()
    ]
    assert {row["source"] for row in added} == set(sources[3:])
    assert steps.still_to_do(sources, rows_in(folder)) == [sources[4]]  # the damaged one
