"""Developer tokens, on both engines."""

import pytest

from trivium.identity import store as identity_store
from trivium.identity.model import UserRole
from trivium.oauth.developer.model import ADMIN, WRITE_APPS
from trivium.oauth.errors import OAuthError, RegistrationError

pytestmark = pytest.mark.asyncio
DAY = 86_400


async def refused(world, secret, permission=WRITE_APPS):
    """Status and code of a refusal."""
    with pytest.raises(OAuthError) as raised:
        await world.developer.authenticate(secret, permission)
    return raised.value.status, raised.value.code


async def test_a_token_lets_its_user_register(world, clock):
    """And remembers when it was used."""
    token, secret = await world.developer.create(world.ada.id, "ci")
    assert (clock.at + 90 * DAY, None) == (token.expires_at, token.last_used_at)
    clock.advance(5)
    found = await world.developer.authenticate(secret, WRITE_APPS)
    assert (token.id, world.ada.id) == (found.id, found.user_id)
    (listed,) = await world.developer.owned_by(world.ada.id)
    assert (int(clock.at), secret[-4:]) == (listed.last_used_at, listed.hint)


@pytest.mark.parametrize(
    "secret", ["", "gwdev_", "gwdev_" + "x" * 43, "sk-gateway-x", "gwat_" + "x" * 43]
)
async def test_what_is_no_token_is_refused(world, secret):
    """Without a look-up, or after one."""
    assert (401, "invalid_token") == await refused(world, secret)


async def test_an_expired_token_is_refused(world, clock):
    """To the second."""
    _, secret = await world.developer.create(world.ada.id, "ci", 1)
    clock.advance(DAY - 1)
    await world.developer.authenticate(secret, WRITE_APPS)
    clock.advance(1)
    assert (401, "invalid_token") == await refused(world, secret)


async def test_a_revoked_token_is_refused(world):
    """And cannot be revoked twice, nor by others."""
    token, secret = await world.developer.create(world.ada.id, "ci")
    with pytest.raises(RegistrationError):
        await world.developer.revoke(world.owner.id, token.id)
    await world.developer.revoke(world.ada.id, token.id)
    assert (401, "invalid_token") == await refused(world, secret)
    with pytest.raises(RegistrationError):
        await world.developer.revoke(world.ada.id, token.id)


async def test_a_disabled_user_is_told_so(world):
    """403: another token would not help. When they are enabled again they make one."""
    _, secret = await world.developer.create(world.ada.id, "ci")
    await world.people.disable_user("ada")
    assert (403, "access_denied") == await refused(world, secret)
    await world.people.enable_user("ada")
    assert (401, "invalid_token") == await refused(world, secret)


async def test_a_permission_that_was_not_given_is_missing(world):
    """403."""
    _, secret = await world.developer.create(world.ada.id, "ci")
    assert (403, "insufficient_scope") == await refused(world, secret, "something:else")


@pytest.mark.parametrize(
    ("name", "days", "field"), [("", 1, "name"), ("x", 0, "days"), ("x", 367, "days")]
)
async def test_a_token_needs_a_name_and_an_end(world, name, days, field):
    """The field at fault is named."""
    with pytest.raises(RegistrationError) as raised:
        await world.developer.create(world.ada.id, name, days)
    assert field == raised.value.field


async def test_so_many_tokens_are_made_an_hour(world, clock):
    """Ten."""
    for _ in range(10):
        await world.developer.create(world.ada.id, "ci")
    with pytest.raises(RegistrationError) as raised:
        await world.developer.create(world.ada.id, "ci")
    assert "rate" == raised.value.field
    clock.advance(3600)
    await world.developer.create(world.ada.id, "ci")


async def test_what_was_done_is_told(world):
    """Making and revoking."""
    token, _ = await world.developer.create(world.ada.id, "ci")
    await world.developer.revoke(world.ada.id, token.id)
    assert ["developer_token_created", "developer_token_revoked"] == (await world.acts())[1:]


async def test_only_administrators_make_tokens_for_administration(world):
    """What others ask for is not made."""
    with pytest.raises(RegistrationError) as raised:
        await world.developer.create(world.ada.id, "ci", permission=ADMIN)
    assert ("permission", []) == (
        raised.value.field,
        await world.developer.owned_by(world.ada.id),
    )


async def test_a_token_for_administration_ends_with_the_office(world):
    """For good: whoever is appointed again makes another. It does nothing else."""
    await world.people.set_role("ada", UserRole.ADMIN)
    token, secret = await world.developer.create(world.ada.id, "ci", permission=ADMIN)
    assert token.id == (await world.developer.authenticate(secret, ADMIN)).id
    assert (403, "insufficient_scope") == await refused(world, secret, WRITE_APPS)
    await world.people.set_role("ada", UserRole.USER)
    assert (401, "invalid_token") == await refused(world, secret, ADMIN)
    await world.people.set_role("ada", UserRole.ADMIN)
    assert (401, "invalid_token") == await refused(world, secret, ADMIN)


async def test_a_token_for_administration_asks_who_its_owner_is_now(world):
    """Each time, whatever became of the token."""
    await world.people.set_role("ada", UserRole.ADMIN)
    _, secret = await world.developer.create(world.ada.id, "ci", permission=ADMIN)
    async with world.database.write() as conn:
        await identity_store.set_role(conn, world.ada.id, UserRole.USER)
    assert (403, "access_denied") == await refused(world, secret, ADMIN)


async def test_other_tokens_stay_when_an_office_ends(world):
    """What they open has nothing to do with it."""
    await world.people.set_role("ada", UserRole.ADMIN)
    token, secret = await world.developer.create(world.ada.id, "ci")
    await world.people.set_role("ada", UserRole.USER)
    assert token.id == (await world.developer.authenticate(secret, WRITE_APPS)).id


async def test_other_tokens_of_an_administrator_administer_nothing(world):
    """They were made for something else."""
    await world.people.set_role("ada", UserRole.ADMIN)
    _, secret = await world.developer.create(world.ada.id, "ci")
    assert (403, "insufficient_scope") == await refused(world, secret, ADMIN)
