"""Commands look at what a worker serves: the file, and the database beside it."""

import asyncio
import sqlite3

import pytest

from catalogue.sealed import put
from trivium.cli import served
from trivium.settings.load import load
from trivium.storage.database import Database
from trivium.wiring.catalogue import seal_of
from trivium.wiring.secret import keys_of

ENTRIES = {
    ("channel", "stored"): {"name": "stored", "provider": "openai", "api_key": "sk-canary-stored"},
    ("model", "gpt-5"): {
        "name": "gpt-5",
        "price": {"input": "99", "output": "10"},
        "bindings": [{"channel": "stored"}],
    },
}


async def keep(entries):
    """Have the database of the folder have them."""
    database = Database("sqlite:///trivium.db")
    try:
        await put(database, entries, seal_of(keys_of(load(None, {}))))
    finally:
        await database.close()


@pytest.fixture
def both(settings, migrated):
    """A file with channels, and a database with others."""
    asyncio.run(keep(ENTRIES))
    return settings


def test_both_are_read(both):
    """The database's with its credential; the file's as ever."""
    loaded, path = served.read(None)
    assert (["first", "second", "stored"], ["sonnet", "gpt-5"], both.name) == (
        [each.name for each in loaded.settings.channels],
        [each.name for each in loaded.settings.models],
        path.name,
    )
    assert "sk-canary-stored" == loaded.settings.channels[2].api_key
    assert [False, False, True] == [loaded.is_stored(i) for i in range(3)]


def test_channels_and_explain_and_prices_and_reconcile(both, trivium, folder):
    """Each of them knows the database's channel."""
    listed = trivium("channel", "list", "--json").data
    assert ["first", "second", "stored"] == [each["channel"] for each in listed]
    assert ["gpt-5"] == listed[2]["models"]
    told = trivium("explain", "--model", "gpt-5", "--json")
    assert (0, "stored") == (told.code, told.data["steps"][0]["channel"])
    found = trivium("prices", "show", "--model", "gpt-5", "--json").data["models"]
    assert [("stored", "99")] == [
        (each["channel"], each["lines"][0]["adopted"]) for each in found
    ]  # fmt: skip
    assert 'name = "gpt-5"' not in trivium("prices", "adopt", "sonnet").out
    assert 0 == trivium("prices", "adopt", "gpt-5").code
    (folder / "usage.csv").write_text(
        "start_time,end_time,model,input_tokens,output_tokens,num_model_requests,api_key_id\n"
        "1767225600,1767312000,gpt-5,1,1,1,k\n"
    )
    beside = trivium("ledger", "reconcile", "usage.csv", "--channel", "stored", "--all")
    assert "beside stored" in beside.err
    tested = trivium("channel", "test", "other")
    assert "there are: first, second, stored" in tested.err
    assert "canary" not in str(listed) + told.out + tested.err


def test_without_a_database_the_file_is_all_there_is(settings, trivium, folder):
    """Nothing is made by looking."""
    listed = trivium("channel", "list", "--json")
    assert (0, 2, "") == (listed.code, len(listed.data), listed.err)
    assert not (folder / "trivium.db").exists()


def test_a_database_that_cannot_be_read_is_said(settings, trivium, folder):
    """One of before: with other tables, or none. The file is gone on with."""
    sqlite3.connect(folder / "trivium.db").execute("CREATE TABLE x (y)").connection.close()
    told = trivium("explain", "--model", "sonnet", "--json")
    assert 0 == told.code
    assert "what the database has of the catalogue is left out: the database has not" in told.err


def test_what_does_not_fit_together_is_told(both, trivium, folder):
    """As a start would refuse it; with another secret as well."""
    asyncio.run(keep({("model", "sonnet"): {"name": "sonnet", "free": True}}))
    told = trivium("channel", "list")
    assert (1, True) == (told.code, 'models["sonnet"].name is taken: trivium.toml' in told.err)
    asyncio.run(keep({("model", "sonnet"): None}))
    (folder / "journal" / "trivium.key").write_bytes(b"2" * 32)
    told = trivium("channel", "list")
    assert 'channels["stored"].api_key cannot be opened: it was sealed with another' in told.err
