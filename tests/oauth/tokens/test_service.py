"""Codes into tokens, refresh and revocation, on both engines."""

import asyncio

import pytest

from oauth.world import CHALLENGE, FAMILY_S, VERIFIER, World, changed
from trivium.oauth.apps.model import AppStatus, GrantType
from trivium.oauth.errors import OAuthError
from trivium.oauth.part import RequestOrigin
from trivium.oauth.tokens.service import Tokens, unheard
from trivium.secret import Keyring

pytestmark = pytest.mark.asyncio
DAY = 86_400
PKCE = {"code_challenge": CHALLENGE.encode(), "code_challenge_method": b"S256"}


async def refused(call):
    """Code of a refusal."""
    with pytest.raises(OAuthError) as raised:
        await call
    return raised.value.code


async def is_good(world, issued):
    """Whether an access token opens anything."""
    try:
        await world.tokens.access(issued.access_token)
    except OAuthError as error:
        return (error.code, error.status) != ("invalid_token", 401)
    return True


async def test_a_code_becomes_tokens(world):
    """For two hours, with exactly what was agreed to."""
    issued = await world.issued(scope=b"profile")
    assert (7200, {"profile"}, world.ada.id) == (
        issued.expires_in,
        issued.scopes,
        issued.user_id,
    )
    access = await world.tokens.access(issued.access_token)
    assert (world.ada.id, world.app.id, world.app.client_id, {"profile"}) == (
        access.user_id,
        access.app_id,
        access.client_id,
        access.scopes,
    )


async def test_a_code_lasts_a_minute(world, clock):
    """To the second."""
    codes = [await world.code(), await world.code()]
    clock.advance(59)
    await world.exchange(codes[0])
    clock.advance(1)
    assert "invalid_grant" == await refused(world.exchange(codes[1]))


async def test_a_second_use_ends_what_came_of_the_first(world):
    """RFC 6749 section 4.1.2."""
    code = await world.code()
    issued = await world.exchange(code)
    assert "invalid_grant" == await refused(world.exchange(code))
    assert not await is_good(world, issued)
    assert "invalid_grant" == await refused(world.refresh(issued.refresh_token))
    assert "code_replay" in await world.acts()


async def test_another_applications_use_ends_nothing(world):
    """Whoever finds a code could end its owner's access."""
    rival = await world.another()
    code = await world.code()
    given = {"redirect_uri": world.app.redirect_uri}
    assert "invalid_grant" == await refused(world.exchange(code, rival, **given))
    issued = await world.exchange(code)
    assert "invalid_grant" == await refused(world.exchange(code, rival, **given))
    assert await is_good(world, issued)
    assert "code_replay" not in await world.acts()


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ({}, {"redirect_uri": "https://shop.example/callback"}),
        ({}, {"redirect_uri": "https://rival.example/cb"}),
        ({}, {"verifier": VERIFIER}),
        (PKCE, {}),
        (PKCE, {"verifier": "x" * 43}),
    ],
)
async def test_a_wrong_first_presentation_uses_the_code_up(world, asked, given):
    """The right one comes too late."""
    code = await world.code(**asked)
    assert "invalid_grant" == await refused(world.exchange(code, **given))
    good = {"verifier": VERIFIER} if asked else {}
    assert "invalid_grant" == await refused(world.exchange(code, **good))


async def test_a_code_with_its_verifier_becomes_tokens(world):
    """S256."""
    code = await world.code(**PKCE)
    assert await is_good(world, await world.exchange(code, verifier=VERIFIER))


@pytest.mark.parametrize("code", ["", "gwac_" + "x" * 43, "x", "gwat_" + "x" * 43])
async def test_an_unknown_code_is_told_like_a_used_one(world, code):
    """The same words."""
    with pytest.raises(OAuthError) as unknown:
        await world.exchange(code)
    used = await world.code()
    await world.exchange(used)
    with pytest.raises(OAuthError) as second:
        await world.exchange(used)
    assert str(second.value) == str(unknown.value)


async def test_of_twenty_exchanges_at_once_one_succeeds(world):
    """And its tokens are revoked: nineteen replays came after it."""
    code = await world.code()
    made = await asyncio.gather(*(world.exchange(code) for _ in range(20)), return_exceptions=True)
    good = [one for one in made if not isinstance(one, Exception)]
    assert 1 == len(good)
    assert {"invalid_grant"} == {one.code for one in made if isinstance(one, OAuthError)}
    assert not await is_good(world, good[0])


