"""Language data for the Tesseract that is built into PyMuPDF, set to find the columns of a page.

PyMuPDF leaves Tesseract in its mode for one block of text, which runs columns together, and has no option for
it. But Tesseract reads settings from the data of its language too: so it gets a copy that holds this one. A
file of language data is the number of its parts, the offset of each part (-1: missing) and the parts, of which
the settings are the first (tesseract-ocr/tesseract, ``src/ccutil/tessdatamanager.h``).
"""

import atexit
import os
import shutil
import struct
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

_SPARSE = b"tessedit_pageseg_mode 11\n"
_MOST_PARTS = 64


@cache
def column_aware(folder: str, language: str) -> str:
    """Return a folder with the data of some languages, of which the first says to look for columns.

    The folder belongs to the process and goes with it.

    Args:
        folder: Folder that has ``NAME.traineddata`` for each language.
        language: Names of languages, joined with ``+``.
    """
    copy = mkdtemp(prefix="tessdata-")
    atexit.register(_remove, copy, os.getpid())
    for index, name in enumerate(language.split("+")):
        source, target = (Path(place, f"{name}.traineddata") for place in (folder, copy))
        target.parent.mkdir(exist_ok=True)
        if index:
            shutil.copyfile(source, target)
        else:
            target.write_bytes(with_setting(source.read_bytes()))
    return copy


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:  # not in a fork
        shutil.rmtree(folder, ignore_errors=True)


def with_setting(data: bytes, setting: bytes = _SPARSE) -> bytes:
    """Return language data with one more line of settings; unchanged if it makes that setting already.

    Args:
        data: A ``.traineddata`` file; one of an unknown form is returned as it is.
        setting: Name and value of a parameter of Tesseract, with a line end.
    """
    count = int.from_bytes(data[:4], "little", signed=True)
    head = 4 + 8 * count
    if not 0 < count <= _MOST_PARTS or len(data) < head:
        return data
    own, *others = struct.unpack_from(f"<{count}q", data, 4)
    rest = min((offset for offset in others if offset >= 0), default=len(data))
    settings = data[own:rest] if own >= 0 else b""
    if setting.split()[0] in settings:
        return data
    settings = b"\n".join([*settings.splitlines(), setting])
    shift = head + len(settings) - rest
    offsets = [head, *(offset + shift if offset >= 0 else offset for offset in others)]
    return struct.pack(f"<i{count}q", count, *offsets) + settings + data[rest:]
