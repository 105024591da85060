"""Documents whose text others cut out of a chunk while they copied the coordinates of the whole chunk."""

import warnings
from dataclasses import dataclass

from langchain_core.documents import Document

from langchain_pymupdf_coords.errors import UnplacedTextWarning
from langchain_pymupdf_coords.text_splitters import CoordsTextSplitter


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
    warnings.warn(
        f"{document.metadata.get('source')}, page {document.metadata.get('page')}: the text of {document.id} "
        "occurs more than once in the chunk that it was cut from; it has no boxes",
        UnplacedTextWarning,
        stacklevel=3,
    )
    kept = {key: value for key, value in document.metadata.items() if key not in ("quotes", "crops")}
    metadata = {**kept, "boxes": "[]", "lines": "[]"}
    return document.model_copy(update={"metadata": metadata})


@dataclass(frozen=True, slots=True)
class _GivenPieces:
    """A text splitter that returns pieces known beforehand."""

    pieces: list[str]

    def split_text(self, text: str) -> list[str]:  # noqa: ARG002
        return self.pieces
