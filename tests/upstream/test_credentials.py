"""Credentials that are put in when a request goes out: signatures, and tokens of that moment."""

import asyncio
from hashlib import sha256

import pytest
from tests.scripted_upstream import Close, Double, Recorder, Send, Stall, Wait, sized
from tests.upstream.lately import Digest, channel, renewed, request, signing, until

from trivium.clock import FixedClock
from trivium.faults import Fault, Kind
from trivium.providers.credential import Finder, FoundSecret, Renewed, Static
from trivium.secret import Secret
from trivium.upstream.credentials import TokenHead
from trivium.upstream.held_body import PIECE_BYTES, HeldBody
from trivium.upstream.request_writer import Composer
from trivium.upstream.tokens import VendorTokens

OK = [Send(sized(b"{}"))]
REFUSED = [Send(sized(b"no", status=b"401 Unauthorized"))]


async def call(client, made, sink=None):
    """One call to its end; what the sink saw."""
    sink = sink or Recorder()
    await client.open(made, sink)
    return await sink.end()


def seen(double, at=-1):
    """The headers of a request that a double had."""
    return dict(double.requests[at].headers)


@pytest.mark.asyncio
async def test_a_signature_is_of_all_that_is_sent(make_client):
    """Method, path, query, host, headers, body and time; every part of the secret at hand."""
    client = make_client(clock=FixedClock(1_000.0))
    async with Double([OK]) as vendor:
        to = channel(vendor, signing(parts=("api_key", "key_id")), parts={"key_id": Secret("k")})
        await call(client, request(to, b'{"a":1}', credential=1, forwarded=[(b"x-beta", b"b")]))
    got = seen(vendor)
    assert b"POST /v1/chat?v=1 HTTP/1.1" == vendor.requests[0].line
    assert {
        b"x-at": b"1000.0",
        b"x-of": b"POST /v1/chat?v=1 127.0.0.1:%d" % vendor.port,
        b"x-parts": b"api_key=sk-two,key_id=k",
        b"x-digest": sha256(b'{"a":1}').hexdigest().encode(),
        b"x-seen": b"accept,accept-encoding,content-length,content-type,host,user-agent,x-beta",
    } == {name: got[name] for name in (b"x-at", b"x-of", b"x-parts", b"x-digest", b"x-seen")}
    assert b'{"a":1}' == vendor.requests[0].body


@pytest.mark.asyncio
async def test_each_attempt_is_signed_anew(make_client):
    """The head that is kept ready holds no signature."""
    clock = FixedClock(1.0)
    client, composer = make_client(clock=clock), Composer()
    async with Double([OK]) as vendor:
        to = channel(vendor, signing())
        for _ in range(2):
            await call(client, request(to, composer=composer))
            clock.advance(5)
    assert [b"1.0", b"6.0"] == [seen(vendor, at)[b"x-at"] for at in (0, 1)]
    assert 1 == vendor.connections


@pytest.mark.asyncio
async def test_a_large_body_is_read_in_pieces_by_the_signature(make_client):
    """Others have their turn between two; it goes out in pieces all the same."""
    client, data = make_client(), b"a" * (2 * PIECE_BYTES + 1)
    async with Double([OK]) as vendor:
        made = request(channel(vendor, signing()), HeldBody(data))
        assert client.open_now(made, Recorder()) is None
        turns = 0

        async def count():
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        counting = asyncio.create_task(count())
        await call(client, made)
        counting.cancel()
    got = seen(vendor)
    assert (b"3", sha256(data).hexdigest().encode()) == (got[b"x-pieces"], got[b"x-digest"])
    assert (data, True) == (vendor.requests[0].body, turns >= 3)


@pytest.mark.asyncio
async def test_a_connection_that_is_idle_is_used_at_once(client):
    """A small body's signature waits for nothing."""
    async with Double([OK]) as vendor:
        to = channel(vendor, signing())
        assert client.open_now(request(to), Recorder()) is None
        await call(client, request(to))
        sink = Recorder()
        assert client.open_now(request(to), sink) is not None
        await sink.end()
    assert 200 == sink.status


