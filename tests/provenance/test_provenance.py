import json
import sys
import time
import tracemalloc
import uuid
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document

from langchain_pymupdf_coords.errors import ProvenanceError
from langchain_pymupdf_coords.provenance import (
    COORDS_VERSION,
    LineBox,
    QuoteMatch,
    Region,
    SourceBox,
    clean_text,
    document_id,
    dump_boxes,
    dump_lines,
    dump_page_sizes,
    dump_quotes,
    page_sizes,
)
from langchain_pymupdf_coords.provenance.fields import MAX_JSON_CHARS

TEXT = "The engine runs hot. It stops at 90 °C."
QUAD = ((10.0, 20.0), (60.0, 20.0), (10.0, 32.0), (60.0, 32.0))
MATCH = QuoteMatch(
    quote="engine runs",
    text="engine runs",
    span=(4, 15),
    status="exact",
    score=100.0,
    occurrences=1,
    precision="word",
    regions=(Region(3, (QUAD,)),),
)


def document(text=TEXT, **metadata):
    return Document(text, metadata={"source": "report.pdf", "page": 3, **metadata})


READERS = {
    "boxes": SourceBox.from_document,
    "lines": LineBox.from_document,
    "page_sizes": page_sizes,
    "quotes": QuoteMatch.from_document,
}


# Writing


def test_written_form_of_each_key():
    boxes = [
        SourceBox(3, (72, 90.126, 523.4, 100), box_class="table", span=(0, 5)),
        SourceBox(4, (0.0, 1.5, 2.0, 3.0)),
    ]
    assert dump_boxes(boxes) == (
        '[{"page":3,"bbox":[72.0,90.13,523.4,100.0],"class":"table","span":[0,5]},'
        '{"page":4,"bbox":[0.0,1.5,2.0,3.0],"class":"text"}]'
    )
    lines = [LineBox(3, (72, 90.16, 523.4, 100), (0, 5)), LineBox(3, (-0.04, -10, 1, 2), (5, 9))]
    assert dump_lines(lines) == "[[3,72.0,90.2,523.4,100.0,0,5],[3,0.0,-10.0,1.0,2.0,5,9]]"
    assert '"bbox":[0.0,0.0,1.0,1.0]' in dump_boxes([SourceBox(1, (-0.0, -0.004, 1.0, 1.0))])
    assert dump_lines([]) == dump_boxes([]) == dump_quotes([]) == "[]"
    assert dump_page_sizes({10: (595, 842), 2: (841.888, 595.2)}) == '{"2":[841.89,595.2],"10":[595.0,842.0]}'
    assert dump_quotes([MATCH]) == (
        '[{"quote":"engine runs","text":"engine runs","span":[4,15],"status":"exact","score":100.0,'
        '"occurrences":1,"precision":"word",'
        '"regions":[{"page":3,"quads":[[[10.0,20.0],[60.0,20.0],[10.0,32.0],[60.0,32.0]]]}],'
        '"differences":[]}]'
    )


def test_text_is_written_as_it_is_and_clean():
    match = QuoteMatch("Größe \ud800\0", "°C", (36, 38), "fuzzy", 91.239, 2, "box", ())
    written = dump_quotes([match])
    assert '"quote":"Größe \ufffd\ufffd"' in written
    assert '"score":91.24' in written
    assert QuoteMatch.from_document(document(quotes=written))[0].text == "°C"
    assert '"class":"a\ufffd"' in dump_boxes([SourceBox(1, (0, 0, 1, 1), box_class="a\0")])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_lacks_are_not_written(value):
    bbox = (0.0, 0.0, 1.0, value)
    for key, write in {
        "boxes": lambda: dump_boxes([SourceBox(1, bbox)]),
        "lines": lambda: dump_lines([LineBox(1, bbox, (0, 1))]),
        "page_sizes": lambda: dump_page_sizes({1: (value, 1.0)}),
        "quotes": lambda: dump_quotes([QuoteMatch("a", "a", (0, 1), "exact", value, 1, "word", ())]),
    }.items():
        with pytest.raises(ProvenanceError, match=key):
            write()


COORDINATES = st.floats(-1e5, 1e5)
PAGES = st.integers(1, 1_000_000)


@st.composite
def bboxes(draw):
    left, right = sorted(draw(st.tuples(COORDINATES, COORDINATES)))
    top, bottom = sorted(draw(st.tuples(COORDINATES, COORDINATES)))
    return left, top, right, bottom


