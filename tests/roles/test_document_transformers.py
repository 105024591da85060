"""Source crops of Documents: what their pixels show, what they cost, and how they run in chains."""

import base64
import io
import json
import pickle
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from numpy.typing import NDArray
from PIL import Image

from langchain_pymupdf_coords import PyMuPDFCoordsLoader, QuoteLocator
from langchain_pymupdf_coords.crops.areas import MAX_CROPS, fair_limit
from langchain_pymupdf_coords.document_transformers import SourceCropTransformer
from langchain_pymupdf_coords.errors import (
    OptionError,
    PDFPasswordError,
    ProvenanceError,
    PyMuPDFCoordsWarning,
    RenderBudgetWarning,
    SourceAccessError,
    SourceChangedError,
    SourceChangedWarning,
    SourceUnavailableError,
    SourceUnavailableWarning,
)
from langchain_pymupdf_coords.geometry import BBox, bbox_to_quad
from langchain_pymupdf_coords.pdf.colors import STATUS_COLORS
from langchain_pymupdf_coords.provenance import QuoteMatch, Region, SourceBox, dump_boxes, dump_quotes
from langchain_pymupdf_coords.provenance.crops import Crop
from tests.support.ink import ink, ink_bbox
from tests.support.pdf_drawing import CROPPED
from tests.support.pdf_factory import (
    PAGE_TEXT,
    damaged_pdf,
    encrypted_pdf,
    huge_page_pdf,
    report_pdf,
    text_pdf,
)
from tests.support.read_once import loaded

LINE_1, LINE_2 = (36.0, 44.0, 188.0, 55.0), (36.0, 61.0, 196.0, 72.0)


def document(
    path: Path | str, boxes: Sequence[tuple[int, BBox]], matches: Sequence[QuoteMatch] = (), **metadata: Any
) -> Document:
    stored = dump_boxes(SourceBox(page, bbox) for page, bbox in boxes)
    quotes = {"quotes": dump_quotes(matches)} if matches else {}
    return Document("Seven", metadata={"source": str(path), "page": 1, "boxes": stored, **quotes, **metadata})


def quote_at(page: int, *bboxes: BBox) -> QuoteMatch:
    region = Region(page, tuple(map(bbox_to_quad, bboxes)))
    return QuoteMatch("Seven", "Seven", (0, 5), "exact", 100.0, 1, "word", (region,))


def pixels(crop: Crop) -> NDArray[np.uint8]:
    data = Path(crop.path).read_bytes() if crop.path else base64.b64decode(crop.base64)
    image = Image.open(io.BytesIO(data))
    assert image.size == (crop.width, crop.height)
    assert crop.mime_type == f"image/{image.format.lower()}"
    return np.asarray(image.convert("RGB"))


def crops_of(documents: Sequence[Document], **options: Any) -> list[list[Crop]]:
    found = SourceCropTransformer(**options).transform_documents(documents)
    return [list(Crop.from_document(item)) for item in found]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "report.pdf"
    file.write_bytes(text_pdf(pages=[PAGE_TEXT, PAGE_TEXT]))
    return file


# --- what the pictures show ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dpi", [72, 200])
@pytest.mark.parametrize("crop", [None, CROPPED])
@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_from_file_to_highlighted_crop(tmp_path: Path, rotation: int, crop: BBox | None, dpi: int) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf(rotation=rotation, cropbox=crop))
    documents = loaded(path, ocr="never")
    for item in documents:
        match = QuoteLocator().locate(item, PAGE_TEXT[1])
        item.metadata["quotes"] = dump_quotes([match] if match else [])
    found = [c for cs in crops_of(documents, by="quote", dpi=dpi, opacity=1.0) for c in cs]
    assert len(found) == 1
    picture, scale = pixels(found[0]).astype(int), dpi / 72
    left, top = (round(edge * scale) for edge in found[0].bbox[:2])
    dark = picture.max(axis=2) < 128
    page = ink(path.read_bytes(), dpi=dpi)
    shown = page[top : top + found[0].height, left : left + found[0].width]
    assert (dark != shown).mean() < 0.01  # the page, with its words, at their place
    expected = np.round(np.array(STATUS_COLORS["exact"]) * 255)
    marked = np.abs(picture - expected).max(axis=2) <= 2
    x0, y0, x1, y1 = ink_bbox(marked, dpi=dpi)
    line = ink_bbox(dark, (0, y0 - 1, found[0].width / scale, y1 + 1), dpi=dpi)
    assert (x0, x1) == pytest.approx((line[0], line[2]), abs=2.5)
    assert y0 <= line[1] + 1
    assert y1 >= line[3] - 1
    # All of one line is under the colour: what touches its dark pixels is no longer white.
    inside = picture[round(y0 * scale) : round(y1 * scale), round(x0 * scale) : round(x1 * scale)]
    assert (inside.min(axis=2) == 255).mean() < 0.02


