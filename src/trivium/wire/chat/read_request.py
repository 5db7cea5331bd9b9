"""A chat request as a conversation.

Members are checked as OpenAI documents them; null is absent. What no other shape has is kept as an
extension, so that its loss can be reported. Source: OpenAI's API reference, chat completions,
read 2026-11-21.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.losses import Rank
from trivium.conversation.request import (
    Conversation,
    Effort,
    Extension,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
)
from trivium.conversation.tools import Tool, ToolChoice
from trivium.wire.chat import read_tools
from trivium.wire.chat.finish import is_legacy
from trivium.wire.chat.read_messages import MessageReader
from trivium.wire.chat.read_values import listed, mapping, string, text, wrong_type
from trivium.wire.checks import check, missing, mistyped, wrong
from trivium.wire.codec import ReadContext, ReadRequest
from trivium.wire.peek import decode

_raws: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])

_RANKS: Final = {"moderation": Rank.CONTRACT}
"""Of members only chat has; the rest are hints."""


def read(
    members: Mapping[str, msgspec.Raw], context: ReadContext, foreign: ReadRequest | None = None
) -> Conversation:
    """Read a chat request. Raises ``Fault`` naming the member.

    ``foreign`` reads the responses shape's body, which agents send on this route as well
    (BerriAI/litellm#34029).
    """
    body = _Body(members)
    present = body.present
    model = body.text("model")
    if not model:
        raise missing("model")
    if "messages" not in present:
        if foreign is not None and "input" in present:
            found = foreign(members, context)
            return msgspec.structs.replace(found, usage_wanted=_usage_wanted(body))
        raise missing("messages")
    reader = MessageReader(context.open)
    turns = reader.turns(body.value("messages"))
    extensions = reader.extensions
    tools = () if present.keys().isdisjoint(_DECLARING) else _tools(body, extensions)
    old = body.integer("max_tokens", 1) if "max_tokens" in present else None
    limit = old
    if "max_completion_tokens" in present:
        limit = body.integer("max_completion_tokens", 1)
    fields = _fields(body, extensions)
    if "functions" in present and is_legacy(present):
        fields["parallel_calls"] = False  # an answer in these words has room for one call
    if context.stream is not None:
        fields["stream"] = context.stream
    return Conversation(
        shape="chat",
        model=model,
        turns=turns,
        tools=tools,
        tool_choice=None if present.keys().isdisjoint(_CHOOSING) else _choice(body),
        output_max=limit,
        usage_wanted="stream_options" in present and _usage_wanted(body),
        extensions=tuple(extensions),
        **fields,
    )


def _fields(body: "_Body", extensions: list[Extension]) -> dict[str, Any]:
    """Fields of the conversation that the request has a member for; the rest are extensions."""
    fields: dict[str, Any] = {}
    drawn: dict[str, Any] = {}
    for name, raw in body.present.items():
        if name in _BESIDES:
            continue
        if (row := _FIELDS.get(name)) is not None:
            fields[row[0]] = row[1](body, name)
        elif (row := _SAMPLING.get(name)) is not None:
            drawn[row[0]] = row[1](body, name)
        else:
            extensions.append(Extension(name, bytes(raw), _RANKS.get(name, Rank.HINT)))
    if drawn:
        fields["sampling"] = Sampling(**drawn)
    if "user" in fields and not isinstance(fields["user"], str):
        extensions.append(Extension("user", bytes(body.present["user"]), Rank.BOOKKEEPING))
        del fields["user"]
    return fields


class _Body:
    """Top-level members, null as absent."""

    __slots__ = ("present",)

    def __init__(self, members: Mapping[str, msgspec.Raw]) -> None:
        # only what may be null is copied: messages are long
        self.present = {
            name: raw for name, raw in members.items() if len(raw) != 4 or bytes(raw) != b"null"
        }

    def raw(self, name: str) -> bytes | None:
        raw = self.present.get(name)
        return None if raw is None else bytes(raw)

    def value(self, name: str) -> Any:
        raw = self.present.get(name)
        return None if raw is None else decode(raw, name)

    def text(self, name: str) -> str | None:
        value = self.value(name)
        if value is None or isinstance(value, str):
            return value
        raise wrong_type(name, "a string", value)

    def flag(self, name: str) -> bool | None:
        value = self.value(name)
        if value is None or isinstance(value, bool):
            return value
        raise wrong_type(name, "true or false", value)

    def number(self, name: str, least: float, most: float) -> float | None:
        value = self.value(name)
        if type(value) is not float and type(value) is not int:
            raise wrong_type(name, "a number", value)
        if not least <= value <= most:
            raise wrong(name, f"be between {least:g} and {most:g}")
        return value

    def integer(self, name: str, least: int | None = None, most: int | None = None) -> int | None:
        value = self.value(name)
        if value is None:
            return None
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int:
            raise wrong_type(name, "an integer", value)
        if least is not None and value < least:
            raise wrong(name, f"be at least {least}")
        if most is not None and value > most:
            raise wrong(name, f"be at most {most}")
        return value


def _tools(body: _Body, extensions: list[Extension]) -> tuple[Tool, ...]:
    out: list[Tool] = []
    if (raw := body.raw("tools")) is not None:
        out.extend(read_tools.tools(raw, extensions))
    if (raw := body.raw("functions")) is not None:
        out.extend(read_tools.functions(raw, extensions))
    if (raw := body.raw("web_search_options")) is not None:
        out.append(read_tools.search(raw))
    return tuple(out)


def _choice(body: _Body) -> ToolChoice | None:
    if (raw := body.raw("tool_choice")) is not None:
        return read_tools.choice(raw)
    if (raw := body.raw("function_call")) is not None:
        return read_tools.choice(raw, "function_call")
    return None


def _bias(body: _Body, name: str) -> bytes | None:
    mapping(body.value(name), name)
    return body.raw(name)


def _stop(body: _Body, name: str) -> tuple[str, ...]:
    value = body.value(name)
    found = [value] if isinstance(value, str) else listed(value, name)
    if len(found) > 4:
        raise wrong(name, "have at most 4 entries")
    for at, one in enumerate(found):
        if not isinstance(one, str):
            raise wrong_type(f"{name}[{at}]", "a string", one)
    return tuple(one for one in found if one)


def _effort(body: _Body, name: str) -> ReasoningSettings:
    try:
        return ReasoningSettings(effort=Effort(body.text(name)))
    except ValueError:
        known = ", ".join(step.value for step in Effort)
        raise wrong(name, f"be one of {known}") from None


def _verbosity(body: _Body, name: str) -> str | None:
    value = body.text(name)
    if value not in _VERBOSITIES:
        raise wrong(name, f"be one of {', '.join(_VERBOSITIES)}")
    return value


def _strings(body: _Body, name: str) -> tuple[str, ...]:
    out: list[str] = []
    for at, one in enumerate(listed(body.value(name), name)):
        if not isinstance(one, str):
            raise wrong_type(f"{name}[{at}]", "a string", one)
        out.append(one.lower())
    return tuple(out)


def _metadata(body: _Body, name: str) -> tuple[tuple[str, str], ...]:
    found = mapping(body.value(name), name)
    return tuple((key, string(found, key, name)) for key in found)


def _format(body: _Body, name: str) -> ResponseFormat:
    outer = check(_raws, bytes(body.present[name]), name)
    kind = string(_plain(outer, "type"), "type", "response_format")
    if kind == "text":
        return ResponseFormat(FormatKind.TEXT)
    if kind == "json_object":
        return ResponseFormat(FormatKind.JSON)
    if kind != "json_schema":
        raise wrong("response_format.type", "be one of text, json_object or json_schema")
    given = outer.get("json_schema")
    if given is None:
        raise missing("response_format.json_schema")
    path = "response_format.json_schema"
    inner = check(_raws, bytes(given), path)
    plain = _plain(inner, "name", "description", "strict")
    schema = bytes(inner.get("schema", b"{}"))
    strict = plain.get("strict")
    if strict is not None and not isinstance(strict, bool):
        raise wrong_type(f"{path}.strict", "a boolean", strict)
    if not schema.startswith(b"{"):
        raise mistyped(f"{path}.schema", "be an object")
    return ResponseFormat(
        FormatKind.SCHEMA,
        schema,
        string(plain, "name", path),
        text(plain, "description", path),
        strict,
    )


def _plain(raws: dict[str, msgspec.Raw], *names: str) -> dict[str, Any]:
    return {name: decode(bytes(raws[name]), name) for name in names if name in raws}


def _usage_wanted(body: _Body) -> bool:
    value = body.value("stream_options")
    if value is None:
        return False
    wanted = mapping(value, "stream_options").get("include_usage")
    if wanted is not None and not isinstance(wanted, bool):
        raise wrong_type("stream_options.include_usage", "a boolean", wanted)
    return bool(wanted)


def _between(least: float, most: float) -> Callable[[_Body, str], float | None]:
    return lambda body, name: body.number(name, least, most)


def _whole(least: int, most: int) -> Callable[[_Body, str], int | None]:
    return lambda body, name: body.integer(name, least, most)


_VERBOSITIES: Final = ("low", "medium", "high")

_Rows = dict[str, tuple[str, Callable[[_Body, str], Any]]]

_CHOOSING: Final = frozenset({"tool_choice", "function_call"})
_DECLARING: Final = frozenset({"tools", "functions", "web_search_options"})
_FIELDS: Final[_Rows] = {
    "audio": ("audio", _Body.raw),
    "logprobs": ("logprobs", _Body.flag),
    "metadata": ("metadata", _metadata),
    "modalities": ("modalities", _strings),
    "n": ("candidates", _whole(1, 128)),
    "parallel_tool_calls": ("parallel_calls", _Body.flag),
    "prompt_cache_key": ("cache_key", _Body.text),
    "reasoning_effort": ("reasoning", _effort),
    "response_format": ("format", _format),
    "safety_identifier": ("safety_id", _Body.text),
    "service_tier": ("service_tier", _Body.text),
    "stop": ("stop", _stop),
    "store": ("store", _Body.flag),
    "stream": ("stream", _Body.flag),
    "top_logprobs": ("top_logprobs", _whole(0, 20)),
    "user": ("user", _Body.value),
    "verbosity": ("verbosity", _verbosity),
}
"""Members with a field of their own, and what reads them."""
_SAMPLING: Final[_Rows] = {
    "temperature": ("temperature", _between(0, 2)),
    "top_p": ("top_p", _between(0, 1)),
    "frequency_penalty": ("frequency_penalty", _between(-2, 2)),
    "presence_penalty": ("presence_penalty", _between(-2, 2)),
    "seed": ("seed", _Body.integer),
    "logit_bias": ("logit_bias", _bias),
}
"""The same of ``Sampling``."""
_BESIDES: Final = frozenset(
    {"model", "messages", "stream_options", "max_tokens", "max_completion_tokens"}
    | {"tools", "tool_choice", "functions", "function_call", "web_search_options"}
)
"""Members that are read by name."""
