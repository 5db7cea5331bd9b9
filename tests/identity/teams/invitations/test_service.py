"""People are invited by letters and become members, on both engines."""

import re

import pytest
import pytest_asyncio

from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.hashing import Cost
from trivium.identity.accounts.model import Visitor
from trivium.identity.accounts.service import Accounts
from trivium.identity.model import UserRole
from trivium.identity.service import Identity
from trivium.identity.teams.invitations.model import A_DAY_MAX, LIFETIME_S
from trivium.identity.teams.model import TeamRole
from trivium.identity.teams.service import Teams
from trivium.secret import Keyring
from trivium.settings.accounts import AccountsSettings
from trivium.storage.vault import Vault

pytestmark = pytest.mark.asyncio
ORIGIN = "https://gateway.example"


class Post:
    """Letters as they are written."""

    def __init__(self):
        self.writers = []
        self.is_full = False

    def put(self, write):
        self.writers.append(write)
        return not self.is_full

    async def token(self):
        letter = await self.writers[-1]()
        (found,) = re.findall(rf"{ORIGIN}/team-invitation/([\w-]{{43}})\s", letter.text)
        return found


class Company:
    """A team with a manager, and people who may be invited."""

    def __init__(self, database, clock, signup="invitation"):
        self.database, self.clock, self.post = database, clock, Post()
        self.identity = Identity(database, clock)
        self.teams = Teams(database, clock)
        self.accounts = Accounts(
            database,
            clock,
            AccountsSettings(signup=signup),
            origin=ORIGIN,
            vault=Vault(Keyring(b"v" * 32)),
            post=self.post,
            cost=Cost(memory_kib=8, passes=1),
        )
        self.invitations = self.accounts.team_invitations

    async def found(self):
        self.boss = await self.identity.create_user("boss", "boss@example.com")
        self.ada = await self.identity.create_user("ada", "ada@example.com")
        self.acme = (await self.teams.create("acme")).id
        await self.teams.put_member(self.acme, self.boss.id, TeamRole.MANAGER)
        await self.verify(self.ada)
        return self

    async def verify(self, user):
        from trivium.identity.accounts import store

        async with self.database.write() as conn:
            await store.verify_email(conn, user.id, user.email, 1)

    async def invite(self, email="ada@example.com", role=TeamRole.MEMBER):
        made = await self.invitations.invite(self.acme, email, role, self.boss.id)
        return made, await self.post.token()

    async def roles(self, user):
        return await self.teams.roles(user.id)


@pytest_asyncio.fixture
async def company(database, clock):
    made = await Company(database, clock).found()
    yield made
    made.accounts.close()


async def gone(work, why=AccountRefusal.TICKET_GONE):
    """It is refused, for that reason."""
    with pytest.raises(AccountError) as caught:
        await work
    return why is caught.value.why


async def test_a_link_works_once(company):
    """For the account of the address alone, and until its time is over."""
    _, token = await company.invite()
    offer = await company.invitations.offer(token)
    assert ("acme", TeamRole.MEMBER, "ada@example.com") == (offer.team, offer.role, offer.email)
    assert await gone(company.invitations.accept(token, company.boss))
    await company.invitations.accept(token, company.ada)
    assert {company.acme: TeamRole.MEMBER} == await company.roles(company.ada)
    assert await gone(company.invitations.accept(token, company.ada))
    assert await gone(company.invitations.offer(token))
    for other in ("", "x" * 43, "é" * 43):
        assert await gone(company.invitations.offer(other))
        assert await gone(company.invitations.accept(other, company.ada))
    _, token = await company.invite()
    company.clock.advance(LIFETIME_S)
    assert await gone(company.invitations.accept(token, company.ada))


async def test_an_address_must_have_been_shown(company):
    """Until then the link waits."""
    cy = await company.identity.create_user("cy", "cy@example.com")
    _, token = await company.invite("CY@example.com")
    assert await gone(company.invitations.accept(token, cy))
    await company.verify(cy)
    await company.invitations.accept(token, cy)
    assert {company.acme: TeamRole.MEMBER} == await company.roles(cy)


