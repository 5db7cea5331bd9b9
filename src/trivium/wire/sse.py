"""Server-sent events on bytes: lines end at LF, CRLF or CR and nowhere else.

``str.splitlines`` and most text decoders also split at U+2028, U+0085 and six more, which JSON
may carry raw inside a string: a frame would be torn in two (httpx 0.28 does). So frames are cut
before decoding.
"""

from typing import Final

import msgspec

from trivium.faults import Fault, Kind

FRAME_BYTES_MAX: Final = 64 * 1024 * 1024
"""Longest single frame; a 4K image as base64 stays well under it."""


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One event: its ``event:`` name (empty when absent) and its joined ``data:`` lines."""

    event: bytes
    data: bytes


class Splitter:
    """Cuts a byte stream into whole blocks, each ending after its blank line.

    ``feed`` returns complete blocks as one run of bytes (possibly empty) and keeps the rest.
    Raises ``Fault`` (``UPSTREAM_BROKE``) when one block outgrows ``limit`` bytes.
    """

    __slots__ = ("_rest", "limit")

    def __init__(self, limit: int = FRAME_BYTES_MAX) -> None:
        self._rest = b""
        self.limit = limit

    @property
    def rest(self) -> bytes:
        """Bytes of the block that is still open."""
        return self._rest

    def feed(self, data: bytes) -> bytes:
        """All blocks completed by ``data``."""
        # HOT: one call per upstream read. The end of the last whole block is searched from the
        # right, so a read of a hundred frames costs one search, not a hundred.
        if self._rest:
            data = self._rest + data
        end = last_boundary(data)
        if end == len(data):
            self._rest = b""
            return data
        self._rest = data[end:]
        if len(self._rest) > self.limit:
            raise Fault(Kind.UPSTREAM_BROKE, "The upstream sent a stream frame that is too large.")
        return data[:end]


def last_boundary(data: bytes) -> int:
    """Index just after the last blank line in ``data``, 0 when there is none.

    A CR at the very end is left open: the LF that may follow belongs to it.
    """
    end = data.rfind(b"\n\n") + 2
    if b"\r" in data:
        crlf = data.rfind(b"\r\n\r\n")
        if crlf >= 0 and crlf + 4 > end:
            end = crlf + 4
        for pattern in (b"\r\r", b"\n\r", b"\r\n\n"):
            at = data.rfind(pattern)
            if at < 0:
                continue
            stop = at + len(pattern)
            if data[stop - 1 : stop] == b"\r":
                if stop == len(data):
                    # maybe half of a CRLF: wait, unless an earlier boundary serves
                    continue
                if data[stop : stop + 1] == b"\n":
                    stop += 1
            end = max(end, stop)
    return end if end >= 2 else 0


def frames(blocks: bytes) -> list[Frame]:
    """The events of a run of whole blocks. Comments and unknown fields give nothing."""
    if b"\r" in blocks:
        blocks = blocks.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    out: list[Frame] = []
    for block in blocks.split(b"\n\n"):
        event = b""
        data: list[bytes] = []
        for line in block.split(b"\n"):
            if line.startswith(b"data:"):
                data.append(line[6:] if line.startswith(b"data: ") else line[5:])
            elif line.startswith(b"event:"):
                event = line[6:].strip()
            elif line == b"data":
                data.append(b"")
        if data:
            out.append(Frame(event, b"\n".join(data) if len(data) > 1 else data[0]))
    return out


def frame(data: bytes, event: bytes = b"") -> bytes:
    """One event as bytes; ``data`` must not contain a line end."""
    if event:
        return b"event: " + event + b"\ndata: " + data + b"\n\n"
    return b"data: " + data + b"\n\n"
