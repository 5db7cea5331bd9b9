"""A request body on its way in: its pieces put together, within its limit.

Pieces are gathered in memory once. A large body is kept in a buffer that grows in place and is
given away without a copy: pieces joined at the end would take twice the memory of the body, and
pieces of one byte forty times.
"""

import io
from collections.abc import Callable
from typing import Final

from trivium.edge.body_memory import MemoryShare
from trivium.edge.exchange import Exchange
from trivium.edge.limits import PAGE_BODY_BYTES_MAX, ServerLimits, body_too_large, page_too_large

BLOCK_BYTES: Final = 1_048_576
"""Kept as pieces up to this many bytes: joining these is cheaper than a buffer that grows."""
PIECES_MAX: Final = 1024
"""And up to so many pieces, each of which takes some 40 bytes besides what is in it."""


class BodyBuffer:
    """One body that is kept as it is. See the module."""

    __slots__ = (
        "_buffer", "_bytes_max", "_is_page", "_limits", "_pieces", "_share", "_waiting_bytes",
        "size",
    )  # fmt: skip

    def __init__(
        self, limits: ServerLimits, share: MemoryShare | None, *, is_page: bool = False
    ) -> None:
        """``share``: of the room for bodies; ``None``: it is too small to be counted.

        ``is_page``: it is for a page or its API, which take less.
        """
        self._limits = limits
        self._is_page = is_page
        self._bytes_max = PAGE_BODY_BYTES_MAX if is_page else limits.body_bytes_max
        self._share = share
        self._pieces: list[bytes] = []
        self._waiting_bytes = 0
        self._buffer: io.BytesIO | None = None
        self.size = 0
        """Bytes so far."""

    def feed(self, data: bytes) -> None:
        """A piece of the body. Raises ``Fault`` (BODY_TOO_LARGE, UPSTREAM_BUSY)."""
        self.size += len(data)
        if self.size > self._bytes_max:
            raise page_too_large() if self._is_page else body_too_large(self._limits)
        if self._share is not None:
            self._share.cover(self.size)
        pieces = self._pieces
        pieces.append(data)
        self._waiting_bytes += len(data)
        if self._waiting_bytes > BLOCK_BYTES or len(pieces) > PIECES_MAX:
            self._pour()

    def full(self, resume: Callable[[], None]) -> bool:
        """Memory never makes the sender wait."""
        del resume
        return False

    def finish(self, exchange: Exchange) -> None:
        """Hand the whole body over."""
        pieces = self._pieces
        if self._buffer is not None:
            exchange.body = self._pour().getvalue()
        else:
            exchange.body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        if self._share is not None:
            self._share.came()
            exchange.share = self._share
        self._pieces = []
        self._buffer = None

    def close(self) -> None:
        """Keep nothing of it."""
        self._pieces = []
        self._buffer = None
        if self._share is not None:
            self._share.close()

    def _pour(self) -> io.BytesIO:
        if self._buffer is None:
            self._buffer = io.BytesIO()
        self._buffer.writelines(self._pieces)
        self._pieces = []
        self._waiting_bytes = 0
        return self._buffer
