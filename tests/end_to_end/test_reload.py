"""Settings change under a running gateway: nobody is dropped, and nothing half good is taken."""

import asyncio
import contextlib
import os
import signal

import pytest

from end_to_end.running import ANSWER, running, settings
from scripted_upstream import Close, Double, Send, Until, sized

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]


def replace(gateway, text):
    """Put another settings file in place at once, as an editor or a deployment does."""
    new = gateway.folder / "trivium.toml.new"
    new.write_text(text)
    os.replace(new, gateway.folder / "trivium.toml")  # noqa: PTH105 - as short


@contextlib.asynccontextmanager
async def traffic(gateway):
    """Requests for `m` on kept connections for as long as the block runs; gives the statuses."""
    statuses, stop = [], asyncio.Event()

    async def ask():
        line = await gateway.wire()
        while not stop.is_set():
            await line.send(gateway.chat())
            status, headers, body = await line.answer()
            statuses.append(status)
            assert (ANSWER, b"main") == (body, headers[b"trivium-channel"])
            await asyncio.sleep(0.005)
        await line.close()

    tasks = [asyncio.ensure_future(ask()) for _ in range(3)]
    try:
        yield statuses
    finally:
        stop.set()
        await asyncio.gather(*tasks)


@pytest.mark.asyncio
async def test_a_changed_file_is_taken_up_without_dropping_a_request(tmp_path):
    """A model comes, one goes, a bad file changes nothing, and every request is answered."""
    async with Double([OK]) as vendor, running(tmp_path, vendor) as gateway:
        async with traffic(gateway) as statuses:
            assert 404 == (await gateway.send(gateway.chat(model="new")))[0]
            replace(gateway, settings(vendor, models=("m", "new")))
            reloaded = await gateway.said("settings_reloaded")
            assert (['models["new"]'], 2) == (reloaded["changed"], reloaded["models"])
            assert 200 == (await gateway.send(gateway.chat(model="new")))[0]

            # a channel that is named and not there
            bad = settings(vendor, models=("m",)).replace('channel = "main"', 'channel = "mian"')
            replace(gateway, bad)
            refused = await gateway.said("settings_refused")
            assert any("mian" in problem for problem in refused["problems"])
            assert 200 == (await gateway.send(gateway.chat(model="new")))[0]

            replace(gateway, 'half a = "file')
            gateway.process.send_signal(signal.SIGHUP)
            await gateway.said("settings_refused", 2)
            assert 200 == (await gateway.send(gateway.chat(model="new")))[0]

            replace(gateway, settings(vendor))
            await gateway.said("settings_reloaded", 2)
            assert 404 == (await gateway.send(gateway.chat(model="new")))[0]
        assert {200} == set(statuses)
        assert 20 < len(statuses)


@pytest.mark.asyncio
async def test_a_running_stream_keeps_the_channel_it_began_with(tmp_path):
    """Even when that channel is gone from the file; the next request goes to the new one."""
    go_on = asyncio.Event()
    frame = b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n'
    end = b'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    script = [[Send(head + frame), Until(go_on), Send(end), Close()]]
    async with (
        Double(script) as first,
        Double([OK]) as second,
        running(tmp_path, first) as gateway,
    ):
        line = await gateway.wire()
        await line.send(gateway.chat(stream=True))
        streaming = asyncio.ensure_future(line.answer())
        while not first.requests:
            await asyncio.sleep(0.01)
        replace(gateway, settings(second).replace('"main"', '"other"'))
        await gateway.said("settings_reloaded")
        status, headers, _ = await gateway.send(gateway.chat())
        assert (200, b"other") == (status, headers[b"trivium-channel"])
        go_on.set()
        status, headers, body = await streaming
        assert (200, b"main", frame + end) == (status, headers[b"trivium-channel"], body)
        assert (1, 1) == (len(first.requests), len(second.requests))
        await line.close()


@pytest.mark.asyncio
async def test_what_needs_a_restart_is_named(tmp_path):
    """And is not half in force: the port stays."""
    async with Double([OK]) as vendor, running(tmp_path, vendor) as gateway:
        changed = settings(vendor, server='drain_s = 7.0\ncors_origins = ["*"]')
        replace(gateway, changed)
        gateway.process.send_signal(signal.SIGHUP)
        said = await gateway.said("settings_reloaded")
        assert ["server.cors_origins", "server.drain_s"] == sorted(said["restart_needed"])
        status, headers, body = await gateway.send(gateway.chat("Origin: https://a.example"))
        assert (200, ANSWER) == (status, body)
        assert b"access-control-allow-origin" not in headers
