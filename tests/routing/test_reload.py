"""A good change is taken up whole, a bad one is refused whole."""

import asyncio
import contextlib
import os

import msgspec
import pytest
from structlog.testing import capture_logs

from trivium.faults import Fault, Kind
from trivium.providers.base import Provider
from trivium.providers.credential import BEARER
from trivium.routing import reload as module
from trivium.routing.reload import LIVE, FileWatch, SettingsReader, changes
from trivium.secret import Secret
from trivium.settings.model import Settings
from trivium.settings.rules import RULES
from trivium.settings.secret_stores.lookup import StoredSecrets
from trivium.settings.secret_stores.store import StoreError
from trivium.wire.operation import Operation


def _failure(refusal):
    return Fault(Kind.UPSTREAM_BROKE, "broke", status=refusal.status)


PROVIDERS = {
    "openai": Provider(
        name="openai",
        title="OpenAI",
        base_url="https://api.openai.com/v1",
        credential=BEARER,
        paths={Operation.CHAT: "/chat/completions"},
        failure=_failure,
    )
}

TEXT = """\
[server]
backlog = 100
[[channels]]
name = "main"
provider = "openai"
api_key = "file:key"
[[models]]
name = "gpt-5"
price = { input = "1" }
bindings = [{ channel = "main" }]
"""


class Setup:
    """A folder with a settings file, and a watch on it."""

    def __init__(self, folder):
        self.file = folder / "trivium.toml"
        self.key = folder / "key"
        self._ticks = 1_000_000_000
        self.write(self.file, TEXT)
        self.write(self.key, "one")
        self.reader = SettingsReader(self.file, {}, providers=PROVIDERS)
        self.swaps = []
        self.current = self.reader.read()
        self.asked = 0
        self.watch = FileWatch(
            self.reader,
            self.current,
            lambda *new: self.swaps.append(new),
            asked=self._ask,
            sleep=self.sleep,
        )
        self.slept = []

    def _ask(self):
        self.asked += 1

    def write(self, path, text):
        """Every write has a time stamp of its own, however coarse the file system's are."""
        path.write_text(text)
        self._ticks += 1
        os.utime(path, ns=(self._ticks, self._ticks))

    def replace(self, old, new):
        self.write(self.file, self.file.read_text().replace(old, new))

    async def sleep(self, seconds):
        self.slept.append(seconds)
        if len(self.slept) > 3:
            raise asyncio.CancelledError

    async def looks(self, count=3):
        with capture_logs() as logs:
            for _ in range(count):
                await self.watch.look()
        return logs


@pytest.fixture
def setup(tmp_path):
    return Setup(tmp_path)


@pytest.mark.asyncio
async def test_an_unchanged_file_is_left_alone(setup):
    """Nothing is read, swapped or logged."""
    assert [] == await setup.looks()
    assert [] == setup.swaps


@pytest.mark.asyncio
async def test_who_asks_for_a_reading_is_heard_even_if_nothing_changed(setup):
    """What a vendor refused may have been paid for; a file that is wrong changes nothing."""
    await setup.looks()
    setup.watch.reload_now()
    await setup.looks()
    assert (1, []) == (setup.asked, setup.swaps)
    setup.write(setup.file, "nonsense = 1")
    setup.watch.reload_now()
    await setup.looks()
    assert (1, []) == (setup.asked, setup.swaps)


@pytest.mark.asyncio
async def test_a_change_is_taken_up_and_named(setup):
    """One line says what changed and what waits for a restart; no values."""
    setup.replace("backlog = 100", "backlog = 200")
    setup.replace('"gpt-5"', '"gpt-6"')

    logs = await setup.looks()

    ((settings, catalogue),) = setup.swaps
    assert (200, ["gpt-6"]) == (settings.server.backlog, list(catalogue.models))
    assert [
        {
            "event": "settings_reloaded",
            "log_level": "info",
            "revision": 2,
            "changed": ["server.backlog", 'models["gpt-5"]', 'models["gpt-6"]'],
            "restart_needed": ["server.backlog"],
            "channels": 1,
            "models": 1,
        }
    ] == logs


@pytest.mark.asyncio
async def test_a_file_still_being_written_waits(setup):
    """Half a file may be valid TOML and would take channels away."""
    setup.write(setup.file, TEXT[: TEXT.index("[[models]]")])
    await setup.looks(1)
    setup.write(setup.file, TEXT.replace('"gpt-5"', '"gpt-6"'))

    await setup.looks()

    assert [["gpt-6"]] == [list(catalogue.models) for _, catalogue in setup.swaps]


@pytest.mark.asyncio
async def test_a_bad_file_is_refused_once_and_the_old_settings_stay(setup):
    """Until it changes again."""
    setup.replace("backlog = 100", "backlog = 0")

    logs = await setup.looks(5)

    assert ["settings_refused"] == [line["event"] for line in logs]
    assert f"{setup.file}:2: server.backlog must be" in logs[0]["problems"][0]
    assert [] == setup.swaps
    setup.replace("backlog = 0", "backlog = 5")
    await setup.looks()
    assert [5] == [settings.server.backlog for settings, _ in setup.swaps]


