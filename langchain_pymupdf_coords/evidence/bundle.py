"""The audit trail of an answer: one folder or archive with all of the evidence, to be checked again later."""

import json
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, Self, get_args

from langchain_core.documents import Document

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.citations.cited_quotes import CitedQuote, SourceRequest
from langchain_pymupdf_coords.citations.results import LocatedAnswer, LocatedCitation
from langchain_pymupdf_coords.citations.verifying import CitationPlacer
from langchain_pymupdf_coords.errors import ProvenanceError, PyMuPDFCoordsError, SourceChangedWarning
from langchain_pymupdf_coords.evidence.bundle_archive import MANIFEST, manifest_of, read_files, write_files
from langchain_pymupdf_coords.evidence.bundle_files import (
    BUNDLE_VERSION,
    RECORD,
    Evidence,
    bundle_files,
    made_with,
)
from langchain_pymupdf_coords.quote_locator import QuoteLocator
from langchain_pymupdf_coords.sources.files import digest_of
from langchain_pymupdf_coords.sources.resolver import FileAccess, OnChange, Resolver

# Each copy of a PDF gets an id of its own, of any bytes, in its trailer.
_FILE_ID = re.compile(rb"/ID\s*\[.*?\]\s*(?=/|>>)", re.DOTALL)

# A source that an answer named and that is none of the Documents.
_UNKNOWN_SOURCE = SourceRequest(names=("\0",))


@dataclass(frozen=True, slots=True)
class BundleReport:
    """What ``EvidenceBundle.verify`` found.

    Attributes:
        problems: What does not hold any more, each with the file, citation or source that it is about.
        unchecked: What could not be checked, and why.
    """

    problems: tuple[str, ...]
    _: KW_ONLY
    unchecked: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was found wrong."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class EvidenceBundle:
    """The evidence for an answer in one folder or zip archive.

    It holds ``evidence.json`` (question, answer, citations with status and coordinates, and the Documents),
    ``evidence.html``, ``crops/`` of the quotes, ``annotated/`` copies of the cited PDFs, and
    ``manifest.json`` with a SHA-256 digest of each. The manifest shows that the bundle is whole, not who made
    it: keep ``digest`` elsewhere, or sign it, to show that too.

    Example:
        .. code-block:: python

            from langchain_pymupdf_coords import EvidenceBundle

            bundle = EvidenceBundle.write(chain.invoke(question), "evidence.zip", question=question)
            report = EvidenceBundle.read("evidence.zip").verify()
            assert report.ok, report.problems

    Attributes:
        path: The folder or archive.
        files: All its files by name, the manifest too.
    """

    path: Path
    files: Mapping[str, bytes]

    @classmethod
    def write(
        cls,
        located: LocatedAnswer,
        path: str | os.PathLike[str],
        *,
        question: str = "",
        root: str | os.PathLike[str] | None = None,
        resolver: Resolver | None = None,
        password: str | None = None,
        on_change: OnChange = "warn",
    ) -> Self:
        """Write the evidence for an answer, whole or not at all, and return the bundle.

        Args:
            located: What ``CitationLocator`` returned.
            path: A file ending in ``.zip``, which is replaced, or a folder that is new or empty.
            question: What was asked.
            root: Folder that no source may lie outside of.
            resolver: Called with the ``source`` of a Document; returns a path, the bytes or a ``Blob``.
            password: User or owner password of encrypted files.
            on_change: When a file is not the one that was indexed: ``"warn"`` and leave out what would be
                drawn on it, so that the bundle fails ``verify``; or ``"raise"``.

        Raises:
            OptionError: The folder is there already, or another option has a value that cannot be used.
            ProvenanceError: Coordinates of a cited Document are malformed or not those of its file.
            SourceUnavailableError: A cited file is gone or cannot be read.
            SourceChangedError: A cited file is not the one that was indexed, and ``on_change`` is
                ``"raise"``.
            SourceAccessError: A ``source`` lies outside of ``root``.
            PDFPasswordError: A password is needed, or ``password`` is wrong.
            PDFOpenError: A cited file is damaged.
            OSError: ``path`` cannot be written to.
        """
        checks.instance("located", located, LocatedAnswer)
        checks.path("path", path)
        checks.text("question", question)
        checks.choice("on_change", on_change, get_args(OnChange))
        access = FileAccess(root=root, resolver=resolver, password=password)
        evidence = Evidence(
            question=question,
            answer=located.answer,
            citations=located.citations,
            documents=located.documents,
        )
        files = bundle_files(evidence, access, on_change)
        files[MANIFEST] = manifest_of(files)
        write_files(Path(path), files)
        return cls(Path(path), files)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Return the bundle at a path, see ``write``. Nothing in it is believed until ``verify`` was called.

        Raises:
            OptionError: ``path`` is no path.
            SourceUnavailableError: There is none, or it cannot be read.
            ProvenanceError: It holds something that no bundle does, or far too much.
        """
        checks.path("path", path)
        return cls(Path(path), read_files(Path(path)))

    @property
    def digest(self) -> str:
        """Digest of the manifest, and so of the whole bundle: ``sha256:`` and 64 hexadecimal digits."""
        return digest_of(self.files.get(MANIFEST, b""))

    def verify(
        self,
        *,
        root: str | os.PathLike[str] | None = None,
        resolver: Resolver | None = None,
        password: str | None = None,
    ) -> BundleReport:
        """Return a report on whether the bundle is whole and the PDFs still say what it says.

        Each file is held against the manifest. Each citation is located again in the source PDFs, and crops,
        evidence page and annotated copies are made again and compared. Pictures are left unchecked if they
        were made with other versions of the packages, encrypted copies because they differ each time.

        Args:
            root: Folder that no source may lie outside of.
            resolver: Called with the ``source`` of a Document, for files that moved.
            password: User or owner password of encrypted files.

        Raises:
            OptionError: An option has a value that cannot be used.
        """
        access = FileAccess(root=root, resolver=resolver, password=password)
        problems = list(self._altered_files())
        try:
            record = self._record()
            evidence, differing = _again(record, access)
            problems += differing
            made = bundle_files(evidence, access, "raise")
        except PyMuPDFCoordsError as error:
            return BundleReport((*problems, f"{type(error).__name__}: {error}"))
        versions = record.get("made_with")
        if versions != made_with():
            return BundleReport(
                tuple(problems), unchecked=(f"pictures and pages, made with {versions}, not {made_with()}",)
            )
        problems += self._differing_files(made, record)
        return BundleReport(tuple(problems), unchecked=tuple(self._encrypted_files(made)))

    def _altered_files(self) -> Iterator[str]:
        files = {name: data for name, data in self.files.items() if name != MANIFEST}
        if self.files.get(MANIFEST) != manifest_of(files):
            listed = _listed(self.files.get(MANIFEST, b""))
            actual = {name: digest_of(data) for name, data in files.items()}
            names = [name for name in sorted({*listed, *actual}) if listed.get(name) != actual.get(name)]
            for name in names or [MANIFEST]:
                yield f"{name}: not what the manifest says"

    def _record(self) -> dict[str, Any]:
        try:
            record = json.loads(self.files[RECORD])
        except (KeyError, ValueError, RecursionError) as cause:
            raise ProvenanceError(f"{RECORD} is missing or no JSON: {cause!r:.200}") from cause
        if not isinstance(record, dict) or record.get("bundle_version") not in (1, BUNDLE_VERSION):
            raise ProvenanceError(f"{RECORD} is not of a bundle of version {BUNDLE_VERSION}, or of 1")
        return _of_this_version(record)

    def _differing_files(self, made: Mapping[str, bytes], record: Mapping[str, Any]) -> Iterator[str]:
        encrypted = set(self._encrypted_files(made))
        # As it would be written now: it may be of an earlier version.
        kept = {**self.files, RECORD: json.dumps(record).encode()}
        made = {**made, RECORD: json.dumps(json.loads(made[RECORD])).encode()}
        for name in sorted({*made, *kept} - {MANIFEST, *encrypted}):
            if name not in made or name not in kept:
                yield f"{name}: {'not of this evidence' if name in kept else 'missing'}"
            elif _without_id(name, kept[name]) != _without_id(name, made[name]):
                yield f"{name}: not what the source PDFs give now"

    def _encrypted_files(self, made: Mapping[str, bytes]) -> Iterator[str]:
        return (name for name, data in made.items() if name.endswith(".pdf") and b"/Encrypt" in data)


def _of_this_version(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record as it would be written now; version 1 had other names in its citations."""
    citations = record.get("citations")
    if record["bundle_version"] == BUNDLE_VERSION or not isinstance(citations, list):
        return record
    return {**record, "bundle_version": BUNDLE_VERSION, "citations": [_renamed(old) for old in citations]}


