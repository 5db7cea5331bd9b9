"""Bodies of refusals are read whoever wrote them, and never raise."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.providers.error_body import ErrorFacts, read

INNER = '{"error":{"message":"m","code":"C","param":"p"}}'
NESTED = {"error": {"message": INNER, "type": "T", "param": "None", "code": 400}}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", ErrorFacts()),
        (b"  \n", ErrorFacts()),
        (b"<html>x", ErrorFacts(page=True)),
        (b"plain words", ErrorFacts(message="plain words")),
        (b"\xef\xbb\xbf \n", ErrorFacts()),
        (
            b'\xef\xbb\xbf{"error":{"message":"m","code":"C"}}',
            ErrorFacts(codes=frozenset({"c"}), message="m", structured=True),
        ),
        (b'{"error":{"mess', ErrorFacts(message='{"error":{"mess')),
        (b"\xff\xfe", ErrorFacts(message="\ufffd\ufffd")),
        (b"[]", ErrorFacts()),
        (b"7", ErrorFacts()),
        (b'"text"', ErrorFacts(message="text")),
        (
            b'{"error":{"message":"m","type":"T","param":"p","code":"C"}}',
            ErrorFacts(codes=frozenset({"t", "c"}), message="m", param="p", structured=True),
        ),
        (
            b'[{"error":{"code":404,"message":"m","status":"NOT_FOUND"}}]',
            ErrorFacts(codes=frozenset({"not_found"}), message="m", status=404, structured=True),
        ),
        (
            b'{"type":"error","error":{"type":"t","message":"m","details":{"error_code":"E"}}}',
            ErrorFacts(codes=frozenset({"t", "e"}), message="m", structured=True),
        ),
        (
            b'{"error":"rate_limited","message":"m"}',
            ErrorFacts(codes=frozenset({"rate_limited"}), message="m", structured=True),
        ),
        (
            b'{"error":"invalid_grant","error_description":"m"}',
            ErrorFacts(codes=frozenset({"invalid_grant"}), message="m", structured=True),
        ),
        (
            b'{"error":"unprocessable","detail":[{"loc":["body","n"],"msg":"m"}]}',
            ErrorFacts(codes=frozenset({"unprocessable"}), message="m", structured=True),
        ),
        (
            b'{"detail":[{"loc":["body","messages",0,"role"],"msg":"m"}]}',
            ErrorFacts(message="m", param="messages[0].role", structured=True),
        ),
        (b'{"errors":["m"]}', ErrorFacts(message="m", structured=True)),
        (b'{"errors":[7,"m"]}', ErrorFacts(message="m", structured=True)),
        (
            b'{"error":{"message":"m","details":[{"fieldViolations":[7,{"field":"f"}]}]}}',
            ErrorFacts(message="m", param="f", structured=True),
        ),
        (
            b'{"error":{"message":"m","details":[{"fieldViolations":[]},7]}}',
            ErrorFacts(message="m", structured=True),
        ),
        (b'{"error":{"code":"401","message":"m"}}', ErrorFacts(
            codes=frozenset({"401"}), message="m", status=401, structured=True
        )),
        (
            b'{"error":{"message":"m","details":[{"retryDelay":"3s"},{"reason":"R"}]}}',
            ErrorFacts(codes=frozenset({"r"}), message="m", delay="3s", structured=True),
        ),
        (
            msgspec.json.encode(NESTED),
            ErrorFacts(codes=frozenset({"t", "c"}), message="m", param="p", status=400, structured=True),
        ),
        (
            rb'{"message":"[{\"error\":{\"message\":\"m\",\"status\":\"S\"}}]"}',
            ErrorFacts(codes=frozenset({"s"}), message="m", structured=True),
        ),
        (
            rb'{"error":{"message":"Provider returned error","metadata":{"raw":"{\"detail\":\"m\"}"}}}',
            ErrorFacts(message="m", structured=True),
        ),
        (rb'{"message":"{\"a\":1}"}', ErrorFacts(message='{"a":1}', structured=True)),
        (rb'{"message":"{\"error"}', ErrorFacts(message='{"error', structured=True)),
        (b'{"message":"m","param":"null"}', ErrorFacts(message="m", structured=True)),
        (b'{"error":{"code":true,"message":7}}', ErrorFacts(structured=True)),
    ],
)  # fmt: skip
def test_bodies_are_read(body, told):
    """Each shape seen in the wild gives its codes, words, member and delay."""
    assert told == read(body)


def test_answers_within_answers_are_opened_a_few_times_only():
    """Each is a parse; more than three gateways in a row there are not."""
    body = "m"
    for _ in range(3):
        body = msgspec.json.encode({"message": body}).decode()
    assert "m" == read(body.encode()).message
    for _ in range(3):
        body = msgspec.json.encode({"message": body}).decode()
    assert "{" == read(body.encode()).message[0]


def test_deep_nesting_is_only_text():
    """A body built to exhaust the stack is read as what it is: nonsense."""
    assert not read(b"[" * 100_000).structured


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 999) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["error", "errors", "message", "detail", "details", "code", "loc", "msg"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_JSON)
def test_no_json_breaks_the_reader(value):
    """Whatever a vendor nests into whatever, the status still speaks."""
    import msgspec

    told = read(msgspec.json.encode(value))
    assert isinstance(told.message, str)
    assert told.param is None or isinstance(told.param, str)


@given(st.binary(max_size=60))
def test_no_bytes_break_the_reader(body):
    """Nor does what is not JSON."""
    assert isinstance(read(body), ErrorFacts)
