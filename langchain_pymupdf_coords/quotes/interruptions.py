"""Quotes that go on from one page to the next, past what stands between them in the chunk.

Where page headers, footers and footnotes are kept in the text, they interrupt the sentences that they stand
between. A reader, and a model, reads past them.
"""

from collections.abc import Iterable, Iterator

from langchain_pymupdf_coords.provenance.boxes import SourceBox
from langchain_pymupdf_coords.provenance.fields import DocumentLike

INTERRUPTING_CLASSES = frozenset(("page-header", "page-footer", "footnote"))

Span = tuple[int, int]


def may_be_interrupted(document: DocumentLike) -> bool:
    """Tell, without reading them all, whether a chunk has boxes of the classes that interrupt sentences."""
    boxes = document.metadata.get("boxes")
    return isinstance(boxes, str) and any(name in boxes for name in INTERRUPTING_CLASSES)


def interruptions(boxes: Iterable[SourceBox]) -> list[Span]:
    """Where the text of a chunk is interrupted."""
    return sorted(box.span for box in boxes if box.span and box.box_class in INTERRUPTING_CLASSES)


def without_interruptions(content: str, holes: Iterable[Span]) -> str:
    """The text with blanks in place of what interrupts it: they fold to nothing and keep all offsets."""
    for start, end in holes:
        content = content[:start] + " " * (end - start) + content[end:]
    return content


def parts_between(span: Span, holes: Iterable[Span]) -> Iterator[Span]:
    """The parts of a span that no interruption covers."""
    at, last = span
    for start, end in holes:
        if at < start < last:
            yield at, start
            at = end
    yield at, last
