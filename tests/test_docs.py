"""Every code block of the README and the docs runs, every link leads somewhere, every error is explained."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from langchain_pymupdf_coords import errors, geometry
from langchain_pymupdf_coords.command_line import main
from langchain_pymupdf_coords.pdf.sample import sample_report

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```([\w{}-]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = "python -m langchain_pymupdf_coords "

# ``py`` is code that needs more than the package; tests/stores/test_docs.py runs that of the vector stores.
# ``text`` is a drawing.
RUN = {"python", "py", "bash", "json", "text", "{toctree}"}


def blocks(page: Path, language: str) -> list[str]:
    return [code for tag, code in BLOCK.findall(page.read_text(encoding="utf-8")) if tag == language]


def commands(page: Path) -> list[str]:
    return [line for block in blocks(page, "bash") for line in block.splitlines() if line]


@pytest.fixture(autouse=True)
def folder_with_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("report.pdf").write_bytes(sample_report())


def execute(page: Path, language: str) -> dict[str, object]:
    names: dict[str, object] = {}
    for number, block in enumerate(blocks(page, language), start=1):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)
    return names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_are_of_languages_that_a_test_runs(page: Path) -> None:
    assert page.read_text(encoding="utf-8").count("\n```") % 2 == 0
    assert {tag for tag, _ in BLOCK.findall(page.read_text(encoding="utf-8"))} <= RUN


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name
)
def test_python_runs(page: Path) -> None:
    execute(page, "python")


def test_llama_index_runs_and_finds_the_quote() -> None:
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    names = execute(ROOT / "docs" / "llama-index.md", "py")
    assert names["match"].text == "The laboratory took 1,940 samples."
    assert "crops" in names["pictured"][0].metadata


def test_the_chain_of_the_retriever_page_does_what_the_page_says() -> None:
    names = execute(ROOT / "docs" / "retriever.md", "python")
    found = [(citation.status, citation.page) for citation in names["answer"].citations]
    assert found == [("exact", 1), ("not_found", None)]
    assert any('"quote"' in document.metadata["quotes"] for document in names["found"])
    assert Path("annotated.pdf").exists()
    assert Path("evidence.html").exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_the_package_run(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for line in commands(page):
        for command in line.split(" && "):
            _, found, words = command.partition(COMMAND)
            if found:
                assert main(shlex.split(words)) == 0, capsys.readouterr().err


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_pip_is_to_install_exists(page: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for name, extras in re.findall(
        r"install [^`\n]*?([\w.-]+)\[([\w,-]+)\]", page.read_text(encoding="utf-8")
    ):
        assert name in (".", project["name"])
        assert set(extras.split(",")) <= project["optional-dependencies"].keys()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_json_is_json(page: Path) -> None:
    for block in blocks(page, "json"):
        json.loads(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for path, anchor in re.findall(r"\]\((?!https?://)([^)#]*)#?([^)]*)\)", page.read_text(encoding="utf-8")):
        target = page.parent / path if path else page
        assert target.exists(), path
        if anchor:
            headings = re.findall(r"^#+ (.*)", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in [
                re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings
            ]


def test_the_first_page_leads_to_all_others() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.[mr][ds]*"):
        assert page.name == "index.md" or f"({page.name})" in index
    for notebook in (ROOT / "cookbook").glob("*.ipynb"):
        assert f"(../cookbook/{notebook.name})" in index


def test_every_error_and_warning_is_in_the_troubleshooting() -> None:
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    bases = (errors.PyMuPDFCoordsError, errors.PyMuPDFCoordsWarning)
    known = {
        name
        for module in (errors, geometry)
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, bases)
    }
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", page, re.MULTILINE)
    assert {name for name, _, _ in rows} == known - {base.__name__ for base in bases}
    assert all(happened.strip() and todo.strip() for _, happened, todo in rows)
    assert all(f"`{base.__name__}`" in page for base in bases)
