"""The audit trail: what is in it, and that nothing can be changed without being noticed."""

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage

from langchain_pymupdf_coords import (
    CitationLocator,
    EvidenceBundle,
    LocatedAnswer,
    OptionError,
    ProvenanceError,
    PyMuPDFCoordsLoader,
    QuoteLocator,
    SourceChangedError,
    SourceChangedWarning,
    SourceUnavailableError,
)
from langchain_pymupdf_coords.evidence.bundle_archive import MANIFEST, manifest_of
from tests.support.pdf_factory import encrypted_pdf, text_pdf
from tests.support.sample_report import report_pdf

QUESTION = "How many vessels are there?"
VESSELS = "owns nine vessels and employs 214 people"
FARES = "Fares will stay as they are until the end of the year."
ANSWER = (
    f"It “{VESSELS}” [1] and “{FARES}” [2], and “The board thanks teh crews, who kept to the timetable” [2]. "
    "Also “it will be sold” [3]."
)


def locate(source: Path, documents: list[Document]) -> LocatedAnswer:
    """The answer located in the chunks of the report, which is at a path of its own."""
    source.write_bytes(report_pdf())
    moved = [d.model_copy(update={"metadata": {**d.metadata, "source": str(source)}}) for d in documents]
    locator = CitationLocator(locator=QuoteLocator(cutoff=80))
    return locator.invoke({"answer": ANSWER, "documents": moved})


@pytest.fixture(scope="module")
def bundle(report_documents: list[Document], tmp_path_factory: pytest.TempPathFactory) -> EvidenceBundle:
    """A bundle in a folder whose source stays as it is."""
    folder = tmp_path_factory.mktemp("kept")
    located = locate(folder / "Annual report (final).pdf", report_documents)
    return EvidenceBundle.write(located, folder / "evidence", question=QUESTION)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return tmp_path / "report.pdf"


@pytest.fixture
def located(source: Path, report_documents: list[Document]) -> LocatedAnswer:
    return locate(source, report_documents)


NAMES = [
    "annotated/1-Annual-report-final.pdf",
    "crops/1-1-page-1.png",
    "crops/2-1-page-1.png",
    "crops/3-1-page-3.png",
    "evidence.html",
    "evidence.json",
    "manifest.json",
]


def test_what_is_in_it(bundle: EvidenceBundle, located: LocatedAnswer) -> None:
    files = sorted(
        path.relative_to(bundle.path).as_posix() for path in bundle.path.rglob("*") if path.is_file()
    )
    assert files == NAMES == sorted(bundle.files)
    assert [citation.status for citation in located.citations] == ["exact", "exact", "fuzzy", "not_found"]
    record = json.loads(bundle.files["evidence.json"])
    assert (record["question"], record["answer"]) == (QUESTION, ANSWER)
    assert record["citations"] == json.loads(
        json.dumps([citation.to_dict() for citation in located.citations])
    )
    assert [document["page_content"] for document in record["documents"]] == [
        document.page_content for document in located.documents
    ]


def test_page_says_what_is_not_verified(bundle: EvidenceBundle) -> None:
    html = bundle.files["evidence.html"].decode()
    assert QUESTION in html
    assert f"Not verified: “{FARES}” (not in source 2)" in html
    assert "Not verified: “The board thanks teh crews, who kept to the timetable” (not word for word)" in html
    assert "Not verified: “it will be sold” (in none of the sources)" in html
    assert f"Not verified: “{VESSELS}”" not in html


def test_pictures_and_copy_show_the_quotes(bundle: EvidenceBundle) -> None:
    for name in NAMES[1:4]:
        assert pymupdf.Pixmap(bundle.files[name]).width > 100
    with pymupdf.open(stream=bundle.files[NAMES[0]]) as doc:
        marked = [annot.info["content"] for page in doc for annot in page.annots()]
    assert marked[0] == VESSELS
    assert FARES in marked
    assert len(marked) == 3


@pytest.mark.parametrize("name", ["evidence.zip", "folder"])
def test_fresh_bundle_is_in_order(located: LocatedAnswer, tmp_path: Path, name: str) -> None:
    written = EvidenceBundle.write(located, tmp_path / name)
    read = EvidenceBundle.read(tmp_path / name)
    assert read.files == written.files
    assert read.digest == written.digest
    report = read.verify()
    assert (report.problems, report.unchecked, report.ok) == ((), (), True)


def test_archives_of_the_same_evidence_are_alike_but_for_the_copy(
    located: LocatedAnswer, tmp_path: Path
) -> None:
    first = EvidenceBundle.write(located, tmp_path / "1.zip").files
    second = EvidenceBundle.write(located, tmp_path / "2.zip").files
    differing = {name for name in first if first[name] != second[name]}
    assert differing <= {"annotated/1-report.pdf", MANIFEST}


