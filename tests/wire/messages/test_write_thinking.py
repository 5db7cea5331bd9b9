"""Thinking, effort and sampling: combinations known to fail are never sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import Reasoning, Text
from trivium.conversation.request import Effort, ReasoningSettings, Sampling, Thinking
from trivium.conversation.target import Thinks
from trivium.conversation.tools import ChoiceMode, FunctionTool, ToolChoice

HI = (Turn(Role.USER, (Text("Hi"),)),)
TOOL = FunctionTool("f", parameters=b'{"type":"object"}')
OWN = Reasoning(
    "Hm", opaque=(Opaque("signature", b"s", StateOrigin("messages", "anthropic", "main")),)
)


def told(report):
    """Members that a report names."""
    return {drop.member for drop in report.drops}


@pytest.mark.parametrize(
    ("wanted", "thinking", "effort", "lost"),
    [
        (None, None, None, False),
        (ReasoningSettings(effort=Effort.NONE), {"type": "disabled"}, None, False),
        (ReasoningSettings(effort=Effort.MINIMAL), {"type": "adaptive"}, "low", True),
        (ReasoningSettings(effort=Effort.HIGH), {"type": "adaptive"}, "high", False),
        (ReasoningSettings(Thinking.ADAPTIVE), {"type": "adaptive"}, None, False),
        (ReasoningSettings(Thinking.ON, budget=9000), {"type": "adaptive"}, "medium", True),
        (ReasoningSettings(Thinking.ON, budget=8192), {"type": "adaptive"}, "medium", False),
        (ReasoningSettings(Thinking.BETWEEN_TOOLS), {"type": "between_tools"}, None, False),
        (
            ReasoningSettings(effort=Effort.LOW, shown=True),
            {"type": "adaptive", "display": "summarized"},
            "low",
            False,
        ),
        (
            ReasoningSettings(Thinking.ADAPTIVE, shown=False),
            {"type": "adaptive", "display": "omitted"},
            None,
            False,
        ),
    ],
)
def test_models_that_decide_themselves_get_an_effort(wires, wanted, thinking, effort, lost):
    """The nearest step; nothing where nothing was said."""
    body, report = wires.write(wires.request(turns=HI, reasoning=wanted))
    assert (thinking, effort) == (
        body.get("thinking"),
        body.get("output_config", {}).get("effort"),
    )
    assert lost is bool(report.drops)


@pytest.mark.parametrize(
    ("wanted", "limit", "budget", "output"),
    [
        (ReasoningSettings(effort=Effort.LOW), None, 2048, 8192),
        (ReasoningSettings(effort=Effort.HIGH), None, 16384, 16384 + 8192),
        (ReasoningSettings(effort=Effort.HIGH), 4000, 2000, 4000),
        (ReasoningSettings(Thinking.ON, budget=3000), 20_000, 3000, 20_000),
        (ReasoningSettings(effort=Effort.LOW), 1024, None, 1024),
        (ReasoningSettings(Thinking.OFF), 4000, None, 4000),
    ],
)
def test_trap_28_a_budget_stays_below_the_limit(wires, wanted, limit, budget, output):
    """The caller's own limit stands and the budget gives way; our default is raised."""
    body, _ = wires.write(
        wires.request(turns=HI, reasoning=wanted, output_max=limit), thinks=Thinks.BUDGET
    )
    assert (budget, output) == (body.get("thinking", {}).get("budget_tokens"), body["max_tokens"])


@pytest.mark.parametrize(
    ("wanted", "limit", "told"),
    [
        (ReasoningSettings(effort=Effort.HIGH), 4000, True),
        (ReasoningSettings(effort=Effort.HIGH), 40_000, False),
        (ReasoningSettings(effort=Effort.HIGH), None, False),
        (ReasoningSettings(Thinking.ON, budget=9000), 4000, True),
        (ReasoningSettings(Thinking.ON), 4000, False),
    ],
)
def test_a_budget_that_gives_way_is_told(wires, wanted, limit, told):
    """Whoever asked for much gets less, in steps as in tokens; who asked for nothing loses none."""
    _, report = wires.write(
        wires.request(turns=HI, reasoning=wanted, output_max=limit), thinks=Thinks.BUDGET
    )
    assert told is any("below the output limit" in drop.reason for drop in report.drops)


