"""What signed requests of one head have in common is worked out once, and changes nothing."""

import itertools
import random
from email.utils import formatdate
from hashlib import sha256

import msgspec
import pytest
from tests.scripted_upstream import Double, Recorder, Send, sized
from tests.sigv4 import theirs
from tests.upstream.lately import LIMITS, Digest, channel, request, signing

from trivium.clock import FixedClock
from trivium.faults import Fault, Kind
from trivium.providers import bedrock
from trivium.providers.credential import Finder, FoundSecret, Unsigned
from trivium.routing.model import Channel
from trivium.secret import Secret
from trivium.upstream import credentials as credentials_module
from trivium.upstream.held_body import HeldBody
from trivium.upstream.request_writer import CALLERS_BYTES_MAX, Composer
from trivium.upstream.signing import VendorClocks
from trivium.wire.operation import Operation

SEED = 20261128
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


REGIONS = ("us-east-1", "cn-north-1")
MODELS = (
    "m", "us.anthropic.claude-sonnet-4-20250514-v1:0", "ä b",
    "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-v1:0",
)  # fmt: skip
BODIES = (b"", b"{}", b'{"a":"\xc3\xa4"}', b"x" * 64, b"x" * 400 * 1024)


def a_channel(provider, number, find=None):
    """One of Bedrock's, at a host of its own; with keys of its own, or with those that are found."""
    region = REGIONS[number % 2]
    kind = provider.credential.otherwise
    parts = {"key_id": f"AKID{number}", "secret": f"s{number}", "region": region}
    if number % 3 == 1:
        parts["session_token"] = "t" * 900
    if find is not None:
        parts = {"region": region}
        kind = msgspec.structs.replace(kind, finder=Finder(find=find))
    return Channel(
        name=f"c{number}",
        provider=msgspec.structs.replace(
            provider, credential=kind, query={"b": "2", "a": "x~1"} if number % 2 else {},
            forwards=frozenset({"x-amz-note", "anthropic-beta"}),
        ),
        base_url=f"http://h{number}.example:{8000 + number}/base",
        credentials=(),
        headers={"X-Amzn-Bedrock-GuardrailIdentifier": "  g  1 "} if number % 3 == 2 else {},
        limits=LIMITS,
        parts={name: Secret(value) for name, value in parts.items()},
    )  # fmt: skip


@pytest.mark.asyncio
async def test_whatever_was_kept_each_request_is_signed_as_botocore_signs_it(
    make_client, monkeypatch
):
    """Of several channels in turn, with seconds and days that pass, keys that are found anew and
    clocks that are set right in the middle: what is written is what is signed.
    """
    draw, clock = random.Random(SEED), FixedClock(1_790_035_198.4)  # a day ends soon
    client, composer = make_client(clock=clock), Composer()
    found, last = itertools.count(), {}

    def find(parts, around):
        keys = {
            "key_id": f"ASIA{next(found)}",
            "secret": "f",
            "session_token": draw.choice("uv") * 99,
        }
        last[around.base_url] = keys
        return FoundSecret(parts=keys, life_s=None, source="here")

    rows = (bedrock.CONVERSE, Operation.CONVERSE), (bedrock.OPENAI, Operation.CHAT)
    to = [(a_channel(row, n), op) for n, (row, op) in enumerate(rows * 3)]
    to += [(a_channel(row, n + 6, find), op) for n, (row, op) in enumerate(rows)]
    by, apart = client._credentials(), dict.fromkeys((one.name for one, _ in to), 0.0)
    kept = 0
    for turn in range(600):
        clock.advance(draw.choice((0, 0, 0.2, 1, 59.9, 86_400 if turn % 50 == 0 else 0)))
        if turn % 40 == 39:
            by._tokens.close()
        one, operation = draw.choice(to)
        host = one.base_url[7:].partition(":")[0]
        if turn % 60 == 59:
            apart[one.name] = draw.choice((-3600.0, 7200.0))
            date = formatdate(clock.now() + apart[one.name], usegmt=True)
            by._clocks.set(host, date, clock.now())
        body = draw.choice(BODIES)
        forwarded = draw.choice(((), (), [(b"x-amz-note", b" a  b ")], [(b"anthropic-beta", b"x")]))
        drafted = composer.compose(
            one, 0, operation, draw.choice(MODELS), draw.choice((body, HeldBody(body or b"{}"))),
            forwarded=forwarded,
        )  # fmt: skip
        ready = client.written(drafted)
        if ready.draft is not None:
            ready = await by._presenter(drafted, drafted.draft).later()
        else:
            kept += 1
        sent = drafted.draft.body
        content = sent if isinstance(sent, bytes) else body or b"{}"
        parts = {name: value.reveal() for name, value in one.parts.items()}
        if "key_id" not in parts:
            parts |= last[one.base_url]
        at = by._clocks.now(host)
        assert abs(at - clock.now() - apart[one.name]) < 1.5
        head, _, rest = ready.payload.partition(b"\r\n\r\n")
        line, *lines = head.decode("latin-1").split("\r\n")
        pairs = [each.split(": ", 1) for each in lines]
        names = [name for name, _ in pairs]
        assert len(names) == len(set(names))
        headers = dict(pairs)
        assert str(len(content)) == headers["content-length"]
        assert rest == (content if isinstance(sent, bytes) else b"")
        own = {name: headers.pop(name) for name in ("authorization", "x-amz-date")}
        if "session_token" in parts:
            own["x-amz-security-token"] = headers.pop("x-amz-security-token")
        method, target, _ = line.split(" ")
        path, _, query = target.partition("?")
        asked = Unsigned(
            method=method, scheme="http", host=headers["host"], path=path, query=query,
            headers=headers, at=at,
        )  # fmt: skip
        service, region = "bedrock", parts["region"]
        assert theirs(monkeypatch, asked, content, parts, region, service) == own, (turn, asked)
    assert 200 < kept < 600
