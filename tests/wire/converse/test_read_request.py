"""Whole requests of Converse callers."""

import json

import pytest

from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Rank
from trivium.conversation.parts import Text
from trivium.conversation.request import (
    Effort,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
    Thinking,
)
from trivium.faults import Kind

ASKS = [{"role": "user", "content": [{"text": "Hi"}]}]
SCHEMA = {"type": "object", "properties": {}}


def formatted(schema=None, **more):
    """An ``outputConfig`` with a schema."""
    inner = {"schema": json.dumps(SCHEMA) if schema is None else schema}
    return {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": inner | more}}}


def test_everything_in_its_place(caller):
    """What the shape has members for."""
    found = caller.read(
        {
            "messages": [
                *ASKS,
                {"role": "assistant", "content": [{"text": "Ho"}]},
                {"role": "system", "content": [{"text": "Be brief."}]},
            ],
            "system": [{"text": "Be kind."}],
            "inferenceConfig": {
                "maxTokens": 64,
                "temperature": 0.5,
                "topP": 0.9,
                "stopSequences": ["a", " "],
            },
            "outputConfig": {"effort": "high", **formatted(name="Town", description="A town.")},
            "requestMetadata": {"team": "x"},
            "serviceTier": {"type": "flex"},
        },
        stream=True,
    )
    assert ("converse", "m", True, True) == (
        found.shape,
        found.model,
        found.stream,
        found.usage_wanted,
    )
    assert (
        Turn(Role.USER, (Text("Hi"),)),
        Turn(Role.ASSISTANT, (Text("Ho"),)),
        Turn(Role.SYSTEM, (Text("Be brief."),)),
    ) == found.turns
    assert (Text("Be kind."),) == found.instructions
    assert (64, Sampling(0.5, 0.9), ("a", " ")) == (found.output_max, found.sampling, found.stop)
    schema = ResponseFormat(FormatKind.SCHEMA, json.dumps(SCHEMA).encode(), "Town", "A town.")
    assert schema == found.format
    assert ReasoningSettings(effort=Effort.HIGH) == found.reasoning
    assert ((("team", "x"),), "flex") == (found.metadata, found.service_tier)
    assert () == found.extensions


def test_effort_goes_with_the_models_own_thinking(caller):
    """Both are said of one thing."""
    found = caller.read(
        {
            "messages": ASKS,
            "outputConfig": {"effort": "low"},
            "additionalModelRequestFields": {"thinking": {"type": "adaptive"}},
        }
    )
    assert ReasoningSettings(Thinking.ADAPTIVE, Effort.LOW) == found.reasoning


def test_what_only_this_shape_has(caller):
    """Each with what its loss means; what asks for nothing is not told."""
    found = caller.read(
        {
            "messages": ASKS,
            "guardrailConfig": {"guardrailIdentifier": "g1", "guardrailVersion": "1"},
            "promptVariables": {"a": {"text": "b"}},
            "performanceConfig": {"latency": "optimized"},
            "serviceTier": {"type": "reserved"},
            "additionalModelResponseFieldPaths": ["/stop_sequence", "/other"],
        }
    )
    assert {
        "guardrailConfig": Rank.CONTRACT,
        "promptVariables": Rank.CONTRACT,
        "performanceConfig": Rank.HINT,
        "serviceTier": Rank.HINT,
        "additionalModelResponseFieldPaths": Rank.HINT,
    } == {one.member: one.rank for one in found.extensions}
    assert None is found.service_tier
    quiet = caller.read(
        {
            "messages": ASKS,
            "guardrailConfig": {},
            "performanceConfig": {"latency": "standard"},
            "additionalModelResponseFieldPaths": ["/stop_sequence"],
        }
    )
    assert () == quiet.extensions


def test_a_member_nobody_knows_is_a_hint(caller):
    """And null is absent."""
    found = caller.read({"messages": ASKS, "x_new": 1, "system": None}, checked=False)
    assert [("x_new", Rank.HINT)] == [(one.member, one.rank) for one in found.extensions]


TWICE = {
    "outputConfig": formatted(),
    "additionalModelRequestFields": {
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}
    },
}
BAD = [
    ({"messages": None}, "messages"),
    ({"messages": []}, "messages"),
    ({"messages": "Hi"}, "messages"),
    ({"messages": [{"content": []}]}, "messages.0.role"),
    ({"messages": [{"role": "tool", "content": []}]}, "messages.0.role"),
    ({"messages": [{"role": "user"}]}, "messages.0.content"),
    ({"messages": [{"role": "user", "content": "Hi"}]}, "messages.0.content"),
    ({"system": "be"}, "system"),
    ({"inferenceConfig": {"maxTokens": 0}}, "inferenceConfig.maxTokens"),
    ({"inferenceConfig": {"maxTokens": "a"}}, "inferenceConfig.maxTokens"),
    ({"inferenceConfig": {"temperature": 1.5}}, "inferenceConfig.temperature"),
    ({"inferenceConfig": {"topP": -1}}, "inferenceConfig.topP"),
    ({"inferenceConfig": {"stopSequences": ["a", ""]}}, "inferenceConfig.stopSequences.1"),
    ({"inferenceConfig": {"stopSequences": ["a"] * 2501}}, "inferenceConfig.stopSequences"),
    ({"outputConfig": {"effort": "odd"}}, "outputConfig.effort"),
    ({"outputConfig": {"textFormat": {}}}, "outputConfig.textFormat.type"),
    ({"outputConfig": {"textFormat": {"type": "odd"}}}, "outputConfig.textFormat.type"),
    (
        {"outputConfig": {"textFormat": {"type": "json_schema"}}},
        "outputConfig.textFormat.structure",
    ),
    (
        {"outputConfig": formatted("{")},
        "outputConfig.textFormat.structure.jsonSchema.schema",
    ),
    (
        {"outputConfig": formatted("[]")},
        "outputConfig.textFormat.structure.jsonSchema.schema",
    ),
    (
        {"outputConfig": formatted("")},
        "outputConfig.textFormat.structure.jsonSchema.schema",
    ),
    (TWICE, "outputConfig.textFormat"),
    ({"serviceTier": {}}, "serviceTier.type"),
    ({"performanceConfig": {"latency": "odd"}}, "performanceConfig.latency"),
    ({"requestMetadata": {"a": 1}}, "requestMetadata[...]"),
    ({"additionalModelResponseFieldPaths": [1]}, "additionalModelResponseFieldPaths.0"),
]


@pytest.mark.parametrize(("members", "place"), BAD)
def test_a_mistake_is_named(caller, members, place):
    """With its place, before anything else is said."""
    fault = caller.refused({"messages": ASKS} | members)
    assert place.replace("[...]", "") in (fault.param or "")
    assert fault.kind in (
        Kind.INVALID_VALUE,
        Kind.INVALID_TYPE,
        Kind.MISSING_MEMBER,
        Kind.MALFORMED_JSON,
    )
