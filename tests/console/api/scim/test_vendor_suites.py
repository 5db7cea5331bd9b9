"""The requests of the vendors' own suites, one after the other, each as a row of a table.

Okta's are the two collections that it has every provider run; Microsoft's are the samples of its
documentation, with the flag ``aadOptscim062020`` and without, and the tests of its SCIM Validator.
Values are ours: theirs are random. What is not kept here is taken all the same; that it is left out
of the answer is how a directory learns of it.

Read 2026-11-28:
https://developer.okta.com/standards/SCIM/SCIMFiles/Okta-SCIM-20-SPEC-Test.json (of 2024-05-13),
https://developer.okta.com/standards/SCIM/SCIMFiles/Okta-SCIM-20-CRUD-Test.json,
https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20/,
https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups,
https://learn.microsoft.com/entra/identity/app-provisioning/application-provisioning-config-problem-scim-compatibility,
and the names, order and bodies of the Validator's tests as published in reports of its runs
(``docs/SCIM_VALIDATION_GAP_ANALYSIS.md`` of github.com/pranems/SCIMServer).
"""

from typing import Any

import msgspec
import pytest

pytestmark = pytest.mark.asyncio
USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


class Row(msgspec.Struct, kw_only=True):
    """One request, and what its answer must be. ``<name>`` stands for what was kept before."""

    note: str
    method: str = "GET"
    path: str
    body: Any = None
    status: int = 200
    found: dict[str, Any] = {}
    """Values by their path in the answer: ``Resources.0.name.givenName``; ``...``: any, not empty;
    ``None``: it is not there."""
    keep: dict[str, str] = {}
    """What is kept of the answer, by its path, under which name."""
    token: str | None = None
    type: str = "application/scim+json; charset=utf-8"


def patch(note, path, *operations, **more):
    """A row that changes something."""
    body = {"schemas": [PATCH], "Operations": list(operations)}
    return Row(note=note, method="PATCH", path=path, body=body, **more)


def at(answer, path):
    """What an answer has there; ``None``: nothing."""
    for part in path.split("."):
        if isinstance(answer, list):
            answer = answer[int(part)] if int(part) < len(answer) else None
        else:
            answer = (answer or {}).get(part)
    return answer


def filled(value, kept):
    """A value with what was kept in it."""
    text = msgspec.json.encode(value).decode()
    for name, of in kept.items():
        text = text.replace(f"<{name}>", of)
    return msgspec.json.decode(text)


async def walk(idp, rows, **kept):
    """Send each row as its vendor does; every answer is SCIM's, errors too."""
    # whoever runs a suite has no domain of its own: its people come from anywhere
    token = (await idp.console.scim.tokens.create(idp.acme.id, "suite"))[1]
    for row in rows:
        path, body = filled(row.path, kept), filled(row.body, kept)
        answer = await idp.ask(
            row.method,
            path,
            body,
            token=token if row.token is None else row.token,
            content_type=row.type,
            accept="application/scim+json",
            accept_charset="utf-8",
            user_agent="OKTA SCIM Integration",
        )
        where = f"{row.note}: {row.method} {path} {answer.text}"
        assert row.status == answer.status_code, where
        if answer.status_code == 204:
            assert not answer.content, where
            continue
        assert answer.headers["content-type"].startswith("application/scim+json"), where
        found = answer.json()
        if answer.status_code >= 400:
            assert [ERROR] == found["schemas"], where
            assert str(answer.status_code) == found["status"], where
            assert found["detail"], where
        if answer.status_code == 201:
            assert answer.headers["location"] == found["meta"]["location"], where
        for name, value in filled_rows(row.found, kept):
            seen = at(found, name)
            assert seen not in (None, "", []) if value is ... else seen == value, (name, where)
        kept |= {name: str(at(found, path_)) for path_, name in row.keep.items()}
    return kept


def filled_rows(found, kept):
    """What is looked for, with what was kept."""
    return [(name, value if value is ... else filled(value, kept)) for name, value in found.items()]


