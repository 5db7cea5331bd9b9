"""Responses streams: untouched while they are well, ended in two events when they are not."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire import sse
from trivium.wire.responses.stream import watch

WELL = ["text.sse", "tools.sse", "incomplete.sse"]


def events(wire):
    return [msgspec.json.decode(frame.data) for frame in sse.frames(wire)]


@pytest.mark.parametrize("name", WELL)
def test_no_cut_changes_what_passes_or_what_is_seen(name, recorded, cut_everywhere):
    """Every byte passes; the terminal event has the usage."""
    wire = recorded("responses", name)
    out = cut_everywhere(watch, wire)
    assert (wire, True, None) == (out.forwarded, out.finished, out.error)
    assert out.usage.output_total > 0


@pytest.mark.parametrize("name", ["error.sse", "error-flat.sse", "failed.sse"])
def test_an_error_is_held_back_with_all_that_follows(name, recorded, cut_everywhere):
    """However it is spelt; the pipeline says it in its own words."""
    wire = recorded("responses", name)
    out = cut_everywhere(watch, wire)
    assert out.error is not None
    assert not out.finished
    assert wire.startswith(out.forwarded)
    assert {"error", "response.failed"}.isdisjoint(e["type"] for e in events(out.forwarded))


@pytest.mark.parametrize("name", ["cut.sse", "error.sse", "failed.sse"])
def test_a_broken_stream_ends_with_an_error_and_the_failed_response(name, recorded, relay):
    """Numbers go on without a gap, the response keeps its id, and both name the fault."""
    fault = Fault(Kind.UPSTREAM_OVERLOADED, "Busy.")
    out = relay(watch, recorded("responses", name), end=True, fault=fault)
    *begun, error, failed = events(out.forwarded)
    assert ["error", "response.failed"] == [error["type"], failed["type"]]
    numbers = [event["sequence_number"] for event in (*begun, error, failed)]
    assert list(range(len(numbers))) == numbers
    assert "Busy." == error["message"] == error["error"]["message"]
    assert begun[0]["response"]["id"] == failed["response"]["id"]
    assert ("failed", "server_is_overloaded") == (
        failed["response"]["status"],
        failed["response"]["error"]["code"],
    )


def test_a_stream_that_never_began_is_opened_first(relay):
    """Clients want response.created before anything else."""
    out = relay(watch, end=True, fault=Fault(Kind.UPSTREAM_TIMEOUT, "Slow."))
    created, error, failed = events(out.forwarded)
    assert ["response.created", "error", "response.failed"] == [
        created["type"], error["type"], failed["type"],
    ]  # fmt: skip
    assert [0, 1, 2] == [e["sequence_number"] for e in (created, error, failed)]
    assert created["response"]["id"] == failed["response"]["id"]


@pytest.mark.parametrize("name", ["text.sse", "cut.sse"])
def test_every_cut_of_the_end_is_legal(name, recorded, relay):
    """The stream stops after any byte: whole events, then one legal end."""
    wire = recorded("responses", name)
    for stop in range(0, len(wire), 13):
        out = relay(watch, wire[:stop], end=True)
        last = events(out.forwarded)[-1]["type"]
        assert last in ("response.completed", "response.failed"), stop
