"""The files of a bundle, made from an answer and the PDFs that it cites."""

import base64
import json
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain_core.documents import Document

from langchain_pymupdf_coords.annotations import annotate_pdf
from langchain_pymupdf_coords.citations.results import LocatedCitation
from langchain_pymupdf_coords.document_transformers import SourceCropTransformer
from langchain_pymupdf_coords.errors import SourceChangedWarning
from langchain_pymupdf_coords.evidence.page import evidence_html
from langchain_pymupdf_coords.provenance.crops import Crop
from langchain_pymupdf_coords.provenance.quotes import QuoteMatch
from langchain_pymupdf_coords.provenance.source_names import file_stem
from langchain_pymupdf_coords.sources.resolver import FileAccess, OnChange, document_source

RECORD = "evidence.json"

PAGE = "evidence.html"

BUNDLE_VERSION = 2

_NOT_STORED = ("crops",)  # pictures are files of their own

_SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """An answer, its citations and the Documents that they were looked for in.

    Attributes:
        question: The question; may be empty.
        answer: The text of the answer.
        citations: Its citations, found or not.
        documents: The Documents, with ``metadata["quotes"]``.
    """

    question: str
    answer: str
    citations: Sequence[LocatedCitation]
    documents: Sequence[Document]

    @property
    def cited(self) -> list[Document]:
        """The Documents with a quote that has a place."""
        return [document for document in self.documents if _has_place(document)]

    def record(self) -> dict[str, Any]:
        """Return the evidence as JSON values."""
        return {
            "bundle_version": BUNDLE_VERSION,
            "made_with": made_with(),
            "question": self.question,
            "answer": self.answer,
            "citations": [citation.to_dict() for citation in self.citations],
            "documents": [_document_record(document) for document in self.documents],
        }


def bundle_files(evidence: Evidence, access: FileAccess, on_change: OnChange) -> dict[str, bytes]:
    """Return all files of a bundle but the manifest, by name.

    Raises:
        ProvenanceError, SourceUnavailableError, SourceChangedError, SourceAccessError, PDFPasswordError,
        PDFOpenError: See ``annotate_pdf``.
    """
    page = evidence_html(
        evidence.cited,
        question=evidence.question,
        answer=answer_with_doubts(evidence.answer, evidence.citations),
        **vars(access),
        on_change=on_change,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SourceChangedWarning)  # said when the page was made
        crops, annotated = _crops(evidence, access, on_change), _annotated(evidence, access, on_change)
    record = json.dumps(evidence.record(), ensure_ascii=False, allow_nan=False, indent=1)
    files = {RECORD: record.encode("utf-8", errors="replace"), PAGE: page.html.encode()}
    return {**files, **crops, **annotated}


def answer_with_doubts(answer: str, citations: Iterable[LocatedCitation]) -> str:
    """Return an answer with a line for each citation that is not verified, so that no reader misses it."""
    doubts = [
        f"Not verified: “{citation.quote}” ({_doubt(citation)})"
        for citation in citations
        if not citation.verified
    ]
    return "\n".join([answer, "", *doubts]) if doubts else answer


def made_with() -> dict[str, str]:
    """Return the versions that pictures and pages depend on."""
    return {name: _version(name) for name in ("langchain-pymupdf-coords", "pymupdf")}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # run from a checkout
        return ""


def _doubt(citation: LocatedCitation) -> str:
    if citation.match is None:
        return "in none of the sources"
    if citation.swapped:
        return (
            "not in the source named"
            if citation.source_number is None
            else f"not in source {citation.source_number}"
        )
    return "not word for word" if citation.status in ("fuzzy", "fragments") else "cut from its words"


def _has_place(document: Document) -> bool:
    if document.metadata.get("boxes") is None:
        return False
    return any(region.quads for match in QuoteMatch.from_document(document) for region in match.regions)


def _document_record(document: Document) -> dict[str, Any]:
    metadata = {key: value for key, value in document.metadata.items() if key not in _NOT_STORED}
    return {"id": document.id, "page_content": document.page_content, "metadata": metadata}


def _crops(evidence: Evidence, access: FileAccess, on_change: OnChange) -> dict[str, bytes]:
    transformer = SourceCropTransformer(
        by="quote",
        **vars(access),
        on_change=on_change,
    )
    files = {}
    for number, document in enumerate(transformer.invoke(evidence.cited), 1):
        for index, crop in enumerate(Crop.from_document(document), 1):
            name = f"crops/{number}-{index}-page-{crop.page}.{_SUFFIXES[crop.mime_type]}"
            files[name] = base64.b64decode(crop.base64 or "")
    return files


def _annotated(evidence: Evidence, access: FileAccess, on_change: OnChange) -> dict[str, bytes]:
    return dict(_annotated_files(evidence.cited, access, on_change))


def _annotated_files(
    documents: Sequence[Document], access: FileAccess, on_change: OnChange
) -> Iterator[tuple[str, bytes]]:
    sources = dict.fromkeys(document_source(document) for document in documents)
    with TemporaryDirectory() as folder:
        for number, source in enumerate(sources, 1):
            path = annotate_pdf(
                documents,
                Path(folder) / f"{number}.pdf",
                source=source,
                **vars(access),
                on_change=on_change,
            )
            yield f"annotated/{number}-{file_stem(source)}.pdf", path.read_bytes()
