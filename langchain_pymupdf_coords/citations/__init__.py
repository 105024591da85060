"""From a model's answer to citations that are located on the page, or flagged.

In: A ``QuotedAnswer``, a chat message or text, and the Documents that the model was given.
Out: A ``LocatedAnswer``: each quote with its verdict and place.
Imports: The ground, ``provenance``, ``quotes`` and ``quote_locator``.
"""

from langchain_pymupdf_coords.citations.locator import (
    CitationInput,
    CitationLocator,
)
from langchain_pymupdf_coords.citations.results import (
    CitationStatus,
    LocatedAnswer,
    LocatedCitation,
)
from langchain_pymupdf_coords.citations.schema import (
    QuotedAnswer,
    SourceQuote,
    citation_prompt,
    format_sources,
)

__all__ = [
    "CitationInput",
    "CitationLocator",
    "CitationStatus",
    "LocatedAnswer",
    "LocatedCitation",
    "QuotedAnswer",
    "SourceQuote",
    "citation_prompt",
    "format_sources",
]
