"""Routing rules in the browser."""

import msgspec
import pytest

from console.catalogue.editing import FILE, editing, fields
from console.visiting import Seen
from trivium.console.catalogue import routing_rules
from trivium.settings.model import RoutingSettings

pytestmark = pytest.mark.asyncio
PATH = routing_rules.PATH


async def test_rules_are_set_and_taken_back(database, tmp_path):
    """The file's are shown with their line, and cannot be set here."""
    async with editing(database, file=FILE, folder=tmp_path) as editor:
        page = await editor.get(PATH)
        assert "repeats = 1" in Seen(page.text).text
        assert ("repeats" in fields(page), "trivium.toml:1" in page.text) == (False, True)
        form = fields(page) | {"attempts_max": "3", "wishes": "false", "slow_s": "12.5"}
        tried = await editor.send(PATH, 200, **form | {"act": "try"})
        assert "attempts_max" in Seen(tried.text).text
        await editor.send(PATH, **form)
        assert {"attempts_max": 3, "wishes": False, "slow_s": 12.5} == (
            await editor.document("routing", "routing")
        )
        form = await editor.filled(PATH)
        assert ("3", "false", "12.5") == (form["attempts_max"], form["wishes"], form["slow_s"])
        await editor.send(PATH, **form | dict.fromkeys(routing_rules.WORDS, ""))
        assert await editor.document("routing", "routing") is None
        await editor.send(PATH, **await editor.filled(PATH))
        assert 2 == len(await editor.console.catalogue.changes())


async def test_what_is_wrong_stands_beside_its_field(database, tmp_path):
    """And what the file has is refused."""
    async with editing(database, file=FILE, folder=tmp_path) as editor:
        form = await editor.filled(PATH, attempts_max="0", window_s="long")
        answer = await editor.send(PATH, 422, **form)
        for field in ("attempts_max", "window_s"):
            assert f'id="{field}-error"' in answer.text
        answer = await editor.send(PATH, 422, **await editor.filled(PATH, repeats="2"))
        assert "is taken" in Seen(answer.text).text


async def test_of_two_who_edit_the_second_is_told(database):
    """As everywhere."""
    async with editing(database) as editor:
        await editor.put("routing", "routing", {"repeats": 1})
        form = await editor.filled(PATH, repeats="3")
        await editor.put("routing", "routing", {"repeats": 2})
        told = await editor.send(PATH, 409, **form)
        assert "repeats 2 3" in Seen(told.text).text
        await editor.send(PATH, **fields(told))
        assert {"repeats": 3} == await editor.document("routing", "routing")


async def test_every_rule_is_there():
    """With its words."""
    assert RoutingSettings.__struct_fields__ == tuple(routing_rules.WORDS)
    assert msgspec.structs.asdict(RoutingSettings()).keys() == routing_rules.WORDS.keys()
