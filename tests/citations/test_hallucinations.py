"""Quotes that no source has, or not the one that is named, or not so: none may get the badge.

The sources are the chunks of the sample report, numbered from 1.
"""

import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import CitationLocator, LocatedCitation, QuotedAnswer, QuoteLocator

INVENTED = [
    (1, "The company was sold to a private investor."),
    (2, "The fleet was renewed completely in 2024 and now runs on hydrogen."),
    (2, "Passengers praised the new restaurants on board."),
    (3, "The line to Gull Rock was closed for good."),
    (5, "Fares will be lowered by ten percent."),
    (6, "A second electric ferry has been ordered as well."),
]
NUMBERS = [
    (1, "It was founded in 1980, owns nine vessels and employs 214 people."),
    (1, "It was founded in 1908, owns ten vessels and employs 214 people."),
    (1, "It was founded in 1908, owns nine vessels and employs 2,140 people."),
    (2, "The fleet carried 1,428,300 passengers in 2024"),
    (2, "The fleet carried 1,482,300 passengers in 2023"),
    (2, "The fleet carried 14,823,00 passengers in 2024"),
    (2, "which is 62 percent more than in the year before"),
    (2, "which is 6.25 percent more than in the year before"),
    (2, "Revenue grew to 18.4 billion euros"),
    (2, "Revenue grew to 18.4 million dollars"),
    (2, "Revenue grew to 184 million euros"),
    (2, "Storms in January kept the boats in port for twelve days."),
    (2, "kept to the timetable on 79 percent of all crossings"),
    (4, "|North Island|512,400|571,900|-11.6 %|"),
    (4, "Gull Rock 116,200 102,700 +11.6 %"),
    (4, "South Island 498,200 498,200 +4.4 %"),
    (6, "will be delivered in May 2027"),
    (6, "save about 6,400 tonnes of carbon dioxide every year"),
    (6, "of which the state pays three fifths"),
]
NEGATIONS = [
    (2, "the company did not close the year with a profit for the first time since the pandemic"),
    (2, "The oldest vessel, the Petrel, was not sold in March."),
    (4, "Children below the age of six travel free of charge and are included."),
    (4, "Cars and bicycles are not counted apart and are published once a year by the port authority."),
    (5, "Fares will not stay as they are until the end of the year."),
    (5, "Fares will never stay as they are until the end of the year."),
    (6, "It will serve no route to South Island and save about 640 tonnes of carbon dioxide every year."),
]
WORDS = [
    (2, "Revenue fell to 18.4 million euros, and the company closed the year with a profit"),
    (2, "Revenue grew to 18.4 million euros, and the company closed the year with a loss"),
    (2, "Storms in February kept the boats in port for eleven days."),
    (3, "Traffic fell on three of the four routes."),
    (3, "The line to South Island profited from the night service"),
    (3, "Only the line to Gull Rock gained passengers"),
    (5, "The company expects a further fall of three percent in 2025."),
    (5, "The smallest risk is the price of fuel, which made up 31 percent of all costs in 2024."),
    (6, "An electric ferry for 300 vehicles has been ordered"),
]
SWAPPED = [
    (1, "Fares will stay as they are until the end of the year."),
    (2, "It was founded in 1908"),
    (3, "The greatest risk is the price of fuel"),
    (4, "Traffic grew on three of the four routes."),
    (5, "Children below the age of six travel free of charge"),
    (6, "Storms in January kept the boats in port for eleven days."),
    (0, "It was founded in 1908"),
    (7, "It was founded in 1908"),
    (-1, "It was founded in 1908"),
]
STITCHED = [
    (2, "Storms in January ... a profit for the first time since the pandemic."),
    (2, "The fleet carried 1,482,300 passengers [...] for the first time since the pandemic."),
    (1, "It was founded in 1908 … describes the work of the company in 2024"),
    (2, "The fleet carried 1,482,300 passengers since the pandemic."),
    (2, "The oldest vessel, the Petrel, was installed at all seven piers."),
    (
        3,
        "The line to North Island lost passengers, because its pier was closed for repairs from April",
    ),
    (4, "North Island 571,900 520,100 287,600"),
    (5, "Fares will stay as they are in 2024."),
    (6, "An electric ferry is worth 12.5 million euros"),
]
CUT = [
    (4, "cluded. Cars and bicycles are counted apart and are published once"),
    (2, "assengers in 2024, which is 6.2 percent more than in the year befor"),
]
EMPTY = [(1, ""), (1, "…"), (1, " \n"), (1, "¶"), (1, "**")]
TRUE = [
    (1, "It was founded in 1908, owns nine vessels and employs 214 people."),
    (1, "“it was founded in 1908, owns nine vessels”"),
    (2, "The fleet carried 1,482,300 passengers in 2024"),
    (2, "Revenue grew to 18.4 million euros"),
    (2, "The oldest vessel, the Petrel, was sold in March."),
    (3, "Only the line to Gull Rock lost passengers"),
    (4, "are not included. Cars and bicycles are counted apart"),
    (4, "|Gull Rock|116,200|102,700|-11.6 %|"),
    (4, "Gull Rock 116,200 102,700 \u221211.6 %"),
    (5, "Fares will stay as they are until the end of the year."),
    (6, "640 tonnes"),
    (6, "of which the state pays two fifths"),
]
FALSE = {
    "invented": INVENTED,
    "number": NUMBERS,
    "negation": NEGATIONS,
    "word": WORDS,
    "swapped": SWAPPED,
    "stitched": STITCHED,
    "cut": CUT,
    "empty": EMPTY,
}
CASES = [(kind, *case) for kind, cases in FALSE.items() for case in cases]


