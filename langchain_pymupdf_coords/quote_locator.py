"""Quotes found in Documents and located on the pages that they came from."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, get_args

from langchain_core.documents import Document
from langchain_core.runnables import run_in_executor

from langchain_pymupdf_coords.errors import (
    OptionError,
    PDFOpenError,
    PDFPasswordError,
    ProvenanceError,
    SourceChangedError,
    SourceChangedWarning,
    SourceUnavailableError,
)
from langchain_pymupdf_coords.folding import FoldedText, fold
from langchain_pymupdf_coords.line_recovery import recover_lines
from langchain_pymupdf_coords.page_glyphs import PageGlyphs
from langchain_pymupdf_coords.pdf import page_glyphs
from langchain_pymupdf_coords.provenance import LineBox, QuoteMatch, SourceBox
from langchain_pymupdf_coords.quote_matching import find_quote
from langchain_pymupdf_coords.quote_placing import ChunkPlaces, place_spans
from langchain_pymupdf_coords.sources import Resolver, SourceFile, SourceResolver

OnChange = Literal["warn", "raise"]


@dataclass(frozen=True, kw_only=True)
class QuoteLocator:
    """Finds quotes in Documents and says where on the page each of their lines stands.

    A quote is looked for in ``page_content``, which is what a model saw, and its place is then taken from
    the coordinates of the Document. With the file at hand, and unchanged, quads follow the words; without it
    they follow the stored lines, or else the boxes. Holds no open file: open documents are shared by the
    process, so a locator can be pickled and used by threads.

    Attributes:
        cutoff: Least score (0 to 100) of a match that is alike but not equal.
        root: Folder that no file may lie outside of.
        resolver: Called with the ``source`` of a Document; returns a path, the bytes or a ``Blob``.
        password: User or owner password of encrypted files.
        on_change: What to do when a file is not the one that was indexed: ``"warn"`` and use the stored
            lines, or ``"raise"``.
    """

    cutoff: float = 90.0
    root: str | None = None
    resolver: Resolver | None = None
    password: str | None = field(default=None, repr=False)
    on_change: OnChange = "warn"

    def __post_init__(self) -> None:
        if not isinstance(self.cutoff, int | float) or not 0 <= self.cutoff <= 100:
            raise OptionError(f"cutoff must be a number from 0 to 100, not {self.cutoff!r}")
        if self.on_change not in get_args(OnChange):
            raise OptionError(f"on_change must be one of {get_args(OnChange)}, not {self.on_change!r}")

    def locate(self, document: Document, quote: str) -> QuoteMatch | None:
        """Find a quote in a Document and locate it.

        Args:
            document: A Document of this package, or one with the article's ``source``, ``page``, ``boxes``.
            quote: The quote, plain or in Markdown.

        Returns:
            The match, its quads in the displayed frame in points; None where the Document does not hold it.

        Raises:
            ProvenanceError: The Document's coordinates are missing or malformed.
            SourceAccessError: Its ``source`` lies outside ``root``.
            PDFPasswordError: A password is needed, or ``password`` is wrong.
            SourceChangedError: The file changed, and ``on_change`` is ``"raise"``.
        """
        content = document.page_content
        match = find_quote(content, quote, cutoff=self.cutoff, folded=_folded(content))
        if match is None:
            return None
        boxes = SourceBox.from_document(document)
        glyphs = _Glyphs(self._file(document), self.password)
        lines = LineBox.from_document(document) or glyphs.lines(content, boxes)
        places = ChunkPlaces(content, _folded(content), lines, boxes)
        regions, precision = place_spans(places, match.spans, glyphs.page)
        start, end = match.span
        return QuoteMatch(
            quote=quote,
            text=content[start:end],
            span=match.span,
            status=match.status,
            score=match.score,
            occurrences=match.occurrences,
            precision=precision,
            regions=regions,
        )

    def locate_all(self, documents: Iterable[Document], quote: str) -> list[tuple[Document, QuoteMatch]]:
        """Locate a quote in each of some Documents; the best match comes first, the others are in order.

        Raises:
            ProvenanceError: A Document's coordinates are missing or malformed.
            SourceAccessError: A ``source`` lies outside ``root``.
            PDFPasswordError: A password is needed, or ``password`` is wrong.
            SourceChangedError: A file changed, and ``on_change`` is ``"raise"``.
        """
        found = [(document, self.locate(document, quote)) for document in documents]
        matches = [(document, match) for document, match in found if match is not None]
        return sorted(matches, key=lambda pair: _rank(pair[1]))

    async def alocate(self, document: Document, quote: str) -> QuoteMatch | None:
        """Locate a quote in a thread; see ``locate``."""
        return await run_in_executor(None, self.locate, document, quote)

    async def alocate_all(
        self, documents: Iterable[Document], quote: str
    ) -> list[tuple[Document, QuoteMatch]]:
        """Locate a quote in each of some Documents in a thread; see ``locate_all``."""
        return await run_in_executor(None, self.locate_all, documents, quote)

    def _file(self, document: Document) -> SourceFile | None:
        """Return the file of a Document if it is there and unchanged."""
        source = document.metadata.get("source")
        if not isinstance(source, str):
            raise ProvenanceError(f"metadata['source'] must be a str, not {type(source).__name__}")
        try:
            file = SourceResolver(root=self.root, resolver=self.resolver).resolve(source)
            digest = document.metadata.get("source_digest")
            if digest is None or file.digest == digest:
                return file
        except SourceUnavailableError:
            return None
        message = f"{source} is not the file that was indexed: its digest differs from source_digest"
        if self.on_change == "raise":
            raise SourceChangedError(f"{message}; index it again")
        warnings.warn(f"{message}; the stored lines are used", SourceChangedWarning, stacklevel=4)
        return None


@dataclass(frozen=True, slots=True)
class _Glyphs:
    """The glyphs of a Document's file, where it can be read."""

    file: SourceFile | None
    password: str | None

    def page(self, number: int) -> PageGlyphs | None:
        if self.file is None:
            return None
        try:
            return page_glyphs(self.file, number, password=self.password)
        except PDFPasswordError:
            raise
        except (PDFOpenError, SourceUnavailableError):
            return None

    def lines(self, content: str, boxes: tuple[SourceBox, ...]) -> tuple[LineBox, ...]:
        """Make the lines of a Document that was stored without them."""
        pages = {box.page for box in boxes}
        glyphs = {page: found for page in pages if (found := self.page(page)) is not None}
        return recover_lines(content, boxes, glyphs)


def _rank(match: QuoteMatch) -> tuple[int, float]:
    return ("exact", "normalized", "fuzzy", "fragments").index(match.status), -match.score


@lru_cache(maxsize=256)
def _folded(content: str) -> FoldedText:
    return fold(content)
