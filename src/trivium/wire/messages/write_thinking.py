"""Thinking, effort and sampling for an upstream of the messages shape, which excludes a lot.

Combinations known to fail are never sent. The caller's contract (forced calls, its own output
limit) stands, the hint gives way and is reported.
Source: extended and adaptive thinking references, read on 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.effort import budget_of, inexact, nearest, room, wished
from trivium.conversation.member_table import Concept
from trivium.conversation.request import Conversation, Effort, ReasoningSettings, Thinking
from trivium.conversation.target import Thinks
from trivium.wire.messages.citations import SHAPE
from trivium.wire.messages.write_content import THINKING, ContentWriter
from trivium.wire.messages.write_tools import FORCED

OUTPUT_MAX: Final = 4096
"""Output limit where neither caller nor profile names one: every model of the shape takes it."""
_THINKS: Final = "not taken while the model thinks"
_TOP_P_MIN: Final = 0.95
"""Least ``top_p`` while thinking."""


class Settled:
    """What is sent about thinking, and the output limit that goes with it."""

    __slots__ = ("effort", "output_max", "thinking")

    def __init__(
        self, output_max: int, thinking: dict[str, Any] | None = None, effort: str | None = None
    ) -> None:
        self.output_max = output_max
        self.thinking = thinking
        self.effort = effort

    @property
    def thinks(self) -> bool:
        """Whether the model will think."""
        return self.thinking is not None and self.thinking["type"] in ("enabled", "adaptive")


def settle(
    conversation: Conversation, messages: list[dict[str, Any]], writing: ContentWriter
) -> Settled:
    """Thinking and the output limit, fitted to each other and to the rest."""
    facts, requested = writing.facts, conversation.reasoning
    limit = conversation.output_max
    if limit is not None and facts.output_cap is not None and limit > facts.output_cap:
        writing.rewords(Concept.OUTPUT_MAX, "above the model's own limit")
        limit = facts.output_cap
    default = facts.output_default or OUTPUT_MAX
    if facts.output_cap is not None:
        default = min(default, facts.output_cap)
    chosen = default if limit is None else limit
    if requested is None:
        return Settled(chosen)
    if wished(requested) is Effort.NONE:
        return Settled(chosen, _off(writing))
    if facts.thinks is Thinks.NONE:
        writing.lacks(Concept.REASONING, "this model does not think")
        return Settled(chosen)
    if facts.thinks is Thinks.BUDGET:
        return _budgeted(requested, conversation, messages, writing, limit, chosen)
    if requested.style is not None:
        writing.lacks(Concept.REASONING, "a summary has one length here")
    return Settled(chosen, _adaptive(requested, conversation.shape), _effort(requested, writing))


def _off(writing: ContentWriter) -> dict[str, Any] | None:
    if writing.facts.thinks is Thinks.NONE:
        return None
    if not writing.facts.thinking_off:
        writing.lacks(Concept.REASONING, "this model always thinks")
        return None
    return {"type": "disabled"}


def _budgeted(
    requested: ReasoningSettings,
    conversation: Conversation,
    messages: list[dict[str, Any]],
    writing: ContentWriter,
    limit: int | None,
    chosen: int,
) -> Settled:
    choice = conversation.tool_choice
    if choice is not None and choice.mode in FORCED:
        writing.lacks(Concept.REASONING, "this model cannot think when it is made to call a tool")
        return Settled(chosen)
    if _is_unsigned(messages):
        writing.lacks(Concept.REASONING, "the turn it would go on with has no thinking of its own")
        return Settled(chosen)
    wanted = budget_of(requested, writing.facts)
    facts = msgspec.structs.replace(writing.facts, output_default=chosen)
    budget, fitting = room(wanted, limit, facts)
    if not budget or fitting is None:
        writing.lacks(Concept.REASONING, "the output limit leaves no room for thinking")
        return Settled(chosen)
    if budget != wanted and (requested.budget is not None or requested.effort is not None):
        writing.changes(Concept.REASONING, "must stay below the output limit")
    return Settled(fitting, _shown({"type": "enabled", "budget_tokens": budget}, requested))


def _is_unsigned(messages: list[dict[str, Any]]) -> bool:
    """Whether the model would go on with an assistant turn that does not begin with thinking.

    That is a prefill, or a tool loop whose thinking was another model's.
    """
    last = messages[-1]
    if last["role"] == "user":
        if len(messages) < 2 or not any(row["type"] == "tool_result" for row in last["content"]):
            return False
        last = messages[-2]
    return last["role"] == "assistant" and last["content"][0]["type"] not in THINKING


def _adaptive(requested: ReasoningSettings, shape: str) -> dict[str, Any] | None:
    if requested.switch is Thinking.BETWEEN_TOOLS:
        return {"type": "between_tools"}
    if requested.switch is None and requested.shown is None and shape == SHAPE:
        # this shape's own callers say both, and effort alone is about the answer
        return None
    return _shown({"type": "adaptive"}, requested)


def _shown(thinking: dict[str, Any], requested: ReasoningSettings) -> dict[str, Any]:
    if requested.shown is not None:
        thinking["display"] = "summarized" if requested.shown else "omitted"
    return thinking


def _effort(requested: ReasoningSettings, writing: ContentWriter) -> str | None:
    step = wished(requested)
    if step is None:
        return None
    found = nearest(step, writing.facts.efforts)
    if found is None and requested.effort is None:
        return None  # thinking is switched on, and has no other steps
    if found is not step or inexact(requested):
        if found is None:
            writing.lacks(Concept.REASONING, "this model has no steps")
        else:
            writing.changes(Concept.REASONING, "the nearest step this model has")
    return None if found is None else found.value


def sampling(
    conversation: Conversation, settled: Settled, writing: ContentWriter
) -> dict[str, Any]:
    """The sampling members that this model takes together."""
    requested, facts = conversation.sampling, writing.facts
    out: dict[str, Any] = {}
    thinks = settled.thinks
    temperature: Any = requested.temperature  # an integer stays one
    top_p: Any = requested.top_p
    if temperature is not None:
        _temperature(temperature, out, writing, thinks=thinks)
    if top_p is not None:
        if thinks and top_p < _TOP_P_MIN:
            writing.lacks(Concept.TOP_P, _THINKS)
        elif "temperature" in out and not facts.temperature_with_top_p:
            if top_p != 1:  # which leaves nothing out
                writing.lacks(Concept.TOP_P, "not taken together with temperature")
        else:
            out["top_p"] = top_p
    if requested.top_k is not None:
        if thinks:
            writing.lacks(Concept.TOP_K, _THINKS)
        else:
            out["top_k"] = requested.top_k
    writing.lacks_sampling(requested, SHAPE)
    return out


def _temperature(wanted: Any, out: dict[str, Any], writing: ContentWriter, *, thinks: bool) -> None:
    most = writing.facts.temperature_max
    if wanted > most:
        writing.changes(Concept.TEMPERATURE, f"at most {most:g}")
        wanted = most
    if thinks and wanted != 1:
        writing.lacks(Concept.TEMPERATURE, _THINKS)
    else:
        out["temperature"] = wanted
