"""Groups over SCIM are teams: made, found, filled and emptied as RFC 7644, Okta and Entra do."""

import pytest

from trivium.identity.scim.model import CHANGES_MAX
from trivium.identity.teams.model import TeamRole

pytestmark = pytest.mark.asyncio
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"


class Lab:
    """A group with one of three people in it."""

    def __init__(self, idp):
        self.idp = idp

    async def found(self):
        self.people = [(await self.idp.person(f"p{i}"))["id"] for i in range(3)]
        body = {"schemas": [GROUP], "externalId": "x1", "displayName": "Lab"}
        body["members"] = [{"value": self.people[0], "display": "p0"}]
        self.id = (await self.idp.done("POST", "/Groups", body, 201))["id"]
        self.path = f"/Groups/{self.id}"
        return self

    async def members(self):
        found = (await self.idp.done("GET", self.path))["members"]
        return [self.people.index(member["value"]) for member in found]

    async def refused(self, *operations):
        return (await self.idp.refused("PATCH", self.path, {"Operations": operations}))[:2]


async def lab_of(idp):
    return await Lab(idp).found()


async def test_a_group_is_a_team(idp):
    """Below the organisation, with the directory's people as members, who may have keys at once."""
    lab = await lab_of(idp)
    team = await idp.console.teams.find("acme/Lab")
    assert str(team.id) == lab.id
    ((member, who),) = await idp.console.teams.members(team.id)
    assert (lab.people[0], "member", "scim") == (
        str(who.id),
        member.role.value,
        member.source.value,
    )
    key, _ = await idp.console.identity.create_key(who.name, team="acme/Lab")
    person = await idp.done("GET", f"/Users/{lab.people[0]}")
    assert [(lab.id, "Lab")] == [(each["value"], each["display"]) for each in person["groups"]]
    await idp.patch(lab.path, {"op": "remove", "path": "members"}, status=204)
    (found,) = await idp.console.identity.list_keys(who.name)
    assert (key.id, True) == (found.id, found.disabled)


def of(people, *which):
    return [{"value": people[i]} for i in which]


CHANGES = {
    "rfc-add": (lambda p: [{"op": "add", "path": "members", "value": of(p, 1, 2)}], [0, 1, 2]),
    "entra-add": (lambda p: [{"op": "Add", "path": "members", "value": of(p, 1)}], [0, 1]),
    "add-one": (lambda p: [{"op": "add", "path": "members", "value": of(p, 1)[0]}], [0, 1]),
    "add-again": (lambda p: [{"op": "add", "path": "members", "value": of(p, 0)}], [0]),
    "rfc-remove": (lambda p: [{"op": "remove", "path": f'members[value eq "{p[0]}"]'}], []),
    "entra-remove": (lambda p: [{"op": "Remove", "path": "members", "value": of(p, 0, 2)}], []),
    "remove-either": (
        lambda p: [{"op": "remove", "path": f'members[value eq "{p[0]}" or value eq "{p[1]}"]'}],
        [],
    ),
    "remove-stranger": (lambda p: [{"op": "remove", "path": 'members[value eq "99"]'}], [0]),
    "okta-replace": (
        lambda p: [{"op": "replace", "path": "members", "value": of(p, 2)}],
        [2],
    ),
    "okta-both": (
        lambda p: [
            {"op": "remove", "path": f'members[value eq "{p[0]}"]'},
            {"op": "add", "path": "members", "value": of(p, 1, 2)},
        ],
        [1, 2],
    ),
    "without-path": (lambda p: [{"op": "replace", "value": {"members": of(p, 1)}}], [1]),
    "urn": (lambda p: [{"op": "add", "path": f"{GROUP}:members", "value": of(p, 1)}], [0, 1]),
    "everybody": (lambda p: [{"op": "remove", "path": "members"}], []),
}


@pytest.mark.parametrize("case", CHANGES)
async def test_members_come_and_go(idp, case):
    """As each dialect writes it."""
    lab = await lab_of(idp)
    operations, expected = CHANGES[case]
    await idp.patch(lab.path, *operations(lab.people), status=204)
    assert expected == await lab.members()


async def test_a_group_is_renamed_and_the_team_is_not(idp):
    """As Okta does, with the id it has read; the directory finds it by its new name."""
    lab = await lab_of(idp)
    value = {"id": lab.id, "displayName": "Laboratory"}
    await idp.patch(lab.path, {"op": "replace", "value": value}, status=204)
    found = await idp.done("GET", '/Groups?filter=displayName eq "LABORATORY"')
    assert [lab.id] == [group["id"] for group in found["Resources"]]
    assert "acme/Lab" == (await idp.console.teams.find("acme/Lab")).name


