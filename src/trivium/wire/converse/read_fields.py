"""``additionalModelRequestFields``: what one family of models alone is asked for, read by name.

Of Claude, Nova and gpt-oss the switches of reasoning, and ``top_k``, mean what the conversation has
members for; anything else is kept with what its loss means.
Sources: the pages of those models in the Amazon Bedrock user guide and the Nova user guide, read on
2026-11-28.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from trivium.conversation.losses import Rank
from trivium.conversation.request import (
    Effort,
    Extension,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Thinking,
)
from trivium.wire.converse import request_structs as structs
from trivium.wire.converse.request_structs import ModelFields
from trivium.wire.converse.values import present, required
from trivium.wire.messages.paths import view, wrong

PATH: Final = "additionalModelRequestFields"
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_any: Final = msgspec.json.Decoder()
_integer: Final = msgspec.json.Decoder(int, strict=False)
_text: Final = msgspec.json.Decoder(str)
_thinking: Final = msgspec.json.Decoder(structs.ModelThinking)
_nova_reasoning: Final = msgspec.json.Decoder(structs.ModelReasoning)
_output: Final = msgspec.json.Decoder(structs.ModelOutput)

_SWITCHES: Final = {
    "enabled": Thinking.ON,
    "adaptive": Thinking.ADAPTIVE,
    "disabled": Thinking.OFF,
    "between_tools": Thinking.BETWEEN_TOOLS,
}
_DISPLAYS: Final = {"summarized": True, "updates": True, "omitted": False}
_EFFORTS: Final = {one.value: one for one in Effort}
_LEAST_BUDGET: Final = 1024
_RANKS: Final = {
    "tools": Rank.CONTRACT,
    "tool_choice": Rank.CONTRACT,
    "mcp_servers": Rank.CONTRACT,
    "container": Rank.CONTRACT,
    "output_format": Rank.CONTRACT,
    "response_format": Rank.CONTRACT,
    "anthropic_beta": Rank.BOOKKEEPING,
    "anthropic_version": Rank.BOOKKEEPING,
    "metadata": Rank.BOOKKEEPING,
}
"""What the loss of a field means; any other is a hint."""


def read(raw: msgspec.Raw) -> ModelFields:
    """The fields of a request. Raises ``Fault`` naming the one that cannot be."""
    out = ModelFields()
    asked = ReasoningSettings()
    for name, value in present(view(_members, raw, PATH)).items():
        path = f"{PATH}.{name[:128]}"
        if (reads := _REASONING.get(name)) is not None:
            asked = reads(value, path, asked)
        elif name == "output_config":
            asked = _claude_output(value, path, out, asked)
        elif name == "top_k":
            out.top_k = _top_k(value, path)
        elif name == "inferenceConfig":
            _nova_sampling(value, path, out)
        else:
            view(_any, value, path)
            out.extensions.append(Extension(path, bytes(value), _RANKS.get(name, Rank.HINT)))
    if asked.switch is not None or asked.effort is not None:
        out.reasoning = asked
    return out


def effort_of(word: str, path: str) -> Effort:
    """An effort by its name. Raises ``Fault`` for any other."""
    effort = _EFFORTS.get(word)
    if effort is None:
        raise wrong(path, f"must be one of {', '.join(_EFFORTS)}.")
    return effort


def _switched(raw: msgspec.Raw, path: str, asked: ReasoningSettings) -> ReasoningSettings:
    """Read ``thinking``, by which Claude's models are told to think."""
    wanted: structs.ModelThinking = view(_thinking, raw, path)
    switch = _SWITCHES.get(required(wanted.type, f"{path}.type"))
    if switch is None:
        raise wrong(f"{path}.type", f"must be one of {', '.join(_SWITCHES)}.")
    budget = None
    if switch is Thinking.ON:
        budget = required(wanted.budget_tokens, f"{path}.budget_tokens")
        if budget < _LEAST_BUDGET:
            raise wrong(f"{path}.budget_tokens", f"must be at least {_LEAST_BUDGET}.")
    shown = None
    if wanted.display is not None:
        shown = _DISPLAYS.get(wanted.display)
        if shown is None:
            raise wrong(f"{path}.display", f"must be one of {', '.join(_DISPLAYS)}.")
    return ReasoningSettings(switch, asked.effort, budget, shown)


def _nova(raw: msgspec.Raw, path: str, asked: ReasoningSettings) -> ReasoningSettings:
    """Read ``reasoningConfig``, by which Nova's models are."""
    wanted: structs.ModelReasoning = view(_nova_reasoning, raw, path)
    if wanted.type not in (None, "enabled", "disabled"):
        raise wrong(f"{path}.type", "must be enabled or disabled.")
    if wanted.type == "disabled":
        return msgspec.structs.replace(asked, switch=Thinking.OFF)
    level = wanted.maxReasoningEffort
    if level is None:
        return msgspec.structs.replace(asked, switch=Thinking.ADAPTIVE)
    return msgspec.structs.replace(asked, effort=effort_of(level, f"{path}.maxReasoningEffort"))


def _gpt(raw: msgspec.Raw, path: str, asked: ReasoningSettings) -> ReasoningSettings:
    """Read ``reasoning``, by which OpenAI's models are."""
    level = present(view(_members, raw, path)).get("effort")
    return asked if level is None else _effort(level, f"{path}.effort", asked)


def _effort(raw: msgspec.Raw, path: str, asked: ReasoningSettings) -> ReasoningSettings:
    """That of OpenAI's open models."""
    return msgspec.structs.replace(asked, effort=effort_of(view(_text, raw, path), path))


_REASONING: Final[dict[str, Callable[[msgspec.Raw, str, ReasoningSettings], ReasoningSettings]]] = {
    "thinking": _switched,
    "reasoning_config": _switched,
    "reasoningConfig": _nova,
    "reasoning": _gpt,
    "reasoning_effort": _effort,
}


def _claude_output(
    raw: msgspec.Raw, path: str, out: ModelFields, asked: ReasoningSettings
) -> ReasoningSettings:
    wanted: structs.ModelOutput = view(_output, raw, path)
    out.format = _format(wanted.format, f"{path}.format")
    budget = bytes(wanted.task_budget)
    if budget not in (b"", b"null"):
        out.extensions.append(Extension(f"{path}.task_budget", budget, Rank.HINT))
    if wanted.effort is None:
        return asked
    return msgspec.structs.replace(asked, effort=effort_of(wanted.effort, f"{path}.effort"))


def _format(raw: msgspec.Raw, path: str) -> ResponseFormat | None:
    if bytes(raw) in (b"", b"null"):
        return None
    members = present(view(_members, raw, path))
    kind = members.get("type")
    if kind is None or view(_text, kind, f"{path}.type") != "json_schema":
        raise wrong(f"{path}.type", "must be json_schema.")
    schema = bytes(required(members.get("schema"), f"{path}.schema"))
    if not schema.startswith(b"{"):
        raise wrong(f"{path}.schema", "must be an object.")
    return ResponseFormat(FormatKind.SCHEMA, schema)


def _nova_sampling(raw: msgspec.Raw, path: str, out: ModelFields) -> None:
    for name, value in present(view(_members, raw, path)).items():
        if name == "topK":
            out.top_k = _top_k(value, f"{path}.topK")
        else:
            out.extensions.append(Extension(f"{path}.{name[:128]}", bytes(value), Rank.HINT))


def _top_k(raw: msgspec.Raw, path: str) -> int:
    top_k: int = view(_integer, raw, path)
    if top_k < 0:
        raise wrong(path, "must be at least 0.")
    return top_k