@given(
    effort=st.sampled_from(Effort),
    limit=st.none() | st.integers(1, 70_000),
    default=st.none() | st.integers(1, 70_000),
    cap=st.none() | st.integers(2048, 70_000),
)
def test_any_budget_is_one_the_vendor_takes(wires, effort, limit, default, cap):
    """1024 at least, less than the limit, whatever caller and profile say."""
    body, _ = wires.write(
        wires.request(turns=HI, reasoning=ReasoningSettings(effort=effort), output_max=limit),
        thinks=Thinks.BUDGET,
        output_default=default,
        output_cap=cap,
    )
    thinking = body.get("thinking", {"type": "disabled"})
    assert thinking["type"] == "disabled" or 1024 <= thinking["budget_tokens"] < body["max_tokens"]
    assert cap is None or body["max_tokens"] <= cap


def test_trap_27_an_unsigned_tool_loop_goes_on_without_thinking(wires):
    """The vendor refuses to think on behind another model's turn, or behind a prefill."""
    call, result = ToolCall("a", "f"), Turn(Role.USER, (ToolResult("a", (Text("A"),)),))
    wanted = ReasoningSettings(effort=Effort.LOW)

    def thinks(*turns):
        body, report = wires.write(
            wires.request(turns=(*HI, *turns), reasoning=wanted), thinks=Thinks.BUDGET
        )
        assert ("thinking" in body) is not ("reasoning_effort" in told(report))
        return "thinking" in body

    assert not thinks(Turn(Role.ASSISTANT, (call,)), result)
    assert thinks(Turn(Role.ASSISTANT, (OWN, call)), result)
    assert not thinks(Turn(Role.ASSISTANT, (Text("{"),)))
    assert thinks(Turn(Role.ASSISTANT, (Text("Ok"),)), *HI)


def test_trap_29_forced_calls_and_thinking_exclude_each_other(wires):
    """The choice is the caller's contract, thinking a hint: it gives way and is told of."""
    body, report = wires.write(
        wires.request(
            turns=HI,
            tools=(TOOL,),
            tool_choice=ToolChoice(ChoiceMode.REQUIRED),
            reasoning=ReasoningSettings(effort=Effort.LOW),
        ),
        thinks=Thinks.BUDGET,
    )
    assert ({"type": "any"}, False) == (body["tool_choice"], "thinking" in body)
    assert {"reasoning_effort"} == told(report)


@pytest.mark.parametrize(
    ("wanted", "thinking", "sent", "lost"),
    [
        (Sampling(temperature=0.5), False, {"temperature": 0.5}, set()),
        (Sampling(temperature=1.7), False, {"temperature": 1.0}, {"temperature"}),
        (Sampling(temperature=0.5, top_p=0.9), False, {"temperature": 0.5}, {"top_p"}),
        (Sampling(temperature=0.5, top_p=1), False, {"temperature": 0.5}, set()),
        (Sampling(top_p=0.9, top_k=5), False, {"top_p": 0.9, "top_k": 5}, set()),
        (Sampling(temperature=0.0), True, {}, {"temperature"}),
        (Sampling(temperature=1.0), True, {"temperature": 1.0}, set()),
        (Sampling(top_p=0.97, top_k=5), True, {"top_p": 0.97}, {"top_k"}),
        (Sampling(top_p=0.5), True, {}, {"top_p"}),
        (
            Sampling(seed=1, frequency_penalty=0.1, presence_penalty=0.1, logit_bias=b"{}"),
            False,
            {},
            {"seed", "frequency_penalty", "presence_penalty", "logit_bias"},
        ),
    ],
)
def test_trap_29_sampling_that_fails_is_dropped_and_told(wires, wanted, thinking, sent, lost):
    """No pair known to fail is sent; what is left out is named as the caller spelled it."""
    reasoning = ReasoningSettings(effort=Effort.LOW) if thinking else None
    body, report = wires.write(wires.request(turns=HI, sampling=wanted, reasoning=reasoning))
    found = {name: body[name] for name in ("temperature", "top_p", "top_k") if name in body}
    names = {"top_k": "Sampling.top_k"}
    assert (sent, {names.get(one, one) for one in lost}) == (found, told(report))


@pytest.mark.parametrize(
    ("facts", "wanted", "lost"),
    [
        ({"thinks": Thinks.NONE}, ReasoningSettings(effort=Effort.LOW), True),
        ({"thinks": Thinks.NONE}, ReasoningSettings(effort=Effort.NONE), False),
        ({"thinking_off": False}, ReasoningSettings(effort=Effort.NONE), True),
    ],
)
def test_a_wish_the_model_cannot_have_is_told_of(wires, facts, wanted, lost):
    """One that comes true anyway is not."""
    body, report = wires.write(wires.request(turns=HI, reasoning=wanted), **facts)
    assert ("thinking" in body, lost) == (False, bool(report.drops))
