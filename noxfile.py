"""What is checked, each session in an environment of its own: ``nox`` runs all, ``nox -s lint`` one, ``nox -l`` lists.

``.ci/run`` installs what the sessions need of the system and runs them all, in the order in which they stand here;
one that fails does not keep the others from running, and nox fails at the end.
"""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import nox

ROOT = Path(__file__).parent
PYTHONS = ("3.11", "3.12", "3.13")
BUILD = ("python", "-m", "build", "--installer", "uv")
PARALLEL = ("-n", "2", "--dist", "worksteal")
# For tests of a file that share a server.
PARALLEL_BY_FILE = ("-n", "2", "--dist", "loadfile")

nox.needs_version = ">=2025.10.14"
nox.options.default_venv_backend = "uv"
# A Python that is not here cannot be tried, and nox lists its sessions as skipped.
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False

# NLTK, which LlamaIndex imports, refuses to read files that are hard links into a cache.
os.environ.setdefault("UV_LINK_MODE", "copy")


@nox.session
def lint(session: nox.Session) -> None:
    """Style: ruff's rules and format, dependencies that are declared but not used or the other way round, shell."""
    session.install(".[test,lint]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("deptry", ".")
    session.run("shellcheck", ".ci/run")


@nox.session
def types(session: nox.Session) -> None:
    """Types of the package."""
    session.install(".[test,lint]")
    session.run("mypy")


@nox.session(venv_backend="none")
def tests(session: nox.Session) -> None:
    """The tests, by the command that the README gives to its readers, as it stands there."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(
        r"<!-- test-command -->\n```bash\n(.+?)\n```\n<!-- /test-command -->", readme, re.DOTALL
    )
    if block is None:
        session.error("README.md has no test command between its markers")
    session.run("bash", "-euo", "pipefail", "-c", block[1], external=True)


@nox.session
def build(session: nox.Session) -> None:
    """Wheel and sdist, and the wheel as the repository gives it, for the sessions that need them."""
    session.install("build[uv]", "check-wheel-contents", "twine")
    folder = distributions(session)
    build_into(session, folder)
    session.run(*BUILD, "--wheel", "--outdir", folder / "from_repository", silent=True)


@nox.session(requires=["build"])
def packaging(session: nox.Session) -> None:
    """What is in wheel and sdist, what an index will show of them, and what ``release`` refuses."""
    session.install("nox", "pytest", "pytest-asyncio")
    alone = ("--noconftest", "-p", "no:cacheprovider")
    session.run("pytest", *alone, "tests/packaging", env={"DISTRIBUTIONS": str(distributions(session))})


def distributions(session: nox.Session) -> Path:
    """Return the folder where the session ``build`` leaves what it built for others."""
    return session.cache_dir.absolute() / "dist"


def build_into(session: nox.Session, folder: Path) -> None:
    """Build the sdist, and the wheel of it, into an empty folder, and check them."""
    shutil.rmtree(folder, ignore_errors=True)
    session.run(*BUILD, "--outdir", folder, silent=True)
    session.run("twine", "check", "--strict", *folder.iterdir())
    session.run("check-wheel-contents", *folder.glob("*.whl"))


@nox.session(requires=["build"])
def user_types(session: nox.Session) -> None:
    """A user's program against the types of the installed package, by mypy and by pyright."""
    session.install(wheel(session), "mypy", "pyright[nodejs]")
    # Elsewhere than in the repository, where both would find the package's source and settings.
    folder = Path(session.virtualenv.location).absolute() / "program"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "tests" / "typing", folder)
    with session.chdir(folder):
        session.run("mypy", "--strict", "--config-file=", ".")
        session.run("pyright", ".")


def wheel(session: nox.Session, extras: str = "") -> str:
    """Return the wheel that the session ``build`` built, with extras, as a requirement."""
    (path,) = distributions(session).glob("*.whl")
    return f"{path}[{extras}]" if extras else str(path)


@nox.session(python=PYTHONS, requires=["build"])
def smoke(session: nox.Session) -> None:
    """The wheel on each Python that is here, with the newest dependencies."""
    session.install(wheel(session, "sentences"))
    run_smoke_test(session)


def run_smoke_test(session: nox.Session) -> None:
    """Run what an installed package must do, in the session's environment."""
    folder = Path(session.virtualenv.location).absolute() / "smoke"
    folder.mkdir(exist_ok=True)
    session.run("python", "-I", "tests/packaging/smoke.py", folder)


LANGCHAIN_TESTS = (
    "tests/integration/test_retriever_standard.py",
    "tests/citations/test_citation_messages.py",
    "tests/citations/test_citations.py",
    "tests/loading/test_page_cache.py",
    "tests/loading/test_progress.py",
    "tests/quotes/test_differences.py",
    "tests/quotes/test_quote_matching.py",
    "tests/quotes/test_sentences.py",
    "tests/roles/test_document_loaders.py",
    "tests/roles/test_message_blocks.py",
    "tests/roles/test_quote_locator.py",
    "tests/roles/test_quote_selection.py",
    "tests/roles/test_retrievers.py",
    "tests/roles/test_text_splitters.py",
)
EDGE_TESTS = ("tests/edges/test_llama_index.py", "tests/pdf/test_ocr.py", "-k", "llama_index or rapidocr")