OF_A_PERSON = dict.fromkeys(
    ("id", "name.familyName", "name.givenName", "userName", "active", "emails.0.value"), ...
)
OKTA_USER = {
    "schemas": [USER],
    "userName": "<username>",
    "name": {"givenName": "Isaac", "familyName": "Brock"},
    "emails": [{"primary": True, "value": "isaac.brock@example.com", "type": "work"}],
    "displayName": "Isaac Brock",
    "active": True,
}
OKTA_SPEC = (
    Row(
        note="Users endpoint",
        path="/Users?count=1&startIndex=1",
        found={
            "schemas.0": LIST,
            **{name: ... for name in ("itemsPerPage", "startIndex", "totalResults")},
            **{f"Resources.0.{name}": ... for name in OF_A_PERSON},
        },
        keep={"Resources.0.id": "there"},
    ),
    Row(note="one of them", path="/Users/<there>", found={**OF_A_PERSON, "id": "<there>"}),
    Row(
        note="no such name",
        path='/Users?filter=userName eq "nobody@nowhere.example"',
        found={"schemas.0": LIST, "totalResults": 0},
    ),
    Row(note="no such id", path="/Users/no-such-id", status=404),
    Row(
        note="not there yet",
        path='/Users?filter=userName eq "isaac.brock@example.com"',
        found={"schemas.0": LIST, "totalResults": 0},
    ),
    Row(
        note="made",
        method="POST",
        path="/Users",
        body=OKTA_USER,
        type="application/json",
        status=201,
        found={
            "active": True,
            "id": ...,
            "name": OKTA_USER["name"],
            "schemas.0": USER,
            "userName": "<username>",
        },
        keep={"id": "made", "emails.0.value": "email"},
    ),
    Row(
        note="it is there",
        path="/Users/<made>",
        found={"userName": "<username>", "name": OKTA_USER["name"]},
    ),
    Row(
        note="made again, its name in the place of the address",
        method="POST",
        path="/Users",
        body={**OKTA_USER, "emails": [{"primary": True, "value": "<username>", "type": "work"}]},
        type="application/json",
        status=409,
        found={"scimType": "uniqueness"},
    ),
    Row(
        note="found in capitals",
        path='/Users?filter=userName eq "<capitals>"',
        found={"totalResults": 1, "Resources.0.id": "<made>"},
    ),
    Row(note="Groups endpoint", path="/Groups", found={"totalResults": 0}),
    Row(
        note="a token that is none",
        path='/Users?filter=userName eq "<capitals>"',
        token="",
        status=401,
    ),
    Row(note="a number that is no id", path="/Users/00919288221112222", status=404),
)


@pytest.mark.parametrize("username", ["isaac.brock@example.com", "randomUsername"])
async def test_okta_spec(idp, username):
    """Okta's ``SCIM 2.0 SPEC Test``; with a name that is an address, and with one that is none, as
    the variables of its suite are set by whoever runs it.
    """
    await idp.person("before", name={"givenName": "G", "familyName": "F"})
    await walk(idp, OKTA_SPEC, username=username, capitals=username.upper())


