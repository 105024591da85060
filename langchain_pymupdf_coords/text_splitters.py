"""Splitting Documents with any text splitter, each piece with page coordinates of its own.

Documents whose text others cut out of a chunk while they copied the coordinates of the whole chunk.
"""

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, get_args

from langchain_core.documents import Document
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_text_splitters import TextSplitter

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.async_streams import run_in_background
from langchain_pymupdf_coords.caller_warnings import warn
from langchain_pymupdf_coords.chunking.boxes import SplitsText
from langchain_pymupdf_coords.chunking.piece_alignment import align_pieces
from langchain_pymupdf_coords.chunking.piece_places import Placement
from langchain_pymupdf_coords.chunking.piece_provenance import ChunkProvenance
from langchain_pymupdf_coords.errors import OptionError, ProvenanceError, UnplacedTextWarning
from langchain_pymupdf_coords.provenance.boxes import (
    document_id,
    dump_boxes,
    dump_lines,
    dump_page_sizes,
    page_sizes,
)
from langchain_pymupdf_coords.provenance.fields import shown
from langchain_pymupdf_coords.provenance.text_digests import text_digest

OnUnaligned = Literal["raise", "warn"]

# What was found in, or rendered for, a whole chunk says nothing about a piece of it.
_NOT_OF_PIECES = ("quotes", "crops")


