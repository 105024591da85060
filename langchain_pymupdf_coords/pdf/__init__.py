"""Everything that touches PyMuPDF. No other module of the package imports it."""

from langchain_pymupdf_coords.pdf.glyphs import page_glyphs
from langchain_pymupdf_coords.pdf.ocr import PageRecogniser
from langchain_pymupdf_coords.pdf.reading import PDFReader

__all__ = ["PDFReader", "PageRecogniser", "page_glyphs"]
