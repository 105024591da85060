"""The recipe of the cookbook for engines of many machines, and files to run it on."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from langchain_core.documents import Document

from langchain_pymupdf_coords import PyMuPDFCoordsLoader
from tests import pdf_factory

RECIPE = Path(__file__).parents[1] / "cookbook" / "beyond_one_machine.py"


def recipe() -> ModuleType:
    """The recipe as a module; engines pickle its functions by value, for their workers cannot import it."""
    spec = importlib.util.spec_from_file_location("beyond_one_machine", RECIPE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def write_files(folder: Path) -> list[str]:
    """Four good files, a damaged one and one without text."""
    contents = {
        "report a.pdf": pdf_factory.report_pdf(),
        "columns.pdf": pdf_factory.two_column_pdf(),
        "turned.pdf": pdf_factory.text_pdf(rotation=90),
        "table.pdf": pdf_factory.table_two_pages_pdf(),
        "damaged.pdf": pdf_factory.damaged_pdf(),
        "empty.pdf": pdf_factory.text_pdf(pages=([],)),
    }
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return [str(folder / name) for name in contents]


def expected_documents(sources: list[str]) -> list[Document]:
    """What one process makes of the good files."""
    return PyMuPDFCoordsLoader(sources, on_error="warn").load()


def in_order(documents: list[Document], sources: list[str]) -> list[Document]:
    return sorted(
        documents, key=lambda found: (sources.index(found.metadata["source"]), found.metadata["chunk_index"])
    )
