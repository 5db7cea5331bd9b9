"""By what a person's rows are found."""

import pytest

from identity.erasure.marks import ANA, BEN, fill
from trivium.identity.erasure import store
from trivium.identity.erasure.model import Ending, Person
from trivium.identity.erasure.tables import PERSONAL
from trivium.storage.schema.core import users
from trivium.storage.schema.spending import attributions, spend_attributed

pytestmark = pytest.mark.asyncio


async def test_a_person_is_their_id_address_and_consents(database):
    """Those of others are not theirs; who is not there has none."""
    async with database.write() as conn:
        await conn.run_sync(fill)
        assert Person(id=ANA, email="ana@example.org", grants=(1,)) == await store.person_of(
            conn, ANA
        )
        await conn.execute(users.update().where(users.c.id == ANA).values(email=None))
        assert "" == (await store.person_of(conn, ANA)).email
        assert Person(id=99, email="", grants=()) == await store.person_of(conn, 99)


async def test_without_address_or_consent_nothing_is_theirs_by_it(database):
    """An empty address is not that of every row without one."""
    nobody = Person(id=99, email="", grants=())
    async with database.write() as conn:
        await conn.run_sync(fill)
        for of in PERSONAL:
            assert ([], None) == await store.listed(conn, of, nobody, None, 10)
            if of.ending is not Ending.KEPT and not of.with_parent:
                assert (0, None) == await store.ended(conn, of, nobody, None)


async def test_what_others_said_alike_stays(database):
    """An attribution of a team goes with the last sums of it."""
    (of,) = [each for each in PERSONAL if each.name == "attributions"]
    ana = Person(id=ANA, email="", grants=())
    async with database.write() as conn:
        await conn.run_sync(fill)
        await conn.execute(attributions.update().values(payer_id=BEN))
        assert (0, None) == await store.ended(conn, of, ana, None)
        await conn.execute(spend_attributed.delete().where(spend_attributed.c.user_id == ANA))
        assert (1, None) == await store.ended(conn, of, ana, None)
