"""People of a directory over SCIM, as RFC 7644, Okta and Entra have it; and what a directory may
not.
"""

import pytest

from trivium.identity.model import UserRole
from trivium.identity.teams.model import TeamRole

pytestmark = pytest.mark.asyncio
USER = "urn:ietf:params:scim:schemas:core:2.0:User"
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"

OKTA = {
    "schemas": [USER],
    "userName": "test.user@example.com",
    "name": {"givenName": "Test", "familyName": "User"},
    "emails": [{"primary": True, "value": "test.user@example.com", "type": "work"}],
    "displayName": "Test User",
    "locale": "en-US",
    "externalId": "00ujl29u0le5T6Aj10h7",
    "groups": [],
    "password": "1mz050nq",
    "active": True,
}
"""https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20/"""
ENTRA = {
    "schemas": [USER, ENTERPRISE],
    "externalId": "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
    "userName": "Test_User_ab6490ee@example.com",
    "active": True,
    "emails": [{"primary": True, "type": "work", "value": "Test_User_fd0ea19b@example.com"}],
    "meta": {"resourceType": "User"},
    "name": {"formatted": "givenName familyName", "familyName": "familyName", "givenName": "givenName"},
    "roles": [],
}  # fmt: skip
"""https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups"""
RFC = {
    "schemas": [USER],
    "userName": "bjensen",
    "externalId": "bjensen",
    "name": {"formatted": "Ms. Barbara J Jensen III", "familyName": "Jensen", "givenName": "Barbara"},
    "emails": [{"value": "bjensen@example.com"}],
}  # fmt: skip
"""RFC 7644, section 3.3, with an address."""


@pytest.mark.parametrize("body", [OKTA, ENTRA, RFC], ids=["okta", "entra", "rfc"])
async def test_a_person_is_made(idp, body):
    """Answered with 201, where they are, and what is kept; found again as each searches."""
    answer = await idp.ask("POST", "/Users", body)
    assert 201 == answer.status_code, answer.text
    made = answer.json()
    assert answer.headers["location"] == made["meta"]["location"]
    assert answer.headers["etag"] == made["meta"]["version"]
    for name in ("userName", "externalId", "name"):
        assert body[name] == made[name]
    assert made["active"]
    assert body["emails"][0]["value"].lower() == made["emails"][0]["value"]
    assert not made.keys() & {"password", "locale", "roles"}
    user = await idp.user(made)
    assert (UserRole.USER, True) == (user.role, user.email_verified)
    for wanted in (
        f'userName eq "{body["userName"].upper()}"',
        f'externalId eq "{body["externalId"]}"',
        f'emails[type eq "work" and value eq "{made["emails"][0]["value"]}"]',
        f'userName eq "{body["userName"]}" and active eq "True"',
    ):
        found = await idp.done("GET", f"/Users?filter={wanted}&startIndex=1&count=100")
        assert [made] == found["Resources"], wanted
        assert (1, 1, 1) == (found["totalResults"], found["startIndex"], found["itemsPerPage"])
    assert made == await idp.done("GET", f"/Users/{made['id']}")
    assert "uniqueness" == (await idp.refused("POST", "/Users", body))[1]


async def test_nobody_is_found(idp):
    """As Okta and Entra ask first: an empty list, no error."""
    found = await idp.done("GET", '/Users?filter=userName eq "nobody@example.com"')
    assert (0, []) == (found["totalResults"], found["Resources"])
    assert 404 == (await idp.refused("GET", "/Users/2819c223-7f76-453a-919d-413861904646"))[0]


PATCHES = [
    ([{"op": "Replace", "path": "active", "value": "False"}], "active", False),
    ([{"op": "replace", "value": {"active": False}}], "active", False),
    ([{"op": "Replace", "path": "displayName", "value": "B"}], "displayName", "B"),
    (
        [{"op": "Replace", "value": {"name.givenName": "B", "name.familyName": "J"}}],
        "name",
        {"givenName": "B", "familyName": "J"},
    ),
    (
        [{"op": "Add", "path": 'emails[type eq "work"].value', "value": "New@example.com"}],
        "emails",
        [{"value": "new@example.com", "type": "work", "primary": True}],
    ),
    (
        [{"op": "replace", "path": "emails", "value": [{"value": "n2@example.com"}]}],
        "emails",
        [{"value": "n2@example.com", "type": "work", "primary": True}],
    ),
    ([{"op": "Add", "path": "name.familyName", "value": "X"}], "name", {"familyName": "X"}),
    ([{"op": "remove", "path": "displayName"}], "displayName", None),
    ([{"op": "Replace", "path": f"{USER}:externalId", "value": "e9"}], "externalId", "e9"),
    ([{"op": "Add", "path": f"{ENTERPRISE}:department", "value": "R"}], "displayName", "Old"),
    ([{"op": "replace", "path": "title", "value": "Boss"}], "displayName", "Old"),
    ([{"op": "replace", "path": "roles", "value": [{"value": "admin"}]}], "displayName", "Old"),
]


