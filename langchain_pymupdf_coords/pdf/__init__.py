"""Everything that touches PyMuPDF: reading, OCR, rendering, annotating. No other wing imports it.

In: Bytes of a file, page numbers, areas to draw.
Out: Parsed pages, glyphs, pictures, copies with highlights; all in the displayed frame.
Imports: The ground, ``provenance`` and ``layout``; ``sources`` for types only, or workers would load LangChain.
"""

from langchain_pymupdf_coords.pdf.glyphs import page_glyphs
from langchain_pymupdf_coords.pdf.ocr import PageRecogniser
from langchain_pymupdf_coords.pdf.reading import PDFReader

__all__ = ["PDFReader", "PageRecogniser", "page_glyphs"]
