"""Sessions are found by a token that only the browser has, and end when they should."""

import pytest
from sqlalchemy import text

from trivium.identity.accounts import sessions as module
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import Visitor, Way
from trivium.identity.accounts.service import AccountSweeper
from trivium.identity.model import UserRole
from trivium.identity.service import Identity
from trivium.storage.periodic import PurgeClock

HOUR = 3600
DAY = 86_400


@pytest.mark.asyncio
async def test_a_session_tells_who_and_from_where(accounts, user, enter, clock, visitor):
    """As its user sees it in a list."""
    ada = await user()
    found = await accounts.sessions.find(await enter())
    assert (ada, Way.PASSWORD, visitor.address, visitor.agent) == (
        found.user,
        found.way,
        found.address,
        found.agent,
    )
    assert (clock.now(),) * 3 == (found.created_at, found.seen_at, found.confirmed_at)
    assert clock.now() + 14 * DAY == found.expires_at


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("steps", "alive"),
    [
        ((12 * HOUR - 1,), True),
        ((12 * HOUR,), False),
        ((11 * HOUR,) * 30, True),
        ((11 * HOUR,) * 30 + (6 * HOUR,), False),
    ],
    ids=["idle-not-yet", "idle", "used", "absolute"],
)
async def test_a_session_ends_by_itself(accounts, user, enter, seconds, steps, alive):
    """After twelve hours without use, after fourteen days in any case."""
    await user()
    token = await enter()
    found = True
    for step in steps:
        seconds(step)
        found = await accounts.sessions.find(token)
    assert alive is (found is not None)


@pytest.mark.asyncio
@pytest.mark.parametrize("days", [2, -2])
async def test_a_session_outlives_a_clock_that_jumps_and_comes_back(
    accounts, user, enter, seconds, database, clock, monkeypatch, days
):
    """Its user does not notice, nothing is deleted, and it ends when it would have."""
    await user()
    token = await enter()
    sweeper = AccountSweeper(database, clock, idle_s=12 * HOUR)
    doubt = PurgeClock(database, clock, "accounts")
    right = clock.now
    with monkeypatch.context() as patch:
        patch.setattr(database, "now", _unknown)
        patch.setattr(clock, "now", lambda: right() + days * DAY)
        seconds(HOUR)
        await sweeper.round(await doubt.now())
        assert right() - HOUR == (await accounts.sessions.find(token)).seen_at
    assert right() == (await accounts.sessions.find(token)).seen_at
    seconds(12 * HOUR)
    assert None is await accounts.sessions.find(token)


async def _unknown():
    """Of a server that the test's clock is not compared with."""


@pytest.mark.asyncio
async def test_the_settings_say_how_long(build, user, visitor, seconds):
    """In hours and days."""
    await user()
    accounts = build(idle_hours=1.0, session_days=2.0)
    assert (HOUR, 2 * DAY) == (accounts.sessions.idle_s, accounts.sessions.lifetime_s)


@pytest.mark.asyncio
@pytest.mark.parametrize("token", ["", "x" * 43, "x" * 500])
async def test_an_unknown_token_is_nobody(accounts, token):
    """No error, and no session made for it: a value planted in a browser stays worthless."""
    assert await accounts.sessions.find(token) is None


@pytest.mark.asyncio
async def test_every_login_gets_a_token_of_its_own(accounts, user, enter):
    """Whatever the browser had before: a session cannot be fixed in advance."""
    await user()
    one, two = await enter(), await enter()
    assert one != two
    assert (await accounts.sessions.find(one)).id != (await accounts.sessions.find(two)).id


@pytest.mark.asyncio
async def test_a_renewed_session_leaves_the_old_token_worthless(accounts, user, enter):
    """The same session, another token."""
    await user()
    old = await enter()
    before = await accounts.sessions.find(old)
    new = await accounts.sessions.renew(old)
    assert await accounts.sessions.find(old) is None
    assert before.id == (await accounts.sessions.find(new)).id
    with pytest.raises(AccountError) as caught:
        await accounts.sessions.renew(old)
    assert AccountRefusal.SESSION_GONE is caught.value.why


