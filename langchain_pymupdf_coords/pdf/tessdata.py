"""Language data for the Tesseract that is built into PyMuPDF, with a setting that PyMuPDF has no option for.

PyMuPDF leaves Tesseract in its mode for one block of text, which runs columns together. But Tesseract reads
settings from the data of its language too, so it gets a copy of the data that holds one more. A file of
language data is the number of its parts, the offset of each part (-1: missing) and the parts, of which the
settings are the first (tesseract-ocr/tesseract, ``src/ccutil/tessdatamanager.h``).
"""

import atexit
import os
import shutil
import struct
from enum import IntEnum
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

_MODE = "tessedit_pageseg_mode"

_MOST_PARTS = 64


class PageMode(IntEnum):
    """How Tesseract takes a picture apart, by its own numbers."""

    COLUMNS = 3
    SCATTERED = 11


@cache
def data_with_mode(folder: str, language: str, mode: PageMode) -> str:
    """Return a folder with the data of some languages, of which the first sets the mode.

    The folder belongs to the process and goes with it.

    Args:
        folder: Folder that has ``NAME.traineddata`` for each language.
        language: Names of languages, joined with ``+``.
        mode: The mode; data that sets one of its own keeps that.
    """
    copy = mkdtemp(prefix="tessdata-")
    atexit.register(_remove, copy, os.getpid())
    for index, name in enumerate(language.split("+")):
        source, target = (Path(place, f"{name}.traineddata") for place in (folder, copy))
        target.parent.mkdir(exist_ok=True)
        if index:
            shutil.copyfile(source, target)
        else:
            target.write_bytes(with_setting(source.read_bytes(), _MODE, str(mode.value)))
    return copy


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:  # not in a fork
        shutil.rmtree(folder, ignore_errors=True)


def with_setting(data: bytes, name: str, value: str) -> bytes:
    """Return language data with one more setting; unchanged if it makes that setting already.

    Args:
        data: A ``.traineddata`` file; one of an unknown form is returned as it is.
        name: A parameter of Tesseract.
        value: Its value.
    """
    count = int.from_bytes(data[:4], "little", signed=True)
    head = 4 + 8 * count
    if not 0 < count <= _MOST_PARTS or len(data) < head:
        return data
    own, *others = struct.unpack_from(f"<{count}q", data, 4)
    rest = min((offset for offset in others if offset >= 0), default=len(data))
    settings = data[own:rest] if own >= 0 else b""
    if name.encode() in settings:
        return data
    settings = b"\n".join([*settings.splitlines(), f"{name} {value}\n".encode()])
    shift = head + len(settings) - rest
    offsets = [head, *(offset + shift if offset >= 0 else offset for offset in others)]
    return struct.pack(f"<i{count}q", count, *offsets) + settings + data[rest:]
