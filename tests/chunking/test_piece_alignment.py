import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_text_splitters import CharacterTextSplitter, RecursiveCharacterTextSplitter, TextSplitter

from langchain_pymupdf_coords.chunking.piece_alignment import align_pieces
from langchain_pymupdf_coords.chunking.piece_places import Block


def spans(text: str, *pieces: str) -> list[tuple[int, int] | None]:
    return [placement and placement.span for placement in align_pieces(text, pieces)]


def test_repeated_sentences_get_places_of_their_own() -> None:
    text = "Yes. No. Yes. No. Yes."
    assert spans(text, "Yes.", "No.", "Yes.", "No.", "Yes.") == [(0, 4), (5, 8), (9, 13), (14, 17), (18, 22)]


def test_a_repeated_end_is_not_taken_for_the_next_piece() -> None:
    # "A A" stands within the first piece too, from where a search that allows for overlap would begin.
    assert spans("A A A A B", "A A A", "A B") == [(0, 5), (6, 9)]
    assert spans("A A A A", "A A", "A A") == [(0, 3), (4, 7)]


def test_with_overlap_the_places_are_as_even_as_can_be() -> None:
    assert spans("A A A A A", "A A A", "A A A", "A A A") == [(0, 5), (2, 7), (4, 9)]


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("b.\nb. b b. b.", {"b.": 0, "b. b": 3, "b b.": 6, "b. b.": 8}),
        ("a\nb\nb\nb\na\nb\na b\nb\nb\nb", {"a\nb\nb\nb": 0, "b\na\nb": 6, "b\na b": 10, "b\nb\nb": 16}),
    ],
)
def test_places_are_chosen_together(text: str, starts: dict[str, int]) -> None:
    assert spans(text, *starts) == [(start, start + len(piece)) for piece, start in starts.items()]


def test_pieces_that_were_not_rewritten_stand_where_the_white_space_is_the_same() -> None:
    cat = "The cat sat on the mat."
    text = f"# Results\n\n{cat}\n\nRevenue rose by 5 percent. {cat}\n\n{cat} {cat} {cat}"
    pieces = [f"# Results\n\n{cat}", f"Revenue rose by 5 percent. {cat}", f"{cat} {cat} The cat sat"]
    pieces.append(f"sat on the mat. {cat}")
    assert [span and span[0] for span in spans(text, *pieces)] == [0, 36, 88, 120]


def test_a_piece_as_it_is_comes_before_one_with_other_white_space() -> None:
    assert spans("b bbb bbb.", "b", "bbb", "bbb", "bb.") == [(0, 1), (2, 5), (6, 9), (7, 10)]


def test_the_overlap_is_shared_out_evenly() -> None:
    assert spans("A A A A A A A", "A A A", "A A A", "A A A") == [(0, 5), (4, 9), (8, 13)]


def test_many_equal_lines_with_overlap() -> None:
    text = "\n".join(["the same line"] * 400)
    splitter = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=30)
    pieces = splitter.split_text(text)
    found = align_pieces(text, pieces)
    # Four lines fit into a piece, two of them are repeated.
    assert [placement and placement.span[0] for placement in found] == [28 * k for k in range(len(pieces))]


def test_collapsed_white_space() -> None:
    (placement,) = align_pieces("two  words\n\n here", ["two words here"])
    assert placement
    assert placement.blocks == (Block((0, 3), (0, 3)), Block((4, 9), (5, 10)), Block((10, 14), (13, 17)))
    assert placement.in_piece(5, 17) == (4, 14)
    assert placement.in_piece(6, 8) == (5, 7)
    assert placement.in_piece(10, 13) is None


def test_changed_marks_and_ligatures() -> None:
    (placement,) = align_pieces("An **eﬃcient** way", ["An efficient way"])
    assert placement
    assert placement.span == (0, 18)
    assert placement.in_piece(5, 12) == (3, 12)


def test_half_characters_of_tokenizers() -> None:
    text = "Ein schöner 港 Tag <sup>2</sup> heute"
    found = align_pieces(text, ["Ein sch�", "�ner �", "� Tag <su", "p>2</sup> heute"])
    assert [placement and placement.span for placement in found] == [(0, 7), (8, 11), (14, 21), (21, 36)]


def test_added_headers_are_not_placed_but_the_rest_is() -> None:
    text = "First paragraph of the text.\n\nSecond paragraph, about ferries."
    found = align_pieces(
        text, ["Report: First paragraph of the text.", "Report: Second paragraph, about ferries."]
    )
    assert all(found)
    assert [placement and placement.in_piece(0, len(text)) for placement in found] == [(8, 35), (8, 39)]


