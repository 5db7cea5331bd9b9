"""A head that was parsed before: recognised exactly, and never where anything differs."""

import asyncio
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.wires import CALLER, EchoHost, asked, serving, wire
from trivium.edge.head_cache import HeadCache, cacheable
from trivium.edge.limits import ServerLimits
from trivium.faults import Fault, Kind

HEAD = b"POST /v1/chat/completions?x=1 HTTP/1.1\r\nHost: h\r\nContent-Length: %b\r\nX-Api-Key: k\r\n\r\n"


def exchange_of(body, digest=b"whose", **changes):
    """What the parser makes of ``HEAD`` and a body."""
    headers = {b"host": b"h", b"content-length": b"%d" % len(body), b"x-api-key": b"k"}
    values = {"target": b"/v1/chat/completions?x=1", "headers": headers} | changes
    exchange = asked(**values)
    exchange.body = body
    exchange.digest = digest
    exchange.caller = CALLER
    return exchange


def known(body=b"first", head=HEAD, **changes):
    return cacheable(head % (b"%d" % len(body)) + body, exchange_of(body, **changes))


@given(st.binary(max_size=2000))
def test_the_same_head_with_any_body_is_recognised(body):
    """Path, query and headers are those that were parsed, but for the length."""
    seen = known()
    assert body == seen.body(HEAD % (b"%d" % len(body)) + body)
    assert b"/v1/chat/completions" == seen.path
    assert b"x=1" == seen.query


@pytest.mark.asyncio
async def test_the_headers_have_the_length_of_the_body_that_came():
    """And those of the request before keep theirs."""
    first, host = exchange_of(b"first"), EchoHost()
    heads = HeadCache()
    heads.learn(HEAD % b"5" + b"first", first)
    again = heads.again(first.line, host, HEAD % b"11" + b"longer than")
    assert {b"host": b"h", b"content-length": b"11", b"x-api-key": b"k"} == again.headers
    assert b"5" == first.headers[b"content-length"]


@pytest.mark.asyncio
async def test_a_key_that_was_changed_is_looked_at_in_full():
    """What was found of a head holds for the caller that it was found for, until its time is up."""
    first, host = exchange_of(b"first"), EchoHost()
    heads, data = HeadCache(), HEAD % b"5" + b"again"
    heads.learn(HEAD % b"5" + b"first", first)
    assert CALLER is heads.again(first.line, host, data).caller
    host.caller = msgspec.structs.replace(CALLER, header_only=True)
    assert heads.again(first.line, host, data) is None
    first.caller = host.caller = msgspec.structs.replace(CALLER, expires_at=host.now() + 60)
    heads.learn(HEAD % b"5" + b"first", first)
    assert host.caller is heads.again(first.line, host, data).caller
    host.now = lambda: first.caller.expires_at
    assert heads.again(first.line, host, data) is None


@pytest.mark.parametrize(
    "data",
    [
        HEAD % b"6" + b"first",  # more is to come
        HEAD % b"4" + b"first",  # a byte of the next request
        HEAD % b"5" + b"first" + HEAD % b"5" + b"first",  # two requests
        HEAD % b"+5" + b"first",
        HEAD % b"-5" + b"first",
        HEAD % b" 5" + b"first",
        HEAD % b"5 " + b"first",
        HEAD % b"" + b"first",
        HEAD % b"0x5" + b"first",
        HEAD % b"5, 5" + b"first",
        HEAD % b"5\r\nContent-Length: 5" + b"first",
        HEAD % "\N{ARABIC-INDIC DIGIT FIVE}".encode() + b"first",
        HEAD % b"0000000005" + b"first",
        (HEAD % b"5").replace(b"Host: h", b"Host: g") + b"first",
        (HEAD % b"5").replace(b"X-Api-Key: k", b"X-Api-Key: l") + b"first",
        (HEAD % b"5").replace(b"\r\n\r\n", b"\r\nA: b\r\n\r\n") + b"first",
        (HEAD % b"5").replace(b"\r\n", b"\n") + b"first",
        b"\r\n" + HEAD % b"5" + b"first",
        b"",
    ],
)
def test_anything_else_goes_to_the_parser(data):
    """One byte more, less or other."""
    assert known().body(data) is None


@given(st.data())
def test_a_cut_or_changed_request_is_never_taken_for_another(data):
    """Whatever is recognised ends exactly where its length says, behind exactly that head."""
    whole = HEAD % b"5" + b"first"
    place = data.draw(st.integers(0, len(whole)))
    new = data.draw(st.binary(max_size=3))
    gone = data.draw(st.integers(0, 3))
    mangled = whole[:place] + new + whole[place + gone :]
    body = known().body(mangled)
    if body is not None:
        head = mangled[: len(mangled) - len(body)]
        length = re.fullmatch(re.escape(HEAD).replace(b"%b", rb"(\d+)"), head)
        assert length is not None
        assert int(length[1]) == len(body)


