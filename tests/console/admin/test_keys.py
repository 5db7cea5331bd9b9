"""An administrator finds everybody's keys, and makes one for somebody."""

import re

import pytest
import pytest_asyncio

from console.visiting import console_over, user_of, visiting
from trivium.console.admin import keys
from trivium.identity.model import UserRole
from trivium.identity.teams.model import TeamRole
from trivium.observe.audit.model import ActKind

SECRET = re.compile(r"sk-gateway-[0-9A-Za-z_-]{20,}")
AT = "/admin/keys"


@pytest_asyncio.fixture
async def boss(database, clock):
    console = console_over(database, clock)
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console, "eve", UserRole.ADMIN))
        visitor.ada = await user_of(console, "ada")
        visitor.acme = await console.teams.create("acme")
        await console.teams.put_member(visitor.acme.id, visitor.ada.id, TeamRole.MEMBER)
        await visitor.get(AT)
        yield visitor


@pytest.mark.asyncio
async def test_a_key_is_made_for_somebody(boss):
    """For a team of theirs, shown once, told in the log; then rotated and revoked there."""
    new = f"/admin/users/{boss.ada.id}/keys/new"
    assert "New key of ada" in (await boss.get(new)).text
    made = await boss.post(new, name="laptop", team=str(boss.acme.id), budget="5", period="week")
    secret = SECRET.search(made.text)[0]
    (key,) = await boss.console.own_keys.all(boss.ada.id)
    assert ("laptop", boss.acme.id) == (key.name, key.team_id)
    assert [5_000_000_000] == [each.amount_nanos for each in key.budgets]
    (act,) = await boss.console.audit.everything(kind=ActKind.KEY_CREATED)
    assert boss.ada.id == act.subject_id
    page = await boss.get(AT)
    assert "laptop" in page.text
    assert "for acme" in page.text
    assert secret not in page.text
    rotated = await boss.post(f"/admin/users/{boss.ada.id}/keys/{key.id}/rotate", overlap="3600")
    assert SECRET.search(rotated.text)[0] != secret
    await boss.post(f"/admin/users/{boss.ada.id}/keys/revoke", key=str(key.id))
    assert "revoked" in (await boss.get(AT)).text


@pytest.mark.asyncio
async def test_a_service_account_has_a_key_for_its_team(boss):
    """There is no team to choose."""
    robot = await boss.console.teams.create_service(boss.acme.id, "nightly")
    new = f"/admin/users/{robot.id}/keys/new"
    assert 'name="team"' not in (await boss.get(new)).text
    assert SECRET.search((await boss.post(new, name="cron")).text)
    (key,) = await boss.console.own_keys.all(robot.id)
    assert boss.acme.id == key.team_id
    assert 404 == (await boss.get(f"/admin/users/{boss.acme.id}/keys/new")).status_code


@pytest.mark.asyncio
async def test_a_team_that_is_not_theirs_is_refused(boss):
    """Nothing is made."""
    other = await boss.console.teams.create("umbrella")
    new = f"/admin/users/{boss.ada.id}/keys/new"
    answer = await boss.post(new, name="laptop", team=str(other.id))
    assert 422 == answer.status_code
    assert [] == await boss.console.own_keys.all(boss.ada.id)


@pytest.mark.asyncio
async def test_keys_are_found(boss, monkeypatch):
    """By whose they are, for which team, and by a name; page by page."""
    create = boss.console.identity.create_key
    await create("ada", "one")
    await create("ada", "two", team="acme")
    await create("eve", "three")

    async def found(query):
        text = (await boss.get(f"{AT}?{query}")).text
        return {name for name in ("one", "two", "three") if f">{name}<span" in text}

    assert {"one", "two", "three"} == await found("")
    assert {"one", "two"} == await found("user=ada")
    assert {"two"} == await found("team=acme&user=ada@example.com")
    assert {"three"} == await found("key=three")
    for query, said in (
        ("user=nobody", "Nobody has this name"),
        ("team=nothing", "There is no team of this name."),
        ("key=none", "No key has this name"),
    ):
        assert said in (await boss.get(f"{AT}?{query}")).text
    monkeypatch.setattr(keys, "PAGE", 1)
    page = await boss.get(f"{AT}?user=ada")
    (more,) = re.findall(r'href="(/admin/keys\?user=ada&amp;after=[0-9]+)"', page.text)
    assert ">two<span" in (await boss.get(more.replace("&amp;", "&"))).text
