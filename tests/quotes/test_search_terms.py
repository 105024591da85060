import pytest

from langchain_pymupdf_coords.quotes.search_terms import LANGUAGES, SearchTerms, rank, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The **Fleet** carried `1,482,300` (6.2 %)", ["the", "fleet", "carried", "1482300", "62"]),
        ("half**bold**ness<sup>3</sup> of<br>CO<sub>2</sub>", ["halfboldness3", "of", "co2"]),
        ("L'eau de l\u2019île, don't", ["eau", "de", "île", "don"]),
        ("The e\ufb00ect in Straße 7", ["the", "effect", "in", "strasse", "7"]),
        ("港口在", ["港口", "口在"]),
        ("船", ["船"]),
        ("PDF文件", ["pdf", "文件"]),
        ("배가 떠났다", ["배가", "떠났", "났다"]),
        ("यह दूसरा है", ["यह", "दूसरा", "है"]),
        ("<!-- Start of picture text --> x **?**", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("danish", "Skibet sejlede, og det var ikke alene på havet, men hun kunne se det fra øen."),
        ("dutch", "Het schip voer niet uit omdat de haven door een storm was gesloten."),
        ("english", "The ship did not leave because the harbour was closed by a storm."),
        ("french", "Le navire ne partait pas parce que le port était fermé par une tempête."),
        ("german", "Das Schiff fuhr nicht aus, weil der Hafen durch einen Sturm geschlossen war."),
        ("italian", "La nave non è partita perché il porto era chiuso per una tempesta."),
        ("norwegian", "Skipet gikk ikke ut fordi havna var stengt, og hun ble der ho var."),
        ("portuguese", "O navio não partiu porque o porto estava fechado por uma tempestade."),
        ("russian", "Корабль не вышел, потому что порт был закрыт из-за шторма."),
        ("spanish", "El barco no salió porque el puerto estaba cerrado por una tormenta."),
        ("swedish", "Fartyget gick inte ut eftersom hamnen var stängd av en storm."),
        ("turkish", "Gemi çok büyük ve her liman için uygun değil, çünkü bu daha da pahali."),
    ],
)
def test_the_language_is_guessed_from_stop_words(language: str, text: str) -> None:
    assert SearchTerms.of(words(text)) == SearchTerms(language)


def test_no_stop_words_no_language() -> None:
    assert SearchTerms.of(words("Petrel 512,400")) == SearchTerms(None)
    assert SearchTerms(None)(["ships", "the"]) == ["ships", "the"]


def test_terms_are_stems_without_stop_words() -> None:
    terms = SearchTerms("english")(words("How many passengers were there on the ferries in 2024?"))
    assert terms == ["mani", "passeng", "ferri", "2024"]
    assert SearchTerms("german")(words("die Schiffe und das Schiff")) == ["schiff", "schiff"]


def test_a_stop_word_of_one_language_is_a_term_of_another() -> None:
    assert SearchTerms("english")(["war"]) == ["war"]
    assert SearchTerms("german")(["war"]) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_stop_words_and_stems(language: str) -> None:
    assert SearchTerms(language)(["qxkz"]) == ["qxkz"]


@pytest.mark.parametrize(
    ("texts", "asked", "expected"),
    [
        ([["rain"], ["ship", "rain"], ["ship", "fuel"]], ["ship", "fuel"], [2, 1]),
        ([["ship", "rain"], ["ship"]], ["ship"], [1, 0]),
        ([["ship", "a"], ["fuel", "a"], ["ship", "b"]], ["ship"], [0, 2]),
        ([["ship"]], ["shi"], []),
        ([["ship"]], [], []),
        ([[], []], ["ship"], []),
        ([], ["ship"], []),
    ],
    ids=["more and rarer terms", "shorter", "earlier", "no part of a term", "nothing asked", "empty", "none"],
)
def test_rank(texts: list[list[str]], asked: list[str], expected: list[int]) -> None:
    assert rank(texts, asked) == expected


def test_texts_without_terms_do_not_count() -> None:
    """Else a file's empty pages would make its longer ones worse than they are."""
    texts = [["ship"] * 5 + ["rain"] * 5, ["ship"]]
    assert rank([*texts, *[[] for _ in range(50)]], ["ship"]) == rank(texts, ["ship"]) == [0, 1]
