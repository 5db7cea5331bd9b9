"""An issuer's keys are looked for seldom, whoever asks, and an issuer that fails costs little."""

import asyncio

import pytest

from oauth.workload.signing import EC, ISSUER, RSA, Issuer
from trivium.oauth.workload.issuer import (
    BODY_BYTES_MAX,
    FRESH_S,
    KEYS_MAX,
    RETRY_S,
    STALE_S,
    IssuerKeys,
    IssuerUnreachable,
)

pytestmark = pytest.mark.asyncio


@pytest.fixture
def issuer(clock):
    return Issuer(clock)


@pytest.fixture
def keys(issuer, clock):
    return IssuerKeys(ISSUER, clock, issuer.transport)


async def test_keys_are_kept_for_an_hour(issuer, keys, clock):
    """And then looked at again."""
    for _ in range(3):
        assert "one" == (await keys.key("one")).kid
    assert 1 == issuer.asked
    clock.advance(FRESH_S)
    assert (await keys.key("two")) is not None
    assert 2 == issuer.asked


async def test_a_flood_of_unknown_keys_is_one_look_a_minute(issuer, keys, clock):
    """At once or one after another; known keys go on meanwhile."""
    assert await keys.key("one") is not None
    clock.advance(RETRY_S)
    found = await asyncio.gather(*(keys.key(f"k{i}") for i in range(500)))
    assert ([None] * 500, 2) == (found, issuer.asked)
    for i in range(500):
        assert await keys.key(f"l{i}") is None
    assert await keys.key("one") is not None
    assert 2 == issuer.asked
    clock.advance(RETRY_S)
    assert await keys.key("k1") is None
    assert 3 == issuer.asked


async def test_a_new_key_is_found(issuer, keys, clock):
    """Within a minute of its first use."""
    issuer.published = [RSA.as_dict(private=False)]
    assert await keys.key("one") is not None
    issuer.published = [EC.as_dict(private=False)]
    assert await keys.key("two") is None
    clock.advance(RETRY_S)
    assert await keys.key("two") is not None
    # and what was withdrawn is gone
    assert await keys.key("one") is None


async def test_known_keys_do_not_wait_for_a_slow_issuer(issuer, keys, clock):
    """Only whoever presents an unknown one does."""
    assert await keys.key("one") is not None
    clock.advance(FRESH_S)
    issuer.wait = asyncio.Event()
    slow = asyncio.create_task(keys.key("nobody"))
    await asyncio.sleep(0)
    assert await asyncio.wait_for(keys.key("one"), 1) is not None
    issuer.wait.set()
    assert await slow is None


async def test_an_issuer_that_is_away(issuer, keys, clock):
    """Keys go on for hours, then nobody is believed; it is asked once a minute meanwhile."""
    assert await keys.key("one") is not None
    issuer.status = 500
    clock.advance(FRESH_S)
    for _ in range(5):
        assert await keys.key("one") is not None
    assert 2 == issuer.asked
    clock.advance(STALE_S)
    with pytest.raises(IssuerUnreachable) as caught:
        await keys.key("one")
    assert (RETRY_S, 3) == (caught.value.wait_s, issuer.asked)
    with pytest.raises(IssuerUnreachable):
        await keys.key("one")
    assert 3 == issuer.asked
    issuer.status = 200
    clock.advance(RETRY_S)
    assert await keys.key("one") is not None


@pytest.mark.parametrize(
    "spoil",
    [
        {"described": {"issuer": "https://other.example", "jwks_uri": f"{ISSUER}/jwks"}},
        {"described": {"issuer": ISSUER, "jwks_uri": "http://ci.example/jwks"}},
        {"described": {"issuer": ISSUER, "jwks_uri": "file:///etc/passwd"}},
        {"described": {"issuer": ISSUER}},
        {"described": []},
        {"status": 302},
        {"body": b"{"},
        {"body": b'{"keys": {}}'},
        {"body": b'{"keys": ' + b"[" * 100_000},
        {"body": b" " * (BODY_BYTES_MAX + 1)},
        {"published": [RSA.as_dict(private=False)] * (KEYS_MAX + 1)},
    ],
)
async def test_an_issuer_that_says_nonsense(issuer, keys, spoil):
    """Is as good as away: no traceback, and no key."""
    for name, value in spoil.items():
        setattr(issuer, name, value)
    with pytest.raises(IssuerUnreachable):
        await keys.key("one")


async def test_only_public_keys_that_sign_are_taken(issuer, keys):
    """A shared secret would let everybody sign, a private key is nobody's to publish."""
    public = RSA.as_dict(private=False)
    issuer.published = [
        {"kty": "oct", "k": "c2VjcmV0", "kid": "shared"},
        {**RSA.as_dict(private=True), "kid": "private"},
        {**public, "kid": "enc", "use": "enc"},
        {**public, "kid": "small", "n": public["n"][:170]},
        {**public, "kid": "large", "n": public["n"] * 9},
        {**public, "kid": "odd", "e": 7},
        {"kty": "EC", "crv": "P-999", "x": "AA", "y": "AA", "kid": "curve"},
        {name: value for name, value in public.items() if name != "kid"},
        {**public, "kid": 7},
        public,
    ]
    names = ("shared", "private", "enc", "small", "large", "odd", "curve", "one")
    found = [name for name in names if await keys.key(name) is not None]
    assert ["one"] == found
