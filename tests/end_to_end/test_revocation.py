"""A key that is taken away is refused everywhere within two seconds, whatever runs."""

import asyncio

import pytest

import warm
from end_to_end.running import ANSWER, TRIVIUM, identity, running
from scripted_upstream import Double, Send, Wait, sized
from trivium.identity.user_keys import OwnKeys
from waiting import within

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
WITHIN_S = 2.0
SHARED = '[shared]\nurl = "valkey://127.0.0.1:6379"\n'


async def only_comes(status, ask):
    """Wait until nothing but this status comes, which takes no longer than what is promised."""

    async def comes():
        return {status} == set(await ask())

    await within(WITHIN_S, comes)


@pytest.mark.asyncio
async def test_the_command_line_takes_a_key_away(tmp_path):
    """Within two seconds of the command's end, on a connection that is kept."""
    async with Double([OK]) as vendor, running(tmp_path, vendor) as gateway:
        line = await gateway.wire()

        async def ask():
            await line.send(gateway.chat())
            return [(await line.answer())[0]]

        assert [200] == await ask()
        done = await asyncio.to_thread(
            warm.run, [TRIVIUM, "key", "revoke", gateway.key], cwd=tmp_path, check=True,
            capture_output=True,
        )  # fmt: skip
        assert gateway.key not in (done.stdout + done.stderr).decode()
        await only_comes(401, ask)
        assert [401] * 3 == [(await ask())[0] for _ in range(3)]
        await line.close()


@pytest.mark.asyncio
async def test_every_worker_refuses_a_key_that_was_taken_away(tmp_path):
    """Two processes, one port; a user that is disabled loses all keys, and gets them back, and so
    does a key that is paused.
    """
    async with (
        Double([OK]) as vendor,
        running(tmp_path, vendor, server="workers = 2", rest=SHARED) as gateway,
    ):
        lines = [await gateway.wire() for _ in range(16)]

        async def ask():
            for line in lines:
                await line.send(gateway.chat())
            return [(await line.answer())[0] for line in lines]

        async def workers():
            """Ids of requests begin with a random prefix for each process."""
            for line in lines:
                await line.send(gateway.get("/healthz"))
            return {(await line.answer())[1][b"x-request-id"][:20] for line in lines}

        assert {200} == set(await ask())
        assert 2 == len(await workers())
        async with identity(tmp_path) as people:
            await people.disable_user("ada")
            await only_comes(401, ask)
            await people.enable_user("ada")
            await only_comes(200, ask)
            own = OwnKeys(people._db, people._clock)
            (key,) = await people.list_keys("ada")
            await own.switch(key.user_id, key.id, paused=True)
            await only_comes(401, ask)
            await own.switch(key.user_id, key.id, paused=False)
            await only_comes(200, ask)
            await people.revoke_key(gateway.key)
            await only_comes(401, ask)
            _, fresh = await people.create_key("ada")
        assert 200 == (await gateway.send(gateway.chat(key=fresh)))[0]
        for line in lines:
            await line.close()


@pytest.mark.asyncio
async def test_what_runs_when_its_key_is_taken_away_does_not_bring_it_back(tmp_path):
    """A request under way ends well; nothing of it is written over the key's new state."""
    slow = [Wait(3.0), *OK]
    async with Double([slow, OK]) as vendor, running(tmp_path, vendor) as gateway:
        line = await gateway.wire()
        await line.send(gateway.chat())
        while not vendor.requests:
            await asyncio.sleep(0.01)
        async with identity(tmp_path) as people:
            await people.revoke_key(gateway.key)
            assert 200 == (await line.answer())[0]
            await line.send(gateway.chat())
            assert 401 == (await line.answer())[0]
            assert [True] == [key.disabled for key in await people.list_keys("ada")]
        await line.close()