async def test_an_application_uses_only_its_grants(world):
    """unauthorized_client, before anything is looked at."""
    issued = await world.issued()
    none = changed(world.app, grants=frozenset())
    assert "unauthorized_client" == await refused(world.exchange("x", none))
    assert "unauthorized_client" == await refused(world.refresh(issued.refresh_token, none))
    only = changed(world.app, grants=frozenset({GrantType.REFRESH}))
    assert await is_good(world, await world.refresh(issued.refresh_token, only))


async def test_refreshing_rotates(world, clock):
    """Each answer has a new pair; the old access token lives on."""
    first = await world.issued()
    clock.advance(7100)
    second = await world.refresh(first.refresh_token)
    third = await world.refresh(second.refresh_token)
    assert 3 == len({one.refresh_token for one in (first, second, third)})
    assert [True] * 3 == [await is_good(world, one) for one in (first, second, third)]
    clock.advance(100)
    assert [False, True] == [await is_good(world, one) for one in (first, second)]


async def test_within_the_grace_the_same_successor_comes_again(world, clock):
    """Parallel workers, lost answers: a fresh access token, the same refresh token."""
    first = await world.issued()
    second = await world.refresh(first.refresh_token)
    clock.advance(60)
    again = await world.refresh(first.refresh_token)
    assert second.refresh_token == again.refresh_token
    assert second.access_token != again.access_token
    assert await is_good(world, again)


async def test_within_the_grace_a_straggler_gets_the_newest(world, clock):
    """Not one that is used already, which would be taken for theft later."""
    first = await world.issued()
    second = await world.refresh(first.refresh_token)
    third = await world.refresh(second.refresh_token)
    late = await world.refresh(first.refresh_token)
    assert third.refresh_token == late.refresh_token
    clock.advance(DAY)
    assert await is_good(world, await world.refresh(late.refresh_token))


async def test_reuse_after_the_grace_ends_everything(world, clock):
    """Somebody has the token who should not."""
    first = await world.issued()
    second = await world.refresh(first.refresh_token)
    clock.advance(61)
    assert "invalid_grant" == await refused(world.refresh(first.refresh_token))
    assert not await is_good(world, second)
    assert "invalid_grant" == await refused(world.refresh(second.refresh_token))
    assert "tokens_reused" in await world.acts()
    (shown,) = await world.consents.authorized(world.ada.id)
    assert (clock.at, 0) == (shown.incident_at, shown.live_tokens)


async def test_reuse_tells_the_user_once(world, clock):
    """In the language in which they agreed last; another use of a dead token is no news."""
    first = await world.issued(sender=RequestOrigin(language="zh"))
    await world.refresh(first.refresh_token)
    await refused(world.refresh(first.refresh_token, await world.another()))
    clock.advance(61)
    assert [] == world.alarms
    for _ in range(2):
        await refused(world.refresh(first.refresh_token))
    assert [(world.ada.id, "zh")] == world.alarms
    again = await world.issued(sender=RequestOrigin(language="en"))
    await world.refresh(again.refresh_token)
    clock.advance(61)
    await refused(world.refresh(again.refresh_token))
    assert (world.ada.id, "en") == world.alarms[-1]


async def test_a_code_that_comes_twice_alarms_nobody(world):
    """Somebody loaded the callback page again: the page of applications tells enough."""
    code = await world.code()
    await world.exchange(code)
    await refused(world.exchange(code))
    assert [] == world.alarms
    (shown,) = await world.consents.authorized(world.ada.id)
    assert world.clock.at == shown.incident_at


async def test_reuse_by_another_application_ends_nothing(world, clock):
    """Only its own client can reuse a token."""
    rival = await world.another()
    first = await world.issued()
    second = await world.refresh(first.refresh_token)
    clock.advance(61)
    assert "invalid_grant" == await refused(world.refresh(first.refresh_token, rival))
    assert await is_good(world, second)


async def test_another_family_is_not_touched(world, clock):
    """Two devices of one user."""
    one, other = await world.issued(), await world.issued()
    await world.refresh(one.refresh_token)
    clock.advance(61)
    await refused(world.refresh(one.refresh_token))
    assert await is_good(world, other)


