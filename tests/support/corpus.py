"""The corpus of public PDFs beside the repository: a sample of it, or all with ``CORPUS=whole`` and in CI."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SHARED = Path(__file__).parents[3] / "shared"
IS_WHOLE = os.environ.get("CORPUS", "whole" if os.environ.get("CI") else "sample") == "whole"


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


def corpus_files() -> dict[str, CorpusFile]:
    """The files that tests of the whole package read, by folder and name, in the order of the manifest."""
    files = list(manifest())
    chosen = files if IS_WHOLE else _sample(files)
    return {f"{file.path.parent.name}/{file.path.name}": file for file in chosen}


def _sample(files: list[CorpusFile]) -> list[CorpusFile]:
    """Every fourth file, and a small one of each kind that none of them is; always the same."""
    sample = set(files[1::4])
    for file in sorted(files, key=lambda file: file.path.stat().st_size):
        if not file.tags <= {tag for chosen in sample for tag in chosen.tags}:
            sample.add(file)
    return [file for file in files if file in sample]
