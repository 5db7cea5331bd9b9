"""Responses streams: untouched while they are well, ended in two events when they are not."""

import httpx2
import msgspec
import openai
import pytest

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire import sse
from trivium.wire.responses.stream import Watch

ENDS = [b"\n", b"\r\n", b"\r"]
WELL = ["text.sse", "tools.sse", "incomplete.sse"]


def events(wire):
    return [msgspec.json.decode(frame.data) for frame in sse.frames(wire)]


@pytest.mark.parametrize("end", ENDS, ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("name", WELL)
def test_no_cut_changes_what_passes_or_what_is_seen(name, end, recorded, cut_everywhere):
    """Every byte passes, whatever the line ends; the terminal event has the usage."""
    wire = recorded("responses", name).replace(b"\n", end)
    out = cut_everywhere(Watch, wire)
    assert (wire, True, None) == (out.forwarded, out.finished, out.error)
    assert Usage(fresh=12, cache_read=8, output=4, reasoning=3) == out.usage


@pytest.mark.parametrize("name", WELL)
def test_a_stream_that_is_over_ends_with_nothing_more(name, recorded, relay):
    """Not even a reset adds to it; a last event without its blank line gets one."""
    wire = recorded("responses", name)
    fault = Fault(Kind.UPSTREAM_BROKE, "Reset.")
    for body in (wire, wire[:-1], wire[:-2]):
        assert wire == relay(Watch, body, end=True, fault=fault).forwarded


ODD = [
    b'data: {"response":5,"type":7}\n\n',
    b'data: {"response":\n\n',
    b': "response"\n\n',
    b'data: {"type":"response.completed","response":[]}\n\n',
    b'data: {"type":"x_new","response":{},"error":{"message":"x"}}\n\n',
]


@pytest.mark.parametrize("odd", ODD)
def test_an_event_that_cannot_be_read_goes_by(odd, relay):
    """It is the caller's to make sense of; nothing is believed of it."""
    out = relay(Watch, odd)
    assert (odd, None, False, None) == (out.forwarded, out.usage, out.finished, out.error)


def test_an_event_named_by_its_event_line_alone_counts(relay):
    """Some servers leave `type` out of the data."""
    wire = b'event: response.completed\ndata: {"response":{"id":"resp_1"}}\n\n'
    assert relay(Watch, wire).finished


@pytest.mark.parametrize("error", [b'{"message":"busy","code":"slow_down"}', b'"busy"'])
def test_an_error_of_no_event_is_an_error(error, relay):
    """As servers of the chat shape say it, and as the official client takes it here too."""
    out = relay(Watch, b'data: {"error":' + error + b"}\n\n")
    assert (b"", error) == (out.forwarded, out.error)


def test_numbers_go_on_from_the_last_event_that_has_one(relay):
    """Neither a comment nor an unnumbered or unreadable event starts the count again."""
    numbered = (
        b'data: {"type":"response.created","sequence_number":6,"response":{"id":"resp_1"}}\n\n'
    )
    odd = b'data: {"sequence_number":"7"}\n\ndata: {"sequence_number":null}\n\n'
    out = relay(Watch, numbered + odd, b": still here\n\n", end=True)
    ours = events(out.forwarded[len(numbered + odd) :])
    assert [7, 8] == [event["sequence_number"] for event in ours]


def test_an_error_after_the_end_is_no_error(recorded, relay):
    """What follows the terminal event nobody reads any more."""
    wire = recorded("responses", "text.sse")
    late = b'event: error\ndata: {"type":"error","error":{"message":"late"}}\n\n'
    for reads in ([wire + late], [wire, late]):
        out = relay(Watch, *reads)
        assert (wire + late, True, None) == (out.forwarded, out.finished, out.error)


def test_the_usage_of_a_failed_response_is_billed(recorded, relay):
    """The vendor counts what it made before it failed."""
    assert 7 == relay(Watch, recorded("responses", "failed.sse")).usage.output_total


def test_the_official_client_raises_on_our_tail(recorded, relay):
    """With our message and code, after what had come; the last event is the failed response."""
    body = relay(Watch, recorded("responses", "cut.sse"), end=True).forwarded
    headers = {"content-type": "text/event-stream"}
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, headers=headers, content=body))
    client = openai.OpenAI(
        api_key="k",
        base_url="http://gateway.test/v1",
        http_client=httpx2.Client(transport=transport),
    )
    seen = []
    with pytest.raises(openai.APIError, match="ended before it was complete") as caught:
        seen.extend(
            event.type for event in client.responses.create(model="m", input="x", stream=True)
        )
    assert "upstream_error" == caught.value.code
    assert "response.failed" == events(body)[-1]["type"]


@pytest.mark.parametrize("name", ["error.sse", "error-flat.sse", "failed.sse"])
def test_an_error_is_held_back_with_all_that_follows(name, recorded, cut_everywhere):
    """However it is spelt; the pipeline says it in its own words."""
    wire = recorded("responses", name)
    out = cut_everywhere(Watch, wire)
    assert out.error is not None
    assert not out.finished
    assert wire.startswith(out.forwarded)
    assert {"error", "response.failed"}.isdisjoint(e["type"] for e in events(out.forwarded))


@pytest.mark.parametrize("name", ["cut.sse", "error.sse", "failed.sse"])
def test_a_broken_stream_ends_with_an_error_and_the_failed_response(name, recorded, relay):
    """Numbers go on without a gap, the response keeps its id, and both name the fault."""
    fault = Fault(Kind.UPSTREAM_OVERLOADED, "Busy.")
    out = relay(Watch, recorded("responses", name), end=True, fault=fault)
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
    out = relay(Watch, end=True, fault=Fault(Kind.UPSTREAM_TIMEOUT, "Slow."))
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
        out = relay(Watch, wire[:stop], end=True)
        last = events(out.forwarded)[-1]["type"]
        assert last in ("response.completed", "response.failed"), stop


@pytest.mark.parametrize("usage", [b'"odd"', b"[]", b'{"input_tokens":-1,"output_tokens":2}'])
def test_odd_usage_does_not_hide_the_end(usage, relay):
    """It is estimated then; the answer is whole all the same."""
    wire = (
        b'event: response.completed\ndata: {"type":"response.completed","sequence_number":1,'
        b'"response":{"id":"r","error":null,"usage":' + usage + b"}}\n\n"
    )
    out = relay(Watch, wire, end=True)
    assert (wire, True, None) == (out.forwarded, out.finished, out.usage)
