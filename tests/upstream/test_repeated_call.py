"""Calls that are made once more where the vendor refuses the credential: signed ones as well."""

import asyncio
from email.utils import formatdate

import pytest
from tests.scripted_upstream import Close, Double, Recorder, Send, Wait, sized
from tests.upstream.lately import Digest, channel, request, signing, until

from trivium.clock import FixedClock
from trivium.faults import Kind
from trivium.providers.credential import Finder, FoundSecret, Refusals, Remedy
from trivium.secret import Secret
from trivium.upstream import repeated_call
from trivium.upstream.held_body import PIECE_BYTES, HeldBody

OK = [Send(sized(b"{}"))]
NOW = 1_790_000_000.0


def refused(body=b"expired", date=NOW):
    head = f"X-Why: {body.decode()}\r\nDate: {formatdate(date, usegmt=True)}\r\n".encode()
    return [Send(sized(body, status=b"403 Forbidden", headers=head))]


REMEDIES = {b"expired": Remedy.RENEW, b"skewed": Remedy.CLOCK}


def remedy(status, headers, body):
    """By the body, and the header has to say the same."""
    assert headers["x-why"].encode() == body or len(body) > 100
    return REMEDIES.get(body, Remedy.NONE)


class Library:
    """Finds keys that are numbered."""

    def __init__(self):
        self.calls = 0

    def find(self, parts, around):
        self.calls += 1
        return FoundSecret(parts={"secret": f"s-{self.calls}"}, life_s=3600, source="a test")


def signed(vendor, library=None, **more):
    """A channel that signs, by what a library finds or by its own parts."""
    kind = signing(
        parts=(),
        optional=("secret",),
        finder=None if library is None else Finder(find=library.find),
        refusals=Refusals(statuses=frozenset({403}), remedy=remedy),
    )
    return channel(vendor, kind, credentials=(), parts={"region": Secret("eu")}, **more)


async def call(client, made):
    sink = Recorder()
    await client.open(made, sink)
    return await sink.end()


def sent(vendor, name):
    return [dict(seen.headers)[name] for seen in vendor.requests]


@pytest.mark.asyncio
@pytest.mark.parametrize("body", [b"{}", b"", HeldBody(b"b" * (PIECE_BYTES + 1))])
async def test_a_refused_signature_is_made_of_what_is_found_anew(client, body):
    """The caller's sink never knows, and the body goes out again whole."""
    library = Library()
    async with Double([refused(), OK]) as vendor:
        sink = await call(client, request(signed(vendor, library), body))
    assert (200, b"{}", ["head", "data", "done"]) == (sink.status, sink.body, sink.log)
    assert [b"region=eu,secret=s-1", b"region=eu,secret=s-2"] == sent(vendor, b"x-parts")
    assert vendor.requests[0].body == vendor.requests[1].body
    assert sent(vendor, b"x-digest")[0] == sent(vendor, b"x-digest")[1]
    assert 1 == vendor.connections


@pytest.mark.asyncio
async def test_what_was_found_is_signed_with_at_once(client):
    """As parts that are given: no task, no waiting."""
    library = Library()
    async with Double([OK]) as vendor:
        to = signed(vendor, library)
        await call(client, request(to))
        sink = Recorder()
        assert client.open_now(request(to), sink) is not None
        await sink.end()
    assert (1, [b"region=eu,secret=s-1"] * 2) == (library.calls, sent(vendor, b"x-parts"))


@pytest.mark.asyncio
async def test_a_second_refusal_is_the_answer(client):
    """With its body; and what was found lately is not looked for again."""
    library = Library()
    async with Double([refused()]) as vendor:
        to = signed(vendor, library)
        first, second = await call(client, request(to)), await call(client, request(to))
    assert [(403, b"expired")] * 2 == [(one.status, one.body) for one in (first, second)]
    assert (2, 3) == (library.calls, len(vendor.requests))


@pytest.mark.asyncio
async def test_given_parts_cannot_be_renewed(client):
    """The refusal is the answer at once."""
    async with Double([refused()]) as vendor:
        sink = await call(client, request(signed(vendor)))
    assert (403, b"expired", 1) == (sink.status, sink.body, len(vendor.requests))


@pytest.mark.asyncio
@pytest.mark.parametrize("body", [b"denied", b"d" * (repeated_call.REFUSAL_BYTES_MAX + 9)])
async def test_what_is_no_matter_of_age_is_the_answer(client, body):
    """Whole, also one that is too large to be held."""
    library = Library()
    head = b"X-Why: denied\r\n"
    once = [Send(sized(body, status=b"403 Forbidden", headers=head))]
    async with Double([once]) as vendor:
        sink = await call(client, request(signed(vendor, library)))
    assert (403, body, "done") == (sink.status, sink.body, sink.log[-1])
    assert (1, 1) == (library.calls, len(vendor.requests))


