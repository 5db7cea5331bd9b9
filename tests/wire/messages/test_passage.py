"""Requests and whole answers of the messages shape on the pass-through lane."""

from pathlib import Path

import pytest

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.messages.passage import COUNT, MESSAGES
from trivium.wire.passage import AnswerFacts, RequestFacts
from trivium.wire.peek import members

SIGNED = (
    b'{"model":"claude-x", "max_tokens": 64000,"thinking":{"type":"adaptive"},"messages":'
    b'[{"role":"assistant","content":[{"type":"thinking","thinking":"a\\u00e4 \\/ b",'
    b'"signature":"Eq+/=="},{"type":"redacted_thinking","data":"b3Bh"}]},'
    b'{"role":"system","content":"mid"}],"temperature":1.0,"temperature":1.00,"new_member":1e2}'
)


@pytest.mark.parametrize(
    ("body", "facts"),
    [
        (
            b'{"model":"m","messages":[],"max_tokens":5}',
            RequestFacts(model="m", output_max=5),
        ),
        (
            b'{"model":"m","messages":[{}],"max_tokens":0,"stream":true}',
            RequestFacts(model="m", output_max=0, stream=True),
        ),
        (
            b'{"model":"a/b:c","messages":[],"max_tokens":5.0,"stream":null}',
            RequestFacts(model="a/b:c", output_max=5),
        ),
        (SIGNED, RequestFacts(model="claude-x", output_max=64000)),
    ],
)
def test_a_request_says_what_it_is(body, facts):
    """Zero tokens are legal, null is absent, unknown members are not our business."""
    assert facts == MESSAGES.facts(members(body))


def test_a_count_needs_no_limit():
    """It generates nothing; members of a real request may be there."""
    wanted = RequestFacts(model="m", output_max=0)
    assert wanted == COUNT.facts(members(b'{"model":"m","messages":[]}'))
    assert wanted == COUNT.facts(
        members(b'{"model":"m","messages":[],"max_tokens":-1,"stream":true}')
    )
    assert COUNT.watch is None


BAD = [
    (b"{}", Kind.MISSING_MEMBER, "model"),
    (b'{"model":null,"messages":[],"max_tokens":1}', Kind.MISSING_MEMBER, "model"),
    (b'{"model":7,"messages":[],"max_tokens":1}', Kind.INVALID_TYPE, "model"),
    (b'{"model":"","messages":[],"max_tokens":1}', Kind.INVALID_VALUE, "model"),
    (b'{"model":"m","model":"m","messages":[],"max_tokens":1}', Kind.DUPLICATE_MEMBER, "model"),
    (b'{"model":"m","max_tokens":1}', Kind.MISSING_MEMBER, "messages"),
    (b'{"model":"m","messages":null,"max_tokens":1}', Kind.MISSING_MEMBER, "messages"),
    (b'{"model":"m","messages":"hi","max_tokens":1}', Kind.INVALID_TYPE, "messages"),
    (b'{"model":"m","messages":{},"max_tokens":1}', Kind.INVALID_TYPE, "messages"),
    (
        b'{"model":"m","messages":[],"messages":[],"max_tokens":1}',
        Kind.DUPLICATE_MEMBER,
        "messages",
    ),
]
BAD_LIMITS = [
    (b'{"model":"m","messages":[]}', Kind.MISSING_MEMBER, "max_tokens"),
    (b'{"model":"m","messages":[],"max_tokens":null}', Kind.MISSING_MEMBER, "max_tokens"),
    (b'{"model":"m","messages":[],"max_tokens":-1}', Kind.INVALID_VALUE, "max_tokens"),
    (b'{"model":"m","messages":[],"max_tokens":1.5}', Kind.INVALID_TYPE, "max_tokens"),
    (b'{"model":"m","messages":[],"max_tokens":"9"}', Kind.INVALID_TYPE, "max_tokens"),
    (b'{"model":"m","messages":[],"max_tokens":true}', Kind.INVALID_TYPE, "max_tokens"),
    (b'{"model":"m","messages":[],"max_tokens":1,"stream":"yes"}', Kind.INVALID_TYPE, "stream"),
    (b'{"model":"m","messages":[],"max_tokens":1,"stream":1}', Kind.INVALID_TYPE, "stream"),
]


