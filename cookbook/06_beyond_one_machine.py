# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Beyond one machine: parse on Dask or Ray
#
# On one machine, `PyMuPDFCoordsLoader(files, workers="auto")` uses every core. For more files than that, use
# the engine that you have. The parser is a picklable function from a source and its bytes to Documents, so
# all that an engine needs is one function that gives **rows**: a row for each Document, or one that says why
# a file failed. A failure is a row and not an exception, so one damaged PDF does not end a run of a million,
# and a restart skips what is done.
#
# ```bash
# pip install langchain-pymupdf-coords jupyterlab dask distributed  # or "ray[data]"
# ```

# %%
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain_core.documents import Document
from langchain_core.documents.base import Blob

from langchain_pymupdf_coords import PyMuPDFCoordsError, PyMuPDFCoordsParser, QuoteLocator
from langchain_pymupdf_coords.loading.worker import use_one_thread
from langchain_pymupdf_coords.pdf.sample import sample_report
from langchain_pymupdf_coords.sources import normalise_source

PARSER = PyMuPDFCoordsParser()

# %% [markdown]
# ## One file: source and bytes in, rows out
#
# - Engines name the same file in different ways (`file:///data/a.pdf`, `/data/a.pdf`, `s3a://…`);
#   `normalise_source` makes one form of them, so that a restart on another engine knows the file again.
# - The layout model starts a thread for each core. Where every core has a process of its own, that makes all of
#   them slower: `use_one_thread()` prevents it.
# - A file without any text gives a row too, or each restart would parse it again.


# %%
def parse(source: str, data: bytes, parser: PyMuPDFCoordsParser = PARSER) -> list[dict[str, str]]:
    use_one_thread()
    source = normalise_source(source)
    try:
        documents = parser.parse(Blob.from_data(data, metadata={"source": source}))
    except PyMuPDFCoordsError as error:
        return [row(source, error=error)]
    return [row(source, document) for document in documents] or [row(source)]


def row(source: str, document: Document | None = None, error: Exception | None = None) -> dict[str, str]:
    return {
        "source": source,
        "id": (document and document.id) or "",
        "page_content": document.page_content if document else "",
        "metadata": json.dumps(document.metadata) if document else "",
        "error": f"{type(error).__name__}: {error}" if error else "",
    }


def documents_of(rows: Iterable[dict[str, Any]]) -> Iterator[Document]:
    """The Documents in rows, as `PyMuPDFCoordsLoader` would have given them."""
    for row in rows:
        if row["id"]:
            yield Document(
                id=row["id"], page_content=row["page_content"], metadata=json.loads(row["metadata"])
            )


def still_to_do(sources: Iterable[str], rows: Iterable[dict[str, Any]]) -> list[str]:
    """The sources that no row of an earlier run is about; failures are tried again."""
    done = {row["source"] for row in rows if not row["error"]}
    return [source for source in sources if normalise_source(source) not in done]


# %% [markdown]
# ## Dask
#
# Rows are appended as each file is done, so whatever ends the run, the file holds all that was finished. The
# bytes are read where they are parsed, by fsspec: `s3://`, `gs://`, `https://` and plain paths.


# %%
def parse_source(source: str) -> list[dict[str, str]]:
    import fsspec

    source = normalise_source(source)  # fsspec takes the %20 of a file: URL for a part of the name
    try:
        with fsspec.open(source, "rb") as stream:
            data = stream.read()
    except OSError as error:
        return [row(source, error=error)]
    return parse(source, data)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines, without the line at which an earlier run was cut off."""
    rows = []
    for line in path.read_text(encoding="utf-8").split("\n") if path.exists() else []:
        with suppress(ValueError):
            rows.append(json.loads(line))
    return rows


def run_on_dask(client: Any, sources: Iterable[str], path: Path) -> None:
    from distributed import as_completed

    futures = client.map(parse_source, still_to_do(sources, read_rows(path)), pure=False)
    with path.open("a", encoding="utf-8") as stream:
        stream.write("\n" if stream.tell() else "")  # the last run may have ended within a line
        for future, rows in as_completed(futures, with_results=True):
            stream.writelines(json.dumps(row) + "\n" for row in rows)
            stream.flush()
            future.release()


# %% [markdown]
# A small run: two workers, three files, one of them damaged. On a cluster, only the address of the scheduler
# and the sources (`s3://bucket/a.pdf`) are others. The condition keeps the run out of processes and programs
# that import this file.


# %%
def write_files(folder: Path) -> list[str]:
    report = sample_report()
    contents = {"a.pdf": report, "b.pdf": report + b"\n% another file", "damaged.pdf": b"%PDF-1.7 cut off"}
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return [str(folder / name) for name in contents]


def summary(rows: Iterable[dict[str, Any]]) -> list[str]:
    names = [(Path(row["source"]).name, row["error"].partition(":")[0] or "Document") for row in rows]
    return [f"{name:12} {what:13} rows: {names.count((name, what))}" for name, what in sorted(set(names))]


if __name__ == "__main__":
    from distributed import Client, LocalCluster

    with (
        TemporaryDirectory() as name,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        folder, output = Path(name), Path(name, "rows.jsonl")
        sources = write_files(folder)
        run_on_dask(client, sources, output)
        print("first run:", *summary(read_rows(output)), sep="\n  ")

        (folder / "c.pdf").write_bytes(sample_report() + b"\n% a new file")
        sources.append(str(folder / "c.pdf"))
        left = still_to_do(sources, read_rows(output))
        print("left for a second run:", [Path(source).name for source in left])

        before = len(read_rows(output))
        run_on_dask(client, sources, output)
        print("second run:", *summary(read_rows(output)[before:]), sep="\n  ")

        rows = [row for row in read_rows(output) if row["source"] == sources[0]]
        found = QuoteLocator().locate_all(documents_of(rows), "Crews found and fixed 212 leaks.")
        print("a quote in the rows:", found[0][1].to_dict()["regions"])

# %% [markdown]
# The damaged file is a row with its error, and is tried again, since it may have been mended; the good ones
# are not parsed twice. Coordinates in the rows are those that the loader gives: points from the top left of
# the page as it is shown.
#
# ## Ray Data
#
# `read_binary_files` streams the bytes, `flat_map` gives the rows, and each block of them is written as soon as
# it is there.


# %%
def parse_record(record: dict[str, Any]) -> list[dict[str, str]]:
    return parse(record["path"], record["bytes"])


def run_on_ray(sources: Iterable[str], folder: Path) -> None:
    import pyarrow.parquet
    import ray

    parts = sorted(folder.glob("*.parquet"))
    earlier = [row for part in parts for row in pyarrow.parquet.read_table(part).to_pylist()]
    if left := still_to_do(sources, earlier):
        files = ray.data.read_binary_files(left, include_paths=True)
        files.flat_map(parse_record).write_parquet(str(folder), mode="append")


# %% [markdown]
# Both give the same rows, and the ids of the Documents are the same in each run: a vector store that is fed
# twice updates them and keeps no doubles.
