"""An application spends under the cap its user set, with keys that end when consent does."""

import asyncio

import pytest
from sqlalchemy import text

from oauth.world import World
from trivium.identity.keys import digest
from trivium.identity.snapshot import Snapshot
from trivium.ledger.model import NANOS, Settlement
from trivium.ledger.store import turn
from trivium.oauth.apps.model import AppStatus
from trivium.oauth.consent.model import Decision
from trivium.oauth.errors import OAuthError, RegistrationError
from trivium.oauth.scope import SPEND
from trivium.oauth.spend.model import LIVE_MAX
from trivium.oauth.spend.service import Spending
from trivium.oauth.tokens.service import ACCESS_S
from trivium.settings.budget import Budget, CounterId, Period, bounds
from trivium.storage.database import Database

CAP = 10 * NANOS


async def tokens(world, app=None, cap_nanos=CAP, scope=b"profile spend"):
    """Tokens that may spend."""
    return await world.issued(app, cap_nanos=cap_nanos, scope=scope)


async def issued(world, given=None, app=None):
    """A key for a new consent, or for tokens."""
    given = given or await tokens(world)
    return await world.spending.issue(app or world.app, given.access_token)


async def refused(action):
    """Why no key was given: code and status."""
    with pytest.raises(OAuthError) as caught:
        await action
    return caught.value.code, caught.value.status


async def caller(world, key):
    """What a running gateway makes of a key; ``None`` when it is refused."""
    snapshot = Snapshot(world.database, world.clock)
    await snapshot.load()
    found = snapshot.get(digest(key.key))
    is_good = found and not found.disabled and found.expires_at > world.clock.now()
    return found if is_good else None


@pytest.mark.asyncio
async def test_a_key_is_the_users_and_ends_with_the_token(world):
    """Balance and limits are theirs; the budget is the cap; the app's name is on it."""
    given = await tokens(world)
    key = await issued(world, given)
    found = await caller(world, key)
    cap = Budget(
        amount_nanos=CAP,
        period=Period.MONTH,
        scope=f"grant:{found.grant_id}",
        whose="this application",
    )
    assert (world.ada.id, (cap,)) == (found.user_id, found.budgets)
    assert world.clock.now() + ACCESS_S == found.expires_at == key.expires_at
    [row] = await world.people.list_keys("ada")
    assert (f"app {world.app.id}: Shop", key.key[-4:]) == (row.name, row.hint)
    world.clock.advance(ACCESS_S)
    assert None is await caller(world, key)


@pytest.mark.asyncio
async def test_the_token_is_no_key_and_the_key_no_token(world):
    """Each is looked up among its own kind only."""
    given = await tokens(world)
    key = await issued(world, given)
    snapshot = Snapshot(world.database, world.clock)
    await snapshot.load()
    assert None is snapshot.get(digest(given.access_token))
    with pytest.raises(OAuthError):
        await world.tokens.access(key.key)
    assert ("invalid_grant", 400) == await refused(world.spending.issue(world.app, key.key))
    assert ("invalid_grant", 400) == await refused(
        world.spending.issue(world.app, given.refresh_token)
    )


@pytest.mark.asyncio
async def test_only_its_own_tokens_give_an_application_keys(world):
    """Whoever finds another's access token cannot spend with it."""
    rival = await world.another()
    given = await tokens(world)
    assert ("invalid_grant", 400) == await refused(world.spending.issue(rival, given.access_token))


@pytest.mark.asyncio
async def test_without_the_scope_nothing_is_spent(world):
    """An application that was let see the profile was let see the profile."""
    given = await tokens(world, scope=b"profile balance", cap_nanos=None)
    assert ("insufficient_scope", 403) == await refused(issued(world, given))
    narrowed = await world.refresh(
        (await tokens(world)).refresh_token, scopes=frozenset({"profile"})
    )
    assert ("insufficient_scope", 403) == await refused(issued(world, narrowed))


@pytest.mark.asyncio
async def test_whoever_sets_no_cap_has_declined(world):
    """The rest is granted; where nothing is left, that is a no."""
    given = await tokens(world, cap_nanos=None)
    assert frozenset({"profile"}) == given.scopes
    pending = await world.consents.begin(world.asked(scope=b"spend"))
    await world.consents.weigh(pending, world.ada.id, is_framed=False)
    location = await world.consents.approve(pending, world.ada.id, Decision.ASK)
    assert "error=access_denied" in location


