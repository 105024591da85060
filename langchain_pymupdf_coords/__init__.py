"""LangChain document loading for PDFs in which every chunk knows where on the page it came from.

Coordinates are in the displayed frame: the page as a viewer shows it, after ``/Rotate`` and
``CropBox``, origin top-left, x right, y down, in points (1/72 inch). Pages count from 1.
"""

import importlib as _importlib
import typing as _typing

from langchain_pymupdf_coords.errors import (
    CacheWarning,
    GeometryError,
    OCRUnavailableError,
    OptionError,
    PageFallbackWarning,
    PDFOpenError,
    PDFPasswordError,
    ProvenanceError,
    PyMuPDFCoordsError,
    PyMuPDFCoordsWarning,
    RenderBudgetWarning,
    SkippedFileWarning,
    SourceAccessError,
    SourceChangedError,
    SourceChangedWarning,
    SourceUnavailableError,
    SourceUnavailableWarning,
    UnplacedTextWarning,
    UnreadableContentWarning,
    WorkerError,
)

if _typing.TYPE_CHECKING:
    from langchain_pymupdf_coords.annotations import annotate_pdf
    from langchain_pymupdf_coords.citations import (
        CitationLocator,
        LocatedAnswer,
        LocatedCitation,
        QuotedAnswer,
        citation_prompt,
        format_sources,
    )
    from langchain_pymupdf_coords.coords_transformer import CoordsTransformer
    from langchain_pymupdf_coords.crops.options import CropOptions
    from langchain_pymupdf_coords.document_loaders import PyMuPDFCoordsLoader, PyMuPDFCoordsParser
    from langchain_pymupdf_coords.document_transformers import QuoteLocatingTransformer, SourceCropTransformer
    from langchain_pymupdf_coords.evidence import EvidencePage, evidence_html
    from langchain_pymupdf_coords.evidence.bundle import BundleReport, EvidenceBundle
    from langchain_pymupdf_coords.loading.options import ParsingOptions
    from langchain_pymupdf_coords.message_blocks import content_blocks
    from langchain_pymupdf_coords.pdf.colors import STATUS_COLORS
    from langchain_pymupdf_coords.pdf.glyphs import clear_kept_files
    from langchain_pymupdf_coords.provenance import Crop, Difference, LineBox, QuoteMatch, Region, SourceBox
    from langchain_pymupdf_coords.quote_locator import QuoteEvidence, QuoteLocator
    from langchain_pymupdf_coords.retrievers import BM25SentenceSelector, QuoteLocatingRetriever
    from langchain_pymupdf_coords.sources.resolver import FileAccess
    from langchain_pymupdf_coords.text_splitters import CoordsTextSplitter

__all__ = [  # noqa: RUF022 (in the order of their characters, constants among the others)
    "BM25SentenceSelector",
    "BundleReport",
    "CacheWarning",
    "CitationLocator",
    "CoordsTextSplitter",
    "CoordsTransformer",
    "Crop",
    "CropOptions",
    "Difference",
    "EvidenceBundle",
    "EvidencePage",
    "FileAccess",
    "GeometryError",
    "LineBox",
    "LocatedAnswer",
    "LocatedCitation",
    "OCRUnavailableError",
    "OptionError",
    "PDFOpenError",
    "PDFPasswordError",
    "PageFallbackWarning",
    "ParsingOptions",
    "ProvenanceError",
    "PyMuPDFCoordsError",
    "PyMuPDFCoordsLoader",
    "PyMuPDFCoordsParser",
    "PyMuPDFCoordsWarning",
    "QuoteEvidence",
    "QuoteLocatingRetriever",
    "QuoteLocatingTransformer",
    "QuoteLocator",
    "QuoteMatch",
    "QuotedAnswer",
    "Region",
    "RenderBudgetWarning",
    "STATUS_COLORS",
    "SkippedFileWarning",
    "SourceAccessError",
    "SourceBox",
    "SourceChangedError",
    "SourceChangedWarning",
    "SourceCropTransformer",
    "SourceUnavailableError",
    "SourceUnavailableWarning",
    "UnplacedTextWarning",
    "UnreadableContentWarning",
    "WorkerError",
    "annotate_pdf",
    "citation_prompt",
    "clear_kept_files",
    "content_blocks",
    "evidence_html",
    "format_sources",
]

# Loading PyMuPDF and LangChain takes more than a second; a worker process needs only the former, and a load
# from the cache only the latter. So each of these modules is imported when one of its names is asked for.
_NAMES = {
    "annotations": ("annotate_pdf",),
    "citations": (
        "CitationLocator",
        "LocatedAnswer",
        "LocatedCitation",
        "QuotedAnswer",
        "citation_prompt",
        "format_sources",
    ),
    "coords_transformer": ("CoordsTransformer",),
    "crops.options": ("CropOptions",),
    "document_loaders": ("PyMuPDFCoordsLoader", "PyMuPDFCoordsParser"),
    "document_transformers": ("QuoteLocatingTransformer", "SourceCropTransformer"),
    "evidence": ("EvidencePage", "evidence_html"),
    "evidence.bundle": ("BundleReport", "EvidenceBundle"),
    "loading.options": ("ParsingOptions",),
    "message_blocks": ("content_blocks",),
    "pdf.colors": ("STATUS_COLORS",),
    "pdf.glyphs": ("clear_kept_files",),
    "provenance": ("Crop", "Difference", "LineBox", "QuoteMatch", "Region", "SourceBox"),
    "quote_locator": ("QuoteEvidence", "QuoteLocator"),
    "retrievers": ("BM25SentenceSelector", "QuoteLocatingRetriever"),
    "sources.resolver": ("FileAccess",),
    "text_splitters": ("CoordsTextSplitter",),
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(_importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
