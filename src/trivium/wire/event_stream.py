"""Frames of ``application/vnd.amazon.eventstream``: headers and a payload between two checksums.

A frame is its length, the length of its headers, a CRC-32 of those eight bytes, the headers, the
payload, and a CRC-32 of all before it; integers are big-endian.

Source: "Event stream encoding" of the Smithy specification and ``botocore.eventstream`` 1.44, read
on 2026-11-28.
"""

import binascii
import struct
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire import caps, json_size

HEADERS_BYTES_MAX: Final = 131_072
"""Most bytes of the headers of one frame, as the vendor's own clients have it."""
PAYLOAD_BYTES_MAX: Final = 25_165_824
"""Most bytes of the payload of one frame, as the vendor's own clients have it: 24 MiB. What
server-sent events may have (``sse.FRAME_BYTES_MAX``) is more, and no client of Amazon's would read
it."""
LONG_BYTES: Final = 65_536
"""Of a frame that is checked and counted as it comes: all of it would be a long turn at its end."""
HEADERS_MAX: Final = 64
"""Most headers of one frame; vendors send three to five."""

HeaderValue: TypeAlias = bool | int | bytes | str
"""Times are whole milliseconds since 1970, identifiers their sixteen bytes."""

_PRELUDE: Final = 12
_TRAILER: Final = 4
_LEAST: Final = _PRELUDE + _TRAILER

_LENGTHS: Final = struct.Struct(">III")
_CHECKSUM: Final = struct.Struct(">I")
_SHORT: Final = struct.Struct(">H")

_TRUE: Final = 0
_FALSE: Final = 1
_NUMBERS: Final = {
    2: struct.Struct(">b"),
    3: struct.Struct(">h"),
    4: struct.Struct(">i"),
    5: struct.Struct(">q"),
    8: struct.Struct(">q"),  # a time
}
_BYTES: Final = 6
_TEXT: Final = 7
_IDENTIFIER: Final = 9
_IDENTIFIER_BYTES: Final = 16
_INTEGER: Final = 4
_LONG: Final = 5
_NAME_MAX: Final = 255
_VALUE_MAX: Final = 65_535
_INTEGER_END: Final = 2**31


class EventFrame(msgspec.Struct, frozen=True, gc=False):
    """One whole frame whose checksums were right."""

    headers: dict[str, HeaderValue]
    """In their order; names as they came (``:message-type``, ``:event-type``)."""
    payload: bytes

    def word(self, name: str) -> str:
        """A header that is a text; empty where there is none, or it is anything else."""
        value = self.headers.get(name)
        return value if isinstance(value, str) else ""


class EventFrames:
    """Cuts bytes, which may come cut anywhere, into frames. One object per stream."""

    __slots__ = ("_checked", "_checksum", "_held", "_relays", "_tally", "_wanted", "run")

    def __init__(self, *, relays: bool = False) -> None:
        """``relays``: whether the bytes themselves are handed on, and payloads are looked at only
        where they are short. Those of long frames are left out then.
        """
        self._relays = relays
        self.run = b""
        """Where they are handed on: the bytes of the frames that came whole last."""
        self._held = bytearray()
        self._wanted = 0
        """Bytes of the frame that is open, once its beginning has been checked; else 0."""
        self._checked = self._checksum = 0
        """How much of it has been looked at, and the checksum of that."""
        self._tally: json_size.JsonTally | None = None
        """Of the objects in that, where there may be too many."""

    @property
    def waiting(self) -> int:
        """Bytes of the frame that is still open: of a stream that ends there, one was cut."""
        return len(self._held)

    def feed(self, data: bytes) -> list[EventFrame]:
        """The frames that became whole. Raises ``Fault`` (UPSTREAM_BROKE) for a checksum that is
        wrong, for lengths that cannot be, for headers that cannot be read and for more objects
        than an answer may hold.
        """
        held = self._held
        held += data
        out: list[EventFrame] = []
        at = 0
        while True:
            if not self._wanted:
                if len(held) - at < _PRELUDE:
                    break
                self._wanted = _size(held, at)
            end = at + self._wanted
            if len(held) < end:
                break
            out.append(self._whole(at, end))
            at = end
            self._wanted = 0
        if self._relays:
            with memoryview(held) as view:
                self.run = bytes(view[:at])
        del held[:at]
        if self._wanted > LONG_BYTES:
            self._look(0, min(len(held), self._wanted - _TRAILER))
        return out

    def _look(self, start: int, end: int) -> None:
        """Take what came of the open frame, which begins and ends there, into its checksum."""
        held, begin = self._held, start + self._checked
        with memoryview(held) as view, view[begin:end] as more:
            self._checksum = binascii.crc32(more, self._checksum)
        if self._wanted > caps.OBJECTS_MAX:
            if self._tally is None:
                self._tally = json_size.JsonTally(caps.OBJECTS_MAX)
            self._tally.add(bytes(held[begin:end]))
        self._checked = end - start

    def _whole(self, start: int, end: int) -> EventFrame:
        held = self._held
        last = end - _TRAILER
        self._look(start, last)
        checksum, tally = self._checksum, self._tally
        self._checked, self._checksum, self._tally = 0, 0, None
        if checksum != _CHECKSUM.unpack_from(held, last)[0]:
            raise broken("a frame does not match its checksum")
        _, size, _ = _LENGTHS.unpack_from(held, start)
        head = start + _PRELUDE
        headers = _headers(bytes(held[head : head + size]))
        payload = b""
        is_crowded = tally is not None and not tally.fits
        if is_crowded or not self._relays or end - start <= LONG_BYTES:
            with memoryview(held) as view:
                payload = bytes(view[head + size : last])
        if is_crowded and json_size.exceeds(payload, caps.OBJECTS_MAX):
            raise caps.too_many("JSON objects in a frame", caps.OBJECTS_MAX)
        return EventFrame(headers, payload)


