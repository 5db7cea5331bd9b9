"""Several workers answer a scraper as one, and a dead one takes nothing with it."""

import asyncio
import os
import signal

import pytest

from end_to_end.running import ANSWER, running
from end_to_end.test_rolling import noted, pids
from ports import free_port
from scripted_upstream import Double, Send, sized
from wiring.test_metrics import numbers

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
DONE = 'trivium_requests_total{operation="chat",model="m",channel="main",status="200"}'


async def scraped(gateway, port):
    """What whichever worker says that is asked."""
    raw = gateway.get("/metrics", "Authorization: Bearer s3cret")
    return numbers((await gateway.send(raw, port))[2])


async def until(gateway, port, count, workers="2"):
    """Eight scrapes in a row tell of so many requests, whoever answers them."""
    async with asyncio.timeout(15):
        right = 0
        while right < 8:
            found = await scraped(gateway, port)
            right = right + 1 if (str(count), workers) == (
                found.get(DONE), found["trivium_workers"],
            ) else 0  # fmt: skip
            await asyncio.sleep(0.02)


@pytest.mark.asyncio
async def test_numbers_are_those_of_all_workers_dead_or_alive(tmp_path, valkey):
    """Whoever is asked; killed or replaced, what they counted stays."""
    port = free_port()
    rest = f'[shared]\nurl = "{valkey.url}"\n[metrics]\nenabled = true\ntoken = "s3cret"\n'
    flag = ("--listen", f"127.0.0.1:{port}")
    async with (
        Double([OK]) as vendor,
        running(tmp_path, vendor, *flag, rest=rest, server="workers = 2\n") as gateway,
    ):
        for _ in range(20):
            assert 200 == (await gateway.send(gateway.chat(), port))[0]
        await until(gateway, port, 20)
        victim = int(min(pids(gateway)))
        os.kill(victim, signal.SIGKILL)
        await noted(gateway, f"worker {victim} ended")
        await until(gateway, port, 20)
        gateway.process.send_signal(signal.SIGUSR2)
        await noted(gateway, "all workers have been replaced")
        assert 200 == (await gateway.send(gateway.chat(), port))[0]
        await until(gateway, port, 21)


@pytest.mark.asyncio
async def test_workers_that_replace_others_may_count_though_those_did_not(tmp_path, valkey):
    """Switched on without losing a request, as other settings are."""
    port = free_port()
    rest = f'[shared]\nurl = "{valkey.url}"\n'
    flag = ("--listen", f"127.0.0.1:{port}")
    async with (
        Double([OK]) as vendor,
        running(tmp_path, vendor, *flag, rest=rest, server="workers = 2\n") as gateway,
    ):
        assert 200 == (await gateway.send(gateway.chat(), port))[0]
        path = tmp_path / "trivium.toml"
        path.write_text(path.read_text() + '\n[metrics]\nenabled = true\ntoken = "s3cret"\n')
        gateway.process.send_signal(signal.SIGUSR2)
        await noted(gateway, "all workers have been replaced")
        for _ in range(5):
            assert 200 == (await gateway.send(gateway.chat(), port))[0]
        await until(gateway, port, 5)
