"""The files of a bundle: made from an answer and the PDFs that it cites, and read back with their digests checked.

A bundle comes from elsewhere, so it is read as untrusted: names are checked, links are not followed, and what
is read is bounded.
"""

import base64
import hashlib
import json
import os
import re
import secrets
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain_core.documents import Document

from langchain_pymupdf_coords.annotations import annotate_pdf
from langchain_pymupdf_coords.citations.results import LocatedCitation
from langchain_pymupdf_coords.document_transformers import SourceCropTransformer
from langchain_pymupdf_coords.errors import OptionError, ProvenanceError, SourceUnavailableError
from langchain_pymupdf_coords.evidence.page import evidence_html
from langchain_pymupdf_coords.provenance.crops import Crop
from langchain_pymupdf_coords.provenance.quotes import QuoteMatch
from langchain_pymupdf_coords.provenance.source_names import file_stem
from langchain_pymupdf_coords.sources.files import replacing
from langchain_pymupdf_coords.sources.resolver import Resolver, document_source

RECORD = "evidence.json"

PAGE = "evidence.html"

BUNDLE_VERSION = 1

_NOT_STORED = ("crops",)  # pictures are files of their own

_SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAccess:
    """How the PDFs are reached, see ``SourceResolver``."""

    root: str | None = None
    resolver: Resolver | None = None
    password: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """An answer, its citations and the Documents that they were looked for in.

    Attributes:
        question: The question; may be empty.
        answer: The text of the answer.
        citations: Its citations, found or not.
        documents: The Documents, with ``metadata["quotes"]``.
    """

    question: str
    answer: str
    citations: Sequence[LocatedCitation]
    documents: Sequence[Document]

    @property
    def cited(self) -> list[Document]:
        """The Documents with a quote that has a place."""
        return [document for document in self.documents if _has_place(document)]

    def record(self) -> dict[str, Any]:
        """Return the evidence as JSON values."""
        return {
            "bundle_version": BUNDLE_VERSION,
            "made_with": made_with(),
            "question": self.question,
            "answer": self.answer,
            "citations": [citation.to_dict() for citation in self.citations],
            "documents": [_document_record(document) for document in self.documents],
        }


def bundle_files(evidence: Evidence, access: FileAccess) -> dict[str, bytes]:
    """Return all files of a bundle but the manifest, by name.

    Raises:
        ProvenanceError, SourceUnavailableError, SourceChangedError, SourceAccessError, PDFPasswordError,
        PDFOpenError: See ``annotate_pdf``.
    """
    page = evidence_html(
        evidence.cited,
        question=evidence.question,
        answer=answer_with_doubts(evidence.answer, evidence.citations),
        root=access.root,
        resolver=access.resolver,
        password=access.password,
    )
    record = json.dumps(evidence.record(), ensure_ascii=False, allow_nan=False, indent=1)
    files = {RECORD: record.encode("utf-8", errors="replace"), PAGE: page.html.encode()}
    files |= _crops(evidence, access)
    files |= _annotated(evidence, access)
    return files


def answer_with_doubts(answer: str, citations: Iterable[LocatedCitation]) -> str:
    """Return an answer with a line for each citation that is not verified, so that no reader misses it."""
    doubts = [
        f"Not verified: “{citation.quote}” ({_doubt(citation)})"
        for citation in citations
        if not citation.verified
    ]
    return "\n".join([answer, "", *doubts]) if doubts else answer


def made_with() -> dict[str, str]:
    """Return the versions that pictures and pages depend on."""
    return {name: _version(name) for name in ("langchain-pymupdf-coords", "pymupdf")}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # run from a checkout
        return ""


def _doubt(citation: LocatedCitation) -> str:
    if citation.match is None:
        return "in none of the sources"
    if citation.swapped:
        return (
            f"not in source {citation.source}" if citation.source is not None else "not in the source named"
        )
    return "not word for word" if citation.status in ("fuzzy", "fragments") else "cut from its words"


def _has_place(document: Document) -> bool:
    if document.metadata.get("boxes") is None:
        return False
    return any(region.quads for match in QuoteMatch.from_document(document) for region in match.regions)


def _document_record(document: Document) -> dict[str, Any]:
    metadata = {key: value for key, value in document.metadata.items() if key not in _NOT_STORED}
    return {"id": document.id, "page_content": document.page_content, "metadata": metadata}


