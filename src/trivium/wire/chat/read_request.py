"""A chat request as a conversation.

Members are checked as OpenAI documents them; null is absent. What no other shape has is kept as an
extension, so that its loss can be reported. Source: OpenAI's API reference, chat completions,
read 2026-11-21.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.honesty import Rank
from trivium.conversation.request import (
    Conversation,
    Effort,
    Extension,
    FormatKind,
    ReasoningWish,
    ResponseFormat,
    Sampling,
)
from trivium.conversation.tools import Tool, ToolChoice
from trivium.faults import Fault, Kind
from trivium.wire.chat import request_tools
from trivium.wire.chat.request_messages import MessageReader
from trivium.wire.chat.request_values import listed, mapping, string, text, wrong_type
from trivium.wire.checks import check, missing, wrong
from trivium.wire.codec import RequestContext
from trivium.wire.peek import decode
from trivium.wire.responses.read_request import read as read_response_request

_raws: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])

_KNOWN: Final = frozenset(
    {
        "model",
        "messages",
        "stream",
        "stream_options",
        "temperature",
        "top_p",
        "frequency_penalty",
        "presence_penalty",
        "seed",
        "logit_bias",
        "max_tokens",
        "max_completion_tokens",
        "stop",
        "reasoning_effort",
        "response_format",
        "verbosity",
        "modalities",
        "audio",
        "n",
        "logprobs",
        "top_logprobs",
        "metadata",
        "user",
        "safety_identifier",
        "prompt_cache_key",
        "service_tier",
        "store",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "functions",
        "function_call",
        "web_search_options",
    }
)
_RANKS: Final = {"moderation": Rank.CONTRACT}
"""Of members only chat has; the rest are hints."""


def read(members: Mapping[str, msgspec.Raw], context: RequestContext) -> Conversation:
    """Read a chat request. Raises ``Fault`` naming the member."""
    body = _Body(members)
    model = body.text("model")
    if not model:
        raise missing("model")
    if body.raw("messages") is None:
        if body.raw("input") is not None:
            # agents send the responses shape's body on this route (BerriAI/litellm#34029)
            found = read_response_request(members, context)
            return msgspec.structs.replace(found, usage_wanted=_usage_wanted(body))
        raise missing("messages")
    reader = MessageReader(context.open)
    turns = reader.turns(body.value("messages"))
    extensions = reader.extensions
    tools = _tools(body, extensions)
    extensions.extend(
        Extension(name, bytes(raw), _RANKS.get(name, Rank.HINT))
        for name, raw in members.items()
        if name not in _KNOWN and bytes(raw) != b"null"
    )
    user = body.value("user")
    if user is not None and not isinstance(user, str):
        extensions.append(Extension("user", body.raw("user") or b"", Rank.BOOKKEEPING))
        user = None
    old = body.integer("max_tokens", 1)
    limit = body.integer("max_completion_tokens", 1)
    effort = body.text("reasoning_effort")
    return Conversation(
        shape="chat",
        model=model,
        turns=turns,
        tools=tuple(tools),
        tool_choice=_choice(body),
        parallel_calls=body.flag("parallel_tool_calls"),
        sampling=_sampling(body),
        output_max=old if limit is None else limit,
        stop=_stop(body.value("stop")),
        reasoning=None if effort is None else ReasoningWish(effort=_effort(effort)),
        format=_format(body),
        verbosity=_one_of(body, "verbosity", ("low", "medium", "high")),
        modalities=_strings(body, "modalities"),
        audio=body.raw("audio"),
        candidates=body.integer("n", 1, 128),
        logprobs=body.flag("logprobs"),
        top_logprobs=body.integer("top_logprobs", 0, 20),
        metadata=_metadata(body),
        user=user,
        safety_id=body.text("safety_identifier"),
        cache_key=body.text("prompt_cache_key"),
        service_tier=body.text("service_tier"),
        store=body.flag("store"),
        stream=context.stream if context.stream is not None else bool(body.flag("stream")),
        usage_wanted=_usage_wanted(body),
        extensions=tuple(extensions),
    )


class _Body:
    """Top-level members, null as absent."""

    __slots__ = ("_members",)

    def __init__(self, members: Mapping[str, msgspec.Raw]) -> None:
        self._members = members

    def raw(self, name: str) -> bytes | None:
        raw = self._members.get(name)
        data = None if raw is None else bytes(raw)
        return None if data == b"null" else data

    def value(self, name: str) -> Any:
        raw = self.raw(name)
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
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong_type(name, "a number", value)
        if not least <= value <= most:
            raise wrong(name, f"be between {least:g} and {most:g}")
        return value

    def integer(self, name: str, least: int | None = None, most: int | None = None) -> int | None:
        value = self.value(name)
        if value is None:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise wrong_type(name, "an integer", value)
        if least is not None and value < least:
            raise wrong(name, f"be at least {least}")
        if most is not None and value > most:
            raise wrong(name, f"be at most {most}")
        return value


def _tools(body: _Body, extensions: list[Extension]) -> list[Tool]:
    out: list[Tool] = []
    if (raw := body.raw("tools")) is not None:
        out.extend(request_tools.tools(raw, extensions))
    if (raw := body.raw("functions")) is not None:
        out.extend(request_tools.functions(raw, extensions))
    if (raw := body.raw("web_search_options")) is not None:
        out.append(request_tools.search(raw))
    return out


def _choice(body: _Body) -> ToolChoice | None:
    if (raw := body.raw("tool_choice")) is not None:
        return request_tools.choice(raw)
    if (raw := body.raw("function_call")) is not None:
        return request_tools.choice(raw, "function_call")
    return None


def _sampling(body: _Body) -> Sampling:
    bias = body.raw("logit_bias")
    if bias is not None:
        mapping(body.value("logit_bias"), "logit_bias")
    return Sampling(
        temperature=body.number("temperature", 0, 2),
        top_p=body.number("top_p", 0, 1),
        frequency_penalty=body.number("frequency_penalty", -2, 2),
        presence_penalty=body.number("presence_penalty", -2, 2),
        seed=body.integer("seed"),
        logit_bias=bias,
    )


def _stop(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    found = [value] if isinstance(value, str) else listed(value, "stop")
    if len(found) > 4:
        raise wrong("stop", "have at most 4 entries")
    for at, one in enumerate(found):
        if not isinstance(one, str):
            raise wrong_type(f"stop[{at}]", "a string", one)
    return tuple(one for one in found if one)


def _effort(word: str) -> Effort:
    try:
        return Effort(word)
    except ValueError:
        known = ", ".join(step.value for step in Effort)
        raise wrong("reasoning_effort", f"be one of {known}") from None


def _one_of(body: _Body, name: str, known: tuple[str, ...]) -> str | None:
    value = body.text(name)
    if value is not None and value not in known:
        raise wrong(name, f"be one of {', '.join(known)}")
    return value


def _strings(body: _Body, name: str) -> tuple[str, ...]:
    out: list[str] = []
    for at, one in enumerate(listed(body.value(name), name)):
        if not isinstance(one, str):
            raise wrong_type(f"{name}[{at}]", "a string", one)
        out.append(one.lower())
    return tuple(out)


def _metadata(body: _Body) -> tuple[tuple[str, str], ...]:
    value = body.value("metadata")
    if value is None:
        return ()
    found = mapping(value, "metadata")
    return tuple((name, string(found, name, "metadata")) for name in found)


def _format(body: _Body) -> ResponseFormat | None:
    raw = body.raw("response_format")
    if raw is None:
        return None
    outer = check(_raws, raw, "response_format")
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
        raise Fault(
            Kind.INVALID_TYPE, f"`{path}.schema` must be an object.", param=f"{path}.schema"
        )
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
