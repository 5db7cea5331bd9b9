"""A forgotten password."""

import re

import pytest

from console.consent.asking import Asking, let_in
from console.visiting import PASSWORD, Seen, console_over, user_of, visiting

LINK = re.compile(r"https://gateway\.example(/\S+)")


@pytest.mark.asyncio
async def test_a_forgotten_password_is_replaced_by_letter(database):
    """Old password and sessions are done with; the new one opens; the link works once."""
    async with visiting(database) as visitor:
        console = visitor.console
        token = await visitor.log_in(await user_of(console, password=PASSWORD))
        assert "/password/forgot" in (await visitor.get("/password/forgot")).text
        await visitor.post("/password/forgot", name="ada")
        path = LINK.search(await console.accounts.emails._post.last())[1]
        await visitor.get(path)
        common = await visitor.post(path, password="password123")
        assert (422, True) == (common.status_code, "easy to guess" in common.text)
        done = await visitor.post(path, password="a very different one")
        assert (303, "/login") == (done.status_code, done.headers["location"])
        assert None is await console.accounts.sessions.find(token)
        page = await visitor.get("/login")
        assert "Your password is set." in page.text
        for password, status in ((PASSWORD, 422), ("a very different one", 303)):
            answer = await visitor.post("/login", name="ada", password=password, place="")
            assert status == answer.status_code
        assert 410 == (await visitor.get(path)).status_code
        assert 410 == (await visitor.post(path, password="yet another one")).status_code


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("fields", "left", "says"),
    [
        ({}, 1, "Your password is set. Please log in"),
        ({"revoke": "1"}, 0, "no application and no developer token has access any more"),
    ],
)
async def test_a_reset_offers_to_revoke_applications(database, fields, left, says):
    """Which keep their access unless that is ticked, and while the new password is refused."""
    async with Asking.over(database) as asking:
        visitor, authorized = asking.visitor, asking.oauth.consents.authorized
        await let_in(asking)
        await asking.oauth.developer.create(asking.ada.id, "ci")
        await visitor.get("/password/forgot")
        await visitor.post("/password/forgot", name="ada")
        path = LINK.search(await asking.console.accounts.emails._post.last())[1]
        assert 'name="revoke"' in (await visitor.get(path)).text
        refused = await visitor.post(path, password="password123", revoke="1")
        assert (422, 1) == (refused.status_code, len(await authorized(asking.ada.id)))
        done = await visitor.post(path, password="a very different one", **fields)
        assert (303, left) == (done.status_code, len(await authorized(asking.ada.id)))
        assert says in (await visitor.get("/login")).text
        (token,) = await asking.oauth.developer.owned_by(asking.ada.id)
        assert ("live" if left else "revoked") == token.state(asking.console.clock.now())


@pytest.mark.asyncio
async def test_nobody_learns_whether_a_user_is_there(database):
    """The same page, and a letter only where there is a mailbox."""
    async with visiting(database) as visitor:
        await user_of(visitor.console)
        seen = set()
        for name in ("ada", "bob"):
            await visitor.get("/password/forgot")
            answer = await visitor.post("/password/forgot", name=name)
            seen.add(Seen(answer.text).text.replace(name, "…"))
        assert 1 == len(seen)
        assert None is await visitor.console.accounts.emails._post.last()


@pytest.mark.asyncio
async def test_without_letters_the_operator_is_named(database):
    """Instead of a form that does nothing."""
    console = console_over(database, letters=False)
    async with visiting(database, console) as visitor:
        assert "/password/forgot" not in (await visitor.get("/login")).text
        page = await visitor.get("/password/forgot")
        assert "does not send e-mail" in page.text
        assert 'name="name"' not in page.text
        assert 422 == (await visitor.post("/password/forgot", name="ada")).status_code
        assert 422 == (await visitor.post("/password/forgot", name="")).status_code
