"""How a responses stream says that it failed, and who is to try again."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.responses import failure

CODES = [
    (Kind.UPSTREAM_BROKE, None, "server_error"),
    (Kind.INTERNAL, None, "server_error"),
    (Kind.UPSTREAM_RATE_LIMITED, None, "rate_limit_exceeded"),
    (Kind.UPSTREAM_OVERLOADED, None, "server_is_overloaded"),
    (Kind.BALANCE_TOO_LOW, None, "insufficient_quota"),
    (Kind.CONTEXT_TOO_LONG, None, "context_length_exceeded"),
    (Kind.INVALID_VALUE, None, "invalid_prompt"),
    (Kind.UPSTREAM_REJECTED, "invalid_image_url", "invalid_image_url"),
]


@pytest.mark.parametrize(("kind", "code", "expected"), CODES)
def test_the_code_decides_whether_codex_tries_again(kind, code, expected):
    """A code that clients know is kept."""
    told = failure.of(Fault(kind, "No.", code=code))
    assert {"code", "message", "type", "param"} == set(told)
    assert expected == told["code"]


def test_the_error_event_is_flat_and_nested_in_one():
    """Each client reads one of the two."""
    frame = failure.error_event(Fault(Kind.UPSTREAM_BROKE, "It broke.", param="x"), 5, "req_1")
    name, data = frame.removesuffix(b"\n\n").split(b"\n")
    assert b"event: error" == name
    event = msgspec.json.decode(data.removeprefix(b"data: "))
    assert ("error", 5, "req_1") == (event["type"], event["sequence_number"], event["request_id"])
    for where in (event, event["error"]):
        assert ("It broke.", "x", "upstream_error") == (
            where["message"], where["param"], where["code"],
        )  # fmt: skip


@pytest.mark.parametrize("raw", [None, b"{", b"[]", b"\xff"])
def test_an_opening_that_cannot_be_read_is_none(raw):
    """Then a minimal response stands in."""
    assert failure.opening(raw) is None


def test_a_minimal_response_has_what_clients_read_unchecked():
    """And an id made of the request's own."""
    response = failure.minimal("m", "req_7")
    assert ("resp_7", "m", [], "in_progress") == (
        response["id"], response["model"], response["output"], response["status"],
    )  # fmt: skip
    assert {"error", "incomplete_details", "instructions", "tools", "usage"} <= set(response)
