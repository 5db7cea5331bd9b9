"""One request's answer as bytes: whole, streamed, failed, broken off, or for nobody."""

import asyncio

import msgspec
import pytest

from edge.wires import Sheet, asked
from trivium.edge.exchange import STATUS_LINES
from trivium.faults import TABLE, Fault, Kind
from trivium.pipeline.surface import InvokeFraming, Rewording
from trivium.wire.operation import Shape

HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_1\r\n"
    b"request-id: req_1\r\ndate: now\r\n"
)
STREAM = HEAD.replace(b"application/json", b"text/event-stream")


class Flow:
    """Says whether it has begun."""

    def __init__(self, *, begun: bool) -> None:
        self.begun = begun
        self.told: Fault | None = None

    def interrupt(self, fault: Fault) -> bool:
        self.told = fault
        return self.begun


def test_a_whole_answer_is_head_length_and_body():
    """One write, both request ids, the connection kept."""
    sheet = Sheet()
    exchange = asked(sheet)
    exchange.extra.append((b"x-a", b"b"))
    exchange.answer(200, b"{}")
    assert HEAD + b"x-a: b\r\ncontent-length: 2\r\n\r\n{}" == sheet.sent
    assert (False, len(sheet.sent)) == (sheet.closed, exchange.bytes_out)
    assert exchange.begun
    assert exchange.over


def test_an_answer_to_head_has_the_length_and_no_body():
    """What GET would have sent is counted, not sent."""
    sheet = Sheet()
    asked(sheet, method="HEAD").answer(200, b"{}")
    assert sheet.sent.endswith(b"content-length: 2\r\n\r\n")


@pytest.mark.parametrize("http10", [False, True])
def test_a_stream_of_known_length_says_so(http10):
    """No chunks around its pieces, and the connection is kept."""
    sheet = Sheet()
    exchange = asked(sheet, http10=http10)
    exchange.begin(206, b"video/mp4", length=5)
    exchange.write(b"abc")
    exchange.finish(b"de")
    assert sheet.sent.startswith(b"HTTP/1.1 206")
    assert sheet.sent.endswith(b"content-length: 5\r\n\r\nabcde")
    assert sheet.closed is False


def test_head_of_a_stream_of_known_length_has_it():
    """And nothing after."""
    sheet = Sheet()
    asked(sheet, method="HEAD").begin(200, b"video/mp4", length=5)
    assert sheet.sent.endswith(b"content-length: 5\r\n\r\n")


@pytest.mark.parametrize("status", [204, 304])
def test_statuses_without_content_have_no_length_and_no_type(status):
    """RFC 9110, 8.6 and 15.4.5: neither in a 204, and a 304 says only what caches need."""
    sheet = Sheet()
    asked(sheet).answer(status, b"")
    assert b"content-length" not in sheet.sent
    assert b"content-type" not in sheet.sent
    assert sheet.sent.endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    ("keep_alive", "http10", "line"),
    [
        (True, False, None),
        (False, False, b"connection: close"),
        (True, True, b"connection: keep-alive"),
        (False, True, b"connection: close"),
    ],
)
def test_the_fate_of_the_connection_is_said(keep_alive, http10, line):
    """HTTP/1.1 keeps unless told, HTTP/1.0 closes unless told."""
    sheet = Sheet()
    asked(sheet, keep_alive=keep_alive, http10=http10).answer(200, b"")
    said = [name for name in sheet.sent.split(b"\r\n") if name.startswith(b"connection")]
    assert ([] if line is None else [line]) == said
    assert (not keep_alive) == sheet.closed


def test_every_fault_has_a_status_line():
    """Statuses beyond the standard library's too: vendors' 529 and whatever they invent."""
    assert {row.status for row in TABLE.values()} <= set(STATUS_LINES)
    assert b"HTTP/1.1 529 Overloaded\r\n" == STATUS_LINES[529]
    sheet = Sheet()
    asked(sheet).answer(599, b"")
    assert sheet.sent.startswith(b"HTTP/1.1 599 ")


