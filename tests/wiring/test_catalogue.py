"""The catalogue of the database in one worker: at the start, followed, changed."""

import asyncio
import contextlib

import pytest
from structlog.testing import capture_logs

from catalogue.sealed import put
from trivium.catalogue.model import ChangeAuthor, EntryName
from trivium.catalogue.service import EntryEdit
from trivium.clock import FixedClock
from trivium.routing.reload import FileWatch, SettingsReader
from trivium.settings.errors import SettingsError
from trivium.storage.root_key import RootKeys
from trivium.wiring.catalogue import StoredParts, parts_without_file, seal_of

KEYS = RootKeys(b"1" * 32)
TEXT = """\
[[channels]]
name = "main"
provider = "openai"
api_key = "k"
[[models]]
name = "m"
free = true
bindings = [{ channel = "main" }]
"""
CHANNEL = {"name": "a", "provider": "openai", "api_key": "sk-canary"}
MODEL = {"name": "n", "free": True, "bindings": [{"channel": "a"}, {"channel": "main"}]}

pytestmark = pytest.mark.asyncio


class Worker:
    """What one worker has."""

    def __init__(self, folder, database, text=TEXT):
        self.path = folder / "trivium.toml"
        self.path.write_text(text)
        self.swaps = []
        reader = SettingsReader(self.path, {})
        self.current = reader.read()
        self.files = FileWatch(reader, self.current, lambda *new: self.swaps.append(new))
        self.parts = StoredParts(database, seal_of(KEYS), reader, self.files)

    @property
    def models(self):
        """Of the last swap."""
        return list(self.swaps[-1][1].models)


async def test_without_entries_the_file_is_served_as_it_was(tmp_path, sqlite_database):
    """The very same settings and catalogue."""
    worker = Worker(tmp_path, sqlite_database)
    settings, catalogue = await worker.parts.begin(*worker.current)
    assert settings is worker.current[0]
    assert catalogue is worker.current[1]


async def test_a_start_has_both_and_goes_on_from_there(tmp_path, sqlite_database):
    """Nothing is taken twice; what is changed then is."""
    await put(sqlite_database, {("channel", "a"): CHANNEL, ("model", "n"): MODEL})
    await put(sqlite_database, {("routing", "routing"): {"repeats": 2}, ("group", "g"): "0.5"})
    worker = Worker(tmp_path, sqlite_database)
    settings, catalogue = await worker.parts.begin(*worker.current)
    assert (["m", "n"], 2, {"g": "0.5"}) == (
        list(catalogue.models), settings.routing.repeats, settings.groups
    )  # fmt: skip
    assert "sk-canary" == catalogue.channels["a"].credentials[0].reveal()
    await worker.parts.watch.look()
    assert [] == worker.swaps
    await put(sqlite_database, {("model", "o"): {**MODEL, "name": "o"}})
    await worker.parts.watch.look()
    assert ["m", "n", "o"] == worker.models


async def test_a_start_is_refused_where_they_do_not_fit(tmp_path, sqlite_database):
    """With the place of each problem."""
    await put(sqlite_database, {("channel", "main"): CHANNEL | {"name": "main"}})
    worker = Worker(tmp_path, sqlite_database)
    with pytest.raises(
        SettingsError, match=r'database, version 1: channels\["main"\].name is taken'
    ):
        await worker.parts.begin(*worker.current)


async def test_a_file_edit_and_the_database_are_taken_together(tmp_path, sqlite_database):
    """An edit that would break an entry is refused, and the old one serves; once it is right beside
    what the database has then, it is taken up by itself.
    """
    worker = Worker(tmp_path, sqlite_database)
    await worker.parts.begin(*worker.current)
    await put(sqlite_database, {("channel", "a"): CHANNEL, ("model", "n"): MODEL})
    await worker.parts.watch.look()
    assert ["m", "n"] == worker.models
    worker.path.write_text(
        TEXT + TEXT.partition("[[models]]")[2].join(["[[models]]", ""]).replace('"m"', '"n"')
    )
    with capture_logs() as logs:
        for _ in range(3):
            await worker.files.look()
    assert ["settings_refused"] == [line["event"] for line in logs]
    assert ["m", "n"] == worker.models
    await put(sqlite_database, {("model", "n"): None})
    await worker.parts.watch.look()
    assert ["m", "n"] == worker.models
    assert 1 == len(worker.swaps[-1][1].models["n"].bindings)


async def test_what_does_not_fit_here_leaves_what_was(tmp_path, sqlite_database):
    """Another node's file may differ: its change is refused here, and told."""
    worker = Worker(tmp_path, sqlite_database)
    await worker.parts.begin(*worker.current)
    await put(sqlite_database, {("model", "n"): MODEL})
    with capture_logs() as logs:
        await worker.parts.watch.look()
    assert ("settings_refused", []) == (logs[0]["event"], worker.swaps)
    await put(sqlite_database, {("channel", "a"): CHANNEL})
    await worker.parts.watch.look()
    assert ["m", "n"] == worker.models


async def test_who_changes_it_is_served_by_it_at_once(tmp_path, sqlite_database):
    """This worker has taken it up when the answer comes; file and database are tried together."""
    worker = Worker(tmp_path, sqlite_database)
    await worker.parts.begin(*worker.current)
    service = worker.parts.service(FixedClock())
    edits = [
        EntryEdit(at=EntryName("channel", "a"), document=CHANNEL),
        EntryEdit(at=EntryName("model", "n"), document=MODEL),
    ]
    done = await service.change(edits, ChangeAuthor(), together=True)
    assert (1, ["m", "n"]) == (done.revision, worker.models)
    assert ["main", "m"] == [each.at.name for each in service.of_file()]
    await worker.parts.watch.close()


async def test_the_poll_runs_beside_the_requests(tmp_path, sqlite_database):
    """And ends with the worker."""
    worker = Worker(tmp_path, sqlite_database)
    await worker.parts.begin(*worker.current)
    async with contextlib.AsyncExitStack() as stack:
        await worker.parts.follow(0.01, stack)
        await put(sqlite_database, {("channel", "a"): CHANNEL, ("model", "n"): MODEL})
        async with asyncio.timeout(20):
            while not worker.swaps:
                await asyncio.sleep(0.01)
    assert ["m", "n"] == worker.models


async def test_without_a_file_there_is_the_database_alone(sqlite_database):
    """For whoever only changes it."""
    service = parts_without_file(sqlite_database, KEYS).service(FixedClock())
    await service.change(
        [EntryEdit(at=EntryName("group", "g"), document="0.5")], ChangeAuthor(name="x")
    )
    assert ([], 1) == (service.of_file(), (await service.everything())[0].value)