def cite(documents: list[Document], source: int, quote: str, *, cutoff: float = 90) -> LocatedCitation:
    answer = QuotedAnswer(answer="", citations=[{"source": source, "quote": quote}])
    locator = CitationLocator(locator=QuoteLocator(cutoff=cutoff))
    located = locator.invoke({"answer": answer, "documents": documents})
    (citation,) = located.citations
    return citation


def test_the_table_is_long_enough() -> None:
    assert len(CASES) >= 60
    assert len(set(CASES)) == len(CASES)


@pytest.mark.parametrize("cutoff", [90, 0])
@pytest.mark.parametrize(("kind", "source", "quote"), CASES)
def test_no_badge(
    report_documents: list[Document], kind: str, source: int, quote: str, cutoff: float
) -> None:
    citation = cite(report_documents, source, quote, cutoff=cutoff)
    assert not citation.verified
    assert citation.quote == quote  # and yet it is not dropped
    assert citation.source_number == source
    if kind == "swapped":
        assert citation.status == "exact"
    if kind in ("invented", "number", "negation", "cut"):
        assert citation.status == "not_found"


@pytest.mark.parametrize(("source", "quote"), SWAPPED)
def test_swapped_source_is_placed_where_it_really_is(
    report_documents: list[Document], source: int, quote: str
) -> None:
    citation = cite(report_documents, source, quote)
    assert citation.swapped
    assert citation.document_index is not None
    document = report_documents[citation.document_index]
    assert quote in document.page_content
    assert citation.document_index != source - 1
    assert citation.page == document.metadata["page"]
    assert citation.confirmed


@pytest.mark.parametrize(("source", "quote"), TRUE)
def test_badge(report_documents: list[Document], source: int, quote: str) -> None:
    citation = cite(report_documents, source, quote)
    assert citation.verified
    assert citation.confirmed
    assert not citation.swapped
    assert citation.document_index == source - 1


def test_badge_is_not_given_to_a_part_that_turns_the_meaning() -> None:
    text = "It is illegal to export goods of this kind without a licence, and it isn't safe for the workers."
    document = Document(text, metadata={"source": "law.pdf"})
    for quote in (
        "legal to export goods of this kind without a licence",
        "it is illegal to export goods of this kind without a licence, and it is",
    ):
        assert not cite([document], 1, quote).verified
    assert cite([document], 1, "It is illegal to export goods of this kind").verified
