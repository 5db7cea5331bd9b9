"""Server-sent events on bytes: lines end at LF, CRLF or CR and nowhere else.

``str.splitlines`` and most text decoders also split at U+2028, U+0085 and six more, which JSON
may carry raw inside a string: a frame would be torn in two (httpx 0.28 does). So frames are cut
before decoding.

Source: HTML Living Standard, section 9.2.6, "Interpreting an event stream".
"""

import re
from typing import Final, TypeVar

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire import caps, json_size
from trivium.wire.answer_structs import Frame
from trivium.wire.lenient import Decode, decoded

_T = TypeVar("_T")

FRAME_BYTES_MAX: Final = 64 * 1024 * 1024
"""Longest single frame; a 4K image as base64 stays well under it."""

DONE: Final = b"[DONE]"
"""Data of the frame that ends a stream on the chat and completions shapes."""

_TAIL: Final = 3
"""Bytes of an open block that can belong to a blank line: CR LF CR before the closing LF."""

LONG: Final = 65_536
"""Bytes from which a frame is searched in another way, and nothing is learnt from it."""
HUGE: Final = 2 * 1024 * 1024
"""Bytes from which a frame comes by itself and without its line's name: each copy of it counts."""
_LEAD: Final = 256
"""Bytes in which the names before a frame's data have room."""
_LINES: Final = 4

_SEPARATORS: Final = (
    (b"\xe2\x80\xa8", b"\\u2028"),
    (b"\xe2\x80\xa9", b"\\u2029"),
    (b"\xc2\x85", b"\\u0085"),
)
"""Characters that JSON may carry raw and at which clients split lines that are none."""

_LF: Final = b"\n\n"
_WHOLE: Final = (_LF, b"\r\n\r\n")
_MARK: Final = b"\xef\xbb\xbf"
"""A byte order mark, which may stand before a stream and is no part of its first line."""
_BLANK: Final = re.compile(rb"(?:\r\n|\n|\r(?!\n)){2}")