def _renamed(old: object) -> object:
    if not isinstance(old, dict):
        return old
    citation = {"source_number" if key == "source" else key: value for key, value in old.items()}
    if citation.get("status") == "unverified":
        citation["status"] = "not_found"
    return citation


def _again(record: Mapping[str, Any], access: FileAccess) -> tuple[Evidence, list[str]]:
    """Locate all citations of a record again; return the evidence as it is now, and what differs."""
    try:
        documents = [Document(**document) for document in record["documents"]]
        citations = [dict(citation) for citation in record["citations"]]
        texts = {"question": str(record["question"]), "answer": str(record["answer"])}
        quotes = [_quote(citation) for citation in citations]
        scores = [citation["match"]["score"] for citation in citations if citation["match"]]
    except (KeyError, TypeError, ValueError) as cause:
        raise ProvenanceError(f"{RECORD} is malformed: {cause!r:.200}") from cause
    cutoff = min([90.0, *(score - 0.01 for score in scores)])  # scores are rounded
    locator = QuoteLocator(cutoff=cutoff, **vars(access))
    placer = CitationPlacer(locator, documents)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SourceChangedWarning)  # said by what differs
        placed = [placer.place(quote) for quote in quotes]
    differing = [
        f"citation {number} (“{quote.text[:60]}”): {', '.join(keys)} not as recorded"
        for number, (quote, old, new) in enumerate(zip(quotes, citations, placed, strict=True), 1)
        if (keys := _differing_keys(old, new))
    ]
    return Evidence(**texts, citations=placed, documents=placer.with_quotes(placed)), differing


def _quote(citation: Mapping[str, Any]) -> CitedQuote:
    source, span = citation["source_number"], citation["answer_span"]
    if not isinstance(citation["quote"], str) or not isinstance(source, int | None):
        raise TypeError("a citation has no quote or source")
    request = _UNKNOWN_SOURCE if source is None and citation["swapped"] else SourceRequest(source)
    return CitedQuote(
        citation["quote"], request, bool(citation["quoted"]), None if span is None else (span[0], span[1])
    )


def _differing_keys(old: Mapping[str, Any], new: LocatedCitation) -> list[str]:
    now = json.loads(json.dumps(new.to_dict()))
    return [key for key in now if key != "also_in" and old.get(key) != now[key]]


def _listed(manifest: bytes) -> dict[str, str]:
    try:
        files = json.loads(manifest)["files"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return files if isinstance(files, dict) else {}


def _without_id(name: str, data: bytes) -> bytes:
    trailer = data.rfind(b"trailer") if name.endswith(".pdf") else -1
    return data if trailer < 0 else data[:trailer] + _FILE_ID.sub(b"", data[trailer:])
