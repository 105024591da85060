"""Documents from a store that someone tampered with: refused with our errors, nothing opened, memory bounded.

Each hostile value goes through everything that reads Documents. What a function does not read it may ignore.
"""

import contextlib
import json
import os
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import (
    CitationLocator,
    ProvenanceError,
    PyMuPDFCoordsError,
    QuoteLocator,
    SourceAccessError,
    SourceCropTransformer,
    SourceUnavailableError,
    annotate_pdf,
    content_blocks,
    evidence_html,
)
from tests.support.sample_report import report_pdf

QUOTE = "owns nine vessels"
SECRET = b"%PDF-1.7 the secret of the house"


def without_quotes(document: Document) -> Document:
    return with_metadata(document, {"quotes": None})


def with_metadata(document: Document, changed: dict[str, Any]) -> Document:
    # As from a store that checks nothing.
    return Document.model_construct(
        page_content=document.page_content, metadata={**document.metadata, **changed}, id=document.id
    )


Run = Callable[[Document, Path], object]

RUNS: dict[str, Run] = {
    "locate": lambda document, root: QuoteLocator(root=str(root)).locate(document, QUOTE),
    "locate_all": lambda document, root: QuoteLocator(root=str(root)).locate_all([document], QUOTE),
    "cite": lambda document, root: CitationLocator(
        locator=QuoteLocator(root=str(root), on_change="relocate")
    ).invoke({"answer": f"“{QUOTE}” [1]", "documents": [document]}),
    "crop": lambda document, root: SourceCropTransformer(root=root, draw=("boxes", "quotes")).invoke(
        [document]
    ),
    "crop boxes": lambda document, root: SourceCropTransformer(root=root, by="box").invoke([document]),
    "crop quotes": lambda document, root: SourceCropTransformer(root=root, by="quote").invoke([document]),
    "annotate": lambda document, root: annotate_pdf([document], root / "out.pdf", root=root),
    "annotate boxes": lambda document, root: annotate_pdf(
        [document], root / "out.pdf", mark="boxes", root=root
    ),
    "evidence": lambda document, root: evidence_html([document], root=root),
    "evidence of boxes": lambda document, root: evidence_html([without_quotes(document)], root=root),
}
LOCATE = {"locate", "locate_all", "cite"}
CROP = {"crop", "crop boxes", "crop quotes"}
ALL = set(RUNS)
DRAW = ALL - LOCATE
ON_BOXES = ALL - {"annotate", "evidence"}
ON_QUOTES = DRAW - {"annotate boxes", "evidence of boxes"}


def boxes(**changed: Any) -> dict[str, Any]:
    """A box of the first page, with something changed."""
    return {
        "boxes": json.dumps(
            [{"page": 1, "bbox": [72, 188, 523, 232], "class": "text", "span": [0, 9], **changed}]
        )
    }


def raw_box(text: str) -> dict[str, Any]:
    return {"boxes": f'[{{"page": 1, "bbox": [{text}, 188, 523, 232], "class": "text"}}]'}


def row(*row: Any) -> dict[str, Any]:
    return {"lines": json.dumps([list(row)])}


def quotes(**changed: Any) -> dict[str, Any]:
    quad = [[10, 10], [20, 10], [10, 20], [20, 20]]
    record = {
        "quote": "#",
        "text": "#",
        "span": [0, 1],
        "status": "exact",
        "score": 100,
        "occurrences": 1,
        "precision": "word",
        "regions": [{"page": 1, "quads": [quad]}],
    }
    return {"quotes": json.dumps([{**record, **changed}])}


def region(page: Any, x: Any) -> dict[str, Any]:
    return quotes(regions=[{"page": page, "quads": [[[x, 10], [20, 10], [10, 20], [20, 20]]]}])


DEEP = "[" * 100_000 + "]" * 100_000
TEN_MEGABYTES = "[" + ",".join(["0"] * 5_000_000) + "]"

