"""Starting and stopping a real gateway without a caller noticing more than it must."""

import asyncio
import signal
import time

import msgspec
import pytest
from sqlalchemy import text

from edge.wires import PATIENCE_S, Wire
from end_to_end.running import ANSWER, database, listening, prepare, running, settings, start
from ports import free_port
from scripted_upstream import Close, Double, Send, Stall, Until, sized

JSON = b"Content-Type: application/json\r\n"
OK = [Send(sized(ANSWER, headers=JSON))]
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
FIRST = b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n'
LAST = b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}\n\ndata: [DONE]\n\n'


async def records(folder):
    """(request id, status, fault) of every stored record."""
    async with database(folder) as db, db.read() as conn:
        rows = await conn.execute(text("SELECT request_id, status, fault FROM records"))
        return {row.request_id: (row.status, row.fault) for row in rows}


async def first_frame(line):
    """Wait for a stream's head and first frame; the request id."""
    head = await asyncio.wait_for(line.reader.readuntil(b"\r\n\r\n"), PATIENCE_S)
    size = int(await asyncio.wait_for(line.reader.readline(), PATIENCE_S), 16)
    assert FIRST == (await line.reader.readexactly(size + 2))[:-2]
    headers = dict(row.split(b": ", 1) for row in head[:-4].split(b"\r\n")[1:])
    return headers[b"x-request-id"].decode()


async def rest(line):
    """What follows, to the last chunk and the end of the connection."""
    got = b""
    while size := int(await asyncio.wait_for(line.reader.readline(), PATIENCE_S), 16):
        got += (await line.reader.readexactly(size + 2))[:-2]
    assert b"\r\n" == await line.reader.readexactly(2)
    assert await line.ended()
    await line.close()
    return got


@pytest.mark.asyncio
async def test_who_comes_before_the_keys_are_loaded_is_answered(tmp_path):
    """The port opens first; requests of that time wait, whole ones and pieces of them."""
    async with Double([OK]) as vendor, running(tmp_path, vendor, fresh=True) as gateway:
        raw = gateway.chat()
        lines = [await gateway.wire() for _ in range(4)]
        for number, line in enumerate(lines):
            await line.send(raw[: len(raw) - number * 20])
        for number, line in enumerate(lines):
            await line.send(raw[len(raw) - number * 20 :] if number else b"")
        assert [200] * 4 == [(await line.answer())[0] for line in lines]
        for line in lines:
            await line.close()
        status, _, body = await gateway.send(gateway.get("/readyz"))
        parts = ("accepting", "journal", "ledger", "database", "keys")
        told = {"status": "ok", "parts": dict.fromkeys(parts, True)}
        assert (200, told) == (status, msgspec.json.decode(body))


@pytest.mark.asyncio
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_at_the_first_moment_ends_it_well(tmp_path, number):
    """As soon as it says its process id."""
    async with Double([OK]) as vendor:
        key = await prepare(tmp_path, settings(vendor))
        gateway = start(tmp_path, key, fresh=True)
        try:
            await listening(gateway)
            gateway.process.send_signal(number)
            assert 0 == await gateway.ended()
        finally:
            gateway.process.kill()


@pytest.mark.asyncio
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_who_waits_for_a_start_is_answered_though_it_is_to_end(tmp_path, number):
    """Nobody else would: what was sent is in this process."""
    async with Double([OK]) as vendor:
        key = await prepare(tmp_path, settings(vendor))
        gateway = start(tmp_path, key, fresh=True)
        try:
            await listening(gateway)
            line = await gateway.wire()
            await line.send(gateway.chat())
            gateway.process.send_signal(number)
            assert 200 == (await line.answer())[0]
            await line.close()
            assert 0 == await gateway.ended()
        finally:
            gateway.process.kill()


@pytest.mark.asyncio
async def test_a_reload_at_the_first_moment_ends_nothing(tmp_path):
    """SIGHUP would by default."""
    async with Double([OK]) as vendor, running(tmp_path, vendor, fresh=True) as gateway:
        gateway.process.send_signal(signal.SIGHUP)
        assert 200 == (await gateway.send(gateway.chat()))[0]
        await gateway.said("settings_unchanged")


@pytest.mark.asyncio
async def test_a_running_stream_is_finished_and_its_record_kept(tmp_path):
    """SIGTERM: nobody new, no idle connection, but every byte of what runs; exit code 0."""
    go_on = asyncio.Event()
    script = [[Send(SSE + FIRST), Until(go_on), Send(LAST), Close()]]
    async with Double(script) as vendor, running(tmp_path, vendor) as gateway:
        line, idle = await gateway.wire(), await gateway.wire()
        await idle.send(gateway.get("/healthz"))
        assert 200 == (await idle.answer())[0]
        await line.send(gateway.chat(stream=True))
        request_id = await first_frame(line)
        port = gateway.port
        gateway.process.send_signal(signal.SIGTERM)
        assert b"" == await asyncio.wait_for(idle.reader.read(), 20)
        await idle.close()
        with pytest.raises(ConnectionError):
            await Wire.to(port)
        assert gateway.process.poll() is None
        go_on.set()
        assert LAST == await rest(line)
        assert 0 == await gateway.ended()
        assert {request_id: (200, "")} == await records(tmp_path)
        assert 0 == (await gateway.said("drained"))["ended"]