@pytest.mark.asyncio
async def test_who_decides_a_signed_header(client):
    """The operator over the signature, the signature over the caller."""
    async with Double([OK]) as vendor:
        to = channel(vendor, signing(), headers={"X-Digest": "mine"})
        await call(client, request(to, forwarded=[(b"x-of", b"theirs"), (b"authorization", b"t")]))
    names = [name for name, _ in vendor.requests[0].headers]
    assert (b"mine", 1, 1) == (
        seen(vendor)[b"x-digest"], names.count(b"x-digest"), names.count(b"x-of"),
    )  # fmt: skip
    assert b"theirs" not in vendor.requests[0].raw
    assert b"authorization" not in names


def _refuses(*_):
    raise ValueError("the region is missing")


class _Frames(Digest):
    def headers(self):
        return {"Content-Length": "9"}


class _Breaks(Digest):
    def headers(self):
        return {"x-digest": "a\r\nx-evil: 1"}


@pytest.mark.asyncio
@pytest.mark.parametrize("begin", [_refuses, _Frames, _Breaks])
async def test_a_credential_that_cannot_be_written_is_the_channels_fault(client, begin):
    """Another channel may answer; nothing is sent to this one."""
    async with Double([OK]) as vendor:
        with pytest.raises(Fault) as caught:
            await call(client, request(channel(vendor, signing(begin))))
    assert (Kind.UPSTREAM_CREDENTIAL, []) == (caught.value.kind, vendor.requests)
    assert caught.value.row.fallback


def test_an_engine_that_is_given_no_secret_gets_no_signature():
    """Its address is the operator's own."""
    vendor = Double()
    vendor.port = 80
    found = Composer().compose(
        channel(vendor, signing(), credentials=()),
        0,
        next(iter(channel(vendor, None).provider.paths)),
        "m",
        b"{}",
    )
    assert (None, True) == (found.draft, found.payload.startswith(b"POST /v1/chat?v=1 "))


@pytest.mark.asyncio
async def test_a_token_is_fetched_once_and_carried(make_client):
    """In the header that the kind names; the next request waits for nothing."""
    client = make_client(clock=FixedClock(7.0))
    async with Double([[Send(sized(b"tok-1"))]]) as service, Double([OK]) as vendor:
        to = channel(vendor, renewed(service, header=Static("x-token", "T ")))
        await call(client, request(to))
        sink = Recorder()
        assert client.open_now(request(to), sink) is not None
        await sink.end()
    assert [b"T tok-1"] * 2 == [seen(vendor, at)[b"x-token"] for at in (0, 1)]
    (asked,) = service.requests
    assert (b"POST /token?at=7 HTTP/1.1", b"sk-one") == (asked.line, asked.body)


@pytest.mark.asyncio
async def test_a_refused_token_is_renewed_once(client):
    """The caller's sink never knows; a body that is held in pieces is sent again, too."""
    tokens = [[Send(sized(b"tok-1"))], [Send(sized(b"tok-2"))]]
    for body in (b'{"a":1}', HeldBody(b"b" * (PIECE_BYTES + 1))):
        async with Double(tokens) as service, Double([REFUSED, OK]) as vendor:
            sink = await call(client, request(channel(vendor, renewed(service)), body))
        assert (200, b"{}", ["head", "data", "done"]) == (sink.status, sink.body, sink.log)
        assert [b"Bearer tok-1", b"Bearer tok-2"] == [
            seen(vendor, at)[b"authorization"] for at in (0, 1)
        ]
        assert vendor.requests[0].body == vendor.requests[1].body


@pytest.mark.asyncio
async def test_a_second_refusal_is_the_vendors_answer(client):
    """And while it goes on, the token service is left alone."""
    tokens = [[Send(sized(b"tok-%d" % number))] for number in range(9)]
    async with Double(tokens) as service, Double([REFUSED]) as vendor:
        to = channel(vendor, renewed(service))
        first = await call(client, request(to))
        second = await call(client, request(to))
    assert (401, 401, b"no") == (first.status, second.status, first.body)
    assert (2, 3) == (len(service.requests), len(vendor.requests))


