"""A provider whose tokens are fetched, in a whole gateway: nobody hears of their renewal."""

import json

import msgspec
import pytest

from gateway import VENDOR_KEY, Gateway
from plugin.test_example import CHAT, PLAIN
from scripted_upstream import Double, Send, sized
from trivium.plugin import Renewed, Token, TokenRequest
from trivium.providers.registry import PROVIDERS

REFUSED = [Send(sized(b"no", status=b"401 Unauthorized"))]
TOKENS = [[Send(sized(b'{"access_token":"tok-%d","expires_in":3600}' % n))] for n in range(9)]


def providers(service):
    """Every provider, and one of the chat shape that takes the tokens of a service."""

    def ask(parts, at):
        address = f"http://127.0.0.1:{service.port}/token"
        return TokenRequest(url=address, body=parts["api_key"].encode())

    def read(body):
        said = json.loads(body)
        return Token(value=said["access_token"], life_s=said["expires_in"])

    kind = Renewed(ask=ask, read=read)
    own = msgspec.structs.replace(PROVIDERS["openai"], name="westwind", credential=kind)
    return {**PROVIDERS, own.name: own}


@pytest.mark.asyncio
async def test_a_refused_token_is_renewed_before_anybody_hears_of_it():
    """Once: a vendor that refuses the next one, too, has refused the account."""
    async with Double(TOKENS) as service, Double([PLAIN, PLAIN, REFUSED, PLAIN, REFUSED]) as vendor:
        serving = Gateway.to(("westwind", vendor), providers=providers(service))
        async with serving as gateway:
            told = [(await gateway.post("/v1/chat/completions", CHAT))[0] for _ in range(4)]
            attempts = [record.attempts for record in gateway.records]
    carried = [dict(seen.headers)[b"authorization"][-1:] for seen in vendor.requests]
    assert ([200, 200, 200, 502], [1] * 4) == (told, attempts)
    assert [b"0", b"0", b"0", b"1", b"1"] == carried
    assert [VENDOR_KEY.encode()] * 2 == [seen.body for seen in service.requests]


@pytest.mark.asyncio
async def test_without_a_token_another_channel_answers():
    """And the vendor is not asked."""
    down = [Send(sized(b"", status=b"503 No"))]
    async with Double([down]) as service, Double([PLAIN]) as vendor, Double([PLAIN]) as other:
        serving = Gateway.to(("westwind", vendor), ("openai", other), providers=providers(service))
        async with serving as gateway:
            status, _, _ = await gateway.post("/v1/chat/completions", CHAT)
    assert (200, [], 1) == (status, vendor.requests, len(other.requests))