async def test_nothing_is_stored_that_opens_anything(company):
    """Of the link the digest alone; the letter names neither team nor inviter."""
    made, token = await company.invite()
    letter = await company.post.writers[-1]()
    assert "acme" not in letter.text
    assert "boss" not in letter.text
    assert token not in repr(await company.invitations.all(company.acme))
    assert [made.id] == [each.id for each in await company.invitations.all(company.acme)]


async def test_the_answer_is_the_same_for_every_address(company):
    """Known or not: who invites learns nothing."""
    known, _ = await company.invite("ada@example.com")
    unknown, _ = await company.invite("nobody@example.com")
    assert (known.role, known.expires_at) == (unknown.role, unknown.expires_at)


async def test_a_link_ends_when_it_is_withdrawn_or_replaced(company):
    """Or when whoever sent it may not give that role any more."""
    made, first = await company.invite()
    _, second = await company.invite()
    assert await gone(company.invitations.offer(first))
    (listed,) = await company.invitations.all(company.acme)
    assert listed.id != made.id
    assert not await company.invitations.withdraw(company.acme + 99, listed.id)
    assert await company.invitations.withdraw(company.acme, listed.id)
    assert not await company.invitations.withdraw(company.acme, listed.id)
    assert await gone(company.invitations.accept(second, company.ada))
    _, third = await company.invite()
    await company.teams.put_member(company.acme, company.boss.id, TeamRole.MEMBER)
    assert await gone(company.invitations.offer(third))
    assert await gone(company.invitations.accept(third, company.ada))
    await company.teams.put_member(company.acme, company.boss.id, TeamRole.MANAGER)
    await company.invitations.accept(third, company.ada)


async def test_a_stronger_role_stays(company):
    """An invitation takes nothing away."""
    await company.teams.put_member(company.acme, company.ada.id, TeamRole.OWNER)
    _, token = await company.invite(role=TeamRole.BILLING)
    joined = await company.invitations.accept(token, company.ada)
    assert TeamRole.OWNER is joined.role
    assert {company.acme: TeamRole.OWNER} == await company.roles(company.ada)


async def test_letters_are_bounded(company):
    """A day's number for a team, and what one mailbox bears; a full queue stores nothing."""
    many = AccountRefusal.TOO_MANY_TRIES
    company.post.is_full = True
    assert await gone(company.invite("x@example.com"), AccountRefusal.BUSY)
    assert [] == await company.invitations.all(company.acme)
    company.post.is_full = False
    for i in range(A_DAY_MAX):
        await company.invite(f"u{i}@example.com")
    assert await gone(company.invite("more@example.com"), many)
    company.clock.advance(86_400)
    await company.invite("more@example.com")

    async def twenty():
        for _ in range(20):
            await company.invite("one@example.com")

    assert await gone(twenty(), many)
    assert await gone(company.invite("no address"), AccountRefusal.EMAIL_BAD)


async def test_whoever_has_no_account_makes_one(company, clock, database):
    """Of the invited address, which the letter has proven; never an administrator's."""
    _, token = await company.invite("new@example.com")
    path = await company.invitations.account_path(token, Visitor())
    ticket = path.removeprefix("/invitation/")
    offer = await company.accounts.signup.offer(ticket)
    assert ("new@example.com", UserRole.USER, True) == (offer.email, offer.role, offer.proven)
    made = await company.accounts.signup.finish(ticket, "newbie", "a horse, a battery", Visitor())
    await company.invitations.accept(token, made.user)
    assert {company.acme: TeamRole.MEMBER} == await company.roles(made.user)
    _, known = await company.invite()
    path = company.invitations.account_path(known, Visitor())
    assert await gone(path, AccountRefusal.EMAIL_TAKEN)
    closed = Company(database, clock, signup="closed")
    path = closed.invitations.account_path(known, Visitor())
    assert await gone(path, AccountRefusal.SIGN_UP_CLOSED)
    assert not closed.invitations.may_sign_up()
    closed.accounts.close()
