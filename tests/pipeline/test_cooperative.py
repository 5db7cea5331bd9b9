"""Large translations take several turns of the loop, and come to what those in one turn come to."""

import asyncio

import msgspec
import pytest

from gateway import Gateway, error_of
from scripted_upstream import Double, Send, sized
from trivium.pipeline import cooperative
from trivium.wire import json_size

JSON = b"Content-Type: application/json\r\n"
SAID = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "x", "stop_reason": "end_turn",
    "content": [{"type": "text", "text": "Ho"}], "usage": {"input_tokens": 1, "output_tokens": 1},
}  # fmt: skip
OK = [Send(sized(msgspec.json.encode(SAID), headers=JSON))]


async def turns(work):
    """How many turns of the loop went by meanwhile."""
    count = 0
    ended = False

    async def tick():
        nonlocal count
        while not ended:
            count += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(tick())
    found = await work
    ended = True
    await task
    return found, count


@pytest.mark.asyncio
async def test_what_came_meanwhile_has_its_turn():
    """Not only what had come before: a loop begins with what is resumed."""
    order = []
    loop = asyncio.get_running_loop()
    loop.call_soon(lambda: loop.call_soon(order.append, "later"))
    await cooperative.yield_turn()
    order.append("on")
    await asyncio.sleep(0)
    assert ["later", "on"] == order


@pytest.mark.asyncio
@pytest.mark.parametrize("is_crowded", [True, False])
async def test_a_body_is_looked_into_in_turns(is_crowded):
    """With the same end as in one."""
    body = b'["' + b"{" * 3_000_000 + b'"' + (b",{}" * 1000 if is_crowded else b"") + b"]"
    found, count = await turns(cooperative.exceeds(body, 500))
    assert is_crowded is found is json_size.exceeds(body, 500)
    assert count > 10


def asked(count, **more):
    rows = [{"role": "user", "content": f"{at} " + "long " * 20} for at in range(count)]
    return msgspec.json.encode({"model": "m", "max_tokens": 5, "messages": rows, **more})


@pytest.mark.asyncio
@pytest.mark.parametrize("count", [10, 10_000])
async def test_a_large_request_is_translated_as_a_small_one_is(count):
    """Whatever it takes turns for."""
    async with Double([OK]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        body = asked(count)
        assert (len(body) > json_size.PACED_BYTES) is (count > 10)
        status, _, answer = await gateway.post("/v1/chat/completions", body)
        assert 200 == status, answer
        sent = msgspec.json.decode(vendor.requests[0].body)
    texts = [part["text"] for turn in sent["messages"] for part in turn["content"]]
    assert [f"{at} " + "long " * 20 for at in range(count)] == texts


@pytest.mark.asyncio
@pytest.mark.parametrize("count", [10, 10_000])
@pytest.mark.parametrize(
    ("more", "param"),
    [({"logit_bias": {"1": 1}, "n": 3}, "n"), ({"temperature": "hot"}, "temperature")],
)
async def test_a_large_request_is_refused_as_a_small_one_is(count, more, param):
    """By name, in whichever turn it is found."""
    async with Double([OK]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, _, answer = await gateway.post("/v1/chat/completions", asked(count, **more))
        assert (400, param) == (status, error_of(answer)["param"])
        assert [] == vendor.requests
