"""Which schemas OpenAI's strict mode takes."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.fit import fitted
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Report
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Text
from trivium.conversation.request import Conversation
from trivium.conversation.strict_schema import is_closed, named
from trivium.conversation.target import target
from trivium.conversation.tools import FunctionTool

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


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (b'{"type":"object"}', b'{"type":"object","properties":{}}'),
        (b"{}", b'{"type":"object","properties":{}}'),
        (
            b'{"type":"object","additionalProperties":false}',
            b'{"type":"object","additionalProperties":false,"properties":{}}',
        ),
    ],
)
def test_parameters_name_their_members_be_there_none(schema, expected):
    """OpenAI refuses the request for one tool that does not; it means the same."""
    assert expected == named(schema)


@pytest.mark.parametrize(
    "schema", [b'{"properties":{"a":{}}}', b'{"type":"string"}', b'{"anyOf":[]}', b"[]", b"{"]
)
def test_any_other_parameters_stay_as_they_are(schema):
    """Byte for byte."""
    assert schema == named(schema)


@pytest.mark.parametrize(
    ("caller", "upstream", "names"),
    [
        ("messages", "chat", True),
        ("generate", "responses", True),
        ("messages", "generate", False),
        ("chat", "responses", False),
    ],
)
def test_members_are_named_for_openai_where_its_own_rules_were_not_known(caller, upstream, names):
    """What a caller of its shapes writes is between the two."""
    tool = FunctionTool("f", parameters=b'{"type":"object"}')
    turns = (Turn(Role.USER, (Text("Go"),)),)
    asked = Conversation(shape=caller, model="m", turns=turns, tools=(tool,))
    report = Report("m", strict=True)
    (found,) = fitted(asked, target(StateOrigin(upstream, "p", "main"), "m"), report).tools
    assert names is (b"properties" in found.parameters)
    assert [] == report.drops
