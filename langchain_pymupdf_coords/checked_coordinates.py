"""The coordinates of a Document, held against the words of its file where the text may have been edited."""

from dataclasses import replace

from langchain_pymupdf_coords.errors import ProvenanceError
from langchain_pymupdf_coords.folding import fold
from langchain_pymupdf_coords.pdf.glyphs import FileGlyphs
from langchain_pymupdf_coords.placing.edited_texts import found_anew
from langchain_pymupdf_coords.provenance.boxes import Coordinates, boxes_of_other_text
from langchain_pymupdf_coords.provenance.fields import DocumentLike

# Of the lines of a text that was not edited, so many are on its pages.
_MOST = 0.5


def checked_coordinates(document: DocumentLike, glyphs: FileGlyphs) -> Coordinates:
    """Return the boxes and lines of a Document, their spans in its text as it is.

    The lines of a text that was edited, or cut by a plain splitter, are found anew in its own boxes: by the words
    of the file where it is at hand, or else by what ``text_digest`` says of the lines. An index without
    ``text_digest`` is taken at its word unless most of its lines are not on their pages.

    Args:
        document: The Document.
        glyphs: The glyphs of its file, if it is there and unchanged.

    Raises:
        ProvenanceError: The coordinates are missing or malformed, or count in a longer text that cannot be
            found anew.
    """
    try:
        stored = Coordinates.from_document(document)
    except ProvenanceError:
        found = _found_anew(document, glyphs)
        if found is None:
            raise
        return found
    content = document.page_content
    if not stored.edited and not stored.lines:
        return replace(stored, lines=glyphs.lines(content, stored.boxes))
    doubtful = stored.lost if stored.edited else "text_digest" not in document.metadata
    if doubtful and (stored.edited or not _agrees(content, stored, glyphs)):
        found = _found_anew(document, glyphs)
        if found is not None:
            return found
    stored.warn_if_lost(document)
    return stored


def _found_anew(document: DocumentLike, glyphs: FileGlyphs) -> Coordinates | None:
    boxes = boxes_of_other_text(document)
    words = glyphs.words_of({box.page for box in boxes})
    return found_anew(document.page_content, boxes, words)


def _agrees(content: str, stored: Coordinates, glyphs: FileGlyphs) -> bool:
    """Tell whether the lines are on their pages, as far as the pages have letters."""
    folded = fold(content)
    checked = found = 0
    for line in stored.lines:
        page = glyphs.page(line.page)
        if page is not None and page.inside(line.bbox):
            checked += 1
            letters = folded.text[slice(*folded.folded_span(*line.span))]
            found += page.find(line.bbox, letters) is not None
    return found >= _MOST * checked