@pytest.mark.asyncio
async def test_a_refusal_that_breaks_off_counts_by_what_came(client):
    """A vendor that hangs up after its head is no reason to fail."""
    head = b"HTTP/1.1 403 Forbidden\r\nX-Why: expired\r\nContent-Length: 9\r\n\r\nexpired"
    async with Double([[Send(head), Close()], OK]) as vendor:
        sink = await call(client, request(signed(vendor, Library())))
    assert (200, 2) == (sink.status, len(vendor.requests))


@pytest.mark.asyncio
async def test_a_clock_that_is_apart_is_set_by_the_vendors(make_client):
    """Kept for the host; set again when it moves on."""
    clock = FixedClock(NOW)
    client = make_client(clock=clock)
    async with Double([refused(b"skewed", NOW + 3600), OK, OK, refused(b"skewed", NOW), OK]) as v:
        to = signed(v)
        for _ in range(3):
            assert 200 == (await call(client, request(to))).status
    at = [NOW, NOW + 3600, NOW + 3600, NOW + 3600, NOW]
    assert [str(one).encode() for one in at] == sent(v, b"x-at")


@pytest.mark.asyncio
@pytest.mark.parametrize("date", ["Sat, 28 Nov 2026", "never", "Mon, 01 Jan 99999 00:00:00 GMT"])
async def test_a_date_that_is_none_sets_no_clock(make_client, date):
    """Nor does one that is close; what can be found anew is."""
    head = f"X-Why: skewed\r\nDate: {date}\r\n".encode()
    odd = [Send(sized(b"skewed", status=b"403 Forbidden", headers=head))]
    library = Library()
    async with Double([odd, OK]) as vendor:
        client = make_client(clock=FixedClock(NOW))
        made = request(signed(vendor, library))
        assert 200 == (await call(client, made)).status
    assert ([str(NOW).encode()] * 2, 2) == (sent(vendor, b"x-at"), library.calls)


@pytest.mark.asyncio
async def test_where_nothing_else_is_found_the_call_breaks(client):
    """With the fault of who looked."""

    class Lost(Library):
        def find(self, parts, around):
            if self.calls:
                raise ConnectionError("gone")
            return super().find(parts, around)

    async with Double([refused()]) as vendor:
        sink = await call(client, request(signed(vendor, Lost())))
    assert (["broke"], Kind.UPSTREAM_UNREACHABLE) == (sink.log, sink.fault.kind)


@pytest.mark.asyncio
async def test_a_caller_who_leaves_ends_it(client):
    """While the refusal comes, and nothing is found or sent after it."""
    library = Library()
    slow = [Send(b"HTTP/1.1 403 No\r\nX-Why: expired\r\nContent-Length: 7\r\n\r\n"), Wait(0.1),
            Send(b"expired")]  # fmt: skip
    async with Double([slow, OK]) as vendor:
        sink = Recorder()
        running = await client.open(request(signed(vendor, library)), sink)
        await until(lambda: len(vendor.requests) == 1)
        await asyncio.sleep(0.03)
        running.abort()
        await asyncio.sleep(0.2)
    assert ([], 1, 1) == (sink.log, library.calls, len(vendor.requests))


@pytest.mark.asyncio
@pytest.mark.parametrize("failing", ["remedy", "signature"])
async def test_a_providers_code_that_fails_leaves_the_refusal(client, failing):
    """Nobody waits for ever: what the vendor said is the answer."""
    begun = []

    def begin(parts, unsigned):
        begun.append(unsigned)
        if failing == "signature" and len(begun) > 1:
            raise TypeError("a mistake")
        return Digest(parts, unsigned)

    def mistaken(*_):
        raise TypeError("a mistake")

    asked = mistaken if failing == "remedy" else remedy
    refusals = Refusals(statuses=frozenset({403}), remedy=asked)
    library = Library()
    kind = signing(
        begin, parts=(), optional=("secret",), finder=Finder(find=library.find), refusals=refusals
    )
    async with Double([refused(), OK]) as vendor:
        to = channel(vendor, kind, credentials=(), parts={"region": Secret("eu")})
        async with asyncio.timeout(10):
            sink = await call(client, request(to))
    assert (403, b"expired", ["head", "data", "done"]) == (sink.status, sink.body, sink.log)
    assert 1 == len(vendor.requests)