@st.composite
def spans(draw):
    return tuple(sorted(draw(st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))))))


@st.composite
def matches(draw):
    start, end = draw(spans())
    quads = st.tuples(*[st.tuples(COORDINATES, COORDINATES)] * 4)
    return QuoteMatch(
        quote=draw(st.text()),
        text=TEXT[start:end],
        span=(start, end),
        status=draw(st.sampled_from(["exact", "normalized", "fuzzy", "fragments"])),
        score=draw(st.floats(0, 100)),
        occurrences=draw(st.integers(1, 99)),
        precision=draw(st.sampled_from(["word", "line", "box"])),
        regions=tuple(draw(st.lists(st.builds(Region, PAGES, st.lists(quads).map(tuple)), max_size=3))),
    )


@given(st.lists(st.builds(SourceBox, PAGES, bboxes(), box_class=st.text(), span=st.none() | spans())))
def test_boxes_survive_byte_for_byte(boxes):
    written = dump_boxes(boxes)
    read = SourceBox.from_document(document(boxes=written))
    assert dump_boxes(read) == written
    assert [(box.page, box.span) for box in read] == [(box.page, box.span) for box in boxes]
    for box, original in zip(read, boxes, strict=True):
        assert box.bbox == pytest.approx(original.bbox, abs=0.0051)


@given(st.lists(st.builds(LineBox, PAGES, bboxes(), spans())))
def test_lines_survive_byte_for_byte(lines):
    written = dump_lines(lines)
    read = LineBox.from_document(document(lines=written))
    assert dump_lines(read) == written
    assert json.dumps(json.loads(written), separators=(",", ":")) == written
    assert [(line.page, line.span) for line in read] == [(line.page, line.span) for line in lines]
    for line, original in zip(read, lines, strict=True):
        assert line.bbox == pytest.approx(original.bbox, abs=0.051)


@given(st.lists(matches(), max_size=4))
def test_quotes_survive_byte_for_byte(quotes):
    written = dump_quotes(quotes)
    read = QuoteMatch.from_document(document(quotes=written))
    assert dump_quotes(read) == written
    assert json.loads(written) == [match.to_dict() for match in read]
    assert [match.span for match in read] == [match.span for match in quotes]


@given(st.dictionaries(PAGES, st.tuples(st.floats(1, 1e5), st.floats(1, 1e5))))
def test_page_sizes_survive_byte_for_byte(sizes):
    written = dump_page_sizes(sizes)
    read = page_sizes(document(page_sizes=written))
    assert dump_page_sizes(read) == written
    assert read.keys() == sizes.keys()


def test_values_are_immutable_and_without_dict():
    line = LineBox(1, (0.0, 0.0, 1.0, 1.0), (0, 1))
    with pytest.raises(AttributeError):
        line.page = 2
    assert not hasattr(line, "__dict__")
    assert len({line, LineBox(1, (0.0, 0.0, 1.0, 1.0), (0, 1))}) == 1


# Reading what others wrote


def test_records_of_the_article():
    old = document(boxes='[{"page": 3, "bbox": [72, 90, 523, 100]}, {"page": 4, "bbox": [72.5, 9, 523, 10]}]')
    assert SourceBox.from_document(old) == (
        SourceBox(3, (72.0, 90.0, 523.0, 100.0), box_class="text", span=None),
        SourceBox(4, (72.5, 9.0, 523.0, 10.0), box_class="text", span=None),
    )
    assert all(type(number) is float for box in SourceBox.from_document(old) for number in box.bbox)
    assert LineBox.from_document(old) == ()
    assert page_sizes(old) == {}
    assert QuoteMatch.from_document(old) == ()


def test_missing_boxes_say_what_to_do():
    with pytest.raises(ProvenanceError, match=r"'boxes'.*missing.*PyMuPDFCoordsLoader.*report\.pdf"):
        SourceBox.from_document(document())


def test_store_that_gives_none_for_missing_keys():
    gaps = document(lines=None, page_sizes=None, quotes=None, coords_version=None, boxes=None)
    assert (LineBox.from_document(gaps), page_sizes(gaps), QuoteMatch.from_document(gaps)) == ((), {}, ())
    with pytest.raises(ProvenanceError, match="missing"):
        SourceBox.from_document(gaps)


