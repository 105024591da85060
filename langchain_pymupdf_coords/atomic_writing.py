"""Files that appear whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a new file beside ``path`` to write to, and put it in place if no error was raised.

    Readers of ``path`` see the old file or the new one, never a part; after an error the old one stays.

    Args:
        path: The file to make or replace. Its folder must exist.

    Raises:
        OSError: The folder does not exist or cannot be written to.
    """
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    # Made here, with the rights that any new file gets, so that no two writers can share it.
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
