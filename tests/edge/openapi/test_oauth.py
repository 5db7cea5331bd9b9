"""The OAuth service's part of the description: the specification's fields, and the routes served."""

import ast
import json
from pathlib import Path

import pytest

import trivium
from trivium.console import app
from trivium.edge import openapi
from trivium.edge.openapi import oauth


@pytest.fixture(scope="module")
def document():
    return json.loads(openapi.document())


def members(document, name):
    """Members of a schema."""
    return list(document["components"]["schemas"][name]["properties"])


def test_it_describes_what_is_served():
    """Every endpoint below `/api/oauth` and the metadata, with a method that it takes."""
    served = {
        route.path: route.methods
        for route in app.ENDPOINTS
        if route.path.startswith(("/api/oauth", "/.well-known/oauth"))
    }
    described = {
        path: {method.upper() for method in item} for path, item in oauth.paths(None, None).items()
    }
    assert set(served) == set(described)
    assert [] == [path for path, methods in described.items() if not methods <= served[path]]


def test_records_have_the_members_of_the_specification(document):
    """In its order; what is ours besides is named."""
    data = document["components"]["schemas"]["OAuthApp"]["properties"]["data"]
    assert ["success", "message", "data"] == members(document, "OAuthApp")
    assert [
        "id", "name", "client_id", "client_secret", "redirect_uri", "created_time",
    ] == list(data["properties"])  # fmt: skip
    assert [
        "access_token", "token_type", "expires_in", "refresh_token", "scope",
    ] == members(document, "OAuthTokens")  # fmt: skip
    assert [
        "id", "username", "email", "quota", "used_quota", "balance_formatted", "created_time",
        "status", "sub", "email_verified",
    ] == members(document, "OAuthUserinfo")  # fmt: skip
    assert ["topup_url"] == members(document, "OAuthTopup")


def test_the_authorization_request_has_the_parameters_of_the_specification(document):
    """And PKCE's."""
    parameters = document["components"]["parameters"]
    asked = [
        parameters[entry["$ref"].rpartition("/")[2]]
        for entry in document["paths"]["/api/oauth2/authorize"]["get"]["parameters"]
    ]
    assert [
        "client_id", "redirect_uri", "response_type", "scope", "state", "code_challenge",
        "code_challenge_method", "auto_authorize",
    ] == [each["name"] for each in asked]  # fmt: skip
    assert {"query"} == {each["in"] for each in asked}


def test_origins_are_named_where_they_differ():
    """A generated client asks the right host."""
    made = json.loads(
        openapi.document("https://g.example", "https://login.example/", "https://api.example")
    )["paths"]
    assert [{"url": "https://api.example"}] == made["/api/oauth_apps"]["servers"]
    assert [{"url": "https://login.example"}] == made["/api/oauth2/token"]["servers"]
    assert "servers" not in made["/v1/models"]


@pytest.mark.parametrize("path", oauth.paths(None, None))
def test_every_operation_says_what_stands_before_it(path):
    """On another host it is not found, the database may be away, and a body may be too large."""
    for operation in oauth.paths(None, None)[path].values():
        common = {"404", "5XX"} | ({"413", "415"} if "requestBody" in operation else set())
        assert common <= set(operation["responses"])


SOURCES = {
    "/api/oauth2/token": (
        "console/api/token.py",
        "oauth/tokens/request.py",
        "oauth/apps/service.py",
    ),
    "/api/oauth2/revoke": ("console/api/token.py", "oauth/apps/service.py"),
    "/api/oauth2/spend_key": (
        "console/api/token.py",
        *("oauth/spend/service.py", "oauth/apps/service.py"),
    ),
    "/api/oauth2/userinfo": (
        "console/api/account.py",
        "oauth/service.py",
        "oauth/tokens/service.py",
    ),
    "/api/oauth2/topup": ("console/api/account.py", "oauth/service.py", "oauth/tokens/service.py"),
    "/api/oauth_apps": ("console/api/apps.py",),
}
"""By path, the modules whose refusals it tells."""


def refusals(source):
    """Statuses that a module refuses with, by name: numbers of 4xx in its calls and tables."""
    tree = ast.parse((Path(trivium.__file__).parent / source).read_text())
    return {
        str(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and type(node.value) is int and 400 <= node.value < 500
    }


@pytest.mark.parametrize("path", SOURCES)
def test_every_refusal_is_described(path):
    """Whatever status its modules name."""
    (operation,) = oauth.paths(None, None)[path].values()
    told = set().union(*map(refusals, SOURCES[path]))
    assert told
    assert set() == told - set(operation["responses"])