def test_store_that_decodes_json():
    decoded = document(
        boxes=[{"page": 3, "bbox": [1, 2, 3, 4], "class": "table", "span": [0, 3]}],
        lines=[[3, 1.0, 2.0, 3.0, 4.0, 0, 3], [3, 1, 2, 3, 4, 0, 3]],
        page_sizes={"3": [595, 842.0]},
        quotes=[MATCH.to_dict()],
    )
    assert SourceBox.from_document(decoded) == (SourceBox(3, (1, 2, 3, 4), box_class="table", span=(0, 3)),)
    assert LineBox.from_document(decoded) == (LineBox(3, (1, 2, 3, 4), (0, 3)),) * 2
    assert page_sizes(decoded) == {3: (595, 842)}
    assert QuoteMatch.from_document(decoded) == (MATCH,)


def test_unknown_keys_are_ignored():
    stored = '[{"page":3,"bbox":[1,2,3,4],"colour":"red","nested":{"a":[1]}}]'
    assert SourceBox.from_document(document(boxes=stored)) == (SourceBox(3, (1, 2, 3, 4)),)


def test_anything_with_text_and_metadata_is_read():
    boxes = '[{"page":1,"bbox":[1,2,3,4],"span":[0,3]}]'
    node = SimpleNamespace(page_content="abc", metadata={"boxes": boxes})
    assert SourceBox.from_document(node)[0].span == (0, 3)


# Reading hostile input

BOX = '{"page":1,"bbox":[1,2,3,4]}'


def box(**changes):
    return json.dumps([{"page": 1, "bbox": [1, 2, 3, 4], "class": "text", "span": [0, 4], **changes}])


def quote(**changes):
    return json.dumps([{**MATCH.to_dict(), **changes}])


