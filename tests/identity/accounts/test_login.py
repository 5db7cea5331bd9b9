"""Who may come in, and that nobody else learns anything from being kept out."""

import asyncio
import itertools

import pytest
from sqlalchemy import text

from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.hashing import Cost
from trivium.identity.accounts.model import Device, HalfWay, LoggedIn, Visitor, Way
from trivium.identity.service import Identity

PASSWORD = "a horse, a battery"


@pytest.fixture
def refused(accounts, visitor):
    """Tries to log in: why not, and how many hashes it took."""

    async def go(name="ada", password="wrong password", visitor=visitor):
        before = accounts.hasher.runs
        with pytest.raises(AccountError) as caught:
            await accounts.login.with_password(name, password, visitor)
        return caught.value.why, accounts.hasher.runs - before

    return go


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["ada", "ada@example.com", " Ada@Example.com "])
async def test_name_or_address_and_password(accounts, user, visitor, name):
    """Either of them, as people type them."""
    ada = await user()
    done = await accounts.login.with_password(name, PASSWORD, visitor)
    assert isinstance(done, LoggedIn)
    assert ada == done.user == (await accounts.sessions.find(done.token)).user


@pytest.mark.asyncio
async def test_every_failure_is_the_same(accounts, user, refused, database, clock):
    """A wrong password, no such user, a disabled one, one without a password: same answer, and the
    same work, which is what the same time rests on: exactly one hash each."""
    await user("ada")
    await user("gone")
    await user("keyless", password="")
    await Identity(database, clock).disable_user("gone")
    same = (AccountRefusal.WRONG_LOGIN, 1)
    assert same == await refused("ada", "wrong password")
    assert same == await refused("nobody", "wrong password")
    assert same == await refused("gone", PASSWORD)
    assert same == await refused("keyless", "")
    assert same == await refused("", "")
    assert same == await refused("ada", "x" * 10_000)
    assert same == await refused("ada\0\ud800", "x")


@pytest.mark.asyncio
async def test_the_same_statements_run_for_known_and_unknown(accounts, user, refused, database):
    """The other part of the time: what is asked of the database."""
    await user()
    from sqlalchemy import event

    asked = []
    engine = database._writer.sync_engine
    event.listen(engine, "before_cursor_execute", lambda *a: asked.append(a[2]))
    await refused("ada")
    known, asked[:] = list(asked), []
    await refused("nobody")
    assert known
    assert known == asked


@pytest.mark.asyncio
async def test_an_account_is_closed_for_a_while(accounts, user, refused, enter, seconds):
    """Five tries by its name and five by its address, then pauses; also for the right password."""
    await user()
    for name in ("ada", "ADA@example.com"):
        for _ in range(5):
            assert (AccountRefusal.WRONG_LOGIN, 1) == await refused(name)
    for name in ("ada", "ada@example.com"):
        assert (AccountRefusal.TOO_MANY_TRIES, 0) == await refused(name, PASSWORD)
    seconds(30)
    await enter()
    for name in ("ada", "ada@example.com"):
        assert (AccountRefusal.WRONG_LOGIN, 1) == await refused(name)


@pytest.mark.asyncio
async def test_names_nobody_has_close_just_the_same(refused):
    """Otherwise the pause itself would tell who exists."""
    whys = [(await refused("nobody"))[0] for _ in range(6)]
    assert [AccountRefusal.WRONG_LOGIN] * 5 + [AccountRefusal.TOO_MANY_TRIES] == whys


WRITTEN = {"ada": {}, "eve": str.maketrans("adAD", "evEV")}
SPELLINGS = ("ada", "ADA", "ada@x.test", "Ada@X.test")


@pytest.mark.asyncio
@pytest.mark.parametrize(("first", "second"), [*itertools.permutations(SPELLINGS, 2)])
async def test_no_spelling_tells_who_exists_by_what_another_closed(user, refused, first, second):
    """Which spellings share a pause is the same for a user and for nobody."""
    await user("ada", email="ada@x.test")
    told = []
    for name in ("ada", "eve"):
        one, other = (text.translate(WRITTEN[name]) for text in (first, second))
        for _ in range(6):
            await refused(one)
        told.append(await refused(other))
    assert told[0] == told[1]


@pytest.mark.asyncio
async def test_guesses_at_once_are_all_counted(accounts, user, visitor):
    """Twenty guesses in one moment are five."""
    await user()
    tries = (accounts.login.with_password("ada", f"guess {i}", visitor) for i in range(20))
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    whys = [error.why for error in outcomes]
    assert 5 == whys.count(AccountRefusal.WRONG_LOGIN)
    assert 15 == whys.count(AccountRefusal.TOO_MANY_TRIES)