async def test_refreshes_at_once_agree(world, clock):
    """One rotates, the others fall into its grace; nobody is signed out."""
    first = await world.issued()
    made = await asyncio.gather(*(world.refresh(first.refresh_token) for _ in range(8)))
    assert 1 == len({one.refresh_token for one in made})
    assert 8 == len({one.access_token for one in made})
    clock.advance(DAY)
    assert await is_good(world, await world.refresh(made[0].refresh_token))


async def test_a_revocation_during_a_refresh_wins(world):
    """Whatever the order, nothing is left that opens."""
    issued = await world.issued()
    made = await asyncio.gather(
        world.refresh(issued.refresh_token),
        world.consents.revoke_all(world.ada.id),
        world.refresh(issued.refresh_token),
        return_exceptions=True,
    )
    assert [world.app.id] == made[1]
    for one in (made[0], made[2]):
        if isinstance(one, OAuthError):
            assert "invalid_grant" == one.code
        else:
            assert not await is_good(world, one)
            assert "invalid_grant" == await refused(world.refresh(one.refresh_token))


async def test_a_refresh_token_lasts_thirty_days(world, clock):
    """Each new one thirty from its own issue."""
    issued = await world.issued()
    clock.advance(30 * DAY - 1)
    second = await world.refresh(issued.refresh_token)
    clock.advance(30 * DAY - 1)
    third = await world.refresh(second.refresh_token)
    clock.advance(30 * DAY)
    assert "invalid_grant" == await refused(world.refresh(third.refresh_token))


async def test_a_family_ends_after_a_year(world, clock):
    """However often it was refreshed; the last access token lasts no longer."""
    began = clock.at
    token = (await world.issued()).refresh_token
    while clock.at < began + FAMILY_S - 30 * DAY:
        clock.advance(29 * DAY)
        token = (await world.refresh(token)).refresh_token
    clock.at = began + FAMILY_S - 100
    last = await world.refresh(token)
    assert 100 == last.expires_in
    clock.advance(100)
    assert "invalid_grant" == await refused(world.refresh(last.refresh_token))
    assert not await is_good(world, last)


async def test_a_client_may_keep_its_refresh_token(world, clock):
    """Where the application says so, until its thirty days end."""
    fixed = changed(world.app, rotate_refresh=False)
    issued = await world.issued()
    for _ in range(3):
        clock.advance(9 * DAY)
        again = await world.refresh(issued.refresh_token, fixed)
        assert issued.refresh_token == again.refresh_token
        assert await is_good(world, again)
    clock.advance(3 * DAY)
    assert "invalid_grant" == await refused(world.refresh(issued.refresh_token, fixed))


async def test_scope_narrows_the_access_token_alone(world):
    """The refresh token keeps its scope."""
    issued = await world.issued()
    narrow = await world.refresh(issued.refresh_token, scopes=frozenset({"balance"}))
    assert {"balance"} == narrow.scopes
    assert {"balance"} == (await world.tokens.access(narrow.access_token)).scopes
    whole = await world.refresh(narrow.refresh_token)
    assert {"profile", "balance"} == whole.scopes


async def test_scope_does_not_widen(world):
    """invalid_scope; and the token is not used up."""
    issued = await world.issued(scope=b"profile")
    both = frozenset({"profile", "balance"})
    assert "invalid_scope" == await refused(world.refresh(issued.refresh_token, scopes=both))
    await world.refresh(issued.refresh_token)


async def test_a_family_has_ten_live_access_tokens(world):
    """The oldest go."""
    issued = [await world.issued()]
    for _ in range(10):
        issued.append(await world.refresh(issued[-1].refresh_token))
    assert [False] + [True] * 10 == [await is_good(world, one) for one in issued]


@pytest.mark.parametrize("token", ["", "x", "gwrt_" + "x" * 43, "gwat_" + "x" * 43])
async def test_an_unknown_refresh_token_is_refused(world, token):
    """invalid_grant."""
    assert "invalid_grant" == await refused(world.refresh(token))


async def test_a_disabled_user_has_no_tokens(world):
    """Nor when enabled again: a thief may have agreed to something meanwhile."""
    issued = await world.issued()
    code = await world.code()
    await world.people.disable_user("ada")
    assert not await is_good(world, issued)
    assert "invalid_grant" == await refused(world.refresh(issued.refresh_token))
    assert "invalid_grant" == await refused(world.exchange(code))
    await world.people.enable_user("ada")
    assert not await is_good(world, issued)
    assert "invalid_grant" == await refused(world.refresh(issued.refresh_token))
    assert [] == await world.consents.authorized(world.ada.id)


