"""Options that the loader and the parser share, checked where they are given."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Literal, get_args

from langchain_text_splitters import TextSplitter

from langchain_pymupdf_coords.chunking.chunks import ChunkMode
from langchain_pymupdf_coords.errors import OptionError
from langchain_pymupdf_coords.folding import clean_text
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
        exclude_classes: Layout classes to leave out; ``()`` keeps everything.
        mode: ``"chunk"`` cuts at headings and at ``chunk_size``, ``"page"`` makes a Document per page,
            ``"box"`` one per layout box.
        ocr: ``"auto"`` recognises pages without a usable text layer, if an OCR engine is installed;
            ``"never"`` none; ``"force"`` all, whose text it replaces by what it recognised.
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
    exclude_classes: Collection[str] = ("page-header", "page-footer")
    mode: ChunkMode = "chunk"
    ocr: OCRMode = "auto"
    ocr_language: str = "eng"
    password: str | None = field(default=None, repr=False)
    extra_metadata: Mapping[str, MetadataValue] | None = None
    line_map: bool = True
    workers: int | Literal["auto"] = 1
    progress: bool | ProgressCallback = False
    cache_dir: str | os.PathLike[str] | None = None
    cache_bytes: int = 2 * 1024**3

    def __post_init__(self) -> None:
        object.__setattr__(self, "pages", _page_numbers(self.pages))
        object.__setattr__(self, "extra_metadata", _flat(self.extra_metadata))
        _check_sizes(self.chunk_size, self.chunk_overlap)
        _check_choice("mode", self.mode, get_args(ChunkMode))
        _check_choice("ocr", self.ocr, get_args(OCRMode))
        _check_language(self.ocr_language)
        if isinstance(self.exclude_classes, str):
            raise OptionError(f"exclude_classes takes names of classes, such as ({self.exclude_classes!r},)")
        object.__setattr__(self, "exclude_classes", tuple(self.exclude_classes))
        self._check_means()

    def _check_means(self) -> None:
        """Check the options that decide how a file is read, but not what comes out."""
        if self.workers != "auto" and (type(self.workers) is not int or self.workers < 1):
            raise OptionError(f'workers must be a positive int or "auto", not {self.workers!r}')
        if not isinstance(self.progress, bool) and not callable(self.progress):
            raise OptionError(f"progress must be a bool or a function of two ints, not {self.progress!r}")
        if self.progress is True:
            require_bar()
        if type(self.cache_bytes) is not int or self.cache_bytes < 1:
            raise OptionError(f"cache_bytes must be a positive int, not {self.cache_bytes!r}")
        if self.cache_dir is not None and find_spec("diskcache") is None:
            raise ImportError("cache_dir needs diskcache: pip install 'langchain-pymupdf-coords[cache]'")

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
            "pages": None if self.pages is None else list(self.pages),
            "text_splitter": None if self.text_splitter is None else _name(type(self.text_splitter)),
        }


def _page_numbers(pages: object) -> tuple[int, ...] | None:
    if pages is None:
        return None
    if isinstance(pages, str | bytes | int) or not isinstance(pages, Iterable):
        raise OptionError(f"pages takes page numbers from 1, such as [1, 2] or range(1, 11), not {pages!r}")
    numbers = list(pages)
    for number in numbers:
        if type(number) is not int:
            raise OptionError(f"pages: {number!r} is not a page number")
        if number < 1:
            raise OptionError(f"pages: there is no page {number}, pages count from 1")
    if not numbers:
        raise OptionError("pages is empty: give page numbers from 1, or None for all")
    return tuple(sorted(set(numbers)))


def _flat(extra: Mapping[str, MetadataValue] | None) -> dict[str, MetadataValue]:
    cleaned: dict[str, MetadataValue] = {}
    for key, value in (extra or {}).items():
        if key in OWN_KEYS:
            raise OptionError(f"extra_metadata: {key!r} is written by the loader, choose another key")
        if not isinstance(value, str | int | float | bool):
            kind = type(value).__name__
            raise OptionError(f"extra_metadata: {key!r} is a {kind}; stores take str, int, float and bool")
        if value != value:
            raise OptionError(f"extra_metadata: {key!r} is not a number that JSON can hold")
        cleaned[key] = clean_text(value) if isinstance(value, str) else value
    return cleaned


def _check_sizes(size: int, overlap: int) -> None:
    if type(size) is not int or size < 1:
        raise OptionError(f"chunk_size must be a positive int, not {size!r}")
    if type(overlap) is not int or not 0 <= overlap < size:
        raise OptionError(
            f"chunk_overlap must be an int from 0 to below chunk_size ({size}), not {overlap!r}"
        )


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise OptionError(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}")


def _check_language(language: object) -> None:
    if not isinstance(language, str) or not _LANGUAGES.fullmatch(language):
        raise OptionError(f"ocr_language takes names like 'eng' or 'eng+deu', not {language!r}")


def _name(thing: object) -> str:
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    return f"{getattr(named, '__module__', '')}.{getattr(named, '__qualname__', '')}"
