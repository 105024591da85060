import pickle
import subprocess
import sys
from typing import Any

import pytest
from langchain_core.documents import Document

from langchain_pymupdf_coords import BM25SentenceSelector, OptionError, QuoteLocatingRetriever
from tests.support.pdf_factory import CHINESE_TEXT, HEBREW_TEXT
from tests.support.retriever_bases import ANSWER, QUESTION, keyword_retriever, report_documents

FARES = "Fares rose. The price of fuel rose and the price of bread fell. Nobody knew the price. Fuel is dear."


def _select(query: str, text: str, **options: Any) -> list[str]:
    return BM25SentenceSelector(**options)(query, Document(text))


def test_the_answer_comes_first() -> None:
    assert BM25SentenceSelector()(QUESTION, report_documents()[0])[0] == ANSWER


def test_rare_terms_and_more_of_them_count_more() -> None:
    assert _select("What was the price of fuel?", FARES) == [
        "The price of fuel rose and the price of bread fell.",
        "Fuel is dear.",
        "Nobody knew the price.",
    ]


def test_of_equal_sentences_the_earlier_comes_first() -> None:
    assert _select("ferries", "Ferries sail on. Ferries turn back. Nobody waits.") == [
        "Ferries sail on.",
        "Ferries turn back.",
    ]


def test_at_most_so_many() -> None:
    assert len(_select("price fuel", FARES, max_sentences=2)) == 2
    assert len(_select("price fuel", FARES, max_sentences=1)) == 1


def test_a_sentence_that_stands_twice_is_picked_once() -> None:
    assert _select("fuel", "Fuel is dear. Nobody waits. Fuel is dear. Fuel was cheap.") == [
        "Fuel is dear.",
        "Fuel was cheap.",
    ]


@pytest.mark.parametrize("query", ["", "?!", "Who are they and what is it?", "submarines", "ubmarine f"])
def test_nothing_in_common_nothing_selected(query: str) -> None:
    assert _select(query, FARES) == []


@pytest.mark.parametrize("text", ["", "…", "|---|", "The of and."])
def test_nothing_to_select_from(text: str) -> None:
    assert _select("the price of fuel", text) == []


def test_headings_do_not_answer_unless_they_are_all() -> None:
    assert _select("fares", "## Fares\n\nAll fares rose. Nobody waits.") == ["All fares rose."]
    assert _select("fares", "## Fares\n\n# Traffic") == ["Fares"]


def test_a_row_of_a_table_answers() -> None:
    document = report_documents()[3]
    selected = BM25SentenceSelector()("How many passengers did Gull Rock have?", document)
    assert selected[0] == "Gull Rock|116,200|102,700|-11.6 %"
    assert all(sentence in document.page_content for sentence in selected)


@pytest.mark.parametrize(
    ("query", "text", "answer"),
    [
        ("七艘船什么时候离开", CHINESE_TEXT, "七艘船在日出前离开。"),
        (
            "名前は何ですか",
            "吾輩は猫である。名前はまだ無い。どこで生れたか見当がつかぬ。",
            "名前はまだ無い。",
        ),
        (
            "배는 언제 떠났습니까",
            "항구는 새벽에 조용했다. 배가 해뜨기 전에 떠났다.",
            "배가 해뜨기 전에 떠났다.",
        ),
        ("כמה דייגים עמדו על הסיפון", HEBREW_TEXT, "שבעה דייגים עמדו על הסיפון וחיכו לאור הראשון."),
        (
            "Wie viele Schiffe gibt es?",
            "Am 3. Oktober kam er an. Es gibt dort nur ein Schiff. Der Preis stieg um 3,5 Prozent.",
            "Es gibt dort nur ein Schiff.",
        ),
        ("Combien de navires ?", "M. Dupont est là. Elle a un navire. L'eau est calme.", "Elle a un navire."),
        ("Сколько кораблей здесь?", "Здесь не один корабль. Шторм утих.", "Здесь не один корабль."),
        (
            "¿Cuántos barcos hay?",
            "El Sr. Ruiz salió. Hay un barco en el puerto.",
            "Hay un barco en el puerto.",
        ),
    ],
)
def test_languages(query: str, text: str, answer: str) -> None:
    assert _select(query, text) == [answer]


def test_the_language_of_the_text_decides_where_sentences_end() -> None:
    text = "Es war am 3. Oktober. Niemand sah das Schiff."
    assert _select("Oktober", text) == ["Es war am 3. Oktober."]


def test_it_can_be_pickled() -> None:
    selector = BM25SentenceSelector(max_sentences=2)
    assert pickle.loads(pickle.dumps(selector)) == selector


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "3", None])
def test_max_sentences_is_checked(wrong: Any) -> None:
    with pytest.raises(OptionError, match="max_sentences"):
        BM25SentenceSelector(max_sentences=wrong)


@pytest.mark.parametrize("missing", ["bm25s", "sentencex", "Stemmer"])
def test_a_missing_package_is_named_with_the_extra(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=rf"{missing}: pip install 'langchain-pymupdf-coords\[sentences\]'"):
        BM25SentenceSelector()
    with pytest.raises(ImportError, match="sentences"):
        QuoteLocatingRetriever(base_retriever=keyword_retriever())
    QuoteLocatingRetriever(base_retriever=keyword_retriever(), select_quotes=lambda query, document: [])


def test_importing_the_package_needs_no_extra() -> None:
    script = (
        "import sys; sys.modules.update(dict.fromkeys(['bm25s', 'sentencex', 'Stemmer']));"
        "import langchain_pymupdf_coords"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