HOSTILE = [
    ("boxes", 7, "must be JSON text"),
    ("boxes", b"[]", "must be JSON text"),
    ("boxes", True, "must be JSON text"),
    ("boxes", "", "not valid JSON"),
    ("boxes", "[{]", "not valid JSON"),
    ("boxes", "{}", "must be a JSON list"),
    ("boxes", "null", "must be a JSON list"),
    ("boxes", '"[]"', "must be a JSON list"),
    ("boxes", f"[{BOX},7]", "record 1: must be a JSON object"),
    ("boxes", "[" * 1_000_000, "nested too deeply"),
    ("boxes", '{"a":' * 300_000, "nested too deeply"),
    ("boxes", "[" + " " * 10_000_000 + "]", "10000002 characters"),
    ("boxes", f"[{','.join(['{}'] * 50_001)}]", "50001 items"),
    ("boxes", '[{"page":1,"bbox":[NaN,2,3,4]}]', "NaN"),
    ("boxes", '[{"page":1,"bbox":[1,2,Infinity,4]}]', "Infinity"),
    ("boxes", '[{"page":1,"bbox":[-Infinity,2,3,4]}]', "-Infinity"),
    ("boxes", '[{"page":1,"bbox":[1,2,3,1e999]}]', "coordinate of bbox"),
    ("boxes", '[{"page":1,"bbox":[1,2,3,1e7]}]', "coordinate of bbox"),
    ("boxes", '[{"page":1,"bbox":[1,2,3,1' + "0" * 400 + "]}]", "coordinate of bbox"),
    ("boxes", '[{"page":1,"bbox":[1,2,3,1' + "0" * 5000 + "]}]", "not valid JSON"),
    ("boxes", [{"page": 1, "bbox": [1, 2, 3, 10**5000]}], "a huge int"),
    ("boxes", [{"page": 1, "bbox": [1, 2, 3, float("nan")]}], "coordinate of bbox"),
    ("boxes", box(bbox=[3, 2, 1, 4]), "x0 <= x1"),
    ("boxes", box(bbox=[1, 4, 3, 2]), "y0 <= y1"),
    ("boxes", box(bbox=[1, 2, 3]), "list of 4"),
    ("boxes", box(bbox="1234"), "list of 4"),
    ("boxes", box(bbox=None), "list of 4"),
    ("boxes", box(bbox=[1, 2, 3, True]), "coordinate of bbox"),
    ("boxes", box(bbox=[1, 2, 3, "4"]), "coordinate of bbox"),
    ("boxes", box(bbox=[1, 2, 3, [4]]), "coordinate of bbox"),
    ("boxes", box(page=0), "page"),
    ("boxes", box(page=-1), "page"),
    ("boxes", box(page=1_000_001), "page"),
    ("boxes", box(page=True), "page"),
    ("boxes", box(page=1.5), "page"),
    ("boxes", box(page="1"), "page"),
    ("boxes", '[{"bbox":[1,2,3,4]}]', "page"),
    ("boxes", '[{"page":1}]', "bbox"),
    ("boxes", box(span=[-1, 4]), "span start"),
    ("boxes", box(span=[4, 2]), "span end"),
    ("boxes", box(span=[0, len(TEXT) + 1]), "span end"),
    ("boxes", box(span=[0.0, 1.0]), "span start"),
    ("boxes", box(span=[0]), "list of 2"),
    ("boxes", box(**{"class": 7}), "class must be a string"),
    ("boxes", box(**{"class": "a\0"}), "NUL"),
    ("boxes", box(**{"class": "\ud800"}), "surrogate"),
    ("lines", "[[1,1.0,2.0,3.0,4.0,0]]", "list of 7"),
    ("lines", "[[1,1.0,2.0,3.0,4.0,0,4],[0,1.0,2.0,3.0,4.0,0,4]]", "record 1: page"),
    ("lines", "[[1000001,1.0,2.0,3.0,4.0,0,4]]", "page"),
    ("lines", "[[1,3.0,2.0,1.0,4.0,0,4]]", "x0 <= x1"),
    ("lines", "[[1,1.0,4.0,3.0,2.0,0,4]]", "y0 <= y1"),
    ("lines", "[[1,-1e9,2.0,3.0,4.0,0,4]]", "coordinate of bbox"),
    ("lines", "[[1,1.0,2.0,1e999,4.0,0,4]]", "coordinate of bbox"),
    ("lines", "[[1,1.0,-1e7,3.0,4.0,0,4]]", "coordinate of bbox"),
    ("lines", "[[1,1.0,2.0,3.0,1e7,0,4]]", "coordinate of bbox"),
    ("lines", "[[1,1.0,2.0,3.0,4.0,-1,4]]", "span start"),
    ("lines", "[[1,1.0,2.0,3.0,4.0,5,4]]", "span end"),
    ("lines", "[[1,1.0,2.0,3.0,4.0,0,999]]", "span end"),
    ("lines", "[[1,1.0,2.0,3.0,4.0,0,true]]", "span end"),
    ("lines", [[1, 1.0, float("nan"), 3.0, 4.0, 0, 4]], "coordinate of bbox"),
    ("lines", ["1234567"], "list of 7"),
    ("page_sizes", "[]", "must be a JSON object"),
    ("page_sizes", '{"0":[1,1]}', "page"),
    ("page_sizes", '{"-1":[1,1]}', "page"),
    ("page_sizes", '{"01":[1,1]}', "page"),
    ("page_sizes", '{"²":[1,1]}', "page"),
    ("page_sizes", '{"1' + "0" * 5000 + '":[1,1]}', "page"),
    ("page_sizes", '{"1":[0,1]}', "size of page 1"),
    ("page_sizes", '{"1":[1,-1]}', "size of page 1"),
    ("page_sizes", '{"1":[1,1e9]}', "size of page 1"),
    ("page_sizes", '{"1":[1]}', "size of page 1"),
    ("page_sizes", '{"1":"11"}', "size of page 1"),
    ("quotes", quote(text="engine stops"), "text is not what"),
    ("quotes", quote(text="engine walk"), "text is not what"),
    ("quotes", quote(text=None), "text must be a string"),
    ("quotes", quote(quote=["a"]), "quote must be a string"),
    ("quotes", quote(quote="\0"), "NUL"),
    ("quotes", quote(span=[4, 4000]), "span end"),
    ("quotes", quote(span=None), "span"),
    ("quotes", quote(status="certified"), "status"),
    ("quotes", quote(status=["exact"]), "status"),
    ("quotes", quote(precision="pixel"), "precision"),
    ("quotes", quote(score=101), "score"),
    ("quotes", quote(score="100"), "score"),
    ("quotes", quote(occurrences=0), "occurrences"),
    ("quotes", quote(occurrences=10**30), "occurrences"),
    ("quotes", quote(regions={}), "regions must be a JSON list"),
    ("quotes", quote(regions=[[]]), "must be a JSON object"),
    ("quotes", quote(regions=[{"page": 0, "quads": []}]), "page"),
    ("quotes", quote(regions=[{"page": 1, "quads": "[]"}]), "quads must be a JSON list"),
    ("quotes", quote(regions=[{"page": 1, "quads": [[[1, 1]] * 3]}]), "quad must be a list of 4"),
    ("quotes", quote(regions=[{"page": 1, "quads": [[[1, 1, 1]] * 4]}]), "corner of a quad"),
    ("quotes", quote(regions=[{"page": 1, "quads": [[[1, 1e7]] * 4]}]), "coordinate of quad"),
    ("coords_version", 2, "upgrade"),
    ("coords_version", 0, "version"),
    ("coords_version", "1", "version"),
    ("coords_version", True, "version"),
    ("coords_version", float("nan"), "version"),
]


