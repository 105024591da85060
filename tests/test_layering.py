"""Imports climb one way: a module imports from its own layer or from a lower one, never in a circle."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = "langchain_pymupdf_coords"
ROOT = Path(__file__).parents[1] / PACKAGE

# A subpackage counts as one module here.
LAYERS = (
    {"atomic_writing", "conversions", "errors", "folding", "geometry", "html_tree", "source_marks"},
    {
        "alignment",
        "answer_quotations",
        "box_slicing",
        "box_splitting",
        "chunking",
        "confusable_words",
        "crops",
        "headings",
        "highlight_colors",
        "letter_placement",
        "line_recovery",
        "metadata_json",
        "negations",
        "page_assembly",
        "page_glyphs",
        "page_json",
        "page_warnings",
        "pages",
        "piece_alignment",
        "piece_places",
        "piece_provenance",
        "piece_resemblance",
        "progress",
        "provenance",
        "quads",
        "quote_edges",
        "quote_fuzzy",
        "quote_matches",
        "quote_matching",
        "quote_numbers",
        "quote_places",
        "quote_placing",
        "quote_words",
        "relocation",
        "running_heads",
        "search_terms",
        "sentences",
        "table_alignment",
        "cell_matching",
        "table_splitting",
        "text_cutting",
    },
    {
        "document_sources",
        "downloads",
        "file_glyphs",
        "file_pages",
        "page_cache",
        "pdf",
        "reading_jobs",
        "reading_lanes",
        "source_files",
        "sources",
        "worker_pool",
        "worker_process",
    },
    {
        "annotations",
        "answer_messages",
        "answer_parsing",
        "async_streams",
        "chunk_documents",
        "citation_messages",
        "citation_placing",
        "citation_results",
        "citation_schema",
        "citation_streams",
        "citations",
        "crop_areas",
        "crop_files",
        "crop_options",
        "crop_rendering",
        "document_loaders",
        "document_streams",
        "document_transformers",
        "message_blocks",
        "parsing_options",
        "quote_locator",
        "quote_selection",
        "quote_transformers",
        "retrievers",
        "text_splitters",
    },
    {
        "__main__",
        "bundle_contents",
        "bundle_storage",
        "command_line",
        "command_output",
        "cut_documents",
        "evidence",
        "evidence_bundle",
        "evidence_entries",
        "evidence_exhibits",
        "evidence_markup",
        "evidence_pictures",
        "evidence_sheets",
        "llama_index",
        "passage_search",
    },
)
PURE = LAYERS[0] | LAYERS[1]
LAYER_OF = {module: level for level, modules in enumerate(LAYERS) for module in modules}
FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def _module(path: Path) -> str:
    """The name of a file's module within the package: ``pdf.opening``, or ``pdf`` for its ``__init__``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(path: Path) -> Iterator[str]:
    """Every imported module, those imported inside functions too; ``from a import b`` gives ``a.b``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _own_imports(path: Path) -> Iterator[str]:
    """The modules of the package that a file imports; ``""`` is the package itself."""
    modules = {_module(file) for file in FILES}
    for name in _imports(path):
        top, _, inner = name.partition(".")
        if top == PACKAGE:
            while inner and inner not in modules:
                inner = inner.rpartition(".")[0]
            yield inner


def _top(module: str) -> str:
    return module.partition(".")[0]


def _layer(module: str) -> int:
    """The layer of a module; the package itself imports all of them and so stands above."""
    if not module:
        return len(LAYERS)
    assert _top(module) in LAYER_OF, f"{module} has no layer: give it one in LAYERS"
    return LAYER_OF[_top(module)]


def test_a_module_stands_in_one_layer_only() -> None:
    assert len(LAYER_OF) == sum(map(len, LAYERS))


def test_every_module_has_a_layer() -> None:
    for file in FILES:
        _layer(_module(file))


@pytest.mark.parametrize("file", FILES, ids=_module)
def test_imports_climb_one_way(file: Path) -> None:
    module = _module(file)
    level = _layer(module)
    for imported in _own_imports(file):
        assert _layer(imported) <= level, f"{module} imports {imported or PACKAGE}, a higher layer"


def test_no_imports_in_a_circle() -> None:
    graph = {_module(file): {name for name in _own_imports(file) if name != _module(file)} for file in FILES}
    list(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("file", FILES, ids=_module)
def test_one_door_to_the_engine(file: Path) -> None:
    outside = {_top(name) for name in _imports(file)}
    if _top(_module(file)) != "pdf":
        assert not outside & {"pymupdf", "pymupdf4llm", "fitz"}
    if _top(_module(file)) in PURE:
        assert not outside & {"langchain_core", "langchain_text_splitters"}
