"""The page behind the link of an invitation to a team."""

import re

import pytest

from console.visiting import Seen, console_over, user_of, visiting
from trivium.identity.accounts import store
from trivium.identity.teams.model import TeamRole

pytestmark = pytest.mark.asyncio


async def invited(console, email="ada@example.com"):
    """The path of a letter's link, and the team."""
    team = await console.teams.create("acme")
    await console.accounts.team_invitations.invite(team.id, email, TeamRole.MEMBER)
    letter = await console.accounts.emails._post.last()
    return re.search(r"(/team-invitation/[\w-]{43})\s", letter)[1], team


async def verified(console):
    """A user whose address has been shown to be theirs."""
    user = await user_of(console)
    async with console.database.write() as conn:
        await store.verify_email(conn, user.id, user.email, 1)
    return user


async def test_the_invited_join(database):
    """By a button: looking at the page changes nothing, since mail programs look first."""
    console = console_over(database)
    user = await verified(console)
    path, team = await invited(console)
    async with visiting(database, console) as browser:
        await browser.log_in(user)
        page = Seen((await browser.get(path)).text)
        assert "You are invited to acme as: member." in page.text
        assert {} == await console.teams.roles(user.id)
        answer = await browser.post(path)
        assert (303, "/account") == (answer.status_code, answer.headers["location"])
        assert {team.id: TeamRole.MEMBER} == await console.teams.roles(user.id)
        assert 410 == (await browser.get(path)).status_code
        assert 410 == (await browser.post(path)).status_code
    acts = [act.kind for act in await console.audit.everything()]
    assert "team_member" in acts


async def test_a_visitor_logs_in_first(database):
    """And comes back to the page; with sign-up by invitation they may make the account."""
    console = console_over(database, signup="invitation")
    path, _ = await invited(console, "new@example.com")
    async with visiting(database, console) as browser:
        answer = await browser.get(path)
        assert 200 == answer.status_code
        assert "/login?for=" in answer.text
        assert "Create account" in answer.text
        assert "/login?for=" in (await browser.post(path)).headers["location"]
        made = await browser.post(f"{path}/account")
        assert made.headers["location"].startswith("/invitation/")
        assert "new@example.com" in (await browser.get(made.headers["location"])).text


async def test_nobody_else_learns_anything(database):
    """A wrong link leads nowhere, a right one with another account neither; closed is closed."""
    console = console_over(database)
    await verified(console)
    other = await user_of(console, "bo")
    path, _ = await invited(console)
    async with visiting(database, console) as browser:
        nothing = await browser.get("/team-invitation/" + "x" * 43)
        assert 410 == nothing.status_code
        assert "acme" not in nothing.text
        assert "Create account" not in (await browser.get(path)).text
        assert 410 == (await browser.post(f"{path}/account")).status_code
        await browser.log_in(other)
        await browser.get(path)
        assert 410 == (await browser.post(path)).status_code
        assert {} == await console.teams.roles(other.id)