@pytest.mark.asyncio
async def test_a_file_that_is_gone_for_a_moment_is_no_event(setup):
    """Editors and mounts replace files by removing them first."""
    moved = setup.file.with_suffix(".new")
    setup.file.rename(moved)
    first = await setup.looks(1)
    moved.rename(setup.file)

    assert [] == first + await setup.looks()


@pytest.mark.asyncio
async def test_a_file_that_stays_away_is_told_once_and_found_again(setup):
    """The gateway goes on with what it had."""
    setup.file.unlink()

    logs = await setup.looks(4)

    assert ["settings_refused"] == [line["event"] for line in logs]
    setup.write(setup.file, TEXT.replace("100", "101"))
    await setup.looks()
    assert [101] == [settings.server.backlog for settings, _ in setup.swaps]


@pytest.mark.asyncio
async def test_a_swapped_link_is_a_change(tmp_path):
    """A mounted Kubernetes ConfigMap changes by renaming a link to a folder."""
    for name, backlog in (("v1", "100"), ("v2", "300")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "trivium.toml").write_text(TEXT.replace("100", backlog))
        (tmp_path / name / "key").write_text("one")
    (tmp_path / "data").symlink_to("v1")
    reader = SettingsReader(tmp_path / "data" / "trivium.toml", {}, providers=PROVIDERS)
    swaps = []
    watch = FileWatch(reader, reader.read(), lambda *new: swaps.append(new))
    (tmp_path / "next").symlink_to("v2")
    (tmp_path / "next").rename(tmp_path / "data")

    for _ in range(3):
        await watch.look()

    assert [300] == [settings.server.backlog for settings, _ in swaps]


@pytest.mark.asyncio
async def test_a_changed_secret_file_is_a_change(setup):
    """Mounted keys rotate while the settings stay as they are."""
    setup.write(setup.key, "two")

    logs = await setup.looks()

    ((_, catalogue),) = setup.swaps
    assert (Secret("two"),) == catalogue.channels["main"].credentials
    assert [['channels["main"]']] == [line["changed"] for line in logs]
    assert [[]] == [line["restart_needed"] for line in logs]


@pytest.mark.asyncio
async def test_a_secret_file_that_appears_mends_a_refusal(setup):
    """The settings file may come before its secrets."""
    setup.replace("file:key", "file:other")
    await setup.looks()
    assert [] == setup.swaps

    setup.write(setup.file.parent / "other", "three")
    await setup.looks()

    assert 1 == len(setup.swaps)


@pytest.mark.asyncio
async def test_a_touched_file_swaps_nothing(setup):
    """What is kept for the old catalogue stays warm."""
    setup.write(setup.file, TEXT)

    logs = await setup.looks()

    assert ["settings_unchanged"] == [line["event"] for line in logs]
    assert [] == setup.swaps


@pytest.mark.asyncio
async def test_a_reload_can_be_asked_for(setup):
    """SIGHUP reads at the next look, without waiting for the file to stand still."""
    setup.replace("100", "400")
    setup.watch.reload_now()

    await setup.looks(1)

    assert [400] == [settings.server.backlog for settings, _ in setup.swaps]


@pytest.mark.asyncio
async def test_a_bug_while_reading_does_not_end_the_watch(setup, monkeypatch):
    """It is logged with its traceback; the next change is read."""

    def broken(*_, **__):
        raise RuntimeError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(module, "load_with_source", broken)
        setup.replace("100", "500")
        logs = await setup.looks(4)
    setup.replace("500", "501")
    await setup.looks()

    assert ["settings_reload_failed"] == [line["event"] for line in logs]
    assert [501] == [settings.server.backlog for settings, _ in setup.swaps]


@pytest.mark.asyncio
async def test_the_watch_looks_once_an_interval(setup):
    """Until it is cancelled."""
    setup.replace("100", "600")

    with contextlib.suppress(asyncio.CancelledError):
        await setup.watch.run()

    assert [1.0] * 4 == setup.slept
    assert 1 == len(setup.swaps)


def test_settings_without_a_file_have_nothing_to_watch():
    """All from the environment."""
    reader = SettingsReader(None, {"TRIVIUM_SERVER__BACKLOG": "5"}, providers=PROVIDERS)

    settings, catalogue = reader.read()

    assert (5, {}, {}) == (settings.server.backlog, catalogue.models, reader.look())


