"""Form fields made harmless in a private document.

The engine walks the tree of form fields for each call, which is quadratic on long files, and MuPDF fails or
never returns where the tree has a cycle. Fields are drawn, and read, as annotations of their pages, which need
neither the list of fields nor the way back up.
"""

import re

import pymupdf

_REFERENCE = re.compile(r"(\d+) \d+ R")


def disarm_forms(document: pymupdf.Document) -> None:
    """Cut cycles in the tree of form fields, and empty the list that leads into it."""
    root = document.pdf_catalog()
    waiting = [(xref, 0) for xref in _references(document, root, "AcroForm/Fields")]
    if not waiting:
        return
    seen: set[int] = set()
    while waiting:
        xref, parent = waiting.pop()
        seen.add(xref)
        if _references(document, xref, "Parent") not in ([], [parent]):
            document.xref_set_key(xref, "Parent", f"{parent} 0 R" if parent else "null")
        kids = _references(document, xref, "Kids")
        if seen.intersection(kids) or len(set(kids)) < len(kids):
            document.xref_set_key(xref, "Kids", "null")
        else:
            waiting += [(kid, xref) for kid in kids]
    document.xref_set_key(root, "AcroForm/Fields", "[]")


def _references(document: pymupdf.Document, xref: int, key: str) -> list[int]:
    kind, value = document.xref_get_key(xref, key)
    if kind == "xref" and key != "Parent":
        # The array itself is an object of its own.
        value = document.xref_object(int(value.split()[0]), compressed=True)
    return [int(number) for number in _REFERENCE.findall(value)] if kind in ("array", "xref") else []
