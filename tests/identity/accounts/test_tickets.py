"""A ticket works once, for its purpose, for a while."""

import asyncio
import secrets

import pytest
from sqlalchemy import text

from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.tickets import LIFETIME_S, TicketPurpose, Tickets


@pytest.fixture
def tickets(clock):
    return Tickets(clock, secrets.token_bytes)


@pytest.fixture
def issue(database, tickets):
    """Issues a ticket in a transaction of its own."""

    async def one(purpose=TicketPurpose.RESET, **more):
        async with database.write() as conn:
            return await tickets.issue(conn, purpose, **more)

    return one


@pytest.fixture
def take(database, tickets):
    """Takes one: what it held, or why not."""

    async def one(token, purpose=TicketPurpose.RESET):
        try:
            async with database.write() as conn:
                return await tickets.take(conn, purpose, token)
        except AccountError as error:
            return error.why

    return one


@pytest.mark.asyncio
async def test_of_many_that_take_one_the_first_gets_it(issue, take):
    """However many try at once."""
    token = await issue(email="ada@example.com")
    outcomes = await asyncio.gather(*(take(token) for _ in range(8)))
    assert 7 == outcomes.count(AccountRefusal.TICKET_GONE)
    (taken,) = [found for found in outcomes if found is not AccountRefusal.TICKET_GONE]
    assert "ada@example.com" == taken.email


@pytest.mark.asyncio
@pytest.mark.parametrize("purpose", TicketPurpose)
async def test_a_ticket_ends(issue, take, seconds, purpose):
    """At its second."""
    token = await issue(purpose)
    seconds(LIFETIME_S[purpose])
    assert AccountRefusal.TICKET_GONE is await take(token, purpose)


@pytest.mark.asyncio
async def test_a_link_of_one_kind_is_not_one_of_another(issue, take):
    """An address can be shown to be somebody's without a new password."""
    token = await issue(TicketPurpose.VERIFY_EMAIL)
    assert AccountRefusal.TICKET_GONE is await take(token, TicketPurpose.RESET)
    assert AccountRefusal.TICKET_GONE is not await take(token, TicketPurpose.VERIFY_EMAIL)


@pytest.mark.asyncio
async def test_showing_does_not_use_up(database, tickets, issue, take):
    """Mail programs look at links before people do."""
    token = await issue(data={"role": "admin"})
    async with database.read() as conn:
        for _ in range(3):
            assert '{"role":"admin"}' == (await tickets.show(conn, TicketPurpose.RESET, token)).data
    await take(token)
    async with database.read() as conn:
        with pytest.raises(AccountError):
            await tickets.show(conn, TicketPurpose.RESET, token)


@pytest.mark.asyncio
@pytest.mark.parametrize("token", ["", "x" * 43, "x" * 100])
async def test_what_was_never_issued_is_gone(take, token):
    """In the words of one that was used."""
    assert AccountRefusal.TICKET_GONE is await take(token)


@pytest.mark.asyncio
async def test_a_transaction_that_fails_gives_the_ticket_back(database, tickets, issue, take):
    """What the ticket was for was not done."""
    token = await issue()

    async def fail():
        async with database.write() as conn:
            await tickets.take(conn, TicketPurpose.RESET, token)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    assert AccountRefusal.TICKET_GONE is not await take(token)


@pytest.mark.asyncio
async def test_the_token_is_nowhere_in_the_table(database, issue):
    """Whoever reads the database can use no link."""
    token = await issue()
    async with database.read() as conn:
        rows = (await conn.execute(text("SELECT * FROM tickets"))).all()
    assert token not in str(rows)


@pytest.mark.asyncio
async def test_a_users_tickets_can_be_voided(database, tickets, issue, take, user):
    """Of some purposes, and of nobody else."""
    ada, bob = await user("ada"), await user("bob")
    mine = await issue(user_id=ada.id)
    step = await issue(TicketPurpose.SECOND_FACTOR, user_id=ada.id)
    other = await issue(user_id=bob.id)
    async with database.write() as conn:
        await tickets.void(conn, ada.id, TicketPurpose.RESET)
    assert AccountRefusal.TICKET_GONE is await take(mine)
    assert AccountRefusal.TICKET_GONE is not await take(step, TicketPurpose.SECOND_FACTOR)
    assert AccountRefusal.TICKET_GONE is not await take(other)
