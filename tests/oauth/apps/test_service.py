"""Registering, changing and recognising applications, on both engines."""

import asyncio

import pytest

from oauth.world import CALLBACK, World
from trivium.oauth.apps.model import AppStatus, GrantType
from trivium.oauth.apps.service import Apps
from trivium.oauth.consent.model import Decision
from trivium.oauth.errors import OAuthError, RegistrationError

pytestmark = pytest.mark.asyncio
BOTH = frozenset(GrantType)


def edited(world, **more):
    """Changes to the application of the world."""
    return {
        "name": "Shop",
        "description": "Sells things.",
        "redirect_uri": CALLBACK,
        "grants": BOTH,
        "rotate_refresh": True,
        "send_iss": False,
        **more,
    }


async def test_an_application_is_found_as_it_was_registered(world):
    """Its secret is known by its digest alone."""
    found, secrets = await world.apps.owned(world.owner.id, world.app.id)
    assert found == world.app == await world.apps.find(world.app.client_id)
    assert [(world.secret[-4:], None)] == [(one.hint, one.expires_at) for one in secrets]
    assert [world.app] == await world.apps.owned_by(world.owner.id)
    assert [] == await world.apps.owned_by(world.ada.id)


async def test_the_right_secret_opens(world):
    """And names the application."""
    assert world.app == await world.apps.authenticate(world.app.client_id, world.secret)


@pytest.mark.parametrize("case", ["unknown", "wrong", "empty", "other", "suspended"])
async def test_every_refusal_is_the_same(world, case):
    """Nobody learns which half was wrong."""
    rival, secret = await world.apps.create(world.owner.id, "Rival", "", "https://r.example/")
    if case == "suspended":
        await world.apps.set_status(world.owner.id, world.app.id, AppStatus.SUSPENDED)
    presented = {
        "unknown": ("gwc_" + "x" * 22, world.secret),
        "wrong": (world.app.client_id, "gws_" + "x" * 43),
        "empty": (world.app.client_id, ""),
        "other": (world.app.client_id, secret),
        "suspended": (world.app.client_id, world.secret),
    }[case]
    with pytest.raises(OAuthError) as raised:
        await world.apps.authenticate(*presented)
    assert rival.id != world.app.id
    assert ("invalid_client", 401, "the client id or the client secret is wrong") == (
        raised.value.code,
        raised.value.status,
        raised.value.description,
    )


async def test_a_replaced_secret_opens_for_a_day(world, clock):
    """And the one before it no more."""
    _, second = await world.apps.rotate_secret(world.owner.id, world.app.id)
    for secret in (world.secret, second):
        await world.apps.authenticate(world.app.client_id, secret)
    clock.advance(86_399)
    await world.apps.authenticate(world.app.client_id, world.secret)
    clock.advance(1)
    with pytest.raises(OAuthError):
        await world.apps.authenticate(world.app.client_id, world.secret)
    await world.apps.authenticate(world.app.client_id, second)


async def test_a_second_rotation_ends_the_first_secret(world):
    """Two secrets open at most."""
    _, second = await world.apps.rotate_secret(world.owner.id, world.app.id)
    _, third = await world.apps.rotate_secret(world.owner.id, world.app.id)
    with pytest.raises(OAuthError):
        await world.apps.authenticate(world.app.client_id, world.secret)
    for secret in (second, third):
        await world.apps.authenticate(world.app.client_id, secret)


async def test_replaced_secrets_can_be_refused_at_once(world):
    """When one has leaked."""
    _, second = await world.apps.rotate_secret(world.owner.id, world.app.id)
    assert 1 == await world.apps.end_old_secrets(world.owner.id, world.app.id)
    with pytest.raises(OAuthError):
        await world.apps.authenticate(world.app.client_id, world.secret)
    await world.apps.authenticate(world.app.client_id, second)