@pytest.mark.parametrize(("operations", "name", "value"), PATCHES)
async def test_a_person_is_patched(idp, operations, name, value):
    """As both dialects write it; what is not kept is taken and changes nothing."""
    made = await idp.person(displayName="Old")
    changed = await idp.patch(f"/Users/{made['id']}", *operations)
    assert value == changed.get(name)
    assert UserRole.USER is (await idp.user(made)).role


@pytest.mark.parametrize(
    ("operation", "scim_type"),
    [
        ({"op": "merge", "path": "active", "value": True}, "invalidSyntax"),
        ({"op": "remove"}, "noTarget"),
        ({"op": "replace", "path": "shoeSize", "value": 1}, "invalidPath"),
        ({"op": "replace", "path": "emails[type", "value": 1}, "invalidPath"),
        ({"op": "replace", "path": "active", "value": "perhaps"}, "invalidValue"),
        ({"op": "replace", "path": "id", "value": "9"}, "mutability"),
        ({"op": "replace", "path": 'emails[type eq "home"].value', "value": "a@example.com"}, "noTarget"),
        ({"op": "remove", "path": "userName"}, "invalidValue"),
        ({"op": "replace", "path": "emails", "value": [{"value": "a@other.com"}]}, "invalidValue"),
        ({"op": "replace", "path": "userName", "value": "taken@example.com"}, "uniqueness"),
    ],
)  # fmt: skip
async def test_what_cannot_be_changed_is_said(idp, operation, scim_type):
    """In SCIM's own words, and nothing is changed."""
    await idp.person("taken")
    made = await idp.person()
    body = {"Operations": [{"op": "replace", "path": "displayName", "value": "B"}, operation]}
    assert scim_type == (await idp.refused("PATCH", f"/Users/{made['id']}", body))[1]
    assert made == await idp.done("GET", f"/Users/{made['id']}")


async def test_whoever_is_not_active_is_out_everywhere(idp):
    """Sessions, developer tokens and keys at once; back again when the directory says so."""
    made = await idp.person()
    user = await idp.user(made)
    console = idp.console
    async with console.database.write() as conn:
        from trivium.identity.accounts.model import Visitor, Way

        session = await console.accounts.sessions.begin(conn, user.id, Way.PASSWORD, Visitor())
    await console.oauth.developer.create(user.id, "script")
    changed = await idp.patch(
        f"/Users/{made['id']}", {"op": "Replace", "path": "active", "value": "False"}
    )
    assert not changed["active"]
    assert (await idp.user(made)).disabled
    assert await console.accounts.sessions.find(session) is None
    assert ["revoked"] == [
        token.state(console.clock.now())
        for token in await console.oauth.developer.owned_by(user.id)
    ]
    changed = await idp.patch(f"/Users/{made['id']}", {"op": "replace", "value": {"active": True}})
    assert changed["active"]
    assert not (await idp.user(made)).disabled
    assert await console.accounts.sessions.find(session) is None


async def test_what_the_operator_switched_off_stays_off(idp):
    """A directory only takes back what it did itself."""
    made = await idp.person()
    await idp.console.directory.switch(None, int(made["id"]), disabled=True)
    for active in (True, False, True):
        body = {"userName": made["userName"], "active": active}
        changed = await idp.done("PUT", f"/Users/{made['id']}", body)
        assert not changed["active"]
    assert (await idp.user(made)).disabled


