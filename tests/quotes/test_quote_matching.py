# ruff: noqa: RUF001  (dashes and apostrophes of every kind are what is tested)
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from langchain_pymupdf_coords.folding import STOPS, UNSPACED_STOPS, fold, fold_letters
from langchain_pymupdf_coords.quotes.differences import KINDS, Effect, effect_of
from langchain_pymupdf_coords.quotes.ellipses import LONGEST_GAP
from langchain_pymupdf_coords.quotes.matching import TextMatch, find_all, find_quote

EVAL = Path(__file__).parents[3] / "shared" / "eval" / "quotes.jsonl"

REPORT = (
    "# **Annual report**\n\n"
    "The company paid **1,250.00** dollars to Alice Jensen in 2019–2020. Its net margin was -5 % on sales of"
    " (3,400) thousand. The supplier is not liable for any indirect damages that the customer may suffer."
    " Revenue increased by 12.5 % to $4.5 million in the third quarter,<sup>3</sup> but the board didn't"
    " approve a dividend. Alice paid Bob before the contract was signed in Rotterdam. The treatment was"
    " effective in all patients with p < 0.05 and a dose of 10<sup>-3</sup> grams. The debt is rated AA+ by"
    " both agencies.\n\n"
    "|Region|2021|2022|\n|---|---|---|\n|North|12|250|\n|South|1,003|(45)|\n|East Co<br>ast|-|7.0|\n\n"
    "Employees must report every accident above the threshold within 30 days.\n\n"
    "- It is illegal to export the goods without a licence.\n- Non-compliance with the rules is common.\n"
)
GERMAN = "Der Vertrag ist nicht kündbar. Die Miete beträgt 1.250,50 € im Monat und ist keine Vorauszahlung."
FRENCH = "Le locataire ne peut pas sous-louer l'appartement. Le loyer s'élève à 1 250,50 € par mois."
SPANISH = "El proveedor nunca será responsable de los daños indirectos que sufra el cliente."
ITALIAN = "Il fornitore non è responsabile dei danni indiretti subiti dal cliente finale."
PORTUGUESE = "O fornecedor não é responsável pelos danos indiretos sofridos pelo cliente final."
DUTCH = "De leverancier is niet aansprakelijk voor indirecte schade van de klant."
POLISH = "Dostawca nie odpowiada za szkody pośrednie poniesione przez klienta."
RUSSIAN = "Поставщик не несёт ответственности за косвенные убытки заказчика."

