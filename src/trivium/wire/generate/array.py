"""Streamed generate-content without ``alt=sse``: one JSON array, element by element.

Only whole elements are forwarded, bytes untouched, so that the array can be closed legally
whatever happens upstream. The closing bracket waits until a candidate has said why it ended: an
array that was cut short is closed behind an error element instead. Source: the vendor's
reference and clients that read this form, 2026-11-21.
"""

import re
from typing import Any, Final

from trivium.faults import Fault, Kind
from trivium.wire import caps, errors, json_size
from trivium.wire.errors import body
from trivium.wire.generate.chunk import ReplyWatch, read, read_all, told
from trivium.wire.generate.read_usage import CACHED, complete, merged
from trivium.wire.operation import Shape
from trivium.wire.sse import FRAME_BYTES_MAX

_GAP: Final = re.compile(rb"[ \t\r\n,]*+").match
_STRING: Final = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL).match
"""Up to the quote that ends a string, or to a backslash whose partner has not come yet."""
_PLAIN: Final = re.compile(rb'[^{}"]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^{}"]*+)*', re.DOTALL).match
"""Up to the next brace outside strings, or to a string that is still open.

The outermost repetition gives back: CPython 3.11.2 runs past the open string if it is possessive.
"""

_BLANK_BYTES: Final = 4096
"""Blanks and commas that are kept between two elements; vendors send three."""
_BETWEEN: Final = b" \t\r\n,"
_REASON: Final = b'Reason"'  # finishReason, blockReason
_CACHED: Final = CACHED.encode()

_OPEN, _QUOTE, _BACKSLASH = b'{"\\'
_OPEN_ARRAY, _CLOSE_ARRAY = b"[]"


