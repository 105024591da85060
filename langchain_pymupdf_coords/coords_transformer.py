"""Page coordinates for Documents of any loader, found by their text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.runnables import Runnable, RunnableConfig

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.caller_warnings import warn
from langchain_pymupdf_coords.errors import ProvenanceError, UnplacedTextWarning
from langchain_pymupdf_coords.folding import clean_text
from langchain_pymupdf_coords.pdf.glyphs import file_words
from langchain_pymupdf_coords.placing.file_words import FileWords
from langchain_pymupdf_coords.placing.lines import placed_lines, source_boxes
from langchain_pymupdf_coords.placing.page_hints import page_hint
from langchain_pymupdf_coords.placing.text_placing import PlacedText, Text, place_texts
from langchain_pymupdf_coords.provenance.boxes import (
    changed_digest,
    dump_boxes,
    dump_lines,
    dump_page_sizes,
)
from langchain_pymupdf_coords.provenance.fields import COORDS_VERSION
from langchain_pymupdf_coords.provenance.text_digests import text_digest
from langchain_pymupdf_coords.sources.files import SourceFile
from langchain_pymupdf_coords.sources.resolver import FileAccess

_SOURCE_KEYS = ("source", "file_path")

_MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class CoordsTransformer(FileAccess, BaseDocumentTransformer, Runnable[Sequence[Document], list[Document]]):
    """Finds out where Documents of other loaders stand on the pages of their PDF, and writes it to their metadata.

    For an index that is there already: chunks of ``PyPDFLoader``, ``PyMuPDFLoader``, pymupdf4llm, Docling,
    Unstructured or any other loader, cleaned and cut by any splitter. Nothing is loaded or embedded again; the
    text stays as it is. Afterwards quotes, crops, highlights, evidence and ``CoordsTextSplitter`` work on them.

    A copy of each Document gets ``boxes``, ``lines``, ``page_sizes``, ``total_pages``, ``source_digest``,
    ``coords_version``, ``text_digest`` and ``coverage``, the share of its letters and digits that has a place.
    All keys that it has stay as they are, also ``page``, however its loader counts. What it says of its page
    is a hint and never decides. Text that the file has several times is placed by the Documents before and
    after it, so give those of a file together and in their order if you can. Text that is not on the pages,
    such as a title put in front of each chunk, has no line; a Document that is not from the file has no boxes
    and a coverage of 0. Both are said in an ``UnplacedTextWarning``.

    A Document that has coordinates already comes back as it is, unless its text was changed since.

    The file is the one that ``source``, or else ``file_path``, names. Scanned pages have no letters to find.
    Holds no open file, so it can be pickled and shared by threads. The other options are those of
    ``FileAccess``.

    Example:
        .. code-block:: python

            from langchain_community.document_loaders import PyPDFLoader
            from langchain_pymupdf_coords import CoordsTransformer, QuoteLocator

            documents = CoordsTransformer().transform_documents(PyPDFLoader("report.pdf").load_and_split())
            match = QuoteLocator().locate(documents[0], "It was founded in 1908")

    Attributes:
        warn_below: Coverage, 0 to 1, below which a Document is warned of.

    Raises:
        OptionError: An option has a value that cannot be used; the message names it.
    """

    warn_below: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "warn_below", checks.number("warn_below", self.warn_below, 0, 1))

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:  # noqa: ARG002
        """Return copies of Documents with their coordinates, in the same order.

        Args:
            documents: Documents whose text is from PDFs.
            **kwargs: Ignored; LangChain's interface has them.

        Raises:
            OptionError: ``documents`` holds something else than Documents.
            ProvenanceError: A Document does not name its file, or has malformed coordinates.
            SourceUnavailableError: A file is gone or cannot be read.
            SourceAccessError: A file lies outside of ``root``.
            PDFPasswordError: A password is needed, or ``password`` is wrong.
            PDFOpenError: A file is damaged or not a PDF.
        """
        done = list(checks.several_documents("documents", documents))
        groups: dict[str, list[int]] = {}
        for number, document in enumerate(done):
            if not _has_coordinates(document):
                groups.setdefault(_source(document), []).append(number)
        for source, numbers in groups.items():
            found = self._placed(source, [done[number] for number in numbers])
            for number, document in zip(numbers, found, strict=True):
                done[number] = document
        return done

    def invoke(
        self,
        input: Sequence[Document],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> list[Document]:
        """Return what a step of a chain does; see ``transform_documents``."""
        return self._call_with_config(self.transform_documents, input, config)

    def _placed(self, source: str, documents: Sequence[Document]) -> list[Document]:
        """Return the Documents of one file with their coordinates."""
        file = self.resolve(source)
        words = file_words(file, password=self.password)
        order = _in_order(documents)
        texts = [
            Text(document.page_content, page_hint(document.metadata))
            for document in (documents[number] for number in order)
        ]
        placed = dict(zip(order, place_texts(texts, words), strict=True))
        self._report(source, [(document, placed[number]) for number, document in enumerate(documents)])
        shared = {"source": source, "total_pages": len(words.pages)}
        return [
            document.model_copy(
                update={
                    "metadata": {
                        **shared,
                        **document.metadata,
                        **coordinates(document.page_content, placed[number], words, file),
                    }
                }
            )
            for number, document in enumerate(documents)
        ]

    def _report(self, source: str, placed: Sequence[tuple[Document, PlacedText]]) -> None:
        nowhere = [document for document, text in placed if text.coverage == 0]
        partly = [document for document, text in placed if 0 < text.coverage < self.warn_below]
        doubtful = [document for document, text in placed if text.choices > 1 and text.coverage > 0]
        for found, problem in (
            (nowhere, "not found in the file, and have no boxes"),
            (
                partly,
                f"found in part (metadata['coverage'] below {self.warn_below:g}); the rest is not on its pages",
            ),
            (
                doubtful,
                "found in several places, with nothing that says which is meant; the first has been taken",
            ),
        ):
            if found:
                warn(
                    f"{source}: {len(found)} of {len(placed)} Documents: {problem}: {_named(found)}",
                    UnplacedTextWarning,
                )


def coordinates(content: str, text: PlacedText, words: FileWords, file: SourceFile) -> dict[str, Any]:
    """Return the metadata that says where a text stands in a file.

    Args:
        content: The text.
        text: Where its letters are.
        words: The words of the file.
        file: The file.

    Raises:
        SourceUnavailableError, SourceAccessError, SourceChangedError: See ``SourceFile.digest``.
    """
    placed = placed_lines(content, text.folded, text.positions, words)
    boxes, lines = source_boxes(placed), [one.line for one in placed]
    pages = {box.page for box in boxes}
    return {
        "boxes": dump_boxes(boxes),
        "lines": dump_lines(lines),
        "page_sizes": dump_page_sizes({page: words.pages[page - 1].size for page in pages}),
        "source_digest": file.digest,
        "coords_version": COORDS_VERSION,
        "text_digest": text_digest(content, [line.span for line in lines]),
        "coverage": round(text.coverage, 4),
    }


def _has_coordinates(document: Document) -> bool:
    """Tell whether a Document has coordinates of the text that it has."""
    return document.metadata.get("boxes") is not None and changed_digest(document) is None


def _source(document: Document) -> str:
    for key in _SOURCE_KEYS:
        if isinstance(value := document.metadata.get(key), str) and value:
            return clean_text(value)
    raise ProvenanceError(
        f"a Document names no file: metadata has neither 'source' nor 'file_path' as text: {_named([document])}"
    )


def _in_order(documents: Sequence[Document]) -> list[int]:
    """Return the Documents as they follow each other in the file, as far as all of them say so."""

    def place(number: int) -> tuple[int, int, int]:
        metadata: Mapping[str, Any] = documents[number].metadata
        hint, start = page_hint(metadata), metadata.get("start_index")
        return hint.number if hint else -1, start if type(start) is int else -1, number

    numbers = range(len(documents))
    hinted = all(page_hint(document.metadata) for document in documents)
    return sorted(numbers, key=place) if hinted else list(numbers)


def _named(documents: Iterable[Document]) -> str:
    names = [repr(" ".join(document.page_content.split())[:60]) for document in documents]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
