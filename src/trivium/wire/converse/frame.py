"""Frames of one kind of event, written as fast as tokens come.

``event_stream.event`` spells the headers of each frame anew; those of one kind are always the same.
"""

import struct
import zlib
from typing import Final

from trivium.wire import event_stream

_LENGTHS: Final = struct.Struct(">II")
_CHECKSUM: Final = struct.Struct(">I")
_BESIDES: Final = 16
"""Bytes of a frame beside its headers and its payload."""


class FrameTemplate:
    """Writes the frames of one kind of event."""

    __slots__ = ("_head", "_size")

    def __init__(self, kind: str) -> None:
        whole = event_stream.event(kind, b"")
        self._head = whole[12:-4]
        self._size = len(whole)

    def framed(self, payload: bytes) -> bytes:
        """One frame, given its JSON."""
        begin = _LENGTHS.pack(self._size + len(payload), self._size - _BESIDES)
        begin += _CHECKSUM.pack(zlib.crc32(begin)) + self._head + payload
        return begin + _CHECKSUM.pack(zlib.crc32(begin))


HEARTBEAT: Final = event_stream.event("keepAlive", b"{}")
"""An event of a kind that nobody declares. The SDKs pass over those: botocore 1.44, whose parser
finds no member of that name and yields nothing (``botocore.eventstream``, read and run 2026-11-28),
as does Smithy's rule for unions of events, by which a client must not fail at an unknown one."""
