"""How well Documents of other loaders are placed, and edited chunks of our own, over a corpus of PDFs.

    python tests/benchmarks/bench_other_loaders.py cut LOADER CORPUS PIECES    in an environment with the loader
    python tests/benchmarks/bench_other_loaders.py place CORPUS PIECES [--other] [--files 60]
    python tests/benchmarks/bench_other_loaders.py edit CORPUS [--files 40]
    python tests/benchmarks/bench_other_loaders.py time FILE

``cut`` writes pieces of ``RecursiveCharacterTextSplitter(400, 50)`` as JSON lines, since some loaders need another
PyMuPDF than this package. ``place`` gives them coordinates and reads the letters under their lines, with PyMuPDF
and, where those differ, with PDFium; with ``--other`` each file is given the pieces of the next one. ``edit``
changes our own chunks in eight ways and looks for their sentences, with the file and without it.
"""

import argparse
import json
import re
import statistics
import sys
import time
import unicodedata
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

LOADERS: dict[str, tuple[str, dict[str, Any]]] = {
    "pypdf": ("PyPDFLoader", {}),
    "pymupdf": ("PyMuPDFLoader", {}),
    "pypdfium2": ("PyPDFium2Loader", {}),
    "pdfplumber": ("PDFPlumberLoader", {}),
    "pdfminer": ("PDFMinerLoader", {}),
    "unstructured": ("UnstructuredPDFLoader", {"strategy": "fast"}),
}
MARKS = re.compile(r"<!--.*?-->|</?[a-zA-Z][^<>]{0,20}>|\(cid:\d+\)", re.DOTALL)
MOST_PAGES = 60
MOST_CHUNKS = 6
MOST_PIECES = 40


def letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def files(corpus: Path) -> list[Path]:
    """The files of the manifest that need no password and are not too long."""
    rows = (corpus / "manifest.tsv").read_text(encoding="utf-8").splitlines()
    names = rows[0].split("\t")
    found = (dict(zip(names, row.split("\t"), strict=True)) for row in rows[1:])
    return [
        corpus / row["file"]
        for row in found
        if not row["password"] and row["pages"].isdigit() and int(row["pages"]) <= MOST_PAGES
    ]


