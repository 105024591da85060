"""Sentences that go on past what a page shows between their halves."""

import pytest

from langchain_pymupdf_coords.provenance.boxes import SourceBox
from langchain_pymupdf_coords.quotes.matching import find_past_running_heads


def laid_out(*parts: tuple[str, str]) -> tuple[str, list[SourceBox]]:
    """A text of parts, each of a class, and their boxes, one below the other."""
    content, boxes = "", []
    for number, (box_class, text) in enumerate(parts):
        start = len(content)
        content += text + "\n\n"
        box = (72, 100 * number, 300, 100 * number + 90)
        boxes.append(SourceBox(1, box, box_class=box_class, span=(start, start + len(text))))
    return content, boxes


@pytest.mark.parametrize("between", ["picture", "table", "caption", "page-footer", "footnote"])
def test_a_sentence_goes_on_past_a_box(between: str) -> None:
    content, boxes = laid_out(("text", "The pump was"), (between, "Seven 12"), ("text", "sold in May."))
    match = find_past_running_heads(content, "The pump was sold in May.", boxes)
    assert match is not None
    assert match.status == "normalized"
    assert [content[start:end].strip() for start, end in match.spans] == ["The pump was", "sold in May."]


@pytest.mark.parametrize(
    ("first", "second"), [("The pump was.", "sold in May."), ("The pump was", "Sold in May.")]
)
def test_no_sentence_goes_on_past_a_figure_where_it_ends_or_another_begins(first: str, second: str) -> None:
    content, boxes = laid_out(("text", first), ("picture", "Seven 12"), ("text", second))
    assert find_past_running_heads(content, f"{first} {second}", boxes) is None
