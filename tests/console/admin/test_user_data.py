"""A person's data is taken along and erased; a password is set by hand."""

import msgspec
import pytest
import pytest_asyncio

from console.visiting import PASSWORD, console_over, user_of, visiting
from trivium.identity.model import UserKind, UserRole
from trivium.observe.audit.model import ActKind


@pytest_asyncio.fixture
async def boss(database, clock):
    async with visiting(database, console_over(database, clock)) as visitor:
        visitor.eve = await user_of(visitor.console, "eve", UserRole.ADMIN)
        visitor.ada = await user_of(visitor.console)
        visitor.at = f"/admin/users/{visitor.ada.id}"
        await visitor.log_in(visitor.eve)
        await visitor.get(f"{visitor.at}/data")
        yield visitor


async def kinds(boss):
    return [act.kind for act in await boss.console.audit.everything(user_id=boss.ada.id)]


@pytest.mark.asyncio
async def test_an_export_has_every_row_as_a_line(boss):
    """And is told in the log."""
    await boss.console.identity.create_key("ada", "laptop")
    answer = await boss.post(f"{boss.at}/export.jsonl")
    assert "attachment" in answer.headers["content-disposition"]
    rows = [msgspec.json.decode(line) for line in answer.text.splitlines()]
    assert {"users", "keys"} <= {row["table"] for row in rows}
    assert ActKind.USER_EXPORTED.value in await kinds(boss)


@pytest.mark.asyncio
async def test_whoever_is_erased_was_named(boss):
    """A slip erases nobody; whoever owns an organisation is not erased, which is said."""
    slip = await boss.post(f"{boss.at}/erase", name="adam")
    assert 422 == slip.status_code
    assert "not the name" in slip.text
    acme = await boss.console.teams.create("acme", owner_id=boss.ada.id)
    kept = await boss.post(f"{boss.at}/erase", name="ada")
    assert 409 == kept.status_code
    assert "acme" in kept.text
    await boss.console.teams.put_member(acme.id, boss.eve.id, role_of("owner"))
    await boss.console.teams.remove_member(acme.id, boss.ada.id)
    assert 303 == (await boss.post(f"{boss.at}/erase", name="ada")).status_code
    assert UserKind.ERASED is (await boss.console.directory.one(boss.ada.id)).kind


def role_of(word):
    from trivium.identity.teams.model import TeamRole

    return TeamRole(word)


@pytest.mark.asyncio
async def test_a_password_is_set_and_logins_end(boss):
    """Of others: one's own is changed where one proves who one is."""
    easy = await boss.post(f"{boss.at}/password", password="password")
    assert 422 == easy.status_code
    assert "easy to guess" in easy.text
    assert 303 == (await boss.post(f"{boss.at}/password", password=PASSWORD)).status_code
    assert ActKind.PASSWORD_CHANGED.value in await kinds(boss)
    own = await boss.post(f"/admin/users/{boss.eve.id}/password", password=PASSWORD)
    assert 422 == own.status_code
