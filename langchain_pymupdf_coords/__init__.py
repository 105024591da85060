"""LangChain document loading for PDFs in which every chunk knows where on the page it came from.

Coordinates are in the displayed frame: the page as a viewer shows it, after ``/Rotate`` and
``CropBox``, origin top-left, x right, y down, in points (1/72 inch). Pages count from 1.
"""

from langchain_pymupdf_coords.annotations import annotate_pdf
from langchain_pymupdf_coords.citations import (
    CitationLocator,
    LocatedAnswer,
    LocatedCitation,
    QuotedAnswer,
    citation_prompt,
    format_sources,
)
from langchain_pymupdf_coords.content_blocks import content_blocks
from langchain_pymupdf_coords.crops import Crop
from langchain_pymupdf_coords.document_loaders import PyMuPDFCoordsLoader, PyMuPDFCoordsParser
from langchain_pymupdf_coords.document_transformers import SourceCropTransformer
from langchain_pymupdf_coords.errors import (
    CacheWarning,
    OCRUnavailableError,
    OptionError,
    PageFallbackWarning,
    PDFOpenError,
    PDFPasswordError,
    ProvenanceError,
    PyMuPDFCoordsError,
    PyMuPDFCoordsWarning,
    RenderBudgetWarning,
    SourceAccessError,
    SourceChangedError,
    SourceChangedWarning,
    SourceUnavailableError,
    SourceUnavailableWarning,
    UnplacedTextWarning,
    UnreadableContentWarning,
)
from langchain_pymupdf_coords.evidence import EvidencePage, evidence_html
from langchain_pymupdf_coords.provenance import LineBox, QuoteMatch, Region, SourceBox
from langchain_pymupdf_coords.quote_locator import QuoteLocator
from langchain_pymupdf_coords.quote_selection import BM25SentenceSelector
from langchain_pymupdf_coords.quote_transformers import QuoteLocatingTransformer
from langchain_pymupdf_coords.retrievers import QuoteLocatingRetriever

__all__ = [
    "BM25SentenceSelector",
    "CacheWarning",
    "CitationLocator",
    "Crop",
    "EvidencePage",
    "LineBox",
    "LocatedAnswer",
    "LocatedCitation",
    "OCRUnavailableError",
    "OptionError",
    "PDFOpenError",
    "PDFPasswordError",
    "PageFallbackWarning",
    "ProvenanceError",
    "PyMuPDFCoordsError",
    "PyMuPDFCoordsLoader",
    "PyMuPDFCoordsParser",
    "PyMuPDFCoordsWarning",
    "QuoteLocatingRetriever",
    "QuoteLocatingTransformer",
    "QuoteLocator",
    "QuoteMatch",
    "QuotedAnswer",
    "Region",
    "RenderBudgetWarning",
    "SourceAccessError",
    "SourceBox",
    "SourceChangedError",
    "SourceChangedWarning",
    "SourceCropTransformer",
    "SourceUnavailableError",
    "SourceUnavailableWarning",
    "UnplacedTextWarning",
    "UnreadableContentWarning",
    "annotate_pdf",
    "citation_prompt",
    "content_blocks",
    "evidence_html",
    "format_sources",
]