def test_a_regex_between_the_pieces_that_were_joined() -> None:
    text = "Ferries carry tourists, mostly in summer, and mail in winter"
    piece = r"Ferries carry tourists[,.]\smostly in summer[,.]\sand mail in winter"
    (placement,) = align_pieces(text, [piece])
    assert placement
    assert placement.span == (0, 60)
    assert [piece[start:end] for start, end in placement.parts_in_piece(piece, 0, 60)] == [
        "Ferries carry tourists",
        "mostly in summer",
        "and mail in winter",
    ]


def test_letters_that_were_written_otherwise() -> None:
    text = "Anderswo. Die Fähre fährt täglich über die Meerenge. Anderswo."
    piece = "Die Fahre fahrt taglich uber die Meerenge."
    (placement,) = align_pieces(text, [piece])
    assert placement
    assert placement.span == (10, 51)
    assert placement.parts_in_piece(piece, 0, len(text)) == [(0, 41)]


def test_too_little_is_left_of_a_piece() -> None:
    text = "The harbour is quiet in the morning."
    assert spans(text, "theharbourish quietinthemornings") == [None]


def test_text_between_two_parts_of_a_line_is_not_of_that_line() -> None:
    text = "Ferries have crossed the strait for a hundred years."
    piece = "Ferries have crossed the strait (see another report) for a hundred years."
    (placement,) = align_pieces(text, [piece])
    assert placement
    parts = [piece[start:end] for start, end in placement.parts_in_piece(piece, 0, len(text))]
    assert parts == ["Ferries have crossed the strait", "for a hundred years"]
    (placement,) = align_pieces("two  words", ["two words"])
    assert placement
    assert placement.parts_in_piece("two words", 0, 10) == [(0, 9)]


@pytest.mark.parametrize(
    "piece",
    [
        "Nothing of this.",
        "☃",
        "12 345 678",
        "the the the the the the",
        "Nobody crossed the mountain in that country yet.",
        "the straits",
    ],
)
def test_what_is_not_in_the_text_has_no_place(piece: str) -> None:
    assert spans("Ferries have crossed the strait for a hundred years.", piece) == [None]


def test_a_piece_does_not_stand_where_the_one_before_it_stands() -> None:
    assert spans("One two.", "One two.", "One two.") == [(0, 8), None]


def test_pieces_after_one_without_place() -> None:
    assert spans("One two. Three four.", "One two.", "Elsewhere!", "Three four.") == [(0, 8), None, (9, 20)]


def test_text_that_was_left_out() -> None:
    assert spans("# Title\n\nText one. " + "x" * 3000 + " Text two.", "Text one.", "Text two.") == [
        (9, 18),
        (3020, 3029),
    ]


def test_white_space_around_a_piece_is_its_own() -> None:
    assert spans("One two. \n\nThree four.", "One two. \n", "\nThree four.") == [(0, 10), (10, 22)]


def test_pieces_of_marks_and_of_white_space() -> None:
    assert spans("a | - | b", "a |", " ", "- |", "b") == [(0, 3), (3, 3), (4, 7), (8, 9)]
    assert spans("", "") == [(0, 0)]


def true_spans(splitter: TextSplitter, text: str) -> list[tuple[int, int]]:
    """Where a splitter that looks at white space and full stops cuts, seen by a text whose letters differ."""
    marked = "".join(char if char.isspace() else chr(0x20000 + at) for at, char in enumerate(text))
    return [(marked.index(piece), marked.index(piece) + len(piece)) for piece in splitter.split_text(marked)]


SENTENCES = st.lists(
    st.sampled_from(["Same again.", "Same again, or so.", "Something else here.", "No.", "a b c d e f g"]),
    min_size=1,
    max_size=40,
)


@given(SENTENCES, st.sampled_from([" ", "\n", "\n\n"]), st.integers(8, 80), st.booleans(), st.booleans())
def test_places_are_right_or_say_the_same(
    sentences: list[str], joint: str, size: int, recursive: bool, overlaps: bool
) -> None:
    text = joint.join(sentences)
    options = {"chunk_size": size, "chunk_overlap": size // 3 if overlaps else 0}
    splitter: TextSplitter = (
        RecursiveCharacterTextSplitter(separators=["\n\n", "\n", " "], **options)
        if recursive
        else CharacterTextSplitter(separator=" ", **options)
    )
    pieces = splitter.split_text(text)
    expected = true_spans(splitter, text)
    found = [placement.span for placement in align_pieces(text, pieces) if placement]
    assert [text[start:end] for start, end in found] == pieces
    if not overlaps:
        assert found == expected
