"""Data of Tesseract's languages: where it is and for which languages, as far as no engine need be asked."""

import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path


def data_folders() -> Iterator[Path]:
    """Yield where the environment and the packages of PyPI may have data; not all of the folders exist."""
    if prefix := os.environ.get("TESSDATA_PREFIX"):
        yield Path(prefix)
        yield Path(prefix, "tessdata")
    # Where the packages tessdata-* of PyPI put their files.
    for scheme in (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")):
        yield Path(sysconfig.get_path("data", scheme), "share", "tessdata")


def languages(folder: Path) -> list[str]:
    """Return the languages that a folder has data for, by Tesseract's names."""
    return sorted({path.stem for path in folder.glob("*.traineddata")} - {"osd"})