def test_an_answer_without_any_evidence(tmp_path: Path) -> None:
    documents = [Document("The words without a place.", metadata={"source": "a.txt"})]
    answer = CitationLocator().invoke({"answer": "“without a place” and “made up”", "documents": documents})
    EvidenceBundle.write(answer, tmp_path / "empty.zip")
    bundle = EvidenceBundle.read(tmp_path / "empty.zip")
    assert sorted(bundle.files) == ["evidence.html", "evidence.json", "manifest.json"]
    assert bundle.verify().ok
    assert "Not verified: “made up”" in bundle.files["evidence.html"].decode()


def test_what_was_found_with_a_lower_cutoff_is_found_again(tmp_path: Path) -> None:
    text = "At the end of the day we ate the ham at the inn by us, or so as we were told by him."
    document = Document(text, metadata={"source": "a.txt"})
    locator = CitationLocator(locator=QuoteLocator(cutoff=80))
    answer = locator.invoke({"answer": "“we ate ham at inn by us, or so”", "documents": [document]})
    assert answer.citations[0].match is not None
    assert 80 < answer.citations[0].match.score < 90
    assert EvidenceBundle.write(answer, tmp_path / "alike.zip").verify().ok


def test_source_that_is_none_of_the_documents_stays_so(tmp_path: Path) -> None:
    citation = {"type": "citation", "cited_text": "The words", "title": "other.pdf"}
    message = AIMessage(content_blocks=[{"type": "text", "text": "So.", "annotations": [citation]}])
    document = Document("The words without a place.", metadata={"source": "a.txt"})
    answer = CitationLocator().invoke({"answer": message, "documents": [document]})
    assert answer.citations[0].swapped
    assert EvidenceBundle.write(answer, tmp_path / "swapped.zip").verify().ok


def test_two_sources_have_a_copy_each(tmp_path: Path) -> None:
    documents = []
    for name in ("a.pdf", "b.pdf"):
        path = tmp_path / name
        path.write_bytes(
            text_pdf(pages=([f"This is the file {name[0].upper()} of the two.", "And it has no more."],))
        )
        documents += PyMuPDFCoordsLoader(path).load()
    answer = CitationLocator().invoke(
        {"answer": "“file A of the two” “file B of the two”", "documents": documents}
    )
    bundle = EvidenceBundle.write(answer, tmp_path / "two.zip")
    assert {"annotated/1-a.pdf", "annotated/2-b.pdf"} < set(bundle.files)
    assert bundle.verify().ok


# What is noticed


def altered(
    bundle: EvidenceBundle, change: Callable[[dict[str, bytes]], None], *, manifest: bool
) -> EvidenceBundle:
    """The bundle with something changed, and its manifest made anew or not."""
    files = {name: data for name, data in bundle.files.items() if name != MANIFEST or not manifest}
    change(files)
    if manifest:
        files[MANIFEST] = manifest_of(files)
    return EvidenceBundle(bundle.path, files)


def in_record(change: Callable[[Any], None]) -> Callable[[dict[str, bytes]], None]:
    def apply(files: dict[str, bytes]) -> None:
        record = json.loads(files["evidence.json"])
        change(record)
        files["evidence.json"] = json.dumps(record, ensure_ascii=False, indent=1).encode()

    return apply


def replaced(name: str, old: bytes, new: bytes) -> Callable[[dict[str, bytes]], None]:
    def apply(files: dict[str, bytes]) -> None:
        assert old in files[name]
        files[name] = files[name].replace(old, new)

    return apply


def forge_text(record: Any) -> None:
    """Change the quote in the answer, the citation, the Document and the stored match alike."""
    text = json.dumps(record, ensure_ascii=False).replace("nine vessels", "many vessels")
    record.clear()
    record.update(json.loads(text))


def another_picture(files: dict[str, bytes]) -> None:
    files[NAMES[1]] = files[NAMES[2]]


