"""A chat request of Cohere's as a conversation.

Null is absent. Documents stand beside the messages there; here they are parts of the first turn of
the user's, so that a conversation that goes on begins as it began. What no other shape has is kept
as an extension, so that its loss can be reported.
Source: cohere-python 7.3.1, ``V2Client.chat``, read 2026-11-28.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.items import Part, Role, Turn
from trivium.conversation.losses import Rank
from trivium.conversation.request import (
    Conversation,
    Extension,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
    Thinking,
)
from trivium.conversation.tools import ChoiceMode, FunctionTool, ToolChoice
from trivium.wire.chat.read_values import listed, mapping, string, text, wrong_type
from trivium.wire.checks import check, missing, mistyped, wrong
from trivium.wire.codec import ReadContext
from trivium.wire.cohere import documents
from trivium.wire.cohere.documents import SHAPE
from trivium.wire.cohere.read_messages import TurnReader
from trivium.wire.peek import decode

_raws: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_rows: Final = msgspec.json.Decoder(list[dict[str, msgspec.Raw]])

_STOPS_MAX: Final = 5
_NOT_CITED: Final = frozenset({"OFF", "DISABLED"})
_CITED: Final = "ENABLED"
_MODES: Final = (_CITED, "DISABLED", "FAST", "ACCURATE", "OFF")
_SAFETY: Final = ("CONTEXTUAL", "STRICT", "OFF")
_CHOICES: Final = {"REQUIRED": ChoiceMode.REQUIRED, "NONE": ChoiceMode.NONE}
_RANGES: Final = {
    "temperature": ("temperature", 0.0, 1e9),
    "p": ("top_p", 0.0, 1.0),
    "frequency_penalty": ("frequency_penalty", 0.0, 1.0),
    "presence_penalty": ("presence_penalty", 0.0, 1.0),
}
_READ: Final = frozenset(
    {"model", "messages", "stream", "tools", "strict_tools", "documents", "citation_options"}
    | {"response_format", "max_tokens", "stop_sequences", "seed", "k", "logprobs", "tool_choice"}
    | {"thinking", *_RANGES}
)
"""Members that have a place in a conversation."""


def read(members: Mapping[str, msgspec.Raw], context: ReadContext) -> Conversation:
    """Read a chat request. Raises ``Fault`` naming the member."""
    # only what may be null is copied: messages are long
    there = {name: raw for name, raw in members.items() if len(raw) != 4 or bytes(raw) != b"null"}
    body = {name: raw for name, raw in there.items() if name in _READ}
    model = _string(body, "model")
    if not model:
        raise missing("model")
    if "messages" not in body:
        raise missing("messages")
    mode, extensions = _citation_mode(body)
    reader = TurnReader(context.open, citable=mode not in _NOT_CITED)
    turns = reader.turns(decode(body["messages"], "messages"))
    extensions += reader.extensions
    if "documents" in body:
        _put(turns, _documents(body, citable=mode not in _NOT_CITED))
    tools = _tools(body, extensions) if "tools" in body else ()
    wanted = _format(body, extensions) if "response_format" in body else None
    extensions += _others(there)
    return Conversation(
        shape=SHAPE,
        model=model,
        turns=tuple(turns),
        tools=tools,
        tool_choice=_choice(body) if "tool_choice" in body else None,
        sampling=_sampling(body),
        output_max=_integer(body, "max_tokens", 1),
        stop=_stop(body) if "stop_sequences" in body else (),
        reasoning=_thinking(body) if "thinking" in body else None,
        format=wanted,
        logprobs=_flag(body, "logprobs"),
        stream=bool(_flag(body, "stream")) if context.stream is None else context.stream,
        usage_wanted=True,
        extensions=tuple(extensions),
    )


Body = Mapping[str, msgspec.Raw]


def _value(body: Body, name: str) -> Any:
    return decode(body[name], name) if name in body else None


def _string(body: Body, name: str) -> str | None:
    value = _value(body, name)
    if value is None or isinstance(value, str):
        return value
    raise wrong_type(name, "a string", value)


def _flag(body: Body, name: str) -> bool | None:
    value = _value(body, name)
    if value is None or isinstance(value, bool):
        return value
    raise wrong_type(name, "true or false", value)


def _integer(body: Body, name: str, least: int, most: int | None = None) -> int | None:
    value = _value(body, name)
    if value is None:
        return None
    return _whole(value, name, least, most)


def _whole(value: Any, path: str, least: int, most: int | None = None) -> int:
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is not int:
        raise wrong_type(path, "an integer", value)
    if value < least:
        raise wrong(path, f"be at least {least}")
    if most is not None and value > most:
        raise wrong(path, f"be at most {most}")
    return value


def _sampling(body: Body) -> Sampling:
    drawn: dict[str, Any] = {}
    for name, (field, least, most) in _RANGES.items():
        value = _value(body, name)
        if value is None:
            continue
        if type(value) is not float and type(value) is not int:
            raise wrong_type(name, "a number", value)
        if value < least:
            raise wrong(name, f"be at least {least:g}")
        if value > most:
            raise wrong(name, f"be at most {most:g}")
        drawn[field] = value
    # 0 is how this shape says that there is no limit
    drawn["top_k"] = _integer(body, "k", 0, 500) or None
    seed = _value(body, "seed")
    drawn["seed"] = None if seed is None else _whole(seed, "seed", -(2**63))
    return Sampling(**drawn)


def _citation_mode(body: Body) -> tuple[str, list[Extension]]:
    """How documents are to be cited, and what of it no other shape has."""
    if "citation_options" not in body:
        return _CITED, []
    options = mapping(_value(body, "citation_options"), "citation_options")
    mode = text(options, "mode", "citation_options") or _CITED
    if mode not in _MODES:
        raise wrong("citation_options.mode", f"be one of {', '.join(_MODES)}")
    if mode in _NOT_CITED or mode == _CITED:
        return mode, []
    return mode, [Extension("citation_options", bytes(body["citation_options"]), Rank.HINT)]


def _documents(body: Body, *, citable: bool) -> list[Part]:
    return [
        documents.read(one, f"documents[{at}]", at, citable=citable)
        for at, one in enumerate(listed(_value(body, "documents"), "documents"))
    ]


def _put(turns: list[Turn], found: list[Part]) -> None:
    """Put documents before all that the user says."""
    for at, turn in enumerate(turns):
        if turn.role is Role.USER:
            turns[at] = msgspec.structs.replace(turn, parts=(*found, *turn.parts))
            return
    if found:
        raise wrong("messages", "have a message of the user's where there are documents")


def _tools(body: Body, extensions: list[Extension]) -> tuple[FunctionTool, ...]:
    strict = _flag(body, "strict_tools")
    return tuple(
        _tool(row, f"tools[{at}]", strict, extensions)
        for at, row in enumerate(check(_rows, bytes(body["tools"]), "tools"))
    )


def _tool(row: Body, path: str, strict: bool | None, extensions: list[Extension]) -> FunctionTool:
    kind = decode(row["type"], f"{path}.type") if "type" in row else "function"
    if kind != "function":
        raise wrong(f"{path}.type", "be function")
    if bytes(row.get("function", b"null")) == b"null":
        raise missing(f"{path}.function")
    where = f"{path}.function"
    inner = check(_raws, bytes(row["function"]), where)
    given = {
        name: decode(raw, f"{where}.{name}") for name, raw in inner.items() if name != "parameters"
    }
    schema = bytes(inner.get("parameters", b"null"))
    if schema != b"null" and not schema.startswith(b"{"):
        raise mistyped(f"{where}.parameters", "be an object")
    name = string(given, "name", where)
    if not name:
        raise wrong(f"{where}.name", "not be empty")
    for other, raw in (*row.items(), *inner.items()):
        if other not in _TOOL and bytes(raw) != b"null":
            extensions.append(Extension(f"{path}.{other}", bytes(raw), Rank.HINT))
    description = text(given, "description", where)
    return FunctionTool(name, description, None if schema == b"null" else schema, strict)


_TOOL: Final = frozenset({"type", "function", "name", "description", "parameters"})


def _choice(body: Body) -> ToolChoice:
    found = _CHOICES.get(_string(body, "tool_choice") or "")
    if found is None:
        raise wrong("tool_choice", f"be one of {', '.join(_CHOICES)}")
    return ToolChoice(found)


def _stop(body: Body) -> tuple[str, ...]:
    found = listed(_value(body, "stop_sequences"), "stop_sequences")
    if len(found) > _STOPS_MAX:
        raise wrong("stop_sequences", f"have at most {_STOPS_MAX} entries")
    for at, one in enumerate(found):
        if not isinstance(one, str):
            raise wrong_type(f"stop_sequences[{at}]", "a string", one)
    return tuple(one for one in found if one)


def _thinking(body: Body) -> ReasoningSettings:
    wanted = mapping(_value(body, "thinking"), "thinking")
    kind = string(wanted, "type", "thinking")
    if kind == "disabled":
        return ReasoningSettings(Thinking.OFF)
    if kind != "enabled":
        raise wrong("thinking.type", "be one of enabled or disabled")
    budget = wanted.get("token_budget")
    if budget is None:
        return ReasoningSettings(Thinking.ADAPTIVE, shown=True)
    most = _whole(budget, "thinking.token_budget", 1)
    return ReasoningSettings(Thinking.ON, budget=most, shown=True)


def _format(body: Body, extensions: list[Extension]) -> ResponseFormat:
    path = "response_format"
    members = check(_raws, bytes(body[path]), path)
    kind = decode(members["type"], f"{path}.type") if "type" in members else None
    for name, raw in members.items():
        if name not in _FORMAT and bytes(raw) != b"null":
            extensions.append(Extension(f"{path}.{name}", bytes(raw), Rank.CONTRACT))
    if kind == "text":
        return ResponseFormat(FormatKind.TEXT)
    if kind != "json_object":
        raise (
            missing(f"{path}.type")
            if kind is None
            else wrong(f"{path}.type", "be one of text or json_object")
        )
    schema = bytes(members.get("json_schema", b"null"))
    if schema == b"null":
        return ResponseFormat(FormatKind.JSON)
    if not schema.startswith(b"{"):
        raise mistyped(f"{path}.json_schema", "be an object")
    return ResponseFormat(FormatKind.SCHEMA, schema)


_FORMAT: Final = frozenset({"type", "json_schema"})


def _others(there: Body) -> list[Extension]:
    """Members that only this shape has, or that nobody knows."""
    mode = _string(there, "safety_mode")
    if mode is not None and mode not in _SAFETY:
        raise wrong("safety_mode", f"be one of {', '.join(_SAFETY)}")
    _integer(there, "priority", 0)
    return [
        Extension(name, bytes(raw), Rank.HINT) for name, raw in there.items() if name not in _READ
    ]
