"""Okta's two collections, and the requests of its reference.

Sources, read 2026-11-28:
https://developer.okta.com/standards/SCIM/SCIMFiles/Okta-SCIM-20-SPEC-Test.json (of 2024-05-13),
https://developer.okta.com/standards/SCIM/SCIMFiles/Okta-SCIM-20-CRUD-Test.json,
https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20/
"""

from console.api.scim.suite_rows import GROUP, LIST, USER, Row, patch

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
            **dict.fromkeys(("itemsPerPage", "startIndex", "totalResults"), ...),
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