_decode_object: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class Splitter:
    """Cuts a byte stream into whole blocks, each ending after its blank line.

    ``feed`` returns complete blocks as one run of bytes (possibly empty) and keeps the rest.
    Raises ``Fault`` (``UPSTREAM_BROKE``) when one block outgrows ``limit`` bytes.
    """

    __slots__ = ("_begun", "_lead", "_size", "_tail", "_tally", "limit", "parts")

    def __init__(self, limit: int = FRAME_BYTES_MAX) -> None:
        self.parts: list[bytes] = []
        """Of the block that is still open; none between two blocks."""
        self._begun = False
        self._lead = b""
        """The first bytes, while they may be half a byte order mark."""
        self._size = 0
        self._tail = b""
        self._tally: json_size.JsonTally | None = None
        """Of a large block that is open: counted as it comes, as all of it takes long."""
        self.limit = limit

    @property
    def rest(self) -> bytes:
        """Bytes of the block that is still open."""
        return b"".join(self.parts)

    def feed(self, data: bytes) -> bytes:
        """All blocks completed by ``data``."""
        # The end of the last whole block is searched from the
        # right, so a read of a hundred frames costs one search, not a hundred. The parts of a
        # block that spans many reads are joined once, when it is whole.
        if not self._begun and not (data := self._begin(data)):
            return b""
        if not self.parts:
            # most reads end with a block
            end = len(data) if data.endswith(_WHOLE) else last_boundary(data)
            if end == len(data):
                return data
            if end:
                self._keep(data[end:])
                return data[:end]
            self._keep(data)
            return b""
        return self._go_on(data)

    def cut(self, data: bytes) -> list[bytes | Frame]:
        """As ``feed`` in runs, of which a huge frame of one line is one by itself."""
        if self._size + len(data) > HUGE and (found := self._huge(data)) is not None:
            frame, rest = found
            run = self.feed(rest) if rest else b""
            return [frame, run] if run else [frame]
        run = self.feed(data)
        return [run] if run else []

    def _huge(self, data: bytes) -> tuple[Frame, bytes] | None:
        """The open frame, if ``data`` ends it and it is one line of data, and what comes after."""
        end = data.find(_LF) if self.parts and b"\r" not in data else -1
        if end < 0 or self._size + end <= HUGE or self._tail.endswith(b"\n") or b"\n" in data[:end]:
            return None
        parts = self.parts
        while len(parts) > 1 and len(parts[0]) < _LEAD:
            parts[:2] = [parts[0] + parts[1]]
        lead = parts[0]
        start = lead.find(b"\n") + 1 if lead.startswith(b"event: ") else 0
        if not lead.startswith(b"data: ", start) or b"\r" in lead[:start]:
            return None
        first = lead[start + 6 :]
        if any(b"\n" in part or b"\r" in part for part in (first, *parts[1:])):
            return None
        whole = b"".join([first, *parts[1:], data[:end]])
        tally = self._tally
        self._forget()
        if tally is not None:
            tally.add(data[:end])
            if not tally.fits and json_size.exceeds(whole, caps.OBJECTS_MAX):
                raise caps.too_many("JSON objects in a frame", caps.OBJECTS_MAX)
        return Frame(lead[7 : start - 1] if start else b"", whole), data[end + 2 :]

    def _go_on(self, data: bytes) -> bytes:
        """All blocks completed by ``data``, the first of which is open."""
        window = self._tail + data
        end = last_boundary(window)
        if not end:
            self._keep(data)
            return b""
        whole = b"".join([*self.parts, data])
        end += len(whole) - len(window)
        tally, self._tally = self._tally, None
        self.parts.clear()
        self._size = 0
        if tally is not None:
            tally.add(data)
            if not tally.fits and json_size.exceeds(whole, caps.OBJECTS_MAX):
                raise caps.too_many("JSON objects in a frame", caps.OBJECTS_MAX)
        if end < len(whole):
            self._keep(whole[end:])
            return whole[:end]
        self._tail = b""
        return whole

    def _begin(self, data: bytes) -> bytes:
        """The first bytes of the stream without the mark; none while it may be cut in two."""
        data = self._lead + data
        if len(data) < len(_MARK) and _MARK.startswith(data):
            self._lead = data
            return b""
        self._begun = True
        self._lead = b""
        return data.removeprefix(_MARK)

    def take(self) -> bytes:
        """The open block's bytes, which are forgotten: the stream has ended."""
        rest = b"".join(self.parts)
        self._forget()
        return rest

    def _forget(self) -> None:
        self.parts.clear()
        self._size = 0
        self._tail = b""
        self._tally = None

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self.limit:
            raise Fault(Kind.UPSTREAM_BROKE, "The upstream sent a stream frame that is too large.")
        tail = part if len(part) >= _TAIL or not self.parts else self._tail + part
        self._tail = tail[-_TAIL:]
        self.parts.append(part)
        if self._tally is not None:
            self._tally.add(part)
        elif self._size > caps.OBJECTS_MAX:  # a smaller one cannot hold so many
            self._tally = json_size.JsonTally(caps.OBJECTS_MAX)
            for one in self.parts:
                self._tally.add(one)


def last_boundary(data: bytes) -> int:
    """Index just after the last blank line in ``data``, 0 when there is none.

    A CR that follows a LF at the very end is left open: its own LF may still come.
    """
    if data.endswith(_WHOLE):
        # HOT: reads mostly end with a frame: 41 -> 34 us for a stream in a hundred reads
        # (2026-11-24, bench/hot.py --case watch.responses.cut)
        return len(data)
    end = data.rfind(b"\n\n") + 2
    if b"\r" in data:
        # LF CR (with CRLF as the usual case) and CR CR; a LF after them belongs to the CR
        limit = len(data)
        at = data.rfind(b"\n\r")
        if at + 2 == limit:
            at = data.rfind(b"\n\r", 0, limit - 1)
        for found in (at, data.rfind(b"\r\r")):
            if found >= 0:
                stop = found + 2
                end = max(end, stop + 1 if data[stop : stop + 1] == b"\n" else stop)
    return end if end >= 2 else 0


def first_boundary(data: bytes, at: int = 0) -> int:
    """Index just after the first blank line between LFs from there on, 1 when there is none."""
    if len(data) - at > LONG:
        # two bytes are searched 1 ns a byte, one of them a tenth, and a frame has few line ends
        for _ in range(_LINES):
            at = data.find(b"\n", at) + 1
            if not at:
                return 1
            if data.startswith(b"\n", at):
                return at + 1
    return data.find(b"\n\n", at) + 2


