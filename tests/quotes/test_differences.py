# ruff: noqa: RUF001  (signs of every kind are what is tested)
"""The verdict follows from the differences, and the table of kinds is the one of the guide."""

import ast
import json
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from langchain_pymupdf_coords.errors import ProvenanceError
from langchain_pymupdf_coords.provenance.quotes import Difference, QuoteMatch, dump_quotes
from langchain_pymupdf_coords.quotes.differences import KINDS, Effect, effect_of, kinds_table
from langchain_pymupdf_coords.quotes.matching import find_quote

ROOT = Path(__file__).parents[2]
WING = ROOT / "langchain_pymupdf_coords" / "quotes"


class Chunk(NamedTuple):
    page_content: str
    metadata: dict[str, object]


# What is changed says something else, whatever the sign or the language. Not pages or kinds of a set of quotes.
MEANING = [
    ("The levy rose to 8.5% of the wages paid.", "The levy rose to 8.5 of the wages paid."),
    ("The levy rose to 8.5 of the wages paid.", "The levy rose to 8.5% of the wages paid."),
    ("Noon reached 31 °C in the shade of the oak.", "Noon reached 31 % C in the shade of the oak."),
    ("A fee of ₩9,000 is due at the counter each May.", "A fee of ₹9,000 is due at the counter each May."),
    ("A fee of ₩9,000 is due at the counter each May.", "A fee of 9,000 is due at the counter each May."),
    ("The set A ⊂ B holds for all the samples.", "The set A ⊃ B holds for all the samples."),
    ("The clause p ⇒ q was proved by the students.", "The clause p ⇔ q was proved by the students."),
    ("Lamp ▲ means up on the board of the lift.", "Lamp ▼ means up on the board of the lift."),
    ("Play the note ♯ in the second bar of the song.", "Play the note ♭ in the second bar of the song."),
    ("Trump is ♦ for the whole of the third round.", "Trump is ♣ for the whole of the third round."),
    ("Mood of the panel: 😀 after the second talk.", "Mood of the panel: 😡 after the second talk."),
    ("The board is 6′ long and is made of oak.", "The board is 6″ long and is made of oak."),
    ("Lock of the gate: ✓ checked in May by the crew.", "Lock of the gate: ✗ checked in May by the crew."),
    ("Row 3: ☐ the buyer agrees to the terms.", "Row 3: ☑ the buyer agrees to the terms."),
    ("The plant gives 40 mW at night to the town.", "The plant gives 40 MW at night to the town."),
    ("The disk holds 40 Mb of the old records.", "The disk holds 40 MB of the old records."),
    ("It has 10<sup>7</sup> cells in each of the drops.", "It has 107 cells in each of the drops."),
    ("It has 10⁷ cells in each of the drops.", "It has 10⁸ cells in each of the drops."),
    ("It weighs ~40 grams when it is dry.", "It weighs 40 grams when it is dry."),
    ("Sales changed by 40- in the last quarter.", "Sales changed by 40 in the last quarter."),
    ("while (a && b) the pump runs on.", "while (a || b) the pump runs on."),
    ("The tool was written in F# by the team.", "The tool was written in F by the team."),
    ("Pages 100, 200 and 300 of the file are lost.", "Pages 100,200 and 300 of the file are lost."),
    ("|Rows|1|234|of the table|", "Rows 1234 of the table"),
    ("El año del contrato es el primero de la serie.", "El ano del contrato es el primero de la serie."),
    ("Il conto è del cliente di Roma e di Bari.", "Il conto e del cliente di Roma e di Bari."),
    ("Sie hätte den Vertrag der Firma gelesen.", "Sie hatte den Vertrag der Firma gelesen."),
    ("The causal link of the drug was reported.", "The casual link of the drug was reported."),
    ("The report by Kowalczyk was read to the board.", "The report by Kowlaczyk was read to the board."),
    ("The NIH grant was paid to the lab in March.", "The NHI grant was paid to the lab in March."),
    ("ราคาใหม่ของบ้านหลังนี้คือสองล้านบาท", "ราคาใหมของบ้านหลังนี้คือสองล้านบาท"),
    ("本校学生不得使用手机", "得使用手机"),
    ("会費は一人45万円です", "5万円です"),
    ("会費は一人45万円です", "会費は一人45"),
    ("이 표는 못 바꾼다", "바꾼다"),
    ("当店は返品を受けない方針です。", "当店は返品を受け"),
    ("代金は返金することができない。", "代金は返金"),
    ("Müşteri siparişi geri çekemez.", "Müşteri siparişi geri çeke"),
    ("The bond is rated A- by both of the agencies.", "The bond is rated A by both of the agencies."),
    ("It cost 1,250.00 francs at the fair.", "It cost 1.250,00 francs at the fair."),
    ("The fee of ~~30 euros~~ is due in May.", "The fee of 30 euros is due in May."),
    ("It is unlikely that the plan will work.", "likely that the plan will work"),
    ("The rent is ~~700 euros~~ and is due in May.", "The rent is 700 euros and is due in May."),
    ("He may go home if the doctor agrees to it now.", "He may go home … to it now."),
    ("Der Hund darf ins Haus, sofern er sauber ist und schläft.", "Der Hund darf ins Haus … und schläft."),
]

