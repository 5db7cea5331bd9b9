"""The document as a whole passes the rules of OpenAPI 3.1 that generators rely on."""

import json
import re

import pytest

from trivium.edge.openapi import assemble
from trivium.edge.openapi.assemble import OPERATIONS, SHAPES
from trivium.wire.operation import PUBLIC_SHAPES, TABLE

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
    assert explained == {row.tag for row in OPERATIONS} | {"oauth", "admin", "scim"}


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


SPECIFIED = {
    "n": 1,
    "quality": "auto",
    "response_format": "url",
    "output_format": "png",
    "output_compression": 100,
    "stream": False,
    "partial_images": 0,
    "size": "auto",
    "moderation": "auto",
    "background": "auto",
    "style": "vivid",
}
"""Defaults of an image generation, as the specification has them."""


def test_members_have_the_defaults_the_specification_names(document):
    """A generated client shows what leaving one out means."""
    told = document["components"]["schemas"]
    members = told["CreateImageRequest"]["properties"]
    assert SPECIFIED == {name: one["default"] for name, one in members.items() if "default" in one}
    assert "json" == told["AudioResponseFormat"]["default"]
    speech = told["CreateSpeechRequest"]["properties"]
    assert ["mp3", 1, "audio"] == [
        speech[name]["default"] for name in ("response_format", "speed", "stream_format")
    ]
    asked = document["components"]["parameters"]
    assert [20, "desc", "video"] == [
        asked[name]["schema"]["default"] for name in ("limit", "order", "variant")
    ]


def test_every_default_is_among_the_values_its_schema_takes(document):
    """A word of the list, and a number within the bounds."""
    seen = [schema for schema in schemas(document) if "default" in schema]
    assert len(seen) > 20
    for schema in seen:
        value = schema["default"]
        words = [one["enum"] for one in (schema, *schema.get("anyOf", ())) if "enum" in one]
        assert not words or value in words[0]
        if isinstance(value, int):
            assert schema.get("minimum", value) <= value <= schema.get("maximum", value)


def test_operations_with_a_body_document_what_is_refused_of_it(document):
    """Too large, and of a type that is not taken; where there is none, neither."""
    for row in OPERATIONS:
        if row.keys:
            told = document["paths"][row.path][row.method.lower()]["responses"].keys()
            has_body = row.request is not None or row.form is not None
            assert has_body == ({"413", "415"} <= told), row.name


def test_no_schema_is_called_as_the_keyword_is(document):
    """Generated classes named `Response` hide their framework's own."""
    assert not {"Response", "Request", "Error", "Object"} & document["components"]["schemas"].keys()


def test_a_file_of_a_video_is_described_as_the_specification_has_it(document):
    """A film, a picture, or a text in JSON."""
    path = "/v1/videos/{video_id}/content"
    content = document["paths"][path]["get"]["responses"]["200"]["content"]
    assert {"video/mp4", "image/webp", "application/json"} == content.keys()
    assert {"type": "string"} == content["application/json"]["schema"]


def test_every_shape_says_what_it_is():
    """In a sentence, for the list of tags."""
    assert set(PUBLIC_SHAPES) == set(SHAPES)
    assert all(module.ABOUT.endswith(".") for module in SHAPES.values())


def test_every_row_of_a_shape_is_in_the_document_once():
    """Beside those that belong to no shape."""
    rows = [row for module in SHAPES.values() for row in module.OPERATIONS]
    assert rows == [row for row in rows if OPERATIONS.count(row) == 1]
    assert {"models", "gateway", "clouds"} == {row.tag for row in OPERATIONS if row not in rows}


def test_what_models_are_asked_for_has_the_tag_of_its_shape():
    """The tag decides how a key is presented."""
    told = {row.path: row.tag for row in OPERATIONS if row.method == "POST"}
    for spec in TABLE.values():
        assert {spec.shape.value} >= {told[path] for path in spec.paths}
