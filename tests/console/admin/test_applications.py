"""Applications before the operator."""

import pytest
import pytest_asyncio

from console.visiting import Seen, console_over, user_of, visiting
from trivium.console.admin.applications import AT
from trivium.identity.model import UserRole
from trivium.oauth.apps.model import AppStatus


@pytest_asyncio.fixture
async def boss(database, clock):
    """An administrator's browser, and an application of ada's."""
    async with visiting(database, console_over(database, clock)) as visitor:
        visitor.eve = await user_of(visitor.console, "eve", UserRole.ADMIN)
        visitor.ada = await user_of(visitor.console)
        visitor.apps = visitor.console.oauth.apps
        visitor.app, _ = await visitor.apps.create(
            visitor.ada.id, "Notebook <b>", "", "https://app.example/callback"
        )
        await visitor.log_in(visitor.eve)
        await visitor.get(AT)
        yield visitor


async def told(boss):
    acts = await boss.console.audit.everything(user_id=boss.ada.id)
    return [(act.kind, act.actor_id) for act in acts if act.actor_id == boss.eve.id]


@pytest.mark.asyncio
async def test_an_application_is_trusted_blocked_and_let_go(boss):
    """Each an act of the administrator; what is so already is not told again."""
    page = (await boss.get(AT)).text
    assert {"Notebook <b>", "ada", "https://app.example/callback", "works"} <= set(Seen(page).words)
    for to, trusted, status in (
        ("trusted", True, AppStatus.ACTIVE),
        ("trusted", True, AppStatus.ACTIVE),
        ("blocked", True, AppStatus.BLOCKED),
        ("active", True, AppStatus.ACTIVE),
        ("distrusted", False, AppStatus.ACTIVE),
    ):
        done = await boss.post(AT, app=boss.app.client_id, to=to)
        assert (303, AT) == (done.status_code, done.headers["location"])
        found = await boss.apps.find(boss.app.client_id)
        assert (trusted, status) == (found.trusted, found.status)
        await boss.get(AT)
    assert 4 == len(await told(boss))


@pytest.mark.asyncio
async def test_they_are_shown_by_their_state(boss):
    """A state that there is not shows all."""
    await boss.apps.operate(boss.app.client_id, status=AppStatus.BLOCKED)
    assert "Notebook" in (await boss.get(f"{AT}?state=blocked")).text
    assert "Notebook" not in (await boss.get(f"{AT}?state=active")).text
    assert "Notebook" in (await boss.get(f"{AT}?state=x&after=x")).text


@pytest.mark.asyncio
async def test_what_is_no_decision_changes_nothing(boss):
    """An application that is not there, a word that is none, somebody else."""
    assert 404 == (await boss.post(AT, app="gwc_none", to="trusted")).status_code
    await boss.post(AT, app=boss.app.client_id, to="suspended")
    assert "not one of the choices" in (await boss.get(AT)).text
    await boss.log_in(await user_of(boss.console, "bob"))
    await boss.get("/account")
    assert 403 == (await boss.get(AT)).status_code
    assert 403 == (await boss.post(AT, app=boss.app.client_id, to="trusted")).status_code
    assert [] == await told(boss)


@pytest.mark.asyncio
async def test_an_application_is_given_to_another_account(boss):
    """To a person who is there and not disabled; both read it in their log."""
    bob = await user_of(boss.console, "bob")
    given = {"app": boss.app.client_id, "to": "bob@example.com"}
    assert 303 == (await boss.post(f"{AT}/transfer", **given)).status_code
    assert bob.id == (await boss.apps.find(boss.app.client_id)).user_id
    assert "is of bob now" in (await boss.get(AT)).text
    await boss.console.identity.disable_user("ada")
    await boss.console.teams.create("acme")
    for wrong, said in (("ada", "is disabled"), ("nobody", "no user"), ("acme", "no user")):
        await boss.post(f"{AT}/transfer", app=boss.app.client_id, to=wrong)
        assert said in (await boss.get(AT)).text, wrong
    assert bob.id == (await boss.apps.find(boss.app.client_id)).user_id
    assert 404 == (await boss.post(f"{AT}/transfer", app="gwc_none", to="bob")).status_code
    assert 400 == (await boss.post(f"{AT}/transfer", app="", to="bob")).status_code
