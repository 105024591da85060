"""What an answer quotes, and which source it names for it."""

# ruff: noqa: RUF001 - quotation marks of many languages are what this is about

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_pymupdf_coords.citations.quotations import Segment, mark_numbers, segments, without_marks
from langchain_pymupdf_coords.folding import STOPS, UNSPACED_STOPS

Found = list[tuple[str, tuple[int, ...], bool]]


def read(text: str) -> list[str]:
    return [text[slice(*segment.span)] for segment in segments(text)]


def found(text: str) -> Found:
    return [(q.text, q.sources, q.quoted) for segment in segments(text) for q in segment.quotations]


QUOTED = {
    "English": ("She said “yes, we can” twice.", "yes, we can"),
    "British": ("She said ‘the ship’s crew’ twice.", "the ship’s crew"),
    "straight": ('She said "yes, we can" twice.', "yes, we can"),
    "bold": ('**"yes, we can"** twice.', "yes, we can"),
    "German": ("Sie sagte „ja, das geht“ zweimal.", "ja, das geht"),
    "German books": ("Sie sagte »ja, das geht« zweimal.", "ja, das geht"),
    "Polish": ("Mówi „tak, da się” dwa razy.", "tak, da się"),
    "French": ("Elle dit « oui, ça va » deux fois.", " oui, ça va "),
    "Finnish": ("Hän sanoi »kyllä se käy» kahdesti.", "kyllä se käy"),
    "Swedish": ("Hon sade ”ja, det går” två gånger.", "ja, det går"),
    "Russian": ("Она сказала «да, можно» дважды.", "да, можно"),
    "Japanese": ("彼女は「はい、できます」と言った。", "はい、できます"),
    "Japanese titles": ("彼女は『はい、できます』と言った。", "はい、できます"),
    "Chinese": ("她说“可以”。", "可以"),
    "Chinese, straight": ('她说"可以"两次。', "可以"),
    "over two lines": ("She said “yes,\nwe can” twice.", "yes,\nwe can"),
    "of two sentences": ("She said “Yes. We can.” twice.", "Yes. We can."),
    "block quote": ("She said:\n\n> yes,\n> we can\n\nTwice.", "yes,\nwe can"),
    "quoted block quote": ("She said:\n> “yes, we can”\n\nTwice.", "yes, we can"),
}


@pytest.mark.parametrize("case", QUOTED)
def test_quotation_marks_of_many_languages(case: str) -> None:
    text, quote = QUOTED[case]
    assert found(text) == [(quote, (), True)]


@pytest.mark.parametrize(
    "text",
    [
        'A 12" disc and a 5" one.',
        "Don't say it isn't the dogs' dinner.",
        "An unclosed “mark, and\n\na new paragraph”.",
        "Cite [2024], [x], [12345], a(1) and f[1.5].",
        "No quotes, no marks.",
        "",
    ],
)
def test_what_is_no_quotation(text: str) -> None:
    assert found(text) == []


MARKED: dict[str, tuple[str, Found]] = {
    "after": ("It says “a b” [1].", [("a b", (1,), True)]),
    "after the full stop": ("It says “a b.” [1] Then c.", [("a b.", (1,), True)]),
    "on the next line": ("> a b\n\n[1]\n", [("a b", (1,), True)]),
    "in a block quote": ("> a b [2]", [("a b", (2,), True)]),
    "before": ("According to [3], “a b”.", [("a b", (3,), True)]),
    "word": ("It says “a b” (source 4).", [("a b", (4,), True)]),
    "German word": ("Es heißt „a b“ (Quelle 4).", [("a b", (4,), True)]),
    "footnote": ("It says “a b”[^5].", [("a b", (5,), True)]),
    "link": ("It says “a b” [6](https://example.org/x).", [("a b", (6,), True)]),
    "lenticular": ("它说“a b”【7】。", [("a b", (7,), True)]),
    "several": ("It says “a b” [1][3].", [("a b", (1, 3), True)]),
    "list": ("It says “a b” [1, 3].", [("a b", (1, 3), True)]),
    "range": ("It says “a b” [2–4].", [("a b", (2, 3, 4), True)]),
    "shared": ("It says “a b” and “c d” [1].", [("a b", (1,), True), ("c d", (1,), True)]),
    "each its own": (
        "It says “a b” [1] and “c d” [2].",
        [("a b", (1,), True), ("c d", (2,), True)],
    ),
    "each its own sentence": (
        "It says “a b” [1]. It says “c d” [2].",
        [("a b", (1,), True), ("c d", (2,), True)],
    ),
    "not of the next sentence": (
        "It says “a b”. Also c d [2].",
        [("a b", (), True), ("Also c d", (2,), False)],
    ),
    "list of sources": (
        "Here.\n\n[1] “a b”\n[2] “c d”",
        [("a b", (1,), True), ("c d", (2,), True)],
    ),
    "claim": ("The fleet grew [2].", [("The fleet grew", (2,), False)]),
    "claim after the full stop": ("The fleet grew. [2] It fell.", [("The fleet grew.", (2,), False)]),
    "claim of an item": (
        "- The fleet grew [2]\n- It fell [3]",
        [("The fleet grew", (2,), False), ("It fell", (3,), False)],
    ),
    "claim beside a quotation": (
        "It says “a b” [1], but fares fell [2].",
        [("a b", (1,), True), (", but fares fell", (2,), False)],
    ),
    "claim after its mark": ("[2] The fleet grew.", [("The fleet grew.", (2,), False)]),
    "mark of another system": ("It says “a b” 【4:0†source】.", [("a b", (), True)]),
}