async def test_an_application_is_edited(world, clock):
    """What people are shown moves the moment from which consent counts."""
    clock.advance(10)
    same = await world.apps.edit(
        world.owner.id, world.app.id, **edited(world, rotate_refresh=False, send_iss=True)
    )
    assert (world.app.changed_at, False, True) == (
        same.changed_at,
        same.rotate_refresh,
        same.send_iss,
    )
    moved = await world.apps.edit(
        world.owner.id, world.app.id, **edited(world, redirect_uri="https://new.example/")
    )
    assert (clock.at, "https://new.example/") == (moved.changed_at, moved.redirect_uri)
    assert moved == await world.apps.find(world.app.client_id)


async def test_an_address_is_checked_when_it_changes(world):
    """One that was registered under other settings may stay."""
    lax = Apps(
        world.database,
        world.clock,
        world.audit,
        apps_max=20,
        apps_per_hour=10,
        allow_insecure_redirect=True,
    )
    app, _ = await lax.create(world.owner.id, "Local", "", "http://localhost:3000/")
    kept = edited(world, redirect_uri="http://localhost:3000/", name="Renamed")
    assert "Renamed" == (await world.apps.edit(world.owner.id, app.id, **kept)).name
    with pytest.raises(RegistrationError, match="redirect_uri: must begin with https://"):
        await world.apps.edit(
            world.owner.id, app.id, **edited(world, redirect_uri="http://localhost:4000/")
        )


async def test_nobody_touches_anothers_application(world):
    """It might as well not exist."""
    theirs = (world.ada.id, world.app.id)
    for call in (
        world.apps.owned(*theirs),
        world.apps.edit(*theirs, **edited(world)),
        world.apps.set_status(*theirs, AppStatus.SUSPENDED),
        world.apps.rotate_secret(*theirs),
        world.apps.end_old_secrets(*theirs),
        world.apps.delete(*theirs),
    ):
        with pytest.raises(RegistrationError, match="app: there is no such application of yours"):
            await call
    await world.apps.authenticate(world.app.client_id, world.secret)


async def test_a_deleted_application_takes_everything_with_it(world):
    """Consent, families and tokens."""
    issued = await world.issued()
    await world.apps.delete(world.owner.id, world.app.id)
    with pytest.raises(OAuthError):
        await world.tokens.access(issued.access_token)
    with pytest.raises(OAuthError):
        await world.apps.authenticate(world.app.client_id, world.secret)
    assert [] == await world.consents.authorized(world.ada.id)


async def test_an_account_has_so_many_applications(database, clock):
    """The limit and the rate are two things."""
    world = World(database, clock)
    user = await world.people.create_user("u", "u@example.org")
    apps = Apps(
        database, clock, world.audit, apps_max=3, apps_per_hour=2, allow_insecure_redirect=False
    )
    for _ in range(2):
        await apps.create(user.id, "A", "", "https://a.example/")
    with pytest.raises(RegistrationError) as raised:
        await apps.create(user.id, "A", "", "https://a.example/")
    assert "rate" == raised.value.field
    clock.advance(3600)
    await apps.create(user.id, "A", "", "https://a.example/")
    with pytest.raises(RegistrationError) as raised:
        await apps.create(user.id, "A", "", "https://a.example/")
    assert "limit" == raised.value.field


async def test_registrations_at_once_do_not_pass_the_limit(world):
    """They wait for each other."""
    apps = Apps(
        world.database,
        world.clock,
        world.audit,
        apps_max=3,
        apps_per_hour=99,
        allow_insecure_redirect=False,
    )
    made = await asyncio.gather(
        *(apps.create(world.ada.id, "A", "", "https://a.example/") for _ in range(8)),
        return_exceptions=True,
    )
    assert 3 == len([one for one in made if not isinstance(one, Exception)])
    assert 3 == len(await apps.owned_by(world.ada.id))


async def test_a_disabled_user_registers_nothing(world):
    """Nor does one that does not exist."""
    await world.people.disable_user("ada")
    for user_id in (world.ada.id, 999):
        with pytest.raises(RegistrationError) as raised:
            await world.apps.create(user_id, "A", "", "https://a.example/")
        assert "user" == raised.value.field