METADATA: dict[str, tuple[dict[str, Any], str, set[str]]] = {
    "NaN": (raw_box("NaN"), "boxes", ON_BOXES),
    "infinity": (raw_box("Infinity"), "boxes", ON_BOXES),
    "minus infinity": (raw_box("-Infinity"), "boxes", ON_BOXES),
    "overflowing number": (raw_box("1e999"), "boxes", ON_BOXES),
    "huge number": (raw_box("1" + "0" * 4000), "boxes", ON_BOXES),
    "number longer than Python reads": (raw_box("9" * 100_000), "boxes", ON_BOXES),
    "far away": (boxes(bbox=[-1e9, 0, 1e9, 10]), "boxes", ON_BOXES),
    "reversed box": (boxes(bbox=[523, 188, 72, 232]), "boxes", ON_BOXES),
    "box of three": (boxes(bbox=[1, 2, 3]), "boxes", ON_BOXES),
    "box of strings": (boxes(bbox=["1", "2", "3", "4"]), "boxes", ON_BOXES),
    "box of true": (boxes(bbox=[True, 2, 3, 4]), "boxes", ON_BOXES),
    "page zero": (boxes(page=0), "boxes", ON_BOXES),
    "negative page": (boxes(page=-1), "boxes", ON_BOXES),
    "huge page": (boxes(page=10**30), "boxes", ON_BOXES),
    "page and a half": (boxes(page=1.5), "boxes", ON_BOXES),
    "page as text": (boxes(page="1; rm -rf /"), "boxes", ON_BOXES),
    "no page": (boxes(page=None), "boxes", ON_BOXES),
    "negative span": (boxes(span=[-5, 2]), "boxes", ON_BOXES),
    "span beyond the text": (boxes(span=[0, 10**9]), "boxes", ON_BOXES),
    "class that is a list": (boxes(**{"class": ["x"]}), "boxes", ON_BOXES),
    "class with NUL": (boxes(**{"class": "a\0b"}), "boxes", ON_BOXES),
    "deep nesting": ({"boxes": DEEP}, "boxes", ON_BOXES),
    "ten megabytes": ({"boxes": TEN_MEGABYTES}, "boxes", ON_BOXES),
    "too many records": ({"boxes": json.dumps([0] * 60_000)}, "boxes", ON_BOXES),
    "no JSON": ({"boxes": "__import__('os').system('true')"}, "boxes", ON_BOXES),
    "no list": ({"boxes": '{"page": 1}'}, "boxes", ON_BOXES),
    "records that are none": ({"boxes": "[[]]"}, "boxes", ON_BOXES),
    "bytes": ({"boxes": b"\x80\x04]."}, "boxes", ON_BOXES),
    "number for JSON": ({"boxes": 7}, "boxes", ON_BOXES),
    "line of NaN": ({"lines": "[[1,NaN,0,1,1,0,1]]"}, "lines", LOCATE),
    "line on page minus one": (row(-1, 0, 0, 1, 1, 0, 1), "lines", LOCATE),
    "line that ends before it begins": (row(1, 0, 0, 1, 1, 9, 1), "lines", LOCATE),
    "line beyond the text": (row(1, 0, 0, 1, 1, 0, 10**9), "lines", LOCATE),
    "line of six": (row(1, 0, 0, 1, 1, 0), "lines", LOCATE),
    "deep lines": ({"lines": DEEP}, "lines", LOCATE),
    "ten megabytes of lines": ({"lines": TEN_MEGABYTES}, "lines", LOCATE),
    "lines that are none": ({"lines": True}, "lines", LOCATE),
    "quote of NaN": (region(1, float("nan")), "quotes", ON_QUOTES),
    "quote far away": (region(1, 1e300), "quotes", ON_QUOTES),
    "quote on page zero": (region(0, 10), "quotes", ON_QUOTES),
    "quote on a huge page": (region(10**20, 10), "quotes", ON_QUOTES),
    "quote that the text has not": (quotes(text="The company is bankrupt."), "quotes", ON_QUOTES),
    "status that is a script": (quotes(status="<script>"), "quotes", ON_QUOTES),
    "score beyond a hundred": (quotes(score=1e9), "quotes", ON_QUOTES),
    "many quads": (quotes(regions=[{"page": 1, "quads": [0] * 60_000}]), "quotes", ON_QUOTES),
    "deep quotes": ({"quotes": DEEP}, "quotes", ON_QUOTES),
    "ten megabytes of quotes": ({"quotes": TEN_MEGABYTES}, "quotes", ON_QUOTES),
    "version to come": ({"coords_version": 99}, "coords_version", ALL),
    "version that is NaN": ({"coords_version": float("nan")}, "coords_version", ALL),
    "version that is text": ({"coords_version": "1; --"}, "coords_version", ALL),
    "no source": ({"source": None}, "source", ALL),
    "source that is a number": ({"source": 0}, "source", ALL),
    "source that is a list": ({"source": ["report.pdf"]}, "source", ALL),
    "source that is bytes": ({"source": b"report.pdf"}, "source", ALL),
}