@pytest.mark.asyncio
async def test_logging_out_ends_it(accounts, user, enter):
    """On the server, not only in the browser; twice does no harm."""
    await user()
    token, other = await enter(), await enter()
    for _ in range(2):
        await accounts.sessions.end(token)
    assert await accounts.sessions.find(token) is None
    assert await accounts.sessions.find(other) is not None


@pytest.mark.asyncio
async def test_one_can_be_ended_by_its_user_only(accounts, user, enter):
    """The id of another's session is worth nothing."""
    ada, bob = await user("ada"), await user("bob")
    token = await enter("ada")
    (session,) = await accounts.sessions.of_user(ada.id)
    assert not await accounts.sessions.end_one(bob.id, session.id)
    assert await accounts.sessions.find(token) is not None
    assert await accounts.sessions.end_one(ada.id, session.id)
    assert await accounts.sessions.find(token) is None


@pytest.mark.asyncio
async def test_log_out_everywhere(accounts, user, enter):
    """All of them, or all but this one; nobody else's."""
    ada, _ = await user("ada"), await user("bob")
    mine = [await enter("ada") for _ in range(3)]
    other = await enter("bob")
    assert 2 == await accounts.sessions.end_all(ada.id, but=mine[1])
    assert [None, True, None] == [(await accounts.sessions.find(token)) and True for token in mine]
    assert 1 == await accounts.sessions.end_all(ada.id)
    assert [] == await accounts.sessions.of_user(ada.id)
    assert await accounts.sessions.find(other) is not None


@pytest.mark.asyncio
async def test_the_list_shows_the_live_ones_last_used_first(accounts, user, enter, seconds):
    """One that is over is not in it."""
    ada = await user()
    await enter()
    seconds(6 * HOUR)
    old, _ = await enter(), await enter()
    seconds(7 * HOUR)
    ids = [session.id for session in await accounts.sessions.of_user(ada.id)]
    assert 2 == len(ids)
    assert ids[1] == (await accounts.sessions.find(old)).id
    assert ids[::-1] == [session.id for session in await accounts.sessions.of_user(ada.id)]


@pytest.mark.asyncio
async def test_disabling_ends_every_session_for_good(accounts, user, enter, database, clock):
    """At once, and enabling brings none back."""
    await user()
    token = await enter()
    identity = Identity(database, clock)
    await identity.disable_user("ada")
    assert await accounts.sessions.find(token) is None
    await identity.enable_user("ada")
    assert await accounts.sessions.find(token) is None


@pytest.mark.asyncio
async def test_another_role_needs_another_login(accounts, user, enter, database, clock):
    """No session outlives the rights it was made with."""
    await user()
    token = await enter()
    await Identity(database, clock).set_role("ada", UserRole.ADMIN)
    assert await accounts.sessions.find(token) is None
    assert UserRole.ADMIN is (await accounts.sessions.find(await enter())).user.role


@pytest.mark.asyncio
async def test_the_oldest_make_room(accounts, user, enter, monkeypatch):
    """A script that logs in all day does not fill the table."""
    monkeypatch.setattr(module, "SESSIONS_MAX", 3)
    ada = await user()
    made = [await enter() for _ in range(5)]
    assert 3 == len(await accounts.sessions.of_user(ada.id))
    assert await accounts.sessions.find(made[-1]) is not None
    assert await accounts.sessions.find(made[0]) is None


@pytest.mark.asyncio
async def test_no_token_is_in_the_table(accounts, user, enter, database):
    """Whoever reads the database can be nobody."""
    await user()
    token = await enter()
    async with database.read() as conn:
        rows = (await conn.execute(text("SELECT * FROM sessions"))).all()
    assert 1 == len(rows)
    assert token not in str(rows)


@pytest.mark.asyncio
async def test_what_a_program_calls_itself_is_cut_and_harmless(accounts, user):
    """Anybody may write anything into that header."""
    ada = await user()
    odd = Visitor(address="2001:db8::1", agent="\x1b[2J\n" + "x" * 1000)
    await accounts.login.with_password("ada", "a horse, a battery", odd)
    (session,) = await accounts.sessions.of_user(ada.id)
    assert 200 == len(session.agent)
    assert session.agent.isprintable()
