"""LangChain document loading for PDFs in which every chunk knows where on the page it came from.

Coordinates are in the displayed frame: the page as a viewer shows it, after ``/Rotate`` and
``CropBox``, origin top-left, x right, y down, in points (1/72 inch). Pages count from 1.
"""

from langchain_pymupdf_coords.document_loaders import PyMuPDFCoordsLoader, PyMuPDFCoordsParser
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
    UnplacedTextWarning,
    UnreadableContentWarning,
)
from langchain_pymupdf_coords.provenance import LineBox, QuoteMatch, Region, SourceBox
from langchain_pymupdf_coords.quote_locator import QuoteLocator

__all__ = [
    "CacheWarning",
    "LineBox",
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
    "QuoteLocator",
    "QuoteMatch",
    "Region",
    "RenderBudgetWarning",
    "SourceAccessError",
    "SourceBox",
    "SourceChangedError",
    "SourceChangedWarning",
    "SourceUnavailableError",
    "UnplacedTextWarning",
    "UnreadableContentWarning",
]