def test_by_page_one_crop_per_page_with_the_union_of_boxes_and_the_margin(path: Path) -> None:
    boxes = [(1, LINE_2), (2, LINE_1), (1, (300.0, 100.0, 400.0, 120.0))]
    first, second = crops_of([document(path, boxes)])[0]
    assert (first.page, second.page) == (1, 2)
    assert first.bbox == pytest.approx((24.0, 49.0, 412.0, 132.0), abs=0.5)
    assert second.bbox == pytest.approx((24.0, 32.0, 200.0, 67.0), abs=0.5)
    assert first.width == pytest.approx((412 - 24) * 150 / 72, abs=2)
    bottom = ink_bbox(pixels(second).max(axis=2) < 128, dpi=150)
    assert bottom[0] == pytest.approx(12.7, abs=1)


def test_the_margin_ends_at_the_edge_of_the_page(path: Path) -> None:
    (crop,) = crops_of([document(path, [(1, (2.0, 2.0, 610.0, 790.0))])], margin=50)[0]
    assert crop.bbox == pytest.approx((0, 0, 612, 792), abs=0.5)
    assert (crop.width, crop.height) == (1275, 1650)


def test_by_box_in_reading_order(path: Path) -> None:
    found = crops_of([document(path, [(2, LINE_2), (1, LINE_1), (1, LINE_2)])], by="box", margin=0)[0]
    assert [crop.page for crop in found] == [2, 1, 1]
    assert [crop.bbox for crop in found] == [pytest.approx(box, abs=0.5) for box in (LINE_2, LINE_1, LINE_2)]


def test_by_quote_with_its_context_as_wide_as_its_boxes(path: Path) -> None:
    boxes = [(1, (30.0, 40.0, 500.0, 90.0)), (1, (20.0, 400.0, 590.0, 450.0)), (2, LINE_1)]
    item = document(path, boxes, [quote_at(1, (72.0, 61.0, 120.0, 72.0)), quote_at(2, LINE_1)])
    first, second = crops_of([item], by="quote")[0]
    assert (first.page, second.page) == (1, 2)
    assert first.bbox == pytest.approx((0.0, 25.0, 536.0, 108.0), abs=0.5)
    assert crops_of([document(path, boxes)], by="quote") == [[]]


def test_by_quote_text_that_runs_upwards_gets_whole_lines_too(path: Path) -> None:
    item = document(path, [(1, (100.0, 100.0, 300.0, 500.0))], [quote_at(1, (150.0, 200.0, 161.0, 300.0))])
    (crop,) = crops_of([item], by="quote", margin=10)[0]
    assert crop.bbox == pytest.approx((140.0, 90.0, 171.0, 510.0), abs=0.5)


def test_only_what_was_asked_for_is_drawn(path: Path) -> None:
    item = document(path, [(1, LINE_1), (1, LINE_2)], [quote_at(1, (72.0, 61.0, 120.0, 72.0))])
    red = (1.0, 0.0, 0.0)

    def counts(**options: Any) -> tuple[int, int]:
        (crop,) = crops_of([item], box_color=red, quote_color=(0.0, 1.0, 0.0), opacity=0.5, **options)[0]
        picture = pixels(crop).astype(int)
        reddish = (picture[..., 0] - picture[..., 2] > 40).sum()
        greenish = (picture[..., 1] - picture[..., 2] > 40).sum()
        return int(reddish > 500), int(greenish > 500)

    assert counts(draw=()) == counts(draw=None) == (0, 0)
    assert counts(draw="boxes") == (1, 0)
    assert counts() == (0, 1)
    assert counts(draw=["boxes", "quotes"]) == (1, 1)


