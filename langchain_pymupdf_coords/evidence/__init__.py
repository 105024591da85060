"""The evidence page, and the bundle of page, crops and annotated PDFs.

In: Documents with located quotes, or a ``LocatedAnswer``, and a question.
Out: One HTML document that needs nothing from elsewhere; a folder or archive that can be verified.
Imports: The ground, ``provenance``, ``sources``, ``pdf``, ``crops``, ``citations``, and the roles ``annotations``,
``document_transformers`` and ``quote_locator``.

An *entry* is what the page lists: a quote, or a *passage*, which is a Document without quotes. A *sheet* shows a page
of a file: its *picture*, with a *mark* where each entry stands on it. A *bundle* is all of this in files: the page,
the *crops* of the quotes, the *annotated* PDFs, the *record* of question, answer, citations and Documents, and the
*manifest* of the digests.
"""

from langchain_pymupdf_coords.evidence.page import (
    EvidencePage,
    evidence_html,
)

__all__ = [
    "EvidencePage",
    "evidence_html",
]
