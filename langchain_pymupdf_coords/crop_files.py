"""Pictures in a folder: written under names that say what they show, and read back with care."""

import hashlib
import re
from base64 import b64encode
from pathlib import Path, PurePosixPath

from langchain_pymupdf_coords.atomic_writing import replacing
from langchain_pymupdf_coords.crops import Crop
from langchain_pymupdf_coords.errors import SourceAccessError
from langchain_pymupdf_coords.source_files import shown
from langchain_pymupdf_coords.sources import SourceResolver

# How the files of each type begin; the four bytes after RIFF are a length.
_SIGNATURES = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
}


def write_crop(folder: Path, source: str, page: int, data: bytes, suffix: str) -> Path:
    """Write a picture as ``<name of the source>-p<page>-<digest of the picture>.<suffix>``.

    The same picture always gets the same name, so a second run replaces files by equal ones.

    Args:
        folder: Made if it is missing.
        source: ``metadata["source"]``; what is no letter, digit, dot or dash of ASCII becomes a dash.
        page: Page number, from 1.
        data: The encoded image.
        suffix: Of the file, without a dot.

    Raises:
        OSError: The folder cannot be written to.
    """
    stem = PurePosixPath(source.replace("\\", "/")).stem
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-.")[:40] or "source"
    path = folder / f"{name}-p{page}-{hashlib.sha256(data).hexdigest()[:16]}.{suffix}"
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_bytes(data)
    return path


def crop_base64(crop: Crop, resolver: SourceResolver) -> str:
    """Return the picture of a crop in base64, read from its file if it is in one.

    Metadata may have been tampered with, so only a file of the type that it claims is read, and only where
    the resolver allows.

    Raises:
        SourceUnavailableError: There is no such file, or it cannot be read.
        SourceAccessError: The file lies outside of the root, or it is no image of this type.
    """
    if crop.path is None:
        return crop.base64 or ""
    data = resolver.resolve(crop.path).read_bytes()
    if not _SIGNATURES[crop.mime_type].match(data):
        raise SourceAccessError(f"{shown(crop.path)} in metadata['crops'] is not of type {crop.mime_type}")
    return b64encode(data).decode("ascii")