def _crops(evidence: Evidence, access: FileAccess) -> dict[str, bytes]:
    transformer = SourceCropTransformer(
        by="quote", root=access.root, resolver=access.resolver, password=access.password
    )
    files = {}
    for number, document in enumerate(transformer.invoke(evidence.cited), 1):
        for index, crop in enumerate(Crop.from_document(document), 1):
            name = f"crops/{number}-{index}-page-{crop.page}.{_SUFFIXES[crop.mime_type]}"
            files[name] = base64.b64decode(crop.base64 or "")
    return files


def _annotated(evidence: Evidence, access: FileAccess) -> dict[str, bytes]:
    return dict(_annotated_files(evidence.cited, access))


def _annotated_files(documents: Sequence[Document], access: FileAccess) -> Iterator[tuple[str, bytes]]:
    sources = dict.fromkeys(document_source(document) for document in documents)
    with TemporaryDirectory() as folder:
        for number, source in enumerate(sources, 1):
            path = annotate_pdf(
                documents,
                Path(folder) / f"{number}.pdf",
                source=source,
                root=access.root,
                resolver=access.resolver,
                password=access.password,
            )
            yield f"annotated/{number}-{file_stem(source)}.pdf", path.read_bytes()


MANIFEST = "manifest.json"

MAX_FILES = 10_000

MAX_BYTES = 2_000_000_000

_NAME = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}/)?[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")

_ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest there is: the same files give the same archive


def digest_of(data: bytes) -> str:
    """Return ``sha256:`` and 64 hexadecimal digits."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def manifest_of(files: Mapping[str, bytes]) -> bytes:
    """Return the manifest of some files: JSON of name to digest, in order of names."""
    digests = {name: digest_of(files[name]) for name in sorted(files)}
    return json.dumps({"files": digests}, indent=1).encode()


def write_files(path: Path, files: Mapping[str, bytes]) -> None:
    """Write files, whole or not at all: to an archive if ``path`` ends in ``.zip``, or else to a new folder.

    Raises:
        OptionError: The folder exists already, and is not empty.
        OSError: ``path`` cannot be written to.
    """
    if path.suffix.lower() == ".zip":
        with replacing(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(files):
                archive.writestr(zipfile.ZipInfo(name, _ZIP_DATE), files[name], zipfile.ZIP_DEFLATED)
        return
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise OptionError(f"path {str(path)!r} is there already: give a new folder, or a file ending in .zip")
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        for name, data in files.items():
            target = temporary / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def read_files(path: Path) -> dict[str, bytes]:
    """Read all files of a folder or an archive.

    Raises:
        SourceUnavailableError: There is nothing there, or it cannot be read.
        ProvenanceError: It holds something that no bundle does, or far too much.
    """
    try:
        if path.is_dir():
            return dict(_folder_files(path))
        with zipfile.ZipFile(path) as archive:
            return dict(_archive_files(path, archive))
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as cause:
        # zipfile raises the last two for what is encrypted, or packed in a way that it does not know.
        raise SourceUnavailableError(f"{str(path)!r} cannot be read as a bundle: {cause}") from cause


def _folder_files(path: Path) -> Iterator[tuple[str, bytes]]:
    total = count = 0
    for folder, names, files in os.walk(path):
        for file in (Path(folder) / name for name in [*names, *files]):
            if file.is_symlink() or not (file.is_dir() or file.is_file()):
                raise ProvenanceError(f"{str(path)!r} is no bundle: {file.name!r} is a link or a device")
        for file in sorted(Path(folder) / name for name in files):
            total, count = total + file.stat().st_size, count + 1
            yield _checked(path, file.relative_to(path).as_posix(), total, count), file.read_bytes()


def _archive_files(path: Path, archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    total = 0
    for count, member in enumerate(archive.infolist(), 1):
        total += member.file_size
        name = _checked(path, member.filename, total, count)
        with archive.open(member) as stream:
            # The size that the archive states may be a lie.
            yield name, stream.read(member.file_size)


def _checked(path: Path, name: str, total: int, count: int) -> str:
    if not _NAME.fullmatch(name):
        raise ProvenanceError(f"{str(path)!r} is no bundle: it holds {name[:100]!r}")
    if total > MAX_BYTES or count > MAX_FILES:
        raise ProvenanceError(f"{str(path)!r} is too large: more than {MAX_BYTES} bytes or {MAX_FILES} files")
    return name