OKTA_CREATED = {
    **OKTA_USER,
    "userName": "okta.user@example.com",
    "emails": [{"primary": True, "value": "okta.user@example.com", "type": "work"}],
    "locale": "en-US",
    "externalId": "00ujl29u0le5T6Aj10h7",
    "groups": [],
    "password": "1mz050nq",
}
BY_NAME = '/Users?filter=userName eq "okta.user@example.com"&startIndex=1&count=100'
OKTA_CRUD = (
    Row(note="asked for", path=BY_NAME, found={"totalResults": 0}),
    Row(note="made", method="POST", path="/Users", body=OKTA_CREATED, status=201),
    Row(
        note="was it made?",
        path='/Users?filter=userName eq "okta.user@example.com"',
        found={
            "Resources.0.userName": "okta.user@example.com",
            "Resources.0.emails.0.value": "okta.user@example.com",
            "Resources.0.name": OKTA_USER["name"],
        },
        keep={"Resources.0.id": "id", "Resources.0.meta.location": "where"},
    ),
    Row(note="read before it is changed", path="/Users/<id>", found={"id": "<id>"}),
    Row(
        note="a first name changes: the whole resource, with what was read",
        method="PUT",
        path="/Users/<id>",
        body={
            **OKTA_CREATED,
            "id": "<id>",
            "name": {"givenName": "Anna", "middleName": "", "familyName": "Brock"},
            "meta": {"resourceType": "User", "location": "<where>"},
        },
        found={"name.givenName": "Anna", "active": True},
    ),
    Row(note="did it?", path="/Users/<id>", found={"name.givenName": "Anna"}),
    patch("switched off", "/Users/<id>", {"op": "replace", "value": {"active": False}}),
    Row(note="is it off?", path="/Users/<id>", found={"active": False}),
    patch("switched on", "/Users/<id>", {"op": "replace", "value": {"active": True}}),
    Row(note="is it on?", path="/Users/<id>", found={"active": True}),
    Row(
        note="off by the whole resource, as applications without PATCH have it",
        method="PUT",
        path="/Users/<id>",
        body={**OKTA_CREATED, "id": "<id>", "active": False},
        found={"active": False},
    ),
    Row(note="is it off?", path="/Users/<id>", found={"active": False}),
    Row(note="an import", path="/Users?startIndex=1&count=100", found={"Resources.0.id": "<id>"}),
    Row(note="groups, before one is pushed", path="/Groups?startIndex=1&count=100"),
    Row(
        note="a group is pushed",
        method="POST",
        path="/Groups",
        body={
            "schemas": [GROUP],
            "displayName": "Test SCIMv2",
            "members": [{"value": "<id>", "display": "okta.user@example.com"}],
        },
        status=201,
        found={"displayName": "Test SCIMv2", "members.0.value": "<id>"},
        keep={"id": "group"},
    ),
    Row(note="is it there?", path="/Groups/<group>", found={"id": "<group>"}),
    patch(
        "the group has another name",
        "/Groups/<group>",
        {"op": "replace", "value": {"id": "<group>", "displayName": "Test SCIMv0"}},
        status=204,
    ),
    patch(
        "somebody leaves, somebody comes",
        "/Groups/<group>",
        {"op": "remove", "path": 'members[value eq "<id>"]'},
        {"op": "add", "path": "members", "value": [{"value": "<id>", "display": "o"}]},
        status=204,
    ),
    patch(
        "just these",
        "/Groups/<group>",
        {"op": "replace", "path": "members", "value": [{"value": "<id>", "display": "o"}]},
        status=204,
    ),
    Row(
        note="who is in it?",
        path="/Groups/<group>",
        found={"displayName": "Test SCIMv0", "members.0.value": "<id>", "members.1": None},
    ),
    Row(note="no group any more", method="DELETE", path="/Groups/<group>", status=204),
)


async def test_okta_crud(idp):
    """Okta's ``SCIM 2.0 CRUD Test``, with the requests by which Okta does what it asks of Okta
    itself, and those of pushed groups from its reference.
    """
    await walk(idp, OKTA_CRUD)