async def test_a_disabled_developers_application_has_no_tokens(world):
    """Whoever made it may be gone with its secret; all of it works again when they are enabled."""
    issued, code = await world.issued(), await world.code()
    await world.people.disable_user("owner")
    assert not await is_good(world, issued)
    with pytest.raises(OAuthError) as raised:
        await world.apps.authenticate(world.app.client_id, world.secret)
    assert "invalid_client" == raised.value.code
    await world.people.enable_user("owner")
    assert await is_good(world, issued)
    assert await world.exchange(code)
    assert await world.refresh(issued.refresh_token)


async def test_a_suspended_applications_tokens_open_nothing(world):
    """Until it is resumed."""
    issued = await world.issued()
    await world.apps.set_status(world.owner.id, world.app.id, AppStatus.SUSPENDED)
    assert not await is_good(world, issued)
    await world.apps.set_status(world.owner.id, world.app.id, AppStatus.ACTIVE)
    assert await is_good(world, issued)


async def test_a_client_revokes_its_own(world):
    """An access token itself, a refresh token the whole family (RFC 7009)."""
    one, other = await world.issued(), await world.issued()
    await world.tokens.revoke(world.app, one.access_token)
    assert [False, True] == [await is_good(world, issued) for issued in (one, other)]
    again = await world.refresh(one.refresh_token)
    await world.tokens.revoke(world.app, again.refresh_token)
    assert not await is_good(world, again)
    assert "invalid_grant" == await refused(world.refresh(again.refresh_token))
    assert await is_good(world, other)
    assert "tokens_revoked" in await world.acts()


async def test_nobody_revokes_anothers(world):
    """Nothing is done, and nothing is told."""
    rival = await world.another()
    issued = await world.issued()
    for token in (issued.access_token, issued.refresh_token, "unknown", "gwrt_" + "x" * 43):
        await world.tokens.revoke(rival, token)
    assert await is_good(world, issued)
    await world.refresh(issued.refresh_token)


@pytest.mark.parametrize("token", ["gwac_x", "gwdev_x", "gws_x", "gwc_x"])
async def test_other_credentials_are_not_revoked_here(world, token):
    """unsupported_token_type."""
    assert "unsupported_token_type" == await refused(world.tokens.revoke(world.app, token))


async def test_replacing_the_gateways_key_ends_the_grace_alone(world):
    """Tokens are known by their digests."""
    first = await world.issued()
    second = await world.refresh(first.refresh_token)
    world.tokens = Tokens(
        world.database, world.clock, world.audit, Keyring(b"n" * 32), family_s=FAMILY_S
    )
    assert "invalid_grant" == await refused(world.refresh(first.refresh_token))
    assert await is_good(world, await world.refresh(second.refresh_token))


async def test_no_secret_is_stored_or_told(world):
    """Everything in the database, searched for everything that was issued."""
    code = await world.code()
    first = await world.exchange(code)
    second = await world.refresh(first.refresh_token)
    secrets = [
        world.secret,
        code,
        first.access_token,
        first.refresh_token,
        second.access_token,
        second.refresh_token,
    ]
    async with world.database.read() as conn:
        dump = await conn.run_sync(everything)
    assert "oauth_refresh_tokens" in dump
    assert [] == [secret for secret in secrets if secret in dump or secret[5:] in dump]


def everything(connection):
    """Every row of every table, as text."""
    from sqlalchemy import select

    from trivium.storage.schema import metadata

    rows = [
        (table.name, [bytes(v).decode("latin-1") if isinstance(v, bytes) else v for v in row])
        for table in metadata.sorted_tables
        for row in connection.execute(select(table))
    ]
    return repr(rows)


async def test_two_gateways_share_one_service(world):
    """Another worker with the same keys continues where the first left off."""
    other = World(world.database, world.clock)
    other.app, other.ada = world.app, world.ada
    issued = await world.issued()
    second = await other.refresh(issued.refresh_token)
    assert second.refresh_token == (await world.refresh(issued.refresh_token)).refresh_token


async def test_nobody_needs_to_be_told():
    """A gateway without letters."""
    assert None is unheard(1, "en")
