"""Items of an upstream's output as parts of an answer, read tolerantly.

An item of a kind that only this shape has becomes a vendor's part; of a kind that nobody has
documented its words are told as text, if it has any. A message or a call that cannot be read is no
answer: it may have been all the model said. Source: openai-python 3.52.0, ``ResponseOutputItem``,
read 2026-11-21.
"""

from typing import Final

import msgspec

from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Part
from trivium.conversation.opaque import REASONING_ITEM, Opaque
from trivium.conversation.parts import (
    SECTION,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    Text,
    VendorPart,
)
from trivium.conversation.shape_capabilities import Loss
from trivium.wire import caps, logprobs
from trivium.wire.answer_structs import TypeOnly
from trivium.wire.codec import AnswerContext, unheeded
from trivium.wire.errors import nonsense
from trivium.wire.lenient import decoded
from trivium.wire.responses import citations
from trivium.wire.responses.answer_structs import Action, AnswerItem, IncompleteReason, Piece
from trivium.wire.responses.known_members import ITEMS, is_own
from trivium.wire.text_repair import sound
from trivium.wire.unknown_members import Tell

SHAPE: Final = "responses"


_decode: Final = msgspec.json.Decoder(AnswerItem).decode
_decode_kind: Final = msgspec.json.Decoder(TypeOnly).decode
_encode: Final = msgspec.json.Encoder().encode

_REASONS: Final = {"max_output_tokens": Unified.LENGTH, "content_filter": Unified.CONTENT_FILTER}

CALLS: Final[dict[str, CallKind]] = {
    "function_call": CallKind.FUNCTION,
    "custom_tool_call": CallKind.CUSTOM,
}
"""Items that are calls of the caller's tools."""


def item(raw: bytes | msgspec.Raw) -> AnswerItem | None:
    """One item of an answer, as ``any_item``. Raises ``Fault`` when it has too many parts, too."""
    found = any_item(raw)
    if found is not None:
        for pieces in (found.content, found.summary):
            if pieces is not None and len(pieces) > caps.PARTS_MAX:
                raise caps.too_many("parts", caps.PARTS_MAX)
    return found


def any_item(raw: bytes | msgspec.Raw) -> AnswerItem | None:
    """One item; with its kind alone when the rest is of other types, ``None`` when unreadable.

    Raises ``Fault`` (UPSTREAM_BROKE) for a message, a call or reasoning of other types.
    """
    try:
        return _decode(raw)
    except UnicodeDecodeError:
        return any_item(sound(bytes(raw)))
    except (ValueError, RecursionError):
        pass
    if (found := decoded(_decode_kind, raw)) is None:
        return None
    if found.type in ITEMS:
        raise nonsense(f"its {found.type} cannot be read")
    return AnswerItem(type=found.type)


def call(found: AnswerItem) -> ToolCall:
    """The call that an item is, with its arguments as they stand.

    Raises ``Fault`` (UPSTREAM_BROKE) where it has no name: nobody could run it.
    """
    if not found.name:
        raise nonsense("a call has no name")
    return ToolCall(
        # some servers know only one of the two ids
        found.call_id or found.id or "",
        found.name,
        arguments(found),
        CALLS[found.type or ""],
        found.namespace,
    )


def arguments(found: AnswerItem) -> str:
    """Arguments of a call, or the input of a custom tool's, as they stand."""
    text = found.arguments if CALLS[found.type or ""] is CallKind.FUNCTION else found.input
    return text or ""


def attachments(found: AnswerItem, ctx: AnswerContext) -> tuple[Opaque, ...]:
    """The reasoning item as its maker wants it back; empty when there is nothing sealed in it."""
    if not found.encrypted_content:
        return ()
    back: dict[str, object] = {"type": "reasoning"}
    if found.id:
        back["id"] = found.id
    back["summary"] = [
        {"type": "summary_text", "text": piece.text or ""} for piece in found.summary or ()
    ]
    if found.content:
        back["content"] = [
            {"type": "reasoning_text", "text": piece.text or ""} for piece in found.content
        ]
    back["encrypted_content"] = found.encrypted_content
    return (Opaque(REASONING_ITEM, _encode(back), ctx.origin, ctx.model),)


