"""A forgotten password is replaced by whoever reads the mailbox, once, and everybody is logged out."""

import asyncio

import pytest

from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import LoggedIn, Visitor, Way
from trivium.identity.service import Identity

PASSWORD = "a horse, a battery"
NEW = "another long password"


async def why(work):
    """Why something is refused."""
    with pytest.raises(AccountError) as caught:
        await work
    return caught.value.why


@pytest.fixture
def link(accounts, visitor, letters):
    """Asks for a reset: the token of the letter's link."""

    async def ask(name="ada"):
        await accounts.recovery.ask_reset(name, visitor)
        return await letters.token()

    return ask


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["ada", "ada@example.com", " Ada@EXAMPLE.com"])
async def test_the_way_through_a_letter(accounts, user, enter, link, visitor, name):
    """A new password, no session of before, none of now either."""
    ada = await user()
    old = await enter()
    token = await link(name)
    await accounts.recovery.show_reset(token)
    assert ada == await accounts.recovery.reset(token, NEW, visitor)
    assert await accounts.sessions.find(old) is None
    assert [] == await accounts.sessions.of_user(ada.id)
    assert AccountRefusal.WRONG_LOGIN is await why(
        accounts.login.with_password("ada", PASSWORD, visitor)
    )
    done = await accounts.login.with_password("ada", NEW, visitor)
    assert done.user.email_verified, "the letter arrived"


@pytest.mark.asyncio
async def test_of_two_uses_at_once_one_counts(accounts, user, link, visitor):
    """The other one is told that the link is gone, and its password is not set."""
    await user()
    token = await link()
    tries = [f"password number {i}" for i in range(4)]
    work = (accounts.recovery.reset(token, password, visitor) for password in tries)
    outcomes = await asyncio.gather(*work, return_exceptions=True)
    assert 3 == sum(
        isinstance(o, AccountError) and o.why is AccountRefusal.TICKET_GONE for o in outcomes
    )
    (won,) = [p for p, o in zip(tries, outcomes, strict=True) if not isinstance(o, Exception)]
    assert isinstance(await accounts.login.with_password("ada", won, visitor), LoggedIn)


@pytest.mark.asyncio
async def test_a_link_lasts_thirty_minutes(accounts, user, link, visitor, seconds):
    """Not a second longer."""
    await user()
    token = await link()
    seconds(1799)
    await accounts.recovery.show_reset(token)
    seconds(1)
    assert AccountRefusal.TICKET_GONE is await why(accounts.recovery.show_reset(token))
    assert AccountRefusal.TICKET_GONE is await why(accounts.recovery.reset(token, NEW, visitor))


@pytest.mark.asyncio
async def test_a_reset_voids_every_other_link(accounts, user, link, visitor):
    """Three letters, one of them used: the others are worth nothing."""
    await user()
    one, two = await link(), await link()
    await accounts.recovery.reset(one, NEW, visitor)
    assert AccountRefusal.TICKET_GONE is await why(accounts.recovery.reset(two, PASSWORD, visitor))


@pytest.mark.asyncio
async def test_nobody_learns_who_exists(accounts, user, visitor, letters, database, clock):
    """The answer is none, the work before it the same, and strangers get no letter."""
    await user()
    await user("gone")
    await Identity(database, clock).disable_user("gone")
    for name in ("nobody", "nobody@example.com", "gone", "", "x" * 10_000):
        assert None is await accounts.recovery.ask_reset(name, visitor)
    assert [] == await letters.all()
    assert None is await accounts.recovery.ask_reset("ada", visitor)
    assert ["ada@example.com"] == [letter.to for letter in await letters.all()]


@pytest.mark.asyncio
async def test_asking_does_the_same_work_for_everybody(accounts, user, visitor, database, letters):
    """Before the answer the database is asked nothing that depends on the name."""
    from sqlalchemy import event

    await user()
    await accounts.recovery.ask_reset("warm", visitor)
    await letters.all()
    accounts.emails._post = type("Full", (), {"put": lambda self, write: True})()
    asked = []
    for engine in (database._writer.sync_engine, database._reader.sync_engine):
        event.listen(engine, "before_cursor_execute", lambda *a: asked.append(a[2]))
    await accounts.recovery.ask_reset("ada", visitor)
    known, asked[:] = list(asked), []
    await accounts.recovery.ask_reset("nobody", visitor)
    assert known
    assert known == asked


