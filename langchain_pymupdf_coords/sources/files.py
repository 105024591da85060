"""A source that was resolved, read safely and known by its digest; and files written whole or not at all."""

import functools
import hashlib
import io
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from langchain_pymupdf_coords.errors import SourceAccessError, SourceChangedError, SourceUnavailableError

SourceKey = tuple[str, int, int] | str
"""What tells one state of a source from another: (real path, bytes, mtime in ns), or the digest of bytes."""

_SETTLED_NS = 2_000_000_000  # the coarsest mtime in use (FAT) counts in steps of 2 s

# What the path names may have been swapped since it was checked: follow no link, wait for no writer.
_GUARDS = ("O_BINARY", "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK")

_OPEN_FLAGS = os.O_RDONLY | sum(getattr(os, guard, 0) for guard in _GUARDS)


@dataclass(frozen=True)
class SourceFile:
    """A source that was resolved: a regular local file, or bytes in memory. Exactly one of the two is set.

    Attributes:
        source: The ``source`` as the Document has it.
        path: Real path of the file, links resolved.
        data: The bytes of the file.

    Raises:
        SourceUnavailableError: Neither of the two is set, or both.
    """

    source: str
    path: Path | None
    data: bytes | None = field(repr=False)

    def __post_init__(self) -> None:
        if (self.path is None) == (self.data is None):
            raise SourceUnavailableError(f"{self.name} needs a path or bytes, and not both")

    @property
    def name(self) -> str:
        """The source as error messages name it: quoted, on one line, not endless."""
        return shown(self.source)

    @property
    def key(self) -> SourceKey:
        """Hashable cache key of the present state of the source.

        Raises:
            SourceUnavailableError: The file is gone.
        """
        if self.path is None:
            return self._data_digest
        status = file_status(self.path, self.name)
        return str(self.path), status.st_size, status.st_mtime_ns

    @property
    def digest(self) -> str:
        """``sha256:`` and 64 hexadecimal digits, of the bytes of the file as they are now.

        Digests of files are cached for the whole process by path, size and modification time. A file that
        changed within the last two seconds is read each time, since its time stamp cannot yet tell.

        Raises:
            SourceUnavailableError: The file is gone, became a link, or cannot be read.
            SourceAccessError: It is no longer a regular file.
            SourceChangedError: The file was written while it was read.
        """
        if self.path is None:
            return self._data_digest
        status = file_status(self.path, self.name)
        settled = time.time_ns() - status.st_mtime_ns > _SETTLED_NS
        digest = _file_digest if settled else _file_digest.__wrapped__
        return digest(self.path, status.st_size, status.st_mtime_ns)

    @functools.cached_property
    def _data_digest(self) -> str:
        return digest_of(self.data or b"")

    def read_bytes(self) -> bytes:
        """Return the bytes of the whole source.

        Raises:
            SourceUnavailableError: The file is gone, became a link, or cannot be read.
            SourceAccessError: It is no longer a regular file.
        """
        if self.path is None:
            return self.data or b""
        with _open_regular(self.path, self.name) as stream:
            try:
                return stream.read()
            except OSError as error:
                raise unreadable(self.name, error) from error


def digest_of(data: bytes) -> str:
    """Return the digest of some bytes: ``sha256:`` and 64 hexadecimal digits."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def check_digest(source_file: SourceFile, expected: str) -> bool:
    """Whether the source still has the digest that was stored when it was indexed.

    Args:
        source_file: The source as it is now.
        expected: ``metadata["source_digest"]``: ``sha256:`` and 64 hexadecimal digits.

    Raises:
        SourceUnavailableError, SourceAccessError, SourceChangedError: See ``SourceFile.digest``.
    """
    return source_file.digest == expected


def shown(source: str) -> str:
    """Quote a source for a message: on one line, at most 200 characters, no control characters."""
    return repr(source if len(source) <= 200 else f"{source[:150]}…{source[-49:]}")


def file_status(path: Path, name: str) -> os.stat_result:
    """Status of the file at a path, with our errors; opens nothing."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        hint = "pass root= for the folder it is in now, or resolver= to find it"
        raise SourceUnavailableError(f"{name}: there is no file {shown(str(path))}: {hint}") from error
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from error


def require_regular(status: os.stat_result, name: str) -> None:
    """Refuse folders, pipes, sockets and devices, which may block or never end."""
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe, socket or device"
        raise SourceAccessError(f"{name} is {kind}, not a regular file, and will not be opened")


def _open_regular(path: Path, name: str) -> io.BufferedReader:
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
    except OSError as error:
        raise unreadable(name, error) from error
    try:
        require_regular(os.fstat(descriptor), name)
    except SourceAccessError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


@functools.lru_cache(maxsize=1024)
def _file_digest(path: Path, size: int, mtime_ns: int) -> str:
    name = shown(str(path))
    with _open_regular(path, name) as stream:
        try:
            digest = hashlib.file_digest(stream, "sha256")
        except OSError as error:
            raise unreadable(name, error) from error
        after = os.fstat(stream.fileno())
    if (after.st_size, after.st_mtime_ns) != (size, mtime_ns):
        raise SourceChangedError(f"{name} was written while it was read: try again when it is complete")
    return "sha256:" + digest.hexdigest()


def unreadable(name: str, error: Exception) -> SourceUnavailableError:
    """The error for a file that the system does not let us read."""
    reason = error.strerror if isinstance(error, OSError) else None  # without the path, which may be endless
    return SourceUnavailableError(f"{name} cannot be read: {reason or str(error)[:200]}")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a new file beside ``path`` to write to, and put it in place if no error was raised.

    Readers of ``path`` see the old file or the new one, never a part; after an error the old one stays.

    Args:
        path: The file to make or replace. Its folder must exist.

    Raises:
        OSError: The folder does not exist or cannot be written to.
    """
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    # Made here, with the rights that any new file gets, so that no two writers can share it.
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file, whole or not at all; see ``replacing``."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)
