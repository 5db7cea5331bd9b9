"""A passkey logs in by a fresh signature for our origin, and by nothing that looks like one."""

import asyncio

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from authenticator import ELIGIBLE, PRESENT, SYNCED, VERIFIED, Authenticator, b64
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import LoggedIn, Visitor, Way
from trivium.identity.accounts.passkeys import service
from trivium.identity.service import Identity


async def why(work):
    """Why something is refused."""
    with pytest.raises(AccountError) as caught:
        await work
    return caught.value.why


@pytest.fixture
def device():
    return Authenticator()


@pytest.fixture
def session(accounts, user, enter):
    """Somebody who has just logged in with a password."""

    async def make(name="ada"):
        await user(name)
        return await accounts.sessions.find(await enter(name))

    return make


@pytest.fixture
def add(accounts, visitor):
    """Adds a device's passkey."""

    async def one(session, device, name="Laptop"):
        asked = await accounts.passkeys.begin(session)
        answer = device.make(asked.options)
        return await accounts.passkeys.finish(session, asked.step, answer, name, visitor)

    return one


@pytest.mark.asyncio
async def test_added_and_used(accounts, session, add, device, visitor, letters, clock):
    """Without a name, a password or a second factor."""
    ada = await session()
    made = await add(ada, device, " My laptop\n ")
    assert ("My laptop", None, False) == (made.name, made.used_at, made.synced)
    assert "A passkey was added" == (await letters.last()).subject
    asked = await accounts.passkeys.ask(visitor)
    done = await accounts.passkeys.enter(asked.step, device.sign(asked.options), visitor)
    assert isinstance(done, LoggedIn)
    found = await accounts.sessions.find(done.token)
    assert (ada.user, Way.PASSKEY) == (found.user, found.way)
    (listed,) = await accounts.passkeys.of_user(ada.user.id)
    assert clock.now() == listed.used_at


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "changes",
    [
        {"origin": "https://gateway.example.evil.example"},
        {"origin": "http://gateway.example"},
        {"party": "evil.example"},
        {"kind": "webauthn.create"},
        {"challenge": b64(b"of my own choice, of my own choice")},
        {"key": ec.generate_private_key(ec.SECP256R1())},
        {"handle": b"somebody else"},
        {"handle": b""},
        {"count": 0},
    ],
    ids=[
        *("look-alike origin", "no TLS", "party", "kind", "challenge", "key"),
        *("handle", "no handle", "counter"),
    ],
)
async def test_what_only_looks_like_it(accounts, session, add, device, visitor, changes):
    """Another origin, another site, another purpose, another challenge, another key, another user,
    or a counter that stands still."""
    await add(await session(), device)
    asked = await accounts.passkeys.ask(visitor)
    await accounts.passkeys.enter(asked.step, device.sign(asked.options), visitor)
    asked = await accounts.passkeys.ask(visitor)
    answer = device.sign(asked.options, **changes)
    assert AccountRefusal.PASSKEY_BAD is await why(
        accounts.passkeys.enter(asked.step, answer, visitor)
    )
    # the challenge is used up by it
    again = accounts.passkeys.enter(asked.step, device.sign(asked.options), visitor)
    assert AccountRefusal.TICKET_GONE is await why(again)


@pytest.mark.asyncio
async def test_the_device_must_have_verified_its_user(accounts, session, add, device, visitor):
    """A device that lies about is one factor: refused when added, and when used."""
    ada = await session()
    await add(ada, device)
    device.flags = PRESENT
    asked = await accounts.passkeys.ask(visitor)
    enter = accounts.passkeys.enter(asked.step, device.sign(asked.options), visitor)
    assert AccountRefusal.PASSKEY_BAD is await why(enter)
    assert AccountRefusal.PASSKEY_BAD is await why(add(ada, Authenticator(flags=PRESENT)))


@pytest.mark.asyncio
async def test_a_signature_works_once(accounts, session, add, device, visitor):
    """Also for two logins at the same moment."""
    await add(await session(), device)
    asked = await accounts.passkeys.ask(visitor)
    answer = device.sign(asked.options)
    work = (accounts.passkeys.enter(asked.step, answer, visitor) for _ in range(4))
    outcomes = await asyncio.gather(*work, return_exceptions=True)
    assert 1 == sum(isinstance(outcome, LoggedIn) for outcome in outcomes)
    assert 3 == sum(getattr(o, "why", None) is AccountRefusal.TICKET_GONE for o in outcomes)