def test_the_colour_tells_the_status_and_the_opacity_thins_it(path: Path) -> None:
    item = document(path, [(1, LINE_1)], [quote_at(1, (300.0, 40.0, 310.0, 60.0))])
    item.metadata["boxes"] = dump_boxes([SourceBox(1, (290.0, 40.0, 320.0, 60.0))])
    for opacity in (0.25, 1.0):
        (crop,) = crops_of([item], opacity=opacity)[0]
        middle = pixels(crop)[crop.height // 2, crop.width // 2]
        expected = [255 * (1 - opacity * (1 - part)) for part in STATUS_COLORS["exact"]]
        assert middle == pytest.approx(expected, abs=1.5)


def test_documents_are_not_changed_and_keep_their_order_and_id(path: Path) -> None:
    items = [
        Document("b", id="2", metadata={**document(path, [(2, LINE_1)]).metadata, "section": "B"}),
        Document("a", id="1", metadata=document(path, [(1, LINE_1)]).metadata),
    ]
    before = [item.model_copy(deep=True) for item in items]
    found = SourceCropTransformer().transform_documents(items)
    assert items == before
    assert [(item.id, item.page_content) for item in found] == [("2", "b"), ("1", "a")]
    assert [Crop.from_document(item)[0].page for item in found] == [2, 1]
    for item, original in zip(found, items, strict=True):
        assert {k: v for k, v in item.metadata.items() if k != "crops"} == original.metadata


def test_the_stored_form(path: Path) -> None:
    (item,) = SourceCropTransformer(dpi=72).transform_documents([document(path, [(1, LINE_1)])])
    (record,) = json.loads(item.metadata["crops"])
    assert list(record) == ["page", "bbox", "width", "height", "mime_type", "base64"]
    assert record["bbox"] == [24.0, 32.0, 200.0, 67.0]


def test_crops_of_before_are_replaced(path: Path) -> None:
    item = document(path, [(1, LINE_1)], crops="[malformed")
    assert len(crops_of([item])[0]) == 1


# --- files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("image_format", ["png", "jpeg", "webp"])
def test_files_in_a_folder(path: Path, tmp_path: Path, image_format: str) -> None:
    folder = tmp_path / "new" / "crops"
    items = [document(path, [(1, LINE_1)]), document(path, [(2, LINE_2)])]
    found = crops_of(items, folder=folder, image_format=image_format)
    names = [Path(crops[0].path) for crops in found]
    assert [name.parent for name in names] == [folder, folder]
    assert [name.name[:9] for name in names] == ["report-p1", "report-p2"]
    assert {name.suffix for name in names} == {f".{image_format}"}
    assert all(pixels(crops[0]).min() < 100 for crops in found)
    assert {name.stat().st_mode for name in names} == {path.stat().st_mode}
    assert crops_of(items, folder=folder, image_format=image_format) == found
    assert sorted(folder.iterdir()) == sorted(names)


def test_a_name_of_a_file_cannot_leave_the_folder(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    for source in (
        "../../etc/../pass wd.pdf",
        "..",
        "s3://b/\u202e.pdf",
        "C:\\a\\..\\b.pdf",
        "x" * 300 + ".pdf",
    ):
        (crop,) = crops_of(
            [document(source, [(1, LINE_1)])], folder=tmp_path / "out", resolver=lambda _: data
        )[0]
        written = Path(crop.path)
        assert written.parent == tmp_path / "out"
        assert written.name.isascii()
        assert len(written.name) < 80


# --- limits -------------------------------------------------------------------------------------------------


def test_a_crop_over_its_limit_is_made_smaller_with_a_warning(path: Path) -> None:
    items = [document(path, [(1, (0.0, 0.0, 612.0, 792.0))]), document(path, [(2, LINE_1)])]
    with pytest.warns(RenderBudgetWarning, match=r"1 picture\(s\) .*page 1 of '.*report\.pdf'") as caught:
        (large,), (small,) = crops_of(items, max_pixels=100_000)
    assert len(caught) == 1
    assert 90_000 < large.width * large.height <= 100_000
    assert large.bbox == pytest.approx((0, 0, 612, 792), abs=3)
    assert small.width == pytest.approx(176 * 150 / 72, abs=2)
    assert pixels(large).shape == (large.height, large.width, 3)


def test_the_total_is_shared_so_that_small_crops_stay_whole(path: Path) -> None:
    whole = (0.0, 0.0, 612.0, 792.0)
    items = [document(path, [(1, whole)]), document(path, [(1, LINE_1)]), document(path, [(2, whole)])]
    with pytest.warns(RenderBudgetWarning, match=r"2 picture\(s\)"):
        found = [crop for crops in crops_of(items, max_total_pixels=500_000) for crop in crops]
    areas = [crop.width * crop.height for crop in found]
    assert 450_000 < sum(areas) <= 500_000
    assert areas[0] == areas[2]
    assert found[1].width == pytest.approx(176 * 150 / 72, abs=2)


def test_fair_limit() -> None:
    assert fair_limit([], 10) == float("inf")
    assert fair_limit([1, 2, 3], 6) == float("inf")
    assert fair_limit([8, 1, 8], 7) == 3
    assert fair_limit([5, 5, 5, 5], 10) == 2.5


@pytest.mark.parametrize("bbox", [(-1e6, -1e6, 1e6, 1e6), (0.0, 0.0, 1e6, 1e-9), (611.9, 0.0, 1e6, 1e6)])
def test_a_hostile_box_is_cut_to_the_page(path: Path, bbox: BBox) -> None:
    for by in ("page", "box"):
        (crop,) = crops_of([document(path, [(1, bbox)])], by=by, margin=0)[0]
        assert crop.width <= 1276
        assert crop.height <= 1651


def test_a_page_too_large_for_the_engine(tmp_path: Path) -> None:
    path = tmp_path / "huge.pdf"
    path.write_bytes(huge_page_pdf())
    with pytest.warns(RenderBudgetWarning):
        (crop,) = crops_of([document(path, [(1, (0.0, 0.0, 20_000.0, 20_000.0))])], max_pixels=200_000)[0]
    assert crop.width * crop.height <= 200_000


def test_a_document_cannot_ask_for_pictures_without_end(path: Path) -> None:
    item = document(path, [(1, LINE_1)] * (MAX_CROPS + 1))
    with pytest.raises(ProvenanceError, match=r"more than 1000 pictures.*report\.pdf.*by='page'"):
        crops_of([item], by="box")
    assert len(crops_of([item])[0]) == 1


@pytest.mark.parametrize(("page", "bbox"), [(3, LINE_1), (1, (700.0, 10.0, 720.0, 20.0))])
def test_boxes_that_are_not_of_this_file(path: Path, page: int, bbox: BBox) -> None:
    with pytest.raises(ProvenanceError, match=r"metadata\['boxes'\] does not fit its file: .*report\.pdf"):
        crops_of([document(path, [(page, bbox)])])


def test_without_boxes_there_is_nothing_to_show(path: Path) -> None:
    with pytest.raises(ProvenanceError, match=r"metadata\['boxes'\]"):
        crops_of([Document("x", metadata={"source": str(path)})])
    with pytest.raises(ProvenanceError, match=r"metadata\['source'\]"):
        crops_of([Document("x", metadata={"boxes": '[{"page": 1, "bbox": [1, 2, 3, 4]}]'})])


# --- sources ------------------------------------------------------------------------------------------------


def test_each_file_is_asked_for_once(path: Path) -> None:
    asked = []

    def resolver(source: str) -> str:
        asked.append(source)
        return str(path)

    items = [document(name, [(page, LINE_1)]) for page in (1, 2) for name in ("a.pdf", "b.pdf")]
    assert [len(crops) for crops in crops_of(items, resolver=resolver)] == [1] * 4
    assert asked == ["a.pdf", "b.pdf"]


def test_root_and_password(path: Path, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    with pytest.raises(SourceAccessError):
        crops_of([document(path, [(1, LINE_1)])], root=tmp_path / "root", on_error="warn")
    assert crops_of([document("report.pdf", [(1, LINE_1)])], root=tmp_path)[0]
    path.write_bytes(encrypted_pdf())
    with pytest.raises(PDFPasswordError):
        crops_of([document(path, [(1, LINE_1)])], on_error="warn")
    assert crops_of([document(path, [(1, LINE_1)])], password="user")[0]


def test_files_that_cannot_be_shown(path: Path, tmp_path: Path) -> None:
    (tmp_path / "damaged.pdf").write_bytes(damaged_pdf())
    good = document(path, [(1, LINE_1)])
    bad = [
        document(tmp_path / "gone.pdf", [(1, LINE_1)]),
        document(path, [(1, LINE_1)], source_digest="sha256:" + "0" * 64),
        document(tmp_path / "damaged.pdf", [(1, LINE_1)]),
    ]
    with pytest.raises(SourceUnavailableError, match=r"gone\.pdf"):
        crops_of([good, bad[0]])
    with pytest.raises(SourceChangedError, match=r"report\.pdf"):
        crops_of([bad[1], good], on_change="raise")
    with pytest.warns(PyMuPDFCoordsWarning) as caught:
        found = crops_of([*bad, good], on_error="warn")
    assert [len(crops) for crops in found] == [0, 0, 0, 1]
    assert {
        (warning.category, str(warning.message).split("'")[1].rpartition("/")[2]) for warning in caught
    } == {
        (SourceUnavailableWarning, "damaged.pdf"),
        (SourceUnavailableWarning, "gone.pdf"),
        (SourceChangedWarning, "report.pdf"),
    }


# --- as a step of a chain -----------------------------------------------------------------------------------


class ListRetriever(BaseRetriever):
    documents: list[Document]

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return self.documents


async def test_invoke_batch_and_their_async_forms_agree(path: Path) -> None:
    items = [document(path, [(1, LINE_1)]), document(path, [(2, LINE_2)])]
    transformer = SourceCropTransformer(dpi=72)
    expected = transformer.transform_documents(items)
    assert transformer.invoke(items) == expected
    assert await transformer.ainvoke(items) == expected
    assert await transformer.atransform_documents(items) == expected
    assert transformer.batch([items, items[:1]] * 3) == [expected, expected[:1]] * 3
    assert await transformer.abatch([items] * 3) == [expected] * 3
    assert transformer.transform_documents([]) == []


def test_after_a_retriever_and_before_other_steps(path: Path) -> None:
    retriever = ListRetriever(documents=[document(path, [(1, LINE_1)])])
    chain = (
        retriever
        | SourceCropTransformer(dpi=72)
        | RunnableLambda(lambda found: len(found[0].metadata["crops"]))
    )
    assert chain.invoke("Which boats?") > 500
    assert next(iter(chain.stream("Which boats?"))) > 500


def test_runs_are_traced(path: Path) -> None:
    seen = []
    listener = SourceCropTransformer(dpi=72).with_listeners(on_end=lambda run: seen.append(run.name))
    listener.invoke([document(path, [(1, LINE_1)])])
    assert seen == ["SourceCropTransformer"]


def test_it_can_be_pickled_and_keeps_its_password_to_itself(path: Path) -> None:
    transformer = SourceCropTransformer(by="box", draw={"boxes"}, password="secret", root=path.parent)
    assert pickle.loads(pickle.dumps(transformer)) == transformer
    assert "secret" not in repr(transformer)


@pytest.mark.parametrize(
    "options",
    [
        {"by": "line"},
        {"image_format": "gif"},
        {"draw": ["words"]},
        {"draw": "words"},
        {"on_error": "ignore"},
        {"margin": -1},
        {"dpi": 0},
        {"dpi": float("nan")},
        {"dpi": True},
        {"opacity": 1.1},
        {"max_pixels": 0},
        {"max_total_pixels": 0.5},
        {"box_color": (1, 2, 3)},
        {"quote_color": "red"},
        {"quote_color": (1.0, 0.0)},
    ],
    ids=str,
)
def test_options_that_cannot_be_used(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=f"^{next(iter(options))} "):
        SourceCropTransformer(**options)


# --- crops from metadata ------------------------------------------------------------------------------------


GOOD = {"page": 1, "bbox": [0, 0, 9, 9], "width": 1, "height": 1, "mime_type": "image/png", "base64": "AAAA"}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"page": 0}, "page"),
        ({"bbox": [0, 0, 9]}, "bbox"),
        ({"width": 0}, "width"),
        ({"height": 10**9}, "height"),
        ({"mime_type": "text/html"}, "mime_type"),
        ({"base64": "<script>"}, "base64"),
        ({"base64": ""}, "base64"),
        ({"base64": None}, "base64 or path"),
        ({"path": "a.png"}, "base64 or path"),
        ({"base64": None, "path": 3}, "path"),
    ],
)
def test_crafted_crops_are_refused(change: dict[str, Any], problem: str) -> None:
    Crop.from_document(Document("x", metadata={"crops": json.dumps([GOOD])}))
    crafted = Document("x", metadata={"source": "a.pdf", "crops": json.dumps([{**GOOD, **change}])})
    with pytest.raises(ProvenanceError, match=rf"metadata\['crops'\] record 0: .*{problem}.*a\.pdf"):
        Crop.from_document(crafted)


def test_large_crops_are_read_back() -> None:
    record = {**GOOD, "base64": "A" * 4_000_000}
    (crop,) = Crop.from_document(Document("x", metadata={"crops": json.dumps([record])}))
    assert len(crop.base64) == 4_000_000


def test_no_warning_without_a_reason(path: Path, tmp_path: Path) -> None:
    (tmp_path / "sample.pdf").write_bytes(report_pdf())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert crops_of(PyMuPDFCoordsLoader(tmp_path / "sample.pdf", ocr="never").load())
