"""Embeddings in OpenAI's shape, both ends."""

import base64
import contextlib
import struct

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.losses import Rank, Report
from trivium.conversation.request import Extension
from trivium.conversation.usage import Usage
from trivium.conversation.vectors import VectorAnswer, VectorRequest
from trivium.faults import Fault, Kind
from trivium.wire.embeddings.vectors import VECTORS, packed, unpacked


def _raws(**members):
    return msgspec.json.decode(msgspec.json.encode(members), type=dict[str, msgspec.Raw])


def _read(**members):
    return VECTORS.read_request(_raws(model="m", **members), "m")


def _refused(error):
    return Fault(Kind.UPSTREAM_BUSY, error.decode())


@pytest.mark.parametrize(
    ("given", "expected"), [("a", ("a",)), (["a", "b"], ("a", "b")), ([""], ("",))]
)
def test_one_text_and_many_are_texts(given, expected):
    """In their order."""
    assert expected == _read(input=given).inputs


@pytest.mark.parametrize(
    ("members", "dimensions", "is_packed"),
    [
        ({}, None, False),
        ({"encoding_format": None, "dimensions": None}, None, False),
        ({"encoding_format": "float", "dimensions": 3}, 3, False),
        ({"encoding_format": "base64"}, None, True),
    ],
)
def test_form_and_length_are_the_caller_s(members, dimensions, is_packed):
    """Null is absent."""
    found = _read(input="a", **members)

    assert (dimensions, is_packed, ()) == (found.dimensions, found.packed, found.extensions)


def test_members_of_this_shape_alone_are_kept_for_the_report():
    """The end user for our record, the rest as hints."""
    found = _read(input="a", user="u", input_type="query", next=None)

    assert {("user", Rank.BOOKKEEPING), ("input_type", Rank.HINT)} == {
        (one.member, one.rank) for one in found.extensions
    }


@pytest.mark.parametrize(
    ("members", "kind", "param"),
    [
        ({}, Kind.MISSING_MEMBER, "input"),
        ({"input": None}, Kind.MISSING_MEMBER, "input"),
        ({"input": []}, Kind.INVALID_VALUE, "input"),
        ({"input": 5}, Kind.INVALID_TYPE, "input"),
        ({"input": ["a", True]}, Kind.INVALID_TYPE, "input[1]"),
        ({"input": [1, 2]}, Kind.UNREPRESENTABLE, "input"),
        ({"input": [[1], [2]]}, Kind.UNREPRESENTABLE, "input"),
        ({"input": "a", "dimensions": 0}, Kind.INVALID_VALUE, "dimensions"),
        ({"input": "a", "dimensions": True}, Kind.INVALID_TYPE, "dimensions"),
        ({"input": "a", "encoding_format": "hex"}, Kind.INVALID_VALUE, "encoding_format"),
    ],
)
def test_what_is_wrong_is_named(members, kind, param):
    """Token ids mean something to one model only."""
    with pytest.raises(Fault) as caught:
        _read(**members)

    assert (kind, param) == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (VectorRequest(inputs=("a", "b")), {"model": "up", "input": ["a", "b"]}),
        (
            VectorRequest(inputs=("a",), dimensions=3, packed=True),
            {"model": "up", "input": ["a"], "dimensions": 3},
        ),
    ],
)
def test_an_upstream_is_asked_for_texts_and_nothing_it_may_not_know(wanted, expected):
    """Servers differ on ``encoding_format``."""
    report = Report("x")
    assert expected == msgspec.json.decode(VECTORS.write_request(wanted, "up", report))
    assert [] == report.drops


def test_what_the_shape_has_not_is_reported():
    """By its name in the caller's body; in strict mode it is refused."""
    wanted = VectorRequest(inputs=("a",), extensions=(Extension("taskType", b"1", Rank.HINT),))
    report = Report("x")
    VECTORS.write_request(wanted, "up", report)

    assert ["taskType"] == [drop.member for drop in report.drops]
    with pytest.raises(Fault):
        VECTORS.write_request(wanted, "up", Report("x", strict=True))


