"""A gateway that is killed under load leaves a database to go on with."""

import asyncio
import contextlib
import random

import pytest

import warm
from edge.wires import wire
from end_to_end.running import ANSWER, TRIVIUM, identity, listening, prepare, settings, start
from scripted_upstream import Double, Send, sized

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]


async def load(gateway):
    """Ask until the gateway is gone."""
    with contextlib.suppress(OSError, EOFError, ValueError):
        async with wire(gateway.port) as line:
            while True:
                await line.send(gateway.chat())
                await line.answer()


async def changes(folder, stop):
    """Keys made and taken away meanwhile, as an operator's script would."""
    async with identity(folder) as people:
        while not stop.is_set():
            key, _ = await people.create_key("ada")
            await people.revoke_key(f"id:{key.id}")
            await asyncio.sleep(0.02)


@pytest.mark.asyncio
@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
async def test_a_killed_gateway_starts_again_and_its_database_is_whole(tmp_path, kills):
    """Killed in the middle of batches of records; checked after each."""
    moments = random.Random(20261121)
    async with Double([OK]) as vendor:
        key = await prepare(tmp_path, settings(vendor))
        for _ in range(kills):
            gateway = start(tmp_path, key)
            try:
                await listening(gateway)
                assert 200 == (await gateway.send(gateway.chat()))[0]
                stop = asyncio.Event()
                tasks = [asyncio.ensure_future(load(gateway)) for _ in range(8)]
                tasks.append(asyncio.ensure_future(changes(tmp_path, stop)))
                await asyncio.sleep(moments.uniform(0.05, 0.6))
                gateway.process.kill()
                gateway.process.wait()
                stop.set()
                await asyncio.gather(*tasks)
            finally:
                gateway.process.kill()
                gateway.process.wait()
            done = await asyncio.to_thread(
                warm.run, [TRIVIUM, "check"], cwd=tmp_path, capture_output=True, text=True
            )
            assert 0 == done.returncode, done.stdout + done.stderr
            assert "FAILED" not in done.stdout
