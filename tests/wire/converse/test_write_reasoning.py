"""Thinking, effort and sampling: the shape's own members, and the model's."""

import pytest

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import Text
from trivium.conversation.request import Effort, ReasoningSettings, Sampling, Thinking
from trivium.conversation.tools import ChoiceMode, FunctionTool, ToolChoice
from trivium.wire.converse.write_reasoning import merged

BUDGET = {"own_fields": "claude", "thinks": "budget"}
ADAPTIVE = {
    "own_fields": "claude",
    "thinks": "adaptive",
    "efforts": ["low", "medium", "high", "max"],
}
NOVA = {"own_fields": "nova", "thinks": "effort", "efforts": ["low", "medium", "high"]}
GPT = {
    "own_fields": "gpt",
    "thinks": "effort",
    "efforts": ["none", "low", "medium", "high", "xhigh"],
}
OSS = {
    "own_fields": "gpt-oss",
    "thinks": "effort",
    "efforts": ["low", "medium", "high"],
    "thinking_off": False,
}
PLAIN = {"thinks": "effort", "efforts": ["low", "medium", "high"]}
ON = ReasoningSettings(switch=Thinking.ON, budget=4096)
HIGH = ReasoningSettings(effort=Effort.HIGH)
OFF = ReasoningSettings(switch=Thinking.OFF)
F = FunctionTool("f")


def settled(converse, *turns, known=(), **members):
    """Own members, the shape's limit and effort, and what was dropped or changed."""
    body, report = converse.write(converse.request(*turns, **members), **dict(known))
    told = {(drop.member, drop.act.value) for drop in report.drops}
    return (
        body.get("additionalModelRequestFields"),
        body.get("inferenceConfig"),
        body.get("outputConfig"),
        told,
    )


@pytest.mark.parametrize(
    ("known", "wanted", "fields", "effort"),
    [
        (BUDGET, ON, {"thinking": {"type": "enabled", "budget_tokens": 4096}}, None),
        (BUDGET, HIGH, {"thinking": {"type": "enabled", "budget_tokens": 16384}}, None),
        (BUDGET, ReasoningSettings(budget=4096, shown=True), {"thinking": {"type": "enabled", "budget_tokens": 4096, "display": "summarized"}}, None),
        (BUDGET, OFF, {"thinking": {"type": "disabled"}}, None),
        (ADAPTIVE, HIGH, {"thinking": {"type": "adaptive"}}, {"effort": "high"}),
        (ADAPTIVE, ReasoningSettings(switch=Thinking.ADAPTIVE, shown=False), {"thinking": {"type": "adaptive", "display": "omitted"}}, None),
        (ADAPTIVE, OFF, {"thinking": {"type": "disabled"}}, None),
        (NOVA, HIGH, {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}}, None),
        (NOVA, OFF, {"reasoningConfig": {"type": "disabled"}}, None),
        (NOVA, ReasoningSettings(switch=Thinking.ADAPTIVE), {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "medium"}}, None),
        (GPT, ReasoningSettings(switch=Thinking.ON), {"reasoning": {"effort": "medium"}}, None),
        (GPT, HIGH, {"reasoning": {"effort": "high"}}, None),
        (GPT, OFF, {"reasoning": {"effort": "none"}}, None),
        (OSS, HIGH, {"reasoning_effort": "high"}, None),
        (PLAIN, HIGH, None, {"effort": "high"}),
        ({}, OFF, None, None),
        (BUDGET, None, None, None),
    ],
)  # fmt: skip
def test_a_wish_goes_where_the_model_has_it(converse, known, wanted, fields, effort):
    """Among its own members or the shape's, as its profile says; nothing is dropped."""
    assert (fields, None, effort, set()) == settled(converse, known=known, reasoning=wanted)


@pytest.mark.parametrize(
    ("known", "wanted", "act"),
    [
        ({}, HIGH, "dropped"),
        (OSS, OFF, "dropped"),
        (PLAIN, OFF, "dropped"),
        ({"thinks": "effort"}, HIGH, "dropped"),
        ({"thinks": "budget"}, HIGH, "dropped"),
        ({"thinks": "effort"}, ReasoningSettings(budget=4096), "dropped"),
        ({"thinks": "effort"}, ReasoningSettings(switch=Thinking.ON), "dropped"),
        (PLAIN, ReasoningSettings(effort=Effort.MAX), "changed"),
        (PLAIN, ReasoningSettings(budget=4096), "changed"),
        (PLAIN, ReasoningSettings(effort=Effort.HIGH, shown=True), "dropped"),
        (PLAIN, ReasoningSettings(effort=Effort.HIGH, style="detailed"), "dropped"),
        (ADAPTIVE, ReasoningSettings(switch=Thinking.BETWEEN_TOOLS), "changed"),
    ],
)
def test_what_the_model_cannot_do_is_told(converse, known, wanted, act):
    """Left out, or the nearest that it has."""
    assert {("reasoning_effort", act)} == settled(converse, known=known, reasoning=wanted)[3]


