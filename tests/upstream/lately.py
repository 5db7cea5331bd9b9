"""Providers whose credential is put in when a request goes out, for the tests of both kinds."""

import asyncio
import hashlib

from trivium.faults import Fault, Kind
from trivium.providers.base import Provider
from trivium.providers.credential import Renewed, Signing, Static, Token, TokenRequest
from trivium.routing.model import Channel, TimeLimits
from trivium.secret import Secret
from trivium.upstream.request_writer import Composer
from trivium.wire.operation import Operation

LIMITS = TimeLimits(connect=5, first_byte=5, idle=5, total=30)


class Digest:
    """Signs with a plain digest, which a test can work out."""

    def __init__(self, parts, unsigned):
        self.pieces = 0
        self.hash = hashlib.sha256()
        self.said = {
            "X-At": str(unsigned.at),
            "x-of": f"{unsigned.method} {unsigned.path}?{unsigned.query} {unsigned.host}",
            "x-parts": ",".join(f"{name}={parts[name]}" for name in sorted(parts)),
            "x-seen": ",".join(sorted(unsigned.headers)),
        }

    def update(self, piece):
        self.pieces += 1
        self.hash.update(piece)

    def headers(self):
        return self.said | {"x-digest": self.hash.hexdigest(), "x-pieces": str(self.pieces)}


def signing(begin=Digest, **more):
    """The kind of credential that signs."""
    return Signing(begin=begin, **more)


def renewed(service, *, life_s=3600.0, header=None, value=lambda body: body.decode()):
    """The kind that fetches its tokens from a double, which answers with the token itself."""

    def ask(parts, at):
        return TokenRequest(
            url=f"http://127.0.0.1:{service.port}/token?at={at:.0f}",
            headers={"content-type": "text/plain"},
            body=parts["api_key"].encode(),
        )

    return Renewed(
        ask=ask,
        read=lambda body: Token(value=value(body), life_s=life_s),
        header=header or Static("authorization", "Bearer "),
    )


def channel(vendor, credential, **more):
    """A channel of a provider with this kind of credential, at a double."""
    provider = Provider(
        name="northwind",
        title="Northwind",
        base_url="https://api.northwind.example/v1",
        credential=credential,
        paths={Operation.CHAT: "/chat"},
        query={"v": "1"},
        forwards=frozenset({"x-beta", "x-of", "authorization"}),
        failure=lambda refusal: Fault(Kind.UPSTREAM_CREDENTIAL, "No", status=refusal.status),
    )
    values = {
        "name": "main",
        "provider": provider,
        "base_url": f"http://127.0.0.1:{vendor.port}/v1",
        "credentials": (Secret("sk-one"), Secret("sk-two")),
        "headers": {},
        "limits": LIMITS,
    }
    return Channel(**values | more)


def request(to, body=b"{}", *, credential=0, composer=None, **more):
    """A draft for a channel."""
    found = (composer or Composer()).compose(to, credential, Operation.CHAT, "m", body, **more)
    assert (b"", True) == (found.payload, found.draft is not None)
    return found


async def until(found, limit_s=2.0):
    """Wait until something is so."""
    async with asyncio.timeout(limit_s):
        while not found():
            await asyncio.sleep(0.005)
