"""JSON Schema as the vendor's restricted message."""

import contextlib
import json

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from trivium.faults import Fault
from trivium.wire.generate.read_schema import standard
from trivium.wire.generate.write_schema import restricted

S, STR = {"type": "string"}, {"type": "STRING"}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (S, STR),
        (True, {}),
        ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}),
        ({"type": ["string", "integer"]}, {"anyOf": [STR, {"type": "INTEGER"}]}),
        ({"anyOf": [S, {"type": "null"}]}, {"type": "STRING", "nullable": True}),
        ({"oneOf": [S, {"type": "number"}]}, {"anyOf": [STR, {"type": "NUMBER"}]}),
        ({"const": "a"}, {"type": "STRING", "enum": ["a"]}),
        ({"enum": ["a", None]}, {"type": "STRING", "nullable": True, "enum": ["a"]}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "INTEGER", "description": "one of: 1, 2"}),
        ({"type": "integer", "exclusiveMinimum": 0}, {"type": "INTEGER", "minimum": 1}),
        ({"type": "array"}, {"type": "ARRAY", "items": STR}),
        ({"items": {"type": "number"}}, {"type": "ARRAY", "items": {"type": "NUMBER"}}),
        ({"$schema": "x", "$id": "y", "$comment": "z", "type": "object", "additionalProperties": False}, {"type": "OBJECT"}),
        ({"type": "string", "default": "x", "examples": ["y"]}, STR),
        ({"type": "string", "format": "date-time"}, {"type": "STRING", "format": "date-time"}),
        (
            {"type": "object", "properties": {"a": S, "b": S}, "required": ["a", "gone"]},
            {"type": "OBJECT", "properties": {"a": STR, "b": STR}, "required": ["a"], "propertyOrdering": ["a", "b"]},
        ),
        ({"allOf": [{"type": "object", "properties": {"a": S}}, {"required": ["a"]}]}, {"type": "OBJECT", "properties": {"a": STR}, "required": ["a"]}),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "string", "description": "in"}}, "description": "out"}, {"type": "STRING", "description": "out"}),
    ],
)  # fmt: skip
def test_keywords_that_the_vendor_refuses_are_cleaned(given, found):
    """Trap 87: recursively, with references written out and a constant as an enum of one."""
    out, folded = restricted(json.dumps(given).encode())
    assert (found, frozenset()) == (json.loads(out), folded)


@pytest.mark.parametrize(
    ("given", "words", "folded"),
    [
        ({"type": "string", "format": "uuid"}, "format: uuid", "format"),
        ({"type": "number", "exclusiveMaximum": 1}, "exclusiveMaximum: 1", "exclusiveMaximum"),
        ({"type": "object", "patternProperties": {"^a": {}}}, 'patternProperties: {"^a":{}}', "patternProperties"),
        ({"type": "number", "multipleOf": 5}, "multipleOf: 5", "multipleOf"),
    ],
)  # fmt: skip
def test_a_constraint_without_a_keyword_becomes_words(given, words, folded):
    """The model still reads it, and the caller is told."""
    out, told = restricted(json.dumps({"description": "A.", **given}).encode())
    assert ("A.\n" + words, frozenset({folded})) == (json.loads(out)["description"], told)


def test_a_reference_to_itself_ends():
    """A tree is written out once; below that it is a bare object."""
    tree = {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"next": {"$ref": "#/$defs/node"}, "name": {"type": "string"}},
            }
        },
    }
    out, folded = restricted(json.dumps(tree).encode())
    assert {"type": "OBJECT"} == json.loads(out)["properties"]["next"]
    assert frozenset({"$ref"}) == folded


def test_a_reference_to_nowhere_is_an_object():
    """Nothing is fetched."""
    out, folded = restricted(b'{"$ref":"https://example.org/schema"}')
    assert ({"type": "OBJECT"}, frozenset({"$ref"})) == (json.loads(out), folded)


def test_a_tuple_of_items_is_any_of_them():
    """The message has no places in an array."""
    out, folded = restricted(
        b'{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}]}'
    )
    assert {"anyOf": [STR, {"type": "NUMBER"}]} == json.loads(out)["items"]
    assert frozenset({"prefixItems"}) == folded


