"""Parts of an answer as content blocks for the caller: what answers and streams write alike.

Attachments travel sealed in the two slots that every client of the shape is known to echo:
``thinking.signature`` and ``redacted_thinking.data``. Those of readable reasoning go into its own
signature; those of a call into a redacted block before it; those of a text into a silent thinking
block after it, because they may come last. ``read_content.py`` puts them back by the same rule.
"""

import re
from typing import Any, Final

import msgspec

from trivium.conversation.arguments import argument_object
from trivium.conversation.calls import CallKind, ToolCall
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
    VendorPart,
    Video,
)
from trivium.conversation.tool_pairs import minted
from trivium.conversation.usage import Usage
from trivium.wire.codec import WriteContext
from trivium.wire.messages import citations

SHAPE: Final = citations.SHAPE
_FITS: Final = re.compile(r"[A-Za-z0-9_-]+")
_encode: Final = msgspec.json.Encoder().encode
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

TIERS: Final = {
    "auto": "standard",
    "default": "standard",
    "flex": "standard",
    "standard": "standard",
    "priority": "priority",
    "batch": "batch",
}
"""OpenAI's words for the tier that served an answer, in this shape's."""


def call_id(call: ToolCall, context: WriteContext, index: int) -> str:
    """The id a client will send back with the result: the maker's own where the shape takes it."""
    if not call.id:
        return f"toolu_{context.id}{index}"
    return call.id if _FITS.fullmatch(call.id) else minted(call.id)


def call_start(call: ToolCall, context: WriteContext, index: int) -> dict[str, Any]:
    """A call's block without its input."""
    block: dict[str, Any] = {
        "type": "tool_use",
        "id": call_id(call, context, index),
        "name": call.name,
        "input": {},
    }
    if call.native is not None and call.native.shape == SHAPE:
        block |= _members(call.native.data)
    return block


def call_input(call: ToolCall) -> bytes:
    """A call's input as an object: broken arguments word for word under ``_raw``."""
    if call.kind is CallKind.CUSTOM:
        return _encode({"input": call.arguments})
    return argument_object(call.arguments)[0]


def redacted(opaque: tuple[Opaque, ...], context: WriteContext) -> list[dict[str, Any]]:
    """The block that carries a call's attachments, or hidden reasoning; none without a seal."""
    sealed = context.seal(opaque) if opaque else ""
    return [{"type": "redacted_thinking", "data": sealed}] if sealed else []


def silent(opaque: tuple[Opaque, ...], context: WriteContext) -> list[dict[str, Any]]:
    """The block that carries a text's attachments; none without a seal."""
    sealed = context.seal(opaque) if opaque else ""
    return [{"type": "thinking", "thinking": "", "signature": sealed}] if sealed else []


def blocks(part: Part, context: WriteContext, index: int) -> list[dict[str, Any]]:
    """The blocks of one whole part, possibly none: empty text is refused when it comes back."""
    if type(part) is Text:
        return _text(part) + silent(part.opaque, context)
    if type(part) is Reasoning:
        if not part.text:
            return redacted(part.opaque, context)
        signature = context.seal(part.opaque) if part.opaque else ""
        return [{"type": "thinking", "thinking": part.text, "signature": signature}]
    if type(part) is ToolCall:
        block = call_start(part, context, index)
        block["input"] = msgspec.Raw(call_input(part))
        return [*redacted(part.opaque, context), block]
    if type(part) is VendorPart and part.native.shape == SHAPE:
        return [{**_members(part.native.data), "type": part.kind}]
    text = plain(part)
    return [{"type": "text", "text": text}] if text else []


def _text(part: Text) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for text, cited in citations.segments(part):
        if not text:
            continue
        block: dict[str, Any] = {"type": "text", "text": text}
        rows = [found for one in cited if (found := citations.written(one, text)) is not None]
        if rows:
            block["citations"] = [msgspec.Raw(row) for row in rows]
        out.append(block)
    return out


def plain(part: Part) -> str:
    """What stands for a part that this shape cannot show: its words, or a note of what it is."""
    if type(part) is Text or type(part) is Refusal:
        return part.text
    if type(part) is SearchResult:
        return "\n".join(text.text for text in part.texts)
    if type(part) is Audio and part.transcript:
        return part.transcript
    if isinstance(part, Image | Audio | Video | Document):
        return f"[{type(part).__name__} output, which the messages protocol cannot carry]"
    return ""


def counters(usage: Usage, service_tier: str | None = None) -> dict[str, Any]:
    """A ``usage`` object in the shape's own convention: input apart from cache reads and writes."""
    out: dict[str, Any] = {
        "input_tokens": usage.fresh + usage.audio_input + usage.image_input,
        "cache_creation_input_tokens": usage.cache_write_short + usage.cache_write_long,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_write_short,
            "ephemeral_1h_input_tokens": usage.cache_write_long,
        },
        "output_tokens": usage.output_total,
        "output_tokens_details": {"thinking_tokens": usage.reasoning},
    }
    if service_tier in TIERS:
        out["service_tier"] = TIERS[service_tier]
    return out
