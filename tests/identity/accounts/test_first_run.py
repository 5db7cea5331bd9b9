"""A gateway without an administrator prints a link that makes one."""

import asyncio

import pytest

from identity.accounts.test_signup import PASSWORD, why
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.first_run import PATH, TOGETHER_S, first_link
from trivium.identity.accounts.model import Offer
from trivium.identity.model import UserRole
from trivium.identity.service import Identity


async def token(database, clock):
    link = await first_link(database, clock)
    assert link.startswith(PATH)
    return link.removeprefix(PATH)


@pytest.mark.asyncio
async def test_the_link_makes_one_administrator(accounts, database, clock, visitor):
    """Whatever the settings say of signing up; then it is good for nothing, and none is printed."""
    found = await token(database, clock)
    assert Offer(email=None, role=UserRole.ADMIN, proven=False) == await accounts.signup.offer(
        found
    )
    made = await accounts.signup.finish(found, "ada", PASSWORD, visitor, "ada@example.com")
    assert (UserRole.ADMIN, False) == (made.user.role, made.user.email_verified)
    assert AccountRefusal.TICKET_GONE is await why(accounts.signup.offer(found))
    assert await first_link(database, clock) is None


@pytest.mark.asyncio
async def test_a_link_is_void_once_there_is_an_administrator(accounts, database, clock, visitor):
    """However that one was made, and though they are disabled since."""
    found = await token(database, clock)
    identity = Identity(database, clock)
    await identity.create_user("bob", "bob@example.com")
    await accounts.signup.offer(found)
    await identity.create_user("root", "root@example.com", UserRole.ADMIN)
    await identity.disable_user("root")
    for refused in (
        accounts.signup.offer(found),
        accounts.signup.finish(found, "eve", PASSWORD, visitor, "eve@example.com"),
    ):
        assert AccountRefusal.TICKET_GONE is await why(refused)
    assert await first_link(database, clock) is None


@pytest.mark.asyncio
async def test_of_two_links_used_at_once_one_makes_an_administrator(
    accounts, database, clock, visitor
):
    """Two nodes may each have printed one."""
    first = await token(database, clock)
    clock.advance(TOGETHER_S + 1)
    second = await token(database, clock)
    done = await asyncio.gather(
        *(
            accounts.signup.finish(each, name, PASSWORD, visitor, f"{name}@example.com")
            for each, name in ((first, "ada"), (second, "eve"))
        ),
        return_exceptions=True,
    )
    refused = [each.why for each in done if isinstance(each, AccountError)]
    assert [AccountRefusal.TICKET_GONE] == refused
    users = await Identity(database, clock).list_users()
    assert [UserRole.ADMIN] == [each.role for each in users]


@pytest.mark.asyncio
async def test_workers_that_start_together_print_one_link(database, clock):
    """A start later prints another, and the first is good until its day is over."""
    await token(database, clock)
    assert await first_link(database, clock) is None
    clock.advance(TOGETHER_S + 1)
    await token(database, clock)


@pytest.mark.asyncio
async def test_a_link_is_good_for_a_day(accounts, database, clock):
    """A log is kept for longer."""
    found = await token(database, clock)
    clock.advance(24 * 3600 + 1)
    assert AccountRefusal.TICKET_GONE is await why(accounts.signup.offer(found))
