"""What signed requests of one head have in common is worked out once, and changes nothing."""

from email.utils import formatdate
from hashlib import sha256

import pytest
from tests.scripted_upstream import Double, Recorder, Send, sized
from tests.upstream.lately import Digest, channel, request, signing

from trivium.clock import FixedClock
from trivium.faults import Fault, Kind
from trivium.providers.credential import Finder, FoundSecret
from trivium.secret import Secret
from trivium.upstream import credentials as credentials_module
from trivium.upstream.request_writer import CALLERS_BYTES_MAX, Composer
from trivium.upstream.signing import VendorClocks

OK = [Send(sized(b"{}"))]


class Prepared:
    """Signs as ``Digest`` does, what it can beforehand."""

    made = 0

    def __init__(self, parts, unsigned):
        type(self).made += 1
        self.parts, self.unsigned = parts, unsigned

    def sign(self, body, at):
        found = Digest(self.parts, self.unsigned)
        found.update(body)
        said = found.headers() | {"X-At": str(at)}
        digest = said.pop("x-digest")
        return said | {"x-digest": digest[:9]}, digest[9:]


class _Frames(Prepared):
    def sign(self, body, at):
        return {"Content-Length": "9"}, ""


class _Breaks(Prepared):
    def sign(self, body, at):
        return {"x-digest": "a\r\nx-evil: 1"}, ""


class _EndsBadly(Prepared):
    def sign(self, body, at):
        return {"x-digest": "a"}, "b\r\nx-evil: 1"


class _Misnames(Prepared):
    def sign(self, body, at):
        return {"x digest": "a"}, ""


def _refuses(*_):
    raise ValueError("the region is missing")


@pytest.fixture
def prepared():
    """A class of its own, which counts how often it was made."""
    return type("Counted", (Prepared,), {"made": 0})


async def call(client, made):
    sink = Recorder()
    await client.open(made, sink)
    return await sink.end()


def seen(vendor, at=-1):
    return dict(vendor.requests[at].headers)


@pytest.mark.asyncio
async def test_a_prepared_signature_is_what_each_request_would_have(make_client, prepared):
    """Head, body and time of two requests, and of two that are signed one by one."""
    clock, composer = FixedClock(1.0), Composer()
    client = make_client(clock=clock)
    async with Double([OK]) as vendor:
        kinds = signing(), signing(prepare=prepared)
        both = [channel(vendor, kind) for kind in kinds]
        for body in (b'{"a":1}', b"", b"x" * 1000):
            for to in both:
                await call(client, request(to, body, composer=composer))
            clock.advance(5)
        for one, other in zip(vendor.requests[::2], vendor.requests[1::2], strict=True):
            assert (one.line, one.body) == (other.line, other.body)
            assert sha256(one.body).hexdigest().encode() == dict(other.headers)[b"x-digest"]
            left, right = dict(one.headers), dict(other.headers)
            left[b"x-seen"] = left[b"x-seen"].replace(b"content-length,", b"")
            left.pop(b"x-pieces"), right.pop(b"x-pieces")  # an empty body is one piece or none
            assert left == right
            assert len(one.headers) == len(other.headers)
    assert 1 == prepared.made


@pytest.mark.asyncio
async def test_what_a_caller_adds_is_signed_and_shared_with_the_next_who_adds_the_same(
    client, prepared
):
    """Client libraries send the same with each request; a long value is not kept."""
    async with Double([OK]) as vendor:
        to, composer = channel(vendor, signing(prepare=prepared)), Composer()
        made = []
        for value in (b"b", b"b", b"c", b"b", b"b" * CALLERS_BYTES_MAX, b"b" * CALLERS_BYTES_MAX):
            await call(client, request(to, composer=composer, forwarded=[(b"x-beta", value)]))
            made.append(prepared.made)
            assert (value, True) == (seen(vendor)[b"x-beta"], b"x-beta" in seen(vendor)[b"x-seen"])
        assert [1, 1, 2, 2, 2, 2] == made
        await call(client, request(to, composer=composer, forwarded=[(b"x-other", b"b")]))
    assert (3, False) == (prepared.made, b"x-other" in seen(vendor))


@pytest.mark.asyncio
async def test_the_operators_header_stands_over_the_prepared_ones(client, prepared):
    async with Double([OK]) as vendor:
        to = channel(vendor, signing(prepare=prepared), headers={"X-Digest": "mine"})
        await call(client, request(to))
    names = [name for name, _ in vendor.requests[0].headers]
    assert (b"mine", 1) == (seen(vendor)[b"x-digest"], names.count(b"x-digest"))


@pytest.mark.asyncio
@pytest.mark.parametrize("prepare", [_refuses, _Frames, _Breaks, _EndsBadly, _Misnames])
async def test_what_cannot_be_written_is_the_channels_fault(client, prepare):
    """Nothing is sent, the first time and the next."""
    composer = Composer()
    async with Double([OK]) as vendor:
        to = channel(vendor, signing(prepare=prepare))
        for _ in range(2):
            with pytest.raises(Fault) as caught:
                await call(client, request(to, composer=composer))
            assert Kind.UPSTREAM_CREDENTIAL is caught.value.kind
    assert [] == vendor.requests


@pytest.mark.asyncio
async def test_a_secret_that_was_found_anew_signs_the_next(make_client, prepared):
    """The signer has the parts of the last one."""
    found = iter(["one", "two"])

    def find(parts, around):
        return FoundSecret(parts={"key_id": next(found)}, life_s=None, source="here")

    client, composer = make_client(), Composer()
    async with Double([OK]) as vendor:
        kind = signing(prepare=prepared, finder=Finder(find=find))
        to = channel(vendor, kind, parts={"region": Secret("r")})
        for _ in range(2):
            await call(client, request(to, composer=composer))
        client._credentials()._tokens.close()
        await call(client, request(to, composer=composer))
    parts = [dict(each.headers)[b"x-parts"] for each in vendor.requests]
    assert [b"one", b"one", b"two"] == [each.split(b"key_id=")[1].split(b",")[0] for each in parts]
    assert 2 == prepared.made


@pytest.mark.asyncio
async def test_what_is_kept_is_bounded(client, prepared, monkeypatch):
    """Channels come and go with the settings."""
    monkeypatch.setattr(credentials_module, "KEPT_MAX", 2)
    async with Double([OK]) as vendor:
        for _ in range(5):
            await call(client, request(channel(vendor, signing(prepare=prepared))))
            assert len(client._credentials()._kept) <= 2
    assert 5 == prepared.made == len(vendor.requests)


def test_of_two_requests_that_a_clock_had_refused_both_are_signed_again():
    """The second is told what is known by then, and was signed before that all the same."""
    clock = FixedClock(1_790_000_000.0)
    clocks = VendorClocks(clock)
    signed_at = clocks.now("host")
    date = formatdate(signed_at + 3600, usegmt=True)
    assert [True, True] == [clocks.set("host", date, signed_at) for _ in range(2)]
    assert signed_at + 3600 == clocks.now("host")
    assert not clocks.set("host", date, clocks.now("host"))
    assert not clocks.set("host", "yesterday", signed_at)