SOURCES: dict[str, tuple[str, type[PyMuPDFCoordsError]]] = {
    "parent": ("../secret.pdf", SourceAccessError),
    "parent within": ("sub/../../secret.pdf", SourceAccessError),
    "absolute": ("{outside}/secret.pdf", SourceAccessError),
    "file URL": ("file://{outside}/secret.pdf", SourceAccessError),
    "escaped file URL": ("file://{root}/%2e%2e/secret.pdf", SourceAccessError),
    "file URL of a host": ("file://evil.example/secret.pdf", SourceAccessError),
    "link": ("link.pdf", SourceAccessError),
    "link of a folder": ("linked/secret.pdf", SourceAccessError),
    "UNC": (r"\\evil.example\share\secret.pdf", SourceAccessError),
    "drive": ("C:\\secret.pdf", SourceAccessError),
    "device": ("/dev/zero", SourceAccessError),
    "standard input": ("/dev/stdin", SourceAccessError),
    "memory of the process": ("/proc/self/mem", SourceAccessError),
    "environment": ("/proc/self/environ", SourceAccessError),
    "pipe": ("pipe.pdf", SourceAccessError),
    "folder": (".", SourceAccessError),
    "NUL": ("report.pdf\0.txt", SourceAccessError),
    "endless": ("a/" * 500_000, SourceAccessError),
    "long name": ("a" * 300, SourceUnavailableError),
    "loop of links": ("loop.pdf", SourceUnavailableError),
    "lone surrogate": ("\ud800.pdf", SourceUnavailableError),
    "http": ("http://127.0.0.1:9/secret.pdf", SourceUnavailableError),
    "metadata service": ("http://169.254.169.254/latest/meta-data/", SourceUnavailableError),
    "bucket": ("s3://bucket/secret.pdf", SourceUnavailableError),
    "home": ("~/.ssh/id_rsa", SourceUnavailableError),
    "shell": ("$(touch owned).pdf", SourceUnavailableError),
    "empty": ("", SourceUnavailableError),
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root folder with a report, traps in it and a secret beside it."""
    outside = tmp_path_factory.mktemp("outside")
    root = outside / "root"
    (root / "sub").mkdir(parents=True)
    (root / "report.pdf").write_bytes(report_pdf())
    (outside / "secret.pdf").write_bytes(SECRET)
    (root / "link.pdf").symlink_to(outside / "secret.pdf")
    (root / "linked").symlink_to(outside)
    (root / "loop.pdf").symlink_to(root / "loop.pdf")
    os.mkfifo(root / "pipe.pdf")
    return root


class Watch:
    """Records files that are opened and addresses that are connected to, by Python or by the engine."""

    def __init__(self) -> None:
        self.active = False
        self.seen: list[str] = []
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if self.active and event in (
            "open",
            "socket.connect",
            "socket.getaddrinfo",
            "subprocess.Popen",
            "os.system",
        ):
            self.seen.append(f"{event} {args[0]!r} {args[1:2]}")


WATCH = Watch()


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What is opened while a test runs, the engine's documents included."""
    import pymupdf

    opened = pymupdf.Document.__init__

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        WATCH.seen.append(f"engine {args} {sorted(kwargs)}")
        opened(self, *args, **kwargs)

    monkeypatch.setattr(pymupdf.Document, "__init__", init)
    WATCH.seen.clear()
    WATCH.active = True
    yield WATCH.seen
    WATCH.active = False


@pytest.fixture(scope="module")
def document(house: Path, report_documents: list[Document]) -> Document:
    original = report_documents[0]
    chunk = original.model_copy(update={"metadata": {**original.metadata, "source": "report.pdf"}})
    (located,) = (
        CitationLocator(locator=QuoteLocator(root=str(house)))
        .invoke({"answer": f"“{QUOTE}”", "documents": [chunk]})
        .documents
    )
    return located


@pytest.mark.parametrize("name", RUNS)
def test_honest_document_passes(name: str, document: Document, house: Path) -> None:
    assert RUNS[name](document, house)


def test_tables_are_long_enough() -> None:
    assert len(METADATA) + len(SOURCES) >= 25


@pytest.mark.parametrize("case", METADATA)
def test_hostile_metadata_is_refused_by_key(
    case: str, document: Document, house: Path, watched: list[str]
) -> None:
    changed, key, refusing = METADATA[case]
    hostile = with_metadata(document, changed)
    for name, run in RUNS.items():
        watched.clear()
        if name in refusing:
            with pytest.raises(ProvenanceError, match=rf"metadata\['{key}'\]") as caught:
                run(hostile, house)
            assert len(str(caught.value)) < 700
            assert "secret" not in " ".join(watched)
            if name not in LOCATE:
                assert watched == [], name
        else:
            run(hostile, house)


@pytest.mark.parametrize("case", SOURCES)
def test_hostile_source_is_refused_and_not_opened(
    case: str, document: Document, house: Path, watched: list[str]
) -> None:
    source, error = SOURCES[case]
    source = source.replace("{outside}", str(house.parent)).replace("{root}", str(house))
    hostile = with_metadata(document, {"source": source})
    for name, run in RUNS.items():
        watched.clear()
        if name in LOCATE and error is SourceUnavailableError:
            run(hostile, house)  # by the stored lines, as for any file that is not there
        else:
            with pytest.raises(error) as caught:
                run(hostile, house)
            assert len(str(caught.value)) < 1000
            assert "\0" not in str(caught.value)
        assert watched == [], name


@pytest.mark.parametrize(
    "case", ["ten megabytes", "deep nesting", "too many records", "huge page", "endless"]
)
def test_worst_values_take_bounded_time_and_memory(case: str, document: Document, house: Path) -> None:
    changed = METADATA[case][0] if case in METADATA else {"source": SOURCES[case][0]}
    hostile = with_metadata(document, changed)
    for run in RUNS.values():
        tracemalloc.start()
        start = time.process_time()
        with contextlib.suppress(PyMuPDFCoordsError):
            run(hostile, house)
        elapsed = time.process_time() - start
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert elapsed < 10
        assert peak < 64_000_000


PLACES = {
    "page that the file has not": (999, [72, 188, 523, 232]),
    "box beside the page": (1, [5000, 5000, 6000, 6000]),
    "box as wide as the world": (1, [-1e6, -1e6, 1e6, 1e6]),
    "box without a size": (1, [100, 100, 100, 100]),
}


@pytest.mark.parametrize("case", PLACES)
def test_places_that_the_file_has_not(case: str, document: Document, house: Path) -> None:
    """Well formed and yet not of this file: refused, or shown within the page, and never confirmed."""
    page, bbox = PLACES[case]
    x0, y0, x1, y1 = bbox
    quad = [[x0, y0], [x1, y0], [x0, y1], [x1, y1]]
    text = document.page_content
    forged = boxes(page=page, bbox=bbox, span=[0, len(text)])
    forged |= {"lines": json.dumps([[page, *map(float, bbox), 0, len(text)]])}
    forged |= quotes(regions=[{"page": page, "quads": [quad]}])
    hostile = with_metadata(document, forged)
    for name, run in RUNS.items():
        tracemalloc.start()
        try:
            result: Any = run(hostile, house)
        except PyMuPDFCoordsError:
            result = None
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 64_000_000, name
        if name == "cite":
            assert not result.citations[0].confirmed
    if "has not" in case or "beside" in case:
        for name in ("crop", "annotate"):
            with pytest.raises(ProvenanceError, match="does not fit its file"):
                RUNS[name](hostile, house)


def test_many_boxes_of_a_page_are_within_the_budget(document: Document, house: Path) -> None:
    box = {"page": 1, "bbox": [0, 0, 595, 842], "class": "text"}
    hostile = with_metadata(document, {"boxes": json.dumps([box] * 400)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        SourceCropTransformer(root=house, by="box", max_total_pixels=1_000_000).invoke([hostile])
        assert time.process_time() - start < 30


def test_secret_never_shows(document: Document, house: Path) -> None:
    """Not in an error, and not in anything that is made for a prompt."""
    for source, _ in SOURCES.values():
        source = source.replace("{outside}", str(house.parent)).replace("{root}", str(house))
        hostile = with_metadata(document, {"source": source})
        for run in RUNS.values():
            try:
                shown = str(run(hostile, house))
            except PyMuPDFCoordsError as error:
                shown = f"{error} {error.__cause__!r}"
            assert "secret of the house" not in shown
        assert "secret of the house" not in str(content_blocks([hostile]))