@nox.session(python=PYTHONS[0], requires=["build"])
@nox.parametrize(
    ("extras", "tests"),
    [
        nox.param("cache,progress,quotes,sentences", LANGCHAIN_TESTS, id="langchain"),
        nox.param("llama-index,ocr,quotes,sentences", EDGE_TESTS, id="edges"),
    ],
)
def lowest(session: nox.Session, extras: str, tests: tuple[str, ...]) -> None:
    """The wheel, and tests of what it does, with the lowest versions that pyproject.toml allows of what it names."""
    versions = Path(session.virtualenv.location).absolute() / "lowest.txt"
    wanted = [f"--extra={extra}" for extra in extras.split(",")]
    how = ("--resolution", "lowest-direct", "--python-version", PYTHONS[0], "--no-annotate", "--no-header")
    session.run("uv", "pip", "compile", "--quiet", *how, *wanted, "--output-file", versions, "pyproject.toml")
    session.install("--constraints", str(versions), wheel(session, extras))
    run_smoke_test(session)
    session.install("--constraints", str(versions), wheel(session, f"{extras},test"), "pytest-xdist")
    session.run("python", "-m", "pytest", "--quiet", *PARALLEL, "-p", "no:cacheprovider", *tests)


@nox.session
def docs(session: nox.Session) -> None:
    """The pages and the API reference, where a warning of Sphinx is an error; then the code of all pages."""
    session.install(".[docs,test]", "pytest-xdist")
    pages = session.cache_dir / "html"
    session.run("sphinx-build", "--quiet", "--fail-on-warning", "--keep-going", "--fresh-env", "docs", pages)
    run_whole(session, *PARALLEL, "tests/test_docs.py")


def run_whole(session: nox.Session, *arguments: str) -> None:
    """Run pytest in an environment that has all that the tests need: none may be skipped."""
    report = session.cache_dir / f"{session.name}.xml"
    session.run("pytest", f"--junitxml={report}", *arguments)
    suites = ElementTree.parse(report).iter("testsuite")
    if any(int(suite.get("skipped", 0)) for suite in suites):
        session.error("a test was skipped: see the reasons above")


@nox.session
def stores(session: nox.Session) -> None:
    """Vector stores, LlamaIndex and LangChain's retrievers."""
    session.install(".", "-r", "tests/stores/requirements.txt", "pytest-xdist")
    run_whole(session, *PARALLEL_BY_FILE, "tests/stores", "tests/edges/test_llama_index.py")


@nox.session
def engines(session: nox.Session) -> None:
    """The parser on Dask and on Ray Data, by the recipe of the cookbook."""
    session.install(".[test]", "dask>=2025.1", "distributed>=2025.1", "ray[data]>=2.40", "pytest-xdist")
    run_whole(session, *PARALLEL_BY_FILE, "tests/integration/test_dask.py", "tests/integration/test_ray.py")


@nox.session
def notebooks(session: nox.Session) -> None:
    """The notebooks of the cookbook, executed; and as they are committed, in step with their sources."""
    session.install(".[sentences]", "-r", "cookbook/requirements.txt", "pytest-xdist")
    session.run(
        "pytest", *PARALLEL, "--nbmake", *sorted(Path("cookbook").glob("*.ipynb")), "tests/test_cookbook.py"
    )


@nox.session(default=False)
def release(session: nox.Session) -> None:
    """Build into dist/ what is to be uploaded, unless a user could not get from it to this very source."""
    if faults := release_faults(ROOT):
        session.error("not to be released: " + "; ".join(faults))
    session.install("build[uv]", "check-wheel-contents", "twine")
    build_into(session, ROOT / "dist")
    session.log("to upload it: twine upload dist/*")


def release_faults(repository: Path) -> list[str]:
    """Return why what is checked out in a repository must not be uploaded; an empty list if it may be."""
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version, address = project["version"], project["urls"]["Repository"]
    changelog = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    faults = []
    if git(repository, "remote", "get-url", "origin").removesuffix(".git") != address:
        faults.append(f"origin is not {address}, where the links of the README lead")
    if git(repository, "status", "--porcelain"):
        faults.append("there are changes that are not committed")
    if f"v{version}" not in git(repository, "tag", "--points-at", "HEAD").split():
        faults.append(f"this commit has no tag v{version}")
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE):
        faults.append(f'CHANGELOG.md has no heading "## [{version}] - " with the date')
    return faults


def git(repository: Path, *arguments: str) -> str:
    """Return what git prints, without the line end; nothing where it fails."""
    run = subprocess.run(["git", *arguments], cwd=repository, capture_output=True, text=True, check=False)
    return run.stdout.strip()
