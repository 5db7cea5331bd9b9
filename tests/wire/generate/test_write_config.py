"""``generationConfig`` for an upstream of the shape."""

import pytest

from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import Image, Inline, Text
from trivium.conversation.request import (
    Effort,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
    Thinking,
)
from trivium.conversation.target import Thinks
from trivium.faults import Fault

HI = (Turn(Role.USER, (Text(text="hi"),)),)
SCHEMA = b'{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}'


def write(wires, *, shape="chat", facts=None, **members):
    body, report = wires.write(
        wires.request(**{"turns": HI, "shape": shape, **members}), **(facts or {})
    )
    return body.get("generationConfig"), report


@pytest.mark.parametrize(
    ("members", "config"),
    [
        ({}, None),
        (
            {"sampling": Sampling(0.5, 0.9, 5, 0.2, 0.1, 7)},
            {"temperature": 0.5, "topP": 0.9, "topK": 5, "frequencyPenalty": 0.2, "presencePenalty": 0.1, "seed": 7},
        ),
        ({"output_max": 9, "candidates": 2, "stop": ("a", "b")}, {"maxOutputTokens": 9, "candidateCount": 2, "stopSequences": ["a", "b"]}),
        ({"logprobs": True, "top_logprobs": 3}, {"responseLogprobs": True, "logprobs": 3}),
        ({"logprobs": False}, None),
        ({"format": ResponseFormat(FormatKind.TEXT)}, None),
        ({"format": ResponseFormat(FormatKind.JSON)}, {"responseMimeType": "application/json"}),
        ({"modalities": ("text",)}, None),
        ({"modalities": ("text", "image")}, {"responseModalities": ["TEXT", "IMAGE"]}),
    ],
)  # fmt: skip
def test_every_field_has_its_member(wires, members, config):
    """camelCase, numbers as numbers; what is the rule anyway is not said."""
    assert config == write(wires, **members)[0]


def test_a_schema_passes_full_or_restricted(wires):
    """By what the model takes."""
    wanted = ResponseFormat(FormatKind.SCHEMA, SCHEMA, "r")
    full, _ = write(wires, format=wanted)
    assert False is full["responseJsonSchema"]["additionalProperties"]
    found, _ = write(wires, format=wanted, facts={"schema_full": False})
    assert {
        "responseMimeType": "application/json",
        "responseSchema": {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}},
    } == found
    with pytest.raises(Fault):
        write(wires, format=wanted, facts={"schema": False})


def test_one_word_of_several(wires):
    """The shape's own kind of answer."""
    wanted = ResponseFormat(FormatKind.ENUM, b'{"type":"string","enum":["a","b"]}')
    assert {
        "responseMimeType": "text/x.enum",
        "responseSchema": {"type": "STRING", "enum": ["a", "b"]},
    } == write(wires, format=wanted, shape="generate")[0]


@pytest.mark.parametrize(
    ("wanted", "config"),
    [
        (ReasoningSettings(effort=Effort.LOW), {"thinkingLevel": "LOW"}),
        (ReasoningSettings(effort=Effort.MAX), {"thinkingLevel": "HIGH"}),
        (ReasoningSettings(effort=Effort.NONE), {"thinkingLevel": "MINIMAL"}),
        (ReasoningSettings(switch=Thinking.OFF), {"thinkingLevel": "MINIMAL"}),
        (ReasoningSettings(budget=8192, shown=True), {"thinkingLevel": "MEDIUM", "includeThoughts": True}),
        (ReasoningSettings(switch=Thinking.ADAPTIVE), None),
        (ReasoningSettings(shown=False), {"includeThoughts": False}),
    ],
)  # fmt: skip
def test_levels(wires, wanted, config):
    """The nearest the model has."""
    found, _ = write(wires, reasoning=wanted)
    assert config == (found and found["thinkingConfig"])


