"""A key works from its first request on, wherever it was made; keys that are made up cost nothing."""

import asyncio
import secrets
import time

import msgspec
import pytest

import warm
from end_to_end.running import ANSWER, TRIVIUM, identity, running
from gateway import Gateway
from scripted_upstream import Double, Send, sized
from trivium.clock import SystemClock
from trivium.identity import key_refresher as key_refresher_module
from trivium.identity import keys, store
from trivium.identity.key_refresher import PAUSE_S, KeyRefresher
from trivium.identity.service import Identity
from trivium.identity.snapshot import Snapshot
from waiting import quickest

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
SLOW_POLL = "[storage]\npoll_s = 60\n"
BODY = msgspec.json.encode({"model": "m", "messages": [{"role": "user", "content": "Hi"}]})


@pytest.mark.asyncio
async def test_a_key_of_the_command_line_answers_on_its_first_request(tmp_path):
    """The next poll is a minute away; a second key, made while the first is used, does as well."""
    async with (
        Double([OK] * 4) as vendor,
        running(tmp_path, vendor, rest=SLOW_POLL) as gateway,
    ):
        made = await asyncio.to_thread(
            warm.run, [TRIVIUM, "key", "create", "--user", "ada"], cwd=tmp_path, check=True,
            capture_output=True, text=True,
        )  # fmt: skip
        assert 200 == (await gateway.send(gateway.chat(key=made.stdout.strip())))[0]
        async with identity(tmp_path) as people:
            for _ in range(3):
                _, key = await people.create_key("ada")
                assert 200 == (await gateway.send(gateway.chat(key=key)))[0]

        async def refused():
            made_up = keys.issue(secrets.token_bytes)
            assert 401 == (await gateway.send(gateway.chat(key=made_up)))[0]

        await quickest(1 + PAUSE_S, refused)


@pytest.mark.asyncio
async def test_a_flood_of_made_up_keys_makes_a_handful_of_polls(database, clock, monkeypatch):
    """Five a second; a key that is made in the midst of it works from its first request on."""
    polls = []
    current = store.current_revision

    async def counted(conn):
        polls.append(1)
        return await current(conn)

    monkeypatch.setattr(store, "current_revision", counted)
    # a machine that is busy with something else is not a database that is frozen
    monkeypatch.setattr(key_refresher_module, "PATIENCE_S", 60.0)
    people = Identity(database, clock)
    await people.create_user("ada", "ada@example.com", unlimited=True)
    snapshot = Snapshot(database, SystemClock())
    await snapshot.load()
    key_refresher = KeyRefresher(snapshot, asyncio.get_running_loop().time)
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        gateway.listener.open(gateway.services, snapshot.get, key_refresher.find)

        async def asked(key):
            raw = gateway.head(
                "/v1/chat/completions", BODY, f"Authorization: Bearer {key}", key=False
            )
            return (await gateway.send(raw))[0]

        async def flood():
            statuses = {await asked(keys.issue(secrets.token_bytes))}
            while time.monotonic() < ends:
                statuses.add(await asked(keys.issue(secrets.token_bytes)))
            return statuses

        polls.clear()
        began = time.monotonic()
        ends = began + 0.7
        floods = [asyncio.create_task(flood()) for _ in range(20)]
        await asyncio.sleep(0.3)
        _, key = await people.create_key("ada")
        assert 200 == await asked(key)
        assert [{401}] * 20 == await asyncio.gather(*floods)
        assert 2 <= len(polls) <= (time.monotonic() - began) / PAUSE_S + 1
    await key_refresher.close()
