"""What nox's session ``release`` refuses to build for upload."""

import subprocess
from pathlib import Path

import pytest

pytest.importorskip("nox", reason="nox is not installed")

from noxfile import release_faults

ADDRESS = "https://example.org/someone/something"
PROJECT = f"""
[project]
name = "something"
version = "1.2.0"
[project.urls]
Repository = "{ADDRESS}"
"""
CHANGELOG = """
## [Unreleased]

## [1.2.0] - 2026-01-31
"""


def git(repository: Path, *arguments: str) -> None:
    someone = ("-c", "user.name=Someone", "-c", "user.email=someone@example.org")
    subprocess.run(["git", *someone, *arguments], cwd=repository, check=True, capture_output=True)


def commit(repository: Path, tag: str | None = "v1.2.0") -> None:
    git(repository, "add", ".")
    git(repository, "commit", "--allow-empty", "-m", "Some change")
    if tag is not None:
        git(repository, "tag", "--force", tag)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository that is ready for its release."""
    (tmp_path / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG, encoding="utf-8")
    git(tmp_path, "init")
    git(tmp_path, "remote", "add", "origin", f"{ADDRESS}.git")
    commit(tmp_path)
    return tmp_path


def test_a_repository_that_is_ready_has_no_faults(repository: Path) -> None:
    assert release_faults(repository) == []


@pytest.mark.parametrize("address", [f"{ADDRESS}-else", "https://example.org/someone-else/something"])
def test_another_origin(repository: Path, address: str) -> None:
    git(repository, "remote", "set-url", "origin", address)
    assert release_faults(repository) == [f"origin is not {ADDRESS}, where the links of the README lead"]


def test_no_origin(repository: Path) -> None:
    git(repository, "remote", "remove", "origin")
    assert release_faults(repository) == [f"origin is not {ADDRESS}, where the links of the README lead"]


@pytest.mark.parametrize("name", ["pyproject.toml", "new.txt"])
def test_a_change_that_is_not_committed(repository: Path, name: str) -> None:
    with (repository / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert release_faults(repository) == ["there are changes that are not committed"]


def test_a_commit_after_the_tag(repository: Path) -> None:
    commit(repository, tag=None)
    assert release_faults(repository) == ["this commit has no tag v1.2.0"]


@pytest.mark.parametrize(
    "heading", ["## [Unreleased]", "## [1.2.0]", "## [1.2.01] - 2026-01-31", "## [1x2.0] - 2026-01-31"]
)
def test_a_version_that_the_changelog_does_not_have(repository: Path, heading: str) -> None:
    (repository / "CHANGELOG.md").write_text(f"\n{heading}\n", encoding="utf-8")
    commit(repository)
    assert release_faults(repository) == ['CHANGELOG.md has no heading "## [1.2.0] - " with the date']


def test_every_fault_is_told(repository: Path) -> None:
    project = PROJECT.replace("1.2.0", "1.3.0").replace("something", "else")
    (repository / "pyproject.toml").write_text(project, encoding="utf-8")
    assert len(release_faults(repository)) == 4