@pytest.mark.asyncio
async def test_a_challenge_ends(accounts, session, add, device, visitor, seconds):
    """After five minutes."""
    await add(await session(), device)
    asked = await accounts.passkeys.ask(visitor)
    seconds(300)
    enter = accounts.passkeys.enter(asked.step, device.sign(asked.options), visitor)
    assert AccountRefusal.TICKET_GONE is await why(enter)


@pytest.mark.asyncio
async def test_a_challenge_for_adding_is_not_one_for_logging_in(
    accounts, session, add, device, visitor
):
    """Nor that of another user."""
    ada, bob = await session("ada"), await session("bob")
    await add(ada, device)
    asked = await accounts.passkeys.begin(ada)
    options = (await accounts.passkeys.ask(visitor)).options
    enter = accounts.passkeys.enter(asked.step, device.sign(options), visitor)
    assert AccountRefusal.TICKET_GONE is await why(enter)
    asked = await accounts.passkeys.begin(ada)
    other = Authenticator()
    finish = accounts.passkeys.finish(bob, asked.step, other.make(asked.options), "", visitor)
    assert AccountRefusal.TICKET_GONE is await why(finish)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "answer",
    [
        "",
        "{}",
        "[]",
        "null",
        "[" * 10_000,
        '{"rawId": 7}',
        '{"rawId":"%%%","response":{}}',
        "\ud800",
        "x" * 30_000,
    ],
)
async def test_rubbish_is_refused_in_the_same_words(accounts, session, answer, visitor):
    """Nothing that a browser sends is an error of ours."""
    ada = await session()
    asked = await accounts.passkeys.ask(visitor)
    assert AccountRefusal.PASSKEY_BAD is await why(
        accounts.passkeys.enter(asked.step, answer, visitor)
    )
    asked = await accounts.passkeys.begin(ada)
    finish = accounts.passkeys.finish(ada, asked.step, answer, "x", visitor)
    assert AccountRefusal.PASSKEY_BAD is await why(finish)


@pytest.mark.asyncio
async def test_a_disabled_user_is_kept_out(
    accounts, session, add, device, visitor, database, clock
):
    """In the words of an unknown passkey."""
    await add(await session(), device)
    asked = await accounts.passkeys.ask(visitor)
    await Identity(database, clock).disable_user("ada")
    enter = accounts.passkeys.enter(asked.step, device.sign(asked.options), visitor)
    assert AccountRefusal.PASSKEY_BAD is await why(enter)


@pytest.mark.asyncio
async def test_one_credential_belongs_to_one_user(accounts, session, add, device):
    """Whoever brings another's public key gets no passkey by it."""
    ada, bob = await session("ada"), await session("bob")
    await add(ada, device)
    assert AccountRefusal.PASSKEY_BAD is await why(add(bob, device))
    assert [] == await accounts.passkeys.of_user(bob.user.id)


@pytest.mark.asyncio
async def test_devices_know_the_user_by_one_name_that_says_nothing(accounts, session, add):
    """Random, the same for all passkeys of a user, another for each user."""
    ada, bob = await session("ada"), await session("bob")
    one, two, other = Authenticator(), Authenticator(), Authenticator()
    for who, device in ((ada, one), (ada, two), (bob, other)):
        await add(who, device)
    assert one.handle == two.handle != other.handle
    assert 32 == len(one.handle)


@pytest.mark.asyncio
async def test_a_synced_one_is_marked(accounts, session, add):
    """The list says which survives the device."""
    ada = await session()
    await add(ada, Authenticator(flags=PRESENT | VERIFIED | ELIGIBLE | SYNCED))
    assert [True] == [one.synced for one in await accounts.passkeys.of_user(ada.user.id)]


@pytest.mark.asyncio
async def test_only_after_a_recent_proof(accounts, session, add, device, visitor, seconds):
    """Neither adding nor removing; a passkey is such a proof."""
    ada = await session()
    made = await add(ada, device)
    seconds(601)
    assert AccountRefusal.CONFIRM_FIRST is await why(accounts.passkeys.begin(ada))
    assert AccountRefusal.CONFIRM_FIRST is await why(accounts.passkeys.remove(ada, made.id))
    finish = accounts.passkeys.finish(ada, "x" * 43, "{}", "", visitor)
    assert AccountRefusal.CONFIRM_FIRST is await why(finish)