def thoughts(found: AnswerItem) -> list[Reasoning]:
    """Readable reasoning: the summary, then the model's own words."""
    out: list[Reasoning] = []
    for pieces, form in (
        (found.summary, ReasoningForm.SUMMARY),
        (found.content, ReasoningForm.FULL),
    ):
        text = SECTION.join(piece.text for piece in pieces or () if piece.text)
        if text:
            out.append(Reasoning(text, form))
    return out


def content(piece: Piece, unread: Tell = unheeded) -> Text | Refusal | None:
    """A content part; ``None`` for a kind that is not known."""
    if piece.type == "refusal":
        return Refusal(piece.refusal or "")
    if piece.type in ("output_text", "text"):
        return Text(
            piece.text or "",
            citations.answered(piece.annotations),
            logprobs.read(piece.logprobs, unread),
        )
    return None


def parts(raw: bytes | msgspec.Raw, ctx: AnswerContext) -> list[Part]:
    """What one whole item says."""
    found = item(raw)
    if found is None or found.type is None:
        ctx.unread("output", Loss.UNKNOWN)
        return []
    look(found, raw, ctx)
    kind = found.type
    if kind == "message":
        return spoken(found, ctx)
    if kind in CALLS:
        return [call(found)]
    if kind == "reasoning":
        shown: list[Part] = list(thoughts(found))
        opaque = attachments(found, ctx)
        if opaque and shown:
            shown[-1] = msgspec.structs.replace(shown[-1], opaque=opaque)
        elif opaque:
            shown.append(Reasoning("", ReasoningForm.HIDDEN, opaque=opaque))
        return shown
    return other(found, bytes(raw), ctx)


def look(found: AnswerItem, raw: bytes | msgspec.Raw, ctx: AnswerContext) -> None:
    """Tell of members of an item that nobody knows."""
    known = ITEMS.get(found.type or "")
    if known is not None:
        known.look(raw, ctx.unread)


def spoken(found: AnswerItem, ctx: AnswerContext) -> list[Part]:
    """What the content of a message, or of an item like one, says."""
    out: list[Part] = []
    for piece in found.content or ():
        part = content(piece, ctx.unread)
        if part is not None:
            out.append(part)
        else:
            odd(piece, ctx)
            if piece.text:
                out.append(Text(piece.text))
    return out


def odd(piece: Piece, ctx: AnswerContext) -> None:
    """Tell of a content part of a kind that nobody knows."""
    ctx.unread(piece.type or "content", Loss.WORDED if piece.text else Loss.UNKNOWN)


def other(found: AnswerItem, raw: bytes, ctx: AnswerContext) -> list[Part]:
    """An item that no other shape has; of a kind that nobody has documented, its words if any."""
    part = native(found, raw)
    if isinstance(part, Image) or is_own(found.type or ""):
        return [part]
    words = [one for one in spoken(found, ctx) if isinstance(one, Text | Refusal) and one.text]
    if not words:
        return [msgspec.structs.replace(part, known=False)]
    ctx.unread(found.type or "item", Loss.WORDED)
    return list(words)


def native(found: AnswerItem, raw: bytes) -> Image | VendorPart:
    """An item that the vendor's own tools made: a picture, or a block nobody else knows."""
    if found.type == "image_generation_call" and found.result:
        return Image(Inline(f"image/{found.output_format or 'png'}", found.result))
    kind = found.type or ""
    return VendorPart(Native(SHAPE, raw), kind, rendering(found), _queries(kind, found.action))


def _queries(kind: str, action: Action | None) -> tuple[str, ...]:
    if kind != "web_search_call" or action is None:
        return ()
    return tuple(action.queries or ()) or ((action.query,) if action.query else ())


def rendering(found: AnswerItem) -> str:
    """What a vendor's tool did, in words; empty where it does not say."""
    if found.code:
        return found.code
    if found.action is not None:
        return found.action.query or found.action.url or ""
    return ""


def finish(status: str, why: IncompleteReason | None, *, called: bool) -> Finish:
    """The end of an answer; ``called``: whether it asks for a tool of the caller's."""
    if status == "completed":
        return Finish(Unified.TOOL_CALLS if called else Unified.STOP, status)
    reason = (why.reason if why else None) or status
    return Finish(_REASONS.get(reason, Unified.OTHER), reason)
