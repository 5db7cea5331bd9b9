"""Conversations as bodies."""

import pytest

from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Rank
from trivium.conversation.parts import Text
from trivium.conversation.request import (
    Conversation,
    Effort,
    Extension,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
    Thinking,
)
from trivium.conversation.target import Thinks
from trivium.conversation.tools import FunctionTool
from trivium.faults import Fault

TURNS = (Turn(Role.USER, (Text("hi"),)),)
SCHEMA = ResponseFormat(FormatKind.SCHEMA, b'{"type":"object"}')


def asked(**members):
    """A conversation of another shape."""
    return Conversation(**{"shape": "chat", "model": "m", "turns": TURNS} | members)


def test_every_member_of_its_own_comes_back(read, write):
    """Read and written again, nothing is lost and nothing added."""
    body = {
        "model": "command-a",
        "messages": [{"role": "user", "content": "hi"}],
        "safety_mode": "STRICT",
        "priority": 3,
        "max_tokens": 4096,
        "stop_sequences": ["END"],
        "temperature": 0.5,
        "seed": 7,
        "frequency_penalty": 0.25,
        "presence_penalty": 0.5,
        "k": 9,
        "p": 0.9,
        "logprobs": True,
        "thinking": {"type": "enabled", "token_budget": 2048},
        "stream": True,
    }
    found, report = write(read(body))
    assert found == body
    assert not report.drops
    found, _ = write(read(body | {"response_format": {"type": "json_object"}}))
    assert found["response_format"] == {"type": "json_object"}


@pytest.mark.parametrize(
    ("sampling", "name", "value", "member"),
    [
        (Sampling(temperature=2), "temperature", 1.0, "temperature"),
        (Sampling(top_p=1), "p", 0.99, "top_p"),
        (Sampling(top_k=900), "k", 500, "Sampling.top_k"),
        (Sampling(frequency_penalty=-2), "frequency_penalty", 0, "frequency_penalty"),
        (Sampling(presence_penalty=0.5), "presence_penalty", 0.5, None),
    ],
)
def test_sampling_within_its_bounds(write, sampling, name, value, member):
    """The nearest, and told."""
    body, report = write(asked(sampling=sampling))
    assert body[name] == value
    assert [drop.member for drop in report.drops] == [member] * (member is not None)


@pytest.mark.parametrize(
    ("wanted", "thinking"),
    [
        (ReasoningSettings(Thinking.OFF), {"type": "disabled"}),
        (ReasoningSettings(effort=Effort.NONE), {"type": "disabled"}),
        (ReasoningSettings(effort=Effort.LOW), {"type": "enabled", "token_budget": 2048}),
        (ReasoningSettings(Thinking.ADAPTIVE, shown=True), {"type": "enabled"}),
        (ReasoningSettings(Thinking.ON, budget=9), {"type": "enabled", "token_budget": 9}),
    ],
)
def test_thinking(write, wanted, thinking):
    """In tokens, or with none to be had."""
    body, report = write(asked(reasoning=wanted))
    assert body["thinking"] == thinking
    assert not report.drops


def test_thinking_that_has_no_room(write):
    """The output limit stands; a model that does not think is not asked to."""
    high = ReasoningSettings(effort=Effort.HIGH)
    body, report = write(asked(reasoning=high, output_max=100))
    assert (body["thinking"]["token_budget"], body["max_tokens"]) == (50, 100)
    assert [drop.member for drop in report.drops] == ["reasoning_effort"]
    body, report = write(asked(reasoning=high), thinks=Thinks.NONE)
    assert "thinking" not in body
    assert report.drops
    body, report = write(asked(reasoning=ReasoningSettings(Thinking.OFF)), thinks=Thinks.NONE)
    assert "thinking" not in body
    assert not report.drops
    _, report = write(asked(reasoning=ReasoningSettings(Thinking.OFF)), thinking_off=False)
    assert report.drops


def test_formats(write):
    """A schema is a contract, which it does not keep beside tools."""
    body, _ = write(asked(format=SCHEMA))
    assert body["response_format"] == {
        "type": "json_object",
        "json_schema": {"type": "object"},
    }
    with pytest.raises(Fault) as caught:
        write(asked(format=SCHEMA, tools=(FunctionTool("a"),)))
    assert caught.value.param == "response_format"
    with pytest.raises(Fault):
        write(asked(format=ResponseFormat(FormatKind.ENUM, b"{}")))


@pytest.mark.parametrize(
    "members",
    [{"candidates": 2}, {"top_logprobs": 3}, {"modalities": ("audio",)}],
)
def test_contracts_that_it_cannot_keep(write, members):
    """A 400 that names them."""
    with pytest.raises(Fault):
        write(asked(**members))


def test_everything_else_is_told(write):
    """Hints are dropped, bookkeeping is kept in our own record."""
    body, report = write(
        asked(
            verbosity="low",
            metadata=(("a", "b"),),
            user="u",
            safety_id="s",
            cache_key="c",
            store=True,
            service_tier="flex",
            sampling=Sampling(logit_bias=b'{"1":1}'),
            extensions=(Extension("prediction", b"{}", Rank.HINT),),
        )
    )
    assert set(body) == {"model", "messages"}
    assert {drop.member for drop in report.drops} == {
        "verbosity",
        "service_tier",
        "logit_bias",
        "prediction",
    }
    assert {"metadata", "user", "safety_identifier", "prompt_cache_key", "store"} == set(
        report.kept
    )
