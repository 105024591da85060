"""Documents of PDFs that several tests start from: each PDF is read once, as the layout model takes long."""

from functools import cache
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_core.documents.base import Blob

from langchain_pymupdf_coords import PyMuPDFCoordsParser


@cache
def _parsed(pdf: bytes, options: frozenset[tuple[str, Any]]) -> tuple[Document, ...]:
    blob = Blob.from_data(pdf, metadata={"source": "any"})
    return tuple(PyMuPDFCoordsParser(**dict(options)).lazy_parse(blob))


def parsed(pdf: bytes, source: str = "report.pdf", **options: Any) -> list[Document]:
    """What the parser makes of a PDF, by options that can be hashed. New Documents, to be changed at will."""
    return [
        document.model_copy(update={"metadata": {**document.metadata, "source": source}})
        for document in _parsed(pdf, frozenset(options.items()))
    ]


def loaded(path: Path, **options: Any) -> list[Document]:
    """What the loader makes of a file."""
    return parsed(path.read_bytes(), str(path), **options)
