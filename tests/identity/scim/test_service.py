"""The parts of provisioning work over one database."""

import pytest

from trivium.identity.scim.model import ScimProfile
from trivium.identity.scim.service import Provisioning
from trivium.identity.teams.service import Teams


@pytest.mark.asyncio
async def test_a_token_a_person_and_a_group(database, clock):
    """One after another."""
    acme = await Teams(database, clock).create("acme")
    scim = Provisioning(database, clock)
    _, secret = await scim.tokens.create(acme.id)
    directory = await scim.tokens.authenticate(secret)
    who = await scim.users.create(directory, ScimProfile(user_name="b", email="b@x.org"))
    body = {"displayName": "lab", "members": [{"value": str(who.id)}]}
    made = await scim.groups.create(directory, body)
    assert ((who.id, "b"),) == made.members
