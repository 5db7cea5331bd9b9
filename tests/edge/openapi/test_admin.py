"""The admin API's part of the description: what is served, what is taken, what is answered."""

import json

import msgspec
import pytest

from trivium.console import app
from trivium.console.api.admin.access import NewPassword
from trivium.console.api.admin.apps import AppChange
from trivium.console.api.admin.codes import NewBatch, TypedCode
from trivium.console.api.admin.credit import NewCredit
from trivium.console.api.admin.entries import Overdraft
from trivium.console.api.admin.invitations import NewInvitation
from trivium.console.api.admin.keys import KeyChange, NewKeyBody
from trivium.console.api.admin.tokens import NewAdminToken, TokenRotation
from trivium.console.api.admin.users import NewUser, UserChange
from trivium.edge import openapi
from trivium.edge.openapi import admin
from trivium.oauth.admin.routes import needed


def test_it_describes_what_is_served():
    """Every path with all its methods."""
    served = {
        route.path: route.methods - {"HEAD"}
        for route in app.ENDPOINTS
        if route.path.startswith("/api/admin")
    }
    described = {path: {method.upper() for method in item} for path, item in admin.paths().items()}
    assert served == described


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("AdminNewUser", NewUser),
        ("AdminUserChange", UserChange),
        ("AdminNewKey", NewKeyBody),
        ("AdminKeyChange", KeyChange),
        ("AdminNewCredit", NewCredit),
        ("AdminNewBatch", NewBatch),
        ("AdminTypedCode", TypedCode),
        ("AdminOverdraft", Overdraft),
        ("AdminNewPassword", NewPassword),
        ("AdminNewInvitation", NewInvitation),
        ("AdminAppChange", AppChange),
        ("AdminNewToken", NewAdminToken),
        ("AdminTokenRotation", TokenRotation),
    ],
)
def test_a_body_is_described_as_it_is_read(name, body):
    """The same members, the same of them required, and no others."""
    schema = json.loads(openapi.document())["components"]["schemas"][name]
    fields = msgspec.structs.fields(body)
    assert [field.name for field in fields] == list(schema["properties"])
    assert [field.name for field in fields if field.required] == schema.get("required", [])
    assert False is schema["additionalProperties"]


def test_every_path_names_its_parameters():
    """As many as it has braces."""
    for path, item in admin.paths().items():
        for operation in item.values():
            names = [each["$ref"].rpartition("/")[2] for each in operation.get("parameters", [])]
            placed = [name for name in names if admin.PARAMETERS[name]["in"] == "path"]
            assert path.count("{") == len(placed), path


def test_every_operation_names_its_scope():
    """As the table has it, for both kinds of machines; people's tokens have none."""
    for path, item in admin.paths().items():
        for method, operation in item.items():
            scope = needed(method.upper(), path)
            roles = [] if scope is None else [scope.value]
            wanted = [{"adminBearer": []}, {"adminMachine": roles}, {"adminWorkload": roles}]
            assert wanted == operation["security"]


def test_no_part_describes_what_another_does():
    """Neither components nor parameters: one would stand in the place of the other."""
    parts = [admin._OWN, *(part.SCHEMAS for part in admin._PARTS)]
    names = [name for part in parts for name in part if name[0].isupper()]
    assert len(names) == len(set(names))
    parts = [admin._PARAMETERS, *(part.PARAMETERS for part in admin._PARTS)]
    names = [name for part in parts for name in part]
    assert len(names) == len(set(names))