@pytest.mark.asyncio
async def test_a_slip_leaves_the_link_good(accounts, user, link, visitor):
    """A password that is too short is followed by one that is not."""
    await user()
    token = await link()
    assert AccountRefusal.PASSWORD_SHORT is await why(
        accounts.recovery.reset(token, "short", visitor)
    )
    await accounts.recovery.reset(token, NEW, visitor)


@pytest.mark.asyncio
async def test_a_reset_opens_an_account_that_guesses_closed(accounts, user, link, visitor):
    """Whoever shuts somebody out by guessing does not do so for long."""
    await user()
    for _ in range(6):
        await why(accounts.login.with_password("ada", "a guess", visitor))
    await accounts.recovery.reset(await link(), NEW, visitor)
    assert isinstance(await accounts.login.with_password("ada", NEW, visitor), LoggedIn)


@pytest.mark.asyncio
async def test_a_mailbox_is_not_flooded(accounts, user, letters):
    """Three letters an hour, whoever asks."""
    await user()
    for i in range(8):
        await accounts.recovery.ask_reset("ada", Visitor(address=f"192.0.2.{i}"))
    assert 3 == len(await letters.all())


@pytest.mark.asyncio
async def test_without_mail_nothing_is_promised(accounts, visitor):
    """The page says so instead of waiting for a letter."""
    accounts.emails._post = None
    assert not accounts.emails.is_open
    assert AccountRefusal.MAIL_OFF is await why(accounts.recovery.ask_reset("ada", visitor))


# --- passwords of those who are logged in ----------------------------------------------------


@pytest.mark.asyncio
async def test_another_password_ends_other_sessions(accounts, user, enter, visitor, letters):
    """This one goes on with another token; a letter tells."""
    await user()
    mine, other = await enter(), await enter()
    session = await accounts.sessions.find(mine)
    fresh = await accounts.recovery.change_password(mine, session, PASSWORD, NEW, visitor)
    assert [None, None] == [await accounts.sessions.find(token) for token in (mine, other)]
    assert session.id == (await accounts.sessions.find(fresh)).id
    assert "Your password was changed" == (await letters.last()).subject
    await accounts.login.with_password("ada", NEW, visitor)


@pytest.mark.asyncio
async def test_another_password_needs_the_current_one(accounts, user, enter, visitor):
    """And is counted, like a login."""
    await user()
    token = await enter()
    session = await accounts.sessions.find(token)
    change = accounts.recovery.change_password
    whys = [await why(change(token, session, "a guess", NEW, visitor)) for _ in range(6)]
    assert [AccountRefusal.PASSWORD_WRONG] * 5 + [AccountRefusal.TOO_MANY_TRIES] == whys
    assert await accounts.sessions.find(token) is not None


@pytest.mark.asyncio
async def test_a_first_password_needs_a_recent_proof(
    accounts, user, enter, visitor, database, seconds
):
    """Of users that came in by another way."""
    ada = await user(password="")
    async with database.write() as conn:
        token = await accounts.sessions.begin(conn, ada.id, Way.PASSKEY, visitor)
    seconds(601)
    session = await accounts.sessions.find(token)
    change = accounts.recovery.change_password
    assert AccountRefusal.CONFIRM_FIRST is await why(change(token, session, "", NEW, visitor))
    seconds(-10)
    await change(token, session, "", NEW, visitor)
    assert isinstance(await accounts.login.with_password("ada", NEW, visitor), LoggedIn)


@pytest.mark.asyncio
async def test_an_operator_sets_a_password(accounts, user, enter, visitor):
    """By the same rules; sessions end."""
    ada = await user()
    token = await enter()
    assert AccountRefusal.PASSWORD_COMMON is await why(
        accounts.recovery.set_password(ada, "password")
    )
    await accounts.recovery.set_password(ada, NEW)
    assert await accounts.sessions.find(token) is None