@pytest.mark.parametrize(("key", "value", "problem"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_value_is_refused_by_name(key, value, problem):
    read = READERS.get(key, SourceBox.from_document)
    with pytest.raises(ProvenanceError) as caught:
        read(document(**{"boxes": f"[{BOX}]", key: value}))
    message = str(caught.value)
    assert f"metadata['{key}']" in message
    assert problem in message
    assert "report.pdf" in message
    assert len(message) < 400
    assert message.isprintable()


def test_hostile_source_stays_out_of_the_message():
    with pytest.raises(ProvenanceError) as caught:
        SourceBox.from_document(Document("", metadata={"source": "\x1b[2J" + "x" * 100_000}))
    assert len(str(caught.value)) < 400
    assert str(caught.value).isprintable()


def test_text_that_is_none_is_refused():
    node = SimpleNamespace(page_content=None, metadata={"boxes": "[]"})
    with pytest.raises(ProvenanceError, match="page_content"):
        SourceBox.from_document(node)


@pytest.mark.parametrize("key", READERS)
def test_every_reader_checks_the_version(key):
    with pytest.raises(ProvenanceError, match=r"version 2 is newer than 1.*upgrade"):
        READERS[key](document(coords_version=2))


@pytest.mark.parametrize("version", [COORDS_VERSION, 1.0])
def test_known_version_is_read(version):
    assert SourceBox.from_document(document(boxes=f"[{BOX}]", coords_version=version))


WORST = {
    "at the limit": f"[{','.join([BOX] * (MAX_JSON_CHARS // (len(BOX) + 1)))}]"[:MAX_JSON_CHARS],
    "empty lists": "[" + "[]," * 600_000 + "[]]",
    "long integers": "[" + ",".join(["9" * 4000] * 400) + "]",
    "deep": "[" * (MAX_JSON_CHARS // 2) + "]" * (MAX_JSON_CHARS // 2),
}


@pytest.mark.parametrize("value", WORST.values(), ids=WORST)
def test_worst_value_costs_bounded_time_and_memory(value):
    tracemalloc.start()
    started = time.process_time()
    try:
        with pytest.raises(ProvenanceError):
            SourceBox.from_document(document(boxes=value))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.process_time() - started < 5
    assert peak < 100_000_000


# Text and ids


def test_clean_text_keeps_offsets():
    dirty = "a\0b\ud800c\udfffd\U0001f600"
    assert clean_text(dirty) == "a\ufffdb\ufffdc\ufffdd\U0001f600"
    assert len(clean_text(dirty)) == len(dirty)


@given(st.text(st.characters()))
def test_clean_text_can_be_stored(text):
    cleaned = clean_text(text)
    cleaned.encode()
    assert "\0" not in cleaned
    assert len(cleaned) == len(text)
    assert clean_text(cleaned) == cleaned


def test_document_id_is_a_uuid_that_never_changes():
    options = {"chunk_size": 1500, "exclude_classes": ["page-header"]}
    known = document_id("sha256:00", options, 0)
    assert known == "14c9f1e1-0d7c-59a6-9128-1ddaa61b6926"
    assert uuid.UUID(known).version == 5


def test_document_id_depends_on_file_options_and_index_only():
    options = {"a": 1, "b": ("x", "y")}
    same = document_id("sha256:00", options, 1)
    assert document_id("sha256:00", {"b": ["x", "y"], "a": 1}, 1) == same
    others = {
        document_id("sha256:01", options, 1),
        document_id("sha256:00", {**options, "a": 2}, 1),
        document_id("sha256:00", options, 11),
        same,
    }
    assert len(others) == 4


@pytest.mark.parametrize("option", [{1, 2}, float("nan"), Path("x"), len])
def test_document_id_refuses_options_without_json_form(option):
    with pytest.raises(ProvenanceError, match="options"):
        document_id("sha256:00", {"a": option}, 0)


def test_line_map_of_a_large_chunk_is_small():
    lines = [
        LineBox(123, (72.13, 90.25 + 6 * i, 523.37, 101.5 + 6 * i), (80 * i, 80 * i + 79)) for i in range(120)
    ]
    assert sys.getsizeof(dump_lines(lines)) < 6000
