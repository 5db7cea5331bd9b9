"""The requests that Microsoft shows of its provisioning service.

Sources, read 2026-11-28, below https://learn.microsoft.com/entra/identity/app-provisioning/:
use-scim-to-provision-users-and-groups, application-provisioning-config-problem-scim-compatibility
"""

from console.api.scim.suite_rows import ENTERPRISE, GROUP, LIST, USER, Row, patch

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
