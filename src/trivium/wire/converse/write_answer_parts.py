"""Parts of an answer as content blocks for the caller: what answers and streams write alike.

Attachments travel sealed in the two slots that a client of the shape sends back as it got them:
``reasoningText.signature`` and ``redactedContent``. Those of readable reasoning go into its own
signature; those of a call into redacted content before it; those of a text into reasoning without
words after it, because they may come last. ``read_content.py`` puts them back by the same rule.
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
    Inline,
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
from trivium.wire.converse import citations
from trivium.wire.converse.media import IMAGES, SHAPE, bare
from trivium.wire.messages.citations import segments

_FITS: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_encode: Final = msgspec.json.Encoder().encode
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

TIERS: Final = frozenset({"default", "priority", "flex"})
"""Tiers that the shape has a word for, which is OpenAI's."""


def call_id(call: ToolCall, context: WriteContext, index: int) -> str:
    """The id a client will send back with the result: the maker's own where the shape takes it."""
    if not call.id:
        return f"tooluse_{context.id}{index}"
    return call.id if _FITS.fullmatch(call.id) else minted(call.id)


def call_start(call: ToolCall, context: WriteContext, index: int) -> dict[str, Any]:
    """A call without its input."""
    return {"toolUseId": call_id(call, context, index), "name": call.name}


def call_input(call: ToolCall) -> bytes:
    """A call's input as an object: broken arguments word for word under ``_raw``."""
    if call.kind is CallKind.CUSTOM:
        return _encode({"input": call.arguments})
    return argument_object(call.arguments)[0]


def redacted(opaque: tuple[Opaque, ...], context: WriteContext) -> list[dict[str, Any]]:
    """What carries a call's attachments, or hidden reasoning; nothing without a seal."""
    sealed = context.seal(opaque) if opaque else ""
    # an envelope is base64, as the wire has bytes
    return [{"reasoningContent": {"redactedContent": sealed}}] if sealed else []


def silent(opaque: tuple[Opaque, ...], context: WriteContext) -> list[dict[str, Any]]:
    """What carries a text's attachments; nothing without a seal."""
    sealed = context.seal(opaque) if opaque else ""
    return [_thought("", sealed)] if sealed else []


def _thought(text: str, signature: str) -> dict[str, Any]:
    said = {"text": text, "signature": signature} if signature else {"text": text}
    return {"reasoningContent": {"reasoningText": said}}


def blocks(part: Part, context: WriteContext, index: int) -> list[dict[str, Any]]:
    """The blocks of one whole part, possibly none."""
    if type(part) is Text:
        return _text(part) + silent(part.opaque, context)
    if type(part) is Reasoning:
        if not part.text:
            return redacted(part.opaque, context)
        return [_thought(part.text, context.seal(part.opaque) if part.opaque else "")]
    if type(part) is ToolCall:
        call = call_start(part, context, index) | {"input": msgspec.Raw(call_input(part))}
        return [*redacted(part.opaque, context), {"toolUse": call}]
    if type(part) is VendorPart and part.native.shape == SHAPE:
        return [_members(part.native.data)]
    shown = medium(part)
    if shown is None:
        text = plain(part)
        shown = {"text": text} if text else None
    return [] if shown is None else [shown]


def _text(part: Text) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for text, cited in segments(part):
        if not text:
            continue
        rows = [found for one in cited if (found := citations.written(one)) is not None]
        if rows:
            sources = [msgspec.Raw(row) for row in rows]
            out.append({"citationsContent": {"content": [{"text": text}], "citations": sources}})
        else:
            out.append({"text": text})
    return out


def medium(part: Part) -> dict[str, Any] | None:
    """A picture whose bytes are there, as a block; ``None`` for anything else.

    Streams have events for no other media, and a request asks for none.
    """
    if type(part) is not Image or type(part.source) is not Inline or not part.source.data:
        return None
    format_ = IMAGES.get(bare(part.source.mime))
    if format_ is None:
        return None
    return {"image": {"format": format_, "source": {"bytes": part.source.data}}}


def shows(part: Part) -> bool:
    """Whether media or a search result is told as what it is."""
    return medium(part) is not None


def plain(part: Part) -> str:
    """What stands for a part that this shape cannot show: its words, or a note of what it is."""
    if type(part) is Text or type(part) is Refusal:
        return part.text
    if type(part) is SearchResult:
        return "\n".join([text.text for text in part.texts])
    if type(part) is Audio and part.transcript:
        return part.transcript
    if isinstance(part, Image | Audio | Video | Document):
        return f"[{type(part).__name__} output, which the converse protocol cannot carry]"
    return ""


def counters(usage: Usage) -> dict[str, Any]:
    """A ``usage`` object in the shape's own convention: input apart from cache reads and writes."""
    written = usage.cache_write_short + usage.cache_write_long
    out: dict[str, Any] = {
        "inputTokens": usage.fresh + usage.audio_input + usage.image_input,
        "outputTokens": usage.output_total,
        "totalTokens": usage.input_total + usage.output_total,
        "cacheReadInputTokens": usage.cache_read,
        "cacheWriteInputTokens": written,
    }
    if written:
        out["cacheDetails"] = [
            {"ttl": ttl, "inputTokens": count}
            for ttl, count in (("5m", usage.cache_write_short), ("1h", usage.cache_write_long))
            if count
        ]
    return out


def ending(usage: Usage, tier: str | None) -> dict[str, Any]:
    """What is told at the end beside the reason: counts, the tier, and how long it took.

    The shape demands a latency. A codec has no clock: it is 0, as nobody measured it here.
    """
    out: dict[str, Any] = {"usage": counters(usage), "metrics": {"latencyMs": 0}}
    if tier in TIERS:
        out["serviceTier"] = {"type": tier}
    return out
