"""Which schemas OpenAI's strict mode takes."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.closed import is_closed

WORD = {"type": "string"}


def closed(**properties):
    """An object of which nothing may be left out."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "schema",
    [
        closed(),
        closed(a=WORD, b={"type": ["integer", "null"]}),
        closed(a={"type": "array", "items": closed(b=WORD)}),
        closed(a={"anyOf": [closed(b=WORD), {"type": "null"}]}),
        closed(a={"$ref": "#/$defs/x"}) | {"$defs": {"x": closed(b=WORD)}},
        closed(a={"type": "string", "enum": ["x"], "description": "d"}),
    ],
)
def test_objects_with_all_their_members_and_no_others_are_closed(schema):
    """However deep."""
    assert is_closed(msgspec.json.encode(schema))


OPEN = {"type": "object", "properties": {"a": WORD}, "additionalProperties": False}


@pytest.mark.parametrize(
    "schema",
    [
        OPEN,
        {"type": "object"},
        closed(a=WORD) | {"additionalProperties": True},
        closed(a=OPEN),
        closed(a={"type": "array", "items": OPEN}),
        closed(a={"anyOf": [OPEN]}),
        closed(a=WORD) | {"$defs": {"x": OPEN}},
        closed(a={"type": ["object", "null"]}),
        closed(a={"properties": {"b": WORD}}),
        closed(a={"type": "string", "default": "x"}),
        closed(a={"allOf": [WORD]}),
        closed(a=True),
        closed(a=WORD) | {"required": "a"},
        closed(a=WORD) | {"anyOf": 1},
        closed(a=WORD) | {"$defs": 1},
        {"type": "object", "properties": [], "additionalProperties": False},
        WORD,
        5,
    ],
)
def test_any_other_is_not(schema):
    """The vendor refuses the whole request for it."""
    assert not is_closed(msgspec.json.encode(schema))


@given(st.binary(max_size=40))
def test_nonsense_is_not_closed(data):
    """And breaks nothing."""
    assert not is_closed(data)


def test_a_schema_too_deep_to_read_is_not_closed():
    """Nobody's stack is spent on it."""
    assert not is_closed(b'{"type":"object","items":' + b'{"items":' * 5000 + b"1" + b"}" * 5001)
