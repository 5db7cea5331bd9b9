"""Everybody, before an administrator."""

import pytest
import pytest_asyncio

from console.visiting import PASSWORD, Seen, console_over, user_of, visiting
from trivium.console.admin import users
from trivium.identity.model import UserRole


@pytest_asyncio.fixture
async def boss(database, clock):
    """An administrator's browser, and ada to be looked at."""
    async with visiting(database, console_over(database, clock)) as visitor:
        visitor.eve = await user_of(visitor.console, "eve", UserRole.ADMIN)
        visitor.ada = await user_of(visitor.console, password=PASSWORD)
        await visitor.log_in(visitor.eve)
        await visitor.get("/admin/users")
        yield visitor


@pytest.mark.asyncio
async def test_users_are_found_by_name_or_address(boss):
    """With what their account holds; text that looks like a pattern is text."""
    words = Seen((await boss.get("/admin/users")).text).words
    assert {"ada", "ada@example.com", "eve", "Administrator", "$0.00", "you"} <= set(words)
    words = Seen((await boss.get("/admin/users?search=ADA%40")).text).words
    assert {"ada"} <= set(words)
    assert "eve@example.com" not in words[words.index("Search") :]
    for nothing in ("%25", "_", "nobody"):
        assert "Nobody found" in (await boss.get(f"/admin/users?search={nothing}")).text


@pytest.mark.asyncio
async def test_teams_and_service_accounts_are_called_what_they_are(boss):
    """Nobody is offered to make one an administrator; their pages lead to the team, and to what
    their names find.
    """
    team = await boss.console.teams.create("acme")
    service = await boss.console.teams.create_service(team.id, "nightly")
    words = Seen((await boss.get("/admin/users?search=acme")).text).words
    assert {"Team", "Service account", "Disable"} <= set(words)
    assert not {"User", "Make admin"} & set(words[words.index("Since") :])
    for one in (team, service):
        seen = Seen((await boss.get(f"/admin/users/{one.id}")).text)
        links = [attrs.get("href", "") for _, attrs in seen.elements]
        assert f"/account/teams/{team.id}" in links
        assert f"/admin/log?user={one.name}" in links
        assert not {"Make admin", "Second factor", "not confirmed"} & set(seen.words)


@pytest.mark.asyncio
async def test_the_list_goes_on_page_by_page(boss, monkeypatch):
    """In the order they came, with the search kept."""
    monkeypatch.setattr(users, "PAGE", 1)
    page = await boss.get("/admin/users?search=example")
    assert "/admin/users?search=example&amp;after=1" in page.text
    page = await boss.get("/admin/users?search=example&after=1")
    assert "ada@example.com" in page.text
    assert "Newest" in page.text
    assert 200 == (await boss.get("/admin/users?after=x")).status_code


@pytest.mark.asyncio
async def test_a_user_is_switched_off_and_on(boss):
    """Sessions are over at once; the log says who did it."""
    console = boss.console
    async with visiting(console.database, console) as theirs:
        await theirs.log_in(boss.ada)
        assert 200 == (await theirs.get("/account")).status_code
        await boss.post("/admin/users", user=str(boss.ada.id), to="disabled")
        assert "ada is disabled" in (await boss.get("/admin/users")).text
        assert 303 == (await theirs.get("/account")).status_code
        await boss.post("/admin/users", user=str(boss.ada.id), to="enabled")
        assert not (await console.identity.find_user("ada")).disabled
    told = await console.audit.everything(user_id=boss.ada.id)
    assert [("user_enabled", boss.eve.id), ("user_disabled", boss.eve.id)] == [
        (act.kind, act.actor_id) for act in told
    ]


@pytest.mark.asyncio
async def test_a_user_is_given_a_role(boss):
    """And it is taken from them again."""
    for role in (UserRole.ADMIN, UserRole.USER):
        await boss.post("/admin/users", user=str(boss.ada.id), to=role.value)
        assert role is (await boss.console.identity.find_user("ada")).role


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("user", "to"),
    [("eve", "disabled"), ("eve", "user"), ("999", "disabled"), ("x", "user"), ("ada", "king")],
)
async def test_nobody_locks_themselves_out(boss, user, to):
    """Nor is anything changed about whoever is not there."""
    number = {"eve": str(boss.eve.id), "ada": str(boss.ada.id)}.get(user, user)
    await boss.post("/admin/users", user=number, to=to)
    assert "Nothing was changed" in (await boss.get("/admin/users")).text
    found = await boss.console.identity.find_user("eve")
    assert (UserRole.ADMIN, False) == (found.role, found.disabled)


@pytest.mark.asyncio
async def test_only_administrators_who_proved_it_lately(boss, clock):
    """Looking needs the role, changing a fresh proof as well."""
    clock.advance(601)
    assert 200 == (await boss.get("/admin/users")).status_code
    answer = await boss.post("/admin/users", user=str(boss.ada.id), to="disabled")
    assert answer.headers["location"].startswith("/login/confirm?for=")
    async with visiting(boss.console.database, boss.console) as theirs:
        await theirs.log_in(boss.ada)
        assert 403 == (await theirs.get("/admin/users")).status_code
