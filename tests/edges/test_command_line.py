"""The commands, as a user types them."""

import builtins
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest
from langchain_core.documents import Document
from PIL import Image

from langchain_pymupdf_coords import PyMuPDFCoordsLoader, QuoteMatch, Region, SourceBox
from langchain_pymupdf_coords.command_line import main, passage_lines
from langchain_pymupdf_coords.geometry import bbox_to_quad
from langchain_pymupdf_coords.pdf.sample import sample_report
from langchain_pymupdf_coords.provenance import dump_boxes, dump_quotes
from langchain_pymupdf_coords.retrievers import answering_passages
from tests.support.pdf_factory import damaged_pdf, encrypted_pdf, report_pdf, scan_pdf, text_pdf

QUESTION = "How much water was lost through leaking pipes?"
ANSWER = "Leaking pipes lost 8.4 percent of the water produced"
GREEN = (140, 237, 140)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "report.pdf"
    assert main(["sample", str(path)]) == 0
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a command."""
    status = main([str(argument) for argument in arguments])
    return status, *capsys.readouterr()


def usage_error(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    assert stop.value.code == 2
    return capsys.readouterr().err


# --- sample -------------------------------------------------------------------------------------------------


def test_the_sample_is_a_report_and_always_the_same(report: Path) -> None:
    assert report.read_bytes() == sample_report()
    with pymupdf.open(report) as pdf:
        text = "".join(page.get_text() for page in pdf)
        assert pdf.metadata["title"].endswith("Annual Report 2025")
    assert "ﬁgure" in text  # joined letters, in which a plain search finds nothing
    boxes = [box for d in PyMuPDFCoordsLoader(report).load() for box in SourceBox.from_document(d)]
    assert {"section-header", "text", "table"} <= {box.box_class for box in boxes}


def test_the_sample_replaces_no_other_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.pdf"
    assert run(capsys, "sample", path) == (0, f"Wrote {path}\n", "")
    assert run(capsys, "sample", path) == (0, f"Wrote {path}\n", "")
    path.write_bytes(b"mine")
    status, out, err = run(capsys, "sample", path)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert "another name" in err
    assert path.read_bytes() == b"mine"


# --- chunks -------------------------------------------------------------------------------------------------


def test_chunks_are_documents_in_json_lines(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "chunks", report)
    assert (status, err) == (0, "")
    assert [Document(**json.loads(line)) for line in out.splitlines()] == PyMuPDFCoordsLoader(report).load()


def test_options_of_loading(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(report_pdf())
    status, out, _ = run(capsys, "chunks", path, "--pages", "1, 3-3", "--mode", "page", "--ocr", "never")
    assert status == 0
    expected = PyMuPDFCoordsLoader(path, pages=[1, 3], mode="page", ocr="never").load()
    assert [json.loads(line)["id"] for line in out.splitlines()] == [document.id for document in expected]
    _, out, _ = run(capsys, "chunks", path, "--pages", "1", "--chunk-size", "100")
    assert max(len(json.loads(line)["page_content"]) for line in out.splitlines()) <= 100


@pytest.mark.parametrize("pages", ["", "x", "3-1", "1,,2", "-2", "1-", "1-99999999"])
def test_pages_that_are_none(report: Path, capsys: pytest.CaptureFixture[str], pages: str) -> None:
    assert "is not like 1-3,7" in usage_error(capsys, "chunks", report, f"--pages={pages}")


def test_no_control_character_reaches_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = "harbour\x1b]0;taken\x07 \x9b31m\u202eevil"
    path = tmp_path / "a.pdf"
    path.write_bytes(text_pdf())
    with pymupdf.open(path) as pdf:
        pdf.set_metadata({"title": hostile})
        pdf.saveIncr()
    _, out, _ = run(capsys, "chunks", path)
    assert not {"\x1b", "\x07", "\x9b"} & set(out)
    title = json.loads(out)["metadata"]["title"]
    assert title == PyMuPDFCoordsLoader(path).load()[0].metadata["title"]
    assert "\x1b" in title
    status, out, err = run(capsys, "ask", path, "harbour")
    assert status == 0
    _, _, err = run(capsys, "ask", tmp_path / "b\x1b[31m\u202e.pdf", "harbour")
    assert err.startswith("error: ")
    assert all(char.isprintable() for char in err.strip())


def test_what_people_read_has_no_control_characters() -> None:
    hostile = "a\x1b]0;taken\x07\u202e\x9b31m\tb\nc"
    match = QuoteMatch("a", hostile, (0, len(hostile)), "exact", 100, 1, "word", ())
    metadata = {"page": 1, "page_end": 1, "total_pages": 1, "section": hostile}
    metadata |= {"boxes": "[]", "quotes": dump_quotes([match])}
    assert list(passage_lines(1, Document(hostile, metadata=metadata))) == [
        "1. page 1 of 1: a]0;taken31m b c",
        "   “a]0;taken31m b c”",
    ]


def test_a_reader_that_has_enough(report: Path) -> None:
    command = f"{sys.executable} -m langchain_pymupdf_coords chunks {report} | true"
    shell = ["bash", "-o", "pipefail", "-c", command]
    done = subprocess.run(shell, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# --- ask ----------------------------------------------------------------------------------------------------


def test_the_answer_and_its_place(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "ask", report, QUESTION, "--top", "1")
    assert (status, err) == (0, "")
    first, quote, place, passage, legend = out.splitlines()
    assert first == "1. page 1 of 2: Annual Report 2025 > 2. Pipes and leaks"
    assert quote.strip().startswith(f"“{ANSWER}")
    assert place.startswith("   exact, by word, on page 1: [")
    assert passage.startswith("   passage on page 1: [")
    assert "from the top left" in legend
    rectangles = json.loads(f"[{place.partition(': ')[2].replace('] [', '], [')}]")
    with pymupdf.open(report) as pdf:
        words = [(pymupdf.Rect(word[:4]), word[4]) for word in pdf[0].get_text("words")]
    centres = [(word, (rect.tl + rect.br) / 2) for rect, word in words]
    found = [word for word, centre in centres if any(centre in pymupdf.Rect(r) for r in rectangles)]
    assert " ".join(found).replace("ﬁ", "fi") == quote.strip(" “”")


def test_as_many_passages_as_asked_for(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for top in (1, 2, 3):
        _, out, _ = run(capsys, "ask", report, "water", "--top", str(top))
        assert [line[:2] for line in out.splitlines() if line[0].isdigit()] == [
            f"{n}." for n in range(1, top + 1)
        ]
    assert run(capsys, "ask", report, "water", "--top", "0")[::2] == (
        2,
        "error: --top must be 1 or more, not 0\n",
    )


def test_the_best_passage_comes_first(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = {
        "What does a cubic metre cost?": "2.31",
        "How many leaks did the crews find?": "212 leaks",
        "When will the reservoir be finished?": "autumn of 2027",
        "nitrate": "Nitrate (mg/l)|50|11.2|10.7",
    }
    for question, answer in questions.items():
        _, out, _ = run(capsys, "ask", report, question)
        assert answer in out.splitlines()[1]


def test_a_quote_over_two_pages() -> None:
    boxes = [SourceBox(1, (10, 20, 30, 40)), SourceBox(2, (11, 21, 31, 41)), SourceBox(2, (12, 22, 32, 42))]
    regions = tuple(Region(page, (bbox_to_quad((page, 2, 3, 4.25)),)) for page in (1, 2))
    match = QuoteMatch("a", "a\n\nb", (0, 4), "fuzzy", 95, 1, "line", regions)
    metadata = {"page": 1, "page_end": 2, "total_pages": 9, "section": ""}
    metadata |= {"boxes": dump_boxes(boxes), "quotes": dump_quotes([match])}
    assert list(passage_lines(7, Document("a\n\nb", metadata=metadata))) == [
        "7. pages 1 to 2 of 9: no heading",
        "   “a b”",
        "   fuzzy, by line, on page 1: [1.0, 2.0, 3.0, 4.2]",
        "   fuzzy, by line, on page 2: [2.0, 2.0, 3.0, 4.2]",
        "   passage on page 1: [10.0, 20.0, 30.0, 40.0]",
        "   passage on page 2: [11.0, 21.0, 31.0, 41.0] [12.0, 22.0, 32.0, 42.0]",
    ]


def test_nothing_found(report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    html = tmp_path / "evidence.html"
    for question in ("zebra", "the", "", "?"):
        status, out, err = run(capsys, "ask", report, question, "--html", html)
        assert (status, out) == (1, "")
        assert err == f"nothing in {report} answers this\n"
    assert not html.exists()


def test_what_it_writes(report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    html, pdf, png = (tmp_path / f"answer.{suffix}" for suffix in ("html", "pdf", "png"))
    before = report.read_bytes()
    outputs = ("--html", html, "--pdf", pdf, "--png", png)
    status, out, err = run(capsys, "ask", report, QUESTION, *outputs)
    assert (status, err) == (0, "")
    assert out.splitlines()[-3:] == [f"Wrote {path}" for path in (html, pdf, png)]
    page = html.read_text(encoding="utf-8")
    assert QUESTION in page
    assert ANSWER in page
    with pymupdf.open(pdf) as copy:
        notes = [annotation.info["content"] for annotation in copy[0].annots()]
    assert any(note.startswith(ANSWER) for note in notes)
    pixels = np.asarray(Image.open(png).convert("RGB")).astype(int)
    assert (np.abs(pixels - GREEN).max(axis=2) < 60).mean() > 0.02
    assert report.read_bytes() == before


def test_the_file_itself_is_not_overwritten(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = report.read_bytes()
    for option in ("--html", "--pdf", "--png"):
        status, out, err = run(capsys, "ask", report, QUESTION, option, report)
        assert (status, out) == (2, "")
        assert "would be overwritten" in err
    assert report.read_bytes() == before


def test_a_scan_without_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "scan.pdf").write_bytes(scan_pdf())
    status, out, err = run(capsys, "ask", tmp_path / "scan.pdf", "harbour", "--ocr", "never")
    assert (status, out) == (1, "")
    warning, nothing = err.splitlines()
    assert warning.startswith("warning: ")
    assert "scan.pdf" in warning
    assert nothing.startswith("nothing in ")


# --- errors -------------------------------------------------------------------------------------------------


def test_errors_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files: dict[str, tuple[bytes, str]] = {
        "damaged.pdf": (damaged_pdf(), "cannot open"),
        "secret.pdf": (encrypted_pdf(), "password"),
        "notes.txt": (b"words", "cannot open"),
    }
    for name, (content, reason) in files.items():
        (tmp_path / name).write_bytes(content)
        for command in (["chunks", tmp_path / name], ["ask", tmp_path / name, "harbour"]):
            status, out, err = run(capsys, *command)
            assert (status, out) == (2, "")
            assert err.startswith("error: ")
            assert err.count("\n") == 1
            assert name in err
            assert reason in err
    status, _, err = run(capsys, "chunks", tmp_path / "missing.pdf")
    assert status == 2
    assert "missing.pdf" in err


def test_the_password_opens_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, html, pdf, png = (tmp_path / f"a.{suffix}" for suffix in ("pdf", "html", "copy.pdf", "png"))
    path.write_bytes(encrypted_pdf())
    outputs = ("--html", html, "--pdf", pdf, "--png", png)
    status, out, err = run(capsys, "ask", path, "harbour", "--password", "user", *outputs)
    assert (status, err) == (0, "")
    assert "by word" in out
    assert all(output.exists() for output in (html, pdf, png))


def test_a_folder_that_is_not_there(report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "missing" / "evidence.html"
    for option in ("--html", "--pdf", "--png"):
        status, out, err = run(capsys, "ask", report, QUESTION, option, path)
        assert (status, out) == (2, "")
        assert err == f"error: {path} cannot be written: there is no folder {path.parent}\n"


def test_what_is_no_command(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["show"], ["ask", report], ["chunks"], ["chunks", report, "--mode", "line"]):
        assert "usage: python -m langchain_pymupdf_coords" in usage_error(capsys, *arguments)


def test_the_extra_is_named(
    report: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name == "bm25s":
            raise ImportError("No module named 'bm25s'", name=name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    status, out, err = run(capsys, "ask", report, QUESTION)
    assert (status, out) == (2, "")
    assert "pip install 'langchain-pymupdf-coords[" in err


def test_stopped_by_the_user(
    report: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(self: PyMuPDFCoordsLoader) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(PyMuPDFCoordsLoader, "lazy_load", stop)
    assert run(capsys, "chunks", report) == (130, "", "")


def test_output_that_cannot_show_every_letter(report: Path) -> None:
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(Path(__file__).parents[2])}
    shown = {
        "ask": (["lead limit"], b"Lead (?g/l)|5|0.9|0.6"),
        "chunks": ([], "Lead (µg/l)|5|0.9|0.6".encode()),
    }
    for command, (words, text) in shown.items():
        done = subprocess.run(
            [sys.executable, "-m", "langchain_pymupdf_coords", command, report, *words],
            env=environment,
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert text in done.stdout


def test_quotes_are_those_of_the_locator(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = PyMuPDFCoordsLoader(report).load()
    passages = answering_passages(documents, QUESTION, top=2)
    assert len(passages) == 2
    assert len(answering_passages(documents, "nitrate", top=9)) == 1
    assert all("quotes" not in document.metadata for document in documents)
    for passage in passages:
        (match,) = QuoteMatch.from_document(passage)
        assert match.status == "exact"
        assert match.text in passage.page_content