def test_vectors_are_read_by_their_index_in_either_form():
    """Servers answer out of order, and in base64 unasked."""
    text = base64.b64encode(struct.pack("<2f", 0.5, -1.0)).decode()
    body = msgspec.json.encode(
        {
            "data": [{"index": 1, "embedding": text}, {"index": 0, "embedding": [1, 0.25]}],
            "usage": {"prompt_tokens": 5, "total_tokens": 5},
        }
    )

    found = VECTORS.read_answer(body, 2, _refused)

    assert ([1.0, 0.25], [0.5, -1.0]) == found.vectors
    assert Usage(fresh=5) == found.usage


def test_rows_without_an_index_are_in_order():
    """And usage that is not there is none."""
    body = b'{"data":[{"embedding":[1]},{"embedding":[2]}]}'

    assert VectorAnswer(vectors=([1.0], [2.0])) == VECTORS.read_answer(body, 2, _refused)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"{}",
        b'{"data":[{"embedding":[1]}]}',
        b'{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}',
        b'{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}',
        b'{"data":[{"embedding":"%%%%"},{"embedding":[1]}]}',
        b'{"data":[{"embedding":["a"]},{"embedding":[1]}]}',
        b'{"data":[{"embedding":[]},{"embedding":[1]}]}',
        b'{"data":[{"embedding":""},{"embedding":[1]}]}',
    ],
)
def test_anything_but_the_vectors_asked_for_is_a_broken_upstream(body):
    """None of them may be taken for another's."""
    with pytest.raises(Fault) as caught:
        VECTORS.read_answer(body, 2, _refused)

    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_an_error_with_status_200_is_an_error():
    """It means what the vendor's words mean."""
    with pytest.raises(Fault) as caught:
        VECTORS.read_answer(b'{"error":{"message":"no"}}', 1, _refused)

    assert Kind.UPSTREAM_BUSY is caught.value.kind


@pytest.mark.parametrize("is_packed", [True, False])
def test_the_caller_gets_the_form_it_asked_for(is_packed):
    """In order, with an index and usage."""
    answer = VectorAnswer(vectors=([0.5, -1.0], [2.0]), usage=Usage(fresh=4, cache_read=1))
    wanted = VectorRequest(inputs=("a", "b"), packed=is_packed)

    found = msgspec.json.decode(VECTORS.write_answer(answer, wanted, "m"))

    vectors = [row["embedding"] for row in found["data"]]
    assert [[0.5, -1.0], [2.0]] == ([unpacked(v) for v in vectors] if is_packed else vectors)
    assert [0, 1] == [row["index"] for row in found["data"]]
    assert ("list", "m", {"prompt_tokens": 5, "total_tokens": 5}) == (
        found["object"], found["model"], found["usage"],
    )  # fmt: skip


def test_packed_floats_are_little_endian():
    """Four bytes each, as the official SDKs unpack them."""
    assert "AACAPw==" == packed([1.0])
    assert [1.0] == unpacked("AACAPw==")


def test_a_number_that_no_float_holds_is_a_broken_answer():
    """It cannot be handed on."""
    with pytest.raises(Fault):
        packed([1e300])


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(("input", "dimensions", "encoding_format", "user")), _ANY))
def test_any_body_is_read_or_refused(members):
    """Nothing a caller sends is an accident of ours."""
    with contextlib.suppress(Fault):
        assert _read(**members).inputs


@given(st.lists(st.dictionaries(st.sampled_from(("embedding", "index")), _ANY), max_size=3))
def test_any_answer_is_vectors_or_a_fault(rows):
    """Nor anything an upstream does."""
    with contextlib.suppress(Fault):
        body = msgspec.json.encode({"data": rows})
        assert len(rows) == len(VECTORS.read_answer(body, len(rows), _refused).vectors)


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=9))
def test_packing_loses_nothing_a_float_holds(vector):
    """Both ways."""
    assert vector == unpacked(packed(vector))