async def test_trust_is_the_operators(world):
    """By client id, from the command line."""
    assert (await world.apps.operate(world.app.client_id, trusted=True)).trusted
    assert (await world.apps.find(world.app.client_id)).trusted
    suspended = await world.apps.operate(world.app.client_id, status=AppStatus.BLOCKED)
    assert (True, AppStatus.BLOCKED) == (suspended.trusted, suspended.status)
    assert [suspended] == await world.apps.everything()
    with pytest.raises(RegistrationError):
        await world.apps.operate("gwc_nobody", trusted=True)


@pytest.mark.parametrize(
    ("changes", "trusted"),
    [
        ({}, True),
        ({"send_iss": True}, True),
        ({"name": "Shop (new)"}, False),
        ({"redirect_uri": "https://elsewhere.example/cb"}, False),
    ],
)
async def test_trust_is_in_what_the_operator_looked_at(world, changes, trusted):
    """Its owner cannot lead it elsewhere and keep being let in without a question."""
    await world.apps.operate(world.app.client_id, trusted=True)
    await world.apps.edit(world.owner.id, world.app.id, **edited(world, **changes))
    assert trusted is (await world.apps.find(world.app.client_id)).trusted


async def test_what_the_operator_blocks_its_owner_cannot_resume(world):
    """Not by way of suspending it either; nor does an edit help."""
    mine = (world.owner.id, world.app.id)
    await world.apps.operate(world.app.client_id, status=AppStatus.BLOCKED)
    for status in (AppStatus.ACTIVE, AppStatus.SUSPENDED):
        with pytest.raises(RegistrationError) as raised:
            await world.apps.set_status(*mine, status)
        assert "status" == raised.value.field
    await world.apps.edit(*mine, **edited(world, name="Other"))
    assert AppStatus.BLOCKED is (await world.apps.find(world.app.client_id)).status
    with pytest.raises(OAuthError):
        await world.apps.authenticate(world.app.client_id, world.secret)
    await world.apps.operate(world.app.client_id, status=AppStatus.ACTIVE)
    assert AppStatus.ACTIVE is (await world.apps.set_status(*mine, AppStatus.ACTIVE)).status


async def test_what_was_done_is_told(world):
    """Each act once, without a secret."""
    mine = (world.owner.id, world.app.id)
    await world.apps.edit(*mine, **edited(world, name="New"))
    await world.apps.rotate_secret(*mine)
    await world.apps.set_status(*mine, AppStatus.SUSPENDED)
    await world.apps.set_status(*mine, AppStatus.ACTIVE)
    await world.apps.delete(*mine)
    assert [
        "app_created",
        "app_changed",
        "secret_rotated",
        "app_suspended",
        "app_resumed",
        "app_deleted",
    ] == await world.acts()
    assert "gws_" not in str(await world.audit.everything())


async def test_an_application_is_given_to_another_account(world):
    """Its tokens go on; consent is asked for again, and whoever had it has it no more."""
    issued = await world.issued()
    await world.people.disable_user("owner")
    eve = await world.people.create_user("eve", "eve@example.org")
    world.clock.advance(5)
    given = await world.apps.transfer(world.app.client_id, eve.id)
    assert (eve.id, True) == (given.user_id, given.works)
    assert given == await world.apps.find(world.app.client_id)
    assert ([], [given]) == (
        await world.apps.owned_by(world.owner.id),
        await world.apps.owned_by(eve.id),
    )
    assert world.ada.id == (await world.tokens.access(issued.access_token)).user_id
    request_id = await world.consents.begin(world.asked(given))
    assert Decision.ASK is await world.consents.weigh(request_id, world.ada.id, is_framed=False)
    for client_id, user_id, field in (
        ("gwc_x", eve.id, "app"),
        (given.client_id, world.owner.id, "user"),
        (given.client_id, 999, "user"),
    ):
        with pytest.raises(RegistrationError) as raised:
            await world.apps.transfer(client_id, user_id)
        assert field == raised.value.field


@pytest.mark.parametrize("text", ["\0", "gwc_\0", "\xff" * 5000, "'; --"])
async def test_whatever_is_sent_as_an_id_is_only_unknown(world, text):
    """Also what a database does not take as a text."""
    assert None is await world.apps.find(text)
    with pytest.raises(OAuthError) as raised:
        await world.apps.authenticate(text, text)
    assert "invalid_client" == raised.value.code
