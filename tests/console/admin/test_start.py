"""First steps: what there is, what comes next; balance and a key of one's own, once."""

import pytest

from console.catalogue.editing import CHANNEL, MODEL, editing, fields
from console.visiting import Seen, user_of, visiting
from trivium.console.admin import start
from trivium.ledger.model import NANOS

pytestmark = pytest.mark.asyncio
FREE = {"free": True, "bindings": [{"channel": "main"}]}


async def test_the_steps_one_after_the_other(database):
    """Each tells what is next, and where it leads."""
    async with editing(database) as editor:
        page = await editor.get(start.PATH)
        assert "/admin/channels/new?next=start" in page.text
        assert ("Book it" in page.text, "playground?" in page.text) == (False, False)
        await editor.put("channel", "main", CHANNEL)
        page = await editor.get(start.PATH)
        assert "/admin/models/new?channel=main&amp;next=start" in page.text
        await editor.put("model", "m", MODEL)
        page = await editor.get(start.PATH)
        form = fields(page)
        assert (start.AMOUNT, "Playground") == (form["amount"], form["name"])
        made = await editor.send(start.PATH, 200, **form)
        assert "sk-gateway-" in made.text
        assert "/account/playground?model=m" in made.text
        assert 10 * NANOS == await editor.console.entries.balance(editor.user.id)
        assert 1 == len(await editor.console.own_keys.own(editor.user.id))
        again = await editor.send(start.PATH, 303, **form)
        assert start.PATH == again.headers["location"]
        assert 10 * NANOS == await editor.console.entries.balance(editor.user.id)
        assert 1 == len(await editor.console.own_keys.own(editor.user.id))
        assert "sk-gateway-" not in (await editor.get(start.PATH)).text


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"amount": "much"}, "amount"),
        ({"amount": "-5"}, "amount"),
        ({"amount": "1001"}, "amount"),
        ({"amount": "", "name": "x" * 101}, "name"),
        ({"amount": "", "name": "a\u0007b"}, "name"),
    ],
)
async def test_what_is_wrong_stands_beside_its_field(database, sent, field):
    """And nothing is booked."""
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        await editor.put("model", "m", MODEL)
        answer = await editor.send(start.PATH, 422, **await editor.filled(start.PATH) | sent)
        assert f'id="{field}-error"' in answer.text
        assert 0 == await editor.console.entries.balance(editor.user.id)


async def test_a_form_that_is_too_old(database):
    """It is sent again."""
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        await editor.put("model", "m", FREE)
        form = await editor.filled(start.PATH, once="")
        answer = await editor.send(start.PATH, 422, **form)
        assert "too old" in Seen(answer.text).text
        await editor.send(start.PATH, 200, **fields(answer))


async def test_only_administrators_take_them(database):
    """Nobody else books balance."""
    async with editing(database) as editor, visiting(database, editor.console) as visitor:
        await visitor.log_in(await user_of(editor.console, "ada"))
        assert 403 == (await visitor.get(start.PATH)).status_code
        await visitor.get("/account/keys/new")
        assert 403 == (await visitor.post(start.PATH, amount="5", once="x" * 22)).status_code
