"""The commands of ``python -m langchain_pymupdf_coords``: JSON lines for programs, text for people.

Results go to standard output, errors and warnings to standard error. The exit status is 0, or 1 when ``ask``
found nothing, or 2 after an error.
"""

import argparse
import base64
import io
import json
import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO, get_args

from langchain_core.documents import Document

from langchain_pymupdf_coords.annotations import annotate_pdf
from langchain_pymupdf_coords.chunking.chunks import ChunkMode
from langchain_pymupdf_coords.document_loaders import PyMuPDFCoordsLoader
from langchain_pymupdf_coords.document_transformers import SourceCropTransformer
from langchain_pymupdf_coords.errors import OptionError, PyMuPDFCoordsError, PyMuPDFCoordsWarning
from langchain_pymupdf_coords.evidence.page import evidence_html
from langchain_pymupdf_coords.geometry import BBox, quad_to_bbox
from langchain_pymupdf_coords.loading.options import OCRMode
from langchain_pymupdf_coords.pdf.sample import sample_report
from langchain_pymupdf_coords.provenance.boxes import SourceBox, boxes_by_page
from langchain_pymupdf_coords.provenance.crops import Crop
from langchain_pymupdf_coords.provenance.quotes import QuoteMatch
from langchain_pymupdf_coords.retrievers import answering_passages
from langchain_pymupdf_coords.sources.files import write_whole

_CONTROLS = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}


def json_line(document: Document) -> str:
    """Return a Document as one line of JSON: ``id``, ``page_content`` and ``metadata`` as a store gets them.

    ``Document(**json.loads(line))`` gives it back. No control character is left that a terminal would obey.
    """
    record = {"id": document.id, "page_content": document.page_content, "metadata": document.metadata}
    return json.dumps(record, ensure_ascii=False, allow_nan=False).translate(_CONTROLS)


def passage_lines(number: int, document: Document) -> Iterator[str]:
    """Yield the lines that say where a passage stands, and where in it each of its quotes.

    Args:
        number: Its rank, from 1.
        document: A Document with ``metadata["quotes"]``.
    """
    metadata = document.metadata
    first, last = metadata["page"], metadata["page_end"]
    pages = f"page {first}" if first == last else f"pages {first} to {last}"
    yield plain(f"{number}. {pages} of {metadata['total_pages']}: {metadata['section'] or 'no heading'}")
    for match in QuoteMatch.from_document(document):
        yield f"   “{plain(match.text)}”"
        for region in match.regions:
            rectangles = [quad_to_bbox(quad) for quad in region.quads]
            yield f"   {match.status}, by {match.precision}, on page {region.page}: {_row(rectangles)}"
    for page, boxes in boxes_by_page(SourceBox.from_document(document)).items():
        yield f"   passage on page {page}: {_row([box.bbox for box in boxes])}"


def plain(text: str) -> str:
    """Return text on one line, without characters that a terminal would obey instead of showing."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable())


def _row(rectangles: Sequence[BBox]) -> str:
    return " ".join("[" + ", ".join(f"{edge:.1f}" for edge in rectangle) + "]" for rectangle in rectangles)


PROGRAM = "python -m langchain_pymupdf_coords"

_FOUND, _NOTHING_FOUND, _FAILED, _INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: Words of the command; by default those that the program was called with.

    Returns:
        The exit status.

    Raises:
        SystemExit: Help was asked for, or the words are no command.
    """
    options = _parser().parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("always", PyMuPDFCoordsWarning)
        warnings.showwarning = _show_warning
        try:
            status: int = options.run(options)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader, such as "head", has enough. Nothing may be written to it any more, not even at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _FOUND
        except KeyboardInterrupt:
            return _INTERRUPTED
        except (PyMuPDFCoordsError, ImportError, OSError) as error:
            print(f"error: {plain(str(error))}", file=sys.stderr)
            return _FAILED
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=PROGRAM, description="PDFs as chunks that know their place.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    chunks = commands.add_parser("chunks", help="print the chunks of a PDF as JSON lines")
    _add_loading(chunks)
    chunks.add_argument("--mode", choices=get_args(ChunkMode), default="chunk", help="what a chunk is")
    chunks.set_defaults(run=_chunks)

    ask = commands.add_parser("ask", help="show where a PDF answers a question (extra: ask)")
    _add_loading(ask)
    ask.add_argument("question", help="a question, or search words")
    ask.add_argument("--top", type=int, default=3, metavar="N", help="how many passages to show (3)")
    ask.add_argument("--html", type=Path, metavar="FILE", help="write an evidence page")
    ask.add_argument("--pdf", type=Path, metavar="FILE", help="write a copy with highlights")
    ask.add_argument("--png", type=Path, metavar="FILE", help="write a picture of the best passage")
    ask.set_defaults(run=_ask, mode="chunk")

    sample = commands.add_parser("sample", help="make a report to try this on")
    sample.add_argument("file", type=Path, help="the PDF to write")
    sample.set_defaults(run=_sample)
    return parser


