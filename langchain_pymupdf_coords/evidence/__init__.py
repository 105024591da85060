"""The evidence page, and the bundle of page, crops and annotated PDFs.

In: Documents with located quotes, or a ``LocatedAnswer``, and a question.
Out: One HTML document that needs nothing from elsewhere; a folder or archive that can be verified.
Imports: The ground, ``provenance``, ``sources``, ``pdf``, ``crops``, ``citations``, and the roles ``annotations``,
``document_transformers`` and ``quote_locator``.
"""

from langchain_pymupdf_coords.evidence.page import (
    EvidencePage,
    evidence_html,
)

__all__ = [
    "EvidencePage",
    "evidence_html",
]
