import pytest

from langchain_pymupdf_coords.provenance.source_names import file_name, file_stem


@pytest.mark.parametrize(
    ("source", "name", "stem"),
    [
        ("report.pdf", "report.pdf", "report"),
        ("/data/2024/report.v2.PDF", "report.v2.PDF", "report.v2"),
        (r"C:\reports\a b.pdf", "a b.pdf", "a-b"),
        ("https://x.org/a%20b.pdf?sig=c/d#page=2", "a b.pdf", "a-b"),
        ("s3://bucket/folder/report.pdf/", "report.pdf", "report"),
        ("https://x.org/", "https://x.org/", "https-x.org"),
        ("http://[x/report.pdf", "report.pdf", "report"),
        ("100%25.pdf", "100%25.pdf", "100-25"),
        ("港口.pdf", "港口.pdf", "source"),
        ("", "", "source"),
        (".pdf", ".pdf", "source"),
        ("a" * 39 + ".b.pdf", "a" * 39 + ".b.pdf", "a" * 39),
    ],
)
def test_names(source: str, name: str, stem: str) -> None:
    assert file_name(source) == name
    assert file_stem(source) == stem