# What the text does not say.
NOT_THERE = [
    # made up
    (REPORT, "The chairman resigned in the spring of the following year."),
    (REPORT, "dividend of two dollars per share"),
    (REPORT, "Annual accounts"),
    # negation dropped, added, moved
    (REPORT, "The supplier is liable for any indirect damages that the customer may suffer."),
    (REPORT, "The supplier is not not liable for any indirect damages that the customer may suffer."),
    (REPORT, "The company did not pay 1,250.00 dollars to Alice Jensen in 2019–2020."),
    (REPORT, "but the board did approve a dividend"),
    (REPORT, "The treatment was not effective in all patients with p < 0.05"),
    (REPORT, "The supplier is liable for any indirect damages that the customer may not suffer."),
    (REPORT, "The supplier is never liable for any indirect damages that the customer may suffer."),
    (
        "In my view he is notable to serve the community well.",
        "In my view he is not able to serve the comunity well.",
    ),
    (REPORT, "The supplier is now liable for any indirect damages that the customer may suffer."),
    (REPORT, "It is illegal to export the goods with a licence."),
    (REPORT, "It is legal to export the goods without a licence."),
    (REPORT, "legal to export the goods"),
    (REPORT, "compliance with the rules"),
    (REPORT, "**legal** to export the goods without a licence"),
    (REPORT, "**compliance** with the rules is common. "),
    (REPORT, "the board did"),
    (REPORT, "the board didn"),
    ("Under the terms agreed in **May** we cannot pay.", "Under the terms agreed in May we can"),
    ("Under the terms agreed in **May** he doesn't pay.", "Under the terms agreed in May he does"),
    (GERMAN, "Der Vertrag ist kündbar. Die Miete beträgt 1.250,50 €"),
    (GERMAN, "1.250,50 € im Monat und ist eine Vorauszahlung"),
    (FRENCH, "Le locataire peut sous-louer l'appartement."),
    (SPANISH, "El proveedor será responsable de los daños indirectos que sufra el cliente."),
    (SPANISH, "El proveedor siempre será responsable de los daños indirectos que sufra el cliente."),
    (ITALIAN, "Il fornitore è responsabile dei danni indiretti subiti dal cliente finale."),
    (PORTUGUESE, "O fornecedor é responsável pelos danos indiretos sofridos pelo cliente final."),
    (DUTCH, "De leverancier is aansprakelijk voor indirecte schade van de klant."),
    (POLISH, "Dostawca odpowiada za szkody pośrednie poniesione przez klienta."),
    (RUSSIAN, "Поставщик несёт ответственности за косвенные убытки заказчика."),
    # numbers changed
    (REPORT, "The company paid 1,350.00 dollars to Alice Jensen"),
    (REPORT, "The company paid 1.250,00 dollars to Alice Jensen"),
    (REPORT, "The company paid 125,000 dollars to Alice Jensen"),
    (REPORT, "The company paid 250.00 dollars to Alice Jensen"),
    (REPORT, "250.00 dollars to **Alice Jensen** in 2019"),
    (REPORT, "Alice Jensen in 2018–2020"),
    (REPORT, "Alice Jensen in 20192020"),
    (REPORT, "Alice Jensen in 2019, 2020"),
    (REPORT, "net margin was 5 % on sales"),
    (REPORT, "5 % on sales"),
    (REPORT, "net margin was -5 % on sales of 3,400 thousand"),
    (REPORT, "3,400 thousand"),
    (REPORT, "Revenue increased by 125 % to $4.5 million"),
    (REPORT, "Revenue increased by 12.5 % to €4.5 million"),
    (REPORT, "Revenue increased by 12.5 ‰ to $4.5 million"),
    (REPORT, "Revenue increased by 12.5 % to $4.5 billion in the third quarter"),
    (REPORT, "effective in all patients with p > 0.05"),
    (REPORT, "effective in all patients with p 0.05"),
    (REPORT, "a dose of 10 grams"),
    (REPORT, "The debt is rated AA by both agencies"),
    (REPORT, "The debt is rated AA- by both agencies"),
    (REPORT, "The debt is rated AA"),
    (REPORT, "within 30 months"),
    (REPORT, "South 1,003 45"),
    (REPORT, "South 1,003 -45"),
    (REPORT, "East Coast - 70"),
    (FRENCH, "250,50 € par mois"),
    (FRENCH, "Le loyer s'élève à 250,50 € par mois"),
    ("Total 1\u202f250 pieces", "250 pieces"),
    ("1,250.00", "250"),
    ("1,250.00", "1,250"),
    ("part", "art"),
    ("at 1.0 bar", "10"),
    ("100 items", "10"),
    ("due 12/05/2022", "2022"),
    ("(2.0)", "20"),
    ("sold .5 tons", "5 tons"),
    ("16|1", "161"),
    ("Seat 1 2 5 taken", "Seat 125"),
    ("Total 1 250 units", "Total 1250 units"),  # may be two cells
    # cut inside a word, accents, OCR's letters on a page that no OCR read, nothing to stand on
    (REPORT, "pany paid 1,250.00 dollars to Alice Jen"),
    (GERMAN, "Der Vertrag ist nicht kundbar. Die Miete"),
    (
        "in tbe year 2020 the cornpany paid its sharehoIders a dividend twice",
        "in the year 2020 the company paid its shareholders a dividend twice",
    ),
    ("see § 5", "§"),
    # words changed, names swapped
    (REPORT, "Revenue decreased by 12.5 % to $4.5 million in the third quarter"),
    (REPORT, "Bob paid Alice before the contract was signed in Rotterdam."),
    (REPORT, "Alice paid Bob after the contract was signed in Rotterdam."),
    (REPORT, "Alice paid Bob before the contact was signed in Rotterdam."),
    (REPORT, "Alice paid Rob before the contract was signed in Rotterdam."),
    (REPORT, "Alice paid Bob before the contract was signed in Amsterdam."),
    (REPORT, "Alice paid Bob before the contract was ultimately signed in Rotterdam."),
    (REPORT, "Alice paid Bob the contract was signed in Rotterdam."),
    (REPORT, "Employees may report every accident above the threshold within 30 days."),
    (REPORT, "Employers must report every accident above the threshold within 30 days."),
    (REPORT, "Employees must report every accident below the threshold within 30 days."),
    (REPORT, "Employees must report every incident above the threshold within 30 days."),
    (REPORT, "The treatment was ineffective in all patients with p < 0.05"),
    (REPORT, "The treatment was effective in some patients with p < 0.05"),
    (
        "The patient had a history of hypertension and diabetes.",
        "The patient had a history of hypotension and diabetes.",
    ),
    ("The solution contained sodium nitrate in water.", "The solution contained sodium nitrite in water."),
    ("the agreement between Hansen and the bank", "the agreement between Hanson and the bank"),
    ("the agreement is renewed by the lessor each year", "the agreement is renewed by the lessee each year"),
    ("Take one tablet of **5 mg** in the morning, always.", "Take one tablet of 5 g in the morning, always."),
    (REPORT, "Alice paid Bob before a contract was signed in Rotterdam."),
    (REPORT, "Emplyees must reprot every accidnet above the threshold within 30 days."),
    ("यह मेरी किताब है।", "यह मेरा किताब है"),
    ("the eﬀect of **inflation** on all of the prices", "fect of inflation on all of the prices"),
    # stitched together
    (REPORT, "The supplier is not liable for a dividend."),
    (REPORT, "Employees must report every accident that the customer may suffer."),
    (REPORT, "The company paid 1,250.00 dollars to Bob before the contract was signed"),
    (REPORT, "The treatment was effective in the third quarter"),
    # fragments out of order, too short, too far apart, or hiding a negation
    (REPORT, "before the contract was signed ... The company paid"),
    (REPORT, "The supplier is … liable for any indirect damages"),
    (REPORT, "The supplier [...] liable for any indirect damages"),
    (REPORT, "but the board ... approve a dividend"),
    (REPORT, "Alice … Rotterdam"),
    (REPORT, "The ... supplier ... liable for any indirect damages"),
    (REPORT, "Revenue increased by 12.5 % ... to the shareholders"),
    (REPORT, "The company paid 1,350.00 dollars ... not liable for any indirect damages"),
    (REPORT, "South 1,003 ... East Coast - 7.0"),
    (REPORT, "Region 2021 . . . . . . . . . . North 12 250"),
    (
        "The first clause applies. " + "word " * 300 + "The last clause applies.",
        "first clause ... last clause applies",
    ),
    # nothing to find
    (REPORT, ""),
    (REPORT, " \n"),
    (REPORT, "§§"),
    ("", "word"),
    ("cat", "The cat sat on the mat and looked around."),
]

