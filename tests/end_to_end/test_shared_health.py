"""Two nodes with a database each and one shared state: what one finds out, both act upon."""

import asyncio
import contextlib

import pytest

from end_to_end.running import ANSWER, VENDOR_KEY, listening, prepare, start
from scripted_upstream import Double, Send, Until, sized

JSON = b"Content-Type: application/json\r\n"
OK = Send(sized(ANSWER, headers=JSON))
BAD = Send(sized(b'{"error":{"message":"no"}}', status=b"500 Broken", headers=JSON))
REVOKED = Send(sized(b'{"error":{"message":"no"}}', status=b"401 No", headers=JSON))
SHARE_S = 1.5
"""More than it takes to tell, and to ask four times a second."""


def settings(valkey, first, second):
    """One model at two channels, one after the other."""
    text = f"""
[server]
listen = "127.0.0.1:0"
[records]
flush_s = 0.1
[logs]
format = "json"
[shared]
url = "{valkey.url}"
[routing]
failures = 2
cooldown_s = 3.0
"""
    for name, vendor in (("first", first), ("second", second)):
        text += f"""
[[channels]]
name = "{name}"
provider = "openai"
api_key = "{VENDOR_KEY}"
base_url = "http://127.0.0.1:{vendor.port}/v1"
"""
    text += '\n[[models]]\nname = "m"\nfree = true\n'
    for number, name in enumerate(("first", "second")):
        text += f'[[models.bindings]]\nchannel = "{name}"\npriority = {number}\n'
    return text


@contextlib.asynccontextmanager
async def nodes(folder, text):
    """Two gateways in processes of their own."""
    found = []
    try:
        for name in ("one", "two"):
            own = folder / name
            own.mkdir()
            found.append(start(own, await prepare(own, text)))
        for gateway in found:
            await listening(gateway)
        yield found
    finally:
        for gateway in found:
            gateway.process.terminate()
        for gateway in found:
            await gateway.ended()


async def channel(gateway):
    """Who answered."""
    status, headers, _ = await gateway.send(gateway.chat())
    assert 200 == status
    return headers[b"trivium-channel"]


@pytest.mark.asyncio
async def test_two_nodes_leave_alone_what_one_found_and_send_one_probe(tmp_path, valkey):
    """A crowd meets a channel that recovers: one request goes to it, all are answered."""
    healed = asyncio.Event()
    script = [[BAD], [BAD], [Until(healed), OK], [OK]]
    async with (
        Double(script) as first,
        Double([[OK]]) as second,
        nodes(tmp_path, settings(valkey, first, second)) as (one, two),
    ):
        assert [b"second"] * 2 == [await channel(one) for _ in range(2)]
        await asyncio.sleep(SHARE_S)
        assert [b"second"] * 3 == [await channel(two) for _ in range(3)]
        assert 2 == len(first.requests)
        crowd = []
        async with asyncio.timeout(60):
            while len(first.requests) < 3:  # until it has rested, and whoever may probe is asked
                crowd += [asyncio.ensure_future(channel(node)) for node in (one, two)]
                await asyncio.sleep(0.1)
        crowd += [asyncio.ensure_future(channel(node)) for node in (one, two) for _ in range(15)]
        async with asyncio.timeout(60):
            while sum(task.done() for task in crowd) < len(crowd) - 1:
                await asyncio.sleep(0.01)
        assert 3 == len(first.requests)
        healed.set()
        answered = await asyncio.gather(*crowd)
        assert (1, len(crowd) - 1) == (answered.count(b"first"), answered.count(b"second"))
        await asyncio.sleep(SHARE_S)
        assert [b"first"] * 2 == [await channel(node) for node in (one, two)]
        rests = [len([e for e in n.events if e["event"] == "upstream_resting"]) for n in (one, two)]
        assert [0, 1] == sorted(rests)


@pytest.mark.asyncio
async def test_a_refused_key_is_known_to_both_and_a_frozen_state_stops_nobody(tmp_path, valkey):
    """One call finds it; then the state freezes and both go on."""
    async with (
        Double([[REVOKED]]) as first,
        Double([[OK]]) as second,
        nodes(tmp_path, settings(valkey, first, second)) as (one, two),
    ):
        assert b"second" == await channel(two)
        assert "first" == (await two.said("credential_disabled"))["channel"]
        await asyncio.sleep(SHARE_S)
        assert b"second" == await channel(one)
        assert 1 == len(first.requests)
        valkey.freeze()
        began = asyncio.get_running_loop().time()
        assert [b"second"] * 10 == [await channel(node) for node in (one, two) for _ in range(5)]
        assert asyncio.get_running_loop().time() - began < 2
        for node in (one, two):
            await node.said("shared_state_away")
        assert 1 == len(first.requests)
