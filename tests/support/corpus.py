"""The corpus of public PDFs beside the repository, file by file."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SHARED = Path(__file__).parents[3] / "shared"


@dataclass(frozen=True)
class CorpusFile:
    """A row of the corpus manifest; ``pages`` is None where the engine cannot say, ``password`` if none."""

    path: Path
    pages: int | None
    password: str | None
    tags: frozenset[str]


def manifest() -> Iterator[CorpusFile]:
    """Every file of the corpus in the order of its manifest, nothing where the corpus is missing."""
    corpus = SHARED / "corpus"
    if not (corpus / "manifest.tsv").exists():
        return
    header, *rows = (corpus / "manifest.tsv").read_text(encoding="utf-8").splitlines()
    for line in rows:
        row = dict(zip(header.split("\t"), line.split("\t"), strict=True))
        yield CorpusFile(
            corpus / row["file"],
            None if row["pages"] == "?" else int(row["pages"]),
            row["password"] or None,
            frozenset(filter(None, row["tags"].split(","))),
        )
