"""Before a well-formed key is refused, the keys are looked at again; meanwhile nothing is taken in."""

import asyncio
from hashlib import sha256

import pytest

from edge.wires import EchoHost, serving, wire
from gateway import Gateway
from scripted_upstream import Double, Send, sized
from trivium.edge.key_recheck import UnknownKey, is_well_formed
from trivium.edge.limits import ServerLimits
from trivium.faults import Fault, Kind
from trivium.identity import keys

GOOD = keys.issue(lambda n: bytes([9] * n))
OK = [Send(sized(b'{"object":"chat.completion","choices":[]}'))]
WELL_FORMED = {
    GOOD.encode(): True,
    GOOD[:-1].encode(): False,
    GOOD.encode() + b"0": False,
    GOOD[:20].encode() + b"!" + GOOD[21:].encode(): False,
    GOOD[:-1].encode() + (b"0" if GOOD[-1] != "0" else b"1"): False,
    b"\xe9" * len(GOOD): False,
    b"sk-proj-something": False,
    b"": False,
    None: False,
}


@pytest.mark.parametrize(("presented", "expected"), WELL_FORMED.items(), ids=range(9))
def test_a_key_is_ours_by_its_checksum(presented, expected):
    """A typing error costs no look, nor does another vendor's key."""
    assert expected is is_well_formed(presented)


class DoubtingHost(EchoHost):
    """Knows no key until it has looked, and then whatever it is told to."""

    def __init__(self, *, knows=True, limits=None, reads=True):
        super().__init__(limits)
        self.reads = reads
        self.refuse = None if knows else Fault(Kind.KEY_UNKNOWN, "The key is not valid.")
        self.gate = asyncio.Event()
        self.looks = 0

    def head(self, exchange):
        super().head(exchange)
        return UnknownKey() if exchange.path.startswith(b"/new") else None

    async def find_key(self, exchange):
        self.looks += 1
        await self.gate.wait()
        return self.reads


def post(body, *extra, path=b"/new"):
    lines = [b"POST %b HTTP/1.1" % path, b"Host: x", b"Content-Length: %d" % len(body), *extra]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


@pytest.mark.parametrize("knows", [True, False])
@pytest.mark.asyncio
async def test_a_request_waits_for_the_look_and_goes_on_as_it_says(knows):
    """Served like any other, or refused; the connection is kept either way."""
    host = DoubtingHost(knows=knows)
    async with serving(host) as port, wire(port) as line:
        for count in (1, 2):
            host.gate.clear()
            # another head: one that was seen before is known by it
            await line.send(post(b"abc", path=b"/new%d" % count))
            while host.looks < count:
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.02)
            assert (count - 1 if knows else 0) == len(host.seen)
            host.gate.set()
            status, _, body = await line.answer()
            assert (200 if knows else 401) == status
            assert not knows or b"/new%d abc" % count == body


@pytest.mark.parametrize("knows", [True, False])
@pytest.mark.asyncio
async def test_answers_keep_their_order(knows):
    """What is pipelined around it waits for its turn."""
    host = DoubtingHost(knows=knows)
    async with serving(host) as port, wire(port) as line:
        await line.send(post(b"1", path=b"/a") + post(b"2") + post(b"3", path=b"/b") + post(b"4"))
        assert b"/a 1" == (await line.answer())[2]
        host.gate.set()
        statuses = [(await line.answer())[0] for _ in range(3)]
        assert ([200, 200, 200] if knows else [401, 200, 401]) == statuses


@pytest.mark.asyncio
async def test_a_large_body_is_not_taken_in_before_the_key_is_known():
    """However well the key is made up: the sender is not read from meanwhile, and cut off then."""
    host = DoubtingHost(knows=False, limits=ServerLimits(linger_s=0.1))
    size = 30_000_000
    async with serving(host) as port, wire(port) as line:
        await line.send(post(b"", path=b"/new").replace(b"Length: 0", b"Length: %d" % size))
        sending = asyncio.create_task(line.send(b"a" * size))
        while not host.looks:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.05)
        (connection,) = host.connections
        assert connection._reader.body.size < 1_000_000
        host.gate.set()
        assert 401 == (await line.answer())[0]
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
    assert [] == host.seen


