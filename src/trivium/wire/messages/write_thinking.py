"""Thinking, effort and sampling for an upstream of the messages shape, which excludes a lot.

Combinations known to fail are never sent. The caller's contract (forced calls, its own output
limit) stands, the hint gives way and is reported.
Source: extended and adaptive thinking references, read on 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.effort import budget_of, inexact, nearest, room, wished
from trivium.conversation.honesty import Act, Rank
from trivium.conversation.members import Concept, lacking
from trivium.conversation.request import Conversation, Effort, ReasoningWish, Thinking
from trivium.conversation.target import Thinks
from trivium.wire.messages.citations import SHAPE
from trivium.wire.messages.write_blocks import THINKING, Writing
from trivium.wire.messages.write_tools import FORCED

OUTPUT_MAX: Final = 4096
"""Output limit where neither caller nor profile names one: every model of the shape takes it."""
_THINKS: Final = "not taken while the model thinks"
_ABSENT: Final = (
    ("frequency_penalty", Concept.FREQUENCY_PENALTY),
    ("presence_penalty", Concept.PRESENCE_PENALTY),
    ("seed", Concept.SEED),
    ("logit_bias", Concept.LOGIT_BIAS),
)
"""Sampling that the shape does not have."""
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


def settle(conversation: Conversation, messages: list[dict[str, Any]], writing: Writing) -> Settled:
    """Thinking and the output limit, fitted to each other and to the rest."""
    facts, wish = writing.facts, conversation.reasoning
    limit = conversation.output_max
    if limit is not None and facts.output_cap is not None and limit > facts.output_cap:
        writing.report.drop(
            Rank.HINT, _limit_member(conversation), "above the model's own limit", Act.CHANGED
        )
        limit = facts.output_cap
    default = facts.output_default or OUTPUT_MAX
    if facts.output_cap is not None:
        default = min(default, facts.output_cap)
    chosen = default if limit is None else limit
    if wish is None:
        return Settled(chosen)
    if wished(wish) is Effort.NONE:
        return Settled(chosen, _off(writing))
    if facts.thinks is Thinks.NONE:
        writing.lacks(Concept.REASONING, "this model does not think")
        return Settled(chosen)
    if facts.thinks is Thinks.BUDGET:
        return _budgeted(wish, conversation, messages, writing, limit, chosen)
    if wish.style is not None:
        writing.lacks(Concept.REASONING, "a summary has one length here")
    return Settled(chosen, _adaptive(wish, conversation.shape), _effort(wish, writing))


def _off(writing: Writing) -> dict[str, Any] | None:
    if writing.facts.thinks is Thinks.NONE:
        return None
    if not writing.facts.thinking_off:
        writing.lacks(Concept.REASONING, "this model always thinks")
        return None
    return {"type": "disabled"}


def _budgeted(
    wish: ReasoningWish,
    conversation: Conversation,
    messages: list[dict[str, Any]],
    writing: Writing,
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
    wanted = budget_of(wish, writing.facts)
    facts = msgspec.structs.replace(writing.facts, output_default=chosen)
    budget, fitting = room(wanted, limit, facts)
    if not budget or fitting is None:
        writing.lacks(Concept.REASONING, "the output limit leaves no room for thinking")
        return Settled(chosen)
    if budget != wanted and (wish.budget is not None or wish.effort is not None):
        lacking(
            writing.report,
            Concept.REASONING,
            writing.shape,
            "must stay below the output limit",
            act=Act.CHANGED,
        )
    return Settled(fitting, _shown({"type": "enabled", "budget_tokens": budget}, wish))


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


def _adaptive(wish: ReasoningWish, shape: str) -> dict[str, Any] | None:
    if wish.switch is Thinking.BETWEEN_TOOLS:
        return {"type": "between_tools"}
    if wish.switch is None and wish.shown is None and shape == SHAPE:
        # this shape's own callers say both, and effort alone is about the answer
        return None
    return _shown({"type": "adaptive"}, wish)


def _shown(thinking: dict[str, Any], wish: ReasoningWish) -> dict[str, Any]:
    if wish.shown is not None:
        thinking["display"] = "summarized" if wish.shown else "omitted"
    return thinking


def _effort(wish: ReasoningWish, writing: Writing) -> str | None:
    step = wished(wish)
    if step is None:
        return None
    found = nearest(step, writing.facts.efforts)
    if found is None and wish.effort is None:
        return None  # thinking is switched on, and has no other steps
    if found is not step or inexact(wish):
        lacking(
            writing.report,
            Concept.REASONING,
            writing.shape,
            "the nearest step this model has" if found else "this model has no steps",
            act=Act.CHANGED if found else Act.DROPPED,
        )
    return None if found is None else found.value


def sampling(conversation: Conversation, settled: Settled, writing: Writing) -> dict[str, Any]:
    """The sampling members that this model takes together."""
    wish, facts = conversation.sampling, writing.facts
    out: dict[str, Any] = {}
    thinks = settled.thinks
    temperature: Any = wish.temperature  # an integer stays one
    top_p: Any = wish.top_p
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
    if wish.top_k is not None:
        if thinks:
            writing.lacks(Concept.TOP_K, _THINKS)
        else:
            out["top_k"] = wish.top_k
    for name, concept in _ABSENT:
        if getattr(wish, name) is not None:
            writing.lacks(concept, "the messages shape has no such member")
    return out


def _temperature(wanted: Any, out: dict[str, Any], writing: Writing, *, thinks: bool) -> None:
    most = writing.facts.temperature_max
    if wanted > most:
        lacking(
            writing.report,
            Concept.TEMPERATURE,
            writing.shape,
            f"at most {most:g}",
            act=Act.CHANGED,
        )
        wanted = most
    if thinks and wanted != 1:
        writing.lacks(Concept.TEMPERATURE, _THINKS)
    else:
        out["temperature"] = wanted


def _limit_member(conversation: Conversation) -> str:
    return {
        "chat": "max_completion_tokens",
        "responses": "max_output_tokens",
        "generate": "generationConfig.maxOutputTokens",
    }.get(conversation.shape, "max_tokens")