ENTRA_NAME = "Test_User_00aa00aa-bb11-cc22-dd33-44ee44ee44ee"
ENTRA_USER = {
    "schemas": [USER, ENTERPRISE],
    "externalId": "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
    "userName": ENTRA_NAME,
    "active": True,
    "emails": [{"primary": True, "type": "work", "value": "first@testuser.example"}],
    "meta": {"resourceType": "User"},
    "name": {"formatted": "given family", "familyName": "family", "givenName": "given"},
    "roles": [],
}
ENTRA_GROUP = {
    "schemas": [GROUP, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
    "externalId": "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
    "displayName": "displayName",
    "meta": {"resourceType": "Group"},
}
EMPLOYEE = f"{ENTERPRISE}:employeeNumber"
ENTRA = (
    Row(note="credentials are tried", path='/Users?filter=userName eq "8d1b0b9a"'),
    Row(
        note="Get User by query, zero results",
        path='/Users?filter=userName eq "non-existent user"',
        found={"totalResults": 0, "Resources": [], "startIndex": 1},
    ),
    Row(
        note="Create User",
        method="POST",
        path="/Users",
        body=ENTRA_USER,
        status=201,
        found={name: ENTRA_USER[name] for name in ("externalId", "userName", "name", "active")},
        keep={"id": "id"},
    ),
    Row(note="Get User", path="/Users/<id>", found={"emails.0.value": "first@testuser.example"}),
    Row(note="Get User, not found", path="/Users/5171a35d82074e068ce2", status=404),
    Row(
        note="Get User by query",
        path=f'/Users?filter=userName eq "{ENTRA_NAME}"',
        found={"totalResults": 1, "Resources.0.id": "<id>"},
    ),
    Row(
        note="matched by the address",
        path='/Users?filter=emails[type eq "work"].value eq "first@testuser.example"',
        found={"totalResults": 1, "Resources.0.id": "<id>"},
    ),
    Row(
        note="matched by the directory's id",
        path='/Users?filter=externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"',
        found={"totalResults": 1},
    ),
    patch(
        "Update User, multi-valued properties",
        "/Users/<id>",
        {
            "op": "Replace",
            "path": 'emails[type eq "work"].value',
            "value": "second@testuser.example",
        },
        {"op": "Replace", "path": "name.familyName", "value": "updatedFamilyName"},
        found={
            "emails.0.value": "second@testuser.example",
            "name.familyName": "updatedFamilyName",
            "userName": ENTRA_NAME,
        },
    ),
    patch(
        "Update User, single-valued properties",
        "/Users/<id>",
        {"op": "Replace", "path": "userName", "value": "5b50642d@testuser.example"},
        found={
            "userName": "5b50642d@testuser.example",
            "emails.0.value": "second@testuser.example",
        },
    ),
    patch(
        "Disable User",
        "/Users/<id>",
        {"op": "Replace", "path": "active", "value": False},
        found={"active": False},
    ),
    patch(
        "enabled, without the flag",
        "/Users/<id>",
        {"op": "Replace", "path": "active", "value": "True"},
        found={"active": True},
    ),
    patch(
        "disabled, without the flag",
        "/Users/<id>",
        {"op": "Replace", "path": "active", "value": "False"},
        found={"active": False},
    ),
    patch(
        "enabled, with the flag",
        "/Users/<id>",
        {"op": "replace", "path": "active", "value": True},
        found={"active": True},
    ),
    patch(
        "a single-valued string, without the flag",
        "/Users/<id>",
        {"op": "Add", "path": "nickName", "value": "Babs"},
        found={"nickName": None, "id": "<id>"},
    ),
    patch(
        "a single-valued string that is kept, with the flag",
        "/Users/<id>",
        {"op": "add", "path": "displayName", "value": "Babs"},
        found={"displayName": "Babs"},
    ),
    patch(
        "several, without the flag",
        "/Users/<id>",
        {"op": "Replace", "path": "displayName", "value": "Pvlo"},
        {"op": "Replace", "path": 'emails[type eq "work"].value', "value": "third@test.example"},
        {"op": "Replace", "path": "name.givenName", "value": "Gtfd"},
        {"op": "Replace", "path": "name.familyName", "value": "Pkqf"},
        {"op": "Replace", "path": "externalId", "value": "Eqpj"},
        {"op": "Replace", "path": EMPLOYEE, "value": "Eqpj"},
        found={
            "displayName": "Pvlo",
            "emails.0.value": "third@test.example",
            "name.givenName": "Gtfd",
            "name.familyName": "Pkqf",
            "externalId": "Eqpj",
        },
    ),
    patch(
        "several, with the flag",
        "/Users/<id>",
        {"op": "replace", "path": 'emails[type eq "work"].value', "value": "fourth@test.example"},
        {
            "op": "replace",
            "value": {
                "displayName": "Bjfe",
                "name.givenName": "Kkom",
                "name.familyName": "Unua",
                EMPLOYEE: "Aklq",
            },
        },
        found={
            "displayName": "Bjfe",
            "emails.0.value": "fourth@test.example",
            "name.givenName": "Kkom",
            "name.familyName": "Unua",
        },
    ),
    Row(
        note="Create Group",
        method="POST",
        path="/Groups",
        body=ENTRA_GROUP,
        status=201,
        found={
            "externalId": ENTRA_GROUP["externalId"],
            "displayName": "displayName",
            "members": [],
        },
        keep={"id": "group"},
    ),
    Row(
        note="Get Group",
        path="/Groups/<group>?excludedAttributes=members",
        found={"id": "<group>", "displayName": "displayName", "members": None},
    ),
    Row(
        note="Get Group by displayName",
        path='/Groups?excludedAttributes=members&filter=displayName eq "displayName"',
        found={"totalResults": 1, "Resources.0.id": "<group>", "Resources.0.members": None},
    ),
    patch(
        "Update Group, non-member attributes",
        "/Groups/<group>",
        {"op": "Replace", "path": "displayName", "value": "1879db59-updatedDisplayName"},
        status=204,
    ),
    patch(
        "Update Group, add members",
        "/Groups/<group>",
        {"op": "Add", "path": "members", "value": [{"$ref": None, "value": "<id>"}]},
        status=204,
    ),
    Row(
        note="is it a member?",
        path='/Groups?excludedAttributes=members&filter=id eq "<group>" and members eq "<id>"',
        found={"totalResults": 1, "Resources.0.id": "<group>"},
    ),
    patch(
        "Update Group, remove members, without the flag",
        "/Groups/<group>",
        {"op": "Remove", "path": "members", "value": [{"$ref": None, "value": "<id>"}]},
        status=204,
    ),
    Row(
        note="is it still?",
        path='/Groups?excludedAttributes=members&filter=id eq "<group>" and members eq "<id>"',
        found={"totalResults": 0},
    ),
    patch(
        "added again, with the flag",
        "/Groups/<group>",
        {"op": "add", "path": "members", "value": [{"value": "<id>"}]},
        status=204,
    ),
    patch(
        "Update Group, remove members, with the flag",
        "/Groups/<group>",
        {"op": "remove", "path": 'members[value eq "<id>"]'},
        status=204,
    ),
    Row(note="it is empty", path="/Groups/<group>", found={"members": []}),
    Row(note="Delete Group", method="DELETE", path="/Groups/<group>", status=204),
    Row(note="Delete User", method="DELETE", path="/Users/<id>", status=204),
    Row(
        note="Discover schema",
        path="/Schemas",
        found={"schemas.0": LIST, "Resources.0.id": USER, "Resources.1.id": GROUP},
    ),
)


async def test_entra_samples(idp):
    """The requests that Microsoft's documentation shows of its provisioning service."""
    await walk(idp, ENTRA)


NOT_KEPT = {
    "title": "CJSGUNOAAMMQ",
    "preferredLanguage": "hi",
    "userType": "GZILLRZCFPNC",
    "nickName": "FOGSIQTKHIPG",
    "locale": "RJWNTUNNOHNZ",
    "timezone": "America/Guayaquil",
    "profileUrl": "BAPNQLJSRQGD",
}
ADDRESS = dict.fromkeys(
    ("formatted", "streetAddress", "locality", "region", "postalCode", "country"), "ZQEHBLETAAQE"
)
COMPANY = dict.fromkeys(
    ("employeeNumber", "department", "costCenter", "organization", "division"), "OXYYEGWVLTGW"
)
NAMES = {"givenName": "Elfrieda", "familyName": "Urban", "formatted": "Myah"}
TITLES = {"middleName": "Cindy", "honorificPrefix": "Minerva", "honorificSuffix": "Micaela"}
VALIDATOR_USER = {
    "userName": "julien.vonrueden@ondricka.example",
    "active": True,
    "displayName": "NDSQQTECVAAC",
    "emails": [{"type": "work", "value": "thaddeus@hammes.example", "primary": True}],
    "name": {**NAMES, **TITLES},
    "addresses": [{"type": "work", "primary": True, **ADDRESS}],
    "phoneNumbers": [
        {"type": "work", "value": "10-040-1308", "primary": True},
        {"type": "mobile", "value": "10-040-1308"},
        {"type": "fax", "value": "10-040-1308"},
    ],
    ENTERPRISE: {**COMPANY, "manager": {"value": "XYMKVVRYDIOO"}},
    # a text, as the Validator has it
    "roles": [{"primary": "True", "display": "MRON", "value": "WDEI", "type": "XVTU"}],
    "schemas": [USER, ENTERPRISE],
    **NOT_KEPT,
}
VALIDATOR_GROUP = {
    "displayName": "ZGHZBQHCAPZU",
    "externalId": "087af0b9-d1e1-480d-acb8-03ceaa8ea85b",
    "schemas": [GROUP],
}
WORK = 'emails[type eq "work"]'
MANAGER = f"{ENTERPRISE}:manager"
KINDS = ("work", "mobile", "fax")


def verbose(op, email):
    """Every attribute on its own, as the Validator changes them; some are kept."""
    yield {"op": op, "path": "active", "value": True}
    yield {"op": op, "path": "displayName", "value": "RJEXKNFYZKXS"}
    yield from ({"op": op, "path": name, "value": each} for name, each in NOT_KEPT.items())
    yield {"op": op, "path": f"{WORK}.value", "value": email}
    yield {"op": op, "path": f"{WORK}.primary", "value": True}
    for name, each in {**NAMES, **TITLES}.items():
        yield {"op": op, "path": f"name.{name}", "value": each}
    for name, each in ADDRESS.items():
        yield {"op": op, "path": f'addresses[type eq "work"].{name}', "value": each}
    yield {"op": op, "path": 'addresses[type eq "work"].primary', "value": True}
    for kind in KINDS:
        yield {"op": op, "path": f'phoneNumbers[type eq "{kind}"].value', "value": "56-357-7743"}
    for name, each in COMPANY.items():
        yield {"op": op, "path": f"{ENTERPRISE}:{name}", "value": each}
    for name in ("display", "value", "type"):
        yield {"op": op, "path": f'roles[primary eq "True"].{name}', "value": "TQBJFQYVJCAG"}


VALIDATOR = (
    Row(note="Discover schema", path="/Schemas", found={"totalResults": 2}),
    Row(
        note="Create a new User",
        method="POST",
        path="/Users",
        body=VALIDATOR_USER,
        status=201,
        found={"displayName": "NDSQQTECVAAC", "name": NAMES, "title": None, "roles": None},
        keep={"id": "id"},
    ),
    Row(note="and read", path="/Users/<id>", found={"emails.0.value": "thaddeus@hammes.example"}),
    Row(
        note="Create a duplicate User",
        method="POST",
        path="/Users",
        body=VALIDATOR_USER,
        status=409,
        found={"scimType": "uniqueness"},
    ),
    Row(
        note="Filter for an existing user",
        path='/Users?filter=userName+eq+"julien.vonrueden@ondricka.example"',
        found={"totalResults": 1, "Resources.0.id": "<id>"},
    ),
    Row(
        note="Filter for a non-existing user",
        path='/Users?filter=userName+eq+"nobody@ondricka.example"',
        found={"totalResults": 0},
    ),
    Row(
        note="Filter for an existing user with a different case",
        path='/Users?filter=userName+eq+"JULIEN.VONRUEDEN@ONDRICKA.EXAMPLE"',
        found={"totalResults": 1, "Resources.0.id": "<id>"},
    ),
    patch(
        "Patch User - Replace Attributes Verbose",
        "/Users/<id>",
        *verbose("replace", "lilian@millszboncak.example"),
        found={
            "emails.0": {"value": "lilian@millszboncak.example", "type": "work", "primary": True},
            "displayName": "RJEXKNFYZKXS",
            "name": NAMES,
        },
    ),
    patch(
        "Patch User - Replace Attributes",
        "/Users/<id>",
        {"op": "replace", "path": "emails[primary eq true].value", "value": "c@walsh.example"},
        {"op": "replace", "path": "phoneNumbers[primary eq true].value", "value": "1-836-2162"},
        {"op": "replace", "path": "addresses[primary eq true].country", "value": "Puerto Rico"},
        {
            "op": "replace",
            "value": {
                "externalId": "b4204d31",
                **{f"name.{name}": each for name, each in {**NAMES, **TITLES}.items()},
                "displayName": "EPUSKQJNVTUS",
                "active": True,
                **NOT_KEPT,
            },
        },
        found={
            "emails.0.value": "c@walsh.example",
            "externalId": "b4204d31",
            "displayName": "EPUSKQJNVTUS",
        },
    ),
    patch(
        "Update User userName",
        "/Users/<id>",
        {"op": "replace", "value": {"userName": "emilio@hermann.example"}},
        found={"userName": "emilio@hermann.example"},
    ),
    patch(
        "Patch User - Disable User",
        "/Users/<id>",
        {"op": "replace", "path": "active", "value": False},
        found={"active": False},
    ),
    Row(note="and read", path="/Users/<id>", found={"active": False}),
    Row(
        note="a User of a name alone",
        method="POST",
        path="/Users",
        body={"userName": "eleanore@boyercorwin.example", "schemas": [USER]},
        status=201,
        keep={"id": "bare"},
    ),
    patch(
        "Patch User - Add Attributes Verbose",
        "/Users/<bare>",
        *verbose("add", "eleanore@work.example"),
        found={
            "emails.0": {"value": "eleanore@work.example", "type": "work", "primary": True},
            "emails.1": None,
            "displayName": "RJEXKNFYZKXS",
            "name": NAMES,
        },
    ),
    patch("Patch User - Add Manager", "/Users/<id>", {"op": "add", "path": MANAGER, "value": {"value": "AXTK"}}),
    patch("the same as a text", "/Users/<id>", {"op": "add", "path": MANAGER, "value": "AXTK"}),
    patch("Patch User - Replace Manager", "/Users/<id>", {"op": "replace", "path": MANAGER, "value": {"value": "CBEQ"}}),
    patch("Patch User - Remove Manager", "/Users/<id>", {"op": "remove", "path": MANAGER}),
    patch("the same with an empty text", "/Users/<id>", {"op": "remove", "path": MANAGER, "value": ""}),
    patch(
        "Patch User - Multiple Ops on different attributes",
        "/Users/<id>",
        {"op": "remove", "path": "displayName"},
        {"op": "add", "path": "title", "value": "T"},
        {"op": "replace", "value": {"name.givenName": "Jerel"}},
        found={"displayName": None, "name.givenName": "Jerel"},
    ),
    patch(
        "Patch User - Multiple Ops on the same attribute",
        "/Users/<id>",
        {"op": "remove", "path": f"{WORK}.value"},
        {"op": "add", "path": f"{WORK}.value", "value": "once@work.example"},
        {"op": "replace", "path": f"{WORK}.value", "value": "twice@work.example"},
        found={"emails.0.value": "twice@work.example", "emails.1": None},
    ),
    Row(
        note="Create a new Group",
        method="POST",
        path="/Groups",
        body=VALIDATOR_GROUP,
        status=201,
        found={"displayName": "ZGHZBQHCAPZU", "members": []},
        keep={"id": "group"},
    ),
    Row(
        note="Create a duplicate Group",
        method="POST",
        path="/Groups",
        body=VALIDATOR_GROUP,
        status=409,
        found={"scimType": "uniqueness"},
    ),
    Row(
        note="Get group by id excluding members",
        path="/Groups/<group>?excludedAttributes=members",
        found={"id": "<group>", "members": None},
    ),
    Row(
        note="Filter for existing group excluding members",
        path='/Groups?excludedAttributes=members&filter=displayName+eq+"ZGHZBQHCAPZU"',
        found={"totalResults": 1, "Resources.0.members": None},
    ),
    Row(
        note="Filter for an existing group",
        path='/Groups?filter=displayName+eq+"ZGHZBQHCAPZU"',
        found={"totalResults": 1, "Resources.0.members": []},
    ),
    Row(
        note="Filter for a non-existing group",
        path='/Groups?filter=displayName+eq+"NONE"',
        found={"totalResults": 0},
    ),
    Row(
        note="Filter for an existing group with a different case",
        path='/Groups?filter=displayName+eq+"zghzbqhcapzu"',
        found={"totalResults": 1},
    ),
    patch(
        "Patch Group - Replace Attributes",
        "/Groups/<group>",
        {"op": "replace", "value": {"externalId": "c3b97a69"}},
        status=204,
    ),
    patch(
        "Update Group displayName",
        "/Groups/<group>",
        {"op": "replace", "value": {"displayName": "MSADPJJZWBUS"}},
        status=204,
    ),
    Row(
        note="and read",
        path="/Groups/<group>",
        found={"displayName": "MSADPJJZWBUS", "externalId": "c3b97a69"},
    ),
    patch(
        "Patch Group - Add Member",
        "/Groups/<group>",
        {"op": "add", "path": "members", "value": [{"value": "<bare>"}]},
        status=204,
    ),
    Row(note="and read", path="/Groups/<group>", found={"members.0.value": "<bare>"}),
    patch(
        "Patch Group - Remove Member",
        "/Groups/<group>",
        {"op": "remove", "path": 'members[value eq "<bare>"]'},
        status=204,
    ),
    patch(
        "Patch Group - Multiple Ops on the same attribute",
        "/Groups/<group>",
        {"op": "add", "path": "members", "value": [{"value": "<bare>"}]},
        {"op": "remove", "path": "members", "value": [{"value": "<bare>"}]},
        {"op": "add", "path": "members", "value": [{"value": "<id>"}]},
        status=204,
    ),
    Row(
        note="and read",
        path="/Groups/<group>",
        found={"members.0.value": "<id>", "members.1": None},
    ),
    Row(note="Delete a Group", method="DELETE", path="/Groups/<group>", status=204),
    Row(note="and read", path="/Groups/<group>", status=404),
    Row(note="Delete the same Group twice", method="DELETE", path="/Groups/<group>", status=404),
    Row(note="Delete a non-existent Group", method="DELETE", path="/Groups/d950a5ce", status=404),
    Row(note="Delete a User", method="DELETE", path="/Users/<id>", status=204),
    Row(note="and read", path="/Users/<id>", status=404),
    Row(note="Delete the same User twice", method="DELETE", path="/Users/<id>", status=404),
    Row(note="Delete a non-existent User", method="DELETE", path="/Users/d950a5ce", status=404),
)  # fmt: skip


async def test_entra_validator(idp):
    """The tests of Microsoft's SCIM Validator, those that count and those of its preview."""
    await walk(idp, VALIDATOR)


async def test_a_row_that_is_not_answered_so_is_found(idp):
    """These tests can fail."""
    wrong = Row(note="there", path="/Users", found={"totalResults": 7})
    with pytest.raises(AssertionError, match="totalResults"):
        await walk(idp, [wrong])
    with pytest.raises(AssertionError, match="there"):
        await walk(idp, [Row(note="there", path="/Users", found={"schemas": None})])
