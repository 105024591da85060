"""A copy of a PDF in which the evidence is highlighted."""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress
from pathlib import Path
from typing import Literal, get_args

from langchain_core.documents import Document

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.errors import GeometryError, OptionError, ProvenanceError
from langchain_pymupdf_coords.geometry import bbox_to_quad
from langchain_pymupdf_coords.pdf.annotating import write_annotated
from langchain_pymupdf_coords.pdf.colors import PASSAGE_COLOR, STATUS_COLORS, Highlight
from langchain_pymupdf_coords.provenance.boxes import SourceBox
from langchain_pymupdf_coords.provenance.quotes import QuoteMatch
from langchain_pymupdf_coords.sources.files import SourceFile, replacing
from langchain_pymupdf_coords.sources.resolver import (
    FileAccess,
    OnChange,
    Resolver,
    are_unchanged,
    document_source,
)

Marked = Literal["quotes", "boxes"]


def annotate_pdf(
    documents: Iterable[Document],
    path: str | os.PathLike[str],
    *,
    source: str | None = None,
    mark: Marked = "quotes",
    root: str | os.PathLike[str] | None = None,
    resolver: Resolver | None = None,
    password: str | None = None,
    on_change: OnChange = "warn",
) -> Path:
    """Write a copy of the PDF that Documents came from, with highlight annotations where the evidence is.

    Each located quote becomes an annotation per page: its colour tells how the quote was found
    (``STATUS_COLORS``), its title says so too, and its note holds the quote and, where the page has other
    words, those. The original is not changed; ``path`` is written whole or not at all. An encrypted PDF keeps
    its passwords and permissions. A digital signature does not stay valid, since the file is written anew.

    Args:
        documents: Documents of one file, with ``metadata["quotes"]`` as ``QuoteLocatingRetriever`` and
            ``CitationLocator`` write them.
        path: The file to write; it is replaced if it exists.
        source: ``metadata["source"]`` of the Documents to take, where there are those of several files: call
            once for each.
        mark: ``"quotes"``, or ``"boxes"`` to highlight all layout boxes of the Documents instead.
        root: Folder that the source may not lie outside of.
        resolver: Called with the ``source``; returns a path, the bytes or a ``Blob``.
        password: User or owner password of an encrypted file.
        on_change: When the file is not the one that was indexed: ``"warn"`` and leave out the highlights,
            since they would be in wrong places; or ``"raise"``.

    Returns:
        ``path``.

    Raises:
        OptionError: The Documents are of several files and ``source`` is not given, none is of ``source``,
            ``path`` is the file itself, or another option has a value that cannot be used.
        ProvenanceError: No Document has a located quote, or coordinates are malformed or not of this file.
        SourceUnavailableError: The file is gone or cannot be read.
        SourceChangedError: The file is not the one that was indexed, and ``on_change`` is ``"raise"``.
        SourceAccessError: The ``source`` lies outside of ``root``.
        PDFPasswordError: A password is needed, or ``password`` is wrong.
        PDFOpenError: The file is damaged or not a PDF.
        OSError: ``path`` cannot be written.
    """
    access = FileAccess(root=root, resolver=resolver, password=password)
    checks.path("path", path)
    checks.choice("mark", mark, get_args(Marked))
    checks.choice("on_change", on_change, get_args(OnChange))
    chosen = _of_one_source(list(checks.several_documents("documents", documents)), source)
    highlights = [list(_HIGHLIGHTS[mark](document)) for document in chosen]
    if not any(highlights):
        raise ProvenanceError(
            f"metadata[{mark!r}]: nothing to highlight in these Documents: pass them through "
            "QuoteLocatingRetriever or CitationLocator first, or use mark='boxes'"
        )
    file = access.resolve(document_source(chosen[0]))
    target = Path(path)
    _require_another_file(target, file)
    drawn = compress(highlights, are_unchanged(chosen, file, on_change))
    with replacing(target) as temporary:
        try:
            write_annotated(file, temporary, _unique(chain.from_iterable(drawn)), password=password)
        except GeometryError as cause:
            raise ProvenanceError(f"metadata[{mark!r}] does not fit its file: {cause}") from cause
    return target


def _of_one_source(documents: Sequence[Document], source: str | None) -> list[Document]:
    sources = list(dict.fromkeys(document_source(document) for document in documents))
    if source is None and len(sources) > 1:
        names = ", ".join(map(repr, sources[:10]))
        raise OptionError(
            f"documents are of {len(sources)} files: call once for each, with source= of {names}"
        )
    chosen = [document for document in documents if source is None or document_source(document) == source]
    if not chosen:
        raise OptionError("documents is empty" if source is None else f"no document has source {source!r}")
    return chosen


def _quote_highlights(document: Document) -> Iterator[Highlight]:
    for match in QuoteMatch.from_document(document):
        regions = [region for region in match.regions if region.quads]
        for number, region in enumerate(regions, start=1):
            part = f", part {number} of {len(regions)}" if len(regions) > 1 else ""
            title = f"Quote ({match.status}{part})"
            color = STATUS_COLORS[match.status]
            yield Highlight(region.page, region.quads, color, title, _note(match))


def _note(match: QuoteMatch) -> str:
    """Return the quote, what the page has instead where it is other words, and what differs."""
    parts = [match.quote]
    if match.status not in ("exact", "normalized"):
        parts.append(f"On the page ({match.score:.0f} % alike): {match.text}")
    if match.differences:
        parts.append("\n".join(f"Difference: {difference.words}" for difference in match.differences))
    return "\n\n".join(parts)


def _box_highlights(document: Document) -> Iterator[Highlight]:
    for box in SourceBox.from_document(document):
        start, end = box.span or (0, 0)
        text = document.page_content[start:end].strip()
        yield Highlight(
            box.page, (bbox_to_quad(box.bbox),), PASSAGE_COLOR, f"Passage ({box.box_class})", text
        )


_HIGHLIGHTS = {"quotes": _quote_highlights, "boxes": _box_highlights}


def _unique(highlights: Iterable[Highlight]) -> list[Highlight]:
    """Leave out repetitions: chunks overlap, and several may hold the same quote."""
    return list(dict.fromkeys(highlights))


def _require_another_file(path: Path, file: SourceFile) -> None:
    if file.path is not None and path.exists() and path.samefile(file.path):
        raise OptionError(
            f"path {str(path)!r} is the source itself, which stays as it is: choose another path"
        )
