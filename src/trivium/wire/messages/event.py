"""Events of a stream of the messages shape, as loosely as relays write them.

Source: messages streaming reference, read on 2026-11-21.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from trivium.wire.answer_structs import Frame
from trivium.wire.messages.stream_structs import StreamEvent, Strict
from trivium.wire.text_repair import sound

DELTA_TYPE: Final = "content_block_delta"


decode: Final = msgspec.json.Decoder(StreamEvent).decode
"""Raises ``ValueError`` or ``RecursionError`` for what is no such event."""
decode_strict: Final = msgspec.json.Decoder(Strict).decode
"""The same; refuses members that are not read there."""
_decode_any: Final = msgspec.json.Decoder().decode
_decode_lines: Final = msgspec.json.Decoder(StreamEvent).decode_lines
_decode_strict_lines: Final = msgspec.json.Decoder(Strict).decode_lines


def decode_all(lines: bytes) -> tuple[Sequence[StreamEvent], bool]:
    """The events of many lines, and whether all of their members are known; none of nonsense."""
    try:
        return _decode_strict_lines(lines), True
    except (ValueError, RecursionError):
        pass
    try:
        return _decode_lines(lines), False
    except (ValueError, RecursionError):
        return (), False


def delta_of(data: bytes | memoryview) -> StreamEvent | None:
    """The event that is a delta with a text and nothing unknown; ``None`` if it is another."""
    try:
        event = decode_strict(data)
    except (ValueError, RecursionError):
        return None
    return event if event.type == DELTA_TYPE and text_of(event) else None


def text_of(event: StreamEvent) -> str:
    """What a delta adds to its block, of whatever kind the block is."""
    delta = event.delta
    return "" if delta is None else delta.text or delta.partial_json or delta.thinking or ""


def lenient(frame: Frame) -> StreamEvent:
    """An event; of one that makes no sense only its kind, if we can do without the rest.

    Raises ``ValueError`` where we cannot.
    """
    try:
        return decode(frame.data)
    except UnicodeDecodeError:
        return lenient(Frame(frame.event, sound(frame.data)))
    except msgspec.ValidationError:
        members = _decode_any(frame.data)
        kind = members.get("type") if isinstance(members, dict) else ""
        kind = kind if isinstance(kind, str) and kind else frame.event.decode("utf-8", "replace")
        if kind in _READ:
            raise
        return StreamEvent(type=kind)


_READ: Final = frozenset(
    {
        "message_start",
        "message_delta",
        "content_block_start",
        DELTA_TYPE,
        "content_block_stop",
        "error",
    }
)
"""Events that cannot be passed over when they make no sense."""
