"""A bundle as a folder or an archive: written whole, and read back with a digest of each file.

A bundle comes from elsewhere, so it is read as untrusted: names are checked, links are not followed, and what
is read is bounded.
"""

import json
import os
import re
import secrets
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from langchain_pymupdf_coords.errors import OptionError, ProvenanceError, SourceUnavailableError
from langchain_pymupdf_coords.sources.files import digest_of, replacing

MANIFEST = "manifest.json"

MAX_FILES = 10_000

MAX_BYTES = 2_000_000_000

_NAME = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}/)?[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")

_ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest there is: the same files give the same archive


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