# What the text does say: the quote, the slice that it must land on, and how.
THERE = [
    (REPORT, "Annual report", "Annual report", "exact"),
    (REPORT, "  **Annual report**\n", "**Annual report**", "exact"),
    (REPORT, "“Annual report.”", "Annual report", "normalized"),
    (REPORT, "1,250.00", "1,250.00", "exact"),
    (REPORT, "paid 1,250.00 dollars", "paid **1,250.00** dollars", "normalized"),
    (REPORT, "Alice Jensen in 2019-2020.", "Alice Jensen in 2019–2020.", "normalized"),
    (REPORT, "2020", "2020", "exact"),
    (REPORT, "-5 %", "-5 %", "exact"),
    (REPORT, "net margin was −5%", "net margin was -5 %", "normalized"),
    (REPORT, "sales of (3,400)  thousand", "sales of (3,400) thousand", "normalized"),
    (REPORT, "THE SUPPLIER IS NOT LIABLE", "The supplier is not liable", "normalized"),
    (REPORT, "liable", "liable", "fuzzy"),  # "not" stands right before it
    (REPORT, "third quarter", "third quarter", "exact"),
    (
        REPORT,
        "$ 4.5 million in the third quarter,3 but",
        "$4.5 million in the third quarter,<sup>3</sup> but",
        "normalized",
    ),
    (
        REPORT,
        "$4.5 million in the third quarter, but",
        "$4.5 million in the third quarter,<sup>3</sup> but",
        "normalized",
    ),
    (REPORT, "the board didn’t approve", "the board didn't approve", "normalized"),
    (REPORT, "but the board did not approve a dividend", "but the board didn't approve a dividend", "fuzzy"),
    (REPORT, "p < 0.05", "p < 0.05", "exact"),
    (REPORT, "with p <0.05 and", "with p < 0.05 and", "normalized"),
    (REPORT, "a dose of 10⁻³ grams", "a dose of 10<sup>-3</sup> grams", "normalized"),
    (REPORT, "a dose of 10−3 grams", "a dose of 10<sup>-3</sup> grams", "fuzzy"),
    (REPORT, "rated AA+ by", "rated AA+ by", "exact"),
    (REPORT, "paid 1250.00 dollars", "paid **1,250.00** dollars", "normalized"),
    (REPORT, "Region 2021 2022", "Region|2021|2022", "normalized"),
    (REPORT, "South | 1,003 | (45)", "South|1,003|(45)", "normalized"),
    (REPORT, "East Coast - 7.0", "East Co<br>ast|-|7.0", "normalized"),
    (
        REPORT,
        "Revenue incresed by 12.5 % to $4.5 million",
        "Revenue increased by 12.5 % to $4.5 million",
        "fuzzy",
    ),
    (
        REPORT,
        "Employees must report evrey accident above",
        "Employees must report every accident above",
        "fuzzy",
    ),
    (
        REPORT,
        "Employees must report the every accident above",
        "Employees must report every accident above",
        "fuzzy",
    ),
    (REPORT, "It is illegal to export the goods", "It is illegal to export the goods", "exact"),
    (REPORT, "without a licence. Non-compliance", "without a licence.\n- Non-compliance", "normalized"),
    (GERMAN, "1.250,50 €", "1.250,50 €", "exact"),
    (FRENCH, "sous-louer l’appartement", "sous-louer l'appartement", "fuzzy"),  # "pas" stands before it
    (FRENCH, "Le loyer s’élève", "Le loyer s'élève", "normalized"),
    (FRENCH, "s'e\u0301lève à 1\u202f250,50 €", "s'élève à 1 250,50 €", "normalized"),
    (RUSSIAN, "не несёт ответственности", "не несёт ответственности", "exact"),
    ("word<sup>3</sup> next", "word", "word", "exact"),
    ("an eﬀect of inﬂation", "effect of inflation", "eﬀect of inﬂation", "normalized"),
    (
        "infor-\nmation and infor\u00admed",
        "information and informed",
        "infor-\nmation and infor\u00admed",
        "normalized",
    ),
    ("das Maß der Straße", "STRASSE", "Straße", "normalized"),
    ("Merkezi İstanbul'dadır", "istanbul", "İstanbul", "normalized"),
    ("本公司不承担任何责任。", "不承担任何责任", "不承担任何责任", "exact"),
    ("本公司<br>不承担任何责任。", "公司不承担", "公司<br>不承担", "normalized"),
    ("삼성카드의 포인트는", "삼성카드", "삼성카드", "exact"),
    ("הספק אינו אחראי לנזקים", "אינו אחראי", "אינו אחראי", "exact"),
    ("قال المُوَرِّد إنه غير مسؤول", "المورد إنه غير مسؤول", "المُوَرِّد إنه غير مسؤول", "normalized"),
    ("in the years 2019 –2020", "years 2019-2020", "years 2019 –2020", "normalized"),
    ("यह **मेरी** किताब है।", "यह मेरी किताब", "यह **मेरी** किताब", "normalized"),
    ("Total 1\u00a0250 units", "Total 1250 units", "Total 1\u00a0250 units", "normalized"),
    ("Total 1,<br>250 units", "Total 1,250 units", "Total 1,<br>250 units", "normalized"),
    ("Total 10½ units", "Total 10 1/2 units", "Total 10½ units", "normalized"),
    ("Prices: 2 + 3 > 4", "2 + 3 > 4", "2 + 3 > 4", "exact"),
    ("wait... what happened", "wait... what happened", "wait... what happened", "exact"),
    ("wait . . . what happened", "wait... what happened", "wait . . . what happened", "normalized"),
]


