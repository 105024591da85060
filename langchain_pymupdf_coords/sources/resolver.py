"""From the ``source`` of a Document to its file, if it is still the one that was indexed: decided here alone.

A ``source`` comes back from a vector store, so it is untrusted input. ``FileAccess`` turns it into a
``SourceFile`` by the caller's rules: a ``root`` folder that nothing may leave, a ``resolver`` function for
files that moved or never were local, or, with neither, any local path or ``file:`` URL. It decides on the
fully resolved real path and opens nothing. A hard link inside the root to a file outside cannot be told
from a file of its own, so only trusted users should be able to write into the root.
"""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Literal
from urllib.parse import unquote

from langchain_core.documents.base import Blob

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.caller_warnings import warn
from langchain_pymupdf_coords.errors import (
    ProvenanceError,
    PyMuPDFCoordsError,
    SourceAccessError,
    SourceChangedError,
    SourceChangedWarning,
    SourceUnavailableError,
)
from langchain_pymupdf_coords.provenance.fields import DocumentLike
from langchain_pymupdf_coords.sources.files import (
    SourceFile,
    check_digest,
    file_status,
    require_regular,
    shown,
    unreadable,
)

Resolver = Callable[[str], str | os.PathLike[str] | bytes | Blob]
"""From the ``source`` of a Document to its file: a local path, the bytes, or a ``Blob`` with either."""

OnChange = Literal["warn", "raise"]
"""What to do when a file is not the one that was indexed: go on without it and warn, or raise."""

_LOCAL_URL = re.compile(
    r"(?P<scheme>file(?=:/)|local(?=://)):(?://(?P<host>[^/]*))?(?P<path>.*)", re.IGNORECASE | re.DOTALL
)

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://")

_SCHEME_ALIASES = {"s3a": "s3", "s3n": "s3", "gcs": "gs", "abfss": "abfs"}

# The kernel makes what is there: reading it may block, never end or tell secrets. /dev/shm holds real files.
_KERNEL_FILE = re.compile(r"/+(?:proc|sys|dev(?!/shm/))(?:/|$)")

_MAX_PATH_CHARS = 4096  # the limit of Linux; longer ones only cost time


@dataclass(frozen=True, kw_only=True)
class FileAccess:
    """How the file behind a Document may be reached: the options of all that opens a file again.

    Relative sources start from ``root``, or from the working directory without one. No ``~`` or variable is
    expanded. With both ``root`` and ``resolver``, a path that the resolver returns must lie inside the root.
    Picklable, when the resolver is.

    Attributes:
        root: Folder that no file may lie outside of, made absolute at once; None for no limit.
        resolver: Called with the ``source`` as the Document has it; returns a path, the bytes or a ``Blob``.
            Its answers are held to ``root`` too.
        password: User or owner password of encrypted files.

    Raises:
        OptionError: An option has a value that cannot be used; the message names it.
    """

    root: str | os.PathLike[str] | None = None
    resolver: Resolver | None = None
    password: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.resolver is not None:
            checks.function("resolver", self.resolver, "of the source that returns a path, bytes or a Blob")
        checks.password(self.password)
        if self.root is None:
            return
        checks.folder("root", self.root)
        # Links in it are left alone until a source is resolved: they may be set or changed later.
        object.__setattr__(self, "root", Path(os.path.abspath(self.root)))  # noqa: PTH100

    def resolve(self, source: str) -> SourceFile:
        """Return the file behind a source, without opening it.

        Args:
            source: ``metadata["source"]``: a path, a ``file:`` URL, or whatever the resolver understands.

        Raises:
            SourceAccessError: It leads outside ``root``, to another host, or to something that is not a
                regular file, such as a folder, a pipe, a device or ``/proc``.
            SourceUnavailableError: There is no such file, it is a remote URL and there is no resolver, or the
                resolver failed.
        """
        if not isinstance(source, str):
            raise SourceAccessError(f"a source must be a str, not {type(source).__name__}")
        if self.resolver is None:
            return SourceFile(source, self._real_file(source, shown(source)), None)
        answer = _ask(self.resolver, source)
        if isinstance(answer, bytes):
            return SourceFile(source, None, answer)
        name = f"{shown(answer)}, the resolver's answer for {shown(source)},"
        return SourceFile(source, self._real_file(answer, name), None)

    def _real_file(self, location: str, name: str) -> Path:
        text = _plain_path(location, name)
        real = self._real_path(text, name)
        # abspath leaves links alone: /dev/stdin is one and may lead to an ordinary file.
        unresolved = os.path.abspath(Path(self.root or "") / text)  # noqa: PTH100
        if _KERNEL_FILE.match(str(real)) or _KERNEL_FILE.match(unresolved):
            raise SourceAccessError(f"{name} is not a file on a disk and will not be opened")
        require_regular(file_status(real, name), name)
        return real

    def _real_path(self, text: str, name: str) -> Path:
        try:
            if self.root is None:
                return Path(text).resolve()
            root = Path(self.root).resolve()
            real = None if _has_foreign_drive(text, root) else (root / text).resolve()
        except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a loop of links
            raise unreadable(name, error) from error
        if real is None or not real.is_relative_to(root):
            raise SourceAccessError(
                f"{name} leads outside root={str(self.root)!r}: pass a root that holds it"
            )
        return real


