"""The wheel and the sdist that nox's session ``build`` built, in the folder that ``DISTRIBUTIONS`` names."""

import os
import re
import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = "langchain_pymupdf_coords"
TARGET = re.compile(r"\]\(([^)\s]+)")
FOLDER = os.environ.get("DISTRIBUTIONS")

pytestmark = pytest.mark.skipif(not FOLDER, reason="DISTRIBUTIONS does not name a folder of built packages")


def the_file(pattern: str) -> Path:
    (path,) = Path(FOLDER or "").glob(pattern)
    return path


def is_relative(target: str) -> bool:
    """Whether a link leads to another file beside the page."""
    return not target.startswith(("https://", "#"))


@pytest.fixture(scope="module")
def wheel() -> dict[str, bytes]:
    with zipfile.ZipFile(the_file("*.whl")) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def sdist() -> dict[str, bytes]:
    """Files of the sdist by their path in its folder."""
    with tarfile.open(the_file("*.tar.gz")) as archive:
        members = [member for member in archive if member.isfile()]
        return {member.name.partition("/")[2]: archive.extractfile(member).read() for member in members}


@pytest.fixture(scope="module")
def metadata(wheel: dict[str, bytes]) -> Message:
    (name,) = (name for name in wheel if name.endswith(".dist-info/METADATA"))
    return message_from_bytes(wheel[name])


def test_the_wheel_holds_the_package_and_nothing_else(wheel: dict[str, bytes]) -> None:
    sources = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / PACKAGE).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert f"{PACKAGE}/py.typed" in sources
    packed = {name for name in wheel if PurePosixPath(name).parts[0] == PACKAGE}
    assert packed == sources
    (info,) = {PurePosixPath(name).parts[0] for name in wheel} - {PACKAGE}
    assert {name.removeprefix(f"{info}/") for name in wheel if name not in packed} == {
        *("METADATA", "RECORD", "WHEEL", "licenses/LICENSE")
    }


def test_the_sdist_gives_the_wheel_that_the_repository_gives(wheel: dict[str, bytes]) -> None:
    with zipfile.ZipFile(the_file("from_repository/*.whl")) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == wheel


def test_the_sdist_holds_tests_docs_and_what_they_read(sdist: dict[str, bytes]) -> None:
    assert {"pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "docs/index.md"} < sdist.keys()
    assert {
        "tests/conftest.py",
        "tests/test_docs.py",
        "docs/located-quote.png",
        ".ci/run",
    } < sdist.keys()
    junk = re.compile(
        r"(^|/)(__pycache__|\.\w+_cache|\.hypothesis|\.nox|\.venv|_build)(/|$)|\.(pyc|pdf)$|^cookbook/.*\.html$"
    )
    assert not [name for name in sdist if junk.search(name)]


def test_the_sdist_holds_what_a_contributor_needs(sdist: dict[str, bytes]) -> None:
    assert {"CONTRIBUTING.md", "noxfile.py", ".pre-commit-config.yaml", ".gitignore"} < sdist.keys()
    assert {"tests/typing/user_program.py", "cookbook/01_quickstart.py"} < sdist.keys()


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_pictures_and_links_of_a_page_are_in_the_sdist(sdist: dict[str, bytes], page: str) -> None:
    targets = [target for target in TARGET.findall(sdist[page].decode("utf-8")) if is_relative(target)]
    assert targets
    paths = [target.partition("#")[0] for target in targets]
    assert not [path for path in paths if not any(name.startswith(path) for name in sdist)]


def test_metadata(metadata: Message) -> None:
    assert metadata["Name"] == "langchain-pymupdf-coords"
    assert metadata["License-Expression"] == "AGPL-3.0-or-later"
    assert metadata.get_all("License-File") == ["LICENSE"]
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown"


def test_urls(metadata: Message) -> None:
    urls = dict(entry.split(", ") for entry in metadata.get_all("Project-URL"))
    assert urls.keys() == {"Changelog", "Documentation", "Issues", "Repository"}
    assert urls["Issues"] == f"{urls['Repository']}/issues"
    for name, page in (("Changelog", "CHANGELOG.md"), ("Documentation", "docs/index.md")):
        assert urls[name] == f"{urls['Repository']}/blob/main/{page}"
        assert (ROOT / page).exists()


def test_the_address_of_the_repository_is_one(metadata: Message) -> None:
    urls = dict(entry.split(", ") for entry in metadata.get_all("Project-URL"))
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert set(re.findall(r"https://[\w.]+/[\w-]+/langchain-pymupdf-coords", settings)) == {
        urls["Repository"]
    }


def test_links_and_pictures_of_the_description_work_anywhere(metadata: Message) -> None:
    """An index shows the README without the repository beside it."""
    urls = dict(entry.split(", ") for entry in metadata.get_all("Project-URL"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8").strip()
    description = metadata.get_payload().strip()
    tag = f"v{metadata['Version']}"
    assert f"]({urls['Repository']}/raw/{tag}/docs/located-quote.png)" in description
    assert f"]({urls['Repository']}/blob/{tag}/docs/index.md)" in description
    assert not [target for target in TARGET.findall(description) if is_relative(target)]
    assert not re.search(r"""(src|href)=["'](?!https:)|^\[[^\]]+\]: (?!https:)""", description, re.MULTILINE)
    back = re.sub(rf"{re.escape(urls['Repository'])}/(raw|blob)/{re.escape(tag)}/", "", description)
    assert back == readme


def test_every_extra_for_users_is_in_the_readme(metadata: Message) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    extras = set(metadata.get_all("Provides-Extra") or ())
    assert {"ask", "ocr", "sentences"} < extras
    assert not [extra for extra in extras - {"docs", "lint"} if f"[{extra}]" not in readme]
