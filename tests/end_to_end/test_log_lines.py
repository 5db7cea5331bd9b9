"""What a gateway says is read by programs: every line of it is JSON, whatever happens."""

import os
import signal

import msgspec
import pytest

from end_to_end.running import ANSWER, database, listening, prepare, running, settings, start
from end_to_end.test_rolling import noted, pids
from scripted_upstream import Double, Send, sized

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]


def lines(gateway):
    """Every line, read as JSON."""
    return [msgspec.json.decode(line) for line in gateway.log.splitlines()]


@pytest.mark.asyncio
@pytest.mark.filterwarnings("ignore::ResourceWarning")
async def test_every_line_of_two_workers_is_json(tmp_path, valkey):
    """Of the supervisor too: at the start, when a worker dies, and when all are replaced."""
    more = {
        "rest": f'[shared]\nurl = "{valkey.url}"\n[logs]\nformat = "json"\n',
        "server": "workers = 2\ndrain_s = 1\n",
    }
    async with Double([OK]) as vendor, running(tmp_path, vendor, **more) as gateway:
        assert 200 == (await gateway.send(gateway.chat()))[0]
        os.kill(int(next(iter(pids(gateway)))), signal.SIGKILL)
        await noted(gateway, "starting another")
        gateway.process.send_signal(signal.SIGHUP)
        await noted(gateway, "settings_reloaded")
        gateway.process.send_signal(signal.SIGUSR2)
        await noted(gateway, "all workers have been replaced")
    said = [line.get("message", "") for line in lines(gateway) if line["event"] == "notice"]
    assert any("is listening on" in text for text in said)
    assert any("ended (signal 9)" in text for text in said)
    assert {"at", "level", "event"} <= set.intersection(*map(set, lines(gateway)))


@pytest.mark.asyncio
async def test_a_start_that_fails_after_the_settings_is_told_in_json(tmp_path):
    """The port is open by then, and whoever collects the log has begun to read."""
    async with Double([OK]) as vendor:
        key = await prepare(tmp_path, settings(vendor, rest='[logs]\nformat = "json"\n'))
        async with database(tmp_path) as db, db.write() as conn:
            await conn.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        gateway = start(tmp_path, key)
        try:
            assert 1 == await gateway.ended()
        finally:
            gateway.process.kill()
            gateway.process.wait()
    assert "9999" in lines(gateway)[-1]["message"]


@pytest.mark.asyncio
async def test_people_read_text(tmp_path):
    """Where it is asked for."""
    async with Double([OK]) as vendor:
        key = await prepare(tmp_path, settings(vendor, rest='[logs]\nformat = "text"\n'))
        gateway = start(tmp_path, key)
        try:
            await listening(gateway)
        finally:
            gateway.process.terminate()
            await gateway.ended()
    assert gateway.log.startswith("trivium is listening on http://127.0.0.1:")
