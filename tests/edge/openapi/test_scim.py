"""SCIM's part of the description: what is served, with all its methods."""

import json

from trivium.console import app
from trivium.edge import openapi
from trivium.edge.openapi import scim


def test_it_describes_what_is_served():
    """Every path that is of use; of all others the interface itself says what they are."""
    described = {path: {method.upper() for method in item} for path, item in scim.paths().items()}
    served = {route.path for route in app.ENDPOINTS if route.path.startswith("/scim/")}
    told = {"/scim/v2/Bulk", "/scim/v2/Me", "/scim/v2/{id:path}"}
    assert served - told == described.keys()
    assert {"GET", "POST"} == described["/scim/v2/Users"]
    assert {"GET", "PUT", "PATCH", "DELETE"} == described["/scim/v2/Groups/{id}"]


def test_it_is_part_of_the_document():
    """With its own way to present a token, and its own errors."""
    document = json.loads(openapi.document())
    made = document["paths"]["/scim/v2/Users"]["post"]
    assert [{"scimBearer": []}] == made["security"]
    assert {"application/scim+json", "application/json"} == made["requestBody"]["content"].keys()
    assert "201" in made["responses"]
    assert "204" in document["paths"]["/scim/v2/Users/{id}"]["delete"]["responses"]
    assert "scimBearer" in document["components"]["securitySchemes"]
