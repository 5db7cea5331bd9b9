"""Tokens of directories, on both engines."""

import pytest

from trivium.identity.errors import IdentityError
from trivium.identity.scim import store
from trivium.identity.scim.tokens import TOKENS_MAX, ScimTokens
from trivium.identity.teams.service import Teams

pytestmark = pytest.mark.asyncio


async def test_a_token_is_shown_once_and_found_by_its_digest(database, clock):
    """Nothing of it is stored but its digest and its end; it names its directory."""
    acme = await Teams(database, clock).create("acme")
    tokens = ScimTokens(database, clock)
    told = []

    async def log_act(conn, kind, subject, what="", detail=None):
        told.append((kind.value, subject, what))

    made, secret = await tokens.create(acme.id, "idp", ["Example.com ", "example.com"], 30, log_act)
    assert (("example.com",), secret[-4:]) == (made.domains, made.hint)
    found = await tokens.authenticate(secret)
    assert (acme.id, ("example.com",), made.id) == (found.team_id, found.domains, found.token_id)
    assert [made.id] == [each.id for each in await tokens.all(acme.id)]
    for other in ("", secret[:-1], secret + "x", "gwscim_" + "x" * 43, "é" * 50):
        assert await tokens.authenticate(other) is None
    await tokens.revoke(made.id, acme.id, log_act)
    assert await tokens.authenticate(secret) is None
    with pytest.raises(IdentityError, match="revoked before"):
        await tokens.revoke(made.id)
    what = f"scim_token:{made.id}"
    assert [("scim_token_created", acme.id, what), ("scim_token_revoked", acme.id, what)] == told


async def test_what_makes_no_token(database, clock):
    """Each is refused by name; so are more than a few at once, and another's."""
    teams = Teams(database, clock)
    acme, other = await teams.create("acme"), await teams.create("other")
    tokens = ScimTokens(database, clock)
    for name, wrong in (
        ("days", {"days": 0}),
        ("name", {"name": ""}),
        ("domains", {"domains": ["no domain"]}),
        ("domains", {"domains": ["com"]}),
        ("domains", {"domains": [f"d{i}.org" for i in range(101)]}),
    ):
        with pytest.raises(IdentityError) as caught:
            await tokens.create(acme.id, **wrong)
        assert name == caught.value.field
    with pytest.raises(IdentityError, match="team"):
        await tokens.create(999)
    for _ in range(TOKENS_MAX):
        made, _ = await tokens.create(acme.id)
    with pytest.raises(IdentityError, match="revoke one"):
        await tokens.create(acme.id)
    with pytest.raises(IdentityError, match="is not there"):
        await tokens.revoke(made.id, other.id)


async def test_a_token_that_is_over(database, clock):
    """Is nobody's; when it was used is known to the minute."""
    acme = await Teams(database, clock).create("acme")
    made, secret = await ScimTokens(database, clock).create(acme.id, days=1)
    assert await ScimTokens(database, clock).authenticate(secret)
    async with database.read() as conn:
        ((token, _),) = [await store.token_of(conn, store_digest(secret))]
    assert int(clock.now()) == token.last_used_at
    async with database.write() as conn:
        from sqlalchemy import text

        await conn.execute(text(f"UPDATE scim_tokens SET expires_at = {int(clock.now())}"))
    assert await ScimTokens(database, clock).authenticate(secret) is None
    assert made.id == token.id


def store_digest(secret):
    from hashlib import sha256

    return sha256(secret.encode()).digest()


async def test_a_token_is_off_with_any_team_above(database, clock):
    """As keys are."""
    teams = Teams(database, clock)
    acme = await teams.create("acme")
    lab = await teams.create("lab", acme.id)
    _, secret = await ScimTokens(database, clock).create(lab.id)
    for is_off in (True, False):
        await teams.change(acme.id, {"disabled": is_off})
        found = await ScimTokens(database, clock).authenticate(secret)
        assert is_off is (found is None)
