"""Imports run down the wings of the house, as the table in docs/architecture.md allows, and never in a circle."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = "langchain_pymupdf_coords"
REPOSITORY = Path(__file__).parents[1]
ROOT = REPOSITORY / PACKAGE
PAGE = REPOSITORY / "docs/architecture.md"
FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")

GROUND = {
    "errors",
    "caller_warnings",
    "checks",
    "geometry",
    "conversions",
    "folding",
    "ocr_data",
    "async_streams",
}
# Which kinds of import a mark of the table allows: at import, for types only, inside functions only.
ALLOWED_BY = {"x": {"import", "types", "function"}, "t": {"types"}, "f": {"function"}}
BARE_WINGS = ("chunking", "crops", "layout", "loading", "placing", "quotes")
# The only modules that may load LangChain in wings that otherwise know nothing of it.
LANGCHAIN_DOORS = {"async_streams", "chunking.documents", "sources.resolver"}
WITHOUT_LANGCHAIN = GROUND | {"provenance", "layout", "quotes", "placing", "pdf", "chunking", "sources"}


class Import(NamedTuple):
    """An import of something of the package: by which module, of which, of what name, and in what way."""

    module: str
    imported: str
    name: str
    kind: str
    line: int


def _module(path: Path) -> str:
    """The name of a file's module within the package: ``pdf.opening``, or ``pdf`` for its ``__init__``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module(file): file for file in FILES}


def _statements(node: ast.AST, kind: str = "import") -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    """Every import statement below a node, with its kind."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, kind
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _statements(child, "function")
        elif isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for statement in child.body:
                yield from _statements(ast.Module([statement], []), "types")
            yield from _statements(ast.Module(child.orelse, []), kind)
        else:
            yield from _statements(child, kind)


def _imported_names(file: Path) -> Iterator[tuple[str, str, str, int]]:
    """Module, name, kind and line of every import of a file; ``import a.b`` has no name."""
    for node, kind in _statements(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "", kind, node.lineno) for alias in node.names)
        else:
            assert node.level == 0, f"{file.name}:{node.lineno}: relative import"
            yield from ((node.module or "", alias.name, kind, node.lineno) for alias in node.names)


def _own_imports(module: str) -> Iterator[Import]:
    for imported, name, kind, line in _imported_names(MODULES[module]):
        top, _, inner = imported.partition(".")
        if top == PACKAGE:
            submodule = f"{inner}.{name}".strip(".")
            yield Import(module, submodule if submodule in MODULES else inner, name, kind, line)


def _wing(module: str) -> str:
    top = module.partition(".")[0]
    return "ground" if top in GROUND else top


def _allowed_arrows() -> dict[tuple[str, str], set[str]]:
    """The table of the page: importing wing and imported wing to the kinds of import that are allowed."""
    text = PAGE.read_text(encoding="utf-8")
    section = text.partition("## Every allowed arrow")[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in section.splitlines()
        if line.startswith("|")
    ]
    columns = rows[0][1:]
    allowed: dict[tuple[str, str], set[str]] = {}
    for wing, *cells in rows[2:]:
        assert len(cells) == len(columns), f"the row of {wing} has {len(cells)} cells"
        for column, cell in zip(columns, cells, strict=True):
            if column == "roles":
                allowed.update({(wing, role): ALLOWED_BY["x"] for role in cell.split(", ") if role})
            elif cell:
                allowed[wing, column] = ALLOWED_BY[cell]
    allowed["__main__", "command_line"] = ALLOWED_BY["x"]
    return allowed


ARROWS = _allowed_arrows()
WINGS = {wing for arrow in ARROWS for wing in arrow} | {"ground"}


def test_the_table_says_what_it_is_known_to_say() -> None:
    assert ARROWS["pdf", "sources"] == {"types"}
    assert ARROWS["loading", "pdf"] == {"function"}
    assert ARROWS["retrievers", "quote_locator"] == {"import", "types", "function"}
    assert ("quotes", "pdf") not in ARROWS
    TopologicalSorter({wing: {below for above, below in ARROWS if above == wing} for wing in WINGS}).prepare()


def test_every_module_is_in_a_wing_of_the_page() -> None:
    assert {_wing(module) for module in MODULES} == WINGS


@pytest.mark.parametrize("module", MODULES)
def test_imports_run_down_as_the_table_allows(module: str) -> None:
    for found in _own_imports(module):
        above, below = _wing(module), _wing(found.imported)
        assert above == below or found.kind in ARROWS.get((above, below), ()), (
            f"{module}:{found.line}: {above} may not import {below or PACKAGE} ({found.kind})"
        )


@pytest.mark.parametrize("module", MODULES)
def test_names_are_imported_from_the_file_that_defines_them(module: str) -> None:
    faces = {name for name, file in MODULES.items() if file.name == "__init__.py"} - {"pdf"}
    own_face = module in faces
    for found in _own_imports(module):
        assert own_face or found.imported not in faces, (
            f"{module}:{found.line}: import {found.name} from the file that defines it"
        )


def test_no_imports_in_a_circle() -> None:
    graph = {
        module: {found.imported for found in _own_imports(module) if found.imported != module}
        for module in MODULES
    }
    list(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("module", MODULES)
def test_one_door_to_the_engine_and_few_to_langchain(module: str) -> None:
    outside = {imported.partition(".")[0] for imported, *_ in _imported_names(MODULES[module])}
    if _wing(module) != "pdf":
        assert not outside & {"pymupdf", "pymupdf4llm", "fitz"}
    if module.partition(".")[0] in WITHOUT_LANGCHAIN and module not in LANGCHAIN_DOORS:
        assert not outside & {"langchain_core", "langchain_text_splitters"}


@pytest.mark.parametrize("wing", BARE_WINGS)
def test_these_wings_load_nothing_by_themselves(wing: str) -> None:
    assert not list(_imported_names(ROOT / wing / "__init__.py"))
