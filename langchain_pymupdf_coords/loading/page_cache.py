"""Parsed pages on disk, so that no page of an unchanged file is read twice.

An entry is found by the digest of the file, everything that decides what is read from a page, and the page's
number. Entries are JSON in the SQLite database of diskcache, which many processes may use at once; numbers and
strings come back exactly as they were. JSON rather than pickle: reading a pickle runs whatever code it names.
Whoever can write into the folder can change what is read from it, but cannot make its readers run code. The text
of encrypted files is stored as plain text; loads find it with the password only.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import diskcache

from langchain_pymupdf_coords.caller_warnings import warn
from langchain_pymupdf_coords.errors import CacheWarning
from langchain_pymupdf_coords.geometry import BBox
from langchain_pymupdf_coords.layout.pages import DocumentInfo, PageNote, ParsedBox, ParsedPage, TextLine
from langchain_pymupdf_coords.loading.worker import PDFJob
from langchain_pymupdf_coords.ocr_data import data_folders, languages


def dump_page(page: ParsedPage) -> str:
    """Write a page as JSON."""
    boxes = [
        [box.box_class, box.bbox, box.text, _rows(box.lines), box.font_size, _rows(box.parts)]
        for box in page.boxes
    ]
    notes = [[note.kind, note.message] for note in page.notes]
    return json.dumps([page.number, page.size, page.label, boxes, notes], separators=(",", ":"))


def load_page(text: str) -> ParsedPage:
    """Read a page from JSON.

    Raises:
        ValueError: The text is not what ``dump_page`` writes.
    """
    try:
        number, (width, height), label, boxes, notes = json.loads(text)
        return ParsedPage(
            _checked(number, int),
            (_checked(width, float), _checked(height, float)),
            _checked(label, str),
            tuple(_box(*box) for box in boxes),
            tuple(PageNote(_checked(kind, str), _checked(message, str)) for kind, message in notes),
        )
    except (TypeError, ValueError, RecursionError) as cause:
        raise ValueError(f"not a parsed page: {cause}") from cause


def dump_info(info: DocumentInfo) -> str:
    """Write what a file says of itself as JSON."""
    return json.dumps([info.total_pages, dict(info.metadata)], separators=(",", ":"))


def load_info(text: str) -> DocumentInfo:
    """Read what a file says of itself from JSON.

    Raises:
        ValueError: The text is not what ``dump_info`` writes.
    """
    try:
        total, metadata = json.loads(text)
        values = {key: _checked(value, str) for key, value in _checked(metadata, dict).items()}
        return DocumentInfo(_checked(total, int), values)
    except (TypeError, ValueError, RecursionError) as cause:
        raise ValueError(f"not the information of a file: {cause}") from cause


def _rows(lines: tuple[TextLine, ...]) -> list[list[float]]:
    return [[*line.bbox, line.start, line.end] for line in lines]


def _box(box_class: Any, bbox: Any, text: Any, lines: Any, font_size: Any, parts: Any) -> ParsedBox:
    return ParsedBox(
        _checked(box_class, str),
        _bbox(*bbox),
        _checked(text, str),
        tuple(_line(*row) for row in lines),
        _checked(font_size, float),
        tuple(_line(*row) for row in parts),
    )


def _line(x0: Any, y0: Any, x1: Any, y1: Any, start: Any, end: Any) -> TextLine:
    return TextLine(_bbox(x0, y0, x1, y1), _checked(start, int), _checked(end, int))


def _bbox(x0: Any, y0: Any, x1: Any, y1: Any) -> BBox:
    return _checked(x0, float), _checked(y0, float), _checked(x1, float), _checked(y1, float)


def _checked(value: Any, kind: type) -> Any:
    """Return a value that has a type; a whole number will do for a float."""
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    raise TypeError(f"{type(value).__name__} instead of {kind.__name__}")


# To be raised with each change of what is read from a page or how it is written down.
_PARSE_VERSION = 2

_PACKAGES = ("langchain-pymupdf-coords", "pymupdf", "pymupdf_layout", "pymupdf4llm", "rapidocr")

_BUSY_SECONDS = 10.0

Value = TypeVar("Value")


class _Damaged(ValueError):  # noqa: N818
    """An entry of the cache that is not what this module writes."""


class _BytesDisk(diskcache.Disk):  # type: ignore[misc]  # diskcache has no annotations
    """Keeps bytes only. What diskcache would unpickle does not come from here, and is not read."""

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> bytes:
        """Return the bytes of an entry; see ``diskcache.Disk.fetch``."""
        if mode not in (diskcache.core.MODE_RAW, diskcache.core.MODE_BINARY):
            raise _Damaged(f"an entry of mode {mode}")
        found = super().fetch(mode, filename, value, read)
        if not isinstance(found, bytes):
            raise _Damaged(f"an entry of type {type(found).__name__}")
        return found


_FAILURES = (OSError, sqlite3.Error, diskcache.Timeout, ValueError, zlib.error)


class PageCache:
    """A folder of parsed pages; a context manager. What goes wrong is a warning, and nothing is cached."""

    def __init__(self, folder: str | os.PathLike[str], max_bytes: int) -> None:
        """Open or make the cache.

        Args:
            folder: Folder of the cache, for this purpose only. Not on a network drive, where SQLite's locks
                do not hold.
            max_bytes: Size beyond which the entries that were not used for longest are dropped.
        """
        self._folder = Path(folder)
        self._max_bytes = max_bytes
        self._store: diskcache.Cache | None = None
        self._store = self._guarded("opened", self._open, None)

    def _open(self) -> diskcache.Cache:
        return diskcache.Cache(
            str(self._folder),
            timeout=_BUSY_SECONDS,
            disk=_BytesDisk,
            size_limit=self._max_bytes,
            eviction_policy="least-recently-used",
        )

    def file(self, job: PDFJob, digest: str, is_unchanged: Callable[[], bool]) -> "CachedFile":
        """Return the part of the cache that is about one file.

        Args:
            job: How the file is read.
            digest: Digest of its bytes.
            is_unchanged: Tells whether the file still has that digest; nothing is stored if it has not.
        """
        return CachedFile(self, _fingerprint(job, digest), is_unchanged)

    def get(self, key: str, load: Callable[[str], Value]) -> Value | None:
        """Return an entry, or None where there is none that can be read."""
        return self._guarded("read", lambda: self._load(key, load), None)

    def put(self, key: str, text: str) -> None:
        """Store an entry."""
        store = self._store
        if store is not None:
            data = zlib.compress(text.encode("ascii"), 1)
            self._guarded("written", lambda: store.set(key, data), None)

    def _load(self, key: str, load: Callable[[str], Value]) -> Value | None:
        data = None if self._store is None else self._store.get(key)
        return None if data is None else load(zlib.decompress(data).decode("ascii"))

    def _guarded(self, what: str, action: Callable[[], Value], default: Value) -> Value:
        try:
            return action()
        except _FAILURES as error:
            message = f"the cache {str(self._folder)!r} cannot be {what}: {error}; the pages are read anew"
            warn(message, CacheWarning)
            if not isinstance(error, ValueError | zlib.error):
                self.close()  # more than an entry is broken: one warning is enough
            return default

    def close(self) -> None:
        """Close the database."""
        store, self._store = self._store, None
        if store is not None:
            with suppress(sqlite3.Error):
                store.close()

    def __enter__(self) -> "PageCache":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class CachedFile:
    """What a cache knows of one file, as one set of options reads it."""

    def __init__(self, cache: PageCache, fingerprint: str, is_unchanged: Callable[[], bool]) -> None:
        self._cache = cache
        self._fingerprint = fingerprint
        self._is_unchanged = is_unchanged

    def info(self) -> DocumentInfo | None:
        """Return what the file says of itself, if that is known."""
        return self._cache.get(self._key("info"), load_info)

    def page(self, number: int) -> ParsedPage | None:
        """Return a page by its number from 1, if it is known."""
        page = self._cache.get(self._key(number), load_page)
        return page if page is not None and page.number == number else None

    def put_info(self, info: DocumentInfo) -> None:
        """Remember what the file says of itself."""
        if self._is_unchanged():
            self._cache.put(self._key("info"), dump_info(info))

    def put_pages(self, pages: Iterable[ParsedPage]) -> None:
        """Remember pages."""
        if self._is_unchanged():
            for page in pages:
                self._cache.put(self._key(page.number), dump_page(page))

    def _key(self, what: object) -> str:
        return f"{self._fingerprint}/{what}"


def _fingerprint(job: PDFJob, digest: str) -> str:
    """Name everything that decides what is read from a file, and nothing that does not."""
    means = [_PARSE_VERSION, _versions(), job.ocr, job.ocr_language, job.repair, job.password]
    if job.ocr != "never":
        means += _ocr_means()
    return hashlib.sha256(json.dumps([digest, means]).encode()).hexdigest()


@cache
def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def _ocr_means() -> list[Any]:
    """Return whatever an OCR engine is found by: with another engine or other data, scans read differently.

    This does not ask for the engine itself, which takes long, but for all that its choice depends on.
    """
    return [[[str(folder), languages(folder)] for folder in data_folders()], shutil.which("tesseract")]