async def test_an_administrator_is_not_there(idp):
    """Not to be made, found, changed or put into a team; nor whoever becomes one."""
    body = {"userName": "root@example.com", "active": False}
    assert (409, "uniqueness") == (await idp.refused("POST", "/Users", body))[:2]
    made = await idp.person()
    await idp.console.directory.appoint(None, int(made["id"]), UserRole.ADMIN)
    path = f"/Users/{made['id']}"
    for method, said in (("GET", None), ("PUT", body), ("DELETE", None)):
        assert 404 == (await idp.refused(method, path, said))[0]
    off = {"Operations": [{"op": "replace", "path": "active", "value": False}]}
    assert 404 == (await idp.refused("PATCH", path, off))[0]
    assert [] == (await idp.done("GET", "/Users"))["Resources"]
    group = {"displayName": "g", "members": [{"value": made["id"]}]}
    assert (400, "invalidValue") == (await idp.refused("POST", "/Groups", group))[:2]
    again = {"userName": made["userName"]}
    assert (409, "uniqueness") == (await idp.refused("POST", "/Users", again))[:2]
    assert not (await idp.user(made)).disabled


@pytest.mark.parametrize(
    ("email", "verified", "role", "status"),
    [
        ("ada@example.com", True, UserRole.USER, 201),
        ("ada@example.com", False, UserRole.USER, 409),
        ("ada@example.com", True, UserRole.ADMIN, 409),
        ("ada@other.com", True, UserRole.USER, 400),
    ],
)
async def test_an_account_that_there_is(idp, email, verified, role, status):
    """Is taken over when its address is the directory's own and was shown to be the person's; then
    its address stays as it is.
    """
    user = await idp.console.identity.create_user("old", email, role)
    if verified:
        async with idp.console.database.write() as conn:
            from trivium.identity.accounts import store

            await store.verify_email(conn, user.id, email, 1)
    answer = await idp.ask("POST", "/Users", {"userName": email, "active": False})
    assert status == answer.status_code, answer.text
    found = await idp.console.directory.one(user.id)
    assert (status == 201) is found.disabled
    if status == 201:
        moved = {"userName": email, "emails": [{"value": "new@example.com"}]}
        refused = await idp.refused("PUT", f"/Users/{user.id}", moved)
        assert (400, "mutability") == refused[:2]


async def test_another_organisation_sees_nothing(idp):
    """Its people and groups are its own; an address is one account's in the whole gateway."""
    made = await idp.person()
    other = await idp.console.teams.create("other")
    token = (await idp.console.scim.tokens.create(other.id, "idp", ["example.com"]))[1]
    assert 0 == (await idp.done("GET", "/Users", token=token))["totalResults"]
    path = f"/Users/{made['id']}"
    for method, body in (("GET", None), ("DELETE", None), ("PUT", {"userName": "a@example.com"})):
        assert 404 == (await idp.refused(method, path, body, token=token))[0]
    body = {"userName": made["userName"]}
    assert 409 == (await idp.refused("POST", "/Users", body, token=token))[0]


async def test_an_address_counts_as_shown_only_in_own_domains(idp):
    """A token without domains makes accounts, and vouches for nobody."""
    token = (await idp.console.scim.tokens.create(idp.acme.id, "plain"))[1]
    made = await idp.done("POST", "/Users", {"userName": "x@any.org"}, 201, token=token)
    assert not (await idp.user(made)).email_verified


async def test_a_deleted_person_is_gone_and_comes_back(idp):
    """Locked, out of their teams, 404; made again it is the same account."""
    made = await idp.person()
    group = await idp.done(
        "POST", "/Groups", {"displayName": "lab", "members": [{"value": made["id"]}]}, 201
    )
    await idp.console.teams.put_member(idp.acme.id, int(made["id"]), TeamRole.MEMBER)
    path = f"/Users/{made['id']}"
    await idp.done("DELETE", path, None, 204)
    assert 404 == (await idp.refused("GET", path))[0]
    assert 404 == (await idp.refused("DELETE", path))[0]
    assert (await idp.user(made)).disabled
    assert {idp.acme.id: TeamRole.MEMBER} == await idp.console.teams.roles(int(made["id"]))
    assert [] == (await idp.done("GET", f"/Groups/{group['id']}"))["members"]
    again = await idp.person()
    assert (made["id"], True) == (again["id"], again["active"])
    assert not (await idp.user(made)).disabled


async def test_a_page_at_a_time(idp):
    """From any place, of any length; the order stays."""
    made = [(await idp.person(f"p{i}"))["id"] for i in range(5)]
    for query, ids in (
        ("startIndex=2&count=2", made[1:3]),
        ("startIndex=0", made),
        ("startIndex=9", []),
        ("count=0", []),
        ("count=-1", []),
    ):
        found = await idp.done("GET", f"/Users?{query}")
        assert (5, ids) == (found["totalResults"], [user["id"] for user in found["Resources"]])
    assert (400, "invalidValue") == (await idp.refused("GET", "/Users?count=x"))[:2]


