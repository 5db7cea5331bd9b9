"""Parts of an answer as this shape says them, and where attachments ride.

A signature of this shape stays on the very part it came on. What other shapes attach to reasoning
rides on the next call, or on a last empty text: Gemini CLI throws thoughts away when it sends the
history back, but keeps calls whole (Gemini CLI 0.61, run on 2026-11-21).
"""

from typing import Any, Final

import msgspec

from trivium.conversation.arguments import argument_object
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.items import Part
from trivium.conversation.opaque import (
    REASONING_DETAILS,
    REASONING_ITEM,
    REDACTED,
    SIGNATURE,
    Opaque,
)
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Pieces,
    Reasoning,
    Refusal,
    Text,
    VendorPart,
    Video,
)
from trivium.wire.generate import media
from trivium.wire.generate.read_answer_parts import SHAPE

OF_REASONING: Final = frozenset({SIGNATURE, REDACTED, REASONING_ITEM, REASONING_DETAILS})
"""Kinds of attachment that belong to reasoning and ride elsewhere here."""

_decode_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def riding(opaque: tuple[Opaque, ...]) -> tuple[tuple[Opaque, ...], tuple[Opaque, ...]]:
    """Attachments that stay on their part, and those that ride on a later one."""
    return (
        tuple(one for one in opaque if one.kind not in OF_REASONING),
        tuple(one for one in opaque if one.kind in OF_REASONING),
    )


def call(part: ToolCall, arguments: str) -> tuple[dict[str, Any], bool]:
    """A call as a part, and whether its arguments were a JSON object."""
    if part.kind is CallKind.CUSTOM:
        args, whole = msgspec.json.encode({"input": arguments}), True
    else:
        args, whole = argument_object(arguments)
    member: dict[str, Any] = {"id": part.id} if part.id else {}
    member["name"] = part.name
    member["args"] = msgspec.Raw(args)
    return {"functionCall": member}, whole


def plain(part: Part) -> dict[str, Any] | None:
    """Any part of an answer but a call; ``None`` where there is nothing to show."""
    if isinstance(part, Text | Refusal):
        return _text(part.text)
    if isinstance(part, Reasoning):
        return {"text": part.text, "thought": True} if part.text else None
    if isinstance(part, VendorPart):
        own = part.native.shape == SHAPE and not part.queries
        return dict(_decode_members(part.native.data)) if own else None
    if isinstance(part, Image | Video | Audio | Document):
        source = part.source
        if source is not None and not isinstance(source, Pieces):
            return media.member(source)
    return _text(part.transcript) if isinstance(part, Audio) else None


def _text(text: str) -> dict[str, Any] | None:
    return {"text": text} if text else None