@pytest.mark.parametrize(
    "given",
    [
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "array", "items": {"type": "integer"}, "minItems": 2}}, "required": ["a"]},
        {"anyOf": [{"type": "string"}, {"type": "number"}]},
        {"type": "string", "enum": ["a", "b"], "description": "x"},
    ],
)  # fmt: skip
def test_what_the_message_can_say_survives_the_round_trip(given):
    """Restricting and reading back is the identity on the subset."""
    out, _ = restricted(json.dumps(given).encode())
    assert given == json.loads(standard(out, "p"))


def test_references_that_double_at_every_step_end():
    """A small schema must not become a huge one."""
    rows = {
        f"a{at}": {"properties": {n: {"$ref": f"#/$defs/a{at + 1}"} for n in "xy"}}
        for at in range(40)
    }
    bomb = {"$ref": "#/$defs/a0", "$defs": {**rows, "a40": {"type": "string"}}}
    every = {
        "allOf": [{"$ref": "#/$defs/a0"}] * 2,
        "$defs": {f"a{at}": {"allOf": [{"$ref": f"#/$defs/a{at + 1}"}] * 2} for at in range(40)},
    }
    for schema in (bomb, every):
        out, folded = restricted(json.dumps(schema).encode())
        assert len(out) < 1_000_000
        assert "$ref" in folded


def test_a_reference_to_itself_through_all_of_ends():
    """As generators of schemas write inheritance."""
    tree = {
        "$ref": "#/$defs/n",
        "$defs": {"n": {"allOf": [{"properties": {"next": {"allOf": [{"$ref": "#/$defs/n"}]}}}]}},
    }
    out, folded = restricted(json.dumps(tree).encode())
    assert {"type": "OBJECT"} == json.loads(out)["properties"]["next"]
    assert frozenset({"$ref"}) == folded


@pytest.mark.parametrize("raw", [b"{", b'{"items":' * 700 + b"{}" + b"}" * 700])
def test_what_cannot_be_written_out_is_an_object(raw):
    """Broken, or nested too deeply."""
    out, folded = restricted(raw)
    assert folded
    assert b'{"type":"OBJECT"}' == out


KEYWORDS = [
    "type", "format", "nullable", "enum", "const", "items", "properties", "required", "anyOf",
    "allOf", "oneOf", "$ref", "$defs", "description", "minItems", "exclusiveMinimum", "prefixItems",
    "min_items", "example", "propertyOrdering",
]  # fmt: skip
LEAVES = st.sampled_from(
    [None, True, 5, 1.5, "string", "null", "#/$defs/a", "a", [], {}, ["a", None]]
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*KEYWORDS, "a"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@examples(schema=st.dictionaries(st.sampled_from(KEYWORDS), ANYTHING, max_size=5))
def test_any_json_is_taken(schema):
    """Callers send anything where a schema belongs; only a fault may come of it."""
    out, _ = restricted(json.dumps(schema).encode())
    assert isinstance(json.loads(out), dict)
    with contextlib.suppress(Fault):
        standard(json.dumps(schema).encode(), "p")


LONG = {"type": "string", "description": "d" * 100_000}
NAMES = [f"p{at}" for at in range(4000)]


@pytest.mark.parametrize(
    "given",
    [
        {"$defs": {"a": LONG}, "properties": {key: {"$ref": "#/$defs/a"} for key in NAMES}},
        {"$defs": {"a": {"type": "string", "enum": NAMES}}, "properties": {key: {"$ref": "#/$defs/a"} for key in NAMES}},
        {"$defs": {"a": {"title": NAMES}}, "properties": {key: {"$ref": "#/$defs/a"} for key in NAMES}},
        {"$defs": {"a": {"x": NAMES}}, "anyOf": [{"$ref": "#/$defs/a"}] * 4000},
        {"$defs": {"a": {"required": NAMES}}, "allOf": [{"$ref": "#/$defs/a"}] * 4000},
    ],
)  # fmt: skip
def test_references_make_no_bomb(given):
    """A few thousand of them to one long text would be hundreds of megabytes."""
    raw = json.dumps(given).encode()
    out, folded = restricted(raw)
    assert len(out) < 3 * len(raw) + 1_000_000
    assert {"$ref"} <= folded


def test_references_upon_references_end():
    """A chain of thousands is none that a tool has; it ends as one that leads back to itself."""
    chain = {f"d{at}": {"$ref": f"#/$defs/d{at + 1}"} for at in range(4000)}
    out, folded = restricted(json.dumps({"$defs": chain, "$ref": "#/$defs/d0"}).encode())
    assert ({"type": "OBJECT"}, {"$ref"}) == (json.loads(out), folded)
