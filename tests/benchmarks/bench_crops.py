"""What crops of retrieved chunks cost beside rendering and encoding the same regions by hand.

Run from the root of the repository: ``python -m tests.benchmarks.bench_crops [FILE]``. Without a file a book
of 102 pages is made. Both sides open the file and make PNG of the same regions at the same resolution. They
take turns, in processor time, and the median of the ratios counts: what else the machine does disturbs both
sides of a round alike. Exits with 1 above the limit.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import pymupdf
from langchain_core.documents import Document

from langchain_pymupdf_coords import PyMuPDFCoordsLoader
from langchain_pymupdf_coords.document_transformers import SourceCropTransformer
from langchain_pymupdf_coords.provenance.crops import Crop
from tests.support.pdf_factory import report_pdf

CHUNKS = 100
ROUNDS = 9
LIMIT = 1.10


def book(copies: int = 34) -> bytes:
    """The sample report many times over: text, headings and tables."""
    document = pymupdf.open()
    with pymupdf.open(stream=report_pdf()) as report:
        for _ in range(copies):
            document.insert_pdf(report)
    return document.tobytes()


def bare(path: Path, regions: Sequence[Crop]) -> float:
    start = time.process_time()
    with pymupdf.open(path) as document:
        for region in regions:
            document[region.page - 1].get_pixmap(dpi=150, clip=region.bbox).tobytes("png")
    return time.process_time() - start


def ours(documents: Sequence[Document]) -> float:
    transformer = SourceCropTransformer()
    start = time.process_time()
    transformer.transform_documents(documents)
    return time.process_time() - start


def main(arguments: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(arguments[0]) if arguments else Path(folder) / "book.pdf"
        if not arguments:
            path.write_bytes(book())
        documents = PyMuPDFCoordsLoader(path, chunk_size=800).load()[:CHUNKS]
        cropped = SourceCropTransformer().transform_documents(documents)
        regions = [crop for document in cropped for crop in Crop.from_document(document)]
        times = [(bare(path, regions), ours(documents)) for _ in range(ROUNDS)]
    by_hand, by_transformer = (median(column) for column in zip(*times, strict=True))
    ratio = median(transformed / rendered for rendered, transformed in times)
    sys.stdout.write(
        f"{len(documents)} chunks, {len(regions)} crops: get_pixmap + encode {by_hand:.3f} s, "
        f"SourceCropTransformer {by_transformer:.3f} s, ratio {ratio:.3f} (limit {LIMIT})\n"
    )
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