# --- addresses -------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_an_address_is_shown_to_be_theirs(accounts, user, visitor, letters, database, clock):
    """By a link that works once."""
    ada = await user()
    await accounts.recovery.ask_verify(ada, visitor)
    token = await letters.token()
    await accounts.recovery.prove_email(token, visitor)
    assert (await Identity(database, clock).find_user("ada")).email_verified
    assert AccountRefusal.TICKET_GONE is await why(accounts.recovery.prove_email(token, visitor))


@pytest.mark.asyncio
async def test_another_address(accounts, user, enter, visitor, letters, database, clock):
    """The new one is asked, the old one told, and links in the old mailbox are worth nothing."""
    await user()
    await accounts.recovery.ask_reset("ada", visitor)
    reset = await letters.token()
    session = await accounts.sessions.find(await enter())
    await accounts.recovery.ask_email(session, "New@Example.com", visitor)
    assert "new@example.com" == (await letters.last()).to
    await accounts.recovery.prove_email(await letters.token(), visitor)
    found = await Identity(database, clock).find_user("ada")
    assert ("new@example.com", True) == (found.email, found.email_verified)
    told = await letters.last()
    assert ("ada@example.com", "Your account has another address") == (told.to, told.subject)
    assert AccountRefusal.TICKET_GONE is await why(accounts.recovery.reset(reset, NEW, visitor))


@pytest.mark.asyncio
async def test_an_address_that_another_has_is_not_told(accounts, user, enter, visitor, letters):
    """The page says the same, only the letter differs."""
    await user()
    await user("bob")
    session = await accounts.sessions.find(await enter())
    assert None is await accounts.recovery.ask_email(session, "bob@example.com", visitor)
    letter = await letters.last()
    assert ("bob@example.com", "This address belongs to an account") == (letter.to, letter.subject)
    assert "http" not in letter.text


@pytest.mark.asyncio
async def test_an_address_that_another_got_meanwhile(accounts, user, enter, visitor, letters):
    """Whoever shows it first has it."""
    await user()
    session = await accounts.sessions.find(await enter())
    await accounts.recovery.ask_email(session, "bob@example.com", visitor)
    token = await letters.token()
    await user("bob")
    assert AccountRefusal.EMAIL_TAKEN is await why(accounts.recovery.prove_email(token, visitor))


@pytest.mark.asyncio
async def test_another_address_needs_a_recent_proof(accounts, user, enter, visitor, seconds):
    """Whoever finds an open browser cannot take the account over by it."""
    await user()
    token = await enter()
    seconds(601)
    session = await accounts.sessions.find(token)
    ask = accounts.recovery.ask_email(session, "new@example.com", visitor)
    assert AccountRefusal.CONFIRM_FIRST is await why(ask)


@pytest.mark.asyncio
async def test_another_name(accounts, user, database, clock):
    """If nobody has it, in whatever capitals: people would take one for the other."""
    ada, _ = await user("ada"), await user("bob")
    for name in ("bob", "Bob"):
        assert AccountRefusal.NAME_TAKEN is await why(accounts.recovery.rename(ada, name))
    assert "Ada" == await accounts.recovery.rename(ada, "Ada")
    assert AccountRefusal.NAME_BAD is await why(accounts.recovery.rename(ada, "a b"))
    assert "lovelace" == await accounts.recovery.rename(ada, " lovelace ")
    assert ada.id == (await Identity(database, clock).find_user("lovelace")).id


@pytest.mark.asyncio
async def test_a_link_says_whose_the_address_would_be(
    accounts, user, enter, visitor, letters, database, clock
):
    """To whoever may not have asked for it; not for somebody who is disabled."""
    ada = await user()
    session = await accounts.sessions.find(await enter())
    await accounts.recovery.ask_email(session, "new@example.com", visitor)
    token = await letters.token()
    for _ in range(2):
        whose, email = await accounts.recovery.show_email(token)
        assert (ada.id, "new@example.com") == (whose.id, email)
    await Identity(database, clock).disable_user("ada")
    assert AccountRefusal.TICKET_GONE is await why(accounts.recovery.show_email(token))