async def test_only_the_attributes_that_were_asked_for(idp):
    """``id`` and ``schemas`` always come."""
    made = await idp.person(displayName="B")
    found = await idp.done("GET", f"/Users/{made['id']}?attributes=userName,emails.value")
    assert {"schemas", "id", "userName", "emails"} == found.keys()
    assert [{"value": "bjensen@example.com"}] == found["emails"]
    found = await idp.done("GET", f"/Users/{made['id']}?excludedAttributes=meta,emails")
    assert not found.keys() & {"meta", "emails"}


async def test_a_version_that_is_known_or_gone(idp):
    """304 for what the caller has, 412 for what has changed since."""
    made = await idp.person()
    path, version = f"/Users/{made['id']}", made["meta"]["version"]
    assert 304 == (await idp.ask("GET", path, if_none_match=version)).status_code
    body = {"userName": made["userName"], "displayName": "B"}
    assert 200 == (await idp.ask("PUT", path, body, if_match=version)).status_code
    for method, said in (("PUT", body), ("DELETE", None)):
        assert 412 == (await idp.refused(method, path, said, if_match=version))[0]
    assert 200 == (await idp.ask("GET", path, if_none_match=version)).status_code


@pytest.mark.parametrize(
    ("body", "scim_type"),
    [
        (b"{", "invalidSyntax"),
        (b"[]", "invalidSyntax"),
        (b"[" * 100_000, "invalidSyntax"),
        ({"displayName": "B"}, "invalidValue"),
        ({"userName": "b"}, "invalidValue"),
        ({"userName": 7}, "invalidValue"),
        ({"userName": "b@example.com", "shoeSize": 7}, "invalidSyntax"),
        ({"userName": "b@example.com", "USERNAME": "c@example.com"}, "invalidSyntax"),
        ({"userName": "b@example.com", "emails": [7]}, "invalidValue"),
        ({"userName": "b@example.com", "emails": [{"value": "b@example.com"}] * 51}, "tooMany"),
        ({"userName": "b" * 300 + "@example.com"}, "invalidValue"),
        ({"userName": "b@example.com\n"}, "invalidValue"),
    ],
)
async def test_a_body_that_says_nothing_of_use(idp, body, scim_type):
    """Is refused by name."""
    status, found, detail = await idp.refused("POST", "/Users", body)
    assert (400, scim_type) == (status, found), detail


async def test_a_name_is_taken_whatever_the_address(idp):
    """409 before anything else that is wrong, and only of the directory's own people."""
    await idp.person("taken")
    for emails in ([{"value": "taken"}], [{"value": "x@elsewhere.org"}], []):
        body = {"userName": "TAKEN@example.com", "emails": emails}
        assert (409, "uniqueness") == (await idp.refused("POST", "/Users", body))[:2]
    status, scim_type, detail = await idp.refused("POST", "/Users", {"userName": "free"})
    assert (400, "invalidValue") == (status, scim_type)
    assert "without emails, userName is one" in detail


async def test_a_name_is_free_once_its_person_is_gone(idp):
    """For whoever has it now."""
    made = await idp.person()
    await idp.done("DELETE", f"/Users/{made['id']}", None, 204)
    body = {"userName": made["userName"], "emails": [{"value": "other@example.com"}]}
    assert made["id"] != (await idp.done("POST", "/Users", body, 201))["id"]


async def test_nobody_is_let_in_by_what_is_not_said(idp):
    """A replacement without `active` leaves them out; the audit log says whose token did what."""
    made = await idp.person(active=False)
    body = {"userName": made["userName"]}
    assert not (await idp.done("PUT", f"/Users/{made['id']}", body))["active"]
    for operation in (
        {"op": "remove", "path": "active"},
        {"op": "replace", "value": {"active": None, "displayName": "B"}},
    ):
        assert not (await idp.patch(f"/Users/{made['id']}", operation))["active"]
    assert (await idp.done("PUT", f"/Users/{made['id']}", {**body, "active": True}))["active"]
    acts = await idp.console.audit.everything()
    kinds = [act.kind for act in acts if '"scim_token":' in act.detail]
    assert {"user_created", "user_provisioned", "user_disabled", "user_enabled"} == set(kinds)
