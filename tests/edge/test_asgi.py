"""An ASGI application answers an exchange as it would a server of its own."""

import asyncio

import pytest

from edge.wires import Sheet, asked
from trivium.edge import asgi
from trivium.pipeline.hand_over import MESSAGE, HandOver

START = {"type": "http.response.start", "status": 200}


async def run(application, sheet=None, **request):
    sheet = sheet or Sheet()
    exchange = asked(sheet, **request)
    exchange.body = request.pop("body", b"")
    await asgi.serve(exchange, application, "https", "192.0.2.1")
    return sheet.sent.partition(b"\r\n\r\n")


def sending(*messages):
    async def application(scope, receive, send):
        for message in messages:
            await send(message)

    return application


@pytest.mark.asyncio
async def test_the_application_sees_the_request():
    """Path decoded and raw, query, every header line, the body, the request id."""
    seen = []

    async def application(scope, receive, send):
        seen.extend([scope, await receive()])
        await send(START)
        await send({"type": "http.response.body"})

    lines = [(b"cookie", b"a=1"), (b"cookie", b"b=2")]
    sheet = Sheet()
    exchange = asked(sheet, target=b"/a%20b/%2F?x=%20", headers=dict(lines), repeated=lines)
    exchange.body = b"hello"
    await asgi.serve(exchange, application, "https", "192.0.2.1")
    scope, message = seen
    assert ("/a b//", b"/a%20b/%2F", b"x=%20") == (
        scope["path"], scope["raw_path"], scope["query_string"],
    )  # fmt: skip
    assert ("http", "POST", "1.1", "https") == tuple(
        scope[name] for name in ("type", "method", "http_version", "scheme")
    )
    assert (lines, ("192.0.2.1", 0), {"request_id": "req_1"}) == (
        scope["headers"], scope["client"], scope["state"],
    )  # fmt: skip
    assert {"type": "http.request", "body": b"hello", "more_body": False} == message


@pytest.mark.asyncio
async def test_a_whole_answer_is_sent_whole():
    """The framing is ours; the application's own headers travel, repeated ones too."""
    headers = [
        (b"content-type", b"text/plain"), (b"content-length", b"999"), (b"connection", b"close"),
        (b"transfer-encoding", b"chunked"), (b"date", b"never"), (b"set-cookie", b"a=1"),
        (b"set-cookie", b"b=2"),
    ]  # fmt: skip
    body = {"type": "http.response.body", "body": b"hi"}
    head, _, sent = await run(sending({**START, "headers": headers}, body))
    lines = head.split(b"\r\n")[1:]
    assert b"hi" == sent
    assert {
        b"content-type: text/plain", b"x-request-id: req_1", b"request-id: req_1", b"date: now",
        b"set-cookie: a=1", b"set-cookie: b=2", b"content-length: 2",
    } == set(lines)  # fmt: skip
    assert len(lines) == len(set(lines))


@pytest.mark.asyncio
async def test_an_answer_in_pieces_is_streamed():
    """Each piece as it comes."""
    pieces = [
        {"type": "http.response.body", "body": b"one", "more_body": True},
        {"type": "http.response.body", "body": b"two", "more_body": True},
        {"type": "http.response.body"},
    ]
    head, _, sent = await run(sending(START, *pieces))
    assert b"transfer-encoding: chunked" in head
    assert b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n" == sent
    assert b"" == (await run(sending(START, *pieces), method="HEAD"))[2]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "messages",
    [[], [START], [START, {"type": "http.response.body", "body": b"a", "more_body": True}]],
    ids=["nothing", "a head", "half a body"],
)
async def test_an_application_that_stops_in_the_middle_has_failed(messages):
    """Whoever serves it decides what the caller gets."""
    with pytest.raises(RuntimeError, match="without a whole answer"):
        await run(sending(*messages))


@pytest.mark.asyncio
async def test_what_an_application_raises_is_not_hidden():
    """Logged and answered by the listener."""

    async def application(scope, receive, send):
        raise LookupError("a bug")

    with pytest.raises(LookupError):
        await run(application)


@pytest.mark.asyncio
async def test_after_the_body_nothing_comes_but_the_callers_leaving():
    """An application that waits for it is cancelled with the exchange's task."""

    async def application(scope, receive, send):
        await receive()
        await receive()

    task = asyncio.ensure_future(run(application))
    await asyncio.sleep(0.01)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.asyncio
async def test_an_answer_in_pieces_is_no_faster_than_its_reader():
    """What has no end must not wait in memory."""
    sheet = Sheet()
    exchange = asked(sheet)
    made = []

    async def application(scope, receive, send):
        await send(START)
        for number in range(5):
            made.append(number)
            exchange.congested = number == 1
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
        await send({"type": "http.response.body"})

    serving = asyncio.create_task(asgi.serve(exchange, application, "https", "192.0.2.1"))
    await asyncio.sleep(5 * asgi.PAUSE_S)
    assert [0, 1] == made
    exchange.congested = False
    await serving
    assert [*range(5)] == made


@pytest.mark.asyncio
async def test_what_is_handed_over_is_not_answered_here():
    """The relay answers it; whatever else the application says is not sent."""
    to = HandOver(b"/v1/messages", b"", b"d" * 32)
    sheet = Sheet()
    handed = await asgi.serve(asked(sheet), sending({"type": MESSAGE, "to": to}), "https", "")
    assert (to, b"") == (handed, bytes(sheet.sent))
    body = {"type": "http.response.body"}
    assert await asgi.serve(asked(Sheet()), sending(START, body), "https", "") is None