@dataclass(frozen=True)
class CoordsTextSplitter(TextSplitter, Runnable[Iterable[Document], list[Document]]):
    """Splits Documents with a text splitter, and gives each piece the coordinates of its own text.

    Each piece has its own ``boxes``, ``lines``, ``page``, ``page_end``, ``page_sizes``, ``section`` and id.
    All spans count in the ``page_content`` of the piece, which is as the splitter made it. ``page_label``
    stays where the piece begins on the page that it is the label of, ``quotes`` and ``crops`` go, and all
    else is the Document's, ``chunk_index`` too: what does not depend on the other Documents of the call can
    be computed anywhere. Pieces of a chunk are ordered by ``start_index``, their offset in its text; it is
    the true one, unlike that of ``TextSplitter(add_start_index=True)``. What a Markdown header splitter says
    of a piece is added to its metadata.

    Where a Document has no ``lines``, a part of a box has the rectangle of the box.

    It is a ``TextSplitter`` itself, so ``ParentDocumentRetriever(child_splitter=...)`` and all else that takes
    one takes it, and a step of a chain. How long pieces are is up to ``text_splitter``. Can be pickled and
    shared by threads, as far as ``text_splitter`` can.

    Attributes:
        text_splitter: Any ``langchain_text_splitters.TextSplitter``, or what has a ``split_text`` like it.
        on_unaligned: What to do with a piece whose text cannot be found in its Document: ``"raise"`` a
            ``ProvenanceError``, or ``"warn"`` and give it no boxes and no lines.

    Raises:
        OptionError: ``text_splitter`` has no ``split_text``, or ``on_unaligned`` is neither.

    Example:
        .. code-block:: python

            from langchain_pymupdf_coords import CoordsTextSplitter, PyMuPDFCoordsLoader
            from langchain_text_splitters import RecursiveCharacterTextSplitter

            splitter = CoordsTextSplitter(RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=50))
            pieces = splitter.split_documents(PyMuPDFCoordsLoader("report.pdf").lazy_load())
    """

    text_splitter: SplitsText
    _: KW_ONLY
    on_unaligned: OnUnaligned = "raise"

    def __post_init__(self) -> None:
        checks.text_splitter(self.text_splitter)
        checks.choice("on_unaligned", self.on_unaligned, get_args(OnUnaligned))

    def split_text(self, text: str) -> list[str]:
        """Return the pieces of a text as ``text_splitter`` makes them: plain strings have no coordinates.

        Args:
            text: Any text.
        """
        return [piece for piece, _ in self._found(text)]

    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """Return the pieces of all texts as Documents, each with a copy of the metadata of its text.

        Args:
            texts: The texts.
            metadatas: The metadata of each; where it has ``boxes``, each piece has its own coordinates.

        Raises:
            OptionError: There are not as many ``metadatas`` as ``texts``.
            ProvenanceError: See ``split_documents``.
        """
        texts = list(checks.texts("texts", texts))
        metadatas = [{} for _ in texts] if metadatas is None else metadatas
        if len(metadatas) != len(texts):
            raise OptionError(f"metadatas: {len(metadatas)} for {len(texts)} texts; give one for each")
        documents = [
            Document(text, metadata=metadata) for text, metadata in zip(texts, metadatas, strict=True)
        ]
        return [
            piece
            for document in documents
            for piece in (self._pieces if "boxes" in document.metadata else self._plain_pieces)(document)
        ]

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """Return the pieces of all Documents, in order; the Documents stay as they are.

        Args:
            documents: Documents of this package, or with the article's ``source``, ``page`` and ``boxes``.

        Raises:
            OptionError: ``documents`` holds something else than Documents.
            ProvenanceError: A Document has no ``boxes`` or malformed metadata, or a piece cannot be found in
                its Document and ``on_unaligned`` is ``"raise"``.
        """
        checked = checks.several_documents("documents", documents)
        return [piece for document in checked for piece in self._pieces(document)]

    async def asplit_documents(self, documents: Iterable[Document]) -> list[Document]:
        """Return the pieces of all Documents, made in a thread; see ``split_documents``."""
        return await run_in_background(self.split_documents, documents)

    def invoke(
        self,
        input: Iterable[Document],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> list[Document]:
        """Return the pieces of all Documents, as a step of a chain; see ``split_documents``.

        Args:
            input: The Documents.
            config: As for every Runnable.
            **kwargs: Ignored.
        """
        return self._call_with_config(self.split_documents, input, config)

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:  # noqa: ARG002
        """Return the pieces of all Documents; see ``split_documents``."""
        return self.split_documents(documents)

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:  # noqa: ARG002
        """Return the pieces of all Documents, made in a thread; see ``split_documents``."""
        return await self.asplit_documents(documents)

    def _pieces(self, document: Document) -> Iterator[Document]:
        chunk = ChunkProvenance.from_document(document)
        if chunk.without_span:
            message = "boxes without span cannot be shared out: each piece keeps them all"
            warn(f"{_name(document)}: {message}", UnplacedTextWarning)
        sizes = page_sizes(document)
        found = self._found(document.page_content)
        placements = align_pieces(document.page_content, [text for text, _ in found])
        textless = chunk.textless_boxes(placements)
        for number, ((text, added), placement) in enumerate(zip(found, placements, strict=True)):
            metadata = copy.deepcopy({**added, **document.metadata})
            for key in _NOT_OF_PIECES:
                metadata.pop(key, None)
            if placement is None:
                self._report(document, text)
                metadata |= {key: "[]" for key in ("boxes", "lines") if key in metadata}
                metadata["text_digest"] = text_digest(text, ())
            else:
                piece = chunk.piece(text, placement, textless[number])
                _update(metadata, piece, placement, sizes)
            yield Document(
                id=_piece_id(document, text, placement, number), page_content=text, metadata=metadata
            )

    def _plain_pieces(self, document: Document) -> Iterator[Document]:
        for text, added in self._found(document.page_content):
            yield Document(text, metadata=copy.deepcopy({**added, **document.metadata}))

    def _found(self, text: str) -> list[tuple[str, Mapping[str, Any]]]:
        """Return the pieces of a text, and what their splitter says of each, such as its headings."""
        return [_text_and_metadata(piece) for piece in self.text_splitter.split_text(text)]

    def _report(self, document: Document, text: str) -> None:
        splitter = type(self.text_splitter).__name__
        message = f"{_name(document)}: a piece that {splitter} made is not in its text: {shown(text)}"
        if self.on_unaligned == "raise":
            raise ProvenanceError(f'{message}; pass on_unaligned="warn" to keep it without boxes')
        warn(f"{message}; it has no boxes", UnplacedTextWarning)


def _name(document: Document) -> str:
    return f"{document.metadata.get('source')}, page {document.metadata.get('page')}"


def _text_and_metadata(piece: object) -> tuple[str, Mapping[str, Any]]:
    if not isinstance(piece, Document):
        return str(piece), {}
    flat = {
        key: value for key, value in piece.metadata.items() if isinstance(value, str | int | float | bool)
    }
    return piece.page_content, flat


def _update(
    metadata: dict[str, Any],
    piece: ChunkProvenance,
    placement: Placement,
    sizes: Mapping[int, tuple[float, float]],
) -> None:
    """Write what a piece came from over what its chunk came from."""
    metadata["boxes"] = dump_boxes(piece.boxes)
    lines = piece.lines if "lines" in metadata else ()
    if "lines" in metadata:
        metadata["lines"] = dump_lines(lines)
    metadata["text_digest"] = text_digest(piece.text, [line.span for line in lines])
    earlier = metadata.get("start_index")
    metadata["start_index"] = placement.span[0] + (earlier if type(earlier) is int and earlier > 0 else 0)
    if "section" in metadata:
        metadata["section"] = piece.section
    if not piece.boxes or piece.without_span:
        return
    pages = {box.page for box in piece.boxes}
    if "coverage" not in metadata:  # or else the page is another loader's, which counts in its own way
        if metadata.get("page") != min(pages):
            metadata.pop("page_label", None)
        metadata |= {"page": min(pages), "page_end": max(pages)}
    if sizes:
        metadata["page_sizes"] = dump_page_sizes({page: sizes[page] for page in pages if page in sizes})


def _piece_id(document: Document, text: str, placement: Placement | None, number: int) -> str:
    """Return an id that depends on the chunk, on the place in it and on the text."""
    nameless = [*(document.metadata.get(key) for key in ("source", "page", "boxes")), document.page_content]
    # The same white space, or text from elsewhere, may be there twice.
    place = placement.span[0] if placement and placement.blocks else -1 - number
    return document_id("", {"chunk": document.id or nameless, "piece": text}, place)


def with_own_coordinates(document: Document, whole: str, offset: object = None) -> Document:
    """Return a Document with the coordinates of its own text, of those of the text that it was cut from.

    Args:
        document: A Document with the metadata of the whole.
        whole: The text that the spans in that metadata count in.
        offset: Where the Document's text begins in it, as whoever cut it says. Decides where the text occurs
            several times, if it is there.

    Returns:
        A copy with the same id and text. It has no boxes and no lines, and there is an
        ``UnplacedTextWarning``, where the text is not in ``whole``, or not in one place only.

    Raises:
        ProvenanceError: The metadata is malformed, or has no ``boxes``.
    """
    text = document.page_content
    start = whole.find(text)
    pieces = [text]
    if text.strip() and start >= 0:
        if whole.find(text, start + 1) >= 0:
            if not isinstance(offset, int) or offset < 0 or not whole.startswith(text, offset):
                return _without_place(document)
            start = offset
        # With what is before and after, a piece can stand in one place only.
        pieces = [whole[:start], text, whole[start + len(text) :]]
    splitter = CoordsTextSplitter(_GivenPieces(pieces), on_unaligned="warn")
    cut = splitter.split_documents([document.model_copy(update={"page_content": whole})])
    return cut[len(pieces) // 2].model_copy(update={"id": document.id})


def _without_place(document: Document) -> Document:
    warn(
        f"{_name(document)}: the text of {document.id} occurs more than once in the chunk that it was cut from; "
        "it has no boxes",
        UnplacedTextWarning,
    )
    kept = {key: value for key, value in document.metadata.items() if key not in ("quotes", "crops")}
    digest = text_digest(document.page_content, ())
    metadata = {**kept, "boxes": "[]", "lines": "[]", "text_digest": digest}
    return document.model_copy(update={"metadata": metadata})


@dataclass(frozen=True, slots=True)
class _GivenPieces:
    """A text splitter that returns pieces known beforehand."""

    pieces: list[str]

    def split_text(self, text: str) -> list[str]:  # noqa: ARG002
        return self.pieces