@pytest.mark.parametrize("cap_nanos", [0, -1, 10**18])
@pytest.mark.asyncio
async def test_a_cap_out_of_range_grants_nothing(world, cap_nanos):
    """The request still waits for its answer."""
    with pytest.raises(ValueError, match="a cap is"):
        await tokens(world, cap_nanos=cap_nanos)
    assert [] == await world.consents.authorized(world.ada.id)


@pytest.mark.asyncio
async def test_switched_off_nothing_is_given(world):
    """Whatever was consented to before."""
    given = await tokens(world)
    off = Spending(world.database, world.clock, world.audit, enabled=False)
    assert ("unsupported_grant_type", 400) == await refused(
        off.issue(world.app, given.access_token)
    )


async def revoke_consent(world, given):
    (grant,) = await world.consents.authorized(world.ada.id)
    await world.consents.revoke(world.ada.id, grant.grant.id)


async def revoke_everything(world, given):
    await world.consents.revoke_all(world.ada.id)


async def client_revokes_refresh(world, given):
    await world.tokens.revoke(world.app, given.refresh_token)


async def client_revokes_access(world, given):
    await world.tokens.revoke(world.app, given.access_token)


async def reuse_refresh(world, given):
    await world.refresh(given.refresh_token)
    world.clock.advance(61)
    with pytest.raises(OAuthError):
        await world.refresh(given.refresh_token)


async def replay_code(world, given):
    with pytest.raises(OAuthError):
        await world.exchange(world.used_code)


async def suspend_app(world, given):
    await world.apps.set_status(world.owner.id, world.app.id, AppStatus.SUSPENDED)


async def delete_app(world, given):
    await world.apps.delete(world.owner.id, world.app.id)


async def disable_user(world, given):
    await world.people.disable_user("ada")


async def disable_developer(world, _):
    """Of the application, by the operator."""
    await world.people.disable_user("owner")


@pytest.mark.parametrize(
    "end",
    [
        revoke_consent,
        revoke_everything,
        client_revokes_refresh,
        client_revokes_access,
        reuse_refresh,
        replay_code,
        suspend_app,
        delete_app,
        disable_user,
        disable_developer,
    ],
)
@pytest.mark.asyncio
async def test_keys_end_with_whatever_they_hang_on(world, end):
    """In the transaction that ends it: a running gateway reads its keys again within a second."""
    code = world.used_code = await world.code(cap_nanos=CAP, scope=b"profile spend")
    given = await world.exchange(code)
    keys = [await issued(world, given) for _ in range(3)]
    snapshot = Snapshot(world.database, world.clock)
    await snapshot.load()
    await end(world, given)
    await snapshot.refresh()
    assert [True] * 3 == [snapshot.get(digest(key.key)).disabled for key in keys]
    with pytest.raises(OAuthError):
        await world.spending.issue(world.app, given.access_token)


@pytest.mark.asyncio
async def test_another_ones_keys_stay(world):
    """Neither another application's nor another user's end with it."""
    rival = await world.another()
    await world.people.create_user("bob", "bob@example.org")
    bob = await world.people.find_user("bob")
    theirs = await world.exchange(
        await world.code(user=bob, cap_nanos=CAP, scope=b"spend"), world.app
    )
    others = [
        await issued(world, await tokens(world, rival), rival),
        await issued(world, theirs),
    ]
    key = await issued(world)
    await world.consents.revoke(
        world.ada.id,
        next(
            a.grant.id
            for a in await world.consents.authorized(world.ada.id)
            if a.app.id == world.app.id
        ),
    )
    assert None is await caller(world, key)
    assert None not in [await caller(world, other) for other in others]


@pytest.mark.asyncio
async def test_keys_are_given_again_and_not_piled_up(world):
    """A consent has so many rows at most, however long it lasts."""
    given = await tokens(world)
    for _ in range(5):
        for _ in range(LIVE_MAX):
            await issued(world, given)
        world.clock.advance(ACCESS_S)
        given = await world.refresh(given.refresh_token)
    assert LIVE_MAX == len(await world.people.list_keys("ada"))
    key = await issued(world, given)
    assert await caller(world, key)


