"""Entries wherever they are."""

import pytest

from console.catalogue.editing import CHANNEL, FILE, editing
from trivium.catalogue.model import CatalogueKind
from trivium.console.catalogue import entries

pytestmark = pytest.mark.asyncio


async def test_the_file_comes_first_and_has_its_lines(database, tmp_path):
    """Then the database's by name."""
    async with editing(database, file=FILE, folder=tmp_path) as editor:
        console, kind = editor.console, CatalogueKind.CHANNEL
        for name in ("z", "a"):
            await editor.put("channel", name, CHANNEL)
        place = f"{tmp_path}/trivium.toml:5"
        assert {"filed": place, "a": "", "z": ""} == await entries.names(console, kind)
        assert ["filed", "a", "z"] == [each.name for each in await entries.listed(console, kind)]
        mine = await entries.one(console, entries.named(kind, "a"))
        assert (2, editor.user.id, "") == (mine.version, mine.updated_by, mine.place)
        filed = await entries.one(console, entries.named(kind, "filed"))
        assert (0, place, "…file") == (filed.version, filed.place, filed.document["api_key"])
        assert await entries.one(console, entries.named(kind, "none")) is None
