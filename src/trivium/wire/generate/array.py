"""Streamed generate-content without ``alt=sse``: one JSON array, element by element.

Only whole elements are forwarded, bytes untouched, so that the array can be closed legally
whatever happens upstream. The closing bracket waits until a candidate has said why it ended: an
array that was cut short is closed behind an error element instead. Source: the vendor's
reference and clients that read this form, 2026-11-21.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.errors import body
from trivium.wire.generate.chunk import cut_short, read
from trivium.wire.generate.usage import merged, usage
from trivium.wire.operation import Shape
from trivium.wire.sse import FRAME_BYTES_MAX

_GAP: Final = re.compile(rb"[ \t\r\n,]*+").match
_STRING: Final = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL).match
"""Up to the quote that ends a string, or to a backslash whose partner has not come yet."""
_PLAIN: Final = re.compile(rb'[^{}"]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^{}"]*+)*+', re.DOTALL).match
"""Up to the next brace outside strings, or to a string that is still open."""

_OPEN, _QUOTE, _BACKSLASH = b'{"\\'
_OPEN_ARRAY, _CLOSE_ARRAY = b"[]"


class ArrayWatch:
    """Watches one streamed array."""

    __slots__ = (
        "_at",
        "_buffer",
        "_counters",
        "_depth",
        "_ended",
        "_in_string",
        "_opened",
        "_over",
        "_sent",
        "_start",
        "error",
        "finished",
        "limit",
        "usage",
    )

    def __init__(self, limit: int = FRAME_BYTES_MAX) -> None:
        self.usage: Usage | None = None
        self.finished = False
        self.error: bytes | None = None
        self.limit = limit
        self._counters: Mapping[str, Any] = {}
        self._ended = False
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
        before = self._counters
        whole = self._scan()
        if self._counters is not before:
            self.usage = usage(self._counters)
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
        data = body(fault or cut_short(), request_id, Shape.GENERATE)
        return (b",\r\n" if self._sent else b"[") + data + b"]"

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
        # HOT: one turn per brace, not per byte; strings are skipped at C speed and no byte is
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
        chunk = read(element)
        if chunk is None:
            return False
        if chunk.error is not None:
            self.error = chunk.error
            self._over = True
            return True
        self._ended = self._ended or chunk.finished
        if chunk.usage is not None:
            self._counters = merged(self._counters, chunk.usage)
        return False