@pytest.mark.asyncio
async def test_too_many_keys_have_to_wait(world):
    """Until the first of them has expired."""
    given = await tokens(world)
    for _ in range(LIVE_MAX):
        await issued(world, given)
    world.clock.advance(200)
    with pytest.raises(OAuthError) as caught:
        await issued(world, given)
    assert (429, ACCESS_S - 200) == (caught.value.status, caught.value.retry_after)


@pytest.mark.asyncio
async def test_a_new_consent_has_keys_of_its_own(world):
    """What was given under the old one never comes back to life."""
    old = await issued(world)
    await revoke_everything(world, None)
    new = await issued(world)
    assert (None, True) == (await caller(world, old), bool(await caller(world, new)))
    found = await caller(world, new)
    assert [f"grant:{found.grant_id}"] == [each.scope for each in found.budgets]


@pytest.mark.asyncio
async def test_a_cap_that_is_changed_holds_for_every_key(world):
    """By the user alone, and told."""
    key = await issued(world)
    (grant_id,) = await world.spending.caps(world.ada.id)
    await world.spending.set_cap(world.ada.id, grant_id, 3 * NANOS)
    assert ({grant_id: 3 * NANOS}, 3 * NANOS) == (
        await world.spending.caps(world.ada.id),
        (await caller(world, key)).budgets[0].amount_nanos,
    )
    with pytest.raises(RegistrationError):
        await world.spending.set_cap(world.owner.id, grant_id, CAP)
    with pytest.raises(ValueError, match="a cap is"):
        await world.spending.set_cap(world.ada.id, grant_id, 0)
    assert ["spend_cap_set", "spend_key_issued", "spend_cap_set"] == [
        kind for kind in await world.acts() if kind.startswith("spend")
    ]


@pytest.mark.asyncio
async def test_consent_given_again_sets_the_cap_anew(world):
    """The last word counts, also for keys that run."""
    key = await issued(world)
    await tokens(world, cap_nanos=2 * NANOS)
    assert 2 * NANOS == (await caller(world, key)).budgets[0].amount_nanos


@pytest.mark.asyncio
async def test_what_was_spent_is_summed_by_consent(world):
    """This month's, over all keys of it."""
    key, other = await issued(world), await issued(world)
    (grant_id,) = await world.spending.caps(world.ada.id)
    now = world.clock.now()
    for number, of in enumerate((key, key, other)):
        await book(world, number, of.key_id, 100, grant_id, now)
    await book(world, 7, key.key_id, 1000, grant_id, 0)
    await book(world, 8, 999, 1000, 999, now)
    assert {grant_id: 300} == await world.spending.spent(world.ada.id)
    assert {} == await world.spending.spent(world.owner.id)


async def book(world, number, key_id, nanos, grant_id, at):
    """What a request of an application's key came to, counted as its worker does."""
    month = bounds(Period.MONTH, at).starts_at
    detail, counter = f'{{"key":{key_id}}}', CounterId(f"grant:{grant_id}", "month", month)
    settled = Settlement(f"r{number}", world.ada.id, nanos, int(at), "", detail, (counter,))
    async with world.database.write() as conn:
        await turn(conn, "w", [settled], {})


@pytest.mark.asyncio
async def test_a_key_and_a_revocation_at_once_leave_no_key(database_url, world):
    """Whichever comes first: either the key is ended or it is not given."""
    for _ in range(5):
        given = await tokens(world)
        second = Database(database_url)
        other = World(second, world.clock)
        (consent,) = await world.consents.authorized(world.ada.id)
        try:
            outcomes = await asyncio.gather(
                *(world.spending.issue(world.app, given.access_token) for _ in range(3)),
                other.consents.revoke(world.ada.id, consent.grant.id),
                return_exceptions=True,
            )
        finally:
            await second.close()
        made = [o for o in outcomes[:3] if not isinstance(o, BaseException)]
        assert [] == [
            o
            for o in outcomes[:3]
            if isinstance(o, BaseException) and not isinstance(o, OAuthError)
        ]
        assert world.app.id == outcomes[3]
        assert [None] * len(made) == [await caller(world, key) for key in made]


@pytest.mark.asyncio
async def test_no_key_is_stored(world):
    """Only its digest, as of every key."""
    key = await issued(world)
    async with world.database.read() as conn:
        rows = str((await conn.execute(text("SELECT * FROM keys"))).all())
        rows += str((await conn.execute(text("SELECT * FROM acts"))).all())
    assert key.key not in rows
    assert SPEND in (await world.consents.authorized(world.ada.id))[0].grant.scopes
