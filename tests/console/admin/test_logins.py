"""An administrator helps with a login."""

import pytest
import pytest_asyncio

from console.visiting import Seen, console_over, user_of, visiting
from trivium.identity.accounts.model import Visitor, Way
from trivium.identity.model import UserRole
from trivium.observe.audit.model import ActKind
from trivium.storage.schema.logins import totp_secrets


@pytest_asyncio.fixture
async def boss(database, clock):
    """An administrator's browser, and ada with a login and a second factor."""
    async with visiting(database, console_over(database, clock)) as visitor:
        visitor.eve = await user_of(visitor.console, "eve", UserRole.ADMIN)
        visitor.ada = await user_of(visitor.console)
        async with database.write() as conn:
            await visitor.console.accounts.sessions.begin(
                conn, visitor.ada.id, Way.PASSWORD, Visitor(address="::1")
            )
            now = int(clock.now())
            await conn.execute(
                totp_secrets.insert().values(
                    user_id=visitor.ada.id, secret=b"x", created_at=now, confirmed_at=now
                )
            )
        visitor.page = f"/admin/users/{visitor.ada.id}"
        await visitor.log_in(visitor.eve)
        await visitor.get(visitor.page)
        yield visitor


async def told(boss):
    acts = await boss.console.audit.everything(user_id=boss.ada.id)
    return [(act.kind, act.actor_id) for act in acts]


@pytest.mark.asyncio
async def test_logins_end_and_the_second_factor_is_switched_off(boss):
    """Each once, with an act; what is not there is not offered again."""
    page = (await boss.get(boss.page)).text
    assert {"Log out everywhere", "Switch the second factor off"} <= set(Seen(page).words)
    for to in ("log_out", "factor_off", "log_out", "factor_off"):
        done = await boss.post(f"{boss.page}/logins", to=to)
        assert (303, boss.page) == (done.status_code, done.headers["location"])
    accounts = boss.console.accounts
    assert [] == await accounts.sessions.of_user(boss.ada.id)
    assert (await accounts.factor.state(boss.ada.id)).since is None
    kinds = (ActKind.LOGOUT_EVERYWHERE, ActKind.SECOND_FACTOR_OFF)
    acts = {(kind.value, boss.eve.id) for kind in kinds}
    assert acts == set(await told(boss))
    assert 2 == len(await told(boss))
    page = (await boss.get(boss.page)).text
    assert "Switch the second factor off" not in page


@pytest.mark.asyncio
async def test_a_link_for_a_new_password_goes_to_the_user(boss):
    """And to nobody else: the administrator does not see it."""
    done = await boss.post(f"{boss.page}/logins", to="letter")
    assert boss.page == done.headers["location"]
    letter = await boss.console.accounts.emails._post.letters[-1]()
    assert ("ada@example.com", True) == (letter.to, "/password/reset/" in letter.text)
    page = (await boss.get(boss.page)).text
    assert "is on its way to ada" in page
    assert "/password/reset/" not in page


@pytest.mark.asyncio
@pytest.mark.parametrize("who", ["eve", "nobody", "bob"])
async def test_it_is_for_administrators_and_for_others_than_themselves(boss, who):
    """Their own login is changed on their own pages, where they prove who they are."""
    path = boss.page
    if who == "bob":
        await boss.log_in(await user_of(boss.console, "bob"))
        await boss.get("/account")
    else:
        path = "/admin/users/999" if who == "nobody" else f"/admin/users/{boss.eve.id}"
    refused = await boss.post(f"{path}/logins", to="log_out")
    assert (403 if who == "bob" else 404) == refused.status_code
    assert [] == await told(boss)


@pytest.mark.asyncio
async def test_another_choice_changes_nothing(boss):
    """Also one that a form of ours never has."""
    done = await boss.post(f"{boss.page}/logins", to="erase")
    assert boss.page == done.headers["location"]
    assert "not one of the choices" in (await boss.get(boss.page)).text
    assert [] == await told(boss)
