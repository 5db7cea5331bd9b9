"""What each part of the OAuth service works with."""

import pytest

from trivium.oauth.part import OAuthPart, RequestOrigin
from trivium.observe.audit.model import ActKind

pytestmark = pytest.mark.asyncio

SENDER = RequestOrigin(address="192.0.2.7", agent="curl")


@pytest.mark.parametrize("by_user", [True, False])
async def test_an_act_names_its_user_and_where_it_came_from(world, by_user):
    """Only what the user did themselves has them as its actor."""
    part = OAuthPart(world.database, world.clock, world.audit)
    async with world.database.write() as conn:
        await part._tell(
            conn, ActKind.CONSENT, world.ada.id, "app:1", SENDER, {"scope": "x"}, by_user=by_user
        )
    act = (await world.audit.of_user(world.ada.id))[0]
    assert ("app:1", "192.0.2.7", "curl", '{"scope":"x"}') == (
        act.what,
        act.address,
        act.agent,
        act.detail,
    )
    assert (world.ada.id if by_user else None, world.ada.id) == (act.actor_id, act.subject_id)
