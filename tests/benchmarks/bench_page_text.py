"""How far the text of Documents is that of their pages, with and without ``repair``, over the corpus.

    python -m tests.benchmarks.bench_page_text ../shared/corpus [--pages 3] [--only SUBSTRING]

Printed are, for the engine's text as it is and for the checked one:

- the words of a page against those of PDFium, in its order: longest common subsequence over their number, and
  how many of them there are in any order, since PDFium follows the order in which a page is drawn;
- the share of text boxes whose letters are those of their rectangle, each as often, and in the order in which a
  witness has them: the page as it is drawn, its rows from top to bottom, or PDFium;
- the share of tables whose letters are those of their rectangle, each as often; of these, in which every word
  that stands inside is whole in the Markdown, and in which the words of every line of the page come in its order;
- each file that is worse by more than a point, and the files that run from right to left.

What is drawn twice counts once, what stands in two boxes that overlap is of one of them, and the marks of list
items are left out, since the engine writes them as "-".
"""

import argparse
import csv
import ctypes
import re
import statistics
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pymupdf
import pypdfium2
from pypdfium2 import raw
from rapidfuzz.distance import LCSseq

from langchain_pymupdf_coords.errors import PyMuPDFCoordsError
from langchain_pymupdf_coords.folding import TAG, blank_markup, fold, fold_glyphs
from langchain_pymupdf_coords.geometry import BBox
from langchain_pymupdf_coords.layout.alignment import mostly_inside, runs_inside
from langchain_pymupdf_coords.layout.grid import main_turns
from langchain_pymupdf_coords.layout.overprint import is_overprint
from langchain_pymupdf_coords.layout.pages import PICTURE_CLASSES, ParsedBox, ParsedPage, TextRun
from langchain_pymupdf_coords.layout.rows import distinct, has_turning
from langchain_pymupdf_coords.layout.vertical import is_ideographic
from langchain_pymupdf_coords.pdf.engine import ENGINE_ERRORS, engine
from langchain_pymupdf_coords.pdf.opening import open_upright
from langchain_pymupdf_coords.pdf.reading import PDFReader
from langchain_pymupdf_coords.pdf.text import read_textpage, text_runs

WAYS = (False, True)

_WORD = re.compile(r"[^\W_]+")

_LINE_END = "[\x02\ufffe\u00ad]\r?\n?"  # within a word

_FEWEST_WORDS = 5  # of a page that says something

_FINE = 100  # steps of a point

_SAME_LINE = 1.5  # points between the lower edges of words


def words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def shown_words(boxes: Iterable[ParsedBox]) -> list[str]:
    return words(bare_markdown("\n".join(box.text for box in boxes)))


def pdfium_words(path: Path, password: str | None, number: int) -> list[str]:
    text = pypdfium2.PdfDocument(path, password=password)[number - 1].get_textpage().get_text_range()
    return words(re.sub(_LINE_END, "", text))


@dataclass(frozen=True)
class Witness:
    """What is known of a page without the code that is measured.

    Attributes:
        runs: MuPDF's runs, those that are drawn twice once, with glyphs.
        words: MuPDF's words, each with its rectangle.
        bounded: Returns PDFium's text in a rectangle.
    """

    runs: Sequence[TextRun]
    words: Sequence[tuple[BBox, str]]
    bounded: Callable[[BBox], str]


def witnesses(path: Path, password: str | None, numbers: Iterable[int]) -> dict[int, Witness]:
    with engine(path.name), open_upright(path, name=path.name, password=password) as document:
        return {n: witness(document.load_page(n - 1), path, password) for n in numbers}


def witness(page: pymupdf.Page, path: Path, password: str | None) -> Witness:
    textpage = read_textpage(page)
    found: list[tuple[BBox, str]] = []
    for x0, y0, x1, y1, text, *_ in textpage.extractWORDS():
        bbox = (x0, y0, x1, y1)
        if not any(text == other and is_overprint(bbox, seen) for seen, other in found):
            found.append((bbox, text))
    seen = pypdfium2.PdfDocument(path, password=password)[page.number]
    return Witness(distinct(text_runs(textpage, glyphs=True)), found, partial(pdfium_text, seen))


def pdfium_text(page: pypdfium2.PdfPage, bbox: BBox) -> str:
    """PDFium's text in a rectangle of the displayed frame."""
    size = round(page.get_width() * _FINE), round(page.get_height() * _FINE)
    corners = []
    for x, y in (bbox[:2], bbox[2:]):
        at_x, at_y = ctypes.c_double(), ctypes.c_double()
        device = round(x * _FINE), round(y * _FINE)
        raw.FPDF_DeviceToPage(page, 0, 0, *size, 0, *device, at_x, at_y)
        corners.append((at_x.value, at_y.value))
    (x0, y0), (x1, y1) = corners
    return str(page.get_textpage().get_text_bounded(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))


def agreement(boxes: Iterable[ParsedBox], page: Witness) -> Iterator[tuple[str, bool]]:
    """Yield for each box of a page what was compared, and whether it agrees."""
    boxes = list(boxes)
    for box in boxes:
        have = fold(box.text).text
        if box.box_class == "table":
            glyphs = [glyph for run in page.runs for glyph in run.glyphs if centred(glyph.bbox, box.bbox)]
            same = Counter(have) == Counter(fold_glyphs("".join(glyph.text for glyph in glyphs)))
            yield "tables: letters", same
            yield "tables: letters, words and lines", same and words_agree(box, page)
        elif have or box.text:
            inside = runs_inside(page.runs, box.bbox)
            if box.box_class in PICTURE_CLASSES:
                yield "pictures: letters", Counter(have) == Counter(fold_glyphs(joined(inside)))
            else:
                seen = bare(re.sub(_LINE_END, "", page.bounded(box.bbox)))
                alone = in_this_alone(inside, box, boxes)
                orders = [joined(order) for runs in (inside, alone) for order in (runs, by_baselines(runs))]
                yield "text boxes", have in map(fold_glyphs, (*orders, seen))