def test_a_stream_is_chunked():
    """A chunk for each write; nothing for nothing, which would end it."""
    sheet = Sheet()
    exchange = asked(sheet)
    exchange.begin(200, b"text/event-stream")
    exchange.write(b"")
    exchange.write(b"data: 1\n\n")
    assert sheet.closed is None
    exchange.finish()
    assert STREAM + b"transfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n0\r\n\r\n" == sheet.sent
    assert sheet.closed is False


def test_a_stream_to_an_http_1_0_caller_ends_with_the_connection():
    """It knows no chunks; its `Connection: keep-alive` cannot be granted, and is not."""
    sheet = Sheet()
    exchange = asked(sheet, http10=True)
    exchange.begin(200, b"text/event-stream")
    exchange.write(b"data: 1\n\n")
    exchange.finish()
    assert STREAM + b"connection: close\r\n\r\ndata: 1\n\n" == sheet.sent
    assert sheet.closed


def test_a_stream_asked_for_by_head_is_its_head():
    """No chunk, not even the last: the next answer would be read as a body."""
    sheet = Sheet()
    exchange = asked(sheet, method="HEAD")
    exchange.begin(200, b"text/event-stream")
    exchange.write(b"data: 1\n\n")
    exchange.finish()
    assert STREAM + b"transfer-encoding: chunked\r\n\r\n" == sheet.sent
    assert sheet.closed is False


def test_a_failure_is_a_gateway_error_in_the_callers_dialect():
    """With the retry headers that belong to it."""
    sheet = Sheet()
    exchange = asked(sheet)
    exchange.shape = Shape.GENERATE
    exchange.fail(Fault(Kind.RATE_LIMITED, "Try again in 2s.", retry_after=1.5))
    head, _, body = sheet.sent.partition(b"\r\n\r\n")
    assert b"\r\nretry-after: 2\r\nretry-after-ms: 1500\r\n" in head + b"\r\n"
    assert head.startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
    told = msgspec.json.decode(body)
    assert (429, "RESOURCE_EXHAUSTED", "req_1") == (
        told["error"]["code"], told["error"]["status"], told["request_id"],
    )  # fmt: skip


def test_a_failure_after_the_first_byte_breaks_the_answer_off():
    """No error body in the middle of another answer."""
    sheet = Sheet()
    exchange = asked(sheet)
    exchange.begin(200, b"text/event-stream")
    sent = sheet.sent
    exchange.fail(Fault(Kind.INTERNAL, "no"))
    assert (sent, True, True) == (sheet.sent, sheet.is_cut, exchange.over)


def everything(exchange):
    exchange.begin(200, b"text/plain")
    exchange.write(b"x")
    exchange.finish()
    exchange.answer(200, b"x")
    exchange.break_off()


def test_what_comes_after_the_end_is_ignored():
    """Cleanup code asks no questions."""
    sheet = Sheet()
    exchange = asked(sheet)
    exchange.answer(200, b"{}")
    sent = sheet.sent
    everything(exchange)
    exchange.fail(Fault(Kind.INTERNAL, "no"))
    exchange.interrupt(Fault(Kind.STOPPING, "no"))
    assert (sent, False) == (sheet.sent, sheet.is_cut)


@pytest.mark.asyncio
async def test_who_works_for_a_caller_that_left_is_cancelled():
    """And whatever it still writes goes nowhere."""
    sheet = Sheet()
    exchange = asked(sheet)
    exchange.task = asyncio.ensure_future(asyncio.sleep(10))
    exchange.leave()
    everything(exchange)
    with pytest.raises(asyncio.CancelledError):
        await exchange.task
    assert (b"", True, True) == (sheet.sent, exchange.gone, exchange.over)


