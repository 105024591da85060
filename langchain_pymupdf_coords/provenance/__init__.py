"""Where a chunk came from: boxes, lines, quotes and crops as values, and as the JSON in its metadata.

In: A ``Document`` from any store, read as untrusted; or values to write.
Out: Frozen values with pages, bboxes, quads and spans; canonical JSON strings.
Imports: The ground.
"""

from langchain_pymupdf_coords.folding import (
    clean_text,
)
from langchain_pymupdf_coords.provenance.boxes import (
    DEFAULT_BOX_CLASS,
    LineBox,
    SourceBox,
    document_id,
    dump_boxes,
    dump_lines,
    dump_page_sizes,
    page_sizes,
)
from langchain_pymupdf_coords.provenance.crops import (
    Crop,
)
from langchain_pymupdf_coords.provenance.fields import (
    COORDS_VERSION,
    DocumentLike,
)
from langchain_pymupdf_coords.provenance.quotes import (
    Difference,
    QuoteMatch,
    QuotePrecision,
    QuoteStatus,
    Region,
    dump_quotes,
)

__all__ = [
    "COORDS_VERSION",
    "DEFAULT_BOX_CLASS",
    "Crop",
    "Difference",
    "DocumentLike",
    "LineBox",
    "QuoteMatch",
    "QuotePrecision",
    "QuoteStatus",
    "Region",
    "SourceBox",
    "clean_text",
    "document_id",
    "dump_boxes",
    "dump_lines",
    "dump_page_sizes",
    "dump_quotes",
    "page_sizes",
]