@pytest.mark.asyncio
async def test_what_runs_beyond_the_limit_is_ended_legally(tmp_path):
    """A stream in its own words, a whole answer with a 503; both on record; exit code 0."""
    script = [[Send(SSE + FIRST), Stall()], [Stall()]]
    async with (
        Double(script) as vendor,
        running(tmp_path, vendor, server="drain_s = 0.5") as gateway,
    ):
        line, other = await gateway.wire(), await gateway.wire()
        await line.send(gateway.chat(stream=True))
        request_id = await first_frame(line)
        await other.send(gateway.chat())
        while len(vendor.requests) < 2:
            await asyncio.sleep(0.01)
        began = time.monotonic()
        gateway.process.send_signal(signal.SIGTERM)
        frames = (await rest(line)).split(b"\n\n")
        error = msgspec.json.decode(frames[-2].removeprefix(b"data: "))
        assert (request_id, "service_unavailable") == (error["request_id"], error["error"]["code"])
        status, headers, body = await other.answer()
        assert (503, b"close") == (status, headers[b"connection"])
        assert "service_unavailable" == msgspec.json.decode(body)["error"]["code"]
        await other.close()
        assert 0 == await gateway.ended()
        assert 0.4 < time.monotonic() - began < 5
        assert {
            request_id: (200, "stopping"),
            headers[b"x-request-id"].decode(): (503, "stopping"),
        } == await records(tmp_path)
        assert 2 == (await gateway.said("drained"))["ended"]


@pytest.mark.asyncio
async def test_a_busy_connection_learns_from_its_answer_that_it_closes(tmp_path):
    """`Connection: close` on what was being uploaded when the signal came."""
    async with Double([OK]) as vendor, running(tmp_path, vendor) as gateway:
        raw = gateway.chat()
        line = await gateway.wire()
        await line.send(gateway.get("/healthz"))
        assert b"connection" not in (await line.answer())[1]
        await line.send(raw[:-3])
        await asyncio.sleep(0.1)
        gateway.process.send_signal(signal.SIGTERM)
        await gateway.said("draining")
        await line.send(raw[-3:])
        status, headers, _ = await line.answer()
        assert (200, b"close") == (status, headers[b"connection"])
        assert await line.ended()
        await line.close()


async def knock(gateway, port):
    """What a caller meets on a connection of its own: "refused", "lost", or its answer's status."""
    try:
        line = await Wire.to(port)
    except ConnectionError:
        return "refused"
    try:
        await line.send(gateway.chat())
        return (await line.answer())[0]
    except (OSError, asyncio.IncompleteReadError):
        return "lost"
    finally:
        await line.close()


async def knocking(gateway, port, met, stop):
    """Callers one after the other; what each of them met."""
    while not stop.is_set():
        met.append(await knock(gateway, port))
        await asyncio.sleep(0.001)


@pytest.mark.asyncio
@pytest.mark.parametrize("workers", [1, 2])
async def test_whoever_is_let_in_while_a_node_goes_is_served(tmp_path, valkey, workers):
    """First it says that it goes and serves on; then it refuses, though a stream still runs."""
    go_on = asyncio.Event()
    stream = [Send(SSE + FIRST), Until(go_on), Send(LAST), Close()]
    port, stop, met = free_port(), asyncio.Event(), []
    more = {
        "server": f"workers = {workers}\ndrain_notice_s = 1.5",
        "rest": f'[shared]\nurl = "{valkey.url}"\n[logs]\nformat = "json"\n',
    }
    async with (
        Double([stream, OK]) as vendor,
        running(tmp_path, vendor, "--listen", f"127.0.0.1:{port}", **more) as gateway,
    ):
        line = await gateway.wire(port)
        await line.send(gateway.chat(stream=True))
        await first_frame(line)
        crowd = [asyncio.ensure_future(knocking(gateway, port, met, stop)) for _ in range(8)]
        gateway.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + 20
        while True:
            status, _, body = await gateway.send(gateway.get("/readyz"), port)
            if status == 503:
                break
            assert time.monotonic() < deadline
        parts = msgspec.json.decode(body)["parts"]
        assert ["accepting"] == [name for name, is_well in parts.items() if not is_well]
        assert "draining" not in {event["event"] for event in gateway.events}
        assert "refused" not in met
        async with asyncio.timeout(30):
            while "refused" not in met:
                await asyncio.sleep(0.01)
        stop.set()
        await asyncio.gather(*crowd)
        assert {200, "refused"} == set(met)
        assert 200 not in met[met.index("refused") + len(crowd) :]
        assert gateway.process.poll() is None
        go_on.set()
        assert LAST == await rest(line)
        assert 0 == await gateway.ended()


@pytest.mark.asyncio
async def test_an_impatient_operator_is_not_made_to_wait(tmp_path):
    """A second signal ends the notice."""
    server = "drain_notice_s = 1000"
    async with Double([OK]) as vendor, running(tmp_path, vendor, server=server) as gateway:
        assert 200 == (await gateway.send(gateway.chat()))[0]
        gateway.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(20):
            while await gateway.answers(200, gateway.get("/readyz")):
                await asyncio.sleep(0.01)
        gateway.process.send_signal(signal.SIGTERM)
        assert 0 == await gateway.ended()
