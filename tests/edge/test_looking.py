"""Large bodies are looked into before anything is made of them; whoever else asks is answered."""

import asyncio

import pytest

from doubles import Double, Send, sized
from gateway import Gateway, error_of
from trivium.edge import looking
from trivium.edge.limits import Limits

JSON = b"Content-Type: application/json\r\n"
OK = [Send(sized(b'{"object":"chat.completion","choices":[]}', headers=JSON))]
LONG = b"a" * 2_000_000


class Asked:
    """A request as the look sees it."""

    def __init__(self, body):
        self.body = body
        self.gone = False
        self.faults = []

    def fail(self, fault):
        self.faults.append(fault.status)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("more", "status"), [(b"", 200), (b',"x":[' + b"{}," * 100_001 + b"{}]", 413)]
)
async def test_a_large_request_that_holds_too_much_is_refused(more, status):
    """And any other is served."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        body = b'{"model":"m","messages":[{"role":"user","content":"%b"}]%b}' % (LONG, more)
        got, _, answer = await gateway.post("/v1/chat/completions", body)
        assert status == got
        if status == 413:
            assert "100000 JSON objects" in error_of(answer)["message"]
        assert (status == 200) is bool(vendor.requests)


@pytest.mark.asyncio
@pytest.mark.parametrize(("gone", "faults"), [(True, []), (False, [503])])
async def test_a_look_that_is_called_off_goes_no_further(gone, faults):
    """Whoever is still there is told."""
    exchange, went = Asked(b'["' + LONG * 3 + b'"]'), []
    task = asyncio.create_task(looking.look(exchange, Limits(), went.append))
    await asyncio.sleep(0)
    exchange.gone = gone
    task.cancel()
    await task
    assert (faults, []) == (exchange.faults, went)