def _size(held: bytearray, at: int) -> int:
    """The length of the frame that begins at a place, looked at before anything is waited for."""
    size, headers, checksum = _LENGTHS.unpack_from(held, at)
    if binascii.crc32(bytes(held[at : at + _PRELUDE - _TRAILER])) != checksum:
        raise broken("a frame's beginning does not match its checksum")
    if headers > HEADERS_BYTES_MAX or size < headers + _LEAST:
        raise broken(f"a frame of {size} bytes says that its headers take {headers}")
    if size - headers - _LEAST > PAYLOAD_BYTES_MAX:
        raise broken(f"a frame of {size} bytes is too long")
    return int(size)


def _headers(data: bytes) -> dict[str, HeaderValue]:
    out: dict[str, HeaderValue] = {}
    at, end = 0, len(data)
    try:
        while at < end:
            begin = at + 1
            at = begin + data[at]
            name = data[begin:at].decode()
            value, at = _value(data, at)
            if at > end:
                raise broken("a frame's headers are cut")
            if name in out:
                raise broken("a frame has the same header twice")
            out[name] = value
            if len(out) > HEADERS_MAX:
                raise broken(f"a frame has more than {HEADERS_MAX} headers")
    except (IndexError, struct.error):
        raise broken("a frame's headers are cut") from None
    except UnicodeDecodeError:
        raise broken("a frame's headers are no text") from None
    return out


def _value(data: bytes, at: int) -> tuple[HeaderValue, int]:
    """The value whose kind stands at a place, and where it ends."""
    kind = data[at]
    at += 1
    if kind in (_TEXT, _BYTES):
        (size,) = _SHORT.unpack_from(data, at)
        at += _SHORT.size
        raw = data[at : at + size]
        if len(raw) < size:
            raise broken("a frame's headers are cut")
        return (raw.decode() if kind == _TEXT else raw), at + size
    if kind in (_TRUE, _FALSE):
        return kind == _TRUE, at
    if (number := _NUMBERS.get(kind)) is not None:
        return int(number.unpack_from(data, at)[0]), at + number.size
    if kind == _IDENTIFIER:
        return data[at : at + _IDENTIFIER_BYTES], at + _IDENTIFIER_BYTES
    raise broken(f"a frame has a header of the unknown kind {kind}")


def broken(what: str) -> Fault:
    """The fault of a stream that is not framed as it should be."""
    return Fault(Kind.UPSTREAM_BROKE, f"The upstream's event stream cannot be read: {what}.")


def framed(headers: Mapping[str, HeaderValue], *payload: bytes) -> bytes:
    """One frame. Raises ``ValueError`` for headers or a payload that no frame has room for.

    ``payload``: in parts, as it may be long and is joined once.
    """
    return b"".join(parts(headers, payload))


def parts(headers: Mapping[str, HeaderValue], payload: Sequence[bytes]) -> list[bytes]:
    """As ``framed``, for a frame that is never joined: what it is made of, in order."""
    head = b"".join([_header(name, value) for name, value in headers.items()])
    size = sum(map(len, payload))
    if len(head) > HEADERS_BYTES_MAX or size > PAYLOAD_BYTES_MAX:
        raise ValueError("too long for a frame")
    lengths = struct.pack(">II", _LEAST + len(head) + size, len(head))
    begin = lengths + _CHECKSUM.pack(binascii.crc32(lengths)) + head
    checksum = binascii.crc32(begin)
    for part in payload:
        checksum = binascii.crc32(part, checksum)
    return [begin, *payload, _CHECKSUM.pack(checksum)]


def event(kind: str, *payload: bytes) -> bytes:
    """A frame with an event of one kind, whose ``payload`` is JSON, in parts."""
    return b"".join(event_parts(kind, payload))


def event_parts(kind: str, payload: Sequence[bytes]) -> list[bytes]:
    """As ``event``, for a frame that is never joined."""
    return parts(
        {":event-type": kind, ":content-type": "application/json", ":message-type": "event"},
        payload,
    )


def exception(kind: str, payload: bytes) -> bytes:
    """A frame that ends a stream with an exception of one kind, whose ``payload`` is JSON."""
    return framed(
        {
            ":exception-type": kind,
            ":content-type": "application/json",
            ":message-type": "exception",
        },
        payload,
    )


def _header(name: str, value: HeaderValue) -> bytes:
    label = name.encode()
    if not 0 < len(label) <= _NAME_MAX:
        raise ValueError("a header's name has 1 to 255 bytes")
    return bytes([len(label)]) + label + _spelled(value)


def _spelled(value: HeaderValue) -> bytes:
    if isinstance(value, bool):
        return bytes([_TRUE if value else _FALSE])
    if isinstance(value, int):
        kind = _INTEGER if -_INTEGER_END <= value < _INTEGER_END else _LONG
        try:
            return bytes([kind]) + _NUMBERS[kind].pack(value)
        except struct.error:
            raise ValueError("a header's number takes more than 64 bits") from None
    raw = value.encode() if isinstance(value, str) else value
    if len(raw) > _VALUE_MAX:
        raise ValueError("a header's value has at most 65,535 bytes")
    return bytes([_TEXT if isinstance(value, str) else _BYTES]) + _SHORT.pack(len(raw)) + raw
