"""Thinking, effort and sampling for an upstream of the converse shape.

The shape itself has an effort, a limit, a temperature and ``topP``. All else is a member of the
model's own, under ``additionalModelRequestFields``: which, the model's profile says
(``conversation.target.OwnFields``). Combinations known to fail are never sent; the caller's
contract (forced calls, its own output limit) stands, the hint gives way and is reported.
Sources, read on 2026-11-28: botocore 1.44's model of the service; "Extended thinking" and "Adaptive
thinking" of Bedrock's user guide; "Using the Converse API" and "Extended thinking" of Nova 2's;
efforts of OpenAI's models, tried live: https://github.com/anomalyco/opencode/pull/48195.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.effort import (
    UNSAID,
    budget_of,
    effort_of,
    inexact,
    nearest,
    room,
    wished,
)
from trivium.conversation.member_table import Concept
from trivium.conversation.request import Conversation, Effort, ReasoningSettings, Thinking
from trivium.conversation.target import OwnFields, Thinks
from trivium.conversation.tools import ChoiceMode
from trivium.wire.converse.write_content import ConverseWriter
from trivium.wire.converse.write_media import BlockRow

THINKING: Final = "reasoningContent"
"""The kind of a block of reasoning."""
_FORCED: Final = frozenset({ChoiceMode.REQUIRED, ChoiceMode.NAMED})
_THINKS: Final = "not taken while the model thinks"
_TOP_P_MIN: Final = 0.95
"""Least ``topP`` while a Claude thinks."""


class SettledReasoning:
    """What is sent about thinking and sampling."""

    __slots__ = ("effort", "fields", "inference", "thinks")

    def __init__(self) -> None:
        self.inference: dict[str, Any] = {}
        """The ``inferenceConfig`` member."""
        self.fields: dict[str, Any] = {}
        """The ``additionalModelRequestFields`` member."""
        self.effort: str | None = None
        """``outputConfig.effort``."""
        self.thinks = False
        """Whether the model will think with a budget or adaptively."""


def settle(
    conversation: Conversation, messages: list[BlockRow], writing: ConverseWriter
) -> SettledReasoning:
    """Thinking, the output limit and sampling, fitted to each other and to the rest."""
    out = SettledReasoning()
    limit = conversation.output_max
    if limit is None:
        limit = writing.facts.output_default
    requested = conversation.reasoning
    if requested is not None:
        limit = _reason(requested, conversation, messages, writing, out, limit)
    if limit is not None:
        out.inference["maxTokens"] = limit
    _sampling(conversation, writing, out)
    return out


def _reason(
    requested: ReasoningSettings,
    conversation: Conversation,
    messages: list[BlockRow],
    writing: ConverseWriter,
    out: SettledReasoning,
    limit: int | None,
) -> int | None:
    """Settle thinking; the output limit that goes with it."""
    facts = writing.facts
    if wished(requested) is Effort.NONE:
        _off(writing, out)
        return limit
    if facts.thinks is Thinks.NONE:
        writing.lacks(Concept.REASONING, "this model does not think")
        return limit
    if requested.style is not None:
        writing.lacks(Concept.REASONING, "a summary has one length here")
    if facts.thinks is Thinks.BUDGET:
        if facts.own_fields is OwnFields.CLAUDE:
            return _budgeted(requested, conversation, messages, writing, out, limit)
        writing.lacks(Concept.REASONING, "this model has no member for a budget")
        return limit
    if facts.thinks is Thinks.ADAPTIVE and facts.own_fields is OwnFields.CLAUDE:
        if requested.switch is Thinking.BETWEEN_TOOLS:
            writing.changes(Concept.REASONING, "the model decides where it thinks")
        out.fields["thinking"] = _shown({"type": "adaptive"}, requested)
        out.thinks = True
    elif requested.shown is not None:
        writing.lacks(Concept.REASONING, "whether thinking is shown cannot be chosen here")
    step = _step(requested, writing)
    if step is not None:
        _effort(step, writing, out)
    return limit


def _off(writing: ConverseWriter, out: SettledReasoning) -> None:
    facts = writing.facts
    if facts.thinks is Thinks.NONE:
        return
    if not facts.thinking_off:
        writing.lacks(Concept.REASONING, "this model always thinks")
    elif facts.own_fields is OwnFields.CLAUDE:
        out.fields["thinking"] = {"type": "disabled"}
    elif facts.own_fields is OwnFields.NOVA:
        out.fields["reasoningConfig"] = {"type": "disabled"}
    elif facts.own_fields is OwnFields.GPT:
        out.fields["reasoning"] = {"effort": Effort.NONE.value}
    else:
        writing.lacks(Concept.REASONING, "the converse shape cannot switch it off")


def _budgeted(
    requested: ReasoningSettings,
    conversation: Conversation,
    messages: list[BlockRow],
    writing: ConverseWriter,
    out: SettledReasoning,
    limit: int | None,
) -> int | None:
    choice = conversation.tool_choice
    if choice is not None and choice.mode in _FORCED:
        writing.lacks(Concept.REASONING, "this model cannot think when it is made to call a tool")
        return limit
    if _is_unsigned(messages):
        writing.lacks(Concept.REASONING, "the turn it would go on with has no thinking of its own")
        return limit
    wanted = budget_of(requested, writing.facts)
    budget, fitting = room(wanted, conversation.output_max, writing.facts)
    if not budget:
        writing.lacks(Concept.REASONING, "the output limit leaves no room for thinking")
        return limit
    if budget != wanted and (requested.budget is not None or requested.effort is not None):
        writing.changes(Concept.REASONING, "must stay below the output limit")
    out.fields["thinking"] = _shown({"type": "enabled", "budget_tokens": budget}, requested)
    out.thinks = True
    return fitting


def _is_unsigned(messages: list[BlockRow]) -> bool:
    """Whether the model would go on with an assistant turn that does not begin with thinking.

    That is a prefill, or a tool loop whose thinking was another model's.
    """
    last = messages[-1]
    if last["role"] == "user":
        if len(messages) < 2 or not any("toolResult" in row for row in last["content"]):
            return False
        last = messages[-2]
    return last["role"] == "assistant" and THINKING not in last["content"][0]


def _shown(thinking: dict[str, Any], requested: ReasoningSettings) -> dict[str, Any]:
    if requested.shown is not None:
        thinking["display"] = "summarized" if requested.shown else "omitted"
    return thinking


def _step(requested: ReasoningSettings, writing: ConverseWriter) -> Effort | None:
    """The step of effort that is sent; ``None``: nothing is said of one."""
    step = wished(requested)
    if step is None:
        if requested.switch is None or writing.facts.thinks is Thinks.ADAPTIVE:
            return None
        step = effort_of(UNSAID)
    found = nearest(step, writing.facts.efforts)
    if found is None:
        writing.lacks(Concept.REASONING, "this model has no steps")
    elif found is not step or inexact(requested):
        writing.changes(Concept.REASONING, "the nearest step this model has")
    return found


def _effort(step: Effort, writing: ConverseWriter, out: SettledReasoning) -> None:
    own = writing.facts.own_fields
    if own is OwnFields.NOVA:
        out.fields["reasoningConfig"] = {"type": "enabled", "maxReasoningEffort": step.value}
    elif own is OwnFields.GPT:
        out.fields["reasoning"] = {"effort": step.value}
    elif own is OwnFields.GPT_OSS:
        out.fields["reasoning_effort"] = step.value
    else:
        out.effort = step.value


def _sampling(conversation: Conversation, writing: ConverseWriter, out: SettledReasoning) -> None:
    """The sampling members that this model takes together."""
    requested = conversation.sampling
    if requested.temperature is not None:
        _temperature(requested.temperature, writing, out)
    if requested.top_p is not None:
        _top_p(requested.top_p, writing, out)
    if requested.top_k is not None:
        _top_k(requested.top_k, writing, out)
    for concept, value in (
        (Concept.FREQUENCY_PENALTY, requested.frequency_penalty),
        (Concept.PRESENCE_PENALTY, requested.presence_penalty),
        (Concept.SEED, requested.seed),
        (Concept.LOGIT_BIAS, requested.logit_bias),
    ):
        if value is not None:
            writing.lacks(concept, "the converse shape has no such member")


def _temperature(wanted: Any, writing: ConverseWriter, out: SettledReasoning) -> None:
    """``wanted`` is a number; an integer stays one."""
    most = min(writing.facts.temperature_max, 1.0)
    if wanted > most:
        writing.changes(Concept.TEMPERATURE, f"at most {most:g}")
        wanted = most
    if out.thinks and wanted != 1:
        writing.lacks(Concept.TEMPERATURE, _THINKS)
    else:
        out.inference["temperature"] = wanted


def _top_p(wanted: Any, writing: ConverseWriter, out: SettledReasoning) -> None:
    if out.thinks and wanted < _TOP_P_MIN:
        writing.lacks(Concept.TOP_P, _THINKS)
    elif "temperature" in out.inference and not writing.facts.temperature_with_top_p:
        if wanted != 1:  # which leaves nothing out
            writing.lacks(Concept.TOP_P, "not taken together with temperature")
    else:
        out.inference["topP"] = wanted


def _top_k(top_k: int, writing: ConverseWriter, out: SettledReasoning) -> None:
    own = writing.facts.own_fields
    if out.thinks:
        writing.lacks(Concept.TOP_K, _THINKS)
    elif own is OwnFields.CLAUDE:
        out.fields["top_k"] = top_k
    elif own is OwnFields.NOVA:
        out.fields["inferenceConfig"] = {"topK": top_k}
    else:
        writing.lacks(Concept.TOP_K, "the converse shape has no such member")


def merged(fields: dict[str, Any], own: bytes) -> dict[str, Any]:
    """The model's own members as a caller of this shape wrote them, and those that are settled."""
    try:
        said: dict[str, Any] = msgspec.json.decode(own, type=dict[str, msgspec.Raw])
    except (ValueError, RecursionError):
        return fields
    return {**said, **fields}
