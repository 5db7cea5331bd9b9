"""Requests of the messages shape as conversations, read strictly.

What the vendor refuses is refused here in its own words' form, or a caller would see another
vendor's complaint about a body it never wrote. Members that only this shape has are kept with what
their loss means. Source: messages reference, versions page and SDK types 2.11, read on 2026-11-21;
Claude Code 2.1 on the wire.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.calls import ToolCall, ToolResult
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
from trivium.wire.codec import ReadContext
from trivium.wire.messages import read_tools
from trivium.wire.messages import request_structs as forms
from trivium.wire.messages.paths import missing, view, wrong
from trivium.wire.messages.read_content import Blocks
from trivium.wire.messages.version import VERSIONS, is_interleaved, version

SHAPE: Final = "messages"
BILLING: Final = "x-anthropic-billing-header:"
"""Begins the system block in which Claude Code tells its vendor about itself: no prompt."""


_text: Final = msgspec.json.Decoder(str)
_flag: Final = msgspec.json.Decoder(bool)
_integer: Final = msgspec.json.Decoder(int, strict=False)
_number: Final = msgspec.json.Decoder(float)
_strings: Final = msgspec.json.Decoder(list[str])
_messages: Final = msgspec.json.Decoder(list[forms.Message])
_thinking: Final = msgspec.json.Decoder(forms.ThinkingMember)
_output: Final = msgspec.json.Decoder(forms.OutputConfig)
_format: Final = msgspec.json.Decoder(forms.Format)
_metadata: Final = msgspec.json.Decoder(forms.Metadata)
_cache: Final = msgspec.json.Decoder(forms.Cache)

_ROLES: Final = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
_EFFORTS: Final = {one.value: one for one in Effort if one not in (Effort.NONE, Effort.MINIMAL)}
_SWITCHES: Final = {
    "enabled": Thinking.ON,
    "adaptive": Thinking.ADAPTIVE,
    "disabled": Thinking.OFF,
    "between_tools": Thinking.BETWEEN_TOOLS,
}
_DISPLAYS: Final = {"summarized": True, "updates": True, "omitted": False}
_TIERS: Final = {"auto": "auto", "standard_only": "default"}

_WORDS: Final = frozenset({Text})
_MODELS_OWN: Final = Sampling()
_NO_OUTPUT: Final = forms.OutputConfig()
_THINKING: Final = frozenset({"thinking", "output_config"})
_FORMATTING: Final = frozenset({"output_format", "output_config"})
_PACE: Final = frozenset({"speed", "service_tier"})
_DRAWN: Final = frozenset({"temperature", "top_p", "top_k"})
_READ: Final = frozenset(
    {"model", "messages", "max_tokens", "system", "stream", "stop_sequences", "metadata"}
    | {"temperature", "top_p", "top_k", "tools", "tool_choice", "thinking"}
    | {"output_config", "output_format", "cache_control", "service_tier", "speed"}
)
"""Members that have a place in a conversation."""

_RANKS: Final = {
    "container": Rank.CONTRACT,
    "mcp_servers": Rank.CONTRACT,
    "thread": Rank.CONTRACT,
    "compaction": Rank.CONTRACT,
    "inference_geo": Rank.CONTRACT,
    "diagnostics": Rank.BOOKKEEPING,
    "billing_policy": Rank.BOOKKEEPING,
    "betas": Rank.BOOKKEEPING,
}
"""What the loss of a member means that only this shape has; any other is a hint."""


_NONE: Final = b"[]"
"""A member that asks for nothing: agents send the list of their servers, with none in it."""


class _Body:
    """The top-level members, read by name; null is absent."""

    __slots__ = ("members",)

    def __init__(self, members: Mapping[str, msgspec.Raw]) -> None:
        # only what may be null is copied: messages are long
        self.members = {
            name: raw for name, raw in members.items() if len(raw) != 4 or bytes(raw) != b"null"
        }

    def raw(self, name: str) -> msgspec.Raw | None:
        return self.members.get(name)

    def get(self, decoder: msgspec.json.Decoder[Any], name: str) -> Any:
        raw = self.members.get(name)
        return None if raw is None else view(decoder, raw, name)


def read(members: Mapping[str, msgspec.Raw], context: ReadContext) -> Conversation:
    """The conversation of a request body. Raises ``Fault`` naming the place."""
    body = _Body(members)
    there = body.members
    spoken = version(context.headers)
    blocks = Blocks(context.open, strict=spoken != VERSIONS[0])
    model = body.get(_text, "model") if context.model is None else context.model
    if not model:
        raise missing("model")
    declared = read_tools.tools(members["tools"], blocks) if "tools" in there else ()
    system, dropped = _system(body, blocks)
    turns = _turns(body, blocks)
    limit = _limit(body)
    most = None if is_interleaved(context.headers) else limit
    choice, parallel = (
        read_tools.choice(members["tool_choice"], declared)
        if "tool_choice" in there
        else (None, None)
    )
    output: forms.OutputConfig = (
        body.get(_output, "output_config") if "output_config" in there else _NO_OUTPUT
    )
    user = _user(body) if "metadata" in there else None
    return Conversation(
        shape=SHAPE,
        model=model,
        instructions=system,
        turns=turns,
        tools=declared,
        tool_choice=choice,
        parallel_calls=parallel,
        sampling=_MODELS_OWN if _DRAWN.isdisjoint(there) else _sampling(body),
        output_max=limit,
        stop=_stop(body) if "stop_sequences" in there else (),
        reasoning=None if _THINKING.isdisjoint(there) else _reasoning(body, output, most),
        format=None if _FORMATTING.isdisjoint(there) else _answer_format(body, output),
        user=user,
        cache=(
            blocks.mark(body.get(_cache, "cache_control"), "the request")
            if "cache_control" in there
            else None
        ),
        service_tier=None if _PACE.isdisjoint(there) else _tier(body),
        stream=(
            "stream" in there and bool(body.get(_flag, "stream"))
            if context.stream is None
            else context.stream
        ),
        usage_wanted=True,
        extensions=(*dropped, *_extensions(there, output)),
    )


def _user(body: _Body) -> str | None:
    metadata: forms.Metadata = body.get(_metadata, "metadata")
    if metadata.user_id is not None and len(metadata.user_id) > 256:
        raise wrong("metadata.user_id", "must have at most 256 characters.")
    return metadata.user_id


def _limit(body: _Body) -> int:
    limit = body.get(_integer, "max_tokens")
    if limit is None:
        raise missing("max_tokens")
    if limit < 0:
        raise wrong("max_tokens", "must be at least 0.")
    return int(limit)


def _system(body: _Body, blocks: Blocks) -> tuple[tuple[Text, ...], list[Extension]]:
    raw = body.raw("system")
    if raw is None:
        return (), []
    kept: list[Text] = []
    dropped: list[Extension] = []
    for at, text in enumerate(blocks.texts(raw, "system")):
        if text.text.startswith(BILLING):
            # it changes with every release and stands before all that could be cached
            data = msgspec.json.encode(text.text)
            dropped.append(Extension(f"system.{at}", data, Rank.BOOKKEEPING))
        else:
            kept.append(text)
    return tuple(kept), dropped


def _turns(body: _Body, blocks: Blocks) -> tuple[Turn, ...]:
    rows = body.get(_messages, "messages")
    if rows is None:
        raise missing("messages")
    if not rows:
        raise wrong("messages", "must have at least one message.")
    out: list[Turn] = []
    only_words = True
    for at, row in enumerate(rows):
        role = _ROLES.get(row.role)
        if role is None:
            raise wrong(f"messages.{at}.role", f"must be one of {', '.join(_ROLES)}.")
        content = row.content
        if type(content) is str:
            out.append(Turn(role, (Text(content),)))
        elif content is None:
            raise missing(f"messages.{at}.content")
        else:
            parts = blocks.turn(role, content, f"messages.{at}.content")
            only_words = only_words and _WORDS.issuperset(map(type, parts))
            out.append(Turn(role, parts))
    if not only_words:
        _pair(out)
    return tuple(out)


def _pair(turns: list[Turn]) -> None:
    """Check that each call is answered in the next user turn, and each result has its call."""
    asked: dict[str, str] = {}
    before = None
    for at, turn in enumerate(turns):
        role = turn.role
        if role is Role.USER:
            given = _results(turn.parts, at, asked)
            follows = turns[at + 1].role if at + 1 < len(turns) else None
            if follows is not Role.USER:
                _answered(asked, given)
            asked = {one: place for one, place in asked.items() if one not in given}
        elif role is Role.ASSISTANT:
            if before is not Role.ASSISTANT:
                _answered(asked, ())
                asked = {}
            for index, part in enumerate(turn.parts):
                if type(part) is ToolCall:
                    asked[part.id] = f"messages.{at}.content.{index}"
        if role is not Role.SYSTEM:
            before = role


def _results(parts: Iterable[Any], at: int, asked: Mapping[str, str]) -> set[str]:
    given: set[str] = set()
    for index, part in enumerate(parts):
        if type(part) is ToolResult:
            if part.call_id not in asked:
                raise wrong(
                    f"messages.{at}.content.{index}",
                    f"unexpected tool_use_id in tool_result: {part.call_id[:128]}. Each tool_result"
                    " must answer a tool_use of the assistant message before it.",
                )
            given.add(part.call_id)
    return given


def _answered(asked: Mapping[str, str], given: Iterable[str]) -> None:
    for one, place in asked.items():
        if one not in given:
            raise wrong(
                place,
                f"tool_use {one[:128]} has no tool_result. Each tool_use must be answered in the"
                " user message after it.",
            )


def _sampling(body: _Body) -> Sampling:
    for name in ("temperature", "top_p"):
        value = body.get(_number, name)
        if value is not None and not 0 <= value <= 1:
            raise wrong(name, "must be from 0 to 1.")
    top_k = body.get(_integer, "top_k")
    if top_k is not None and top_k < 0:
        raise wrong("top_k", "must be at least 0.")
    return Sampling(
        temperature=body.get(_number, "temperature"), top_p=body.get(_number, "top_p"), top_k=top_k
    )


def _stop(body: _Body) -> tuple[str, ...]:
    rows = body.get(_strings, "stop_sequences") or ()
    for at, row in enumerate(rows):
        if not row.strip():
            raise wrong(f"stop_sequences.{at}", "must have more in it than white space.")
    return tuple(rows)


def _reasoning(
    body: _Body, output: forms.OutputConfig, most: int | None
) -> ReasoningSettings | None:
    effort = _effort(output)
    wanted: forms.ThinkingMember | None = body.get(_thinking, "thinking")
    if wanted is None:
        return None if effort is None else ReasoningSettings(effort=effort)
    switch = _SWITCHES.get(wanted.type)
    if switch is None:
        raise wrong("thinking.type", f"must be one of {', '.join(_SWITCHES)}.")
    if switch is Thinking.ON:
        _check_budget(wanted.budget_tokens, most)
    shown = None
    if wanted.display is not None:
        if wanted.display not in _DISPLAYS:
            raise wrong("thinking.display", f"must be one of {', '.join(_DISPLAYS)}.")
        shown = _DISPLAYS[wanted.display]
    budget = wanted.budget_tokens if switch is Thinking.ON else None
    return ReasoningSettings(switch, effort, budget, shown)


def _effort(output: forms.OutputConfig) -> Effort | None:
    if output.effort is None:
        return None
    effort = _EFFORTS.get(output.effort)
    if effort is None:
        raise wrong("output_config.effort", f"must be one of {', '.join(_EFFORTS)}.")
    return effort


def _check_budget(budget: int | None, most: int | None) -> None:
    """``most``: what it must be less than; ``None``: it is not bound to the output limit."""
    if budget is None:
        raise missing("thinking.budget_tokens")
    if budget < 1024:
        raise wrong("thinking.budget_tokens", "must be at least 1024.")
    if most is not None and budget >= most:
        raise wrong("thinking.budget_tokens", "must be less than max_tokens.")


def _answer_format(body: _Body, output: forms.OutputConfig) -> ResponseFormat | None:
    wanted, path = output.format, "output_config.format"
    alias = body.get(_format, "output_format")
    if alias is not None:
        if wanted is not None:
            raise wrong("output_format", "is the old name of output_config.format; send one.")
        wanted, path = alias, "output_format"
    if wanted is None:
        return None
    if wanted.type != "json_schema":
        raise wrong(f"{path}.type", "must be json_schema.")
    schema = bytes(wanted.schema)
    if not schema.startswith(b"{"):
        raise (
            missing(f"{path}.schema")
            if schema in (b"", b"null")
            else wrong(f"{path}.schema", "must be an object.")
        )
    return ResponseFormat(FormatKind.SCHEMA, schema)


def _tier(body: _Body) -> str | None:
    speed = body.get(_text, "speed")
    if speed not in (None, "standard", "fast"):
        raise wrong("speed", "must be standard or fast.")
    name = body.get(_text, "service_tier")
    if name is not None and name not in _TIERS:
        raise wrong("service_tier", f"must be one of {', '.join(_TIERS)}.")
    if speed == "fast":
        return "fast"
    return None if name is None else _TIERS[name]


def _extensions(members: Mapping[str, msgspec.Raw], output: forms.OutputConfig) -> list[Extension]:
    out: list[Extension] = []
    if not _READ.issuperset(members):
        out += [
            Extension(name, bytes(raw), _RANKS.get(name, Rank.HINT))
            for name, raw in members.items()
            if name not in _READ and bytes(raw) != _NONE
        ]
    if output.task_budget and bytes(output.task_budget) != b"null":
        out.append(Extension("output_config.task_budget", bytes(output.task_budget), Rank.HINT))
    return out