@pytest.mark.parametrize("case", MARKED)
def test_sources_of_quotations(case: str) -> None:
    text, expected = MARKED[case]
    assert found(text) == expected


def test_spans_are_those_of_the_words() -> None:
    text = "It says “a b” [1].\n> c\n> d\n\nMore e f [2]."
    quotations = [q for segment in segments(text) for q in segment.quotations]
    assert [text[slice(*q.span)] for q in quotations] == ["a b", "> c\n> d", "More e f"]


@pytest.mark.parametrize(
    ("mark", "numbers"),
    [
        ("[1]", (1,)),
        ("[1, 2;3]", (1, 2, 3)),
        ("[2-4]", (2, 3, 4)),
        ("[4-2]", (4, 2)),
        ("[1-999]", (1, 999)),
        ("[1](https://example.org/2/3)", (1,)),
        ("【2†L3-L9】", (2,)),
        ("【4:0†source】", ()),
        ("(Source: 12)", (12,)),
    ],
)
def test_numbers_of_marks(mark: str, numbers: tuple[int, ...]) -> None:
    assert mark_numbers(mark) == numbers
    assert without_marks(f"a {mark}b") == "a b"


PIECES = st.sampled_from(
    [
        *'“”„«»「」"‘’>[]()1. \n?',
        "[1]",
        "[2]",
        "word ",
        "A b",
        ". ",
        "\n\n",
        "\n> ",
        "“a b”",
        "。",
        "(source 1)",
        " [3]. ",
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join), st.data())
def test_streamed_answer_is_read_as_the_whole_one(text: str, data: st.DataObject) -> None:
    whole = list(segments(text))
    assert "".join(text[slice(*segment.span)] for segment in whole) == text
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    read: list[Segment] = []
    for cut in cuts:
        read += segments(text[:cut], read[-1].span[1] if read else 0, complete=False)
        assert read == whole[: len(read)]
    read += segments(text, read[-1].span[1] if read else 0)
    assert read == whole


@pytest.mark.parametrize(
    "text", ["It fell. [1] Then.", "It “fell.” (source 1) Then.", "它说“跌了。”【1】然后。"]
)
def test_mark_that_comes_in_pieces_is_waited_for(text: str) -> None:
    whole = list(segments(text))
    assert whole[0].quotations[0].sources == (1,)
    for length in range(len(text)):
        assert list(segments(text[:length], complete=False)) in ([], whole[:1])


def test_quotation_comes_as_soon_as_its_sentence_is_over() -> None:
    text = "It says “a b” [1]. Then"
    assert not list(segments(text[: text.index(" Then")], complete=False))
    (segment,) = segments(text, complete=False)
    assert segment.quotations[0].text == "a b"


@pytest.mark.parametrize(
    "text",
    [
        "“" * 50_000,
        '"a ' * 30_000,
        "[1]a" * 20_000,
        "." * 50_000 + " " * 50_000,
        "“a” [1] " * 10_000,
        "[" * 60_000,
        "a.\n[1] b\n" * 10_000,
        "\n   " * 30_000,
        "> \n" * 30_000,
        "‘a" * 30_000,
        "[1,1,1" * 10_000,
        "(source " * 9_000,
    ],
)
def test_hostile_answer_takes_bounded_time(text: str) -> None:
    start = time.process_time()
    for complete in (True, False):
        for _ in segments(text, complete=complete):
            pass
    assert time.process_time() - start < 10


@pytest.mark.parametrize("stop", STOPS)
def test_a_segment_ends_at_every_stop(stop: str) -> None:
    expected = [f"Seven ships left{stop}", f" **They sank{stop}**", f" “All{stop}”", f" Gone{stop}"]
    assert read("".join(expected)) == expected


@pytest.mark.parametrize("stop", UNSPACED_STOPS)
def test_a_segment_ends_at_every_stop_without_a_space(stop: str) -> None:
    assert read(f"七艘船{stop}》他说{stop}好") == [f"七艘船{stop}》", f"他说{stop}", "好"]


def test_a_mark_after_a_danda_is_for_its_sentence() -> None:
    text = "सात जहाज़ निकले। [1] कोई नहीं लौटा। [2]"
    assert found(text) == [("सात जहाज़ निकले।", (1,), False), ("कोई नहीं लौटा।", (2,), False)]