@pytest.mark.parametrize(
    ("operation", "status", "scim_type"),
    [
        ({"op": "add", "path": "members", "value": [{"value": "99"}]}, 400, "invalidValue"),
        ({"op": "add", "path": "members", "value": [{"value": "ada"}]}, 400, "invalidValue"),
        ({"op": "add", "path": "members", "value": ["7"]}, 400, "invalidValue"),
        ({"op": "add", "path": "members", "value": [{"value": "1", "type": "Group"}]}, 400, "invalidValue"),
        ({"op": "replace", "path": 'members[value eq "1"]', "value": 1}, 400, "invalidPath"),
        ({"op": "remove", "path": 'members[value co "1"]'}, 400, "invalidPath"),
        ({"op": "replace", "path": "members.display", "value": "x"}, 400, "mutability"),
        ({"op": "replace", "path": "id", "value": "99"}, 400, "mutability"),
        ({"op": "replace", "path": "userName", "value": "x"}, 400, "invalidPath"),
        ({"op": "remove", "path": "displayName"}, 400, "invalidValue"),
        ({"op": "add", "path": "members", "value": [{"value": str(i)} for i in range(1, CHANGES_MAX + 9)]}, 413, "tooMany"),
    ],
)  # fmt: skip
async def test_what_cannot_be_changed_is_said(idp, operation, status, scim_type):
    """And nothing is changed, not by the operations before it either."""
    lab = await lab_of(idp)
    first = {"op": "add", "path": "members", "value": of(lab.people, 1)}
    assert (status, scim_type) == await lab.refused(first, operation)
    assert [0] == await lab.members()


async def test_a_whole_group(idp):
    """Replaced with its members; an external id that is left out stays."""
    lab = await lab_of(idp)
    body = {"displayName": "Lab", "members": of(lab.people, 1, 2), "id": lab.id}
    found = await idp.done("PUT", lab.path, body)
    assert ("x1", lab.people[1:]) == (
        found["externalId"],
        [member["value"] for member in found["members"]],
    )
    refused = await idp.refused("PUT", lab.path, {**body, "id": "99"})
    assert (400, "mutability") == refused[:2]
    assert 412 == (await idp.refused("PUT", lab.path, body, if_match='W/"no"'))[0]


async def test_groups_are_found(idp):
    """By name, by external id, by who is in them; with members only where they are asked for."""
    lab = await lab_of(idp)
    other = await idp.done("POST", "/Groups", {"displayName": "Other"}, 201)
    for wanted, ids in (
        ('displayName eq "lab"', [lab.id]),
        ('externalId eq "x1"', [lab.id]),
        (f'members eq "{lab.people[0]}"', [lab.id]),
        (f'members[value eq "{lab.people[0]}"]', [lab.id]),
        (f'id eq "{lab.id}" and members.value eq "{lab.people[1]}"', []),
        ('displayName sw "o" or displayName ew "AB"', [lab.id, other["id"]]),
        ('not (displayName co "a")', [other["id"]]),
        ('meta.created gt "2001-01-01T00:00:00Z"', [lab.id, other["id"]]),
    ):
        found = await idp.done("GET", f"/Groups?excludedAttributes=members&filter={wanted}")
        assert ids == [group["id"] for group in found["Resources"]], wanted
        assert not any("members" in group for group in found["Resources"])
    whole = await idp.done("GET", lab.path)
    bare = await idp.done("GET", f"{lab.path}?excludedAttributes=members")
    assert ("members" in whole, "members" in bare) == (True, False)


async def test_a_deleted_group_leaves_its_team(idp):
    """With whoever was put there by hand; made again it is the same team."""
    lab = await lab_of(idp)
    root = idp.root.id
    await idp.console.teams.put_member(int(lab.id), root, TeamRole.OWNER)
    await idp.done("DELETE", lab.path, None, 204)
    assert 404 == (await idp.refused("GET", lab.path))[0]
    assert [root] == [who.id for _, who in await idp.console.teams.members(int(lab.id))]
    again = await idp.done("POST", "/Groups", {"displayName": "Lab"}, 201)
    assert (lab.id, []) == (again["id"], again["members"])
    assert "uniqueness" == (await idp.refused("POST", "/Groups", {"displayName": "lab"}))[1]


async def test_a_team_that_there_is_becomes_a_group(idp):
    """With its members by hand unseen and untouched; a name with marks becomes one without."""
    team = await idp.console.teams.create("hand", idp.acme.id)
    await idp.console.teams.put_member(team.id, idp.root.id, TeamRole.OWNER)
    made = await idp.done("POST", "/Groups", {"displayName": "hand"}, 201)
    assert (str(team.id), []) == (made["id"], made["members"])
    assert [idp.root.id] == [who.id for _, who in await idp.console.teams.members(team.id)]
    await idp.done("POST", "/Groups", {"displayName": "a/b@c"}, 201)
    assert (await idp.console.teams.find("acme/a-b-c")).parent_id == idp.acme.id
    await idp.console.teams.create_service(idp.acme.id, "bot")
    assert "uniqueness" == (await idp.refused("POST", "/Groups", {"displayName": "bot"}))[1]
    assert "invalidValue" == (await idp.refused("POST", "/Groups", {"displayName": "//"}))[1]


async def test_the_hand_counts_and_the_directory_gives_no_role(idp):
    """Whoever it puts there is a member; a manager by hand stays one."""
    lab = await lab_of(idp)
    who = int(lab.people[0])
    await idp.console.teams.put_member(int(lab.id), who, TeamRole.MANAGER)
    await idp.patch(lab.path, {"op": "remove", "path": "members"}, status=204)
    assert {int(lab.id): TeamRole.MANAGER} == await idp.console.teams.roles(who)
