"""Outside logins are linked and unlinked after a recent proof, and never the last one."""

import pytest
from sqlalchemy import text

from console.visiting import console_over, user_of, visiting
from oidc import ISSUER


@pytest.fixture
def console(database, clock):
    return console_over(database, clock)


async def linked(console, user):
    """A login of a provider that is no longer in the settings."""
    async with console.database.write() as conn:
        await conn.execute(
            text(
                "INSERT INTO outside_logins (user_id, issuer, subject, email, created_at)"
                " VALUES (:user, :issuer, 's-1', 'ada@example.com', 1)"
            ),
            {"user": user.id, "issuer": ISSUER},
        )
    (found,) = await console.accounts.outside.of_user(user.id)
    return found.id


@pytest.mark.asyncio
async def test_the_last_way_in_is_kept(database, console):
    """A provider that is gone is shown by its address."""
    async with visiting(database, console) as visitor:
        user = await user_of(console)
        which = await linked(console, user)
        await visitor.log_in(user)
        assert ISSUER in (await visitor.get("/account/security")).text
        await visitor.post("/account/security/unlink", login=which)
        assert "last way in" in (await visitor.get("/account/security")).text
        assert 404 == (await visitor.post("/account/security/unlink", login="x")).status_code


@pytest.mark.asyncio
async def test_only_after_a_recent_proof(database, console, clock):
    """Both ways."""
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console))
        await visitor.get("/account/security")
        clock.advance(601)
        for path in ("unlink", "outside/company"):
            answer = await visitor.post(f"/account/security/{path}", login="1")
            assert answer.headers["location"].startswith("/login/confirm")