@pytest.mark.parametrize("cutoff", [90, 40])
@pytest.mark.parametrize(("text", "quote"), NOT_THERE)
def test_altered_quote_is_not_found(text: str, quote: str, cutoff: float) -> None:
    assert find_quote(text, quote, cutoff=cutoff) is None


@pytest.mark.parametrize(("text", "quote", "found", "status"), THERE)
def test_genuine_quote_is_found(text: str, quote: str, found: str | None, status: str) -> None:
    match = find_quote(text, quote)
    assert match is not None
    assert match.status == status
    assert text[slice(*match.span)] == (text if found is None else found)
    assert match.quote == quote
    assert match.score == 100 or status == "fuzzy"


@pytest.mark.parametrize(
    ("quote", "fragments"),
    [
        ("The company paid … to Alice Jensen", ["The company paid", "to Alice Jensen"]),
        ("The company paid [...] in 2019-2020.", ["The company paid", "in 2019–2020."]),
        ("Revenue increased ... to $4.5 million . . . approve a dividend", None),
        (
            "... Revenue increased by 12.5% (…) $4.5 million […] third quarter ...",
            ["Revenue increased by 12.5 %", "$4.5 million", "third quarter"],
        ),
        (
            "Alice paid Bob before the contract... The debt is rated AA+",
            ["Alice paid Bob before the contract", "The debt is rated AA+"],
        ),
        # The gap hides "not".
        ("Its net margin was -5 % on sales ... Revenue increased", None),
        (
            "Revenue increased by 12.5 % ... the third quarter ... Alice piad Bob before the contract",
            None,
        ),
        (
            "Revenue incresed by 12.5 % ... in the third quarter",
            ["Revenue increased by 12.5 %", "in the third quarter"],
        ),
    ],
)
def test_fragments_are_found_in_order(quote: str, fragments: list[str] | None) -> None:
    match = find_quote(REPORT, quote)
    if fragments is None:  # a gap hides "didn't" or "not"
        assert match is None
        return
    assert match is not None
    assert match.status == "fragments"
    assert [REPORT[start:end] for start, end in match.spans] == fragments
    assert match.span == (match.spans[0][0], match.spans[-1][1])
    assert (match.score < 100) == ("incresed" in quote)