@pytest.mark.parametrize(
    ("wanted", "facts", "members", "budget"),
    [
        (ReasoningSettings(effort=Effort.LOW), {}, {}, 2048),
        (ReasoningSettings(budget=99999), {"budget_max": 24576}, {}, 24576),
        (ReasoningSettings(switch=Thinking.OFF), {}, {}, 0),
        (
            ReasoningSettings(switch=Thinking.OFF),
            {"thinking_off": False, "budget_min": 128},
            {},
            128,
        ),
        (ReasoningSettings(switch=Thinking.ADAPTIVE), {}, {}, -1),
        (ReasoningSettings(budget=8192), {}, {"output_max": 4096}, 2048),
    ],
)
def test_budgets(wires, wanted, facts, members, budget):
    """Within the model's bounds and below the caller's limit."""
    found, _ = write(wires, reasoning=wanted, facts={"thinks": Thinks.BUDGET, **facts}, **members)
    assert budget == found["thinkingConfig"]["thinkingBudget"]


@pytest.mark.parametrize(
    ("off", "budget"), [(True, 0), (False, 128)], ids=["may-stop", "always-thinks"]
)
def test_a_limit_without_room_takes_the_budget_and_says_so(wires, off, budget):
    """A model that cannot stop thinking refuses 0."""
    facts = {"thinks": Thinks.BUDGET, "thinking_off": off, "budget_min": 128}
    wanted = ReasoningSettings(effort=Effort.HIGH)
    config, report = write(wires, facts=facts, reasoning=wanted, output_max=64)
    assert {"thinkingBudget": budget} == config["thinkingConfig"]
    assert [("reasoning_effort", "changed")] == [
        (drop.member, drop.act.value) for drop in report.drops
    ]


def test_level_and_budget_are_never_sent_together(wires):
    """The vendor refuses both."""
    for thinks in (Thinks.LEVEL, Thinks.BUDGET):
        wanted = ReasoningSettings(effort=Effort.LOW, budget=2048)
        found, _ = write(wires, reasoning=wanted, facts={"thinks": thinks})
        assert 1 == len(found["thinkingConfig"])


def test_a_model_that_does_not_think_is_told_nothing(wires):
    """The wish is reported."""
    found, report = write(
        wires, reasoning=ReasoningSettings(effort=Effort.HIGH), facts={"thinks": Thinks.NONE}
    )
    assert found is None
    assert ["reasoning_effort"] == [drop.member for drop in report.drops]


def test_a_changed_level_is_reported(wires):
    """Strict callers are refused."""
    _, report = write(wires, reasoning=ReasoningSettings(effort=Effort.MAX))
    assert ["reasoning_effort"] == [drop.member for drop in report.drops]


@pytest.mark.parametrize(
    ("details", "resolution"),
    [
        ([None, "auto"], None),
        (["low"], "MEDIA_RESOLUTION_LOW"),
        (["low", "high"], "MEDIA_RESOLUTION_HIGH"),
        (["original"], "MEDIA_RESOLUTION_HIGH"),
    ],
)
def test_detail_is_the_whole_requests(wires, details, resolution):
    """The finest that any picture wants."""
    parts = tuple(Image(source=Inline("image/png", "AAAA"), detail=detail) for detail in details)
    found, _ = write(wires, turns=(Turn(Role.USER, parts),))
    assert resolution == (found and found["mediaResolution"])


def test_voices_stay_in_their_family(wires):
    """Names and formats differ."""
    found, _ = write(wires, shape="generate", modalities=("audio",), audio=b'{"voiceConfig":{}}')
    assert {"responseModalities": ["AUDIO"], "speechConfig": {"voiceConfig": {}}} == found
    with pytest.raises(Fault):
        write(wires, modalities=("text", "audio"), audio=b'{"voice":"alloy"}')


def test_temperature_is_clamped_and_bias_reported(wires):
    """Hints."""
    found, report = write(
        wires,
        sampling=Sampling(temperature=1.8, logit_bias=b"{}"),
        facts={"temperature_max": 1.0},
    )
    assert {"temperature": 1.0} == found
    assert ["temperature", "logit_bias"] == [drop.member for drop in report.drops]


@pytest.mark.parametrize(
    ("seed", "kept"), [(2**31 - 1, True), (-(2**31), True), (2**31, False), (10**24, False)]
)
def test_a_seed_that_is_too_large_is_left_out_and_told(wires, seed, kept):
    """The vendor refuses more than 32 bits."""
    body, report = write(wires, sampling=Sampling(seed=seed))
    assert ({"seed": seed} if kept else None) == body
    assert ([] if kept else ["seed"]) == [drop.member for drop in report.drops]
