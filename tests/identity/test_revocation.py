"""What ends with an account and with an office: told, and on both engines."""

import pytest

from oauth.world import World
from trivium.identity import revocation
from trivium.identity.directory import Directory
from trivium.identity.model import UserRole
from trivium.oauth.developer.model import ADMIN

pytestmark = pytest.mark.asyncio


class Heard:
    """Remembers what is told."""

    def __init__(self):
        self.acts = []

    async def __call__(self, conn, kind, subject, what="", detail=None):
        del conn
        self.acts.append((kind.value, subject, what, detail))


async def furnished(database, clock):
    """Ada administers, has two tokens and let an application in."""
    world = await World.made(database, clock)
    await world.people.set_role("ada", UserRole.ADMIN)
    tokens = [
        (await world.developer.create(world.ada.id, "ci"))[0].id,
        (await world.developer.create(world.ada.id, "ops", permission=ADMIN))[0].id,
    ]
    await world.issued()
    return world, tokens, Directory(database, clock)


async def test_whoever_is_disabled_loses_more_than_keys(database, clock):
    """Consents and developer tokens, each of which is told beside the act itself."""
    world, tokens, directory = await furnished(database, clock)
    heard = Heard()
    await directory.switch(0, world.ada.id, disabled=True, log_act=heard)
    ada = world.ada.id
    assert [
        ("grant_revoked", ada, f"app:{world.app.id}", None),
        *(("developer_token_revoked", ada, f"developer_token:{one}", None) for one in tokens),
        ("user_disabled", ada, f"user:{ada}", None),
    ] == heard.acts
    assert ["revoked"] * 2 == [
        one.state(clock.now()) for one in await world.developer.owned_by(ada)
    ]


async def test_enabling_ends_nothing(database, clock):
    """And is told by itself."""
    world, tokens, directory = await furnished(database, clock)
    heard = Heard()
    await directory.switch(0, world.ada.id, disabled=False, log_act=heard)
    assert ["user_enabled"] == [act[0] for act in heard.acts]
    assert ["live"] * len(tokens) == [
        one.state(clock.now()) for one in await world.developer.owned_by(world.ada.id)
    ]


@pytest.mark.parametrize("role", UserRole)
async def test_an_office_takes_its_tokens_along(database, clock, role):
    """Those for administration, when it ends; consents and other tokens stay."""
    world, (_, office), directory = await furnished(database, clock)
    heard = Heard()
    await directory.appoint(0, world.ada.id, role, heard)
    ada = world.ada.id
    ended = [("developer_token_revoked", ada, f"developer_token:{office}", None)]
    assert [
        *(ended if role is UserRole.USER else []),
        ("user_role", ada, f"user:{ada}", {"role": role.value}),
    ] == heard.acts
    assert 1 == len(await world.consents.authorized(ada))


async def test_by_default_nobody_is_told(database, clock):
    """Whoever calls without a log has none."""
    world, _, _ = await furnished(database, clock)
    before = await world.acts()
    async with database.write() as conn:
        await revocation.end_access(conn, world.ada.id, int(clock.now()), revocation.log_nothing)
    assert before == await world.acts()