FORGERIES: dict[str, tuple[Callable[[dict[str, bytes]], None], str]] = {
    "badge": (
        in_record(lambda r: r["citations"][1].update(verified=True)),
        "citation 2 .* verified not as recorded",
    ),
    "status": (
        in_record(lambda r: r["citations"][2]["match"].update(status="exact")),
        "citation 3 .* match not",
    ),
    "not found made exact": (
        in_record(lambda r: r["citations"].__setitem__(3, {**r["citations"][0], "quote": "it will be sold"})),
        "citation 4 .* status, verified",
    ),
    "place": (
        in_record(lambda r: r["citations"][0]["match"]["regions"][0].update(page=2)),
        "citation 1 .* match not as recorded",
    ),
    "words everywhere": (in_record(forge_text), "citation 1 .* confirmed"),
    "picture": (another_picture, "crops/1-1-page-1.png: not what the source PDFs give"),
    "page": (replaced("evidence.html", b"Not verified", b"Verified"), "evidence.html: not what"),
    "copy": (replaced(NAMES[0], b"Quote \\(exact", b"Quote \\(EXACT"), "Annual-report-final.pdf: not what"),
    "missing": (lambda files: files.pop(NAMES[1]) and None, "crops/1-1-page-1.png: missing"),
    "added": (lambda files: files.update({"crops/9.png": b"x"}), "crops/9.png: not of this evidence"),
    "answer": (in_record(lambda r: r.update(answer="No.")), "evidence.html: not what"),
}


@pytest.mark.parametrize("case", FORGERIES)
def test_forgery_is_noticed_even_with_a_new_manifest(bundle: EvidenceBundle, case: str) -> None:
    change, problem = FORGERIES[case]
    report = altered(bundle, change, manifest=True).verify()
    assert not report.ok
    assert any(re.search(problem, found) for found in report.problems), report.problems


@pytest.mark.parametrize("name", [NAMES[0], NAMES[1], "evidence.html", MANIFEST])
def test_changed_byte_is_noticed_by_the_manifest(bundle: EvidenceBundle, name: str) -> None:
    def change(files: dict[str, bytes]) -> None:
        files[name] = files[name][:-1] + bytes([files[name][-1] ^ 1])

    report = altered(bundle, change, manifest=False).verify()
    assert any("not what the manifest says" in problem for problem in report.problems)
    assert altered(bundle, change, manifest=False).digest != bundle.digest or name != MANIFEST


def test_changed_source_is_noticed(located: LocatedAnswer, source: Path, tmp_path: Path) -> None:
    bundle = EvidenceBundle.write(located, tmp_path / "evidence.zip")
    source.write_bytes(text_pdf())
    report = bundle.verify()
    assert any("citation 1" in problem and "confirmed" in problem for problem in report.problems)
    assert any("SourceChangedError" in problem for problem in report.problems)


def test_source_that_moved(located: LocatedAnswer, source: Path, tmp_path: Path) -> None:
    bundle = EvidenceBundle.write(located, tmp_path / "evidence.zip")
    moved = source.with_name("moved.pdf")
    source.rename(moved)
    assert any("SourceUnavailableError" in problem for problem in bundle.verify().problems)
    assert bundle.verify(resolver=lambda name: moved).ok


