"""Events of a stream of the messages shape, as loosely as relays write them.

Source: messages streaming reference, read on 2026-11-21.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from trivium.wire.messages import stops
from trivium.wire.sse import Frame

DELTA_TYPE: Final = "content_block_delta"
_ABSENT: Final = msgspec.Raw()


class StreamDelta(msgspec.Struct, gc=False):
    """What the delta of a block or of the message says."""

    type: str = ""
    text: str | None = None
    partial_json: str | None = None
    thinking: str | None = None
    signature: str | None = None
    citation: msgspec.Raw = _ABSENT
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: stops.Details | None = None


class StrictDelta(StreamDelta, gc=False, forbid_unknown_fields=True):
    """A delta of which nothing is passed over but the name of a container."""

    container: msgspec.Raw = _ABSENT


class StreamStart(msgspec.Struct, gc=False):
    """Who answers."""

    id: Any = None
    model: Any = None
    usage: Any = None


class StreamEvent(msgspec.Struct, gc=False):
    """One event; of each kind only what it is read for."""

    type: str = ""
    index: int = 0
    delta: StreamDelta | None = None
    content_block: msgspec.Raw = _ABSENT
    message: StreamStart | None = None
    usage: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT


class Strict(StreamEvent, gc=False, forbid_unknown_fields=True):
    """An event of which nothing is passed over that is not looked at elsewhere."""

    delta: StrictDelta | None = None
    context_management: msgspec.Raw = _ABSENT


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


def delta_of(data: bytes) -> StreamEvent | None:
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
