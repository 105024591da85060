from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_pymupdf_coords.chunking.cutting import cut, tail_start, text_borders
from langchain_pymupdf_coords.folding import STOPS, UNSPACED_STOPS


def pieces(text: str, limit: int, *, overlap: int = 0) -> list[str]:
    spans = cut(
        text,
        text_borders(text),
        lambda piece: len(piece) <= limit,
        repeats=(lambda piece: len(piece) <= overlap) if overlap else None,
    )
    return [text[start:end] for start, end in spans]


def sentences(text: str) -> list[str]:
    starts = [0, *text_borders(text)[0], len(text)]
    return [text[start:end].strip() for start, end in pairwise(starts)]


@pytest.mark.parametrize(
    "expected",
    [
        ["One is short.", "Two is not!", "Is three?", "4 is."],
        ["He said “no.”", "(Nobody laughed.)", "**Then they left.**", "_All of them._"],
        ["Dr. Smith met J. Doe, see Fig. 3 and p. 7 (No. 12).", "They talked."],
        ["It grew by 3.5 percent, i.e. more than before.", "Good."],
        ["Footnotes may follow.<sup>12</sup>", "They did."],
        ["A new", "Paragraph begins"],
        ["Ellipsis … goes on.", "And then."],
        ["यह पहला वाक्य है।", "यह दूसरा है।"],
    ],
)
def test_sentences(expected: list[str]) -> None:
    joint = "\n\n" if "Paragraph" in expected[-1] else " "
    assert sentences(joint.join(expected)) == expected


@pytest.mark.parametrize("stop", STOPS)
def test_every_stop_ends_a_sentence(stop: str) -> None:
    expected = [f"Seven ships left{stop}", f"**They sank{stop}**", "All"]
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize("stop", UNSPACED_STOPS)
def test_every_stop_without_a_space_ends_a_sentence(stop: str) -> None:
    assert sentences(f"七艘船{stop}”他说{stop}好") == [f"七艘船{stop}”", f"他说{stop}", "好"]


def test_cjk_sentences_have_no_space_between() -> None:
    assert sentences("港口在黎明时分很安静。七艘船在日出前离开。他说“好。”") == [
        "港口在黎明时分很安静。",
        "七艘船在日出前离开。",
        "他说“好。”",
    ]


def test_each_piece_is_as_long_as_sentences_allow() -> None:
    assert pieces("Aa bb. Cc dd. Ee ff. Gg hh.", 14) == ["Aa bb. Cc dd.", "Ee ff. Gg hh."]
    assert pieces("Aa bb. Cc dd. Ee ff. Gg hh.", 12) == ["Aa bb.", "Cc dd.", "Ee ff.", "Gg hh."]


def test_a_long_sentence_is_cut_at_lines_then_at_words() -> None:
    assert pieces("one two\nthree four\nfive", 18) == ["one two\nthree four", "five"]
    assert pieces("one two three four five", 10) == ["one two", "three four", "five"]


def test_lines_of_the_page_are_borders() -> None:
    text = "one two three four five six"
    line_ends = [len("one two"), len("one two three four")]
    spans = cut(text, text_borders(text, line_ends), lambda piece: len(piece) <= 23)
    assert [text[start:end] for start, end in spans] == ["one two three four", "five six"]


def test_a_line_end_inside_a_word_is_no_border() -> None:
    assert text_borders("the consideration", [len("the consid")])[1] == []


def test_a_word_that_is_too_long_stays() -> None:
    assert pieces("a incomprehensibility b c", 6) == ["a", "incomprehensibility", "b c"]


def test_scripts_without_spaces_are_cut_between_letters() -> None:
    assert pieces("港口在黎明时分很安静", 4) == ["港口在黎", "明时分很", "安静"]
    assert pieces("한국어 문장입니다", 4) == ["한국어", "문장입니다"]


def test_no_cut_inside_a_tag() -> None:
    text = 'some <mark style="color: red">words here</mark> end'
    assert pieces(text, 9) == ["some", '<mark style="color: red">words', "here</mark>", "end"]


def test_overlap_repeats_whole_sentences() -> None:
    assert pieces("Aa bb. Cc dd. Ee ff. Gg hh.", 14, overlap=8) == [
        "Aa bb. Cc dd.",
        "Cc dd. Ee ff.",
        "Ee ff. Gg hh.",
    ]


def test_overlap_within_a_long_sentence_repeats_words() -> None:
    assert pieces("aa bb cc dd ee ff", 8, overlap=3) == ["aa bb cc", "cc dd ee", "ee ff"]


def test_overlap_gives_way_where_there_is_no_room() -> None:
    assert pieces("aa bb cccccccc dd", 8, overlap=3) == ["aa bb", "cccccccc", "dd"]


def test_tail_is_never_the_whole() -> None:
    text = "Aa bb. Cc dd."
    assert tail_start(text, text_borders(text), lambda _: True, (0, len(text))) == 7
    assert tail_start("word", text_borders("word"), lambda _: True, (0, 4)) == 4


WORDS = st.text("ab. \n|港。<br>", max_size=120).map(str.strip)


@given(WORDS, st.integers(1, 30), st.integers(0, 29))
def test_nothing_is_lost_and_nothing_too_long(text: str, limit: int, overlap: int) -> None:
    borders = text_borders(text)
    spans = cut(
        text,
        borders,
        lambda piece: len(piece) <= limit,
        repeats=lambda piece: len(piece) <= min(overlap, limit - 1),
    )
    reached = 0
    for start, end in spans:
        assert start <= reached or not text[reached:start].strip()
        assert end > reached
        repeated = max(0, reached - start)
        assert repeated <= overlap
        inside = [border for border in borders[-1] if start < border < end]
        assert end - start <= limit or not inside
        reached = end
    assert not text[reached:].strip()


def test_a_long_text_is_not_measured_again_and_again() -> None:
    text = "word and word. " * 20_000
    measured = 0

    def fits(piece: str) -> bool:
        nonlocal measured
        measured += len(piece)
        return len(piece) <= 100

    cut(text, text_borders(text), fits)
    assert measured < 20 * len(text)
