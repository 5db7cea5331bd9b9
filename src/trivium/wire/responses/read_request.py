"""Requests of the responses shape as conversations, read strictly.

Members that only this shape has are kept with what their loss means. References into a store
(earlier responses, conversations, prompt templates) are refused by name: what is kept is spelled
out before a request comes here.
Source: OpenAI's API reference and openai-python 3.52.0, ``ResponseCreateParams``, read 2026-11-21,
and Codex CLI 0.169.0 on the wire.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

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
)
from trivium.conversation.tools import Tool
from trivium.wire.checks import check, missing, mistyped, wrong
from trivium.wire.codec import ReadContext
from trivium.wire.peek import Members
from trivium.wire.responses import read_tools
from trivium.wire.responses import request_structs as forms
from trivium.wire.responses.media import unresolved
from trivium.wire.responses.read_answer_parts import SHAPE
from trivium.wire.responses.read_input import InputReader
from trivium.wire.responses.request import in_background

_text: Final = msgspec.json.Decoder(forms.TextMember)
_reasoning: Final = msgspec.json.Decoder(forms.ReasoningMember)
_strings: Final = msgspec.json.Decoder(list[str])
_pairs: Final = msgspec.json.Decoder(dict[str, str])
_object: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])

_STORES: Final = {
    "previous_response_id": "an earlier response",
    "conversation": "a stored conversation",
    "prompt": "a stored prompt template",
}
"""Members that take the input from a store."""

_READ: Final = frozenset(
    {*_STORES, "model", "input", "instructions", "max_output_tokens", "stream", "background"}
    | {"temperature", "top_p", "top_logprobs", "text", "reasoning", "include", "store"}
    | {"tools", "tool_choice", "parallel_tool_calls", "metadata", "user", "safety_identifier"}
    | {"prompt_cache_key", "service_tier"}
)
"""Members that have a place in a conversation."""

_RANKS: Final = {
    "access_programs": Rank.BOOKKEEPING,
    "client_metadata": Rank.BOOKKEEPING,
    "image": Rank.BOOKKEEPING,
    "stream_options": Rank.BOOKKEEPING,
    # policy, and what becomes of a conversation that outgrows the window
    "moderation": Rank.CONTRACT,
    "truncation": Rank.CONTRACT,
}
"""What the loss of a member means that only this shape has; any other is a hint."""

_DEFAULTS: Final = frozenset({("truncation", b'"disabled"')})
"""Members that say what is so without them."""

_SEALED: Final = "reasoning.encrypted_content"
_LOGPROBS: Final = "message.output_text.logprobs"
_NO_TEXT: Final = forms.TextMember()
_MODELS_OWN: Final = Sampling()
_EFFORTS: Final = {effort.value: effort for effort in Effort}
_SUMMARIES: Final = frozenset({"auto", "concise", "detailed"})
_VERBOSITIES: Final = frozenset({"low", "medium", "high"})
_TOP_LOGPROBS_MAX: Final = 20


def read(members: Mapping[str, msgspec.Raw], context: ReadContext) -> Conversation:
    """The conversation of a request body. Raises ``Fault`` naming the place."""
    body = Members(members)
    # HOT: what is absent costs one look: 2.7 -> 2.2 us
    # (2026-11-24, bench/hot.py --case request.responses.short)
    there = _READ if body.folded else body.table
    for name, what in _STORES.items():
        if name in there and body.raw(name) is not None:
            raise unresolved(name, what)
    if "background" in there and body.flag("background"):
        raise in_background()
    extensions: list[Extension] = []
    raw_tools = body.raw("tools") if "tools" in there else None
    tools: list[Tool] = []
    if raw_tools is not None:
        tools += read_tools.tools(raw_tools, "tools", extensions)
    if not body.opening("input"):
        raise missing("input")
    turns = InputReader(context.open, tools, extensions).turns(members["input"])
    raw_choice = body.raw("tool_choice") if "tool_choice" in there else None
    instructions = body.string("instructions") if "instructions" in there else None
    top_logprobs = (
        _between(body, "top_logprobs", 0, _TOP_LOGPROBS_MAX) if "top_logprobs" in there else None
    )
    text = (_view(body, _text, "text") if "text" in there else None) or _NO_TEXT
    logprobs = "include" in there and _include(body, extensions)
    wanted = _wish(body, extensions) if "reasoning" in there else None
    if not _READ.issuperset(members):
        _rest(body, extensions)
    return Conversation(
        shape=SHAPE,
        model=context.model or body.needed("model"),
        instructions=(Text(instructions),) if instructions else (),
        turns=turns,
        tools=tuple(tools),
        tool_choice=None if raw_choice is None else read_tools.choice(raw_choice),
        parallel_calls=_flag(body, "parallel_tool_calls")
        if "parallel_tool_calls" in there
        else None,
        sampling=(
            Sampling(temperature=_number(body, "temperature", 2), top_p=_number(body, "top_p", 1))
            if "temperature" in there or "top_p" in there
            else _MODELS_OWN
        ),
        output_max=(body.integer("max_output_tokens", 1) if "max_output_tokens" in there else None),
        reasoning=wanted,
        format=_format(text.format),
        verbosity=_among(text.verbosity, _VERBOSITIES, "text.verbosity"),
        logprobs=True if logprobs or top_logprobs else None,
        # 0 of what is not asked for is what is so without it, and chat servers refuse it alone
        top_logprobs=top_logprobs if logprobs or top_logprobs else None,
        metadata=(
            tuple((_view(body, _pairs, "metadata") or {}).items()) if "metadata" in there else ()
        ),
        user=body.string("user") if "user" in there else None,
        safety_id=body.string("safety_identifier") if "safety_identifier" in there else None,
        cache_key=body.string("prompt_cache_key") if "prompt_cache_key" in there else None,
        service_tier=body.string("service_tier") if "service_tier" in there else None,
        store=_flag(body, "store") if "store" in there else None,
        stream=body.flag("stream") if context.stream is None else context.stream,
        usage_wanted=True,
        extensions=tuple(extensions),
    )


def _view(body: Members, decoder: msgspec.json.Decoder[Any], name: str) -> Any:
    raw = body.raw(name)
    return None if raw is None else check(decoder, raw, name)


def _flag(body: Members, name: str) -> bool | None:
    return None if body.raw(name) is None else body.flag(name)


def _number(body: Members, name: str, most: int) -> float | None:
    value = body.value(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise mistyped(name, "be a number")
    if not 0 <= value <= most:
        raise wrong(name, f"be between 0 and {most}")
    return float(value)


def _between(body: Members, name: str, least: int, most: int) -> int | None:
    value = body.integer(name)
    if value is not None and not least <= value <= most:
        raise wrong(name, f"be between {least} and {most}")
    return value


def _among(value: str | None, known: frozenset[str], path: str) -> str | None:
    if value is not None and value not in known:
        raise wrong(path, f"be one of {', '.join(sorted(known))}")
    return value


def _format(wanted: forms.Format | None) -> ResponseFormat | None:
    if wanted is None:
        return None
    if wanted.type == "text":
        return ResponseFormat(FormatKind.TEXT)
    if wanted.type == "json_object":
        return ResponseFormat(FormatKind.JSON)
    if wanted.type != "json_schema":
        raise wrong("text.format.type", "be text, json_object or json_schema")
    if wanted.name is None:
        raise missing("text.format.name")
    schema = bytes(wanted.schema)
    if schema in (b"", b"null"):
        raise missing("text.format.schema")
    check(_object, schema, "text.format.schema")
    return ResponseFormat(FormatKind.SCHEMA, schema, wanted.name, wanted.description, wanted.strict)


def _wish(body: Members, extensions: list[Extension]) -> ReasoningSettings | None:
    found: forms.ReasoningMember | None = _view(body, _reasoning, "reasoning")
    if found is None:
        return None
    effort = None
    if found.effort is not None:
        effort = _EFFORTS.get(found.effort)
        if effort is None:
            raise wrong("reasoning.effort", f"be one of {', '.join(_EFFORTS)}")
    for name, raw in (("mode", bytes(found.mode)), ("context", bytes(found.context))):
        if raw not in (b"", b"null", b'"standard"', b'"auto"'):
            extensions.append(Extension(f"reasoning.{name}", raw, Rank.HINT))
    summary = _among(found.summary or found.generate_summary, _SUMMARIES, "reasoning.summary")
    if effort is None and summary is None:
        return None
    return ReasoningSettings(
        effort=effort,
        shown=None if summary is None else True,
        style=None if summary == "auto" else summary,
    )


def _include(body: Members, extensions: list[Extension]) -> bool:
    """Whether probabilities are wanted; what else is to be included is kept as a hint."""
    wanted = _view(body, _strings, "include") or ()
    extensions.extend(
        Extension(f"include[{at}]", msgspec.json.encode(one), Rank.HINT)
        for at, one in enumerate(wanted)
        if one not in (_SEALED, _LOGPROBS)
    )
    return _LOGPROBS in wanted


def _rest(body: Members, extensions: list[Extension]) -> None:
    """Members that only this shape has."""
    for name, raw in body.pairs:
        data = bytes(raw)
        if name in _READ or data == b"null" or (name, data) in _DEFAULTS:
            continue
        extensions.append(Extension(name, data, _RANKS.get(name, Rank.HINT)))