WRITTEN_OTHERWISE = [
    ("The firm of Brown & Sons was sold.", "The firm of Brown &amp; Sons was sold."),
    ("The firm of Brown & Sons was sold.", "The firm of Brown and Sons was sold."),
    ("See § 12 of the act on the trade in wine.", "See Section 12 of the act on the trade in wine."),
    ("Use a load ≥ 30 kg on the lower rail.", "Use a load >= 30 kg on the lower rail."),
    ("It has 10<sup>7</sup> cells in a drop.", "It has $10^{7}$ cells in a drop."),
    ("The angle is α × 2 in the drawing.", "The angle is $\\alpha \\times 2$ in the drawing."),
    ("The plate is 30 × 40 mm wide.", "The plate is 30 x 40 mm wide."),
    ("He said “go home” to the crew.", '\\"go home\\" to the crew'),
    ("He said “go home” to the crew.", "He said \\u201cgo home\\u201d to the crew."),
    ("He said ‘go home’ to the crew.", "He said â€˜go homeâ€™ to the crew."),
    (
        "the owner of the mill paid the miller",
        "the [owner of the mill](https://example.org/a) paid the miller",
    ),
    ("the owner of the mill paid the miller", "<p>the <em>owner</em> of the mill paid the miller</p>"),
    ("|Name|Weight|\n|Apple|12|", "<tr><td>Apple</td><td>12</td></tr>"),
    ("İzmir'de ısı arttı", "İZMİR'DE ISI ARTTI"),
    ("Ο νόμος ίσχυε το έτος", "Ο ΝΟΜΟΣ ΙΣΧΥΕ ΤΟ ΕΤΟΣ"),
    ("Die Straße ist zu.", "DIE STRASSE IST ZU."),
    ("السلام عليكم", "الســلام عليكم"),
    ("כל התלמידים באו", "כָּל התלמידים באו"),
    ("ﾃﾞｰﾀを見た", "データを見た"),
    ("Prices rose.<sup>4</sup> Wages fell.", "Prices rose. Wages fell."),
    ("Prices rose.<sup>4</sup> Wages fell.", "Prices rose.[4] Wages fell."),
    ("Prices rose and wages fell.", "Prices rose and wages fell [2]"),
    (
        "At the end of the day the board met twice a year.",
        "the board [of trustees] met twice a year",
    ),
    ("It cost 1,250,000 francs.", "It cost 1250000 francs."),
    ("The mean is 3.5×10⁵ cycles.", "The mean is 3.5x10^5 cycles."),
    ("Departed on a flight.", "[d]eparted on a flight"),
]


@pytest.mark.parametrize(("text", "quote"), MEANING)
def test_another_meaning_is_not_found(text: str, quote: str) -> None:
    assert find_quote(text, quote) is None


@pytest.mark.parametrize(("text", "quote"), WRITTEN_OTHERWISE)
def test_the_same_written_otherwise_is_normalized(text: str, quote: str) -> None:
    match = find_quote(text, quote)
    assert match is not None
    assert match.status == "normalized"
    assert effect_of(match.differences) == Effect.NORMALIZED