@pytest.mark.asyncio
async def test_an_address_is_closed_for_a_while(accounts, user, refused, visitor):
    """A hundred failures, whoever they are for; others come in."""
    await user()
    whys = [(await refused(f"nobody{i}"))[0] for i in range(101)]
    assert [AccountRefusal.WRONG_LOGIN] * 100 + [AccountRefusal.TOO_MANY_TRIES] == whys
    assert AccountRefusal.TOO_MANY_TRIES is (await refused("ada", PASSWORD))[0]
    elsewhere = Visitor(address="198.51.100.1")
    assert isinstance(await accounts.login.with_password("ada", PASSWORD, elsewhere), LoggedIn)


@pytest.mark.asyncio
async def test_a_known_browser_is_not_closed_by_others(accounts, user, refused, visitor):
    """Neither by failures in its network nor by those for its user's name; by its own it is."""
    ada, bob = await user(), await user("bob")
    device = Device(user_id=ada.id, value="v" * 22)
    there = Visitor(address=visitor.address, device=device)
    for name in ["ada"] * 6 + [f"nobody{i}" for i in range(101)]:
        await refused(name)
    assert AccountRefusal.TOO_MANY_TRIES is (await refused("ada", PASSWORD))[0]
    for name in ("ada", ada.email):
        assert isinstance(await accounts.login.with_password(name, PASSWORD, there), LoggedIn)
    with pytest.raises(AccountError) as error:  # it is ada's browser, not bob's
        await accounts.login.with_password(bob.name, PASSWORD, there)
    assert AccountRefusal.TOO_MANY_TRIES is error.value.why
    whys = []
    for _ in range(6):
        with pytest.raises(AccountError) as error:
            await accounts.login.with_password("ada", "wrong horse battery", there)
        whys.append(error.value.why)
    assert [AccountRefusal.WRONG_LOGIN] * 5 + [AccountRefusal.TOO_MANY_TRIES] == whys


@pytest.mark.asyncio
async def test_logins_that_go_well_close_nothing(user, enter):
    """An office behind one address logs in all morning."""
    await user()
    for _ in range(40):
        await enter()


@pytest.mark.asyncio
async def test_a_hash_is_made_anew_when_parameters_grow(build, user, visitor, database):
    """At the next login, the only moment the password is known."""
    await user()
    stronger = build()
    stronger.hasher._cost = Cost(memory_kib=16, passes=2)
    await stronger.login.with_password("ada", PASSWORD, visitor)
    async with database.read() as conn:
        stored = await conn.scalar(text("SELECT password_hash FROM users"))
    assert "m=16,t=2" in stored
    assert isinstance(await stronger.login.with_password("ada", PASSWORD, visitor), LoggedIn)


@pytest.mark.asyncio
async def test_a_password_that_changed_meanwhile_is_wrong(accounts, user, visitor, monkeypatch):
    """A session that began after the reset with the password from before it would outlive it."""
    ada = await user()
    verify = accounts.hasher.verify

    async def slowly(stored, password):
        right = await verify(stored, password)
        await accounts.recovery.set_password(ada, "another long password")
        return right

    monkeypatch.setattr(accounts.hasher, "verify", slowly)
    with pytest.raises(AccountError) as caught:
        await accounts.login.with_password("ada", PASSWORD, visitor)
    assert AccountRefusal.WRONG_LOGIN is caught.value.why
    assert [] == await accounts.sessions.of_user(ada.id)


@pytest.mark.asyncio
async def test_a_proof_again(accounts, user, enter, seconds, visitor):
    """Sensitive acts ask for the password once more; the session gets another token."""
    await user()
    token = await enter()
    seconds(700)
    session = await accounts.sessions.find(token)
    assert not session.is_confirmed(session.seen_at + 700)
    fresh = await accounts.login.confirm(token, session, PASSWORD)
    assert await accounts.sessions.find(token) is None
    again = await accounts.sessions.find(fresh)
    assert (session.id, session.confirmed_at + 700, Way.PASSWORD) == (
        again.id,
        again.confirmed_at,
        again.way,
    )


@pytest.mark.asyncio
async def test_a_proof_again_is_counted_like_a_login(accounts, user, enter, visitor):
    """Whoever finds an open browser does not get to guess."""
    await user()
    token = await enter()
    session = await accounts.sessions.find(token)
    whys = []
    for _ in range(6):
        with pytest.raises(AccountError) as caught:
            await accounts.login.confirm(token, session, "a guess")
        whys.append(caught.value.why)
    assert [AccountRefusal.PASSWORD_WRONG] * 5 + [AccountRefusal.TOO_MANY_TRIES] == whys
    assert await accounts.sessions.find(token) is not None


@pytest.mark.asyncio
async def test_nothing_of_a_password_is_at_rest(user, database):
    """Only the hash."""
    await user()
    async with database.read() as conn:
        rows = (await conn.execute(text("SELECT * FROM users"))).all()
    assert "$argon2id$" in str(rows)
    assert PASSWORD not in str(rows)


def test_a_step_is_no_session():
    """The types keep pages from mistaking one for the other."""
    assert not isinstance(HalfWay(token="x"), LoggedIn)
