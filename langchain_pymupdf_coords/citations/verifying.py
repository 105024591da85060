"""Quotes of an answer placed in the Documents that it was given."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from langchain_core.documents import Document

from langchain_pymupdf_coords.citations.cited_quotes import CitedQuote
from langchain_pymupdf_coords.citations.results import LocatedCitation
from langchain_pymupdf_coords.errors import PDFOpenError, PDFPasswordError, SourceUnavailableError
from langchain_pymupdf_coords.provenance.quotes import QuoteMatch, dump_quotes
from langchain_pymupdf_coords.quote_locator import QuoteEvidence, QuoteLocator
from langchain_pymupdf_coords.quotes.matching import find_quote

_BEST_FIRST = ("exact", "normalized", "fuzzy", "fragments")


@dataclass(frozen=True, slots=True)
class _Finding:
    """A quote found in a Document."""

    index: int
    evidence: QuoteEvidence
    verbatim: bool

    def rank(self, wanted: frozenset[int] | None) -> tuple[bool, bool, int, float]:
        match = self.evidence.match
        elsewhere = wanted is not None and self.index not in wanted
        return not self.verbatim, elsewhere, _BEST_FIRST.index(match.status), -match.score


@dataclass(frozen=True, slots=True)
class CitationPlacer:
    """Places quotes in some Documents; a quote that comes again is not searched for again.

    Attributes:
        locator: What finds the quotes.
        documents: The Documents in the order of their numbers.
        search_files: Whether to look for a quote that no Document has in the files that they are from.
    """

    locator: QuoteLocator
    documents: Sequence[Document]
    search_files: bool = False
    _found: dict[str, list[_Finding]] = field(default_factory=dict)

    def place(self, quote: CitedQuote) -> LocatedCitation:
        """Find the best place of a quote: word for word before alike, the source asked for before others.

        Raises:
            ProvenanceError, SourceAccessError, PDFPasswordError, SourceChangedError: See
                ``QuoteLocator.locate``.
        """
        wanted = quote.request.indices(self.documents)
        findings = sorted(self._findings(quote.text), key=lambda finding: finding.rank(wanted))
        number = _number(quote, wanted, findings)
        if not findings:
            match = self._in_files(quote.text, wanted) if self.search_files else None
            return LocatedCitation(
                quote=quote.text,
                source_number=number,
                match=match,
                outside_documents=match is not None,
                quoted=quote.quoted,
                answer_span=quote.span,
            )
        best, *others = findings
        on_page = bool(best.evidence.match.regions) or not _has_place(self.documents[best.index])
        swapped = wanted is not None and best.index not in wanted
        return LocatedCitation(
            quote=quote.text,
            source_number=number,
            document_index=best.index,
            document=self.documents[best.index],
            match=best.evidence.match,
            verified=best.verbatim and on_page and not swapped,
            confirmed=best.evidence.confirmed,
            swapped=swapped,
            relocated=best.evidence.relocated,
            quoted=quote.quoted,
            answer_span=quote.span,
            also_in=tuple(finding.index for finding in others),
        )

    def with_quotes(self, citations: Sequence[LocatedCitation]) -> tuple[Document, ...]:
        """Return copies of the Documents with ``metadata["quotes"]``: what was found in each, once."""
        return tuple(
            document.model_copy(
                update={"metadata": {**document.metadata, "quotes": dump_quotes(_matches(citations, index))}}
            )
            for index, document in enumerate(self.documents)
        )

    def _findings(self, quote: str) -> list[_Finding]:
        if quote not in self._found:
            self._found[quote] = list(self._search(quote))
        return self._found[quote]

    def _search(self, quote: str) -> Iterator[_Finding]:
        for index, document in enumerate(self.documents):
            has_place = document.metadata.get("boxes") is not None
            evidence = self.locator.examine(document, quote) if has_place else self._in_text(document, quote)
            if evidence is not None:
                yield _Finding(index, evidence, evidence.match.status in ("exact", "normalized"))

    def _in_files(self, quote: str, wanted: frozenset[int] | None) -> QuoteMatch | None:
        """Return the best place of a quote in the files of the Documents, those of the source asked for first."""
        numbers = sorted(range(len(self.documents)), key=lambda number: number not in (wanted or ()))
        sources = (self.documents[number].metadata.get("source") for number in numbers)
        found = []
        for source in dict.fromkeys(source for source in sources if isinstance(source, str)):
            try:
                match = self.locator.locate_in_file(source, quote)
            except SourceUnavailableError:
                continue
            except PDFPasswordError:
                raise
            except PDFOpenError:
                continue
            if match is not None:
                found.append(match)
        return min(found, key=lambda match: (_BEST_FIRST.index(match.status), -match.score), default=None)

    def _in_text(self, document: Document, quote: str) -> QuoteEvidence | None:
        """Find a quote in a Document without coordinates: it has no place on a page, but the words it has."""
        found = find_quote(document.page_content, quote, cutoff=self.locator.cutoff)
        if found is None:
            return None
        start, end = found.span
        match = QuoteMatch(
            quote=quote,
            text=document.page_content[start:end],
            span=found.span,
            status=found.status,
            score=found.score,
            occurrences=found.occurrences,
            precision="box",
            regions=(),
            differences=found.differences,
        )
        return QuoteEvidence(match, confirmed=False, relocated=False)


def _has_place(document: Document) -> bool:
    return document.metadata.get("boxes") not in (None, "[]", [])


def _number(quote: CitedQuote, wanted: frozenset[int] | None, findings: Sequence[_Finding]) -> int | None:
    """The number of the source asked for; of several of one name, the one that has the quote."""
    if not wanted:
        return quote.request.number
    return next((f.index for f in findings if f.index in wanted), min(wanted)) + 1


def _matches(citations: Sequence[LocatedCitation], index: int) -> list[QuoteMatch]:
    found = (citation.match for citation in citations if citation.document_index == index)
    return list(dict.fromkeys(match for match in found if match is not None))
