"""From the ``source`` of a Document to a file that may be read: rules, safe reading and writing, downloads.

In: A path, URL, bytes or ``Blob``, and the caller's ``root`` and ``resolver``.
Out: A ``SourceFile`` with its digest, or the error that says why not.
Imports: The ground and ``provenance``.
"""

from langchain_pymupdf_coords.sources.files import (
    SourceFile,
    SourceKey,
    check_digest,
)
from langchain_pymupdf_coords.sources.resolver import (
    FileAccess,
    Resolver,
    normalise_source,
)

__all__ = [
    "FileAccess",
    "Resolver",
    "SourceFile",
    "SourceKey",
    "check_digest",
    "normalise_source",
]