def cut(loader: str, corpus: Path, pieces: Path) -> None:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=50)
    with pieces.open("w", encoding="utf-8") as out:
        for path in files(corpus):
            try:
                documents = splitter.split_documents(_loader(loader, path).load())
            except Exception as error:  # noqa: BLE001 - the loaders raise anything
                print(f"{path.name}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            for document in documents:
                flat = {k: v for k, v in document.metadata.items() if isinstance(v, str | int | float | bool)}
                row = {"file": str(path.relative_to(corpus)), "text": document.page_content, "metadata": flat}
                out.write(json.dumps(row) + "\n")


def _loader(name: str, path: Path) -> Any:
    if name == "pymupdf4llm":
        from langchain_pymupdf4llm import PyMuPDF4LLMLoader

        return PyMuPDF4LLMLoader(str(path), mode="page")
    from langchain_community import document_loaders

    class_name, options = LOADERS[name]
    return getattr(document_loaders, class_name)(str(path), **options)


class Truth:
    """The characters of the pages of a file, by two engines, each with its centre in the displayed frame."""

    def __init__(self, path: Path) -> None:
        import pymupdf
        import pypdfium2

        self._file = pymupdf.open(path)
        try:
            self._other = pypdfium2.PdfDocument(path)
        except pypdfium2.PdfiumError:
            self._other = None
        self._kept: dict[tuple[str, int], list[tuple[float, float, str]]] = {}

    def under(self, document: Any, wanted: Counter[str]) -> Counter[str]:
        """The letters under the lines of a Document, by the engine that agrees better with what is wanted."""
        engines = (self._mupdf, self._pdfium) if self._other else (self._mupdf,)
        found = [self._under(document, wanted, chars) for chars in engines]
        return min(found, key=lambda got: (got - wanted).total() + (wanted - got).total())

    def has(self, wanted: Counter[str]) -> bool:
        """Whether the file has these letters at all, as either engine decodes them; 98 % of them will do."""
        return (wanted - self._letters).total() <= 0.02 * wanted.total()

    @cached_property
    def _letters(self) -> Counter[str]:
        pages = range(1, len(self._file) + 1)
        engines = (self._mupdf, self._pdfium) if self._other else (self._mupdf,)
        of_engines = [Counter(letter for page in pages for *_, letter in chars(page)) for chars in engines]
        return of_engines[0] | of_engines[-1]

    def _under(
        self, document: Any, wanted: Counter[str], chars: Callable[[int], list[tuple[float, float, str]]]
    ) -> Counter[str]:
        from langchain_pymupdf_coords import LineBox

        rows: dict[int, list[tuple[float, ...]]] = defaultdict(list)
        for line in LineBox.from_document(document):
            rows[line.page].append(line.bbox)
        got: Counter[str] = Counter()
        overprinted: Counter[str] = Counter()  # count as often as the text has them
        for page, boxes in rows.items():
            seen: set[tuple[str, int, int]] = set()
            for x, y, text in chars(page):
                key = text, round(x), round(y)
                inside = any(a <= x <= c and b - 0.5 <= y <= d + 0.5 for a, b, c, d in boxes)
                if inside:
                    (overprinted if key in seen else got).update(text)
                    seen.add(key)
        return got + (overprinted & (wanted - got))

    def _mupdf(self, number: int) -> list[tuple[float, float, str]]:
        import pymupdf

        if ("mupdf", number) not in self._kept:
            page = self._file[number - 1]
            chars = self._kept["mupdf", number] = []
            for block in page.get_text(
                "rawdict", flags=pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES
            )["blocks"]:
                for span in (span for line in block.get("lines", ()) for span in line["spans"]):
                    for char in span["chars"]:
                        x0, y0, x1, y1 = char["bbox"]
                        point = pymupdf.Point((x0 + x1) / 2, (y0 + y1) / 2) * page.rotation_matrix
                        if text := letters(char["c"]):
                            chars.append((point.x, point.y, text))
        return self._kept["mupdf", number]

    def _pdfium(self, number: int) -> list[tuple[float, float, str]]:
        import ctypes

        from pypdfium2 import raw

        if ("pdfium", number) not in self._kept:
            chars = self._kept["pdfium", number] = []
            page = self._other[number - 1]
            text = page.get_textpage()
            width, height, x, y = (
                int(page.get_width() * 100),
                int(page.get_height() * 100),
                ctypes.c_int(),
                ctypes.c_int(),
            )
            for index in range(text.count_chars()):
                if folded := letters(chr(raw.FPDFText_GetUnicode(text, index))):
                    x0, y0, x1, y1 = text.get_charbox(index)
                    raw.FPDF_PageToDevice(page, 0, 0, width, height, 0, (x0 + x1) / 2, (y0 + y1) / 2, x, y)
                    chars.append((x.value / 100, y.value / 100, folded))
        return self._kept["pdfium", number]


def place(corpus: Path, pieces: Path, *, count: int, other: bool) -> None:
    from langchain_core.documents import Document

    from langchain_pymupdf_coords import CoordsTransformer

    groups: dict[str, list[Any]] = defaultdict(list)
    for line in pieces.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        groups[row["file"]].append(row)
    names = _some(sorted(groups), count)
    total: Counter[str] = Counter()
    for number, name in enumerate(names):
        rows = groups[names[(number + 1) % len(names)] if other else name][:MOST_PIECES]
        source = {"source": str(corpus / name)}
        documents = [Document(row["text"], metadata={**row["metadata"], **source}) for row in rows]
        truth = Truth(corpus / name)
        for placed in CoordsTransformer().transform_documents(documents):
            wanted = Counter(letters(MARKS.sub(" ", placed.page_content)))
            if wanted:
                got = truth.under(placed, wanted)
                total["pieces"] += 1
                total["placed"] += placed.metadata["coverage"] > 0
                whole = (got & wanted).total() >= 0.98 * wanted.total()
                total["whole"] += whole
                total["decoded"] += whole or truth.has(wanted)
                total["letters"] += got.total()
                total["wrong"] += (got - wanted).total()
    print(
        f"{pieces.stem}: {total['pieces']} pieces, placed {total['placed'] / total['pieces']:.4f}, "
        f"with 98 % of their letters {total['whole'] / total['pieces']:.4f} "
        f"({total['whole'] / max(1, total['decoded']):.4f} of the {total['decoded']} whose letters the file has), "
        f"wrong letters {total['wrong'] / max(1, total['letters']):.4f}"
    )


def _some(values: list[Any], count: int) -> list[Any]:
    """Take as many values, evenly."""
    return values[:: max(1, len(values) // count)][:count]


EDITS: dict[str, Callable[[str], str]] = {
    "prefix": lambda text: f"{'This passage is from a report and was put here by a model. ' * 4}\n\n{text}",
    "five characters": lambda text: f"Abcd {text}",
    "suffix": lambda text: f"{text}\n\nThis is what comes after it.",
    "both": lambda text: f"Title | {text}\n\n| end of passage",
    "changed character": lambda text: text[: len(text) // 2] + "#" + text[len(text) // 2 + 1 :],
    "stripped": lambda text: " ".join(text.split()),
    "lower case": str.lower,
    "piece": lambda text: text[len(text) // 4 : -(len(text) // 4) or None],
}


def edit(corpus: Path, *, count: int) -> None:
    from langchain_core.documents import Document

    from langchain_pymupdf_coords import PyMuPDFCoordsLoader, QuoteLocator

    totals: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for path in _some(files(corpus), count):
        truth = Truth(path)
        for chunk in islice(PyMuPDFCoordsLoader(path).lazy_load(), MOST_CHUNKS):
            for name, change in EDITS.items():
                text = change(chunk.page_content)
                for where, source in (("with file", str(path)), ("without", "gone.pdf")):
                    document = Document(text, metadata={**chunk.metadata, "source": source})
                    for quote in _sentences(text, chunk.page_content):
                        match = QuoteLocator().locate(document, quote)
                        totals[name, where][_verdict(truth, match, quote)] += 1
    for (name, where), verdicts in totals.items():
        print(f"{name:18} {where:10} {dict(verdicts)}")
    for where in ("with file", "without"):
        both = sum((verdicts for (_, at), verdicts in totals.items() if at == where), Counter[str]())
        print(
            f"all {where}: right {both['right'] / both.total():.4f} wrong {both['wrong']} of {both.total()}"
        )


def _sentences(text: str, original: str) -> Iterator[str]:
    """Yield some sentences that both texts have."""
    folded = letters(MARKS.sub(" ", original))
    found = (part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+|\|", text))
    good = [part for part in found if 30 <= len(part) <= 200 and letters(MARKS.sub(" ", part)) in folded]
    yield from good[::3]


def _verdict(truth: Truth, match: Any, quote: str) -> str:
    """Right where the words are under the quads: they alone, or among those of whole lines or boxes."""
    from langchain_pymupdf_coords import LineBox
    from langchain_pymupdf_coords.geometry import quad_to_bbox

    if match is None:
        return "not found"
    if not match.regions:
        return "no place"
    boxes = [
        LineBox(region.page, quad_to_bbox(quad), (0, 0)) for region in match.regions for quad in region.quads
    ]

    shown = SimpleNamespace(
        page_content="", metadata={"lines": [[box.page, *map(float, box.bbox), 0, 0] for box in boxes]}
    )
    wanted = Counter(letters(MARKS.sub(" ", quote)))
    got = truth.under(shown, wanted)
    missing, more = (wanted - got).total(), (got - wanted).total()
    if not got:
        return "unreadable"
    return (
        "right" if missing <= 0.02 * wanted.total() and (match.precision != "word" or more == 0) else "wrong"
    )


def time_file(path: Path) -> None:
    import pymupdf
    from langchain_core.documents import Document
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    from langchain_pymupdf_coords import CoordsTransformer, QuoteLocator, clear_kept_files

    with pymupdf.open(path) as file:
        pages = [
            Document(page.get_text(), metadata={"source": str(path), "page": page.number}) for page in file
        ]
    pieces = RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=50).split_documents(pages)
    step = max(1, len(pieces) // 1000)
    chosen = pieces[::step][:1000]
    start = time.perf_counter()
    CoordsTransformer().transform_documents(chosen)
    print(f"{len(pages)} pages, {len(chosen)} pieces: {time.perf_counter() - start:.2f} s")
    clear_kept_files()
    times = []
    for piece in pieces[:: max(1, len(pieces) // 60)]:
        quote = " ".join(piece.page_content.split()[5:20])
        start = time.perf_counter()
        QuoteLocator().locate_in_file(str(path), quote)
        times.append(time.perf_counter() - start)
    print(f"locate_in_file: first {times[0]:.2f} s, then median {statistics.median(times[1:]) * 1e3:.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", choices=("cut", "place", "edit", "time"))
    parser.add_argument("arguments", nargs="+")
    parser.add_argument("--other", action="store_true")
    parser.add_argument("--files", type=int, default=40)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.task == "cut":
        cut(options.arguments[0], *map(Path, options.arguments[1:]))
    elif options.task == "place":
        place(*map(Path, options.arguments), count=options.files, other=options.other)
    elif options.task == "edit":
        edit(Path(options.arguments[0]), count=options.files)
    else:
        time_file(Path(options.arguments[0]))


if __name__ == "__main__":
    main()
