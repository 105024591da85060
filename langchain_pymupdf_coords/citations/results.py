"""What became of the quotes of an answer: values that say where each is found, or that it is not."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from langchain_core.documents import Document
from langchain_core.messages import AIMessage

from langchain_pymupdf_coords.folding import clean_text
from langchain_pymupdf_coords.provenance.quotes import Difference, QuoteMatch, QuoteStatus

CitationStatus = QuoteStatus | Literal["not_found"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedCitation:
    """A quote of an answer, and where it really is.

    Attributes:
        quote: The words as the answer has them.
        source_number: Number of the source that the answer names for them, from 1; None if it names none that can be
            told. Where it names a file that several Documents are from: the number of the one with the quote.
        document_index: Index of the Document that has the quote, from 0; None if none has. Of several, the
            best match in the source asked for, or else the best of all.
        document: That Document, as it was given; None if none has the quote. ``LocatedAnswer.documents`` has
            its copy with all quotes that were found in it.
        match: The quote in that Document and on its pages, in the displayed frame, in points; None if no
            Document has it.
        verified: Whether the badge may be given: the source asked for (if any is) has exactly these words
            (status ``"exact"`` or ``"normalized"``), uncut, so that "legal" is not taken from "illegal".
            Words that the Document has, but not on its pages, such as a title put in front, are not verified.
            Quotes that are only alike (``"fuzzy"``) or stitched (``"fragments"``) are never verified.
        confirmed: Whether the file was read again, is the one that was indexed (or the quote was found in its
            new version), and its pages show just the letters of ``match.text`` under the quads. Not so for
            scans, without the file, or if someone tampered with the index.
        swapped: Whether the quote was found, but not in the source that the answer names.
        outside_documents: Whether no Document has the quote, but a file that one is from: ``match`` is its place
            there, see ``CitationLocator.search_files``. Never verified: the model was not given it.
        relocated: Whether the coordinates are those of a new version of the file, see ``on_change``.
        quoted: Whether the answer gives the words as a quotation. Otherwise they are what it says in its own
            words before a source mark, which seldom stands in the source word for word.
        answer_span: ``(start, end)`` in the answer's text of the words, or of what they support; None where
            the answer does not say.
        also_in: Indices of other Documents that have the quote, best first.
    """

    quote: str
    source_number: int | None = None
    document_index: int | None = None
    document: Document | None = field(default=None, repr=False, hash=False)
    match: QuoteMatch | None = None
    verified: bool = False
    confirmed: bool = False
    swapped: bool = False
    outside_documents: bool = False
    relocated: bool = False
    quoted: bool = True
    answer_span: tuple[int, int] | None = None
    also_in: tuple[int, ...] = ()

    @property
    def status(self) -> CitationStatus:
        """How the quote was found, or ``"not_found"`` if it was not."""
        return "not_found" if self.match is None else self.match.status

    @property
    def differences(self) -> tuple[Difference, ...]:
        """What the quote and the text found for it differ in; none if it is word for word, or not found."""
        return () if self.match is None else self.match.differences

    @property
    def page(self) -> int | None:
        """The page on which the quote begins, from 1; None if it was not found or has no place."""
        return self.match.regions[0].page if self.match and self.match.regions else None

    def to_dict(self) -> dict[str, Any]:
        """Return the citation as JSON values; of its Document only the index."""
        return {
            "quote": clean_text(self.quote),
            "source_number": self.source_number,
            "document_index": self.document_index,
            "status": self.status,
            "differences": [difference.to_dict() for difference in self.differences],
            "verified": self.verified,
            "confirmed": self.confirmed,
            "swapped": self.swapped,
            "outside_documents": self.outside_documents,
            "relocated": self.relocated,
            "quoted": self.quoted,
            "answer_span": None if self.answer_span is None else list(self.answer_span),
            "also_in": list(self.also_in),
            "match": None if self.match is None else self.match.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedAnswer:
    """An answer with its citations located, or, in a stream, a part of it.

    Parts add up: ``first + second`` is the answer so far. A part of a stream has the text and the citations
    that are new; the last one brings the Documents and the message.

    Attributes:
        answer: The text of the answer.
        citations: One for each quote and source that the answer has for it, found or not; in a whole answer
            in the order of the answer, in a stream in the order in which they were complete.
        documents: The Documents, each with ``metadata["quotes"]``: the quotes found in it. What an earlier
            step wrote there is replaced.
        message: The answer as standard content blocks with ``citation`` annotations, whose ``extras`` say
            where each quote is. Made to be shown: keep the model's own message for the history of a
            conversation, since a provider may refuse annotations that it did not write. None in a part of a
            stream.
    """

    answer: str
    citations: tuple[LocatedCitation, ...] = ()
    documents: tuple[Document, ...] = ()
    message: AIMessage | None = None

    def __add__(self, other: "LocatedAnswer") -> "LocatedAnswer":
        if not isinstance(other, LocatedAnswer):
            return NotImplemented
        return LocatedAnswer(
            answer=self.answer + other.answer,
            citations=self.citations + other.citations,
            documents=other.documents or self.documents,
            message=other.message or self.message,
        )

    @property
    def unverified(self) -> tuple[LocatedCitation, ...]:
        """The citations that are not verified: not found, altered, cut or of another source."""
        return tuple(citation for citation in self.citations if not citation.verified)

    def of_document(self, index: int) -> Iterator[LocatedCitation]:
        """Yield the citations found in a Document.

        Args:
            index: Index of the Document, from 0.
        """
        return (citation for citation in self.citations if citation.document_index == index)