@pytest.mark.parametrize("stop", STOPS.replace("…", "") + UNSPACED_STOPS)
def test_whole_sentences_may_be_left_out_but_for_a_negation(stop: str) -> None:
    text = f"The tenant pays the rent monthly{stop} He told his agent{stop} The landlord keeps the roof in repair."
    quote = "The tenant pays the rent monthly … The landlord keeps the roof in repair."
    match = find_quote(text, quote)
    assert match is not None
    assert match.status == "fragments"
    assert [(d.kind, d.page_text) for d in match.differences] == [
        ("left_out", f"{stop} He told his agent{stop} ")
    ]
    assert find_quote(text.replace("told", "did not tell"), quote) is None


def test_fragments_take_the_nearest_pieces() -> None:
    text = "The tenant pays rent. Other matters. The tenant pays twice a year to the agent. And to the agent."
    match = find_quote(text, "The tenant pays … to the agent")
    assert match is not None
    assert [text[start:end] for start, end in match.spans] == ["The tenant pays", "to the agent"]
    assert match.span == (text.rindex("The tenant"), text.index("to the agent") + len("to the agent"))


def test_gap_between_fragments_is_bounded() -> None:
    for letters, found in ((LONGEST_GAP, True), (LONGEST_GAP + 1, False)):
        text = f"The first clause {'x' * letters} the last clause"
        assert (find_quote(text, "The first clause … the last clause") is not None) is found


def test_occurrences_are_counted_and_the_best_comes_first() -> None:
    text = "**Net** sales rose. Net sales fell. NET SALES were flat. Internet sales, net salesmen."
    assert find_all(text, "Net sales") == [(2, 13), (20, 29), (36, 45)]
    match = find_quote(text, "Net sales")
    assert match == TextMatch("Net sales", ((20, 29),), "exact", 100.0, 3)
    normalized = find_quote(text, "net **sales**")
    assert normalized is not None
    assert (normalized.span, normalized.status, normalized.occurrences) == ((2, 13), "normalized", 3)
    assert find_all(text, "gross sales") == find_all(text, "") == []


