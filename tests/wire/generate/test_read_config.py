"""``generationConfig`` as fields of a conversation."""

import pytest

from trivium.conversation.request import (
    Effort,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
    Thinking,
)
from trivium.faults import Kind

HI = [{"parts": [{"text": "hi"}]}]


def read(wires, **config):
    return wires.read({"contents": HI, "generationConfig": config})


@pytest.mark.parametrize(
    ("config", "field", "value"),
    [
        ({"temperature": 0}, "sampling", Sampling(temperature=0)),
        ({"topK": 40.0}, "sampling", Sampling(top_k=40)),
        ({"top_p": "0.5"}, "sampling", Sampling(top_p=0.5)),
        ({"maxOutputTokens": 0}, "output_max", None),
        ({"max_output_tokens": 9}, "output_max", 9),
        ({"candidateCount": 2}, "candidates", 2),
        ({"stopSequences": ["a", "b"]}, "stop", ("a", "b")),
        ({"responseLogprobs": True, "logprobs": 3}, "top_logprobs", 3),
        ({"responseModalities": ["text", "IMAGE"]}, "modalities", ("text", "image")),
        ({"speechConfig": {"voice_config": {}}}, "audio", b'{"voice_config": {}}'),
        ({"responseMimeType": "text/plain"}, "format", ResponseFormat(FormatKind.TEXT)),
        ({"responseMimeType": "application/json"}, "format", ResponseFormat(FormatKind.JSON)),
        ({"responseMimeType": "application/json", "responseJsonSchema": {"const": 1}}, "format", ResponseFormat(FormatKind.SCHEMA, b'{"const": 1}')),
        ({"responseMimeType": "text/x.enum", "responseSchema": {"type": "STRING", "enum": ["a"]}}, "format", ResponseFormat(FormatKind.ENUM, b'{"type":"string","enum":["a"]}')),
        ({}, "format", None),
        ({"thinkingConfig": {}}, "reasoning", None),
        ({"thinkingConfig": {"thinkingBudget": 0}}, "reasoning", ReasoningSettings(Thinking.OFF)),
        ({"thinkingConfig": {"thinkingBudget": -1}}, "reasoning", ReasoningSettings(Thinking.ADAPTIVE)),
        ({"thinkingConfig": {"thinkingBudget": 99}}, "reasoning", ReasoningSettings(budget=99)),
        ({"thinking_config": {"thinking_level": "low", "include_thoughts": False}}, "reasoning", ReasoningSettings(effort=Effort.LOW, shown=False)),
        ({"thinkingConfig": {"thinkingLevel": "THINKING_LEVEL_UNSPECIFIED", "thinkingBudget": 5}}, "reasoning", ReasoningSettings(budget=5)),
    ],
)  # fmt: skip
def test_every_member_has_its_field(wires, config, field, value):
    """Both spellings, numbers as text or floats."""
    assert value == getattr(read(wires, **config), field)


@pytest.mark.parametrize(
    ("config", "param"),
    [
        ({"temperature": 2.1}, ".temperature"),
        ({"topP": -0.1}, ".topP"),
        ({"candidateCount": 9}, ".candidateCount"),
        ({"maxOutputTokens": -1}, ".maxOutputTokens"),
        ({"presencePenalty": 3}, ".presencePenalty"),
        ({"logprobs": 21}, ".logprobs"),
        ({"stopSequences": list("abcdef")}, ".stopSequences"),
        ({"responseModalities": ["SMELL"]}, ".responseModalities[0]"),
        ({"responseMimeType": "text/html"}, ".responseMimeType"),
        ({"responseSchema": {"type": "OBJECT"}}, ".responseMimeType"),
        ({"responseMimeType": "application/json", "responseSchema": {}, "responseJsonSchema": {}}, ""),
        ({"thinkingConfig": {"thinkingBudget": 5, "thinkingLevel": "LOW"}}, ".thinkingConfig"),
        ({"thinkingConfig": {"thinkingLevel": "EXTREME"}}, ".thinkingConfig.thinkingLevel"),
        ({"thinkingConfig": {"thinkingBudget": -2}}, ".thinkingConfig.thinkingBudget"),
    ],
)  # fmt: skip
def test_what_is_out_of_range_is_named(wires, config, param):
    """The vendor's limits, with what would be right."""
    fault = wires.refused({"contents": HI, "generation_config": config})
    assert (Kind.INVALID_VALUE, f"generation_config{param}") == (fault.kind, fault.param)
