"""The name of a source: as people say it, and as part of the name of a file made from it."""

import re
from urllib.parse import unquote

_URL_PATH = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://[^/?#]*(?P<path>[^?#]*)")

_LONGEST_STEM = 40


def file_name(source: str) -> str:
    """Return the name of the file without its folders, or, where it has none, the source as it is.

    Args:
        source: ``metadata["source"]``: a path of any system, or a URL, whose ``%20`` is read as a space.
    """
    url = _URL_PATH.match(source)
    path = unquote(url["path"]) if url else source
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] or source


def file_stem(source: str) -> str:
    """Return the name without ``.pdf`` in characters that every file system takes, for a file of one's own."""
    name = re.sub(r"\.pdf\Z", "", file_name(source), flags=re.IGNORECASE)
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:_LONGEST_STEM].rstrip("-.") or "source"
