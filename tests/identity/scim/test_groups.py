"""Groups of a directory: what a change makes of their members, at full size."""

import time

import pytest

from trivium.identity.scim.groups import ScimGroups, _fitting, patched, title_of
from trivium.identity.scim.model import MEMBERS_MAX, ScimDirectory, ScimError, ScimGroup
from trivium.identity.scim.patches import read_steps
from trivium.identity.teams.model import DEPTH_MAX
from trivium.identity.teams.service import Teams

LAB = ScimGroup(id=3, display_name="lab", external_id="e", created_at=0, changed_at=0)


def test_members_after_changes():
    """In their order; without a change there is none to write."""
    steps = read_steps(
        {
            "Operations": [
                {"op": "add", "path": "members", "value": [{"value": "2"}, {"value": "3"}]},
                {"op": "remove", "path": 'members[value eq "1"]'},
                {"op": "Remove", "path": "members", "value": [{"value": "3"}]},
                {"op": "remove", "path": "externalId"},
            ]
        }
    )
    change = patched(LAB, frozenset({1}), steps)
    assert (frozenset({2}), None, "lab") == (
        change.members,
        change.external_id,
        change.display_name,
    )
    assert patched(LAB, frozenset({2}), steps[:0]).members is None


def test_as_much_as_there_may_be_takes_no_time():
    """A thousand operations on a group of ten thousand."""
    operations = [
        {"op": "add", "path": "members", "value": [{"value": str(i)}]} for i in range(1, 1001)
    ]
    begun = time.process_time()
    change = patched(LAB, frozenset(range(1, MEMBERS_MAX)), read_steps({"Operations": operations}))
    assert change.members is None
    assert time.process_time() - begun < 1


def test_a_page_has_as_many_groups_as_fit():
    """At least one, however large it is."""
    groups = [LAB] * 3
    assert 3 == len(_fitting(groups, {3: 5}))
    assert 1 == len(_fitting(groups, {3: MEMBERS_MAX}))
    assert 1 == len(_fitting(groups[:1], {3: 2 * MEMBERS_MAX}))


def test_titles():
    """Without marks that mean something, and not too long."""
    assert "a-b c" == title_of(" a/b \t c ")
    assert 64 == len(title_of("x" * 200))
    with pytest.raises(ScimError):
        title_of("/ @")


@pytest.mark.asyncio
async def test_an_organisation_that_lies_too_deep(database, clock):
    """Has no groups below it."""
    teams, above = Teams(database, clock), None
    for level in range(DEPTH_MAX):
        above = (await teams.create(f"t{level}", above)).id
    directory = ScimDirectory(token_id=1, team_id=above)
    with pytest.raises(ScimError, match="too deep"):
        await ScimGroups(database, clock).create(directory, {"displayName": "g"})