@pytest.mark.parametrize(
    ("text", "quote", "word"),
    [
        ("The lessee is not permitted to keep bees.", "permitted to keep bees", "not"),
        ("The lessee isn't permitted to keep bees.", "permitted to keep bees", "isn't"),
        ("Der Verein haftet für Schäden nicht.", "Der Verein haftet für Schäden", "nicht"),
        ("Le client ne peut pas annuler la commande.", "annuler la commande", "pas"),
        ("De huurder mag de fiets niet stallen.", "De huurder mag de fiets", "niet"),
        ("Kiracı evde köpek besleyemez değil.", "Kiracı evde köpek besleyemez", "değil"),
        ("Lejeren må ikke holde hund i huset og haven.", "holde hund i huset og haven", "ikke"),
        ("The clause in Polish reads: Klient nie może zwrócić biletu.", "może zwrócić biletu", "nie"),
        ("The clause in Greek reads: Ο πελάτης δεν μπορεί να ακυρώσει.", "μπορεί να ακυρώσει", "δεν"),
        ("The clause in Russian reads: Гость не может курить.", "может курить", "не"),
    ],
)
def test_negation_outside_is_told_and_never_verified(text: str, quote: str, word: str) -> None:
    match = find_quote(text, quote)
    assert match is not None
    assert match.status == "fuzzy"
    (cut,) = [difference for difference in match.differences if difference.kind == "negation_cut"]
    assert cut.page_text == text[slice(*cut.text_span)] == word


@pytest.mark.parametrize(
    ("text", "quote", "word"),
    [
        ("Only members may swim in the lake of the club.", "members may swim in the lake", "Only"),
        ("At least four members must sign the deed.", "four members must sign the deed", "least"),
        ("The club pays if the member swims in the lake.", "the member swims in the lake", "if"),
        ("Der Verein zahlt nur die Kosten der Anreise.", "die Kosten der Anreise", "nur"),
    ],
)
def test_condition_just_before_is_told_and_never_verified(text: str, quote: str, word: str) -> None:
    match = find_quote(text, quote)
    assert match is not None
    assert match.status == "fuzzy"
    assert [(d.kind, d.page_text) for d in match.differences] == [("condition_cut", word)]


def test_a_sentence_after_a_condition_without_a_stop_is_whole() -> None:
    match = find_quote(
        "The first pump runs at night only The second pump runs all day.", "The second pump runs all day."
    )
    assert match is not None
    assert match.status == "exact"


def test_a_rule_of_the_page_through_two_letters_is_told() -> None:
    match = find_quote("The fee of ~~Co~~ the firm is due in May.", "The fee of Co the firm is due in May.")
    assert match is not None
    assert (match.status, [d.kind for d in match.differences if d.page_text == "Co"]) == (
        "fuzzy",
        ["struck_out"],
    )


def test_words_set_high_are_no_exponent() -> None:
    match = find_quote(
        "a map R<sup>is an exhaustion</sup> of the plane", "a map R is an exhaustion of the plane"
    )
    assert match is not None
    assert match.status == "normalized"


@pytest.mark.parametrize("quote", ["", "  ", "☑", "∑ → ∞", "***"])
def test_a_quote_without_letters_has_no_place(quote: str) -> None:
    assert find_quote("☑ approved; ∑ → ∞ *** in the end", quote) is None


def test_struck_out_text_is_never_verified() -> None:
    match = find_quote("The rent is ~~700 euros a month~~ and is due.", "~~700 euros a month~~")
    assert match is not None
    assert (match.status, [difference.kind for difference in match.differences]) == ("fuzzy", ["struck_out"])


def test_letters_that_ocr_confuses_may_differ_on_its_pages_only() -> None:
    text, quote = "the cornpany paid its sharehoIders twice", "the company paid its shareholders twice"
    assert find_quote(text, quote) is None
    match = find_quote(text, quote, is_from_ocr=lambda: True)
    assert match is not None
    assert {difference.kind for difference in match.differences} >= {"ocr_confusable"}


