"""Every key is known, the callers of some are in memory, and every change is in force within two polls."""

import asyncio
from ipaddress import ip_network

import msgspec
import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from trivium.identity import snapshot as module
from trivium.identity import store
from trivium.identity.keys import digest
from trivium.identity.service import Identity
from trivium.identity.snapshot import Snapshot
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import RateLimits
from trivium.storage.errors import StorageDown
from trivium.storage.schema.core import keys as key_table


@pytest.fixture
def identity(database, clock):
    return Identity(database, clock)


@pytest.fixture
def snapshot(database, clock):
    return Snapshot(database, clock)


async def keys(identity, count, **options):
    """A user and some keys; returns their digests."""
    await identity.create_user("ada", "ada@example.com", unlimited=True)
    made = [await identity.create_key("ada", f"key {n}", **options) for n in range(count)]
    return [digest(secret) for _, secret in made]


@pytest.mark.asyncio
async def test_a_caller_carries_what_the_hot_path_needs(identity, snapshot):
    """Key, user, allow-list and expiry in one look-up."""
    [known] = await keys(identity, 1, models=["gpt-5", "claude-*"], expires_at=2_000_000_000)
    await snapshot.load()
    caller = snapshot.get(known)
    [key] = await identity.list_keys()
    assert (key.id, key.user_id, True) == (caller.key_id, caller.user_id, caller.unlimited)
    assert (False, 2_000_000_000) == (caller.disabled, caller.expires_at)
    assert (frozenset({"gpt-5"}), ("claude-",)) == (caller.models, caller.prefixes)
    assert snapshot.get(b"x" * 32) is None


@pytest.mark.asyncio
async def test_no_expiry_is_infinity_and_no_list_allows_all(identity, snapshot):
    """Absence means freedom."""
    [known] = await keys(identity, 1)
    await snapshot.load()
    assert float("inf") == snapshot.get(known).expires_at
    assert snapshot.get(known).may_use("anything")


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 7])
@pytest.mark.asyncio
async def test_any_number_of_pages_is_read(identity, snapshot, monkeypatch, count):
    """Also when the last page is exactly full, and when one revision spans pages."""
    monkeypatch.setattr(module, "PAGE", 2)
    monkeypatch.setattr(module, "INDEX_PAGE", 2)
    known = await keys(identity, count)
    await snapshot.load()
    assert count == len(snapshot)
    await identity.disable_user("ada")
    await snapshot.refresh()
    assert [True] * count == [snapshot.get(one).disabled for one in known]


CHANGES = {
    "revoked": (lambda identity: identity.revoke_key("key 0"), [True, False]),
    "user disabled": (lambda identity: identity.disable_user("ada"), [True, True]),
    "nothing": (lambda identity: identity.list_keys(), [False, False]),
}


@pytest.mark.parametrize(("change", "expected"), CHANGES.values(), ids=CHANGES)
@pytest.mark.asyncio
async def test_a_change_is_in_force_after_one_refresh(identity, snapshot, change, expected):
    """In the map that others already hold ``get`` of."""
    known = await keys(identity, 2)
    await snapshot.load()
    get = snapshot.get
    await change(identity)
    await snapshot.refresh()
    assert expected == [get(one).disabled for one in known]


@pytest.mark.asyncio
async def test_a_new_key_and_an_enabled_user_are_in_force_after_one_refresh(identity, snapshot):
    """Changes also open doors."""
    [old] = await keys(identity, 1)
    await identity.disable_user("ada")
    await snapshot.load()
    await identity.enable_user("ada")
    _, secret = await identity.create_key("ada", "new")
    await snapshot.refresh()
    assert [False, False] == [snapshot.get(one).disabled for one in (old, digest(secret))]


@pytest.mark.asyncio
async def test_an_idle_refresh_is_one_query(identity, snapshot, monkeypatch):
    """No page is read when the revision stands."""
    await keys(identity, 1)
    await snapshot.load()

    async def refuse(*_):
        raise AssertionError

    for page in ("callers_after", "callers_of", "changes_after", "prefixes_after"):
        monkeypatch.setattr(store, page, refuse)
    await snapshot.refresh()


@pytest.mark.asyncio
async def test_a_restored_backup_is_read_afresh(identity, snapshot, database):
    """A revision that went back means that rows we know may be gone."""
    first, second = await keys(identity, 2)
    await snapshot.load()
    get = snapshot.get
    async with database.write() as conn:
        await conn.execute(text("DELETE FROM keys WHERE name = 'key 1'"))
        await conn.execute(text("UPDATE revision SET value = 2"))
    await snapshot.refresh()
    assert (False, None) == (get(first).disabled, get(second))


@pytest.mark.asyncio
async def test_age_is_the_time_since_the_last_success(snapshot, clock):
    """Infinite before the first; counted from before the query, so never flattering."""
    assert float("inf") == snapshot.age()
    await snapshot.load()
    clock.advance(3)
    assert 3 == snapshot.age()
    await snapshot.refresh()
    assert 0 == snapshot.age()


class Turns:
    """Lets a watch run a number of turns, with something happening before each."""

    def __init__(self, *before):
        self._before = list(before)
        self.slept = []

    async def sleep(self, seconds):
        self.slept.append(seconds)
        if not self._before:
            await asyncio.Event().wait()
        self._before.pop(0)()