@pytest.mark.asyncio
@pytest.mark.parametrize("flow", [None, False, True], ids=["none", "waiting", "begun"])
async def test_an_interruption_is_the_streams_own_or_a_cancellation(flow):
    """A begun stream ends itself legally; whatever has not begun is cancelled and answers 503."""
    fault = Fault(Kind.STOPPING, "The gateway is restarting.")
    exchange = asked()
    exchange.task = asyncio.ensure_future(asyncio.sleep(0.01))
    exchange.flow = None if flow is None else Flow(begun=flow)
    exchange.interrupt(fault)
    await asyncio.wait([exchange.task])
    assert exchange.task.cancelled() is (flow is not True)
    assert exchange.flow is None or exchange.flow.told is fault


def test_every_value_of_a_header_can_be_had():
    """In order; the table holds the last."""
    lines = [(b"a", b"1"), (b"b", b"2"), (b"a", b"3")]
    repeated = asked(headers=dict(lines), repeated=lines)
    assert ([b"1", b"3"], [b"2"], []) == tuple(map(repeated.values, (b"a", b"b", b"c")))
    plain = asked(headers={b"a": b"1"})
    assert ([b"1"], []) == (plain.values(b"a"), plain.values(b"c"))


@pytest.mark.parametrize("paused", [False, True])
def test_a_caller_is_congested_from_the_start_where_its_line_is(paused):
    """By what was sent before; from then on the connection tells."""
    sheet = Sheet()
    sheet.paused = paused
    assert paused == asked(sheet).congested


def loud(body):
    """An answer's other words."""
    if body == b"no":
        raise Fault(Kind.UPSTREAM_BROKE, "Too quiet.")
    return body.upper()


def test_a_whole_answer_has_a_clouds_words_before_it_is_sent():
    """A failure has its own words."""
    exchange = asked(Sheet())
    assert b"ab" == exchange.worded(b"ab")
    exchange.framing = Rewording(loud)
    assert b"AB" == exchange.worded(b"ab")
    with pytest.raises(Fault):
        exchange.worded(b"no")
    sheet = Sheet()
    exchange = asked(sheet)
    exchange.framing = Rewording(loud)
    exchange.fail(Fault(Kind.INVALID_VALUE, "not so"))
    assert b"not so" in sheet.sent


def test_a_stream_has_a_clouds_head_and_words():
    """A piece that says nothing there is no chunk, which would end the body."""
    sheet = Sheet()
    exchange = asked(sheet)
    piece = b'event: ping\ndata: {"type":"ping"}\n'
    assert piece == exchange.framed(piece)
    exchange.framing = InvokeFraming(lambda: 1.0, 0.5)
    exchange.begin(200, b"text/event-stream")
    exchange.write(exchange.framed(piece))
    exchange.write(exchange.framed(b": alive\n\n"))
    exchange.finish(exchange.framed(b'data: {"type":"ping"}\n\n'))
    head, _, body = sheet.sent.partition(b"\r\n\r\n")
    assert b"content-type: application/vnd.amazon.eventstream\r\n" in head
    assert b"x-amzn-bedrock-content-type: application/json" in head
    assert 2 == body.count(b":event-type")
    assert 1 == body.count(b"0\r\n\r\n")


@pytest.mark.parametrize("repeated", [False, True])
def test_headers_are_replaced_and_those_that_came_are_left_alone(repeated):
    """A connection remembers them for its next request."""
    came = {b"a": b"2", b"b": b"3"}
    lines = [(b"a", b"1"), (b"a", b"2"), (b"b", b"3")] if repeated else None
    exchange = asked(headers=came, repeated=lines)
    exchange.replace_headers({b"a": b"4", b"c": b"5"})
    assert {b"a": b"4", b"b": b"3", b"c": b"5"} == exchange.headers
    assert [[b"4"], [b"3"], [b"5"]] == [exchange.values(name) for name in (b"a", b"b", b"c")]
    assert {b"a": b"2", b"b": b"3"} == came
