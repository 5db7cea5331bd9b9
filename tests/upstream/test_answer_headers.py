"""Header lines of an answer: in order, looked up, and without some of them."""

import pytest

from trivium.upstream.answer import NO_LINES, AnswerHeaders

HEAD = b"HTTP/1.1 200 OK\r\nX-A:\tOne, Two \r\nx-ab: 3\r\nX-Empty:\r\nx-a: b:C"


def test_lines_come_in_order_and_as_often():
    """Values keep their letters and lose the blanks around them."""
    expected = [(b"x-a", b"One, Two"), (b"x-ab", b"3"), (b"x-empty", b""), (b"x-a", b"b:C")]
    assert expected == list(AnswerHeaders(HEAD))
    assert [] == list(NO_LINES)


def test_values_are_looked_up_by_the_whole_name():
    """Every value of a name, in order and in lower case; no part of another name or of a value."""
    lines = AnswerHeaders(HEAD)
    assert [b"one, two", b"b:c"] == lines.values(b"x-a")
    assert [b""] == lines.values(b"x-empty")
    assert [] == lines.values(b"a") + lines.values(b"b") + lines.values(b"two")


def test_what_is_passed_over_is_not_there():
    """Neither gone through nor looked up."""
    lines = AnswerHeaders(HEAD).without(frozenset({b"x-a"}))
    assert [(b"x-ab", b"3"), (b"x-empty", b"")] == list(lines)
    assert [] == lines.values(b"x-a")


@pytest.mark.parametrize(
    ("head", "is_json"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8", True),
        (b"HTTP/1.1 200 OK\r\ncontent-type: application/problem+JSON", True),
        (b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-why: json", False),
        (b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream", False),
        (b"HTTP/1.1 200 OK", False),
    ],
)
def test_json_is_known_by_the_type_alone(head, is_json):
    """Whatever else the head says."""
    assert is_json is AnswerHeaders(head).is_json()
