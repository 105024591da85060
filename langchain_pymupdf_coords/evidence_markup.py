"""The HTML of an evidence page: one document that needs nothing from elsewhere."""

import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from langchain_pymupdf_coords.evidence_entries import entry_list, numbered
from langchain_pymupdf_coords.evidence_exhibits import SourceExhibits
from langchain_pymupdf_coords.evidence_pictures import PageKey
from langchain_pymupdf_coords.evidence_sheets import source_section
from langchain_pymupdf_coords.highlight_colors import BOX_COLOR, STATUS_COLORS, Color
from langchain_pymupdf_coords.html_tree import Node, html_document, node
from langchain_pymupdf_coords.pdf.rendering import Rendered


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands at the top: a title, and a question and an answer, or empty texts."""

    title: str
    question: str
    answer: str


def evidence_markup(
    heading: Heading, sources: Sequence[SourceExhibits], pictures: Mapping[PageKey, Rendered | str]
) -> str:
    """Return the document.

    Args:
        heading: Its top.
        sources: What to show.
        pictures: The picture of each page, or a sentence that says why there is none.
    """
    script = _resource("evidence_page.js")
    files_of_entries = numbered(sources)
    side = node("div", _header(heading), entry_list(files_of_entries), class_="side")
    main = node("main", *(source_section(source, pictures) for source in files_of_entries))
    body = node("body", side, main, node("script", script))
    return html_document(node("html", _head(heading.title, script), body, lang="en"))


def _head(title: str, script: str) -> Node:
    style = _resource("evidence_page.css") + _color_rules()
    # Whatever got into the page all the same: nothing is fetched or sent, and only this script runs.
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return node(
        "head",
        node("meta", charset="utf-8"),
        node("meta", http_equiv="Content-Security-Policy", content=policy),
        node("meta", name="viewport", content="width=device-width, initial-scale=1"),
        node("title", title),
        node("style", style),
    )


def _header(heading: Heading) -> Node:
    facts = [("Question", heading.question), ("Answer", heading.answer)]
    rows = [part for name, text in facts if text for part in (node("dt", name), node("dd", text, dir="auto"))]
    return node("header", node("h1", heading.title, dir="auto"), node("dl", *rows) if rows else None)


def _resource(name: str) -> str:
    return (files("langchain_pymupdf_coords") / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(content.encode()).digest()).decode('ascii')}'"


def _color_rules() -> str:
    colors: list[tuple[str, Color]] = [*STATUS_COLORS.items(), ("passage", BOX_COLOR)]
    percent = {name: " ".join(f"{part:.0%}" for part in color) for name, color in colors}
    return "\n".join(f".{name} {{ --mark: rgb({color}); }}" for name, color in percent.items())
