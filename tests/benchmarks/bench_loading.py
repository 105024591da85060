"""Ratios of loading, locating and cropping to what bare PyMuPDF does, side by side.

Run it on a machine that does nothing else, from the repository::

    python -m tests.benchmarks.bench_loading                  # some minutes
    python -m tests.benchmarks.bench_loading --only workers   # or overhead, memory, locating, crops, cache
    python -m tests.benchmarks.bench_loading --only memory --memory-pages 200 2000    # half an hour
    python -m tests.benchmarks.bench_loading --only loaders   # other loaders, each in an environment of its own

The files are made by the script: the sample report of the tests, over and over. Each load is a process of its
own; its time is that of ``load()``, with the start of its workers and the loading of the engine, but without
the start of Python. Runs alternate, and the median counts. ``--cpu`` takes processor time instead, which a busy
machine does not change, where all work is in one process. Prints a table in Markdown.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pymupdf

from tests.benchmarks import bench_queries
from tests.support.pdf_factory import report_pdf

Row = tuple[str, str, str]
RUNS = 3


def make_file(folder: Path, pages: int, name: str = "") -> Path:
    """A PDF with this many pages."""
    path = folder / f"{name or 'report'}-{pages}.pdf"
    if not path.exists():
        with pymupdf.open() as made, pymupdf.open(stream=report_pdf()) as report:
            while len(made) < pages:
                made.insert_pdf(report, to_page=min(2, pages - len(made) - 1))
            made.save(path, garbage=4)
    return path


def measure(what: str, **options: Any) -> dict[str, Any]:
    """Run one measurement of ``bench_process`` in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.bench_process", what, json.dumps(options, default=str)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    result: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return result


def alternating(clock: str, runs: dict[str, Callable[[], dict[str, Any]]]) -> dict[str, float]:
    """Measure several things in turn, some times; the median of each."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(RUNS):
        for name, run in runs.items():
            times[name].append(run()[clock])
    return {name: statistics.median(values) for name, values in times.items()}


def overhead(folder: Path, clock: str, pages: int) -> Iterator[Row]:
    """A load against bare ``to_markdown``, alternately in one process, after a first round for nothing."""
    path = make_file(folder, pages)
    for threads in ("default", "one"):
        found = measure("overhead", path=path, runs=RUNS, one_thread=threads == "one")
        bare, load = (statistics.median(found[name]) for name in (f"bare_{clock}", f"load_{clock}"))
        name = f"load / bare `to_markdown`, {pages} pages, {threads} thread(s)"
        yield name, f"{load:.2f} s / {bare:.2f} s", f"{load / bare:.3f}"


def workers(folder: Path, clock: str, pages: int) -> Iterator[Row]:  # in many processes
    """Two workers against one, and against this process with the engine's default threads."""
    start = statistics.median(measure("start")["seconds"] for _ in range(RUNS))
    yield "start of workers, with loading the engine", f"{start:.2f} s", ""
    small = [make_file(folder, 3, f"small{number}") for number in range(20)]
    for what, paths in (
        (f"{pages} pages", [make_file(folder, pages)]),
        ("20 files of 3 pages", small),
    ):
        found = alternating(
            "seconds",
            {
                "default": lambda paths=paths: measure("load", paths=paths),
                "one": lambda paths=paths: measure("load", paths=paths, one_worker=True),
                "two": lambda paths=paths: measure("load", paths=paths, workers=2),
                "auto": lambda paths=paths: measure("load", paths=paths, workers="auto"),
            },
        )
        default, one, two, auto = (found[name] for name in ("default", "one", "two", "auto"))
        yield f"{what}: no workers / 2 workers", f"{default:.2f} s / {two:.2f} s", f"{default / two:.2f}"
        yield f"{what}: 1 worker / 2 workers", f"{one:.2f} s / {two:.2f} s", f"{one / two:.2f}"
        yield f"{what}: the same after their start", "", f"{(one - start) / (two - start):.2f}"
        yield f'{what}: no workers / "auto"', f"{default:.2f} s / {auto:.2f} s", f"{default / auto:.2f}"


def cache(folder: Path, clock: str, pages: int) -> Iterator[Row]:
    """A load into the cache against one from it, in one process each."""
    path = make_file(folder, pages)
    with tempfile.TemporaryDirectory() as cache_dir:
        first = measure("load", paths=[path], cache_dir=cache_dir, warm=True)[clock]
        again = statistics.median(
            measure("load", paths=[path], cache_dir=cache_dir, warm=True)[clock] for _ in range(RUNS)
        )
    yield f"first load / cached load, {pages} pages", f"{first:.2f} s / {again:.4f} s", f"{first / again:.0f}"


def memory(folder: Path, clock: str, counts: list[int]) -> Iterator[Row]:  # bytes, not time
    """Peak memory over the length of a file, and what was read before the first Document came."""
    peaks = []
    for count in counts:
        found = measure("load", paths=[make_file(folder, count)])
        peaks.append(found["peak_mb"])
        first = f"first Document after {found['first']:.2f} s and {found['pages_at_first']} pages"
        yield f"peak memory, {count:,} pages; {first}", f"{peaks[-1]:.0f} MB", f"{peaks[-1] / peaks[0]:.2f}"


def loaders(folder: Path, clock: str, pages: int) -> Iterator[Row]:
    """Other loaders of LangChain, each in an environment of its own, where they can be had and run."""
    path = make_file(folder, pages)
    ours = measure("load", paths=[path])[clock]
    yield f"PyMuPDFCoordsLoader, {pages} pages", f"{ours:.2f} s", "1"
    for package, extra in bench_queries.OTHER_LOADERS.items():
        found = other_loader(folder, package, extra, path)
        if isinstance(found, str):
            yield f"{package}: could not run", found, ""
        else:
            yield f"{package} / ours", f"{found[clock]:.2f} s", f"{found[clock] / ours:.2f}"


def other_loader(folder: Path, package: str, extra: list[str], path: Path) -> dict[str, Any] | str:
    """The times of another loader, or why there are none."""
    python = folder / package / "bin" / "python"
    steps = (
        [sys.executable, "-m", "venv", str(folder / package)],
        [str(python), "-m", "pip", "install", "-q", package, *extra],
        [str(python), str(Path(__file__).with_name("bench_other_loader.py")), package, str(path)],
    )
    for step in steps:
        try:
            ran = subprocess.run(step, capture_output=True, text=True, check=False, timeout=1800)
        except subprocess.TimeoutExpired:
            return "it took more than half an hour"
        if ran.returncode:
            return (ran.stderr.strip().splitlines() or ["no message"])[-1][:200]
    result: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return result


def main() -> None:
    """Measure what was asked for and print the table."""
    parts = ("overhead", "workers", "cache", "locating", "crops", "memory", "loaders")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--only", choices=parts, nargs="+", default=[part for part in parts if part != "loaders"]
    )
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--memory-pages", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--cpu", action="store_true", help="processor time instead of time on the clock")
    options = parser.parse_args()
    clock = "cpu" if options.cpu else "seconds"
    print("| what | measured | ratio |\n| --- | --- | ---: |")  # noqa: T201
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made: dict[str, Iterator[Row]] = {
            "overhead": overhead(folder, clock, options.pages),
            "workers": workers(folder, clock, options.pages),
            "cache": cache(folder, clock, options.pages),
            "locating": bench_queries.locating(folder, clock),
            "crops": bench_queries.crops(folder, clock),
            "memory": memory(folder, clock, options.memory_pages),
            "loaders": loaders(folder, clock, options.pages),
        }
        for part in options.only:
            for row in made[part]:
                print("| {} | {} | {} |".format(*row), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
