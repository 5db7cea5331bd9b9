"""Content blocks of an answer as canonical parts, read tolerantly: for answers and streams.

Source: messages reference and SDK types 2.11, read on 2026-11-21.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.arguments import unwrapped_arguments
from trivium.conversation.calls import ToolCall
from trivium.conversation.items import Part
from trivium.conversation.opaque import REDACTED, SIGNATURE, Opaque
from trivium.conversation.parts import Native, Reasoning, ReasoningForm, Text, VendorPart
from trivium.conversation.shape_capabilities import Loss
from trivium.wire.codec import AnswerContext
from trivium.wire.messages import citations
from trivium.wire.messages.answer_structs import AnswerBlock
from trivium.wire.messages.known_members import BLOCKS, is_own
from trivium.wire.messages.paths import broke

SHAPE: Final = citations.SHAPE
EMPTY: Final = frozenset({b"", b"null", b"{}"})
"""Spellings of a call's input that says nothing."""


decode_block: Final = msgspec.json.Decoder(AnswerBlock).decode
_decode_any: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


def attached(kind: str, data: Any, context: AnswerContext) -> tuple[Opaque, ...]:
    """One attachment of the answer; none when there is nothing in it."""
    if not isinstance(data, str) or not data:
        return ()
    return (Opaque(kind, data.encode(), context.origin, context.model),)


def call(block: AnswerBlock) -> ToolCall:
    """A call without its arguments. Raises ``Fault`` (UPSTREAM_BROKE) where it has no name."""
    name = words(block.name)
    if not name:
        raise broke("a call has no name")
    return ToolCall(id=words(block.id), name=name, native=extra(block.caller, block.toolset_name))


def extra(caller: msgspec.Raw, toolset: msgspec.Raw) -> Native | None:
    """The members of a call that no other shape has."""
    rows = {"caller": caller, "toolset_name": toolset}
    kept = {name: raw for name, raw in rows.items() if bytes(raw) not in (b"", b"null")}
    return Native(SHAPE, _encode(kept)) if kept else None


def part(raw: bytes | msgspec.Raw, context: AnswerContext) -> Part:
    """One whole block. Raises ``ValueError`` for what is no object."""
    block = decode_block(raw)
    look(block, raw, context)
    kind = block.type
    if kind == "text":
        return Text(words(block.text), citations.answered(block.citations))
    if kind == "thinking":
        text = words(block.thinking)
        return Reasoning(
            text,
            ReasoningForm.FULL if text else ReasoningForm.HIDDEN,
            opaque=attached(SIGNATURE, block.signature, context),
        )
    if kind == "redacted_thinking":
        return Reasoning("", ReasoningForm.HIDDEN, opaque=attached(REDACTED, block.data, context))
    if kind == "tool_use":
        found = call(block)
        data = bytes(block.input)
        return msgspec.structs.replace(
            found, arguments="{}" if data in EMPTY else unwrapped_arguments(data)
        )
    return other(bytes(raw), context)


def look(block: AnswerBlock, raw: bytes | msgspec.Raw, context: AnswerContext) -> None:
    """Tell of members of a block that nobody knows."""
    known = BLOCKS.get(block.type) if isinstance(block.type, str) else None
    if known is not None:
        known.look(raw, context.unread)


def other(raw: bytes, context: AnswerContext) -> Text | VendorPart:
    """A block that no other shape has; of a kind that nobody has documented, its words if any."""
    found = vendor(raw)
    if is_own(found.kind):
        return found
    text = words(decode_block(raw).text)
    if not text:
        return msgspec.structs.replace(found, known=False)
    context.unread(found.kind or "block", Loss.WORDED)
    return Text(text)


def vendor(raw: bytes) -> VendorPart:
    """A block that no other shape has, kept as it came."""
    block = _decode_any(raw)
    kind = block.get("type")
    return VendorPart(Native(SHAPE, raw), words(kind), rendering(block), _queries(block))


def _queries(block: Mapping[str, Any]) -> tuple[str, ...]:
    wanted = block.get("input")
    if block.get("name") != "web_search" or not isinstance(wanted, Mapping):
        return ()
    query = words(wanted.get("query"))
    return (query,) if query else ()


def rendering(block: Mapping[str, Any]) -> str:
    """What a block of the vendor's own says to people; empty where it says nothing."""
    kind, content = block.get("type"), block.get("content")
    if kind == "server_tool_use":
        wanted = block.get("input")
        query = wanted.get("query", wanted.get("url")) if isinstance(wanted, Mapping) else None
        return f"{words(block.get('name'))}: {query}" if isinstance(query, str) else ""
    if kind == "web_search_tool_result" and isinstance(content, list):
        hits = [row for row in content if isinstance(row, Mapping)]
        return "\n".join(f"{words(hit.get('title'))}: {words(hit.get('url'))}" for hit in hits)
    if kind == "tool_reference":
        # what an agent's search for tools found; a model that reads of none searches again
        return words(block.get("tool_name"))
    if kind == "compaction":
        return words(content)
    if isinstance(content, Mapping):
        return words(content.get("stdout"))
    return ""


def words(value: Any) -> str:
    """A string member; empty where it is none."""
    return value if isinstance(value, str) else ""
