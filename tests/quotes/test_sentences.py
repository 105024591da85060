from typing import Any

import pytest
import sentencex
from hypothesis import given
from hypothesis import strategies as st

from langchain_pymupdf_coords.folding import STOPS, UNSPACED_STOPS
from langchain_pymupdf_coords.quotes.matching import find_quote
from langchain_pymupdf_coords.quotes.sentences import split_sentences
from tests.support.pdf_factory import CHINESE_TEXT, HEBREW_TEXT
from tests.support.retriever_bases import report_documents

MARKUP = st.sampled_from(
    ["**", "_", "`", "<br>", "<sup>3</sup>", "<u>", "</u>", "|", "\n", "\n\n", "- ", "# "]
)
WORDS = st.sampled_from(
    ["Fares", "rose", "3.5", "Dr.", "fuel.", "Why?", "七艘船。", "ﬀ", "e\u0301t\u00e9!", "\U0001d4b3."]
)


def _split(text: str, language: str = "en") -> list[str]:
    return [text[slice(*sentence.span)] for sentence in split_sentences(text, language)]


@pytest.mark.parametrize("stop", STOPS.replace("…", ""))
def test_every_stop_but_an_ellipsis_ends_a_sentence(stop: str) -> None:
    assert _split(f"Seven ships left{stop} All{stop}") == [f"Seven ships left{stop}", f"All{stop}"]


@pytest.mark.parametrize("stop", UNSPACED_STOPS)
def test_every_stop_without_a_space_ends_a_sentence(stop: str) -> None:
    assert _split(f"七艘船{stop}他说{stop}") == [f"七艘船{stop}", f"他说{stop}"]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Fares rose. Fuel fell!", ["Fares rose.", "Fuel fell!"]),
        ("It cost 1,250.00 euros. Dr. Lund paid.", ["It cost 1,250.00 euros.", "Dr. Lund paid."]),
        (CHINESE_TEXT, ["港口在黎明时分很安静。", "七艘船在日出前离开。"]),
        ("यह एक वाक्य है। यह दूसरा है।", ["यह एक वाक्य है।", "यह दूसरा है।"]),
        ("هل وصلت السفينة؟ نعم وصلت.", ["هل وصلت السفينة؟", "نعم وصلت."]),
        ("No stop at the end", ["No stop at the end"]),
        ("First paragraph\n\nSecond paragraph", ["First paragraph", "Second paragraph"]),
        ("", []),
        ("* * *\n\n…", []),
    ],
)
def test_prose(text: str, sentences: list[str]) -> None:
    assert _split(text) == sentences


def test_hebrew() -> None:
    assert _split(HEBREW_TEXT) == [f"{part}." for part in HEBREW_TEXT.rstrip(".").split(". ")]


def test_the_language_knows_its_ordinals() -> None:
    text = "Das Schiff fuhr am 3. Oktober ab. Es kam nie an."
    assert _split(text, "de") == ["Das Schiff fuhr am 3. Oktober ab.", "Es kam nie an."]
    assert len(_split(text, "en")) == 3


def test_a_gap_in_the_rules_of_a_language_is_filled() -> None:
    assert _split("M. Dupont est là. Il part.", "fr") == ["M. Dupont est là.", "Il part."]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("**Fares rose.** _Fuel fell._ Both.", ["**Fares rose.**", "_Fuel fell._", "Both."]),
        ("Fares **rose.** Fuel fell.", ["Fares **rose.**", "Fuel fell."]),
        ("Fares rose.<sup>3</sup> Fuel fell.", ["Fares rose.<sup>3</sup>", "Fuel fell."]),
        ("An area of 9 km<sup>2</sup>. Fuel fell.", ["An area of 9 km<sup>2</sup>.", "Fuel fell."]),
        ("Fares rose.<br>Fuel fell.<br>", ["Fares rose.", "Fuel fell."]),
        ("See line 3.<br>5 ships sail.", ["See line 3.", "5 ships sail."]),
        ("<u>Fares rose.</u> Fuel fell.", ["<u>Fares rose.</u>", "Fuel fell."]),
        ("Fares\nrose. Fuel\nfell.", ["Fares\nrose.", "Fuel\nfell."]),
        (
            "<!-- Start of picture text -->\nFares<br>rose<br>\n<!-- End of picture text -->",
            ["Fares<br>rose"],
        ),
    ],
)
def test_marks_stay_with_their_sentence(text: str, sentences: list[str]) -> None:
    assert _split(text) == sentences


def test_items_and_headings_have_no_bullets() -> None:
    text = "## **1. Fares**\n\n- Fares rose\n- Fuel fell\n\n1. **First** item\n2) Second item"
    assert _split(text) == ["**1. Fares**", "Fares rose", "Fuel fell", "1. **First** item", "2) Second item"]
    assert [sentence.kind for sentence in split_sentences(text)] == ["heading", *["prose"] * 4]


def test_each_row_of_a_table_stands_alone() -> None:
    text = "Fares. Fuel.\n\n|**Route**|2023|\n|---|---|\n|North Island. East.|512,400|\n||1|\n\nThe end."
    rows = [text[slice(*each.span)] for each in split_sentences(text) if each.kind == "row"]
    assert rows == ["**Route**|2023", "North Island. East.|512,400", "1"]
    assert _split(text)[-1] == "The end."


def test_a_minus_is_no_bullet() -> None:
    assert _split("-5 degrees were measured.") == ["-5 degrees were measured."]


def test_sentences_of_a_chunk_are_found_verbatim() -> None:
    for document in report_documents():
        sentences = _split(document.page_content)
        assert len(sentences) > 1
        statuses = [find_quote(document.page_content, sentence) for sentence in sentences]
        assert {match.status if match else None for match in statuses} == {"exact"}


@pytest.mark.parametrize("sentence", ["Fares rose by 3.5 percent. ", "七艘船在日出前离开。"])
def test_a_long_paragraph_is_cut_like_a_short_one(sentence: str) -> None:
    assert _split(sentence * 900) == [sentence.strip()] * 900


def test_a_long_sentence_stays_whole() -> None:
    sentence = f"Fares {'rose and ' * 2000}fell."
    assert _split(f"Fuel fell. {sentence} Bread rose.") == ["Fuel fell.", sentence, "Bread rose."]


def test_many_stops_take_no_squared_time(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []
    boundaries = sentencex.get_sentence_boundaries

    def measured(language: str, prose: str) -> Any:
        lengths.append(len(prose))
        return boundaries(language, prose)

    monkeypatch.setattr(sentencex, "get_sentence_boundaries", measured)
    assert len(_split("好。" * 10_000)) == 10_000
    assert max(lengths) <= 2000


@given(st.one_of(st.text(max_size=300), st.lists(st.one_of(MARKUP, WORDS, st.just(" "))).map("".join)))
def test_sentences_come_in_order_within_the_text(text: str) -> None:
    done = 0
    for sentence in split_sentences(text):
        start, end = sentence.span
        assert done <= start < end <= len(text)
        done = end


@given(st.lists(WORDS, min_size=1).map(" ".join))
def test_no_letter_of_prose_is_lost(text: str) -> None:
    kept = "".join(_split(text))
    assert [c for c in kept if c.isalpha()] == [c for c in text if c.isalpha()]
