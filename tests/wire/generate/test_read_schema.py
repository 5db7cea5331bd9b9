"""The vendor's schemas as JSON Schema."""

import json

import pytest

from trivium.faults import Fault, Kind
from trivium.wire.generate.read_schema import standard


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"type": "STRING"}, {"type": "string"}),
        ({"type": "string", "format": "enum", "enum": ["A", "B"]}, {"type": "string", "enum": ["A", "B"]}),
        ({"type": "TYPE_UNSPECIFIED"}, {}),
        ({"type": "STRING", "nullable": True}, {"type": ["string", "null"]}),
        (
            {"type": "STRING", "nullable": True, "enum": ["A"]},
            {"type": ["string", "null"], "enum": ["A", None]},
        ),
        (
            {"anyOf": [{"type": "STRING"}], "nullable": True},
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
        ),
        (
            {"any_of": [{"type": "STRING"}, {"type": "NUMBER"}]},
            {"anyOf": [{"type": "string"}, {"type": "number"}]},
        ),
        (
            {"type": "ARRAY", "min_items": "2", "maxItems": 3, "items": {"type": "INTEGER"}},
            {"type": "array", "minItems": 2, "maxItems": 3, "items": {"type": "integer"}},
        ),
        (
            {"type": "OBJECT", "properties": {"max_items": {"type": "STRING"}, "b": {"type": "STRING"}}, "propertyOrdering": ["b"]},
            {"type": "object", "properties": {"b": {"type": "string"}, "max_items": {"type": "string"}}},
        ),
        ({"example": {"snake_key": 1}, "default": {"a_b": 2}}, {"examples": [{"snake_key": 1}], "default": {"a_b": 2}}),
        ({"additionalProperties": {"type": "STRING"}}, {"additionalProperties": {"type": "string"}}),
        ({"additionalProperties": False}, {"additionalProperties": False}),
        ({"$defs": {"a_b": {"type": "STRING"}}, "$ref": "#/$defs/a_b"}, {"$defs": {"a_b": {"type": "string"}}, "$ref": "#/$defs/a_b"}),
        ({"description": None, "type": "STRING"}, {"type": "string"}),
    ],
)  # fmt: skip
def test_the_message_becomes_json_schema(given, found):
    """Upper-case types, text counters, nullable, both spellings; property names stay."""
    assert json.dumps(found) == json.dumps(json.loads(standard(json.dumps(given).encode(), "p")))


@pytest.mark.parametrize(
    ("given", "kind", "param"),
    [
        ({"properties": {"a": 5}}, Kind.INVALID_TYPE, "p.properties.a"),
        ({"items": []}, Kind.INVALID_TYPE, "p.items"),
        ({"minItems": 1, "min_items": 1}, Kind.DUPLICATE_MEMBER, "p.min_items"),
    ],
)
def test_what_is_no_schema_is_named(given, kind, param):
    """Bad input gets an error that says where."""
    with pytest.raises(Fault) as caught:
        standard(json.dumps(given).encode(), "p")
    assert (kind, param) == (caught.value.kind, caught.value.param)