def test_flags_hold_over_a_reload(tmp_path):
    """What ``serve --listen`` said is not forgotten."""
    file = tmp_path / "trivium.toml"
    file.write_text("[server]\nlisten = '127.0.0.1:1'\n")
    reader = SettingsReader(file, {}, flags={"server.listen": "127.0.0.1:2"}, providers=PROVIDERS)

    assert ["127.0.0.1:2"] * 2 == [reader.read()[0].server.listen for _ in range(2)]


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ({}, {}, []),
        ({}, {"logs": {"level": "debug"}}, ["logs.level"]),
        ({"models": [{"name": "a"}]}, {}, ['models["a"]']),
        ({}, {"models": [{"name": "a"}]}, ['models["a"]']),
        ({"models": [{"name": "a"}]}, {"models": [{"name": "a", "free": True}]}, ['models["a"]']),
        (
            {"models": [{"name": "a"}, {"name": "b"}]},
            {"models": [{"name": "b"}, {"name": "a"}]},
            ["models"],
        ),
    ],
)
def test_changes_are_named_without_their_values(old, new, names):
    """Entries by their own name; a new order counts, because model lists show it."""
    assert names == changes(msgspec.convert(old, Settings), msgspec.convert(new, Settings))


def test_settings_said_to_be_live_exist():
    """A renamed setting does not linger in the table."""
    assert set(RULES) >= LIVE


class Store:
    """Has one secret, and may be away."""

    def __init__(self):
        self.value = "one"
        self.away = False
        self.asked = 0

    def read(self, name):
        self.asked += 1
        if self.away:
            raise StoreError("is away", whole=True)
        return {"k": self.value}


class StoredSetup(Setup):
    """The channel's key is in a store; the clock is the test's."""

    def __init__(self, folder, store):
        super().__init__(folder)
        self.now = 0.0
        self.replace("file:key", "vault:a/b#k")
        self.reader = SettingsReader(self.file, {}, providers=PROVIDERS)
        self.current = self.reader.read()
        self.watch = FileWatch(
            self.reader,
            self.current,
            lambda *new: self.swaps.append(new),
            monotonic=lambda: self.now,
        )


@pytest.fixture
def store(monkeypatch):
    found = Store()
    monkeypatch.setattr(StoredSecrets.__init__, "__kwdefaults__", {
        **StoredSecrets.__init__.__kwdefaults__, "opening": lambda *_: found,
    })  # fmt: skip
    return found


@pytest.mark.asyncio
async def test_a_store_is_asked_again_by_the_clock(tmp_path, store):
    """Nobody hears of it unless something changed."""
    setup = StoredSetup(tmp_path, store)
    asked = store.asked
    setup.now = 299
    assert [] == await setup.looks()
    assert asked == store.asked
    setup.now = 300
    assert [] == await setup.looks()
    assert asked + 1 == store.asked
    store.value, setup.now = "two", 600
    assert ['channels["main"]'] == (await setup.looks())[0]["changed"]
    ((_, catalogue),) = setup.swaps
    assert (Secret("two"),) == catalogue.channels["main"].credentials


@pytest.mark.asyncio
async def test_a_store_that_is_away_is_asked_sooner(tmp_path, store):
    """The key stays; that it may be old is told each time, and that it is fresh again once."""
    setup = StoredSetup(tmp_path, store)
    assert setup.reader.is_fresh
    store.away, setup.now = True, 300
    logs = await setup.looks()
    assert [("secrets_stale", ["vault:a/b#k, which is away"])] == [
        (line["event"], line["secrets"]) for line in logs
    ]
    assert (False, []) == (setup.reader.is_fresh, setup.swaps)
    store.away, setup.now = False, 330
    assert ["secrets_fresh"] == [line["event"] for line in await setup.looks()]
    assert setup.reader.is_fresh


@pytest.mark.asyncio
async def test_a_file_that_is_being_written_is_not_read_by_the_clock(tmp_path, store):
    """Half of it may be valid; it is read when it stands still."""
    setup = StoredSetup(tmp_path, store)
    await setup.looks(1)
    setup.now = 300
    setup.replace('"gpt-5"', '"gpt-6"')
    asked = store.asked
    await setup.looks(1)
    assert asked == store.asked
    assert "settings_reloaded" == (await setup.looks(1))[0]["event"]


@pytest.mark.asyncio
async def test_without_a_store_nothing_is_read_by_the_clock(setup):
    """Files are watched."""
    assert setup.reader.is_fresh is None
    setup.watch._monotonic = lambda: 1e9
    assert [] == await setup.looks()


@pytest.mark.asyncio
async def test_the_clock_can_be_switched_off(tmp_path, store):
    """Then a signal asks."""
    setup = StoredSetup(tmp_path, store)
    setup.replace("[server]", "[secrets]\nrefresh_s = 0\n[server]")
    await setup.looks()
    asked, setup.now = store.asked, 1e9
    await setup.looks()
    assert asked == store.asked
    setup.watch.reload_now()
    await setup.looks()
    assert asked + 1 == store.asked


@pytest.mark.asyncio
async def test_a_line_of_the_log_stays_one(setup):
    """Thousands of models that come at once are counted, not listed."""
    model = '[[models]]\nname = "x{}"\nfree = true\nbindings = [{{ channel = "main" }}]\n'
    setup.write(setup.file, TEXT + "".join(model.format(i) for i in range(150)))
    (line,) = await setup.looks()
    assert (101, "and 50 more") == (len(line["changed"]), line["changed"][-1])
