"""Annotated copies, read by PyMuPDF and by PDFium: the highlight lies on the ink of the words."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords.annotations import annotate_pdf
from langchain_pymupdf_coords.errors import (
    OptionError,
    PDFOpenError,
    PDFPasswordError,
    ProvenanceError,
    SourceAccessError,
    SourceChangedError,
    SourceUnavailableError,
)
from langchain_pymupdf_coords.geometry import BBox, bbox_to_quad
from langchain_pymupdf_coords.pdf.colors import PASSAGE_COLOR, STATUS_COLORS
from langchain_pymupdf_coords.provenance import Difference, QuoteMatch, Region, SourceBox
from tests.support.highlights import (
    check_highlight,
    coloured,
    extent,
    rendered_by_mupdf,
    rendered_by_pdfium,
)
from tests.support.pdf_drawing import CROPPED, PAGE_TEXT, text_pdf
from tests.support.pdf_factory import encrypted_pdf, short_page_tree_pdf
from tests.support.quoted_documents import QUOTE, by_hand, located, match_at


def layouts() -> Iterator[tuple[int, BBox | None, tuple[float, float]]]:
    for rotation, cropped, origin in itertools.product(
        (0, 90, 180, 270), (False, True), ((0, 0), (-120, 35))
    ):
        x, y = origin
        box = (CROPPED[0] + x, CROPPED[1] + y, CROPPED[2] + x, CROPPED[3] + y) if cropped else None
        yield rotation, box, origin


@pytest.mark.parametrize(("rotation", "crop", "origin"), list(layouts()))
def test_the_highlight_lies_on_the_words(
    tmp_path: Path, rotation: int, crop: BBox | None, origin: tuple[float, float]
) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf(rotation=rotation, cropbox=crop, mediabox_origin=origin))
    copy = annotate_pdf(located(path), tmp_path / "copy.pdf")

    for render in (rendered_by_pdfium, rendered_by_mupdf):
        check_highlight(render(path), render(copy))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_page_in_larger_units(tmp_path: Path, rotation: int) -> None:
    document = pymupdf.open(stream=text_pdf(rotation=rotation, cropbox=CROPPED))
    document.xref_set_key(document.page_xref(0), "UserUnit", "2")
    document.save(tmp_path / "report.pdf")
    line = (80.0, 120.0, 380.0, 142.0)
    annotate_pdf([by_hand(tmp_path / "report.pdf", [], [match_at(1, line)], "Seven")], tmp_path / "copy.pdf")
    found = extent(coloured(rendered_by_mupdf(tmp_path / "copy.pdf")))
    assert found == pytest.approx(line, abs=6)
    by_pdfium = extent(coloured(rendered_by_pdfium(tmp_path / "copy.pdf")))  # which ignores the unit
    assert by_pdfium == pytest.approx([edge / 2 for edge in found], abs=1)


@pytest.mark.parametrize("rotation", [0, 90])
def test_a_highlight_of_text_that_runs_upwards_stays_on_its_line(tmp_path: Path, rotation: int) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf(rotation=rotation))
    line = (300.0, 200.0, 311.0, 400.0)
    copy = annotate_pdf([by_hand(path, [], [match_at(1, line)], "Seven")], tmp_path / "copy.pdf")
    for render in (rendered_by_pdfium, rendered_by_mupdf):
        x0, y0, x1, y1 = extent(coloured(render(copy)))
        assert (x0, x1) == pytest.approx((300, 311), abs=0.5)
        assert 195 < y0 < 200
        assert 400 < y1 < 405


def annotations(path: Path, page: int = 1) -> list[dict[str, object]]:
    with pymupdf.open(path) as document:
        return [
            {
                **annot.info,
                "type": annot.type[1],
                "color": annot.colors["stroke"],
                "quads": len(annot.vertices or ()) // 4,
            }
            for annot in document[page - 1].annots()
        ]


def test_title_note_and_colour_tell_of_the_quote(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf())
    line = (36.0, 55.0, 180.0, 66.0)
    matches = [match_at(1, line, status=status, quote=f"“{status}” ﬁ 港") for status in STATUS_COLORS]
    annotate_pdf([by_hand(path, [SourceBox(1, line)], matches, "Seven boats")], tmp_path / "copy.pdf")
    found = annotations(tmp_path / "copy.pdf")
    assert [annot["title"] for annot in found] == [f"Quote ({status})" for status in STATUS_COLORS]
    assert [annot["type"] for annot in found] == ["Highlight"] * 4
    for annot, (status, color) in zip(found, STATUS_COLORS.items(), strict=True):
        assert annot["color"] == pytest.approx(color, abs=0.001)
        quote, _, rest = str(annot["content"]).partition("\n\n")
        assert quote == f"“{status}” ﬁ 港"
        assert rest == ("On the page (91 % alike): Seven" if status in ("fuzzy", "fragments") else "")


def test_note_tells_the_differences(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf())
    line = (36.0, 55.0, 180.0, 66.0)
    difference = Difference("quotation_mark", "“", "", (0, 1), (0, 0))
    match = replace(match_at(1, line, status="normalized", quote="“Seven"), differences=(difference,))
    annotate_pdf([by_hand(path, [SourceBox(1, line)], [match], "Seven boats")], tmp_path / "copy.pdf")
    (annot,) = annotations(tmp_path / "copy.pdf")
    assert annot["content"] == (
        '“Seven\n\nDifference: quotation mark: the quote has "“", the page has nothing'
    )


def test_one_annotation_per_page_of_a_quote_and_one_quad_per_line(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf(pages=[PAGE_TEXT, PAGE_TEXT]))
    quads = tuple(bbox_to_quad((36.0, top, 180.0, top + 11)) for top in (55.0, 72.0))
    regions = (Region(1, quads), Region(2, quads[:1]))
    match = QuoteMatch("Seven", "Seven", (0, 5), "exact", 100.0, 1, "word", regions)
    annotate_pdf([by_hand(path, [], [match], "Seven boats")], tmp_path / "copy.pdf")
    first, second = annotations(tmp_path / "copy.pdf", 1), annotations(tmp_path / "copy.pdf", 2)
    assert [(annot["title"], annot["quads"]) for annot in first] == [("Quote (exact, part 1 of 2)", 2)]
    assert [(annot["title"], annot["quads"]) for annot in second] == [("Quote (exact, part 2 of 2)", 1)]


def test_a_quote_in_two_overlapping_chunks_is_highlighted_once(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf())
    document = located(path)[0]
    annotate_pdf([document, document.model_copy()], tmp_path / "copy.pdf")
    assert len(annotations(tmp_path / "copy.pdf")) == 1


def test_boxes_instead_of_quotes(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf())
    boxes = [SourceBox(1, (36.0, 40.0, 180.0, 66.0), box_class="section-header", span=(0, 5))]
    document = by_hand(path, boxes, [match_at(1, (36.0, 55.0, 60.0, 66.0))], "Seven boats")
    annotate_pdf([document], tmp_path / "copy.pdf", mark="boxes")
    (annot,) = annotations(tmp_path / "copy.pdf")
    assert (annot["title"], annot["content"]) == ("Passage (section-header)", "Seven")
    assert annot["color"] == pytest.approx(PASSAGE_COLOR, abs=0.001)


def test_documents_of_the_articles_form(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf())
    boxes = '[{"page": 1, "bbox": [36, 40, 180, 66]}]'
    annotate_pdf(
        [Document("x", metadata={"source": str(path), "page": 1, "boxes": boxes})],
        tmp_path / "copy.pdf",
        mark="boxes",
    )
    assert [annot["title"] for annot in annotations(tmp_path / "copy.pdf")] == ["Passage (text)"]


def test_the_original_stays_as_it_is_and_documents_too(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf())
    data, stamp = path.read_bytes(), path.stat().st_mtime_ns
    documents = located(path)
    copies = [document.model_copy(deep=True) for document in documents]
    assert annotate_pdf(documents, tmp_path / "copy.pdf") == tmp_path / "copy.pdf"
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (data, stamp)
    assert documents == copies
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.pdf", "report.pdf"]


@pytest.mark.parametrize("link", [False, True])
def test_the_source_itself_is_never_written(tmp_path: Path, link: bool) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf())
    target = tmp_path / "link.pdf" if link else path
    if link:
        target.symlink_to(path)
    with pytest.raises(OptionError, match="is the source itself"):
        annotate_pdf(located(path), target)
    assert path.read_bytes() == text_pdf()


def test_an_error_leaves_the_old_copy_and_no_scraps(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(short_page_tree_pdf())
    (tmp_path / "copy.pdf").write_text("old")
    with pytest.raises(PDFOpenError, match=r"report\.pdf.* cannot be annotated"):
        annotate_pdf(
            [by_hand(path, [], [match_at(3, (36.0, 55.0, 60.0, 66.0))], "Seven")], tmp_path / "copy.pdf"
        )
    assert (tmp_path / "copy.pdf").read_text() == "old"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.pdf", "report.pdf"]


def test_a_copy_gets_the_rights_of_any_new_file(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf())
    annotate_pdf(located(path), tmp_path / "copy.pdf")
    assert (tmp_path / "copy.pdf").stat().st_mode == path.stat().st_mode


def test_several_files_need_a_choice(tmp_path: Path) -> None:
    line = (36.0, 55.0, 180.0, 66.0)
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / name).write_bytes(text_pdf())
    documents = [by_hand(tmp_path / name, [], [match_at(1, line)], "Seven") for name in ("a.pdf", "b.pdf")]
    with pytest.raises(OptionError, match=r"source= of .*a\.pdf', .*b\.pdf'"):
        annotate_pdf(documents, tmp_path / "copy.pdf")
    annotate_pdf(documents, tmp_path / "copy.pdf", source=str(tmp_path / "b.pdf"))
    assert len(annotations(tmp_path / "copy.pdf")) == 1
    with pytest.raises(OptionError, match=r"no document has source 'c\.pdf'"):
        annotate_pdf(documents, tmp_path / "copy.pdf", source="c.pdf")
    with pytest.raises(OptionError, match="empty"):
        annotate_pdf([], tmp_path / "copy.pdf")


def test_nothing_located_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ProvenanceError, match=r"metadata\['quotes'\].*QuoteLocatingRetriever"):
        annotate_pdf([by_hand("a.pdf", [], [], "Seven")], tmp_path / "copy.pdf")
    with pytest.raises(OptionError, match="mark must be"):
        annotate_pdf([], tmp_path / "copy.pdf", mark="lines")


@pytest.mark.parametrize(
    ("page", "bbox"),
    [
        (2, (36.0, 55.0, 60.0, 66.0)),
        (1, (700.0, 55.0, 720.0, 66.0)),
        (1, (0.0, -9.0, 9.0, -1.0)),
        (1, (-9.0, 9.0, -1.0, 18.0)),
        (1, (0.0, 800.0, 9.0, 810.0)),
    ],
)
def test_quotes_that_are_not_of_this_file(tmp_path: Path, page: int, bbox: BBox) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf())
    with pytest.raises(ProvenanceError, match=r"metadata\['quotes'\] does not fit.*report\.pdf"):
        annotate_pdf([by_hand(path, [], [match_at(page, bbox)], "Seven")], tmp_path / "copy.pdf")


def test_files_that_are_gone_changed_or_out_of_bounds(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf())
    documents = located(path)
    (tmp_path / "root").mkdir()
    with pytest.raises(SourceAccessError):
        annotate_pdf(documents, tmp_path / "copy.pdf", root=tmp_path / "root")
    annotate_pdf(documents, tmp_path / "copy.pdf", root=tmp_path)
    path.write_bytes(text_pdf(pages=[["Another text."]]))
    with pytest.raises(SourceChangedError, match="index it again"):
        annotate_pdf(documents, tmp_path / "copy.pdf", on_change="raise")
    data = text_pdf()
    annotate_pdf(documents, tmp_path / "copy.pdf", resolver=lambda source: data)
    path.unlink()
    with pytest.raises(SourceUnavailableError):
        annotate_pdf(documents, tmp_path / "copy.pdf")


def test_an_encrypted_file_keeps_its_password(tmp_path: Path) -> None:
    path, copy = tmp_path / "report.pdf", tmp_path / "copy.pdf"
    path.write_bytes(encrypted_pdf())
    documents = located(path, password="user")
    with pytest.raises(PDFPasswordError):
        annotate_pdf(documents, copy)
    annotate_pdf(documents, copy, password="user")
    for password in ("user", "owner"):
        with pymupdf.open(copy) as document:
            assert document.needs_pass
            assert document.authenticate(password)
            assert [annot.info["content"] for annot in document[0].annots()] == [QUOTE]
    assert coloured(rendered_by_pdfium(copy, password="user")).any()


def test_pages_before_and_after_keep_their_annotations(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    document = pymupdf.open(stream=text_pdf(pages=[PAGE_TEXT, PAGE_TEXT]))
    document[0].add_text_annot((300, 300), "A note of the author.")
    document.save(path)
    line = (36.0, 55.0, 180.0, 66.0)
    annotate_pdf([by_hand(path, [], [match_at(1, line)], "Seven")], tmp_path / "copy.pdf")
    assert [annot["content"] for annot in annotations(tmp_path / "copy.pdf")] == [
        "A note of the author.",
        "Seven",
    ]
    with pymupdf.open(tmp_path / "copy.pdf") as copy:
        assert copy.page_count == 2