@pytest.mark.parametrize("error", [StorageDown("away"), RuntimeError("unforeseen")])
@pytest.mark.asyncio
async def test_a_watch_survives_the_database(identity, snapshot, clock, monkeypatch, error):
    """The last snapshot stays, one line tells of each change of state, then it catches up."""
    [known] = await keys(identity, 1)
    await snapshot.load()
    await identity.revoke_key("key 0")

    async def fail(*_):
        raise error

    patch = pytest.MonkeyPatch()
    down = lambda: patch.setattr("trivium.identity.store.current_revision", fail)  # noqa: E731
    stay = lambda: clock.advance(1)  # noqa: E731
    turns = Turns(down, stay, stay, patch.undo, stay)
    with capture_logs() as logs:
        watch = asyncio.create_task(snapshot.watch(0.5, turns.sleep))
        while len(turns.slept) < 4:
            await asyncio.sleep(0)
        assert not snapshot.get(known).disabled
        while len(turns.slept) < 6:
            await asyncio.sleep(0.001)
        watch.cancel()
    patch.undo()
    assert snapshot.get(known).disabled
    assert ["keys_stale", "keys_current_again"] == [line["event"] for line in logs]
    assert {0.5} == set(turns.slept)


@pytest.mark.asyncio
async def test_a_revocation_by_another_process_arrives_within_two_polls(identity, snapshot):
    """The watch itself, with a real clock and a short poll."""
    [known] = await keys(identity, 1)
    await snapshot.load()
    watch = asyncio.create_task(snapshot.watch(0.05))
    await identity.revoke_key("key 0")
    async with asyncio.timeout(20):
        while not snapshot.get(known).disabled:
            await asyncio.sleep(0.01)
    watch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watch


@pytest.mark.asyncio
async def test_a_strict_key_is_a_strict_caller(identity, snapshot):
    """And no other is."""
    await identity.create_user("ada", "ada@example.com")
    made = [await identity.create_key("ada", strict=strict) for strict in (False, True)]
    await snapshot.load()
    assert [False, True] == [snapshot.get(digest(secret)).strict for _, secret in made]
    assert [False, True] == [key.strict for key in await identity.list_keys()]


@pytest.mark.asyncio
async def test_a_key_for_headers_alone_is_such_a_caller(identity, snapshot):
    """And no other is."""
    await identity.create_user("ada", "ada@example.com")
    made = [await identity.create_key("ada", header_only=only) for only in (False, True)]
    await snapshot.load()
    assert [False, True] == [snapshot.get(digest(secret)).header_only for _, secret in made]
    assert [False, True] == [key.header_only for key in await identity.list_keys()]


@pytest.mark.asyncio
async def test_a_caller_carries_its_limits(identity, snapshot):
    """Those of the key and those of its user, with networks ready to compare."""
    budget = Budget(amount_nanos=7, period=Period.WEEK)
    await identity.create_user("ada", "ada@example.com", limits=RateLimits(tokens=5))
    await identity.create_key(
        "ada", limits=RateLimits(requests=3), budgets=[budget], networks=["10.0.0.0/8"]
    )
    await snapshot.load()
    [caller] = snapshot.callers()
    assert (RateLimits(requests=3), RateLimits(tokens=5)) == (caller.limits, caller.user_limits)
    own = msgspec.structs.replace(budget, scope=f"key:{caller.key_id}", whose="this key")
    assert ((own,), (ip_network("10.0.0.0/8"),)) == (caller.budgets, caller.networks)


@pytest.mark.asyncio
async def test_the_revision_says_whether_anything_changed(identity, snapshot):
    """Whoever keeps something of every key looks at them again only then."""
    await keys(identity, 1)
    await snapshot.load()
    before = snapshot.revision
    await snapshot.refresh()
    assert before == snapshot.revision
    await identity.create_key("ada", "another")
    await snapshot.refresh()
    assert before < snapshot.revision


@pytest.mark.asyncio
async def test_an_applications_key_that_is_given_another_secret_forgets_the_old(
    identity, snapshot, database
):
    """Else every secret it ever had would stay in memory, with a cap of then."""
    [old] = await keys(identity, 1)
    [key] = await identity.list_keys()
    await set_key(database, key.id, grant_id=7)
    await snapshot.load()
    caller = snapshot.get(old)
    assert (7, -7) == (caller.grant_id, caller.owner_id)
    await set_key(database, key.id, digest=b"n" * 32)
    await snapshot.refresh()
    assert (None, key.id, 1) == (
        snapshot.get(old),
        snapshot.get(b"n" * 32).key_id,
        len(snapshot),
    )


@pytest.mark.asyncio
async def test_a_key_of_ones_own_has_its_users_memory(identity, snapshot):
    """Consent changes nothing for them."""
    [known] = await keys(identity, 1)
    await snapshot.load()
    caller = snapshot.get(known)
    assert (0, caller.user_id) == (caller.grant_id, caller.owner_id)


async def set_key(database, key_id, **values):
    """Change a key as an application's is."""
    async with database.write() as conn:
        raised = await store.bump(conn)
        row = key_table.c.id == key_id
        await conn.execute(key_table.update().where(row).values(revision=raised, **values))
