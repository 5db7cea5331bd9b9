"""A whole completions answer."""

import pytest

from trivium.faults import Fault, Kind
from trivium.wire.completions.passage import answer, changes, facts, watch
from trivium.wire.peek import members


def test_usage_is_read_from_the_documented_answer(recorded):
    """And there is no error in it."""
    found = answer(recorded("completions", "text.json"))
    assert (None, True) == (found.error, found.usage.output_total > 0)


def test_no_cut_changes_what_passes_or_what_is_seen(recorded, cut_everywhere):
    """With usage asked for by the caller: every byte passes."""
    wire = recorded("completions", "usage.sse")
    out = cut_everywhere(watch, wire, asked=True)
    assert (wire, True, None) == (out.forwarded, out.finished, out.error)
    assert out.usage.output_total > 0


def test_usage_nobody_asked_for_is_taken_out(recorded, relay):
    """It is seen all the same."""
    wire = recorded("completions", "usage.sse")
    out = relay(watch, wire)
    assert b'"usage":{' not in out.forwarded.replace(b" ", b"")
    assert out.forwarded.endswith(b"data: [DONE]\n\n")
    assert out.usage.output_total > 0


def test_a_cut_stream_ends_with_an_error_and_no_sentinel(recorded, relay):
    """In the completions shape's own words."""
    out = relay(watch, recorded("completions", "cut.sse"), end=True)
    assert not out.finished
    assert b'data: {"error":{' in out.forwarded
    assert out.forwarded.endswith(b'"request_id":"req_7"}\n\n')
    assert b"[DONE]" not in out.forwarded


COUNTED = [
    (b'"prompt":"x"', None, 1),
    (b'"prompt":null', None, 1),
    (b'"prompt":[1,2,3],"max_tokens":4', 4, 1),
    (b'"prompt":["a","b"],"max_tokens":4', 8, 2),
    (b'"prompt":[[1],[2],[3]],"max_tokens":4,"n":2', 24, 6),
    (b'"prompt":"x","best_of":5,"n":2,"max_tokens":1', 5, 5),
    (b'"prompt":"x","max_tokens":0', 0, 1),
]


@pytest.mark.parametrize(("more", "limit", "choices"), COUNTED)
def test_a_limit_holds_for_every_answer_that_is_made(more, limit, choices):
    """Prompts times n, or times best_of where that is more; 0 is a limit."""
    found = facts(members(b'{"model":"m",%b}' % more))
    assert (limit, choices) == (found.output_max, found.choices)


@pytest.mark.parametrize(
    ("more", "kind", "param"),
    [(b'"x":1', Kind.MISSING_MEMBER, "prompt"), (b'"prompt":"x","max_tokens":-1', Kind.INVALID_VALUE, "max_tokens"),
     (b'"prompt":"x","n":0', Kind.INVALID_VALUE, "n")],
)  # fmt: skip
def test_a_bad_request_is_refused_by_name(more, kind, param):
    """Before anybody is called."""
    with pytest.raises(Fault) as caught:
        facts(members(b'{"model":"m",%b}' % more))
    assert (kind, param) == (caught.value.kind, caught.value.param)


def test_usage_is_asked_for_as_on_the_chat_shape():
    """The same member."""
    body = members(b'{"model":"m","prompt":"x","stream":true}')
    assert {"stream_options": b'{"include_usage":true}'} == changes(body, facts(body), "m", True)
