"""Whole answers as Cohere's shape has them.

Words before calls are the plan, where they are one piece: the examples of the vendor send a plan
and its calls back and nothing else. Attachments travel sealed in members that the official SDK
sends back with the message (``read_messages.py``).
Source: cohere-python 7.3.1, ``V2ChatResponse``, read 2026-11-28.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.answer import Answer
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.estimate import tokens
from trivium.conversation.items import Part
from trivium.conversation.opaque import Opaque
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Reasoning,
    Refusal,
    SearchResult,
    Text,
    TokenLogprob,
    Video,
)
from trivium.conversation.usage import Usage
from trivium.wire.codec import WriteContext
from trivium.wire.cohere import citations, finish, usage
from trivium.wire.cohere.read_messages import SIGNATURE

_encode: Final = msgspec.json.Encoder().encode
Row = dict[str, Any]


def write(answer: Answer, context: WriteContext) -> bytes:
    """The body; of several candidates the first, since the shape has one."""
    candidate = answer.candidates[0]
    counted = answer.usage
    if counted is None:
        counted = Usage(fresh=tokens(context.request), estimated=True)
    body: Row = {
        "id": context.id,
        "finish_reason": finish.written(candidate.finish, map(type, candidate.parts)),
        "message": _message(candidate.parts, context),
        "usage": usage.written(counted),
    }
    told = [likely(one) for part in candidate.parts if type(part) is Text for one in part.logprobs]
    if told:
        body["logprobs"] = told
    return _encode(body)


def _message(parts: tuple[Part, ...], context: WriteContext) -> Row:
    content: list[Row] = []
    texts: list[tuple[Text, int]] = []
    calls: list[Row] = []
    for index, part in enumerate(parts):
        if type(part) is ToolCall:
            calls.append(_call(part, context, index))
        else:
            if type(part) is Text and part.text:
                texts.append((part, len(content)))
            content += _content(part, context)
    message: Row = {"role": "assistant"}
    kind = citations.TEXT
    if calls and len(texts) == 1 and [row["type"] for row in content].count("text") == 1:
        message["tool_plan"] = content.pop(texts[0][1])["text"]
        kind = citations.PLAN
    if content or not calls:
        message["content"] = content
    if calls:
        message["tool_calls"] = calls
    sources = citations.sources_of(context.members)
    cited = [
        row
        for part, at in texts
        for one in part.citations
        if (row := citations.written(one, at, part.text, len(part.text), sources, kind)) is not None
    ]
    if cited:
        message["citations"] = cited
    return message


def _content(part: Part, context: WriteContext) -> list[Row]:
    """The entry of a part, if it says anything."""
    if type(part) is Reasoning:
        sealed = signed(part.opaque, context)
        if not part.text and not sealed:
            return []
        return [{"type": "thinking", "thinking": part.text, **sealed}]
    text = plain(part)
    return [{"type": "text", "text": text}] if text else []


def signed(opaque: tuple[Opaque, ...], context: WriteContext) -> Row:
    """The member that carries attachments; none without a seal."""
    sealed = context.seal(opaque) if opaque else ""
    return {SIGNATURE: sealed} if sealed else {}


def _call(call: ToolCall, context: WriteContext, index: int) -> Row:
    function = {"name": call.name, "arguments": arguments(call)}
    id_ = call_id(call, context, index)
    return {"id": id_, "type": "function", "function": function, **signed(call.opaque, context)}


def call_id(call: ToolCall, context: WriteContext, index: int) -> str:
    """The id that a client sends back with the result."""
    return call.id or f"call_{context.id}{index}"


def arguments(call: ToolCall) -> str:
    """The arguments as JSON text; those of a free-text tool in one member."""
    if call.kind is CallKind.CUSTOM:
        return _encode({"input": call.arguments}).decode()
    return call.arguments or "{}"


def likely(one: TokenLogprob) -> Row:
    """The probability of a token, whose number among the model's own nobody told."""
    return {"text": one.token, "token_ids": [], "logprobs": [one.logprob]}


def plain(part: Part) -> str:
    """What stands for a part that this shape cannot show: its words, or a note of what it is."""
    if isinstance(part, Text | Refusal):
        return part.text
    if isinstance(part, SearchResult):
        return "\n".join(text.text for text in part.texts)
    if isinstance(part, Audio) and part.transcript:
        return part.transcript
    if isinstance(part, Image | Audio | Video | Document):
        return f"[{type(part).__name__} output, which Cohere's protocol cannot carry]"
    return ""
