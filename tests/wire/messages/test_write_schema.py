"""Schemas within the subset of constrained answers."""

import json

import pytest

from trivium.wire.messages.write_schema import closed


@pytest.mark.parametrize(
    ("before", "after", "folded"),
    [
        (
            {"type": "object", "properties": {}},
            {"type": "object", "properties": {}, "additionalProperties": False},
            [],
        ),
        ({"type": "string", "format": "date"}, {"type": "string", "format": "date"}, []),
        (
            {"type": "string", "format": "color"},
            {"type": "string", "description": '{format: "color"}'},
            ["format"],
        ),
        (
            {"type": "string", "format": {}},
            {"type": "string", "description": "{format: {}}"},
            ["format"],
        ),
        (
            {"type": "integer", "description": "N.", "minimum": 1, "maximum": 3},
            {"type": "integer", "description": "N.\n\n{minimum: 1, maximum: 3}"},
            ["minimum", "maximum"],
        ),
        (
            {"type": "array", "minItems": 1, "items": {"type": "object"}},
            {
                "type": "array",
                "minItems": 1,
                "items": {"type": "object", "additionalProperties": False},
            },
            [],
        ),
        (
            {"type": "array", "minItems": 2},
            {"type": "array", "description": "{minItems: 2}"},
            ["minItems"],
        ),
        (
            {"oneOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
            {"anyOf": [{"type": "string", "description": "{maxLength: 3}"}, {"type": "null"}]},
            ["maxLength"],
        ),
        (
            {
                "$schema": "x",
                "$defs": {"minimum": {"type": ["object", "null"]}},
                "$ref": "#/$defs/minimum",
            },
            {
                "$defs": {"minimum": {"type": ["object", "null"], "additionalProperties": False}},
                "$ref": "#/$defs/minimum",
            },
            [],
        ),
        (
            {
                "type": "object",
                "properties": {"not": {"type": "string"}},
                "additionalProperties": {"type": "string"},
            },
            {
                "type": "object",
                "properties": {"not": {"type": "string"}},
                "description": '{additionalProperties: {"type":"string"}}',
                "additionalProperties": False,
            },
            ["additionalProperties"],
        ),
        (
            {"type": "object", "additionalProperties": True},
            {"type": "object", "additionalProperties": False},
            [],
        ),
        ({"enum": ["a"], "const": {"minimum": 1}}, {"enum": ["a"], "const": {"minimum": 1}}, []),
        (True, True, []),
    ],
)
def test_objects_are_closed_and_limits_become_words(before, after, folded):
    """Names of properties are no keywords; values are left alone."""
    told, words = closed(json.dumps(before).encode())
    assert (after, folded) == (json.loads(told), words)


def test_a_schema_that_needs_nothing_stays_byte_for_byte():
    """Its spelling is the caller's."""
    raw = b'{ "type" : "object", "additionalProperties" : false }'
    assert raw is closed(raw)[0]


def test_what_cannot_be_read_is_left_to_the_vendor():
    """Its words about it are better than ours."""
    assert (b'{"minimum":1e400}', []) == closed(b'{"minimum":1e400}')


def test_closing_twice_changes_nothing_more():
    """What came out is within the subset."""
    once, _ = closed(b'{"type":"object","properties":{"a":{"type":"number","minimum":1}}}')
    assert (once, []) == closed(once)
