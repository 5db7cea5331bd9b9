"""Hands a file that came within an answer to whoever takes files, a slice at a time.

Whoever takes it may be slower than memory: it is waited for, and others have their turn between two
slices.
"""

import asyncio
import binascii
import re
from typing import Final

from trivium.faults import Fault, Kind
from trivium.providers.videos.protocol import InlineVideo
from trivium.upstream.answer import AnswerHeaders
from trivium.upstream.call import Taker

_SLICE: Final = 1 << 20
"""Characters of base64 that are decoded in one turn: a multiple of four."""

_KIND: Final = re.compile(r"video/[a-z0-9.+-]{1,80}")
"""Media types that are told: what an answer says may be anything, line ends included."""


class InlineCall:
    """Stands for the call that a taker would hold back or end. See ``upstream.call.Call``."""

    __slots__ = ("_goes", "is_over", "reused")

    def __init__(self) -> None:
        self._goes = asyncio.Event()
        self._goes.set()
        self.is_over = False
        self.reused = False

    def pause(self) -> None:
        """Hand over nothing for now."""
        self._goes.clear()

    def resume(self) -> None:
        """Hand over the rest after a pause."""
        self._goes.set()

    def abort(self) -> None:
        """Hand over nothing any more."""
        self.is_over = True
        self._goes.set()

    async def turn(self) -> None:
        """Let others have a turn, and wait while it is paused."""
        await asyncio.sleep(0)
        await self._goes.wait()


async def hand_over(video: InlineVideo, taker: Taker) -> None:
    """Have a file taken as if it came by itself. Raises what the taker's outcome holds."""
    call = InlineCall()
    taker.attach(call)
    text = video.text
    size = len(text) // 4 * 3 - text[-2:].count("=")
    kind = video.mime if _KIND.fullmatch(video.mime) else "video/mp4"
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {size}"
    taker.head(200, AnswerHeaders(head.encode()))
    for start in range(0, len(text), _SLICE):
        if call.is_over:
            break
        try:
            piece = binascii.a2b_base64(text[start : start + _SLICE], strict_mode=True)
        except ValueError:
            taker.broke(Fault(Kind.UPSTREAM_BROKE, "The upstream's video is not in base64."))
            break
        taker.data(piece)
        await call.turn()
    else:
        taker.done()
    await taker.outcome
