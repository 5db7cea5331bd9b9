"""Whole answers with status 200: good ones, errors in disguise, and pages."""

import pytest

from trivium.faults import Fault, Kind
from trivium.wire.whole_answer import answer, error_of


def test_a_good_answer_has_its_content_and_perhaps_usage():
    """Whatever else it has goes by unread."""
    found = answer(
        b'{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2},"x":{}}', "choices"
    )
    assert (None, 2) == (found.error, found.usage.output)
    assert answer(b'{"choices":[],"usage":null,"error":null}', "choices").usage is None


@pytest.mark.parametrize("raw", [b"", b"null", b"{}", b"[]", b'""', b"false", b"0", b"{ }"])
def test_an_empty_error_is_none(raw):
    """Some servers always have the member."""
    assert error_of(raw) is None


@pytest.mark.parametrize("raw", [b'{"message":"x"}', b'"x"', b"[1]", b"true"])
def test_anything_else_is_an_error(raw):
    """It is kept as it came, to be understood elsewhere."""
    assert raw == error_of(raw)
    assert raw == answer(b'{"error":%b}' % raw, "choices").error


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'"x"', b"{}", b'{"choices":{}}', b'{"choices":[', b"\xff"]
)
def test_what_is_neither_is_the_vendors_fault(body):
    """It is not relayed as a success."""
    with pytest.raises(Fault) as caught:
        answer(body, "choices")
    assert Kind.UPSTREAM_BROKE is caught.value.kind
