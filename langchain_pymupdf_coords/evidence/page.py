"""A page that shows the evidence: quotes, and the pages of the PDF on which they stand."""

import os
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from html import escape
from pathlib import Path

from langchain_core.documents import Document

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.checks import OnError
from langchain_pymupdf_coords.crops.options import CropOptions
from langchain_pymupdf_coords.evidence.entries import entries_by_source
from langchain_pymupdf_coords.evidence.markup import Heading, evidence_markup
from langchain_pymupdf_coords.evidence.pictures import EvidencePictures
from langchain_pymupdf_coords.folding import clean_text
from langchain_pymupdf_coords.sources.files import write_whole
from langchain_pymupdf_coords.sources.resolver import OnChange, Resolver


@dataclass(frozen=True, slots=True)
class EvidencePage:
    """An evidence page; a notebook shows it.

    Attributes:
        html: The whole HTML document, to be saved or served as it is.
        path: The file that it was written to, if any.
    """

    html: str = field(repr=False)
    _: KW_ONLY
    path: Path | None = None

    def _repr_html_(self) -> str:
        # A frame, so that neither the styles of the page nor those of the notebook reach the other, and
        # sandboxed, so that the page cannot reach the notebook either.
        style = "width: 100%; height: 80vh; min-height: 30rem; border: 1px solid #8888; border-radius: 4px"
        return (
            f'<iframe title="Evidence" sandbox="allow-scripts allow-popups" style="{style}" '
            f'srcdoc="{escape(self.html)}"></iframe>'
        )


def evidence_html(
    documents: Iterable[Document],
    path: str | os.PathLike[str] | None = None,
    *,
    question: str | None = None,
    answer: str | None = None,
    title: str = "Evidence",
    dpi: float = 144,
    max_total_pixels: int = 120_000_000,
    on_error: OnError = "raise",
    on_change: OnChange = "warn",
    root: str | os.PathLike[str] | None = None,
    resolver: Resolver | None = None,
    password: str | None = None,
) -> EvidencePage:
    """Return a self-contained HTML page that shows quotes and where they stand.

    It lists the located quotes of the Documents, each with its status in words and its page, beside pictures
    of those pages with the quotes marked. A click on a quote leads to its place and back. Documents without
    ``metadata["quotes"]`` show their boxes instead. The page loads nothing and works without its script; the
    same input gives the same bytes.

    Args:
        documents: Documents of one file or several, as ``QuoteLocatingRetriever`` and ``CitationLocator``
            return them.
        path: Where to write the page as UTF-8, whole or not at all; a file that is there is replaced.
        question: Shown at the top.
        answer: Shown under the question.
        title: Title of the page.
        dpi: Pixels per inch of the pictures.
        max_total_pixels: Most pixels of all pictures together. Beyond it the resolution is lowered, and, when
            nothing could be read any more, pictures are left out; both with a ``RenderBudgetWarning``.
        on_error: When a file is gone or damaged: ``"raise"``, or ``"warn"`` and show where the marks are on
            blank pages, with the reason.
        on_change: When a file is not the one that was indexed: ``"warn"`` and show its marks on blank pages,
            with the reason; or ``"raise"``.
        root: Folder that no source may lie outside of.
        resolver: Called with the ``source`` of a Document; returns a path, the bytes or a ``Blob``.
        password: User or owner password of encrypted files.

    Raises:
        ProvenanceError: Coordinates of a Document are missing or malformed, or not those of its file.
        SourceUnavailableError: A file is gone or cannot be read.
        SourceChangedError: A file is not the one that was indexed, and ``on_change`` is ``"raise"``.
        SourceAccessError: A ``source`` lies outside of ``root``.
        PDFPasswordError: A password is needed, or ``password`` is wrong.
        PDFOpenError: A file is damaged or not a PDF.
        OptionError: An option has a value that cannot be used.
        OSError: ``path`` cannot be written.
    """
    options = CropOptions(
        dpi=dpi,
        max_total_pixels=max_total_pixels,
        on_error=on_error,
        on_change=on_change,
        root=root,
        resolver=resolver,
        password=password,
    )
    for name, text in {"question": question, "answer": answer, "title": title}.items():
        checks.text(name, text, optional=True)
    if path is not None:
        checks.path("path", path)
    sources = entries_by_source(checks.several_documents("documents", documents))
    pictures = EvidencePictures(options, sources).pictures()
    heading = Heading(*(clean_text(text or "") for text in (title, question, answer)))
    html = evidence_markup(heading, sources, pictures)
    if path is None:
        return EvidencePage(html)
    write_whole(Path(path), html.encode("utf-8"))
    return EvidencePage(html, path=Path(path))