class ArrayWatch(ReplyWatch):
    """Watches one streamed array."""

    __slots__ = (
        "_at",
        "_buffer",
        "_depth",
        "_in_string",
        "_opened",
        "_over",
        "_sent",
        "_start",
        "limit",
    )

    def __init__(self, limit: int = FRAME_BYTES_MAX) -> None:
        super().__init__()
        self.limit = limit
        self._buffer = bytearray()  # what has not been forwarded
        self._at = 0  # how far the buffer has been looked at
        self._start = 0  # where the open element starts
        self._depth = 0  # braces open; brackets need no count, elements are objects
        self._in_string = False
        self._opened = False
        self._over = False  # nothing more is forwarded
        self._sent = False

    def feed(self, data: bytes) -> bytes:
        """What to forward of one upstream read: whole elements, up to an error.

        Raises ``Fault`` (UPSTREAM_BROKE) when an element outgrows ``limit`` bytes.
        """
        if self._over:
            return b""
        self._buffer += data
        whole = (0 if self._depth else self._whole()) or self._scan()
        if not self._depth and len(self._buffer) - whole > _BLANK_BYTES:
            self._drop_blanks(whole)
        out = bytes(self._buffer[:whole])
        del self._buffer[:whole]
        self._at -= whole
        self._start -= whole
        if len(self._buffer) > self.limit:
            raise Fault(Kind.UPSTREAM_BROKE, "The upstream sent an element that is too large.")
        self._sent = self._sent or bool(out)
        return out

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """An error element and the closing bracket, unless the array has been closed."""
        if self.finished:
            return b""
        data = body(fault or errors.cut_short(), request_id, Shape.GENERATE)
        return (b",\r\n" if self._sent else b"[") + data + b"]"

    def _drop_blanks(self, whole: int) -> None:
        """Forget blanks between two elements: else every read looks at all of them again."""
        if self._at != len(self._buffer):
            return
        rest = b"".join(bytes(self._buffer[whole:]).split())
        if len(rest) > _BLANK_BYTES:
            raise Fault(Kind.UPSTREAM_BROKE, "The upstream sent an array of nothing but commas.")
        self._buffer[whole:] = rest
        self._at = len(self._buffer)

    def _whole(self) -> int:
        """Look at a read that ends with an element, or with the array.

        How many bytes may be forwarded; 0, and nothing changed, where it is to be looked at
        closely: an element is open, has an error or is not what it should be.
        """
        # HOT: vendors mostly write an element at once: 331 -> 33 us for a hundred in one read
        # (2026-11-24, bench/hot.py --case watch.generate-array.run)
        text = bytes(self._buffer)
        begin = _GAP(text, self._at).end()  # type: ignore[union-attr]  # matches always
        if not self._opened:
            if text[begin : begin + 1] != b"[":
                return 0
            begin += 1
        stop = len(text.rstrip(_BETWEEN))
        closes = text.endswith(b"]", begin, stop)
        end = len(text[: stop - 1].rstrip(_BETWEEN)) if closes else stop
        if not text.endswith(b"}", begin, end):
            return 0
        elements = read_all(b"[" + text[begin:end] + b"]")
        if elements is None:
            return 0
        self._count(text, [element.usageMetadata for element in elements])
        if not self._ended and text.rfind(_REASON) >= 0:
            self._ended = any(told(element).finished for element in reversed(elements))
        self._opened = True
        self._at = len(text)
        self._over = closes
        self.finished = closes and self._ended
        return stop if self.finished else end

    def _count(self, text: bytes, reported: list[Any]) -> None:
        """Note the counters of several elements."""
        last = reported[-1]
        if isinstance(last, dict) and complete(last):
            if last.get(CACHED) is not None:
                self._counters = last
                return
            if text.rfind(_CACHED) < 0:
                self._counters = merged(self._counters, last)
                return
        for one in reported:
            if isinstance(one, dict):
                self._counters = merged(self._counters, one)

    def _scan(self) -> int:
        """Look at new bytes; how many from the start of the buffer may be forwarded."""
        buffer = self._buffer
        size = len(buffer)
        at = self._at
        whole = 0
        while at < size:
            if self._depth:
                at = self._skip(at, size)
                if self._depth or self._is_error(buffer[self._start : at]):
                    break
                whole = at
                continue
            at = _GAP(buffer, at).end()  # type: ignore[union-attr]  # matches always
            if at == size:
                break
            if not self._between(buffer[at]):
                whole = at + 1 if self.finished else whole
                break
            self._start = at
            at += 1
        self._at = at
        return whole

    def _skip(self, at: int, size: int) -> int:
        """Offset behind the open element, or as far as the buffer goes."""
        # one turn per brace, not per byte; strings are skipped at C speed and no byte is
        # looked at more than twice, however the reads cut it.
        buffer = self._buffer
        depth = self._depth
        while at < size:
            if self._in_string:
                at = _STRING(buffer, at).end()  # type: ignore[union-attr]  # matches always
                if at == size or buffer[at] == _BACKSLASH:
                    break
                self._in_string = False
                at += 1
            at = _PLAIN(buffer, at).end()  # type: ignore[union-attr]  # matches always
            if at == size:
                break
            mark = buffer[at]
            at += 1
            if mark == _OPEN:
                depth += 1
            elif mark == _QUOTE:
                self._in_string = True
            else:
                depth -= 1
                if not depth:
                    break
        self._depth = depth
        return at

    def _between(self, mark: int) -> bool:
        """Whether the array goes on at ``mark``, a byte between two elements."""
        if mark == _OPEN and self._opened:
            self._depth = 1
            return True
        if mark == _OPEN_ARRAY and not self._opened:
            self._opened = True
            return True
        self._over = True
        self.finished = mark == _CLOSE_ARRAY and self._opened and self._ended
        return False

    def _is_error(self, element: bytearray) -> bool:
        if len(element) > caps.OBJECTS_MAX and json_size.exceeds(bytes(element), caps.OBJECTS_MAX):
            raise caps.too_many("JSON objects in an element", caps.OBJECTS_MAX)
        chunk = read(element)
        if chunk is None:
            return False
        if chunk.error is not None:
            self.error = chunk.error
            self._over = True
            return True
        self._note(chunk)
        return False
