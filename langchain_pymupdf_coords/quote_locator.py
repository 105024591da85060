"""Quotes found in Documents and located on the pages that they came from."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal, get_args

from langchain_core.documents import Document

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.async_streams import run_in_background
from langchain_pymupdf_coords.caller_warnings import warn
from langchain_pymupdf_coords.checked_coordinates import checked_coordinates
from langchain_pymupdf_coords.errors import (
    SourceChangedError,
    SourceChangedWarning,
    SourceUnavailableError,
)
from langchain_pymupdf_coords.file_quotes import quotes_in_file
from langchain_pymupdf_coords.folding import FoldedText, fold
from langchain_pymupdf_coords.pdf.glyphs import FileGlyphs, file_words
from langchain_pymupdf_coords.pdf.text_layers import is_from_ocr
from langchain_pymupdf_coords.provenance.boxes import SourceBox
from langchain_pymupdf_coords.provenance.quotes import QuoteMatch, Region, dump_quotes
from langchain_pymupdf_coords.quotes.interruptions import may_be_interrupted
from langchain_pymupdf_coords.quotes.matching import find_past_running_heads, find_quote
from langchain_pymupdf_coords.quotes.regions import ChunkPlaces, GlyphReader, Span, place_spans
from langchain_pymupdf_coords.quotes.relocation import relocate, shows
from langchain_pymupdf_coords.sources.files import SourceFile
from langchain_pymupdf_coords.sources.resolver import FileAccess, document_source, require_unchanged

OnQuoteChange = Literal["warn", "raise", "relocate"]
"""What to do when a file is not the one that was indexed; see ``QuoteLocator``."""


@dataclass(frozen=True, slots=True)
class QuoteEvidence:
    """A quote located in a Document, and what its file says to it today.

    Attributes:
        match: The quote and its place, in the displayed frame, in points.
        confirmed: Whether the file was read and its pages show just the letters of the quote under the quads.
        relocated: Whether the place is in a new version of the file; the match then has its pages.
    """

    match: QuoteMatch
    confirmed: bool
    relocated: bool


@dataclass(frozen=True, kw_only=True)
class QuoteLocator(FileAccess):
    """Finds quotes in Documents and says where on the page each of their lines stands.

    A quote is looked for in ``page_content``, which is what a model saw, and its place is then taken from
    the coordinates of the Document. With the file at hand, and unchanged, quads follow the words; without it
    they follow the stored lines, or else the boxes. Holds no open file: open documents are shared by the
    process, so a locator can be pickled and used by threads.

    The other options are those of ``FileAccess``.

    Attributes:
        cutoff: Least score (0 to 100) of a match that is alike but not equal.
        on_change: What to do when a file is not the one that was indexed: ``"warn"`` and use the stored
            lines; ``"raise"``; or ``"relocate"``: look for the quote, by the words around it too, in the new
            version, and say in a warning where it is now, or that the stored lines are used since it is not
            there.

    Raises:
        OptionError: An option has a value that cannot be used; the message names it.
    """

    cutoff: float = 90.0
    on_change: OnQuoteChange = "warn"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "cutoff", checks.number("cutoff", self.cutoff, 0, 100))
        checks.choice("on_change", self.on_change, get_args(OnQuoteChange))

    def locate(self, document: Document, quote: str) -> QuoteMatch | None:
        """Find a quote in a Document and locate it.

        Args:
            document: A Document of this package, or one with the article's ``source``, ``page``, ``boxes``.
            quote: The quote, plain or in Markdown.

        Returns:
            The match, its quads in the displayed frame in points; None where the Document does not hold it.

        Raises:
            OptionError: ``document`` is not one Document, or ``quote`` no string.
            ProvenanceError: The Document's coordinates are missing or malformed.
            SourceAccessError: Its ``source`` lies outside ``root``.
            PDFPasswordError: A password is needed, or ``password`` is wrong.
            SourceChangedError: The file changed, and ``on_change`` is ``"raise"``.
        """
        found = self._find(document, quote)
        return None if found is None else found.match

    def examine(self, document: Document, quote: str) -> QuoteEvidence | None:
        """Locate a quote and see whether the file still shows it there.

        Args:
            document: As for ``locate``.
            quote: The quote, plain or in Markdown.

        Returns:
            The match and whether the file confirms it; None where the Document does not hold the quote.

        Raises:
            ProvenanceError, SourceAccessError, PDFPasswordError, SourceChangedError: See ``locate``.
        """
        found = self._find(document, quote)
        if found is None:
            return None
        texts = [document.page_content[slice(*span)] for span in found.spans]
        confirmed = shows(found.match.regions, texts, found.read_glyphs)
        return QuoteEvidence(found.match, confirmed, found.relocated)

    def locate_all(self, documents: Iterable[Document], quote: str) -> list[tuple[Document, QuoteMatch]]:
        """Locate a quote in each of some Documents.

        Args:
            documents: Documents as for ``locate``.
            quote: The quote, plain or in Markdown.

        Returns:
            The Documents that hold it, each with its match (quads in the displayed frame, in points): the
            best first, equal ones in the order of the Documents.

        Raises:
            OptionError: ``documents`` holds something else than Documents, or ``quote`` is no string.
            ProvenanceError: A Document's coordinates are missing or malformed.
            SourceAccessError: A ``source`` lies outside ``root``.
            PDFPasswordError: A password is needed, or ``password`` is wrong.
            SourceChangedError: A file changed, and ``on_change`` is ``"raise"``.
        """
        checked = checks.several_documents("documents", documents)
        found = [(document, self.locate(document, quote)) for document in checked]
        matches = [(document, match) for document, match in found if match is not None]
        return sorted(matches, key=lambda pair: _rank(pair[1]))

    def locate_in_file(
        self, source: str, quote: str, *, pages: Iterable[int] | None = None
    ) -> QuoteMatch | None:
        """Find a quote in a whole PDF, without any Document, and locate it.

        For answers whose chunks are gone. The rules are those of ``locate``; the text is that of the pages as
        they are drawn, and ``span`` counts in the text of the page on which the quote begins. A quote may go
        on over the edge of a page. The words of a file are kept for the next call, see ``clear_kept_files``.

        Args:
            source: Path or address of the file, held to ``root`` and given to ``resolver`` like that of a Document.
            quote: The quote, plain or in Markdown.
            pages: Pages, from 1, on which it may begin; None for all.

        Returns:
            The best match, its quads in the displayed frame in points; of equal ones the first, with their number
            as ``occurrences``. None where the file does not hold it.

        Raises:
            OptionError: ``quote`` is no string, or ``pages`` are no page numbers.
            SourceUnavailableError: The file is gone or cannot be read.
            SourceAccessError: It lies outside ``root``.
            PDFPasswordError: A password is needed, or ``password`` is wrong.
            PDFOpenError: It is damaged or not a PDF.
        """
        return min(self.locate_all_in_file(source, quote, pages=pages), key=_rank, default=None)

    def locate_all_in_file(
        self, source: str, quote: str, *, pages: Iterable[int] | None = None
    ) -> list[QuoteMatch]:
        """Find all places of a quote in a whole PDF, without any Document.

        Args:
            source: As for ``locate_in_file``.
            quote: The quote, plain or in Markdown.
            pages: Pages, from 1, on which it may begin; None for all.

        Returns:
            The matches in the order of the pages, their quads in the displayed frame in points.

        Raises:
            OptionError, SourceUnavailableError, SourceAccessError, PDFPasswordError, PDFOpenError: See
                ``locate_in_file``.
        """
        checks.text("quote", quote)
        allowed = None if pages is None else {checks.whole_number("pages", page) for page in pages}
        file = self.resolve(source)
        file_words(file, password=self.password)  # raises what FileGlyphs takes for a file without glyphs
        return quotes_in_file(quote, FileGlyphs(file, self.password), cutoff=self.cutoff, pages=allowed)

    async def alocate_in_file(
        self, source: str, quote: str, *, pages: Iterable[int] | None = None
    ) -> QuoteMatch | None:
        """Find a quote in a whole PDF in a thread; see ``locate_in_file``."""
        return await run_in_background(self.locate_in_file, source, quote, pages=pages)

    async def alocate_all_in_file(
        self, source: str, quote: str, *, pages: Iterable[int] | None = None
    ) -> list[QuoteMatch]:
        """Find all places of a quote in a whole PDF in a thread; see ``locate_all_in_file``."""
        return await run_in_background(self.locate_all_in_file, source, quote, pages=pages)

    async def alocate(self, document: Document, quote: str) -> QuoteMatch | None:
        """Locate a quote in a thread; see ``locate``."""
        return await run_in_background(self.locate, document, quote)

    async def alocate_all(
        self, documents: Iterable[Document], quote: str
    ) -> list[tuple[Document, QuoteMatch]]:
        """Locate a quote in each of some Documents in a thread; see ``locate_all``."""
        return await run_in_background(self.locate_all, documents, quote)

    def _find(self, document: Document, quote: str) -> "_Found | None":
        checks.one_document("document", document)
        checks.text("quote", quote)
        content = document.page_content
        from_ocr = partial(self._is_from_ocr, document)
        match = find_quote(content, quote, cutoff=self.cutoff, folded=_folded(content), is_from_ocr=from_ocr)
        if match is None and may_be_interrupted(document):
            match = find_past_running_heads(content, quote, SourceBox.from_document(document))
        if match is None:
            return None
        file, changed = self._file(document)
        glyphs = FileGlyphs(None if changed else file, self.password)
        coordinates = checked_coordinates(document, glyphs)
        places = ChunkPlaces(content, _folded(content), coordinates.lines, coordinates.boxes)
        regions, precision = place_spans(places, match.spans, glyphs.page)
        relocated = False
        if changed and file is not None:
            moved = self._moved(file, places, match.spans) if self.on_change == "relocate" else None
            if moved is not None:
                regions, precision, relocated = moved, "word", True
                glyphs = FileGlyphs(file, self.password)
            self._warn_of_change(file, moved)
        start, end = match.span
        located = QuoteMatch(
            quote=quote,
            text=content[start:end],
            span=match.span,
            status=match.status,
            score=match.score,
            occurrences=match.occurrences,
            precision=precision,
            regions=regions,
            differences=match.differences,
        )
        return _Found(located, match.spans, glyphs.page, relocated)

    def _is_from_ocr(self, document: Document) -> bool:
        """Whether an OCR engine wrote the text of a Document, as its file says or its pages show."""
        if _names_ocr_program(document):
            return True
        file, changed = self._file(document)
        pages = {box.page for box in SourceBox.from_document(document)}
        if file is None or changed or not pages:
            return False
        return all(is_from_ocr(file, page, password=self.password) for page in pages)

    def _moved(
        self, file: SourceFile, places: ChunkPlaces, spans: Sequence[Span]
    ) -> tuple[Region, ...] | None:
        glyphs = FileGlyphs(file, self.password)
        first = min((box.page for box in places.boxes), default=1)
        return relocate(places, spans, first, glyphs.page_count(), glyphs.page)

    def _warn_of_change(self, file: SourceFile, moved: tuple[Region, ...] | None) -> None:
        if moved:
            outcome = f"the quote was found in its new version, on page {moved[0].page}"
        elif self.on_change == "relocate":
            outcome = "the quote was not found in its new version, and the stored lines are used"
        else:
            outcome = "the stored lines are used"
        warn(
            f"{file.name} is not the file that was indexed: its digest differs from source_digest; {outcome}",
            SourceChangedWarning,
        )

    def _file(self, document: Document) -> tuple[SourceFile | None, bool]:
        """Return the file of a Document if it is there, and whether it changed."""
        source = document_source(document)
        file = None
        try:
            file = self.resolve(source)
            require_unchanged(document, file)
        except SourceUnavailableError:
            return None, False
        except SourceChangedError:
            if self.on_change == "raise" or file is None:
                raise
            return file, True
        return file, False


@dataclass(frozen=True, slots=True)
class _Found:
    """A located quote, its spans in the text, and the pages that its place is on."""

    match: QuoteMatch
    spans: Sequence[Span]
    read_glyphs: GlyphReader
    relocated: bool


def _rank(match: QuoteMatch) -> tuple[int, float]:
    return ("exact", "normalized", "fuzzy", "fragments").index(match.status), -match.score


# Programs that write the text layer of a scan, by what they call themselves as producer or creator of a file.
_OCR_PROGRAMS = re.compile(
    r"\bocr|ocr\b|tesseract|abbyy|finereader|omnipage|paper capture|readiris|scansnap|leadtools|luratech|pdfcompressor"
    r"|internet archive|paperport|cvisionpdf|scandall|adobe scan|camscanner",
    re.IGNORECASE,
)


def _names_ocr_program(document: Document) -> bool:
    """Whether the file of a Document says that an OCR engine made it."""
    return any(
        isinstance(value, str) and _OCR_PROGRAMS.search(value[:500])
        for value in (document.metadata.get("producer"), document.metadata.get("creator"))
    )


@lru_cache(maxsize=256)
def _folded(content: str) -> FoldedText:
    return fold(content)


def with_quotes(document: Document, quotes: Iterable[str], locator: QuoteLocator) -> Document:
    """Return a copy of a Document with ``metadata["quotes"]``: those of some quotes that it holds, located.

    Args:
        document: Any Document; one without ``metadata["boxes"]`` has no place on a page, and so no quotes.
        quotes: The quotes, plain or in Markdown. Of equal ones the first counts.
        locator: What finds them.

    Raises:
        ProvenanceError, SourceAccessError, SourceChangedError, PDFPasswordError: See ``QuoteLocator.locate``.
    """
    placeable = dict.fromkeys(quotes) if "boxes" in document.metadata else ()
    matches = [match for quote in placeable if (match := locator.locate(document, quote)) is not None]
    return document.model_copy(update={"metadata": {**document.metadata, "quotes": dump_quotes(matches)}})
