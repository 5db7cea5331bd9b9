"""The tests of Microsoft's SCIM Validator.

Their names, order and bodies are those of published reports of its runs, read 2026-11-28:
``docs/SCIM_VALIDATION_GAP_ANALYSIS.md`` of github.com/pranems/SCIMServer and what it refers to.
"""

from console.api.scim.suite_rows import ENTERPRISE, GROUP, USER, Row, patch

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
