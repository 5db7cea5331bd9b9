"""What a directory may read about us."""

import pytest

pytestmark = pytest.mark.asyncio
USER = "urn:ietf:params:scim:schemas:core:2.0:User"


async def test_the_configuration(idp):
    """Says what can be done, and by which address."""
    found = await idp.done("GET", "/ServiceProviderConfig")
    assert (True, False, False) == tuple(
        found[name]["supported"] for name in ("patch", "bulk", "sort")
    )
    assert found["meta"]["location"] == f"{idp.console.origin}/scim/v2/ServiceProviderConfig"


@pytest.mark.parametrize(
    ("path", "ids"),
    [("/ResourceTypes", ["User", "Group"]), ("/Schemas", [USER, USER.replace("User", "Group")])],
)
async def test_what_there_is(idp, path, ids):
    """As a list, and one by one; it is not searched."""
    found = await idp.done("GET", path)
    assert (ids, 2) == ([each["id"] for each in found["Resources"]], found["totalResults"])
    for each in found["Resources"]:
        assert each == await idp.done("GET", f"{path}/{each['id']}")
    assert 404 == (await idp.refused("GET", f"{path}/other"))[0]
    assert 403 == (await idp.refused("GET", f'{path}?filter=id eq "User"'))[0]


async def test_every_attribute_of_an_answer_is_described(idp):
    """Nothing is kept that the schema does not have."""
    body = {"userName": "b@example.com", "name": {"givenName": "B"}, "displayName": "B"}
    made = await idp.done("POST", "/Users", {**body, "externalId": "e"}, 201)
    (user, group) = (await idp.done("GET", "/Schemas"))["Resources"]
    known = {each["name"] for each in user["attributes"]} | {"schemas", "id", "meta"}
    assert made.keys() <= known
    made = await idp.done("POST", "/Groups", {"displayName": "g", "externalId": "e"}, 201)
    assert made.keys() <= {each["name"] for each in group["attributes"]} | {"schemas", "id", "meta"}
