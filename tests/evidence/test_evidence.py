"""The evidence page as a file: what it says, what it shows, and that nothing gets in or out."""

import base64
import hashlib
import io
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from langchain_core.documents import Document
from PIL import Image

from langchain_pymupdf_coords import Difference, PyMuPDFCoordsLoader, QuoteMatch, SourceBox, evidence_html
from langchain_pymupdf_coords.errors import (
    OptionError,
    PDFPasswordError,
    ProvenanceError,
    RenderBudgetWarning,
    SourceAccessError,
    SourceChangedError,
    SourceChangedWarning,
    SourceUnavailableError,
    SourceUnavailableWarning,
)
from langchain_pymupdf_coords.provenance import dump_quotes
from tests.support.ink import ink
from tests.support.pdf_factory import PAGE_TEXT, encrypted_pdf, text_pdf
from tests.support.quoted_documents import by_hand, located, match_at
from tests.support.sample_report import PAGE_LABELS, SECTIONS, TITLE

REPORT_QUOTE = "Storms in January kept the boats in port for eleven days."
BOX = SourceBox(1, (30.0, 40.0, 300.0, 60.0))
ATTACK = '</style></script><script>document.title = "taken"</script><img src=x onerror=alert(1)>"\'&amp;'


class Page(HTMLParser):
    """The elements of a page: tag, attributes and the text inside."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self._open: list[int] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self.texts.append("")
        if tag not in ("meta", "img"):
            self._open.append(len(self.elements) - 1)

    def handle_endtag(self, tag: str) -> None:
        assert self.elements[self._open.pop()][0] == tag

    def handle_data(self, data: str) -> None:
        for index in self._open:
            self.texts[index] += data

    def all(self, tag: str, class_: str = "") -> list[tuple[dict[str, str], str]]:
        """Attributes and text of the elements of a tag that have a class."""
        pairs = zip(self.elements, self.texts, strict=True)
        return [
            (a, text)
            for (t, a), text in pairs
            if t == tag and (not class_ or class_ in a.get("class", "").split())
        ]

    def text(self, tag: str, class_: str = "") -> list[str]:
        return [text for _, text in self.all(tag, class_)]

    def pictures(self) -> list[Image.Image]:
        sources = [attributes["src"].partition(";base64,") for attributes, _ in self.all("img")]
        return [Image.open(io.BytesIO(base64.b64decode(data, validate=True))) for _, _, data in sources]


@pytest.fixture
def documents(report_path: Path) -> list[Document]:
    """The chunks of the report; one of them holds the quote."""
    return located(report_path, REPORT_QUOTE)


def quoting(documents: list[Document]) -> list[Document]:
    return [document for document in documents if document.metadata["quotes"] != "[]"]


def text_document(
    tmp_path: Path, *matches: QuoteMatch, name: str = "a.pdf", text: str = "Seven boats"
) -> Document:
    path = tmp_path / name
    if not path.exists():
        path.write_bytes(text_pdf(pages=(PAGE_TEXT, PAGE_TEXT)))
    return by_hand(path, [BOX], list(matches), text)


def test_it_says_what_was_asked_and_found(documents: list[Document]) -> None:
    report_path = Path(documents[0].metadata["source"])
    html = evidence_html(
        quoting(documents), question="Who kept the boats?", answer="Storms.", title="Port file"
    ).html
    page = Page(html)
    assert html.startswith('<!doctype html>\n<html lang="en">')
    assert page.text("title") == page.text("h1") == ["Port file"]
    assert list(zip(page.text("dt"), page.text("dd"), strict=True)) == [
        ("Question", "Who kept the boats?"),
        ("Answer", "Storms."),
    ]
    assert page.text("q") == [REPORT_QUOTE]
    assert page.text("span", "status") == ["Exact: word for word"]
    (item,) = page.text("li")
    assert f"Exact: word for word · page 1, printed “{PAGE_LABELS[0]}”" in item
    assert f"{TITLE} > {SECTIONS[0]}" in item
    assert page.text("figcaption") == [f"Page 1, printed “{PAGE_LABELS[0]}”: quote 1"]
    (section,) = page.text("section")
    digest = hashlib.sha256(report_path.read_bytes()).hexdigest()
    assert TITLE in section
    assert str(report_path) in section
    assert f"sha256:{digest}" in section


def test_without_question_and_answer_nothing_is_said_of_them(documents: list[Document]) -> None:
    page = Page(evidence_html(documents).html)
    assert page.text("h1") == ["Evidence"]
    assert not page.all("dl")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("exact", "Exact: word for word"),
        ("normalized", "Normalized: the same words; case, spacing or marks differ"),
        ("fuzzy", "Fuzzy: found, not word for word, 91 % alike"),
        ("fragments", "Fragments: parts of the text, joined by an ellipsis"),
    ],
)
def test_status_in_words_and_by_class(tmp_path: Path, status: str, words: str) -> None:
    document = text_document(tmp_path, match_at(1, BOX.bbox, status=status, quote="7 boats"))
    page = Page(evidence_html([document]).html)
    assert page.text("span", "status") == [words]
    assert len(page.all("li", status)) == len(page.all("a", status)) == 1
    quotes = ["7 boats", "Seven"] if status in ("fuzzy", "fragments") else ["7 boats"]
    assert page.text("q") == quotes


def test_differences_are_shown_side_by_side(tmp_path: Path) -> None:
    located = match_at(1, BOX.bbox, status="fuzzy", quote="Sevne  ")
    differences = (
        Difference("misspelling", "Sevne", "Seven", (0, 5), (0, 5)),
        Difference("white_space", "  ", "", (5, 7), (5, 5)),
    )
    document = text_document(tmp_path, replace(located, differences=differences))
    page = Page(evidence_html([document]).html)
    ((_, rows),) = page.all("ul", "differences")
    assert rows == (
        "misspelling: the quote has Sevne, the page has Seven"
        "white space: the quote has white space, the page has nothing"
    )
    assert [text for _, text in page.all("q", "in-quote")] == ["Sevne", "white space"]
    assert [text for _, text in page.all("q", "on-page")] == ["Seven", "nothing"]


def test_how_sure_the_place_is(tmp_path: Path) -> None:
    region = match_at(1, BOX.bbox).regions
    vague = QuoteMatch("Seven", "Seven", (0, 5), "exact", 100, 3, "line", region)
    boxed = QuoteMatch("Seven b", "Seven", (0, 5), "exact", 100, 1, "box", region)
    nowhere = QuoteMatch("Seven c", "Seven", (0, 5), "exact", 100, 1, "word", ())
    page = Page(evidence_html([text_document(tmp_path, vague, boxed, nowhere)]).html)
    assert page.text("span", "status") == [
        "Exact: word for word; one of 3 places in its passage; whole lines are marked",
        "Exact: word for word; the whole box is marked",
        "Exact: word for word; its place is not known",
    ]
    assert len(page.all("a", "mark")) == 2


def test_every_link_has_its_target(documents: list[Document]) -> None:
    page = Page(evidence_html(documents).html)
    ids = Counter(attributes["id"] for _, attributes in page.elements if "id" in attributes)
    links = [attributes["href"] for attributes, _ in page.all("a")]
    assert set(ids.values()) == {1}
    assert links
    assert {link[1:] for link in links} <= set(ids)
    assert {mark for mark in ids if mark.startswith("mark-")} <= {link[1:] for link in links}


def test_nothing_from_elsewhere(documents: list[Document]) -> None:
    html = evidence_html(documents).html
    page = Page(html)
    allowed = re.compile(r"#[a-z]+-[\d-]+|data:image/(png|jpeg);base64,[A-Za-z0-9+/=]+")
    for tag, attributes in page.elements:
        for name, value in attributes.items():
            if name in ("href", "src", "srcset", "data", "action", "poster", "xlink:href"):
                assert allowed.fullmatch(value), f"{tag} {name}={value[:80]}"
            assert not name.startswith("on")
            assert name != "style"
    assert not {"link", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in page.elements}
    (style,) = page.text("style")
    assert not re.search(r"url\(|@import|expression", style)


def test_policy_allows_this_style_and_script_only(documents: list[Document]) -> None:
    page = Page(evidence_html(documents).html)
    metas = [attributes for attributes, _ in page.all("meta")]
    (policy,) = [meta["content"] for meta in metas if meta.get("http-equiv") == "Content-Security-Policy"]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))

    def source(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert directives == {
        "default-src": "'none'",
        "img-src": "data:",
        "style-src": source(*page.text("style")),
        "script-src": source(*page.text("script")),
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_text_stays_text(tmp_path: Path) -> None:
    match = QuoteMatch(
        ATTACK, ATTACK, (0, len(ATTACK)), "fuzzy", 95, 1, "word", match_at(1, BOX.bbox).regions
    )
    name = "<script>alert(2)<script>.pdf"
    quoted, boxed = (text_document(tmp_path, *m, name=name, text=ATTACK) for m in ([match], []))
    for document in (quoted, boxed):
        document.metadata |= {"section": ATTACK, "title": ATTACK, "page_label": ATTACK, "page": 1}
        document.metadata["source_digest"] = None
    page = Page(evidence_html([quoted, boxed], question=ATTACK, answer=ATTACK, title=ATTACK).html)
    assert Counter(tag for tag, _ in page.elements)["script"] == 1
    assert len(page.all("img")) == 1
    assert page.text("title") == page.text("h1") == [ATTACK]
    assert page.text("dd") == [ATTACK, ATTACK]
    assert page.text("q") == [ATTACK, ATTACK]
    assert page.text("h2") == [name, name]
    assert f"printed “{ATTACK}”" in page.text("figcaption")[0]
    assert page.text("p", "facts").count(ATTACK) == 3  # two sections and the title of the file


def test_text_that_no_file_can_hold(tmp_path: Path) -> None:
    document = text_document(tmp_path, match_at(1, BOX.bbox))
    page = evidence_html([document], tmp_path / "out.html", question="a\0b\ud800c")
    assert Page((tmp_path / "out.html").read_text(encoding="utf-8")).text("dd") == ["a\ufffdb\ufffdc"]
    assert (tmp_path / "out.html").read_bytes() == page.html.encode()


@pytest.mark.parametrize("dpi", [72, 100, 144])
@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize("cropbox", [None, (40.0, 200.0, 560.3, 740.7)])
def test_picture_and_marks_have_one_frame(
    tmp_path: Path, dpi: int, rotation: int, cropbox: tuple[float, float, float, float] | None
) -> None:
    pdf = text_pdf(rotation=rotation, cropbox=cropbox)
    (tmp_path / "a.pdf").write_bytes(pdf)
    (document,) = located(tmp_path / "a.pdf")
    page = Page(evidence_html([document], dpi=dpi).html)
    (picture,) = page.pictures()
    ((attributes, _),) = page.all("svg")
    left, top, width, height = map(float, attributes["viewbox"].split())
    scale = picture.width / width
    assert (left, top) == (0, 0)
    assert scale == pytest.approx(dpi / 72, rel=1e-4)
    assert picture.height / height == pytest.approx(scale, rel=1e-4)
    assert attributes["preserveaspectratio"] == "none"
    dark = np.asarray(picture.convert("L")) < 128
    assert np.array_equal(dark, ink(pdf, dpi=dpi))
    (match,) = QuoteMatch.from_document(document)
    ((polygon, _),) = page.all("polygon")
    corners = [tuple(map(float, corner.split(","))) for corner in polygon["points"].split()]
    upper_left, upper_right, lower_left, lower_right = match.regions[0].quads[0]
    assert corners == [upper_left, upper_right, lower_right, lower_left]


def test_only_the_pages_touched(documents: list[Document]) -> None:
    last = [document for document in documents if document.metadata["page"] == 3]
    page = Page(evidence_html(quoting(documents) + last).html)
    assert [attributes["alt"] for attributes, _ in page.all("img")] == [
        f"page {number}, printed “{PAGE_LABELS[number - 1]}” of report.pdf" for number in (1, 3)
    ]


def test_documents_without_quotes_show_their_boxes(documents: list[Document]) -> None:
    (document,) = [d for d in documents if "1,482,300" in d.page_content]
    del document.metadata["quotes"]
    page = Page(evidence_html([document]).html)
    boxes = SourceBox.from_document(document)
    assert len(boxes) > 2
    assert len(page.all("polygon")) == len(boxes)
    x0, y0, x1, y1 = boxes[0].bbox
    assert (
        page.all("polygon")[0][0]["points"]
        == f"{x0:.2f},{y0:.2f} {x1:.2f},{y0:.2f} {x1:.2f},{y1:.2f} {x0:.2f},{y1:.2f}"
    )
    assert len(page.all("a", "passage")) == len(page.all("li", "passage")) == 1
    assert page.text("span", "status") == ["Passage: no quote in it was located"]
    assert not page.all("q")
    (link,) = [text for attributes, text in page.all("a") if attributes.get("id") == "entry-1"]
    assert link.startswith("1. The year in brief The fleet carried 1,482,300 passengers")
    assert link.endswith("…")
    assert len(link) <= 241


def test_records_of_the_article_will_do(tmp_path: Path) -> None:
    text_document(tmp_path)
    boxes = '[{"page": 2, "bbox": [30, 40, 300, 60]}]'
    document = Document("Seven", metadata={"source": str(tmp_path / "a.pdf"), "page": 2, "boxes": boxes})
    page = Page(evidence_html([document]).html)
    assert page.text("figcaption") == ["Page 2: passage 1"]
    assert len(page.all("polygon")) == 1


def test_sources_are_grouped_and_numbered_through(tmp_path: Path) -> None:
    a1 = text_document(tmp_path, match_at(1, BOX.bbox, quote="one"), match_at(2, BOX.bbox, quote="two"))
    b = text_document(tmp_path, match_at(1, BOX.bbox, quote="three"), name="b.pdf")
    a2 = text_document(tmp_path, match_at(1, (30.0, 90.0, 80.0, 99.0), quote="four"))
    page = Page(evidence_html([a1, b, a2]).html)
    assert page.text("h2") == ["a.pdf", "b.pdf", "a.pdf", "b.pdf"]
    assert page.text("q") == ["one", "two", "four", "three"]
    assert [attributes["start"] for attributes, _ in page.all("ol")] == ["1", "4"]
    assert page.text("figcaption") == ["Page 1: quote 1, quote 3", "Page 2: quote 2", "Page 1: quote 4"]
    assert page.text("text") == ["1", "3", "2", "4"]


def test_pages_come_in_order(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(text_pdf(pages=[PAGE_TEXT] * 9))
    matches = [match_at(number, BOX.bbox, quote=str(number)) for number in (9, 1, 8)]
    page = Page(evidence_html([text_document(tmp_path, *matches)]).html)
    assert page.text("q") == ["9", "1", "8"]
    assert page.text("figcaption") == ["Page 1: quote 2", "Page 8: quote 3", "Page 9: quote 1"]


def test_numbers_beside_a_page_do_not_cover_each_other(tmp_path: Path) -> None:
    same_line = [match_at(1, (x, 40.0, x + 50, 52.0), quote=str(x)) for x in (30.0, 100.0, 200.0)]
    page = Page(evidence_html([text_document(tmp_path, *same_line)]).html)
    numbers = [attributes for attributes, _ in page.all("text")]
    heights = [float(attributes["y"]) for attributes in numbers]
    size = float(numbers[0]["font-size"])
    assert heights[0] == 52
    assert all(b - a >= size - 0.01 for a, b in pairwise(heights))
    assert all(float(attributes["x"]) < 0 for attributes in numbers)


def test_a_quote_over_two_pages(tmp_path: Path) -> None:
    regions = match_at(1, BOX.bbox).regions + match_at(2, BOX.bbox, (30.0, 80.0, 90.0, 95.0)).regions
    match = QuoteMatch("Seven", "Seven", (0, 5), "exact", 100, 1, "word", regions)
    page = Page(evidence_html([text_document(tmp_path, match)]).html)
    nav = [attributes["href"] for attributes, _ in page.all("a") if "mark" not in attributes.get("class", "")]
    assert nav == ["#mark-1-1", "#mark-1-1", "#mark-1-2"]
    assert [attributes["id"] for attributes, _ in page.all("a", "mark")] == ["mark-1-1", "mark-1-2"]
    assert len(page.all("polygon")) == 3


def test_a_quote_of_overlapping_chunks_is_listed_once(documents: list[Document]) -> None:
    (document,) = quoting(documents)
    page = Page(evidence_html([document, document]).html)
    assert len(page.all("li")) == len(page.all("a", "mark")) == 1


def test_a_link_to_files_on_the_web_only(tmp_path: Path) -> None:
    pdf = text_pdf()

    def links(source: str) -> list[str]:
        document = by_hand(source, [BOX], [match_at(1, BOX.bbox)], "Seven")
        page = Page(evidence_html([document], resolver=lambda _: pdf).html)
        return [
            attributes["href"] for attributes, _ in page.all("a") if not attributes["href"].startswith("#")
        ]

    assert links("https://example.org/a b.pdf") == ["https://example.org/a%20b.pdf#page=1"]
    assert links("javascript:alert(1)//https://example.org") == []
    assert links("C:\\files\\a.pdf") == []


def test_same_input_same_bytes(documents: list[Document]) -> None:
    assert evidence_html(documents).html == evidence_html(documents).html


def test_documents_are_left_alone(documents: list[Document]) -> None:
    before = [document.model_copy(deep=True) for document in documents]
    evidence_html(documents)
    assert documents == before


def test_no_documents() -> None:
    page = Page(evidence_html([]).html)
    assert page.text("nav") == ["There are no documents to show."]


def test_written_whole_or_not_at_all(tmp_path: Path, documents: list[Document]) -> None:
    path = tmp_path / "out" / "evidence.html"
    path.parent.mkdir()
    page = evidence_html(documents, str(path))
    assert page.path == path
    assert path.read_bytes() == page.html.encode("utf-8")
    documents[0].metadata["quotes"] = "{"
    with pytest.raises(ProvenanceError, match="quotes"):
        evidence_html(documents, path)
    assert path.read_bytes() == page.html.encode("utf-8")
    assert list(path.parent.iterdir()) == [path]
    with pytest.raises(FileNotFoundError):
        evidence_html([], tmp_path / "missing" / "evidence.html")


def test_notebook_shows_it_in_a_frame_of_its_own(documents: list[Document]) -> None:
    page = evidence_html(documents, title=ATTACK)
    shown = Page(page._repr_html_())
    ((tag, attributes),) = shown.elements
    assert tag == "iframe"
    assert attributes["srcdoc"] == page.html
    assert "allow-same-origin" not in attributes["sandbox"]
    assert page.html not in repr(page)


# --- budget -------------------------------------------------------------------------------------------------


def test_pages_share_the_pixels(documents: list[Document]) -> None:
    with pytest.warns(RenderBudgetWarning, match=r"3 page\(s\) reduced in resolution"):
        page = Page(evidence_html(documents, max_total_pixels=300_000).html)
    sizes = [picture.width * picture.height for picture in page.pictures()]
    assert len(sizes) == 3
    assert all(90_000 < size <= 100_000 for size in sizes)
    views = [attributes["viewbox"].split() for attributes, _ in page.all("svg")]
    for picture, (_, _, width, height) in zip(page.pictures(), views, strict=True):
        # The picture is whole pixels, and so a little larger than the page.
        assert float(width) == pytest.approx(595, abs=2.5)
        assert float(height) / float(width) == pytest.approx(picture.height / picture.width, rel=1e-4)


@pytest.mark.parametrize("plenty", [1e8, float("inf")])
def test_plenty_of_pixels(documents: list[Document], plenty: float) -> None:
    assert evidence_html(documents, max_total_pixels=plenty).html == evidence_html(documents).html


def test_pages_that_could_not_be_read_have_no_picture(documents: list[Document]) -> None:
    with pytest.warns(RenderBudgetWarning, match=r"1 page\(s\) without a picture"):
        page = Page(evidence_html(documents, max_total_pixels=130_000).html)
    assert len(page.pictures()) == 2
    assert len(page.all("figure")) == 3
    (note,) = page.text("p", "note")
    assert "too large" in note
    assert page.all("svg")[2][0]["viewbox"] == "0 0 595 842"


def test_a_photograph_is_not_kept_as_png(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (800, 600, 3), dtype=np.uint8)
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csRGB, 600, 800, noise.tobytes(), False))
        pdf.save(tmp_path / "a.pdf")
    html = evidence_html([text_document(tmp_path, match_at(1, BOX.bbox))]).html
    assert [picture.format for picture in Page(html).pictures()] == ["JPEG"]


# --- files that are gone, changed, closed or damaged --------------------------------------------------------


def test_a_changed_file_is_not_shown(tmp_path: Path, documents: list[Document]) -> None:
    for document in documents:
        document.metadata["source"] = str(tmp_path / "report.pdf")
    (tmp_path / "report.pdf").write_bytes(text_pdf())
    with pytest.raises(SourceChangedError):
        evidence_html(documents, on_change="raise")
    other = text_document(tmp_path, match_at(1, BOX.bbox))
    with pytest.warns(SourceChangedWarning, match="not the file that was indexed"):
        page = Page(evidence_html([*quoting(documents), other]).html)
    assert len(page.pictures()) == 1
    assert [attributes["viewbox"] for attributes, _ in page.all("svg")] == ["0 0 595 842", "0 0 612 792"]
    (note,) = page.text("p", "note")
    assert note == "The page has no picture, because its file is not the one that was indexed any more."
    assert len(page.all("a", "mark")) == 2


def test_a_missing_file(tmp_path: Path) -> None:
    document = text_document(tmp_path, match_at(1, BOX.bbox))
    (tmp_path / "a.pdf").unlink()
    with pytest.raises(SourceUnavailableError):
        evidence_html([document])
    with pytest.warns(SourceUnavailableWarning):
        page = Page(evidence_html([document], on_error="warn").html)
    # Nothing tells the size of the page, so the drawing reaches as far as the mark.
    assert [attributes["viewbox"] for attributes, _ in page.all("svg")] == ["0 0 300 60"]


def test_the_root_and_the_password(tmp_path: Path) -> None:
    path = tmp_path / "secret.pdf"
    path.write_bytes(encrypted_pdf(user_password="open"))
    documents = PyMuPDFCoordsLoader(path, password="open", ocr="never").load()
    with pytest.raises(PDFPasswordError):
        evidence_html(documents, on_error="warn")
    assert Page(evidence_html(documents, password="open", root=tmp_path).html).pictures()
    (tmp_path / "other").mkdir()
    with pytest.raises(SourceAccessError):
        evidence_html(documents, password="open", root=tmp_path / "other", on_error="warn")


def test_a_page_that_the_file_does_not_have(tmp_path: Path) -> None:
    with pytest.raises(ProvenanceError, match="no page 3"):
        evidence_html([text_document(tmp_path, match_at(3, BOX.bbox))])


@pytest.mark.parametrize("option", [{"dpi": 0}, {"on_error": "ignore"}, {"max_total_pixels": -1}])
def test_options_are_checked(option: dict[str, object]) -> None:
    with pytest.raises(OptionError, match=next(iter(option))):
        evidence_html([], **option)


def test_quotes_of_a_store_are_not_trusted(documents: list[Document]) -> None:
    (document,) = quoting(documents)
    document.metadata["quotes"] = document.metadata["quotes"].replace("Storms", "Calm")
    with pytest.raises(ProvenanceError, match="quotes"):
        evidence_html([document])
    assert dump_quotes([]) == "[]"
