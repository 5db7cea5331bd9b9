"""Prices of file and database are compared, and those of the database adopted, at a shell."""

import asyncio

import pytest

from trivium.catalogue.model import ChangeAuthor, EntryName
from trivium.catalogue.service import EntryEdit
from trivium.clock import SystemClock
from trivium.routing.reload import FileWatch, SettingsReader
from trivium.settings.load import load_with_source
from trivium.storage import migrate
from trivium.storage.database import Database
from trivium.wiring.catalogue import stored_parts

SETTINGS = """
[[channels]]
name = "main"
provider = "openai"
api_key = "sk-vendor-0123456789"

[[models]]
name = "filed"
price = { input = "1", output = "2" }
bindings = [{ channel = "main", model = "gpt-5" }]
"""
MODEL = {"price": {"input": "9", "output": "9"},
         "bindings": [{"channel": "main", "model": "gpt-5"}]}  # fmt: skip


@pytest.fixture(autouse=True)
def settings(folder):
    """A file and a database, each with a model."""
    path = folder / "trivium.toml"
    path.write_text(SETTINGS)
    asyncio.run(_put(path))
    return path


async def _put(path):
    settings = load_with_source(path, {}).settings
    reader = SettingsReader(path, {})
    watch = FileWatch(reader, reader.read(), lambda *_: None)
    database = Database(settings.storage.url)
    try:
        await migrate.ensure(database)
        service = stored_parts(settings, database, reader, watch).service(SystemClock())
        edits = [EntryEdit(at=EntryName("model", "stored"), document=MODEL)]
        await service.change(edits, ChangeAuthor())
    finally:
        await database.close()


def test_both_are_compared(trivium):
    done = trivium("prices", "compare")
    assert 0 == done.code
    assert ["filed", "stored"] == [line.split()[0] for line in done.out.splitlines()[1:]]
    assert "vendors' lists were read: never" in done.err
    data = trivium("prices", "compare", "--differing", "--json").data
    assert [("filed", None), ("stored", 1)] == [(x["model"], x["version"]) for x in data["models"]]


def test_a_price_is_taken_by_name(trivium):
    """What was made by hand only with --replace; the file's never."""
    assert "was made by hand" in trivium("prices", "take", "stored").err
    assert "which is yours to change" in trivium("prices", "take", "filed", "--replace").err
    done = trivium("prices", "take", "stored", "--replace", "--reason", "as they say")
    assert (0, True) == (done.code, "change 2: adopted for stored" in done.err)
    (_, stored) = trivium("prices", "compare", "--json").data["models"]
    assert ("same", "openai/gpt-5") == (stored["state"], stored["adopted"]["place"])
    assert "nothing differs" in trivium("prices", "take", "--all").err


def test_all_leaves_what_was_made_by_hand(trivium):
    done = trivium("prices", "take", "--all")
    assert "stored stays: its price was made by hand" in done.err
    assert 1 == trivium("prices", "take").code
    assert 1 == trivium("prices", "take", "--all", "--replace").code
    assert "since: must be" in trivium("prices", "take", "stored", "--replace", "--since", "x").err


def test_proposals_are_listed(trivium):
    assert 0 == trivium("prices", "proposals").code
    assert {"proposals": []} == trivium("prices", "proposals", "--json").data