@pytest.mark.asyncio
async def test_where_no_other_token_can_be_had_the_call_breaks(client):
    """With the fault of the token service."""
    tokens = [[Send(sized(b"tok-1"))], [Send(sized(b"", status=b"503 No"))]]
    async with Double(tokens) as service, Double([REFUSED]) as vendor:
        sink = await call(client, request(channel(vendor, renewed(service))))
    assert (["broke"], Kind.UPSTREAM_OVERLOADED) == (sink.log, sink.fault.kind)


@pytest.mark.asyncio
async def test_a_caller_who_leaves_ends_the_second_call_too(client):
    """Whether the token is waited for or the answer."""
    tokens = [[Send(sized(b"tok-1"))], [Wait(0.05), Send(sized(b"tok-2"))]]
    async with Double(tokens) as service, Double([REFUSED, [Stall()]]) as vendor:
        sink = Recorder()
        running = await client.open(request(channel(vendor, renewed(service))), sink)
        await until(lambda: len(service.requests) == 2)
        running.pause()
        running.abort()
        await asyncio.sleep(0.15)
        assert ([], 1) == (sink.log, len(vendor.requests))


@pytest.mark.asyncio
async def test_a_caller_who_is_slow_pauses_the_second_call(client):
    """What it said before the token came holds for the answer."""
    tokens = [[Send(sized(b"tok-1"))], [Wait(0.05), Send(sized(b"tok-2"))]]
    async with Double(tokens) as service, Double([REFUSED, OK]) as vendor:
        sink = Recorder()
        running = await client.open(request(channel(vendor, renewed(service))), sink)
        await until(lambda: len(service.requests) == 2)
        running.pause()
        await until(lambda: len(vendor.requests) == 2)
        await asyncio.sleep(0.05)
        held = list(sink.log)
        running.resume()
        await sink.end()
    assert ([], ["head", "data", "done"]) == (held, sink.log)


@pytest.mark.asyncio
async def test_a_broken_answer_is_told_once(client):
    """The call that carries a token hands on what any other would."""
    cut = [Send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), Close()]
    async with Double([[Send(sized(b"tok-1"))]]) as service, Double([cut]) as vendor:
        sink = await call(client, request(channel(vendor, renewed(service))))
    assert (["head", "data", "broke"], Kind.UPSTREAM_BROKE) == (sink.log, sink.fault.kind)


@pytest.mark.asyncio
async def test_a_token_is_written_into_a_head_once(client):
    """Requests that have it in common differ in their length and their body alone."""
    tokens = [[Send(sized(b"tok-1"))], [Send(sized(b"tok-2"))]]
    async with Double(tokens) as service, Double([OK]) as vendor:
        to, composer = channel(vendor, renewed(service)), Composer()
        bodies = [b"{}", b"", b"x" * 1000, HeldBody(b"b" * (PIECE_BYTES + 1)), b"{}"]
        for at, body in enumerate(bodies):
            if at == 4:
                client._credentials()._tokens.close()
            await call(client, request(to, body, composer=composer))
        await call(client, request(to, composer=composer, forwarded=[(b"x-beta", b"b")]))
    assert [b"Bearer tok-1"] * 4 + [b"Bearer tok-2"] * 2 == [
        dict(each.headers)[b"authorization"] for each in vendor.requests
    ]
    assert [0 if not body else body.size if isinstance(body, HeldBody) else len(body)
            for body in bodies] == [len(each.body) for each in vendor.requests[:5]]  # fmt: skip
    whole = [each.raw.partition(b"content-length")[0] for each in vendor.requests]
    assert whole[0] == whole[1] == whole[2]
    assert b"x-beta: b\r\n" in whole[5]


def test_a_token_that_stays_is_not_written_again():
    """The start of a head is the same object until another is found."""
    vendor = Double()
    vendor.port = 80
    kind = Renewed(finder=Finder(find=lambda *_: None))
    made = request(channel(vendor, kind))
    late = TokenHead(made.draft.head, VendorTokens(None, FixedClock()), kind)
    one, two = (FoundSecret(parts={"token": t}, life_s=9.0, source="here") for t in ("a", "b"))
    start = late.start(one)
    assert start is late.start(one)
    assert start.replace(b"Bearer a", b"Bearer b") == late.start(two)
    with pytest.raises(ValueError, match="found no token"):
        late.start(FoundSecret(parts={}, life_s=9.0, source="here"))
    assert start == late.start(one)
