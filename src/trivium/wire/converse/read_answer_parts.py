"""Content blocks of an answer as canonical parts, read tolerantly: for answers and streams.

Source: botocore 1.44's model of the service, read on 2026-11-28.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.arguments import unwrapped_arguments
from trivium.conversation.calls import ToolCall
from trivium.conversation.items import Part
from trivium.conversation.opaque import REDACTED, SIGNATURE, Opaque
from trivium.conversation.parts import (
    Audio,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Text,
    VendorPart,
)
from trivium.conversation.shape_capabilities import Loss
from trivium.wire.codec import AnswerContext
from trivium.wire.converse import citations
from trivium.wire.converse.answer_structs import (
    ConverseBlock,
    ConverseMedium,
    ConverseReasoning,
    ConverseToolUse,
)
from trivium.wire.converse.failure import broke
from trivium.wire.converse.known_members import BLOCKS, OWN
from trivium.wire.converse.media import IMAGE_TYPES, SHAPE, SOUND_TYPES
from trivium.wire.lenient import decoded, string

EMPTY: Final = frozenset({b"", b"null", b"{}"})
"""Spellings of a call's input that says nothing."""
_TEXTS_MAX: Final = 64
"""Members of a block of the vendor's own in which words are looked for."""

_decode: Final = msgspec.json.Decoder(ConverseBlock).decode
_decode_any: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_value: Final = msgspec.json.Decoder().decode


def attached(kind: str, data: Any, context: AnswerContext) -> tuple[Opaque, ...]:
    """One attachment of the answer; none when there is nothing in it."""
    if not isinstance(data, str) or not data:
        return ()
    return (Opaque(kind, data.encode(), context.origin, context.model),)


def call(use: ConverseToolUse) -> ToolCall:
    """A call without its arguments. Raises ``Fault`` (UPSTREAM_BROKE) where it has no name."""
    name = string(use.name)
    if not name:
        raise broke("a call has no name")
    return ToolCall(id=string(use.toolUseId) or "", name=name)


def part(raw: bytes | msgspec.Raw, context: AnswerContext) -> Part:
    """One whole block. Raises ``ValueError`` for what is no object."""
    members = _decode_any(raw)
    kind = next(iter(members), "")
    if len(members) > 1:
        for name in list(members)[1:_TEXTS_MAX]:
            context.unread(name, Loss.UNKNOWN)
    if (known := BLOCKS.get(kind)) is not None:
        known.look(raw, context.unread)
    elif kind != "text":
        return other(kind, members.get(kind, msgspec.Raw(b"null")), bytes(raw), context)
    return _known(_decode(raw), kind, bytes(raw), context)


def _known(block: ConverseBlock, kind: str, raw: bytes, context: AnswerContext) -> Part:
    if block.toolUse is not None:
        if block.toolUse.type is not None:
            # the vendor ran it itself
            return server_call(block.toolUse.name, raw)
        data = bytes(block.toolUse.input)
        arguments = "{}" if data in EMPTY else unwrapped_arguments(data)
        return msgspec.structs.replace(call(block.toolUse), arguments=arguments)
    if block.reasoningContent is not None:
        return _reasoning(block.reasoningContent, context)
    if block.citationsContent is not None:
        cited = block.citationsContent
        return Text(citations.pieces(cited.content), citations.answered(cited.citations))
    return _medium(block, kind, raw)


def _medium(block: ConverseBlock, kind: str, raw: bytes) -> Part:
    """A picture or a sound, of which one that did not come as bytes is kept as it is; else a text
    that may be empty.
    """
    if block.image is not None:
        source = inline(block.image, IMAGE_TYPES)
        return VendorPart(Native(SHAPE, raw), kind) if source is None else Image(source)
    if block.audio is not None:
        source = inline(block.audio, SOUND_TYPES)
        return VendorPart(Native(SHAPE, raw), kind) if source is None else Audio(source)
    return Text(string(block.text) or "")


def _reasoning(said: ConverseReasoning, context: AnswerContext) -> Reasoning:
    if said.reasoningText is not None:
        text = string(said.reasoningText.text) or ""
        return Reasoning(
            text,
            ReasoningForm.FULL if text else ReasoningForm.HIDDEN,
            opaque=attached(SIGNATURE, said.reasoningText.signature, context),
        )
    return Reasoning(
        "", ReasoningForm.HIDDEN, opaque=attached(REDACTED, said.redactedContent, context)
    )


def inline(medium: ConverseMedium, types: Mapping[str, str]) -> Inline | None:
    """A picture or sound with its bytes; ``None`` where it has none, or is of an unknown format."""
    mime = types.get(medium.format) if isinstance(medium.format, str) else None
    data = string(medium.source.bytes) if medium.source is not None else None
    return Inline(mime, data) if mime and data else None


def server_call(name: Any, raw: bytes) -> VendorPart:
    """A call that the vendor ran itself."""
    return VendorPart(Native(SHAPE, raw), "toolUse", string(name) or "")


def other(kind: str, value: msgspec.Raw, raw: bytes, context: AnswerContext) -> Text | VendorPart:
    """A block that no other shape has; of a kind that nobody has documented, its words if any."""
    text = rendering(decoded(_decode_value, value))
    if kind in OWN:
        return VendorPart(Native(SHAPE, raw), kind, text)
    if not text:
        return VendorPart(Native(SHAPE, raw), kind, known=False)
    context.unread(kind[:_TEXTS_MAX] or "block", Loss.WORDED)
    return Text(text)


def rendering(value: Any) -> str:
    """What a block of the vendor's own says to people; empty where it says nothing."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return ""
    if isinstance(text := value.get("text"), str):
        return text
    inner = value.get("text") if isinstance(value.get("text"), dict) else value.get("content")
    if isinstance(inner, dict):
        return string(inner.get("text")) or ""
    return citations.pieces(inner)
