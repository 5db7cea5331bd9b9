"""Tokens for machines, on both engines; over the API in ``console/api/admin/test_tokens.py``."""

import pytest

from trivium.identity.model import UserRole
from trivium.oauth.admin.service import DAYS, TOUCH_S, AdminTokens
from trivium.oauth.errors import OAuthError, RegistrationError
from trivium.settings.workloads import AdminScope

pytestmark = pytest.mark.asyncio
READ = frozenset({AdminScope.READ})
DAY = 86_400


async def refused(world, secret):
    """Status and code."""
    with pytest.raises(OAuthError) as caught:
        await world.machines.authenticate(secret)
    return caught.value.status, caught.value.code


async def test_a_machine_is_recognised(world, clock):
    """Its last use is kept to the minute, not at each request."""
    token, secret = await world.machines.create("nightly", READ, world.act_log)
    assert clock.at + DAYS * DAY == token.expires_at
    machine = await world.machines.authenticate(secret)
    assert (f"token {token.id} (nightly)", READ) == (machine.name, machine.scopes)
    first = (await world.machines.everything())[0].last_used_at
    clock.advance(TOUCH_S - 1)
    await world.machines.authenticate(secret)
    assert first == (await world.machines.everything())[0].last_used_at
    clock.advance(1)
    await world.machines.authenticate(secret)
    assert first + TOUCH_S == (await world.machines.everything())[0].last_used_at


@pytest.mark.parametrize("secret", ["", "gwadm_", "gwadm_" + "x" * 43, "gwdev_" + "x" * 43])
async def test_what_is_no_token_is_refused(world, secret):
    """Without a look-up, or after one."""
    assert (401, "invalid_token") == await refused(world, secret)


async def test_a_token_ends(world, clock):
    """At its last second."""
    _, secret = await world.machines.create("m", READ, world.act_log, days=1)
    clock.advance(DAY - 1)
    await world.machines.authenticate(secret)
    clock.advance(1)
    assert (401, "invalid_token") == await refused(world, secret)


async def test_what_one_worker_revokes_is_refused_at_all(world, database, clock):
    """From the next request on: nothing is kept in a worker."""
    token, secret = await world.machines.create("m", READ, world.act_log)
    other = AdminTokens(database, clock)
    await other.authenticate(secret)
    await world.machines.revoke(token.id, world.act_log)
    with pytest.raises(OAuthError):
        await other.authenticate(secret)


async def test_only_administrators_have_tokens(world):
    """Now, and whenever one is used."""
    with pytest.raises(RegistrationError, match="only administrators"):
        await world.machines.create("m", READ, world.act_log, user_id=world.ada.id)
    await world.people.set_role("ada", UserRole.ADMIN)
    _, secret = await world.machines.create("m", READ, world.act_log, user_id=world.ada.id)
    await world.machines.authenticate(secret)
    await world.people.disable_user("ada")
    assert (403, "access_denied") == await refused(world, secret)
    await world.people.enable_user("ada")
    assert (401, "invalid_token") == await refused(world, secret)


async def test_a_token_that_ended_makes_nothing(world):
    """Though its request began before."""
    both = frozenset({AdminScope.READ, AdminScope.USERS})
    token, secret = await world.machines.create("m", both, world.act_log)
    machine = await world.machines.authenticate(secret)
    await world.machines.revoke(token.id, world.act_log)
    with pytest.raises(RegistrationError, match="has ended"):
        await world.machines.create("n", READ, world.act_log, maker=machine)
    assert 1 == len(await world.machines.everything())
