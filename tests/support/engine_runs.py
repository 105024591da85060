"""The recipe of the cookbook for engines of many machines, and files to run it on."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from langchain_core.documents import Document

from langchain_pymupdf_coords import PyMuPDFCoordsLoader
from tests.support import pdf_factory

COOKBOOK = Path(__file__).parents[2] / "cookbook"


def recipe() -> ModuleType:
    """The recipe as a module. Processes that are spawned later can import it too."""
    if str(COOKBOOK) not in sys.path:
        sys.path.insert(0, str(COOKBOOK))
    return import_module("06_beyond_one_machine")


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