@pytest.mark.asyncio
async def test_a_passkey_proves_again(accounts, user, enter, add, device, visitor, seconds):
    """The session gets another token; that of another user does not do."""
    await user("ada")
    await user("bob")
    token = await enter("ada")
    await add(await accounts.sessions.find(token), device)
    seconds(601)
    stale = await accounts.sessions.find(token)
    asked = await accounts.passkeys.ask(visitor)
    answer = device.sign(asked.options)
    fresh = await accounts.passkeys.confirm(token, stale, asked.step, answer)
    again = await accounts.sessions.find(fresh)
    assert (stale.id, 601) == (again.id, again.confirmed_at - stale.confirmed_at)
    assert await accounts.sessions.find(token) is None
    bobs = await enter("bob")
    bob = await accounts.sessions.find(bobs)
    asked = await accounts.passkeys.ask(visitor)
    answer = device.sign(asked.options)
    confirm = accounts.passkeys.confirm(bobs, bob, asked.step, answer)
    assert AccountRefusal.PASSKEY_BAD is await why(confirm)


@pytest.mark.asyncio
async def test_removed_ones_open_nothing(accounts, session, add, device, visitor):
    """By their user only."""
    ada, bob = await session("ada"), await session("bob")
    made = await add(ada, device)
    assert not await accounts.passkeys.remove(bob, made.id)
    assert await accounts.passkeys.remove(ada, made.id)
    asked = await accounts.passkeys.ask(visitor)
    enter = accounts.passkeys.enter(asked.step, device.sign(asked.options), visitor)
    assert AccountRefusal.PASSKEY_BAD is await why(enter)


@pytest.mark.asyncio
async def test_the_last_way_in_stays(accounts, user, add, visitor, database):
    """Of a user without a password; also when two are removed at once."""
    ada = await user(password="")
    async with database.write() as conn:
        token = await accounts.sessions.begin(conn, ada.id, Way.LETTER, visitor)
    session = await accounts.sessions.find(token)
    made = [await add(session, Authenticator()) for _ in range(2)]
    work = (accounts.passkeys.remove(session, one.id) for one in made)
    outcomes = await asyncio.gather(*work, return_exceptions=True)
    assert 1 == sum(getattr(o, "why", None) is AccountRefusal.LAST_WAY_IN for o in outcomes)
    assert 1 == len(await accounts.passkeys.of_user(ada.id))


@pytest.mark.asyncio
async def test_there_is_an_end_to_them(accounts, session, add, monkeypatch):
    """Nobody fills the table."""
    monkeypatch.setattr(service, "PASSKEYS_MAX", 2)
    ada = await session()
    for _ in range(2):
        await add(ada, Authenticator())
    assert AccountRefusal.PASSKEY_MANY is await why(accounts.passkeys.begin(ada))


@pytest.mark.asyncio
async def test_begun_logins_are_counted(accounts):
    """A row is left behind for each."""
    visitor = Visitor(address="192.0.2.9")
    for _ in range(100):
        await accounts.passkeys.ask(visitor)
    assert AccountRefusal.TOO_MANY_TRIES is await why(accounts.passkeys.ask(visitor))


@pytest.mark.asyncio
async def test_failures_are_counted_by_address(accounts, visitor):
    """As those of passwords are."""
    for _ in range(100):
        assert AccountRefusal.TICKET_GONE is await why(
            accounts.passkeys.enter("x" * 43, "{}", visitor)
        )
    enter = accounts.passkeys.enter("x" * 43, "{}", visitor)
    assert AccountRefusal.TOO_MANY_TRIES is await why(enter)


@pytest.mark.asyncio
async def test_where_browsers_allow_none_there_are_none(accounts, session, visitor):
    """An IP address as public address."""
    ada = await session()
    accounts.passkeys.party = None
    assert AccountRefusal.PASSKEY_BAD is await why(accounts.passkeys.begin(ada))
    assert AccountRefusal.PASSKEY_BAD is await why(accounts.passkeys.ask(visitor))
