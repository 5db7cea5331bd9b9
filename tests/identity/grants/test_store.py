"""Consents, developer tokens and applications' keys, on both engines."""

import pytest

from oauth.world import World
from trivium.identity.grants import store
from trivium.identity.model import UserRole
from trivium.ledger.model import NANOS
from trivium.oauth.developer.model import ADMIN
from trivium.oauth.developer.service import DAY_S
from trivium.settings.workloads import AdminScope

pytestmark = pytest.mark.asyncio


async def test_consents_are_a_users_own(database, clock):
    """One of them or all; none that was taken back."""
    world = await World.made(database, clock)
    rival = await world.another()
    await world.issued()
    await world.issued(rival)
    async with database.write() as conn:
        await store.hold(conn, world.ada.id)
        found = await store.consents(conn, world.ada.id)
        assert {world.app.id, rival.id} == {app_id for _, app_id in found}
        assert found[:1] == await store.consents(conn, world.ada.id, found[0][0])
        assert [] == await store.consents(conn, world.owner.id, found[0][0])
        await store.end_consents(conn, [found[0][0]], int(clock.now()))
        assert found[1:] == await store.consents(conn, world.ada.id)
        await store.end_consents(conn, [], int(clock.now()))


async def test_live_tokens_end_by_what_they_may_do(database, clock):
    """Each once."""
    world = await World.made(database, clock)
    await world.people.set_role("ada", UserRole.ADMIN)
    old, _ = await world.developer.create(world.ada.id, "old", 1, permission=ADMIN)
    clock.advance(DAY_S)
    ci, _ = await world.developer.create(world.ada.id, "ci")
    ops, _ = await world.developer.create(world.ada.id, "ops", permission=ADMIN)
    now = int(clock.now())
    async with database.write() as conn:
        assert [] == await store.end_tokens(conn, world.owner.id, now)
        assert [ops.id] == await store.end_tokens(conn, world.ada.id, now, ADMIN)
        assert [ci.id] == await store.end_tokens(conn, world.ada.id, now)
        assert [] == await store.end_tokens(conn, world.ada.id, now)
    states = {one.id: one.state(now) for one in await world.developer.owned_by(world.ada.id)}
    assert {old.id: "expired", ci.id: "revoked", ops.id: "revoked"} == states


async def test_keys_end_that_a_developers_applications_were_given(database, clock):
    """Whoever gave them; keys of the developer's own are not among them."""
    world = await World.made(database, clock)
    given = await world.issued(cap_nanos=NANOS, scope=b"spend")
    key = await world.spending.issue(world.app, given.access_token)
    own, _ = await world.people.create_key("owner")
    async with database.write() as conn:
        await store.end_keys_of_apps(conn, world.ada.id)
    assert not any(one.disabled for one in await world.people.list_keys())
    async with database.write() as conn:
        await store.end_keys_of_apps(conn, world.owner.id)
    states = {one.id: one.disabled for one in await world.people.list_keys()}
    assert {key.key_id: True, own.id: False} == states


async def test_tokens_for_machines_end_that_are_a_users(database, clock):
    """Those that are live, once; the gateway's own stay."""
    world = await World.made(database, clock)
    await world.people.set_role("ada", UserRole.ADMIN)
    read = frozenset({AdminScope.READ})

    async def made(days, user_id):
        return await world.machines.create("m", read, world.act_log, days=days, user_id=user_id)

    old, _ = await made(1, world.ada.id)
    clock.advance(DAY_S)
    live, _ = await made(2, world.ada.id)
    own, _ = await made(2, None)
    now = int(clock.now())
    async with database.write() as conn:
        assert [] == await store.end_admin_tokens(conn, world.owner.id, now)
        assert [live.id] == await store.end_admin_tokens(conn, world.ada.id, now)
        assert [] == await store.end_admin_tokens(conn, world.ada.id, now)
    states = {one.id: one.state(now) for one in await world.machines.everything()}
    assert {old.id: "expired", live.id: "revoked", own.id: "live"} == states
