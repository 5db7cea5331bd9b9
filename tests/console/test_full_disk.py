"""A full disk below the catalogue and the prices: every page says so, and nothing is half done."""

import contextlib

import msgspec
import pytest
from sqlalchemy import text

from catalogue.pricing.world import PriceWorld, model, offered
from console.admin.test_prices import AT as PRICES
from console.catalogue.editing import CHANNEL, MODEL, editing, fields
from console.visiting import Seen, console_over, user_of, visiting
from trivium.catalogue.model import EntryName
from trivium.clock import FixedClock
from trivium.identity.model import UserRole
from trivium.storage.errors import StorageError

pytestmark = pytest.mark.asyncio
SAID = "its disk is full. Nothing was changed"
TRIES = 40
WHY = "w" * 480
"""Long, so that a change soon needs a page of the file."""


async def fill(database):
    """Let the file not grow any more, and take what was free in it."""
    async with database.write() as conn:
        await conn.execute(text("CREATE TABLE IF NOT EXISTS filling (data BLOB)"))
        size = await conn.scalar(text("PRAGMA page_count"))
        await conn.execute(text(f"PRAGMA max_page_count = {size}"))
    for size in (16_000, 4_000, 1_000, 100) * 20:
        with contextlib.suppress(StorageError):
            async with database.write() as conn:
                await conn.execute(text(f"INSERT INTO filling VALUES (zeroblob({size}))"))


async def room(database):
    """Let it grow again."""
    async with database.write() as conn:
        await conn.execute(text("PRAGMA max_page_count = 1000000"))


async def kept(console):
    """The revision of the catalogue, its entries, and how many changes there were."""
    revision, entries = await console.catalogue.everything()
    documents = {at: entry.body.document for at, entry in entries.items()}
    changes = await console.catalogue.changes(limit=100)
    return revision.value, documents, len(changes)


FORMS = {
    "channel": ("?provider=openai", {"keys": "sk-2"}),
    "model": ("?channel=main&model=none", {"price.input": "1", "price.output": "2"}),
    "group": ("", {"factor": "0.5"}),
}


@pytest.mark.parametrize("kind", FORMS)
async def test_an_entry_is_made_or_not(database, kind):
    """A page that says so, whole; with room again the same form makes it, as it was typed."""
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        query, typed = FORMS[kind]
        to = f"/admin/{kind}s/new"
        form = await editor.filled(f"{to}{query}", reason=WHY, **typed)
        await fill(database)
        for number in range(TRIES):
            before = await kept(editor.console)
            sent = form | {"name": f"{kind}-{number}"}
            answer = await editor.visitor.post(to, **sent)
            if answer.status_code != 303:
                break
            assert await editor.document(kind, sent["name"]) is not None
        assert (503, True) == (answer.status_code, SAID in Seen(answer.text).text)
        assert before == await kept(editor.console)
        assert 200 == (await editor.visitor.get("/admin/changes")).status_code
        await room(database)
        await editor.send(to, **sent)
        assert await editor.document(kind, sent["name"]) is not None


async def test_a_change_a_pause_and_an_undoing_are_whole_or_not_at_all(database):
    """Each is refused by a page, and done once there is room."""
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        await editor.put("model", "wise", MODEL)
        (last, *_) = await editor.console.catalogue.changes(limit=1)
        await editor.put("group", "half", "0.5")
        asks = {
            "/admin/routing": ("/admin/routing", {"repeats": "3"}),
            "/admin/groups/edit?name=half": ("/admin/groups/edit?name=half", {"factor": "0.6"}),
            "/admin/catalogue/ask?act=pause&kind=channel&name=main": ("/admin/catalogue/ask", {}),
            f"/admin/catalogue/ask?act=undo&change={last.id}": ("/admin/catalogue/ask", {}),
        }
        forms = {
            page: fields(await editor.get(page)) | more | {"reason": WHY}
            for page, (_, more) in asks.items()
        }
        await fill(database)
        # changes that still find room use it up
        for number in range(TRIES):
            made = {"name": f"g{number}", "factor": "1", "reason": WHY}
            if (await editor.visitor.post("/admin/groups/new", **made)).status_code == 503:
                break
        before = await kept(editor.console)
        told = {
            page: await editor.visitor.post(to, **forms[page]) for page, (to, _) in asks.items()
        }
        refused = [page for page, answer in told.items() if answer.status_code == 503]
        assert refused, {page: answer.status_code for page, answer in told.items()}
        assert all(SAID in Seen(told[page].text).text for page in refused)
        done = len(asks) - len(refused)
        after = await kept(editor.console)
        assert (before[0] + done, before[2] + done) == (after[0], after[2])
        await room(database)
        for page in refused:
            await editor.send(asks[page][0], **forms[page])
        at = EntryName("channel", "main")
        assert (await kept(editor.console))[1][at]["disabled"] is True


async def test_a_price_is_adopted_or_not(sqlite_database, tmp_path):
    """Neither the price nor its origin is stored alone."""
    world = PriceWorld(sqlite_database, tmp_path, "", FixedClock())
    names = {f"m{number}": model() for number in range(TRIES)}
    await world.put(**names)
    for name in names:
        await world.adopt(name, replaces=True)
    world.lists = {"main": offered(gpt_x=("1", "9"))}
    await world.looks.look()
    console = msgspec.structs.replace(
        console_over(sqlite_database, world.clock),
        prices=world.prices,
        price_looks=world.looks,
        catalogue=world.catalogue,
    )
    async with visiting(sqlite_database, console) as visitor:
        await visitor.log_in(await user_of(console, "eve", UserRole.ADMIN))
        await visitor.get(PRICES)
        await fill(sqlite_database)
        before = await kept(console)
        answer = await visitor.post(f"{PRICES}/adopt-all")
        assert (503, True) == (answer.status_code, SAID in Seen(answer.text).text)
        assert before == await kept(console)
        assert 200 == (await visitor.get(PRICES)).status_code
        await room(sqlite_database)
        assert 303 == (await visitor.post(f"{PRICES}/adopt-all")).status_code
        assert before[0] < (await kept(console))[0]
