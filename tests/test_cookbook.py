"""The notebooks as they are committed: made from their sources, whole, small, and of no machine in particular.

Whether they run is checked by CI's session "notebooks".
"""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

COOKBOOK = Path(__file__).parents[1] / "cookbook"
NOTEBOOKS = sorted(COOKBOOK.glob("[0-9]*.ipynb"))
MAX_NOTEBOOK_BYTES = 1_000_000
MAX_PICTURE_BYTES = 150_000
MACHINE_PATH = re.compile(r"/(?:home|opt|root|tmp|usr|var|work|Users)/|\b[A-Z]:\\")

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells(path: Path, kind: str | None = None) -> list[dict[str, Any]]:
    """The cells of a notebook, or those of one kind."""
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if kind in (None, cell["cell_type"])]


def outputs(path: Path) -> list[dict[str, Any]]:
    return [output for cell in cells(path, "code") for output in cell["outputs"]]


def pictures(path: Path) -> list[bytes]:
    data = [output.get("data", {}) for output in outputs(path)]
    return [base64.b64decode(found["image/png"]) for found in data if "image/png" in found]


def texts(path: Path) -> Iterator[str]:
    """All that a reader reads: sources, printed text, and results that are no pictures."""
    for cell in cells(path):
        yield "".join(cell["source"])
    for output in outputs(path):
        yield "".join(output.get("text", ""))
        for kind, content in output.get("data", {}).items():
            if not kind.startswith("image/"):
                yield "".join(content)


def test_each_notebook_has_its_source() -> None:
    sources = sorted(path.stem for path in COOKBOOK.glob("[0-9]*.py"))
    assert [path.stem for path in NOTEBOOKS] == sources
    assert [name[:3] for name in sources] == [f"{number:02}_" for number in range(1, 9)]


@every_notebook
def test_cells_are_those_of_the_source(path: Path) -> None:
    jupytext = pytest.importorskip("jupytext", reason="jupytext is not installed")
    source = jupytext.read(path.with_suffix(".py"))
    expected = [(cell.cell_type, cell.source) for cell in source.cells]
    assert [(cell["cell_type"], "".join(cell["source"])) for cell in cells(path)] == expected


@every_notebook
def test_it_was_run_once_from_top_to_bottom_without_noise(path: Path) -> None:
    code = cells(path, "code")
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert outputs(path)
    for output in outputs(path):
        assert output["output_type"] != "error"
        assert output.get("name") != "stderr", output["text"]
        assert "application/vnd.jupyter.widget-view+json" not in output.get("data", {})


@every_notebook
def test_it_tells_nothing_of_the_machine_or_the_time(path: Path) -> None:
    for text in texts(path):
        assert not MACHINE_PATH.search(text), text
    assert all("execution" not in cell["metadata"] for cell in cells(path))


@every_notebook
def test_it_is_small(path: Path) -> None:
    assert path.stat().st_size <= MAX_NOTEBOOK_BYTES
    assert all(len(picture) <= MAX_PICTURE_BYTES for picture in pictures(path))


@every_notebook
def test_it_says_what_to_install(path: Path) -> None:
    assert "pip install" in "".join(cells(path, "markdown")[0]["source"])


@every_notebook
def test_links_lead_somewhere(path: Path) -> None:
    for cell in cells(path, "markdown"):
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", "".join(cell["source"])):
            assert (path.parent / target).exists(), target


def test_the_quickstart_ends_with_a_picture_after_five_cells_at_most() -> None:
    code = cells(COOKBOOK / "01_quickstart.ipynb", "code")
    assert len(code) <= 5
    assert "image/png" in code[-1]["outputs"][-1]["data"]
