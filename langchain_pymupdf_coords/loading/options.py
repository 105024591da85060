"""Options that the loader and the parser share, checked where they are given."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Literal, get_args

from langchain_text_splitters import TextSplitter

from langchain_pymupdf_coords import checks
from langchain_pymupdf_coords.chunking.chunks import ChunkMode
from langchain_pymupdf_coords.errors import OptionError
from langchain_pymupdf_coords.folding import clean_text
from langchain_pymupdf_coords.layout.pages import LAYOUT_CLASSES
from langchain_pymupdf_coords.loading.progress import ProgressCallback, require_bar

OCRMode = Literal["auto", "never", "force"]

MetadataValue = str | int | float | bool

# What the loader, and later the text splitter, the retriever and the crops, write themselves.
_IDENTITY = ("source", "page", "page_end", "page_label", "section", "chunk_index", "total_pages")

_COORDINATES = ("boxes", "lines", "page_sizes", "source_digest", "coords_version", "quotes", "crops")

_INFORMATION = ("title", "author", "producer", "creator", "creationdate", "moddate")

OWN_KEYS = frozenset((*_IDENTITY, *_COORDINATES, *_INFORMATION, "start_index"))

_LANGUAGES = re.compile(r"[\w/-]+(?:\+[\w/-]+)*", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class ParsingOptions:
    """What to read and how to cut it into Documents.

    Attributes:
        pages: Page numbers to read, from 1; all by default.
        chunk_size: Longest chunk, in the unit of ``length_function``.
        chunk_overlap: How much of a chunk's end the next one repeats, where the limit cut them apart.
        length_function: Length of a text; ``len`` counts characters, a tokenizer's function tokens.
        text_splitter: Splits the text of boxes that are larger than a chunk; by default it is split at the
            ends of sentences, lines or words. Tables are always split between rows, and code at line ends.
        exclude_classes: Layout classes to leave out, of those of ``SourceBox.box_class``; ``()`` keeps
            everything.
        mode: ``"chunk"`` cuts at headings and at ``chunk_size``, ``"page"`` makes a Document per page,
            ``"box"`` one per layout box.
        ocr: ``"auto"`` recognises pages without a usable text layer, if an OCR engine is installed;
            ``"never"`` none; ``"force"`` all, whose text it replaces by what it recognised.
        repair: Whether to check the engine's text against the letters of the page, and to add letters that no
            box has. False gives the engine's text as it is.
        ocr_language: Language of the OCR engine's data, as Tesseract names it; join several with ``+``.
        password: User or owner password of an encrypted PDF.
        extra_metadata: Added to the metadata of each Document; flat values only.
        line_map: Whether to write ``lines``, by which quotes are found without the file.
        workers: How many processes read pages; 1 for none beside this one, ``"auto"`` for as many as there
            are cores, once it is plain that they save time. Each needs some 300 MB. A script that uses them
            must guard its code with ``if __name__ == "__main__"``, since they import it.
        progress: True for a bar of tqdm, or a function that is given the pages done and the pages known
            after each step.
        cache_dir: Folder that keeps parsed pages, so that no page of an unchanged file is read twice; not on
            a network drive. It is not safe from those who can write into it: they can change what is read.
            The text of encrypted files is kept as plain text.
        cache_bytes: Size of the cache beyond which what was not used for longest is dropped.

    Raises:
        OptionError: An option has a value that cannot be used; the message names it.
        ImportError: ``cache_dir`` or ``progress=True`` is used without its extra.
    """

    pages: Iterable[int] | None = None
    chunk_size: int = 1500
    chunk_overlap: int = 0
    length_function: Callable[[str], int] = len
    text_splitter: TextSplitter | None = None
    exclude_classes: Collection[str] = ("page-header", "page-footer", "watermark")
    mode: ChunkMode = "chunk"
    ocr: OCRMode = "auto"
    ocr_language: str = "eng"
    repair: bool = True
    password: str | None = field(default=None, repr=False)
    extra_metadata: Mapping[str, MetadataValue] | None = None
    line_map: bool = True
    workers: int | Literal["auto"] = 1
    progress: bool | ProgressCallback = False
    cache_dir: str | os.PathLike[str] | None = None
    cache_bytes: int = 2 * 1024**3

    def __post_init__(self) -> None:
        checked = {**self._checked_content(), **self._checked_means()}
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def _checked_content(self) -> dict[str, object]:
        """Check the options that decide what comes out, and return those that take more than one form."""
        checks.function("length_function", self.length_function, "from a text to its length")
        if self.text_splitter is not None:
            checks.text_splitter(self.text_splitter)
        checks.choice("mode", self.mode, get_args(ChunkMode))
        checks.choice("ocr", self.ocr, get_args(OCRMode))
        _check_language(self.ocr_language)
        checks.flag("line_map", self.line_map)
        checks.flag("repair", self.repair)
        size = checks.whole_number("chunk_size", self.chunk_size)
        return {
            "pages": _page_numbers(self.pages),
            "chunk_size": size,
            "chunk_overlap": _overlap(self.chunk_overlap, size),
            "exclude_classes": checks.names("exclude_classes", self.exclude_classes, LAYOUT_CLASSES),
            "extra_metadata": _flat(self.extra_metadata),
        }

    def _checked_means(self) -> dict[str, object]:
        """Check the options that decide how a file is read, and return those that take more than one form."""
        checks.password(self.password)
        if self.progress is True:
            require_bar()
        elif self.progress is not False:
            checks.function("progress", self.progress, "of two ints, or a bool")
        if self.cache_dir is not None:
            checks.path("cache_dir", self.cache_dir)
            if find_spec("diskcache") is None:
                raise ImportError("cache_dir needs diskcache: pip install 'langchain-pymupdf-coords[cache]'")
        return {
            "workers": _workers(self.workers),
            "cache_bytes": checks.whole_number("cache_bytes", self.cache_bytes),
        }

    def selected(self, total: int, name: str) -> list[int]:
        """Return the page numbers to read of a file.

        Raises:
            OptionError: The file has fewer pages than were asked for.
        """
        if self.pages is None:
            return list(range(1, total + 1))
        numbers = list(self.pages)
        if numbers[-1] > total:
            raise OptionError(f"pages: {name!r} has no page {numbers[-1]}, it has {total}")
        return numbers

    def identity(self) -> dict[str, Any]:
        """Return what the chunks of a file depend on, as JSON values, for their ids."""
        return {
            "chunk_overlap": self.chunk_overlap,
            "chunk_size": self.chunk_size,
            "exclude_classes": sorted(self.exclude_classes),
            "length_function": _name(self.length_function),
            "mode": self.mode,
            "ocr": [self.ocr, self.ocr_language],
            "repair": self.repair,
            "pages": None if self.pages is None else list(self.pages),
            "text_splitter": None if self.text_splitter is None else _name(type(self.text_splitter)),
        }


def _page_numbers(pages: object) -> tuple[int, ...] | None:
    if pages is None:
        return None
    if isinstance(pages, str | bytes) or not isinstance(pages, Iterable):
        raise checks.wrong("pages", "page numbers from 1, such as [1, 2] or range(1, 11)", pages)
    numbers = [checks.whole_number("pages: a page number", number) for number in pages]
    if not numbers:
        raise OptionError("pages is empty: give page numbers from 1, or None for all")
    return tuple(sorted(set(numbers)))


def _overlap(overlap: object, size: int) -> int:
    number = checks.whole_number("chunk_overlap", overlap, low=0)
    if number >= size:
        raise checks.wrong("chunk_overlap", f"less than chunk_size, which is {size}", overlap)
    return number


def _workers(workers: object) -> int | str:
    if isinstance(workers, str):
        if workers != "auto":
            raise checks.wrong("workers", 'a whole number from 1, or "auto"', workers)
        return workers
    return checks.whole_number("workers", workers)


def _flat(extra: object) -> dict[str, MetadataValue]:
    cleaned: dict[str, MetadataValue] = {}
    if extra is not None and not isinstance(extra, Mapping):
        raise checks.wrong("extra_metadata", "a dict of names to values", extra)
    for key, value in (extra or {}).items():
        if not isinstance(key, str):
            raise checks.wrong("extra_metadata: a key", "a string", key)
        if key in OWN_KEYS:
            raise OptionError(f"extra_metadata: {key!r} is written by the loader, choose another key")
        if not isinstance(value, str | int | float | bool):
            kind = type(value).__name__
            raise OptionError(f"extra_metadata: {key!r} is a {kind}; stores take str, int, float and bool")
        if value != value:
            raise OptionError(f"extra_metadata: {key!r} is not a number that JSON can hold")
        cleaned[key] = clean_text(value) if isinstance(value, str) else value
    return cleaned


def _check_language(language: object) -> None:
    if not isinstance(language, str) or not _LANGUAGES.fullmatch(language):
        raise OptionError(f"ocr_language takes names like 'eng' or 'eng+deu', not {language!r}")


def _name(thing: object) -> str:
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    return f"{getattr(named, '__module__', '')}.{getattr(named, '__qualname__', '')}"
