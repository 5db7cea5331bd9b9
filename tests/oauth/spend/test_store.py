"""Rows of caps and keys."""

import pytest

from trivium.ledger.model import NANOS
from trivium.oauth.spend import store
from trivium.oauth.spend.model import budgets


@pytest.mark.asyncio
async def test_a_cap_belongs_to_its_consent(world):
    """There is none before it is set, and the last one counts."""
    await world.issued(scope=b"spend", cap_nanos=NANOS)
    (consent,) = await world.consents.authorized(world.ada.id)
    async with world.database.write() as conn:
        assert NANOS == await store.cap_of(conn, consent.grant.id)
        await store.set_cap(conn, consent.grant.id, 7, budgets(7), 0)
        assert 7 == await store.cap_of(conn, consent.grant.id)
        assert None is await store.cap_of(conn, 99)


@pytest.mark.asyncio
async def test_a_token_of_another_application_is_not_held(world):
    """Nor is one that has expired."""
    from trivium.oauth import credential

    given = await world.issued(scope=b"spend", cap_nanos=NANOS)
    digest = credential.digest(given.access_token)
    now = int(world.clock.now())
    async with world.database.write() as conn:
        assert world.ada.id == (await store.held(conn, world.app.id, digest, now))[0].user_id
        assert None is await store.held(conn, world.app.id + 1, digest, now)
        assert None is await store.held(conn, world.app.id, digest, now + 7200)