def test_differences_say_what_stands_where() -> None:
    text, quote = "The firm of Brown & Sons", " firm of Brown &amp;  Sons"
    match = find_quote(text, quote)
    assert match is not None
    for difference in match.differences:
        assert quote[slice(*difference.quote_span)] == difference.quote_text
        assert text[slice(*difference.text_span)] == difference.page_text
    assert [difference.kind for difference in match.differences] == ["escape", "white_space"]


def test_exact_has_no_differences() -> None:
    match = find_quote("The firm of Brown & Sons", "Brown & Sons")
    assert match is not None
    assert (match.status, match.differences) == ("exact", ())


def stored(**changes: object) -> Chunk:
    difference = Difference("punctuation", ",", ";", (1, 2), (1, 2))
    match = QuoteMatch("a,b", "a;b", (0, 3), "fuzzy", 100.0, 1, "line", (), differences=(difference,))
    (record,) = json.loads(dump_quotes([match]))
    record["differences"][0].update(changes)
    return Chunk("a;b", {"source": "a.pdf", "quotes": json.dumps([record])})


def test_differences_are_stored_and_read() -> None:
    (match,) = QuoteMatch.from_document(stored())
    assert match.differences == (Difference("punctuation", ",", ";", (1, 2), (1, 2)),)
    assert match.differences[0].words == 'punctuation: the quote has ",", the page has ";"'


@pytest.mark.parametrize(
    "changes",
    [{"kind": 3}, {"quote_text": "x"}, {"page_text": "x"}, {"text_span": [1, 9]}, {"quote_span": "1"}],
)
def test_malformed_differences_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ProvenanceError, match="quotes"):
        QuoteMatch.from_document(stored(**changes))


def test_matches_written_before_differences_are_read() -> None:
    record = json.loads(str(stored().metadata["quotes"]))
    del record[0]["differences"]
    (match,) = QuoteMatch.from_document(Chunk("a;b", {"source": "a.pdf", "quotes": json.dumps(record)}))
    assert match.differences == ()


def test_guide_has_the_table_of_kinds() -> None:
    assert kinds_table() in (ROOT / "docs" / "retriever.md").read_text(encoding="utf-8")


def test_each_kind_that_the_code_names_is_in_the_table() -> None:
    named = set()
    for name in (
        "comparing",
        "edges",
        "mark_kinds",
        "outer_marks",
        "signs",
        "stretch_kinds",
        "struck",
        "wording",
    ):
        tree = ast.parse((WING / f"{name}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant):
                value = node.value.value
                if isinstance(value, str) and "_" in value:
                    named.add(value)
    assert named
    assert named <= set(KINDS)


def imports_within(path: Path) -> set[str]:
    prefix = "langchain_pymupdf_coords.quotes."
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.module.removeprefix(prefix)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(prefix)
    }


def test_the_way_of_a_quote_leads_one_way() -> None:
    """A module can call back into one that called it only if imports form a circle, or it is handed one."""
    graph = {path.stem: imports_within(path) for path in WING.glob("*.py")}
    order: list[str] = []
    while len(order) < len(graph):
        free = [name for name in graph if name not in order and graph[name] <= set(order)]
        assert free, f"imports form a circle among {set(graph) - set(order)}"
        order += free
    for rooms in (
        ("matching", "judging", "reader", "sign_writer", "reading", "scripts"),
        ("judging", "comparing", "stretch_kinds", "mark_kinds", "signs"),
        ("judging", "edges", "wording", "spelling"),
        ("matching", "candidates", "scripts"),
        ("matching", "ellipses", "wording", "small_words"),
        ("comparing", "differences"),
    ):
        for upper, lower in pairwise(rooms):
            assert lower in graph[upper]
            assert order.index(lower) < order.index(upper)


def test_an_ellipsis_may_hide_the_number_of_a_thing() -> None:
    match = find_quote(
        "She has read Lot No. 4 on the sale of the boats.", "She has read ... on the sale of the boats"
    )
    assert match is not None
    assert [(d.kind, d.page_text) for d in match.differences] == [("left_out", " Lot No. 4 ")]
