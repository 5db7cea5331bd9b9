"""Accounts are made by whoever reads the mailbox, or has an invitation."""

import asyncio

import pytest

from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import Offer, Visitor, Way
from trivium.identity.model import UserRole
from trivium.identity.service import Identity
from trivium.storage.errors import Conflict

PASSWORD = "a horse, a battery"


async def why(work):
    """Why something is refused."""
    with pytest.raises(AccountError) as caught:
        await work
    return caught.value.why


@pytest.mark.asyncio
async def test_the_way_through_a_letter(accounts, visitor, letters):
    """Address, letter, name and password, logged in; the address is known to be theirs."""
    await accounts.signup.ask("Ada@Example.com", visitor)
    token = await letters.token()
    offer = Offer(email="ada@example.com", role=UserRole.USER, proven=True)
    assert offer == await accounts.signup.offer(token)
    done = await accounts.signup.finish(token, "ada", PASSWORD, visitor)
    session = await accounts.sessions.find(done.token)
    assert ("ada", "ada@example.com", True) == (
        session.user.name,
        session.user.email,
        session.user.email_verified,
    )
    assert Way.LETTER is session.way
    await accounts.login.with_password("ada", PASSWORD, visitor)


@pytest.mark.asyncio
async def test_a_known_address_gets_another_letter_and_no_other_answer(
    accounts, user, visitor, letters
):
    """The page cannot tell: what differs is done after it has answered."""
    await user()
    assert None is await accounts.signup.ask("ada@example.com", visitor)
    assert None is await accounts.signup.ask("bob@example.com", visitor)
    known, unknown = sorted(await letters.all(), key=lambda letter: letter.to)
    assert "You have an account already" == known.subject
    assert "/sign-up/" not in known.text
    assert "Finish making your account" == unknown.subject


@pytest.mark.asyncio
async def test_asking_does_the_same_work_for_every_address(
    accounts, user, visitor, database, letters
):
    """Before the answer the database is asked nothing that depends on the address."""
    from sqlalchemy import event

    await user()
    await accounts.signup.ask("warm@example.com", visitor)
    await letters.all()
    accounts.emails._post = type("Full", (), {"put": lambda self, write: True})()
    asked = []
    for engine in (database._writer.sync_engine, database._reader.sync_engine):
        event.listen(engine, "before_cursor_execute", lambda *a: asked.append(a[2]))
    await accounts.signup.ask("ada@example.com", visitor)
    known, asked[:] = list(asked), []
    await accounts.signup.ask("nobody@example.com", visitor)
    assert known
    assert known == asked


@pytest.mark.asyncio
async def test_a_link_makes_one_account(accounts, visitor, letters):
    """Also when it is used twice at once."""
    await accounts.signup.ask("ada@example.com", visitor)
    token = await letters.token()
    both = (accounts.signup.finish(token, name, PASSWORD, visitor) for name in ("ada", "eve"))
    outcomes = await asyncio.gather(*both, return_exceptions=True)
    assert 1 == sum(
        isinstance(o, AccountError) and o.why is AccountRefusal.TICKET_GONE for o in outcomes
    )
    assert AccountRefusal.TICKET_GONE is await why(
        accounts.signup.finish(token, "mia", PASSWORD, visitor)
    )


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "password", "refusal"),
    [
        ("bob", PASSWORD, AccountRefusal.NAME_TAKEN),
        ("BoB", PASSWORD, AccountRefusal.NAME_TAKEN),
        ("<b>", PASSWORD, AccountRefusal.NAME_BAD),
        ("ada", "short", AccountRefusal.PASSWORD_SHORT),
        ("adalovelace", "adalovelace1", AccountRefusal.PASSWORD_COMMON),
    ],
)
async def test_a_slip_leaves_the_link_good(
    accounts, user, visitor, letters, name, password, refusal
):
    """Whoever chose a name that is taken chooses another."""
    await user("bob")
    await accounts.signup.ask("ada@example.com", visitor)
    token = await letters.token()
    assert refusal is await why(accounts.signup.finish(token, name, password, visitor))
    await accounts.signup.finish(token, "ada", PASSWORD, visitor)


@pytest.mark.asyncio
async def test_an_address_that_was_taken_meanwhile_stays_taken(accounts, user, visitor, letters):
    """Two links to one mailbox do not make two accounts."""
    await accounts.signup.ask("ada@example.com", visitor)
    token = await letters.token()
    await user("ada")
    assert AccountRefusal.EMAIL_TAKEN is await why(
        accounts.signup.finish(token, "ada2", PASSWORD, visitor)
    )


@pytest.mark.asyncio
@pytest.mark.parametrize("mode", ["invitation", "closed"])
async def test_asking_is_refused_where_sign_up_is_not_open(build, visitor, mode):
    """Before anything else is looked at."""
    accounts = build(signup=mode)
    assert AccountRefusal.SIGN_UP_CLOSED is await why(accounts.signup.ask("not even one", visitor))


@pytest.mark.asyncio
async def test_links_end_when_sign_up_is_closed(build, accounts, visitor, letters):
    """An operator who closes it closes it."""
    await accounts.signup.ask("ada@example.com", visitor)
    token = await letters.token()
    for mode in ("invitation", "closed"):
        finish = build(signup=mode).signup.finish(token, "ada", PASSWORD, visitor)
        assert AccountRefusal.SIGN_UP_CLOSED is await why(finish)


@pytest.mark.asyncio
async def test_strangers_cannot_fill_a_mailbox(accounts, letters):
    """Three letters, from wherever they are asked for; the answer stays the same."""
    for i in range(8):
        await accounts.signup.ask("ada@example.com", Visitor(address=f"192.0.2.{i}"))
    assert 3 == len(await letters.all())


