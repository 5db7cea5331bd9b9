"""Pausing, resuming, deleting and undoing: asked with what would happen, done once."""

import pytest

from console.catalogue.editing import CANARY, CHANNEL, MODEL, editing, fields
from console.visiting import Seen
from trivium.observe.record import Record
from trivium.observe.store import insert, row_of

pytestmark = pytest.mark.asyncio
ASK = "/admin/catalogue/ask"
PAUSE = f"{ASK}?act=pause&kind=channel&name=main"
RESUME = f"{ASK}?act=resume&kind=channel&name=main"
DELETE = f"{ASK}?act=delete&kind=model&name=m"


async def made(editor):
    await editor.put("channel", "main", CHANNEL)
    await editor.put("model", "m", MODEL)


async def test_a_channel_is_paused_and_resumed(database):
    """What requests of the last hour would lose is told before."""
    async with editing(database) as editor:
        await made(editor)
        record = Record(
            "r1", editor.console.clock.now() - 60, model="m", channel="main", status=200
        )
        before = Record("r0", record.at, model="m", channel="gone", status=200)
        async with database.write() as conn:
            await insert(conn, [row_of(each, int) for each in (record, before)])
        page = await editor.get(PAUSE)
        assert 1 == page.text.count("the model has no channel that is switched on")
        assert 2 == len(await editor.console.catalogue.changes())
        await editor.send(ASK, **fields(page) | {"reason": "the vendor asks"})
        assert (await editor.document("channel", "main"))["disabled"] is True
        assert "main is paused." in (await editor.get("/admin/channels")).text
        assert {"api_key": CANARY} == await editor.secrets("channel", "main")
        await editor.send(ASK, **fields(await editor.get(RESUME)))
        assert "disabled" not in await editor.document("channel", "main")


async def test_a_model_is_deleted(database):
    """After the question."""
    async with editing(database) as editor:
        await made(editor)
        await editor.send(ASK, **fields(await editor.get(DELETE)))
        assert await editor.document("model", "m") is None
        assert 404 == (await editor.visitor.get(DELETE)).status_code


async def test_what_was_changed_since_is_asked_again(database):
    """With the version of now."""
    async with editing(database) as editor:
        await made(editor)
        asked = fields(await editor.get(DELETE))
        await editor.put("model", "m", MODEL | {"title": "Other"})
        told = await editor.send(ASK, 409, **asked)
        assert "It was changed since you asked" in told.text
        await editor.send(ASK, **fields(told))
        assert await editor.document("model", "m") is None


async def test_what_would_not_fit_is_not_offered(database):
    """A channel that models are bound to: their problem is told, and there is no button."""
    async with editing(database) as editor:
        await made(editor)
        path = f"{ASK}?act=delete&kind=channel&name=main"
        answer = await editor.visitor.get(path)
        assert 409 == answer.status_code
        assert 'models["m"].bindings[0].channel' in Seen(answer.text).text
        assert "danger" not in answer.text.partition("<main")[2]
        await editor.send(ASK, 409, **fields(answer))
        assert await editor.document("channel", "main") is not None


async def test_a_change_is_undone(database):
    """With its credentials, once."""
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        await editor.put("channel", "main", None)
        [deleted, _] = await editor.console.catalogue.changes()
        path = f"{ASK}?act=undo&change={deleted.id}"
        asked = fields(await editor.get(path))
        await editor.send(ASK, **asked)
        assert {"api_key": CANARY} == await editor.secrets("channel", "main")
        assert "was undone already" in (await editor.send(ASK, 409, **asked)).text
        for wrong in ("0", "99", "x", "", "9" * 30):
            path = f"{ASK}?act=undo&change={wrong}"
            assert 404 == (await editor.visitor.get(path)).status_code, wrong


@pytest.mark.parametrize(
    "query",
    [
        "", "act=delete", "act=delete&kind=x&name=main", "act=burn&kind=channel&name=main",
        "act=delete&kind=channel&name=none", "act=pause&kind=model&name=m",
        "act=delete&kind=channel&name=main%00", "act=delete&kind=channel",
    ],
)  # fmt: skip
async def test_questions_about_nothing(database, query):
    """There is no such page."""
    async with editing(database) as editor:
        await made(editor)
        assert 404 == (await editor.visitor.get(f"{ASK}?{query}")).status_code
        sent = dict(pair.split("=") for pair in query.split("&") if pair and "%00" not in pair)
        await editor.get("/admin/channels")
        await editor.send(ASK, 404, **sent)