@pytest.mark.parametrize(
    "changes",
    [
        {"method": "PUT"},
        {"digest": None},
        {"http10": True},
        {"keep_alive": False},
        {"repeated": [(b"a", b"1"), (b"a", b"2")]},
        {"headers": {b"host": b"h", b"x-api-key": b"k"}},
        {"headers": {b"content-length": b"5", b"expect": b"100-continue"}},
        {"headers": {b"content-length": b"5", b"transfer-encoding": b"chunked"}},
        {"headers": {b"content-length": b"5", b"upgrade": b"h2c"}},
    ],
    ids=str,
)
def test_odd_requests_are_not_remembered(changes):
    """Their end is more than the end of a body, or their head is read in more than one way."""
    assert known(**changes) is None


@pytest.mark.parametrize(
    "data",
    [
        HEAD % b"5" + b"first" + HEAD % b"5" + b"first",
        HEAD % b"5" + b"first" + b"POST / HT",
        HEAD % b"5" + b"first" + b"\r\n\r\n",
        b"\r\n" + HEAD % b"5" + b"first",
    ],
)
def test_of_a_read_with_more_than_one_request_nothing_is_remembered(data):
    """Where its head ends is then not to be had from the lengths."""
    assert cacheable(data, exchange_of(b"first")) is None


@pytest.mark.parametrize(
    "line",
    [b"Content-Length: %b", b"content-length:%b", b"CONTENT-LENGTH:   %b"],
)
def test_the_length_is_found_however_it_is_written(line):
    """Names in any case, with or without spaces after the colon."""
    head = HEAD.replace(b"Content-Length: %b", line)
    seen = known(head=head)
    assert b"longer than" == seen.body(head % b"11" + b"longer than")


@pytest.mark.parametrize("line", [b"Content-Length: %b ", b"Content-Length:\t%b"])
def test_a_length_with_other_white_space_is_left_to_the_parser(line):
    """Rare, and not worth a rule of its own."""
    assert known(head=HEAD.replace(b"Content-Length: %b", line)) is None


def test_a_length_in_another_header_is_no_length():
    """Only the line whose name it is counts."""
    head = HEAD.replace(b"Host: h", b"Host: h\r\nX-Content-Length: 7")
    seen = known(head=head)
    assert b"abc" == seen.body(head % b"3" + b"abc")
    assert seen.body(head.replace(b"7", b"3") % b"5" + b"first") is None


GET = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"


def post(body, *extra, path=b"/b"):
    """A request as SDKs send it."""
    lines = [b"POST %b HTTP/1.1" % path, b"Host: x", b"Content-Length: %d" % len(body), *extra]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


class SlowHost(EchoHost):
    """Answers in the next turn of the loop, as a host does that asks others first."""

    def dispatch(self, exchange):
        answer = super().dispatch
        asyncio.get_running_loop().call_soon(answer, exchange)


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [1, 7, 10_000], ids="reads of {} bytes".format)
async def test_a_head_that_comes_again_is_answered_as_the_first_was(size):
    """Other bodies, other heads in between, two at once, cut anywhere: each gets its own answer."""
    bodies = [b"one", b"two", b"", b"a longer body than those before", b"two"]
    requests = [post(body) for body in bodies]
    requests[3:3] = [post(b"x", path=b"/z"), GET, post(b"p") + post(b"q"), post(b"c", b"X: 1")]
    host = SlowHost()
    async with serving(host) as port, wire(port) as line:
        bodies_read = []
        for raw in requests:
            for start in range(0, len(raw), size):
                await line.send(raw[start : start + size])
                await asyncio.sleep(0)
            for _ in range(raw.count(b" HTTP/1.1")):
                status, _, body = await line.answer()
                assert 200 == status
                bodies_read.append(body)
    assert [
        b"/b one",
        b"/b two",
        b"/b ",
        b"/z x",
        b"/a ",
        b"/b p",
        b"/b q",
        b"/b c",
        b"/b a longer body than those before",
        b"/b two",
    ] == bodies_read
    assert (host.again > 0) == (size == 10_000)


@pytest.mark.asyncio
async def test_a_head_that_comes_again_is_checked_again():
    """A key may have been revoked since, a limit holds for each body, a drain closes the line."""
    host = SlowHost(ServerLimits(body_bytes_max=10))
    async with serving(host) as port:
        async with wire(port) as line:
            for body in (b"one", b"two"):
                await line.send(post(body))
                assert 200 == (await line.answer())[0]
            host.refuse = Fault(Kind.KEY_UNKNOWN, "No.")
            await line.send(post(b"six"))
            assert 401 == (await line.answer())[0]
            host.refuse = None
            await line.send(post(b"ten"))
            assert 200 == (await line.answer())[0]
            await line.send(post(b"more than ten"))
            assert 413 == (await line.answer())[0]
        async with wire(port) as line:
            await line.send(post(b"one"))
            await line.answer()
            host.draining = True
            await line.send(post(b"two"))
            _, headers, _ = await line.answer()
            assert b"close" == headers[b"connection"]
            assert await line.ended()