@pytest.mark.parametrize(
    ("passage", "body", "kind", "param"),
    [(MESSAGES, *row) for row in BAD + BAD_LIMITS] + [(COUNT, *row) for row in BAD],
)
def test_a_bad_member_is_refused_by_name(passage, body, kind, param):
    """The caller reads which member is wrong."""
    with pytest.raises(Fault) as caught:
        passage.facts(members(body))
    assert (kind, param) == (caught.value.kind, caught.value.param)
    assert f"`{param}`" in caught.value.message


@pytest.mark.parametrize("passage", [MESSAGES, COUNT])
def test_nothing_changes_when_the_names_are_equal(passage):
    """The caller's bytes travel as they are."""
    body = members(SIGNED)
    assert {} == passage.changes(body, RequestFacts(model="claude-x"), "claude-x", True)


@pytest.mark.parametrize("ask_usage", [True, False])
def test_only_the_model_is_replaced(ask_usage):
    """Signed thinking, odd numbers, escapes and even doubled members stay byte for byte."""
    body = members(SIGNED)
    changes = MESSAGES.changes(body, RequestFacts(model="claude-x"), 'claude-"5"', ask_usage)
    assert {"model": b'"claude-\\"5\\""'} == changes
    head, tail = SIGNED.split(b', "max_tokens": ')
    assert head.replace(b'"claude-x"', changes["model"]) + b',"max_tokens":' + tail == body.splice(
        changes
    )


FIXTURES = Path(__file__).parents[2] / "fixtures" / "messages"


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        (
            "thinking",
            Usage(
                fresh=12,
                cache_read=2000,
                cache_write_short=100,
                cache_write_long=200,
                output=37,
                reasoning=20,
            ),
        ),
        ("compaction", Usage(fresh=682 + 60385, output=1320 + 592)),
    ],
)
def test_a_message_reports_its_usage(name, usage):
    """An ``error`` member inside the content is text, not a failure."""
    assert AnswerFacts(usage=usage) == MESSAGES.answer((FIXTURES / f"{name}.json").read_bytes())


def test_a_message_without_usage_reports_none():
    """Nothing is invented; the pipeline estimates."""
    assert AnswerFacts() == MESSAGES.answer(b'{"type":"message","content":[],"usage":null}')


def test_a_count_is_free():
    """It is an answer without anything to bill."""
    assert AnswerFacts() == COUNT.answer(b'{"input_tokens": 123}')
    assert AnswerFacts() == COUNT.answer(b'{"input_tokens": 0, "usage": {"input_tokens": 5}}')


@pytest.mark.parametrize("passage", [MESSAGES, COUNT])
def test_an_error_with_status_200_is_an_error(passage):
    """Compatible servers do that."""
    body = b'{"type":"error","error": {"type": "api_error","message":"no"},"content":[]}'
    assert AnswerFacts(error=b'{"type": "api_error","message":"no"}') == passage.answer(body)


@pytest.mark.parametrize("passage", [MESSAGES, COUNT])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html></html>",
        b"[]",
        b"null",
        b"{}",
        b'{"error":null}',
        b'{"content":"text","input_tokens":"7"}',
        b'{"content":[',
        b'{"x":"\xff"}',
        b'{"a":' * 5000,
    ],
)
def test_anything_else_is_a_broken_upstream(passage, body):
    """A web page with status 200 must not be relayed as a success."""
    with pytest.raises(Fault) as caught:
        passage.answer(body)
    assert Kind.UPSTREAM_BROKE is caught.value.kind