def in_this_alone(inside: Iterable[TextRun], box: ParsedBox, boxes: Iterable[ParsedBox]) -> list[TextRun]:
    """Those runs of a box that are in none that overlaps it: what is in both is text of one of them."""
    others = [other.bbox for other in boxes if other is not box]
    return [run for run in inside if not any(mostly_inside(run.ink, bbox) for bbox in others)]


def joined(runs: Iterable[TextRun]) -> str:
    return "".join(bare(run.text) for run in runs)


def bare(text: str) -> str:
    """A run without the mark of a list item."""
    return re.sub(r"(?m)^\s*o(?:\s+|$)", "", text)


def centred(inner: BBox, bbox: BBox) -> bool:
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return bbox[0] <= x <= bbox[2] and bbox[1] <= y <= bbox[3]


def by_baselines(runs: Iterable[TextRun]) -> list[TextRun]:
    """Runs by rows from top to bottom, each from left to right; a raised or small one is of the row it is in."""
    rows: list[list[TextRun]] = []
    for run in sorted(runs, key=lambda run: run.ink[1] + run.ink[3]):
        for row in rows[-3:]:
            top, bottom = max(row[0].ink[1], run.ink[1]), min(row[0].ink[3], run.ink[3])
            if bottom - top > min(row[0].ink[3] - row[0].ink[1], run.ink[3] - run.ink[1]) / 2:
                row.append(run)
                break
        else:
            rows.append([run])
    return [run for row in rows for run in sorted(row, key=lambda run: run.ink[0])]


def words_agree(box: ParsedBox, page: Witness) -> bool:
    """Whether each word of the page is whole in a table, and the words of each line come in that order.

    Ideographs are written without spaces, and what is no line of Latin and the like has another order.
    """
    inside = [run for run in page.runs if centred(run.bbox, box.bbox)]
    if main_turns(inside) or has_turning(inside) or is_ideographic("".join(run.text for run in inside)):
        return True
    lines: list[list[tuple[BBox, str]]] = []
    for bbox, text in sorted(page.words, key=lambda word: word[0][3]):
        if centred(bbox, box.bbox):
            if lines and abs(lines[-1][-1][0][3] - bbox[3]) <= _SAME_LINE:
                lines[-1].append((bbox, text))
            else:
                lines.append([(bbox, text)])
    wanted = [[w for _, text in sorted(line) for w in words(text)] for line in lines]
    # An exponent is a word of its own, or a part of the one before.
    parted, joined_up = (
        words(bare_markdown(text)) for text in (box.text, TAG.sub("", box.text.replace("<br>", " ")))
    )
    return not Counter(w for line in wanted for w in line) - (Counter(parted) | Counter(joined_up)) and all(
        len(line) in (LCSseq.similarity(line, parted), LCSseq.similarity(line, joined_up)) for line in wanted
    )


def bare_markdown(markdown: str) -> str:
    return re.sub(r"\*\*|~~|[`_]", "", blank_markup(markdown.replace("<br>", " ")))


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
            read, seen = measure(path, password, numbers), witnesses(path, password, numbers)
            fium = {number: pdfium_words(path, password, number) for number in numbers}
        except (PyMuPDFCoordsError, pypdfium2.PdfiumError, *ENGINE_ERRORS):
            continue
        of_file: dict[bool, float] = dict.fromkeys(WAYS, 0.0)
        any_order: dict[bool, int] = dict.fromkeys(WAYS, 0)
        total = sum(map(len, fium.values()))
        for repair in WAYS:
            for page in read[repair]:
                want = fium[page.number]
                have = shown_words(page.boxes)
                common = LCSseq.similarity(have, want)
                any_order[repair] += sum((Counter(have) & Counter(want)).values())
                of_file[repair] += common / max(total, 1)
                scores[repair] += [common / len(want)] if len(want) >= _FEWEST_WORDS else []
                for kind, agrees in agreement(page.boxes, seen[page.number]):
                    kinds[kind, repair].append(agrees)
        if total and (of_file[True] < of_file[False] - 0.01 or "rtl" in row["tags"]):
            order = f"{of_file[False]:.3f} -> {of_file[True]:.3f}"
            whole = f"{any_order[False] / total:.3f} -> {any_order[True] / total:.3f}"
            print(f"{row['file']} [{row['tags']}]: {order}, in any order {whole}", flush=True)  # noqa: T201
    for repair in WAYS:
        found = sorted(scores[repair])
        low = found[len(found) // 20]
        head = f"repair={repair}: {len(found)} pages, median {statistics.median(found):.4f}, 5th percentile {low:.4f}"
        print(head)  # noqa: T201
        for kind in (
            "text boxes",
            "pictures: letters",
            "tables: letters",
            "tables: letters, words and lines",
        ):
            agree = kinds[kind, repair]
            print(f"    {kind}: {sum(agree) / max(len(agree), 1):.4f} of {len(agree)}")  # noqa: T201


if __name__ == "__main__":
    main()