def test_fuzzy_match_counts_what_it_found() -> None:
    text = "Payment is due within thirty days. Interest runs. Payment is due within thirty days."
    match = find_quote(text, "Payment is due wihtin thirty days.")
    assert match is not None
    assert (match.status, match.span, match.occurrences) == ("fuzzy", (0, 34), 2)


def test_less_alike_place_is_taken_if_the_most_alike_says_something_else() -> None:
    text = (
        "In 2020 the revenue of the group increased to four billion euros after tax. "
        "In 2021 the revenne of the gronp increased to four billion euros after tax."
    )
    quote = "In 2021 the revenue of the group increased to four billion euros after tax."
    assert find_quote(text, quote) is None  # other letters, but for pages that an OCR engine read
    match = find_quote(text, quote, is_from_ocr=lambda: True)
    assert match is not None
    assert text[slice(*match.span)] == text[text.index("In 2021") :]


def test_whole_words_are_preferred_to_cut_ones_in_long_quotes() -> None:
    text = "unhappy families resemble one another; happy families resemble one another"
    match = find_quote(text, "happy families resemble one another")
    assert match is not None
    assert (match.span[0], match.occurrences) == (text.rindex("happy"), 1)


def test_cutoff_refuses_what_is_less_alike() -> None:
    quote = "The suplier is not liable for any indirect damages"
    match = find_quote(REPORT, quote)
    assert match is not None
    assert 98 < match.score < 100
    assert find_quote(REPORT, quote, cutoff=match.score) == match
    assert find_quote(REPORT, quote, cutoff=99.5) is None


@pytest.mark.parametrize("cutoff", [-1, 100.5, float("nan")])
def test_impossible_cutoff_is_refused(cutoff: float) -> None:
    with pytest.raises(ValueError, match="0 to 100"):
        find_quote("text", "text", cutoff=cutoff)


def test_folded_text_may_be_given() -> None:
    assert find_quote(REPORT, "paid 1,250.00", folded=fold(REPORT)) == find_quote(REPORT, "paid 1,250.00")


WORDS = st.sampled_from(
    [
        "alpha",
        "Beta",
        "não",
        "12",
        "1,250.00",
        "-5",
        "don't",
        "straße",
        "eﬃcient",
        "über",
        "本",
        "e\u0301t",
        "(3.0)",
    ]
)
MARKS = st.sampled_from(
    [" ", "  ", "\n", "<br>", " **", "** ", "|", " _", "_ ", "\n\n- ", "<sup>", "</sup>", "\u00ad"]
)


@given(st.lists(st.tuples(WORDS, MARKS), min_size=8, max_size=30), st.data())
def test_any_long_substring_is_found(parts: list[tuple[str, str]], data: st.DataObject) -> None:
    text = "".join(word + mark for word, mark in parts)
    check_substring(text, data)


LETTERS = st.characters(categories=["L", "N", "Lo"])
ANY = st.characters(exclude_categories=["Cs"])


ANY_WORDS = st.lists(
    st.text(st.one_of(LETTERS, LETTERS, ANY), min_size=3, max_size=12), min_size=8, max_size=12
)


@given(ANY_WORDS.map(" ".join), st.data())
def test_any_long_substring_of_any_text_is_found(text: str, data: st.DataObject) -> None:
    check_substring(text, data)


def check_substring(text: str, data: st.DataObject) -> None:
    """A part that begins and ends at white space is found, or what it cuts off is told."""
    edges = [0, *(at for at, char in enumerate(text) if char == " "), len(text)]
    third = len(edges) // 3 + 1
    first, last = data.draw(st.sampled_from(edges[:third])), data.draw(st.sampled_from(edges[-third:]))
    quote = text[first:last].strip()
    assume(sum(map(str.isalnum, quote)) >= 25)
    match = find_quote(text, quote)
    if match is None:
        return  # it cuts a number from its sign, its unit or the like
    assert match.status == ("fuzzy" if match.differences else "exact")
    assert match.score == 100
    assert all(KINDS[difference.kind].effect == Effect.UNVERIFIED for difference in match.differences)
    assert text[slice(*match.span)] == quote