def test_source_outside_of_root(bundle: EvidenceBundle, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    report = bundle.verify(root=str(tmp_path / "root"))
    assert any("SourceAccessError" in problem for problem in report.problems)


def test_other_versions_leave_the_pictures_unchecked(bundle: EvidenceBundle) -> None:
    change = in_record(lambda record: record["made_with"].update(pymupdf="1.0"))
    report = altered(bundle, change, manifest=True).verify()
    assert report.ok
    assert "'pymupdf': '1.0'" in report.unchecked[0]


def test_encrypted_copy_is_left_unchecked(tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    path.write_bytes(encrypted_pdf())
    documents = PyMuPDFCoordsLoader(path, password="user").load()
    quote = documents[0].page_content.split("\n")[0].strip("# *")
    locator = CitationLocator(locator=QuoteLocator(password="user"))
    answer = locator.invoke({"answer": f"“{quote}”", "documents": documents})
    assert answer.citations[0].verified
    bundle = EvidenceBundle.write(answer, tmp_path / "locked.zip", password="user")
    report = bundle.verify(password="user")
    assert (report.problems, report.unchecked) == ((), ("annotated/1-locked.pdf",))
    assert any("PDFPasswordError" in problem for problem in bundle.verify().problems)


# What is refused


def test_folder_that_is_there_is_left_alone(located: LocatedAnswer, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").write_text("mine")
    with pytest.raises(OptionError, match="there"):
        EvidenceBundle.write(located, tmp_path / "there")
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["mine.txt"]
    (tmp_path / "empty").mkdir()
    assert EvidenceBundle.write(located, tmp_path / "empty").verify().ok


def test_nothing_is_left_of_a_bundle_that_failed(
    located: LocatedAnswer, source: Path, tmp_path: Path
) -> None:
    before = sorted(tmp_path.iterdir())
    source.write_bytes(source.read_bytes() + b"\n")
    for name in ("new", "new.zip"):
        with pytest.raises(SourceChangedError):
            EvidenceBundle.write(located, tmp_path / name, on_change="raise")
    assert sorted(tmp_path.iterdir()) == before


def test_bundle_of_a_changed_source_has_nothing_drawn_on_it(
    located: LocatedAnswer, source: Path, tmp_path: Path
) -> None:
    source.write_bytes(text_pdf())
    with pytest.warns(SourceChangedWarning) as caught:
        bundle = EvidenceBundle.write(located, tmp_path / "evidence.zip")
    assert len(caught) == 1
    assert not [name for name in bundle.files if name.startswith("crops/")]
    (copy,) = (data for name, data in bundle.files.items() if name.startswith("annotated/"))
    with pymupdf.open(stream=copy) as pdf:
        assert [list(page.annots()) for page in pdf] == [[] for _ in range(len(pdf))]
    assert not bundle.verify().ok


def of_version_1(files: dict[str, bytes]) -> None:
    """Rename what had other names in bundles of version 1."""
    record = json.loads(files["evidence.json"])
    record["bundle_version"] = 1
    record["citations"] = [
        {"source" if key == "source_number" else key: value for key, value in citation.items()}
        for citation in record["citations"]
    ]
    for citation in record["citations"]:
        citation["status"] = citation["status"].replace("not_found", "unverified")
    files["evidence.json"] = json.dumps(record, ensure_ascii=False, indent=1).encode()


def test_bundle_of_version_1_is_verified_and_its_forgery_noticed(bundle: EvidenceBundle) -> None:
    old = altered(bundle, of_version_1, manifest=True)
    statuses = [citation["status"] for citation in json.loads(old.files["evidence.json"])["citations"]]
    assert statuses == ["exact", "exact", "fuzzy", "unverified"]
    assert old.verify().problems == ()
    forged = altered(old, in_record(lambda r: r["citations"][0].update(source=3)), manifest=True).verify()
    assert any("swapped" in problem for problem in forged.problems), forged.problems


def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailableError):
        EvidenceBundle.read(tmp_path / "missing.zip")
    (tmp_path / "broken.zip").write_bytes(b"PK broken")
    with pytest.raises(SourceUnavailableError):
        EvidenceBundle.read(tmp_path / "broken.zip")


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/etc/passwd", "a/b/c.txt", "a\\b.txt", ".hidden", "a\0b", "ä.txt"]
)
def test_archive_with_hostile_names(tmp_path: Path, name: str) -> None:
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(path, "w") as archive:
        member = zipfile.ZipInfo("placeholder")
        member.filename = name
        archive.writestr(member, b"x")
    try:
        bundle = EvidenceBundle.read(path)
    except ProvenanceError:
        return
    assert name == "a\0b"  # zipfile itself cuts names at a NUL
    assert not bundle.verify().ok


def test_archive_that_unpacks_to_gigabytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("langchain_pymupdf_coords.evidence.bundle_archive.MAX_BYTES", 1_000_000)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("evidence.json", b"0" * 2_000_000)
    with pytest.raises(ProvenanceError, match="too large"):
        EvidenceBundle.read(tmp_path / "bomb.zip")


def test_folder_with_a_link(tmp_path: Path) -> None:
    (tmp_path / "crops").mkdir()
    secret = tmp_path.with_name("secret.txt")
    secret.write_text("secret")
    (tmp_path / "crops" / "link.png").symlink_to(secret)
    with pytest.raises(ProvenanceError, match="link"):
        EvidenceBundle.read(tmp_path)


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"[]",
        b"[" * 100_000,
        b'{"bundle_version": 2}',
        b'{"bundle_version": 1}',
        b'{"bundle_version": 1, "question": "", "answer": "", "documents": [7], "citations": []}',
        b'{"bundle_version": 1, "question": "", "answer": "", "documents": [], "citations": [{}]}',
        b'{"bundle_version": 1, "question": "", "answer": "", "documents": [], "citations": [{"quote": 7, '
        b'"source_number": 1, "swapped": false, "quoted": true, "answer_span": null, "match": null}]}',
        b'{"bundle_version": 1, "question": "", "answer": "", "documents": [], "citations": [{"quote": "", '
        b'"source_number": 1, "swapped": false, "quoted": true, "answer_span": null, "match": {"score": -1e999}}]}',
    ],
)
def test_hostile_record_is_a_problem_and_no_crash(bundle: EvidenceBundle, record: bytes) -> None:
    report = altered(bundle, lambda files: files.update({"evidence.json": record}), manifest=True).verify()
    assert not report.ok
