"""How far the text of Documents is that of their pages, with and without ``repair``, over the corpus.

    python -m tests.benchmarks.bench_page_text ../shared/corpus [--pages 3] [--only SUBSTRING]

Printed are, for the engine's text as it is and for the checked one:

- the words of a page against those of PDFium, in its order: longest common subsequence over their number;
- the share of boxes whose letters are those of their rectangle, in the order in which the page draws them;
- the share of tables of which every word that stands inside is a whole word of the Markdown;
- each file that is worse by more than a point, and the files that run from right to left.
"""

import argparse
import csv
import re
import statistics
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pymupdf
import pypdfium2
from rapidfuzz.distance import LCSseq

from langchain_pymupdf_coords.errors import PyMuPDFCoordsError
from langchain_pymupdf_coords.folding import blank_markup, fold, fold_glyphs
from langchain_pymupdf_coords.layout.alignment import runs_inside
from langchain_pymupdf_coords.layout.pages import PICTURE_CLASSES, ParsedBox, ParsedPage, TextRun
from langchain_pymupdf_coords.pdf.engine import ENGINE_ERRORS, engine
from langchain_pymupdf_coords.pdf.opening import open_upright
from langchain_pymupdf_coords.pdf.reading import PDFReader
from langchain_pymupdf_coords.pdf.text import read_textpage, text_runs

WAYS = (False, True)

_WORD = re.compile(r"[^\W_]+")

_FEWEST_WORDS = 5  # of a page that says something


def words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def shown_words(boxes: Iterable[ParsedBox]) -> list[str]:
    return words(re.sub(r"\*\*|~~|[`_]", "", "\n".join(blank_markup(box.text) for box in boxes)))


def pdfium_words(path: Path, password: str | None, number: int) -> list[str]:
    text = pypdfium2.PdfDocument(path, password=password)[number - 1].get_textpage().get_text_range()
    return words(re.sub("[\x02\ufffe\u00ad]\r?\n?", "", text))


def page_runs(path: Path, password: str | None, numbers: Iterable[int]) -> dict[int, list[TextRun]]:
    with engine(path.name), open_upright(path, name=path.name, password=password) as document:
        return {n: text_runs(read_textpage(document.load_page(n - 1)), glyphs=True) for n in numbers}


def agreement(boxes: Iterable[ParsedBox], runs: Sequence[TextRun]) -> Iterator[tuple[str, bool]]:
    """Yield for each box of a page what was compared, and whether it agrees."""
    for box in boxes:
        have = fold(box.text).text
        if box.box_class == "table":
            whole = Counter(_WORD.findall(fold_words(box.text)))
            yield "words of tables", not Counter(_words_inside(box, runs)) - whole
        elif have or box.text:
            kind = "letters of pictures" if box.box_class in PICTURE_CLASSES else "letters of text"
            yield kind, have == "".join(fold_glyphs(run.text) for run in runs_inside(runs, box.bbox))


def fold_words(markdown: str) -> str:
    return unicodedata.normalize("NFKC", re.sub(r"\*\*|~~|[`_]", "", blank_markup(markdown))).casefold()


def _words_inside(box: ParsedBox, runs: Iterable[TextRun]) -> Iterator[str]:
    x0, y0, x1, y1 = box.bbox
    for run in runs:
        if x0 <= run.bbox[0] and run.bbox[2] <= x1 and y0 <= (run.bbox[1] + run.bbox[3]) / 2 <= y1:
            yield from words(run.text)


def measure(path: Path, password: str | None, numbers: Sequence[int]) -> dict[bool, list[ParsedPage]]:
    pages = {}
    for repair in WAYS:
        with PDFReader(path, name=path.name, password=password, repair=repair) as reader:
            pages[repair] = reader.read(numbers)
    return pages


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--pages", type=int, default=3)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    pymupdf.TOOLS.mupdf_display_errors(False)
    scores: dict[bool, list[float]] = defaultdict(list)
    kinds: dict[tuple[str, bool], list[bool]] = defaultdict(list)
    with (options.corpus / "manifest.tsv").open(encoding="utf-8") as rows:
        files = [row for row in csv.DictReader(rows, delimiter="\t") if options.only in row["file"]]
    for row in files:
        if not row["pages"].isdigit() or "huge" in row["tags"]:
            continue
        path, password = options.corpus / row["file"], row["password"] or None
        numbers = range(1, min(int(row["pages"]), options.pages) + 1)
        try:
            read, runs = measure(path, password, numbers), page_runs(path, password, numbers)
            fium = {number: pdfium_words(path, password, number) for number in numbers}
        except (PyMuPDFCoordsError, pypdfium2.PdfiumError, *ENGINE_ERRORS):
            continue
        of_file: dict[bool, float] = dict.fromkeys(WAYS, 0.0)
        total = sum(map(len, fium.values()))
        for repair in WAYS:
            for page in read[repair]:
                want = fium[page.number]
                common = LCSseq.similarity(shown_words(page.boxes), want)
                of_file[repair] += common / max(total, 1)
                scores[repair] += [common / len(want)] if len(want) >= _FEWEST_WORDS else []
                for kind, agrees in agreement(page.boxes, runs[page.number]):
                    kinds[kind, repair].append(agrees)
        if total and (of_file[True] < of_file[False] - 0.01 or "rtl" in row["tags"]):
            print(f"{row['file']} [{row['tags']}]: {of_file[False]:.3f} -> {of_file[True]:.3f}", flush=True)  # noqa: T201
    for repair in WAYS:
        found = sorted(scores[repair])
        low = found[len(found) // 20]
        head = f"repair={repair}: {len(found)} pages, median {statistics.median(found):.4f}, 5th percentile {low:.4f}"
        print(head)  # noqa: T201
        for kind in ("letters of text", "letters of pictures", "words of tables"):
            agree = kinds[kind, repair]
            print(f"    {kind}: {sum(agree) / max(len(agree), 1):.4f} of {len(agree)}")  # noqa: T201


if __name__ == "__main__":
    main()
