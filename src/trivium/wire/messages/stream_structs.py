"""What is read of the JSON of a stream of messages: to translate it, and to watch it."""

from typing import Any, Final

import msgspec

from trivium.wire.messages.answer_structs import StopDetails

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
    stop_details: StopDetails | None = None


class StrictDelta(StreamDelta, gc=False, forbid_unknown_fields=True):
    """A delta of which nothing is passed over but the name of a container."""

    container: msgspec.Raw = _ABSENT


class StreamStart(msgspec.Struct, gc=False):
    """The message in ``message_start``: its id, its model and the first usage."""

    id: Any = None
    model: Any = None
    usage: msgspec.Raw = _ABSENT


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


class WatchedMessage(msgspec.Struct, gc=False):
    """The message in an event that is watched."""

    usage: dict[str, Any] | None = None


class WatchedEvent(msgspec.Struct, gc=False):
    """An event that is watched, as the protocol has it."""

    type: Any = None
    """Of which relays make anything; only a text is a kind."""
    message: WatchedMessage | None = None
    usage: dict[str, Any] | None = None
    """Cumulative totals of the whole message, not of this event."""
    delta: Any = None
    error: msgspec.Raw = _ABSENT


class LooseEvent(msgspec.Struct, gc=False):
    """An event of which any member may be anything."""

    type: Any = None
    message: msgspec.Raw = _ABSENT
    usage: msgspec.Raw = _ABSENT
    delta: Any = None
    error: msgspec.Raw = _ABSENT
