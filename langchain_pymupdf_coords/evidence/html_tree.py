"""HTML as a tree of elements.

Their serialiser escapes every text and attribute, so that nothing from a PDF, a question or an answer can become
markup.
"""

import xml.etree.ElementTree as ET

Node = ET.Element


def node(tag: str, *content: Node | str | None, **attributes: str) -> Node:
    """Return an element.

    Args:
        tag: Its name.
        *content: Elements and texts in order; None is left out.
        **attributes: Named as in HTML with ``_`` for ``-``, and ``class_`` for ``class``.
    """
    names = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    element = ET.Element(tag, names)
    for part in content:
        if isinstance(part, str):
            _append_text(element, part)
        elif part is not None:
            element.append(part)
    return element


def html_document(root: Node) -> str:
    """Return the text of a document whose root element is ``html``.

    Text of ``style`` and ``script`` is not escaped, as HTML demands: only ever give them constants.
    """
    return f"<!doctype html>\n{ET.tostring(root, encoding='unicode', method='html')}\n"


def _append_text(element: Node, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text
