"""Quotes that go on from one page to the next, past what stands between them in the chunk.

Where page headers, footers and footnotes are kept in the text, they interrupt the sentences that they stand
between. A reader, and a model, reads past them.
"""

from collections.abc import Iterable
from dataclasses import replace

from langchain_pymupdf_coords.provenance import DocumentLike, SourceBox
from langchain_pymupdf_coords.quote_matching import TextMatch, find_quote

Span = tuple[int, int]

INTERRUPTING_CLASSES = frozenset(("page-header", "page-footer", "footnote"))


def may_be_interrupted(document: DocumentLike) -> bool:
    """Tell, without reading them all, whether a chunk has boxes of the classes that interrupt sentences."""
    boxes = document.metadata.get("boxes")
    return isinstance(boxes, str) and any(name in boxes for name in INTERRUPTING_CLASSES)


def find_past_running_heads(content: str, quote: str, boxes: Iterable[SourceBox]) -> TextMatch | None:
    """Find a quote whose letters and digits are all there but for what interrupts them.

    Args:
        content: The text.
        quote: The quote.
        boxes: Boxes of the text.

    Returns:
        The match, with a span for each part; None where the text does not hold the quote, or no box interrupts it.
    """
    holes = [box.span for box in boxes if box.span and box.box_class in INTERRUPTING_CLASSES]
    if not holes:
        return None
    # Blanks fold to nothing and keep all offsets.
    blanked = content
    for start, end in holes:
        blanked = blanked[:start] + " " * (end - start) + blanked[end:]
    match = find_quote(blanked, quote, cutoff=100)
    if match is None or match.status not in ("exact", "normalized"):
        return None
    spans = tuple(span for span in _without(match.span, holes) if blanked[slice(*span)].strip())
    return replace(match, spans=spans, status="normalized") if len(spans) > 1 else None


def _without(span: Span, holes: Iterable[Span]) -> Iterable[Span]:
    at, last = span
    for start, end in sorted(holes):
        if at < start < last:
            yield at, start
            at = end
    yield at, last
