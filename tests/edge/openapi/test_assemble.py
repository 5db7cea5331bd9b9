"""The document as a whole passes the rules of OpenAPI 3.1 that generators rely on."""

import json
import re

import pytest

from trivium.edge.openapi import assemble
from trivium.edge.openapi.paths import OPERATIONS

KINDS = {"array", "boolean", "integer", "null", "number", "object", "string"}


@pytest.fixture(scope="module")
def document():
    return json.loads(assemble.describe(None))


def schemas(node, key=None):
    """Every place of the document where a schema stands, found by the keys that hold schemas."""
    if isinstance(node, list):
        for value in node:
            yield from schemas(value, key)
        return
    if not isinstance(node, dict):
        return
    if key in ("schema", "items", "anyOf", "oneOf", "additionalProperties"):
        yield node
    for name, value in node.items():
        if name in ("properties", "schemas"):
            for part in value.values():
                yield part
                yield from schemas(part)
        else:
            yield from schemas(value, name)


def test_schemas_are_made_of_words_the_dialect_has(document):
    """A type is one of seven, bounds are in order, patterns compile, no old `nullable`."""
    seen = list(schemas(document))
    assert len(seen) > 500
    for schema in seen:
        kinds = schema.get("type", [])
        assert set([kinds] if isinstance(kinds, str) else kinds) <= KINDS
        assert "nullable" not in schema
        assert schema.get("minimum", 0) <= schema.get("maximum", float("inf"))
        assert schema.get("minItems", 0) <= schema.get("maxItems", float("inf"))
        re.compile(schema.get("pattern", ""))
        assert set(schema.get("required", [])) <= set(schema.get("properties", {}))


def test_every_operation_has_a_tag_that_is_explained(document):
    """Viewers group by tags."""
    explained = {tag["name"] for tag in document["tags"]}
    assert explained == {row.tag for row in OPERATIONS} | {"oauth", "admin"}


def test_no_path_is_written_twice():
    """Method and path identify an operation."""
    keys = [(row.method, row.path) for row in OPERATIONS]
    assert len(keys) == len(set(keys))


def test_the_array_form_of_a_stream_is_an_array(document):
    """Without `alt=sse` the pieces come as one JSON array."""
    path = "/vendorc/v1beta/models/{model}:streamGenerateContent"
    content = document["paths"][path]["post"]["responses"]["200"]["content"]
    piece = {"$ref": "#/components/schemas/GenerateContentResponse"}
    assert {"type": "array", "items": piece} == content["application/json"]["schema"]
    assert piece == content["text/event-stream"]["schema"]


def test_readiness_documents_its_failure(document):
    """503 says what is missing."""
    responses = document["paths"]["/readyz"]["get"]["responses"]
    assert {"200", "503"} == set(responses)


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/assets/{asset_id}", {"200", "206", "304", "403", "404", "416", "5XX"}),
        ("/v1/videos/{video_id}/content", {"200", "206", "416", "400", "401", "404"}),
    ],
)
def test_files_document_their_ranges(document, path, more):
    """Part of one, none of one that is known, and one that is elsewhere or over."""
    operation = document["paths"][path]["get"]
    assert more <= set(operation["responses"])
    names = {one["$ref"].rpartition("/")[2] for one in operation["parameters"]}
    assert "range" in names
    for status in ("206", "416"):
        assert "content-range" in operation["responses"][status]["headers"]


def test_an_asset_is_asked_for_with_its_signature_and_no_key(document):
    """The address is the key."""
    operation = document["paths"]["/assets/{asset_id}"]["get"]
    assert [] == operation["security"]
    names = {one["$ref"].rpartition("/")[2] for one in operation["parameters"]}
    assert {"asset_id", "exp", "sig"} <= names
    assert {"name": "sig", "in": "query", "required": True} == {
        name: document["components"]["parameters"]["sig"][name] for name in ("name", "in", "required")
    }  # fmt: skip