@pytest.mark.asyncio
async def test_strangers_cannot_have_many_letters_sent(accounts, visitor):
    """Ten an hour from one address, to whomever."""
    for i in range(10):
        await accounts.signup.ask(f"user{i}@example.com", visitor)
    assert AccountRefusal.TOO_MANY_TRIES is await why(accounts.signup.ask("x@example.com", visitor))


@pytest.mark.asyncio
async def test_letters_are_in_the_language_of_the_page(accounts, letters):
    """And in English where there is no other."""
    await accounts.signup.ask("a@example.com", Visitor(address="192.0.2.1", language="zh_Hans"))
    assert "完成账户注册" == (await letters.last()).subject
    await accounts.signup.ask("b@example.com", Visitor(address="192.0.2.1", language="fr"))
    assert "Finish making your account" == (await letters.last()).subject


# --- invitations -----------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_an_invitation_is_good_for_one_account(build, visitor):
    """Handed over by whoever made it: the address is what they were told, and not proven."""
    accounts = build(signup="invitation")
    made, url = await accounts.signup.invite("ada@example.com", UserRole.ADMIN)
    token = url.removeprefix("https://gateway.example/invitation/")
    assert [made] == await accounts.signup.invitations()
    done = await accounts.signup.finish(token, "ada", PASSWORD, visitor)
    assert (UserRole.ADMIN, "ada@example.com", False) == (
        done.user.role,
        done.user.email,
        done.user.email_verified,
    )
    assert [] == await accounts.signup.invitations()
    assert AccountRefusal.TICKET_GONE is await why(
        accounts.signup.finish(token, "eve", PASSWORD, visitor)
    )


@pytest.mark.asyncio
async def test_an_invitation_by_letter_proves_the_address(build, visitor, letters):
    """And whoever invites does not get to see the link."""
    accounts = build(signup="invitation")
    _, url = await accounts.signup.invite("ada@example.com", by_mail=True)
    assert "" == url
    done = await accounts.signup.finish(await letters.token(), "ada", PASSWORD, visitor)
    assert done.user.email_verified


@pytest.mark.asyncio
async def test_an_invitation_for_whoever_has_it(build, visitor):
    """Then they say their address themselves; that of an invitation for somebody cannot be changed."""
    accounts = build(signup="invitation")
    _, url = await accounts.signup.invite()
    token = url[-43:]
    finish = accounts.signup.finish
    assert AccountRefusal.EMAIL_BAD is await why(finish(token, "ada", PASSWORD, visitor))
    done = await finish(token, "ada", PASSWORD, visitor, email="ada@example.com")
    assert ("ada@example.com", False) == (done.user.email, done.user.email_verified)
    _, url = await accounts.signup.invite("bob@example.com")
    done = await finish(url[-43:], "bob", PASSWORD, visitor, email="eve@example.com")
    assert "bob@example.com" == done.user.email


@pytest.mark.asyncio
async def test_an_invitation_expires_or_is_withdrawn(build, visitor, seconds):
    """Then its link is as good as any that never was."""
    accounts = build(signup="invitation", invitation_days=2.0)
    made, url = await accounts.signup.invite()
    assert await accounts.signup.withdraw(made.id)
    assert not await accounts.signup.withdraw(made.id)
    assert AccountRefusal.TICKET_GONE is await why(accounts.signup.offer(url[-43:]))
    _, url = await accounts.signup.invite()
    seconds(2 * 86_400)
    assert AccountRefusal.TICKET_GONE is await why(accounts.signup.offer(url[-43:]))


@pytest.mark.asyncio
async def test_invitations_do_not_open_what_is_closed(build):
    """They wait until it is opened again."""
    _, url = await build(signup="invitation").signup.invite()
    assert AccountRefusal.SIGN_UP_CLOSED is await why(
        build(signup="closed").signup.offer(url[-43:])
    )


@pytest.mark.asyncio
async def test_nobody_is_invited_twice(accounts, user):
    """Whoever has an account needs none."""
    await user()
    assert AccountRefusal.EMAIL_TAKEN is await why(accounts.signup.invite("ada@example.com"))


@pytest.mark.asyncio
async def test_a_vouched_account_gets_a_name_like_the_wanted_one(accounts, user, database):
    """Names that are taken or odd are adapted, addresses are not."""
    await user("ada")
    async with database.write() as conn:
        one = await accounts.signup.vouched(conn, "ada", "one@example.com")
        two = await accounts.signup.vouched(conn, "<Ada L.>", "two@example.com")
        three = await accounts.signup.vouched(conn, "", "three+x@example.com")
    assert ["ada-2", "Ada-L", "three-x"] == [one.name, two.name, three.name]
    assert one.email_verified
    with pytest.raises(AccountError) as caught:
        async with database.write() as conn:
            await accounts.signup.vouched(conn, "new", "one@example.com")
    assert AccountRefusal.EMAIL_TAKEN is caught.value.why


@pytest.mark.asyncio
async def test_two_that_choose_one_name_at_once(accounts, visitor, letters, database, clock):
    """One of them is told, in words and not by a failing database."""
    tokens = []
    for email in ("a@example.com", "b@example.com"):
        await accounts.signup.ask(email, visitor)
        tokens.append(await letters.token())
    both = (accounts.signup.finish(token, "ada", PASSWORD, visitor) for token in tokens)
    outcomes = await asyncio.gather(*both, return_exceptions=True)
    assert not any(isinstance(outcome, Conflict) for outcome in outcomes)
    (error,) = [o for o in outcomes if isinstance(o, Exception)]
    assert AccountRefusal.NAME_TAKEN is error.why
    assert 1 == len(await Identity(database, clock).list_users())