def test_a_budget_stays_below_the_limit(converse):
    """The caller's own limit stands; without room there is no thinking."""
    fields, inference, _, told = settled(converse, known=BUDGET, reasoning=ON, output_max=4000)
    assert ({"type": "enabled", "budget_tokens": 2000}, 4000) == (
        fields["thinking"],
        inference["maxTokens"],
    )
    assert {("reasoning_effort", "changed")} == told
    fields, inference, _, told = settled(converse, known=BUDGET, reasoning=ON, output_max=1000)
    assert (None, {"maxTokens": 1000}) == (fields, inference)
    assert {("reasoning_effort", "dropped")} == told
    known = {**BUDGET, "output_default": 4096}
    fields, inference, _, told = settled(converse, known=known, reasoning=HIGH)
    assert (16384, 16384 + 4096, set()) == (
        fields["thinking"]["budget_tokens"],
        inference["maxTokens"],
        told,
    )


def test_a_limit_is_sent_only_if_somebody_set_one(converse):
    """The shape demands none."""
    assert settled(converse)[1] is None
    assert {"maxTokens": 77} == settled(converse, known={"output_default": 77})[1]


def test_forced_calls_and_budgets_exclude_each_other(converse):
    """The caller's contract stands."""
    fields, _, _, told = settled(
        converse,
        known=BUDGET,
        reasoning=ON,
        tools=(F,),
        tool_choice=ToolChoice(ChoiceMode.REQUIRED),
    )
    assert (None, {("reasoning_effort", "dropped")}) == (fields, told)


def test_a_budget_needs_thinking_in_the_turn_that_goes_on(converse):
    """A tool loop that another model began, or a prefill, has none."""
    turns = (
        Turn(Role.USER, (Text("Hi"),)),
        Turn(Role.ASSISTANT, (ToolCall("a", "f"),)),
        Turn(Role.USER, (ToolResult("a", (Text("ok"),)),)),
    )
    for history in (turns, (turns[0], Turn(Role.ASSISTANT, (Text("So"),)))):
        fields, _, _, told = settled(converse, *history, known=BUDGET, reasoning=ON, tools=(F,))
        assert (None, {("reasoning_effort", "dropped")}) == (fields, told)


@pytest.mark.parametrize(
    ("known", "sampling", "inference", "told"),
    [
        ({}, Sampling(temperature=1.5), {"temperature": 1.0}, {("temperature", "changed")}),
        ({}, Sampling(temperature=0.5, top_p=0.5), {"temperature": 0.5, "topP": 0.5}, set()),
        (
            {"temperature_with_top_p": False},
            Sampling(temperature=0.5, top_p=0.5),
            {"temperature": 0.5},
            {("top_p", "dropped")},
        ),
        (
            {"temperature_with_top_p": False},
            Sampling(temperature=0.5, top_p=1.0),
            {"temperature": 0.5},
            set(),
        ),
        ({}, Sampling(seed=1), None, {("seed", "dropped")}),
        ({}, Sampling(frequency_penalty=1), None, {("frequency_penalty", "dropped")}),
        ({}, Sampling(presence_penalty=1), None, {("presence_penalty", "dropped")}),
        ({}, Sampling(logit_bias=b'{"1":2}'), None, {("logit_bias", "dropped")}),
        ({}, Sampling(frequency_penalty=0, presence_penalty=0, logit_bias=b"{}"), None, set()),
    ],
)
def test_sampling(converse, known, sampling, inference, told):
    """As far as the shape has it and the model takes it together."""
    _, found, _, lost = settled(converse, known=known, sampling=sampling)
    assert (inference, told) == (found, lost)


@pytest.mark.parametrize(
    ("own", "fields", "told"),
    [
        ("claude", {"top_k": 5}, set()),
        ("nova", {"inferenceConfig": {"topK": 5}}, set()),
        ("gpt", None, {("Sampling.top_k", "dropped")}),
        ("none", None, {("Sampling.top_k", "dropped")}),
    ],
)
def test_top_k_is_the_models_own(converse, own, fields, told):
    """Under the name that it has there."""
    found = settled(converse, known={"own_fields": own}, sampling=Sampling(top_k=5))
    assert (fields, told) == (found[0], found[3])


def test_sampling_while_a_model_thinks(converse):
    """What it refuses then is told."""
    _, inference, _, told = settled(
        converse,
        known=BUDGET,
        reasoning=ON,
        sampling=Sampling(temperature=0.5, top_p=0.5, top_k=5),
    )
    assert inference is None
    assert {("temperature", "dropped"), ("top_p", "dropped"), ("Sampling.top_k", "dropped")} == told
    _, inference, _, told = settled(
        converse, known=BUDGET, reasoning=ON, sampling=Sampling(temperature=1, top_p=0.97)
    )
    assert ({"temperature": 1, "topP": 0.97}, set()) == (inference, told)


def test_own_members_that_are_none_are_left(converse):
    """A caller's that cannot be read give way to those that are settled."""
    assert {"a": 1} == merged({"a": 1}, b"[]")
    assert {"a": 1} == merged({"a": 1}, b'{"a":2}')
