"""What one family of models is asked for beside the shape's own members."""

import pytest

from trivium.conversation.losses import Rank
from trivium.conversation.request import Effort, FormatKind, ReasoningSettings, Thinking

ASKS = [{"role": "user", "content": [{"text": "Hi"}]}]
PATH = "additionalModelRequestFields"


def body(**fields):
    """A request with these fields."""
    return {"messages": ASKS, PATH: fields}


CLAUDE = {"type": "enabled", "budget_tokens": 2048}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"thinking": CLAUDE}, ReasoningSettings(Thinking.ON, None, 2048)),
        ({"reasoning_config": CLAUDE}, ReasoningSettings(Thinking.ON, None, 2048)),
        (
            {"thinking": {"type": "adaptive", "display": "omitted"}},
            ReasoningSettings(Thinking.ADAPTIVE, shown=False),
        ),
        ({"thinking": {"type": "disabled"}}, ReasoningSettings(Thinking.OFF)),
        ({"output_config": {"effort": "max"}}, ReasoningSettings(effort=Effort.MAX)),
        (
            {"output_config": {"effort": "low"}, "thinking": {"type": "adaptive"}},
            ReasoningSettings(Thinking.ADAPTIVE, Effort.LOW),
        ),
        (
            {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "medium"}},
            ReasoningSettings(effort=Effort.MEDIUM),
        ),
        ({"reasoningConfig": {"type": "enabled"}}, ReasoningSettings(Thinking.ADAPTIVE)),
        ({"reasoningConfig": {"type": "disabled"}}, ReasoningSettings(Thinking.OFF)),
        ({"reasoning_effort": "high"}, ReasoningSettings(effort=Effort.HIGH)),
        ({"reasoning": {"effort": "minimal"}}, ReasoningSettings(effort=Effort.MINIMAL)),
        ({"reasoning": {}}, None),
        ({}, None),
    ],
)
def test_reasoning_in_every_familys_words(caller, fields, expected):
    """One wish."""
    found = caller.read(body(**fields))
    assert expected == found.reasoning
    assert () == found.extensions


def test_top_k_in_two_spellings(caller):
    """Claude's and Nova's; what else Nova takes there is told."""
    assert 5 == caller.read(body(top_k=5)).sampling.top_k
    found = caller.read(body(inferenceConfig={"topK": 7, "odd": 1}))
    assert 7 == found.sampling.top_k
    assert [f"{PATH}.inferenceConfig.odd"] == [one.member for one in found.extensions]


def test_a_format(caller):
    """As Claude has it."""
    found = caller.read(
        body(output_config={"format": {"type": "json_schema", "schema": {"type": "object"}}})
    )
    assert (FormatKind.SCHEMA, b'{"type": "object"}') == (found.format.kind, found.format.schema)


def test_anything_else_is_kept_with_what_its_loss_means(caller):
    """Tools are a contract, a version is nobody's."""
    found = caller.read(
        body(
            tools=[{"type": "bash_20250124", "name": "bash"}],
            anthropic_beta=["a"],
            mystery=1,
            output_config={"task_budget": {"type": "tokens", "total": 9}},
        )
    )
    assert {
        f"{PATH}.tools": Rank.CONTRACT,
        f"{PATH}.anthropic_beta": Rank.BOOKKEEPING,
        f"{PATH}.mystery": Rank.HINT,
        f"{PATH}.output_config.task_budget": Rank.HINT,
    } == {one.member: one.rank for one in found.extensions}


BAD = [
    ({"thinking": {}}, "thinking.type"),
    ({"thinking": {"type": "odd"}}, "thinking.type"),
    ({"thinking": {"type": "enabled"}}, "thinking.budget_tokens"),
    ({"thinking": {"type": "enabled", "budget_tokens": 5}}, "thinking.budget_tokens"),
    ({"thinking": {"type": "adaptive", "display": "odd"}}, "thinking.display"),
    ({"reasoningConfig": {"type": "odd"}}, "reasoningConfig.type"),
    ({"reasoningConfig": {"maxReasoningEffort": "odd"}}, "reasoningConfig.maxReasoningEffort"),
    ({"reasoning_effort": "odd"}, "reasoning_effort"),
    ({"reasoning": {"effort": 5}}, "reasoning.effort"),
    ({"top_k": -1}, "top_k"),
    ({"top_k": "a"}, "top_k"),
    ({"output_config": {"effort": "odd"}}, "output_config.effort"),
    ({"output_config": {"format": {"type": "odd"}}}, "output_config.format.type"),
    ({"output_config": {"format": {"type": "json_schema"}}}, "output_config.format.schema"),
    (
        {"output_config": {"format": {"type": "json_schema", "schema": 1}}},
        "output_config.format.schema",
    ),
]


@pytest.mark.parametrize(("fields", "place"), BAD)
def test_a_mistake_is_named(caller, fields, place):
    """Below the member that it stands in."""
    assert f"{PATH}.{place}" == caller.refused(body(**fields)).param


def test_they_are_an_object(caller):
    """Or nothing is read of them."""
    assert PATH == caller.refused({"messages": ASKS, PATH: [1]}).param
