"""Channels and models come, change and go while a gateway runs: no request is lost or misrouted."""

import asyncio
import contextlib
import sys
import time
from asyncio.subprocess import DEVNULL
from pathlib import Path

import httpx
import pytest

from end_to_end.running import (
    ANSWER,
    Running,
    database,
    listening,
    prepare,
    running,
    settings,
    start,
)
from end_to_end.test_admin_api import administrator
from scripted_upstream import Double, Send, sized
from trivium.catalogue import store
from waiting import within
from warm import TRIVIUM

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
TAKEN_S = 4.0
"""Within two seconds on a machine that does nothing else."""
SECONDS = 60.0
LEAST_A_SECOND = 5
"""Of changes that many make at once, on a machine whose cores are taken several times over."""
KEY = "sk-stored-canary"
MODEL = {"free": True, "bindings": [{"channel": "stored"}]}

pytestmark = pytest.mark.asyncio


def channel(vendor):
    return {
        "provider": "openai", "api_key": "sk-stored-canary", "base_url": f"http://127.0.0.1:{vendor.port}/v1"
    }  # fmt: skip


class Admin:
    """Changes the catalogue of a gateway."""

    def __init__(self, client):
        self.client = client

    @classmethod
    @contextlib.asynccontextmanager
    async def of(cls, gateway, token=None):
        token = token or (await administrator(gateway.folder))[1]
        base = f"http://127.0.0.1:{gateway.port}/api/admin/catalogue"
        bearer = {"authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=base, headers=bearer, timeout=60) as client:
            made = cls(client)
            made.token = token
            yield made

    async def put(self, path, document, version=None):
        """The version of an entry that is changed."""
        tag = {} if version is None else {"if-match": f'"{version}"'}
        answer = await self.client.put(path, json={"document": document}, headers=tag)
        assert 200 == answer.status_code, answer.text
        return int(answer.headers["etag"].strip('"'))


@contextlib.asynccontextmanager
async def asked(gateway, model):
    """Requests for a model for as long as the block runs; gives (status, channel, body)."""
    answers, stop = [], asyncio.Event()

    async def ask():
        line = await gateway.wire()
        while not stop.is_set():
            await line.send(gateway.chat(model=model))
            status, headers, body = await line.answer()
            answers.append((status, headers.get(b"trivium-channel"), body))
        await line.close()

    tasks = [asyncio.ensure_future(ask()) for _ in range(3)]
    try:
        yield answers
    finally:
        stop.set()
        await asyncio.gather(*tasks)


async def edited(gateway, admin, vendors, seconds, least=6):
    """A channel goes to and fro between vendors as fast as it can; how often it did: for so long,
    and so often at least.
    """
    version = await admin.put("/channels/stored", channel(vendors[0]))
    await admin.put("/models/n", MODEL)
    await within(TAKEN_S, lambda: gateway.answers(200, gateway.chat(model="n")))
    began, times = time.monotonic(), 0
    async with asked(gateway, "n") as answers:
        while times < least or time.monotonic() - began < seconds:
            times += 1
            document = {**channel(vendors[times % 2]), "queue_s": 1.0 + times}
            version = await admin.put("/channels/stored", document, version)
    assert {(200, b"stored", ANSWER)} == set(answers)
    return times


async def test_a_channel_is_edited_under_load(tmp_path):
    """Each request gets its answer, from the channel; one that is taken away is asked no more."""
    async with Double([OK]) as one, Double([OK]) as two, running(tmp_path, one) as gateway:
        async with Admin.of(gateway) as admin:
            await edited(gateway, admin, (one, two), 0.0)
            assert two.requests
            found = (await admin.client.get("/models/n")).json()["data"]
            tag = {"if-match": f'"{found["origin"]["version"]}"'}
            assert 200 == (await admin.client.delete("/models/n", headers=tag)).status_code
            assert 404 == (await gateway.send(gateway.chat(model="n")))[0]
            assert 200 == (await gateway.send(gateway.chat()))[0]
        assert "sk-stored-canary" not in gateway.log


@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_a_channel_is_edited_for_a_minute(tmp_path):
    """The same for long, several times a second, also where others have the machine."""
    async with (
        Double([OK]) as one,
        Double([OK]) as two,
        running(tmp_path, one) as gateway,
        Admin.of(gateway) as admin,
    ):
        assert 100 < await edited(gateway, admin, (one, two), 60.0)


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_many_edit_at_once_for_a_minute(tmp_path):
    """Some twenty scripts, each with a channel of its own that comes, changes and goes, while others
    ask: no request is lost, and none is asked for once its model is gone.
    """
    async with (
        Double([OK]) as one,
        Double([OK]) as two,
        running(tmp_path, one) as gateway,
        Admin.of(gateway) as admin,
    ):
        began, times = time.monotonic(), 0

        async def edit(number):
            nonlocal times
            at, vendors = f"/channels/c{number}", (one, two)
            while time.monotonic() - began < SECONDS:
                version = await admin.put(at, channel(vendors[0]))
                for i in range(8):
                    document = {**channel(vendors[i % 2]), "queue_s": 1.0 + i}
                    version = await admin.put(at, document, version)
                gone = await admin.client.delete(at, headers={"if-match": f'"{version}"'})
                assert 200 == gone.status_code, gone.text
                times += 10

        await admin.put("/channels/stored", channel(one))
        await admin.put("/models/n", MODEL)
        await within(TAKEN_S, lambda: gateway.answers(200, gateway.chat(model="n")))
        async with asked(gateway, "n") as answers:
            await asyncio.gather(*(edit(i) for i in range(20)))
            rate = times / (time.monotonic() - began)
        assert {(200, b"stored", ANSWER)} == set(answers)
        version = (await admin.client.get("/models/n")).json()["data"]["origin"]["version"]
        tag = {"if-match": f'"{version}"'}
        assert 200 == (await admin.client.delete("/models/n", headers=tag)).status_code
        assert 404 == (await gateway.send(gateway.chat(model="n")))[0]
        assert not two.requests
    assert rate > LEAST_A_SECOND, (rate, len(answers))


async def test_every_node_takes_it_up(tmp_path):
    """Two gateways on one database, within two seconds; a file that has the name is refused."""
    async with Double([OK]) as vendor, running(tmp_path, vendor) as gateway:
        with (tmp_path / "second.log").open("wb") as log:
            second = await asyncio.create_subprocess_exec(
                str(Path(sys.executable).with_name("trivium")), "serve", cwd=tmp_path, stderr=log
            )
        other = Running(tmp_path, second, gateway.key)
        try:
            deadline = time.monotonic() + 60
            while "is listening on" not in (tmp_path / "second.log").read_text():
                assert time.monotonic() < deadline
                await asyncio.sleep(0.05)
            text = (tmp_path / "second.log").read_text()
            port = int(text.partition("is listening on ")[2].split()[0].rpartition(":")[2])
            async with Admin.of(gateway) as admin:
                await admin.put("/channels/stored", channel(vendor))
                await admin.put("/models/n", MODEL)
                # whoever made it is served by it at once
                assert 200 == (await gateway.send(gateway.chat(model="n")))[0]
                began = time.monotonic()

                async def there():
                    return 200 == (await other.send(gateway.chat(model="n"), port))[0]

                await within(TAKEN_S, there)
                assert time.monotonic() - began < TAKEN_S
            doubled = settings(vendor, models=("m", "n"))
            (tmp_path / "trivium.toml").write_text(doubled)
            refused = await gateway.said("settings_refused")
            assert [True] == [
                line.startswith('database, version 2: models["n"].name is taken: ')
                for line in refused["problems"]
            ]
            assert 200 == (await gateway.send(gateway.chat(model="n")))[0]
        finally:
            second.terminate()
            await second.wait()


async def test_a_start_is_refused_where_file_and_database_do_not_fit(tmp_path):
    """With every problem, as for a bad file; with another secret it says what to do."""
    async with Double([OK]) as vendor:
        async with running(tmp_path, vendor) as gateway, Admin.of(gateway) as admin:
            await admin.put("/channels/stored", channel(vendor))
            await admin.put("/models/n", MODEL)
        for text, why in (
            (settings(vendor, models=("n",)), 'database, version 2: models["n"].name is taken'),
            (settings(vendor).replace('"main"', '"stored"'), 'channels["stored"].name is taken'),
        ):
            (tmp_path / "trivium.toml").write_text(text)
            again = start(tmp_path, gateway.key)
            assert 1 == await again.ended()
            assert why in again.log.replace('\\"', '"'), again.log
        (tmp_path / "trivium.toml").write_text(settings(vendor))
        key = tmp_path / "journal" / "trivium.key"
        kept = key.read_bytes()
        key.write_bytes(b"2" * 32)
        again = start(tmp_path, gateway.key)
        assert 1 == await again.ended()
        why = 'channels["stored"].api_key cannot be opened: it was sealed with another'
        assert why in again.log.replace('\\"', '"'), again.log
        key.write_bytes(kept)
        again = start(tmp_path, gateway.key)
        try:
            await listening(again)
            assert 200 == (await again.send(again.chat(model="n")))[0]
        finally:
            again.process.terminate()
            await again.ended()


async def test_a_gateway_that_is_killed_while_a_set_is_applied(tmp_path):
    """All of it is there, or nothing: at whichever moment."""
    async with Double([OK]) as vendor:
        await prepare(tmp_path, settings(vendor))
        entries = [{"kind": "channel", "name": "stored", "document": channel(vendor)}]
        entries += [{"kind": "model", "name": f"n{i}", "document": MODEL} for i in range(200)]
        token = None
        for after_s in (0.05, 0.2):
            gateway = start(tmp_path, None)
            await listening(gateway)
            async with Admin.of(gateway, token) as admin:
                token = admin.token
                sent = asyncio.ensure_future(
                    admin.client.post("/apply", json={"entries": entries, "revision": 0})
                )
                await asyncio.sleep(after_s)
                gateway.process.kill()
                gateway.process.wait()
                with contextlib.suppress(httpx.HTTPError):
                    await sent
            async with database(tmp_path) as db, db.read() as conn:
                revision = await store.current(conn)
                found = await store.page(conn, None, 1_000)
                told = await store.newest(conn, None, 10)
            assert (revision.value, len(found), [len(each.diffs) for each in told]) in (
                (0, 0, []),
                (1, 201, [201]),
            )
            if revision.value:
                break


async def test_a_command_that_is_killed_while_it_applies_a_file(tmp_path):
    """The same of `trivium config apply`; and once it is let be, it is all there."""
    async with Double([OK]) as vendor:
        await prepare(tmp_path, settings(vendor))
        lines = [f'[[channels]]\nname = "stored"\nprovider = "openai"\napi_key = "{KEY}"']
        lines += [
            f'[[models]]\nname = "n{i}"\nfree = true\nbindings = [{{ channel = "stored" }}]'
            for i in range(300)
        ]
        (tmp_path / "made.toml").write_text("\n".join(lines))
        whole = (1, 301, [301])

        async def state():
            async with database(tmp_path) as db, db.read() as conn:
                told = await store.newest(conn, None, 10)
                found = await store.page(conn, None, 1_000)
                return (await store.current(conn)).value, len(found), [len(e.diffs) for e in told]

        command = [str(TRIVIUM), "config", "apply", "made.toml", "--yes"]
        log = tmp_path / "trivium.db-wal"

        def size():
            return log.stat().st_size if log.exists() else 0

        # while it reads and checks; and when the first of what it writes is on the disk
        for limit_s, at_writing in ((0.4, False), (60.0, True)):
            before, began = size(), time.monotonic()
            process = await asyncio.create_subprocess_exec(*command, cwd=tmp_path, stdout=DEVNULL)
            while process.returncode is None and time.monotonic() - began < limit_s:
                if at_writing and size() > before:
                    break
                await asyncio.sleep(0.001)
            assert process.returncode is None
            process.kill()
            await process.wait()
            found = await state()
            assert found in ((0, 0, []), whole)
        if found != whole:
            process = await asyncio.create_subprocess_exec(*command, cwd=tmp_path, stdout=DEVNULL)
            assert (0, whole) == (await process.wait(), await state())