def _add_loading(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", help="a PDF")
    command.add_argument(
        "--pages", type=_page_numbers, metavar="RANGES", help="such as 1-3,7; all by default"
    )
    command.add_argument("--chunk-size", type=int, default=1500, metavar="N", help="characters (1500)")
    command.add_argument("--ocr", choices=get_args(OCRMode), default="auto", help="when to recognise text")
    command.add_argument("--password", help="user or owner password")


def _page_numbers(text: str) -> list[int]:
    numbers: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,6})\s*(?:-\s*([0-9]{1,6})\s*)?", part)
        if match is None or int(match[1]) > int(match[2] or match[1]):
            raise argparse.ArgumentTypeError(f"{text!r} is not like 1-3,7")
        numbers += range(int(match[1]), int(match[2] or match[1]) + 1)
    return numbers


def _loader(options: argparse.Namespace) -> PyMuPDFCoordsLoader:
    return PyMuPDFCoordsLoader(
        options.file,
        pages=options.pages,
        chunk_size=options.chunk_size,
        mode=options.mode,
        ocr=options.ocr,
        password=options.password,
    )


def _chunks(options: argparse.Namespace) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    for document in _loader(options).lazy_load():
        print(json_line(document))
    return _FOUND


def _ask(options: argparse.Namespace) -> int:
    if options.top < 1:
        raise OptionError(f"--top must be 1 or more, not {options.top}")
    for output in filter(None, (options.html, options.pdf, options.png)):
        _require_writable(output, options.file)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    passages = answering_passages(
        _loader(options).load(), options.question, top=options.top, password=options.password
    )
    quoted = [passage for passage in passages if any(m.regions for m in QuoteMatch.from_document(passage))]
    if not quoted:
        print(f"nothing in {plain(options.file)} answers this", file=sys.stderr)
        return _NOTHING_FOUND
    for number, passage in enumerate(quoted, start=1):
        print("\n".join(passage_lines(number, passage)))
    print(
        "Rectangles: left, top, right, bottom in points (1/72 inch) from the top left of the page as shown."
    )
    _write_outputs(options, quoted)
    return _FOUND


def _write_outputs(options: argparse.Namespace, quoted: Sequence[Document]) -> None:
    password = options.password
    if options.html:
        evidence_html(quoted, options.html, question=options.question, password=password)
    if options.pdf:
        annotate_pdf(quoted, options.pdf, password=password)
    if options.png:
        _write_picture(options.png, quoted[0], password)
    for path in filter(None, (options.html, options.pdf, options.png)):
        print(f"Wrote {plain(str(path))}")


def _write_picture(path: Path, document: Document, password: str | None) -> None:
    """Write a picture of the passage, of the page where its quote begins."""
    (pictured,) = SourceCropTransformer(password=password).transform_documents([document])
    page = QuoteMatch.from_document(document)[0].regions[0].page
    (crop,) = (crop for crop in Crop.from_document(pictured) if crop.page == page)
    write_whole(path, base64.b64decode(crop.base64 or ""))


def _require_writable(output: Path, source: str) -> None:
    """Refuse what cannot be written or should not, before the work is done."""
    if not output.parent.is_dir():
        raise OptionError(f"{output} cannot be written: there is no folder {output.parent}")
    if output.exists() and Path(source).exists() and output.samefile(source):
        raise OptionError(f"{source} is the file to read and would be overwritten: write to another one")


def _sample(options: argparse.Namespace) -> int:
    path, report = options.file, sample_report()
    if path.exists() and path.read_bytes() != report:
        raise OptionError(f"{path} exists and is another file: choose another name")
    write_whole(path, report)
    print(f"Wrote {plain(str(path))}")
    return _FOUND


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning of ours without the place in the code, which says nothing to the user of a command."""
    if issubclass(category, PyMuPDFCoordsWarning):
        text = f"warning: {plain(str(message))}\n"
    else:
        text = warnings.formatwarning(message, category, filename, lineno, line)
    (file or sys.stderr).write(text)
