"""Quotes that go on from one page to the next, past what stands between them in the chunk.

Page headers, footers, footnotes, line numbers and watermarks that are kept in the text interrupt the sentences that
they stand between, and so do figures and tables in the middle of a sentence. A reader, and a model, reads past them.
"""

from collections.abc import Iterable, Iterator, Sequence

from langchain_pymupdf_coords.folding import STOP_CLOSERS, STOPS, UNSPACED_STOPS
from langchain_pymupdf_coords.provenance.boxes import SourceBox
from langchain_pymupdf_coords.provenance.fields import DocumentLike

INTERRUPTING_CLASSES = frozenset(("page-header", "page-footer", "footnote", "line-number", "watermark"))

FLOATING_CLASSES = frozenset(("picture", "table", "caption"))
"""What a page may show in the middle of a sentence."""

_ENDS = STOPS + UNSPACED_STOPS + STOP_CLOSERS + ":;"

Span = tuple[int, int]


def may_be_interrupted(document: DocumentLike) -> bool:
    """Tell, without reading them all, whether a chunk has boxes of the classes that interrupt sentences."""
    boxes = document.metadata.get("boxes")
    return isinstance(boxes, str) and any(name in boxes for name in INTERRUPTING_CLASSES | FLOATING_CLASSES)


def interruptions(content: str, boxes: Iterable[SourceBox]) -> list[Span]:
    """Where the text of a chunk is interrupted.

    Args:
        content: The text.
        boxes: Its boxes. Floating ones interrupt only a sentence that goes on after them in lower case.
    """
    pieces = sorted((box.span, box.box_class) for box in boxes if box.span)
    found: list[Span] = []
    between: list[tuple[Span, str]] = []
    before = ""
    for span, name in pieces:
        if name in INTERRUPTING_CLASSES | FLOATING_CLASSES:
            between.append((span, name))
            continue
        after = content[slice(*span)].strip()
        found += _holes(between, goes_on=_goes_on(before, after))
        before, between = after, []
    return found + _holes(between, goes_on=False)


def _holes(between: Sequence[tuple[Span, str]], *, goes_on: bool) -> list[Span]:
    return [span for span, name in between if goes_on or name in INTERRUPTING_CLASSES]


def _goes_on(before: str, after: str) -> bool:
    """Whether a text that ends without a stop goes on in another in lower case."""
    return bool(before) and before[-1] not in _ENDS and after[:1].islower()


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