GAPS = st.sampled_from([" ", "  ", "\n", " **", "** ", "<br>", " _", "_ ", "|"])


@given(st.lists(st.tuples(WORDS, GAPS), min_size=3), st.data())
def test_quote_without_its_marks_is_found(parts: list[tuple[str, str]], data: st.DataObject) -> None:
    text = "".join(word + mark for word, mark in parts)
    first = data.draw(st.integers(0, len(parts) - 1))
    last = data.draw(st.integers(first, len(parts) - 1))
    quote = " ".join(word for word, _ in parts[first : last + 1])
    match = find_quote(text, quote)
    assert match is not None
    # A negation beside it is the only thing that may be amiss.
    worst = effect_of(match.differences)
    assert match.status in ("exact", "normalized") or worst == Effect.UNVERIFIED
    assert fold_letters(text[slice(*match.span)]) == fold_letters(quote)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("a" * 10_000, "a" * 9_999 + "b"),
        ("a a " * 5_000, "a a " * 500 + "b"),
        ("ab" * 5_000, "ab" * 900 + "c"),
        ("a" * 300_000, "a" * 1_900 + "b"),
        ("1" * 20_000, "1" * 5_000),
        ("1.1 " * 5_000, "11 " * 1_000),
        ("word.<sup>" * 5_000, "word " * 20),
        (
            "first fragment here " + "! " * 50_000 + "second fragment here",
            "first fragment here ... second fragment here",
        ),
        ("word", "(" * 50_000 + "word" + ")" * 50_000),
        ("lorem ipsum dolor " * 500, "lorem ipsum dolor ... " * 9 + "dolor lorem ipsum"),
        (REPORT * 3, "".join(random.Random(1).choices("abcdefgh .", k=10_000))),
    ],
    ids=lambda text: text[:20],
)
def test_hostile_quotes_take_bounded_time(text: str, quote: str) -> None:
    start = process_time()
    find_quote(text, quote)
    assert process_time() - start < 5


def mutations(quote: str, other: str, rng: random.Random) -> Iterator[str]:
    """Quotes that say something else: a negation dropped, a digit changed, another sentence."""
    if re.search(r"\bnot\b", quote):
        yield re.sub(r"\bnot\b ?", "", quote, count=1)
    digits = [match.start() for match in re.finditer(r"\d", quote)]
    if digits:
        at = rng.choice(digits)
        yield quote[:at] + str((int(quote[at]) + rng.randint(1, 8)) % 10) + quote[at + 1 :]
    words = quote.split(" ")
    at = rng.randrange(len(words))
    yield " ".join([*words[: at + 1], "not", *words[at + 1 :]])
    yield other


@pytest.mark.corpus
def test_quotes_of_the_corpus() -> None:
    if not EVAL.exists():
        pytest.skip("the shared corpus is not beside the repository")
    rows = [json.loads(line) for line in EVAL.read_text(encoding="utf-8").splitlines()]
    rng = random.Random(7)
    others = [row["plain"] for row in rows if len(row["plain"]) > 40]
    accepted: list[str] = []
    missed = []
    for row in rows:
        raw, plain = row["raw"], row["plain"]
        folded = fold(raw)
        match = find_quote(raw, raw, folded=folded)
        if match is None:
            missed.append(raw)
        else:
            struck = {difference.kind for difference in match.differences} == {"struck_out"}
            assert match.status == ("fuzzy" if struck else "exact")
        match = find_quote(raw, plain, folded=folded)
        if match is None or fold_letters(raw[slice(*match.span)]) != fold_letters(plain):
            missed.append(plain)
        fakes = [
            fake
            for fake in mutations(plain, rng.choice(others), rng)
            if fold_letters(fake) not in folded.text
        ]
        accepted += [fake for fake in fakes if find_quote(raw, fake, folded=folded) is not None]
    assert accepted == []
    # A row of symbols without a letter has no place.
    assert [quote for quote in missed if fold_letters(quote)] == []
    assert len(missed) == 2