@pytest.mark.asyncio
async def test_a_large_body_of_a_new_key_arrives_whole():
    """Reading goes on where it was left."""
    host = DoubtingHost()
    body = b"a" * 3_000_000
    async with serving(host) as port, wire(port) as line:
        sending = asyncio.create_task(line.send(post(body)))
        await asyncio.sleep(0.05)
        host.gate.set()
        assert b"/new " + body == (await line.answer())[2]
        await sending


@pytest.mark.parametrize("knows", [True, False])
@pytest.mark.asyncio
async def test_who_waits_for_100_continue_is_told_after_the_look(knows):
    """And only if the body is wanted."""
    host = DoubtingHost(knows=knows)
    head = b"POST /new HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\nExpect: 100-continue\r\n\r\n"
    async with serving(host) as port, wire(port) as line:
        await line.send(head)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(line.reader.readexactly(1), 0.05)
        host.gate.set()
        if not knows:
            assert 401 == (await line.answer())[0]
            assert await line.ended()
            return
        assert b"HTTP/1.1 100 Continue\r\n\r\n" == await line.reader.readexactly(25)
        await line.send(b"a" * 90_000)
        assert 200 == (await line.answer())[0]


@pytest.mark.asyncio
async def test_a_caller_that_leaves_meanwhile_leaves_nothing_behind():
    """The look is others' as well and goes on; its request is gone."""
    host = DoubtingHost()
    async with serving(host) as port:
        async with wire(port) as line:
            await line.send(post(b"abc"))
            while not host.looks:
                await asyncio.sleep(0.001)
        for connection in list(host.connections):
            connection.cut()
        while host.connections:
            await asyncio.sleep(0.001)
        host.gate.set()
        await asyncio.sleep(0.02)
    assert [] == host.seen


@pytest.mark.asyncio
async def test_a_body_that_is_wrong_is_refused_for_that_at_once():
    """The look that is under way changes nothing about it."""
    host = DoubtingHost(limits=ServerLimits(linger_s=0.1, body_bytes_max=10))
    async with serving(host) as port, wire(port) as line:
        await line.send(post(b"a" * 11))
        assert 413 == (await line.answer())[0]
        host.gate.set()
        assert await line.ended()
    assert [] == host.seen


@pytest.mark.asyncio
async def test_only_a_key_that_may_be_a_new_one_costs_a_look():
    """The worker's own table answers for all others, those that are disabled among them."""
    looks = []
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        known = {sha256(gateway.key.encode()).digest(): gateway.caller}

        async def look(_):
            looks.append(1)
            known[sha256(GOOD.encode()).digest()] = gateway.caller
            return True

        gateway.listener.open(gateway.services, known.get, look)
        body = b'{"model":"m","messages":[{"role":"user","content":"Hi"}]}'

        async def asked(key):
            raw = gateway.head(
                "/v1/chat/completions", body, f"Authorization: Bearer {key}", key=False
            )
            return (await gateway.send(raw))[0], len(looks)

        assert (200, 0) == await asked(gateway.key)
        assert (401, 0) == await asked(GOOD[:-1] + "!")
        assert (401, 0) == await asked("sk-proj-something")
        assert (200, 1) == await asked(GOOD)
        assert (200, 1) == await asked(GOOD)
        assert (401, 2) == await asked(keys.issue(lambda n: bytes([8] * n)))


@pytest.mark.asyncio
async def test_a_key_that_cannot_be_read_is_not_called_wrong():
    """There is one, and the database is away: 503, which clients try again. One whose head was seen
    before and that is not in memory any more is looked for as well.
    """
    callers, finds = {}, []
    async with Double([OK] * 2) as vendor, Gateway.to(("openai", vendor)) as gateway:

        async def find(digest):
            finds.append(digest)
            if len(finds) != 2:
                return False
            callers[digest] = gateway.caller
            return True

        gateway.listener.open(gateway.services, callers.get, find)
        body = b'{"model":"m","messages":[{"role":"user","content":"Hi"}]}'
        raw = gateway.head("/v1/chat/completions", body, f"Authorization: Bearer {GOOD}", key=False)
        async with wire(gateway.port) as line:
            for status, found, forget in (
                (503, 1, False),
                (200, 2, False),
                (200, 2, True),
                (503, 3, False),
            ):
                await line.send(raw)
                answered, _, said = await line.answer()
                assert (status, found) == (answered, len(finds))
                assert (status == 200) or b"cannot be looked up at the moment" in said
                if forget:
                    callers.clear()
    assert {sha256(GOOD.encode()).digest()} == set(finds)