def blocks(run: bytes) -> list[bytes]:
    """A run of whole blocks, one by one, each with its blank line; joined they give the run."""
    if b"\r" not in run:
        if first_boundary(run) == len(run):
            return [run]  # asked for one block, mostly
        parts = run.split(b"\n\n")
        out = [part + b"\n\n" for part in parts[:-1]]
        return [*out, parts[-1]] if parts[-1] else out
    out = []
    start = 0
    for blank in _BLANK.finditer(run):
        out.append(run[start : blank.end()])
        start = blank.end()
    return [*out, run[start:]] if start < len(run) else out


def with_line_feeds(run: bytes) -> bytes:
    """The run with line feeds at the ends of its lines and nothing else."""
    return run.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in run else run


def parse(block: bytes) -> Frame | None:
    """The event of one block; ``None`` when it has no ``data`` line (comments, unknown fields)."""
    if b"data" not in block:
        # thousands of blank lines and comments fit in one read, and none of them waits for this
        return None
    block = with_line_feeds(block)
    event = b""
    data: list[bytes] = []
    for line in block.split(b"\n"):
        if line.startswith(b"data:"):
            data.append(line[6:] if line.startswith(b"data: ") else line[5:])
        elif line.startswith(b"event:"):
            event = line[7:] if line.startswith(b"event: ") else line[6:]
        elif line == b"data":
            data.append(b"")
    if not data:
        return None
    return Frame(event, b"\n".join(data) if len(data) > 1 else data[0])


def window(block: bytes) -> tuple[bytes, memoryview] | None:
    """A block's event name and its data where that lies, for one so long that each copy counts.

    ``None`` when its data is not one line, or another line than the last ends at a CR: ``parse``
    reads those.
    """
    stop = block.find(b"\r")
    if stop < 0:
        stop = len(block)
    elif not block.startswith(_WHOLE[1], stop) or stop + len(_WHOLE[1]) < len(block):
        return None
    event = b""
    data: memoryview | None = None
    at = 0
    while at < stop:
        end = block.find(b"\n", at, stop)
        if end < 0:
            end = stop
        if block.startswith(b"data:", at):
            if data is not None:
                return None
            start = at + 6 if block.startswith(b" ", at + 5) else at + 5
            data = memoryview(block)[start:end]
        elif block.startswith(b"event:", at):
            event = block[at + 6 : end].removeprefix(b" ")
        elif block.startswith(b"data\n", at):
            return None
        at = end + 1
    return None if data is None else (event, data)


def read(block: bytes, decode: Decode[_T]) -> _T | None:
    """What a decoder makes of one block; ``None`` where it says nothing that we can read."""
    found = parse(block)
    return None if found is None else decoded(decode, found.data)


def frames(run: bytes) -> list[Frame]:
    """The events of a run of whole blocks. Comments and unknown fields give nothing."""
    return [found for block in blocks(run) if (found := parse(block)) is not None]


def completed(rest: bytes) -> bytes:
    """A block that the end of the stream left open, closed; empty when its data is cut short.

    Whole is ``[DONE]`` or a whole JSON object: nothing else tells a cut frame from an uncut one.
    """
    block = rest.rstrip(b"\r\n") + b"\n\n"
    found = parse(block)
    if found is None:
        return b""
    if found.data.rstrip() == DONE:
        return block
    return b"" if decoded(_decode_object, found.data) is None else block


def unbroken(run: bytes) -> bytes:
    """JSON with such characters escaped: the same texts, and nothing that tears a line in two.

    Of whole frames or of several, since what is not ASCII stands inside strings only. Clients that
    decode first and split then are google-genai and all that use httpx 0.28.
    """
    if not run.isascii():
        for raw, escaped in _SEPARATORS:
            run = run.replace(raw, escaped)
    return run


def frame(data: bytes, event: bytes = b"") -> bytes:
    """One event as bytes; ``data`` must not contain a line end."""
    if event:
        return b"event: " + event + b"\ndata: " + data + b"\n\n"
    return b"data: " + data + b"\n\n"