def normalise_source(source: str | os.PathLike[str]) -> str:
    """Give the forms in which data engines print one address a single form.

    ``file:/a/b%20c.pdf``, ``file:///a/b%20c.pdf`` and ``local:///a/b c.pdf`` become ``/a/b c.pdf``; ``s3a:``
    and ``s3n:`` become ``s3:``, ``gcs:`` becomes ``gs:``, ``abfss:`` becomes ``abfs:``. All else stays as it
    is: plain paths, ``http`` and ``https`` URLs, and the keys of object stores, in which a ``%20`` may be
    meant. Only text is looked at, no file.

    Args:
        source: A path or an address, as an engine prints it.
    """
    text = os.fspath(source)
    if (path := _local_url_path(text)) is not None:
        return path
    match = _URL.match(text)
    scheme = match["scheme"].lower() if match else ""
    return _SCHEME_ALIASES[scheme] + text[len(scheme) :] if scheme in _SCHEME_ALIASES else text


def _ask(resolver: Resolver, source: str) -> str | bytes:
    name = shown(source)
    try:
        answer = resolver(source)
        if isinstance(answer, Blob):
            answer = answer.path if answer.data is None and answer.path else answer.as_bytes()
        if isinstance(answer, str | os.PathLike):
            answer = os.fspath(answer)
    except PyMuPDFCoordsError:
        raise
    except Exception as error:  # the caller's own code may raise anything
        raise SourceUnavailableError(f"the resolver failed on {name}: {error!r}") from error
    if isinstance(answer, str | bytes):
        return answer
    kind = type(answer).__name__
    raise SourceUnavailableError(f"the resolver must return a path, bytes or a Blob for {name}, not {kind}")


def _local_url_path(text: str) -> str | None:
    """Plain path of a ``file:`` or ``local:`` URL; None for another host or another form."""
    match = _LOCAL_URL.fullmatch(text)
    if not match:
        return None
    host, path = match["host"] or "", match["path"]
    # "local://a/b.pdf" is the relative path of fsspec; "file://C:/b.pdf" is a common slip.
    if match["scheme"].lower() == "local" or re.fullmatch("[A-Za-z]:", host):
        path = host + path
    elif host.lower() not in ("", "localhost"):
        return None
    path = unquote(path, errors="surrogateescape")
    return path[1:] if re.match("/[A-Za-z]:/", path) else path


def _plain_path(text: str, name: str) -> str:
    path = _local_url_path(text)
    if path is None and _LOCAL_URL.fullmatch(text):
        raise SourceAccessError(f"{name} is a file on another host: pass resolver= to fetch it")
    if path is None and _URL.match(text):
        raise SourceUnavailableError(f"{name} is not local: pass a resolver= that returns its path or bytes")
    path = text if path is None else path
    if not path:
        raise SourceUnavailableError("the source is empty: pass resolver= to find the file by other means")
    if "\0" in path or len(path) > _MAX_PATH_CHARS:
        raise SourceAccessError(f"{name} is not a path: it holds a NUL or is longer than {_MAX_PATH_CHARS}")
    return path


def _has_foreign_drive(text: str, root: Path) -> bool:
    r"""Whether a path is on another drive or host (``D:\x``, ``\\host\x\y``): even a look would reach it."""
    windows = PureWindowsPath(text)
    if os.name == "nt":
        return bool(windows.drive) and windows.drive.lower() != root.drive.lower()
    return bool(windows.drive and windows.root)


def document_source(document: DocumentLike) -> str:
    """Return ``metadata["source"]``.

    Raises:
        ProvenanceError: It is missing or no text.
    """
    source = document.metadata.get("source")
    if not isinstance(source, str):
        raise ProvenanceError(f"metadata['source'] must be a str, not {type(source).__name__}")
    return source


def require_unchanged(document: DocumentLike, file: SourceFile) -> None:
    """Refuse a file that is not the one the Document was made of.

    A Document without ``source_digest`` (the article's form) is taken at its word.

    Raises:
        SourceChangedError: The digests differ.
        SourceUnavailableError, SourceAccessError: See ``SourceFile.digest``.
    """
    digest = document.metadata.get("source_digest")
    if digest is not None and not check_digest(file, digest):
        raise SourceChangedError(
            f"{shown(file.source)} is not the file that was indexed: its digest differs from "
            "metadata['source_digest']; index it again"
        )


def are_unchanged(documents: Sequence[DocumentLike], file: SourceFile, on_change: OnChange) -> list[bool]:
    """Return, for each of some Documents, whether the file is the one it was made of: it may be drawn on.

    Raises:
        SourceChangedError: It is not that of all, and ``on_change`` is ``"raise"``.
        SourceUnavailableError, SourceAccessError: See ``SourceFile.digest``.
    """
    changes = [_change(document, file) for document in documents]
    if error := next(filter(None, changes), None):
        if on_change == "raise":
            raise error
        left_out = f"{sum(map(bool, changes))} of {len(documents)} Documents"
        warn(f"nothing is drawn for {left_out}: {error}", SourceChangedWarning)
    return [change is None for change in changes]


def _change(document: DocumentLike, file: SourceFile) -> SourceChangedError | None:
    try:
        require_unchanged(document, file)
    except SourceChangedError as error:
        return error
    return None
