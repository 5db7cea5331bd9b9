"""Hands a file that came within an answer to whoever takes files, a slice at a time.

Whoever takes it may be slower than memory: it is waited for, and others have their turn between two
slices.
"""

import asyncio
import binascii
import re
from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.providers.videos.protocol import InlineVideo
from trivium.upstream.answer import AnswerHeaders
from trivium.upstream.call import Taker

_SLICE: Final = 1 << 20
"""Characters of base64 that are decoded in one turn, at most."""
_ESCAPE: Final = 6
"""Characters of an escape of JSON, at most: one may be cut."""

_string: Final = msgspec.json.Decoder(str).decode
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
    try:
        pieces = await _plain(video.pieces)
    except ValueError:
        taker.broke(_no_base64())
        await taker.outcome
        return
    size = sum(map(len, pieces)) // 4 * 3 - b"".join(pieces[-2:])[-2:].count(b"=")
    kind = video.mime if _KIND.fullmatch(video.mime) else "video/mp4"
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {size}"
    taker.head(200, AnswerHeaders(head.encode()))
    pieces.reverse()
    rest = b""
    while pieces and not call.is_over:
        text = rest + pieces.pop()
        end = len(text) // 4 * 4 if pieces else len(text)
        text, rest = text[:end], text[end:]
        if not text:
            continue
        try:
            data = binascii.a2b_base64(text, strict_mode=True)
        except ValueError:
            data = b""
        # padding ends a file, and nothing else
        if data and (not pieces or len(data) * 4 == len(text) * 3):
            taker.data(data)
            await call.turn()
        else:
            taker.broke(_no_base64())
            break
    else:
        if not call.is_over:
            taker.done()
    await taker.outcome


def _no_base64() -> Fault:
    return Fault(Kind.UPSTREAM_BROKE, "The upstream's video is not in base64.")


async def _plain(written: list[bytes]) -> list[bytes]:
    """The pieces without JSON's escapes, each of about a slice; what was given is let go of. Raises
    ``ValueError``.
    """
    written.reverse()
    out: list[bytes] = []
    rest = b""
    while written:
        text = rest + written.pop()
        end = text.rfind(b"\\", max(0, len(text) - _ESCAPE)) if written else -1
        text, rest = (text, b"") if end < 0 else (text[:end], text[end:])
        if b"\\" in text:
            text = _string(b'"%b"' % text).encode("ascii")
        if len(text) <= _SLICE:
            out.append(text)
        else:
            out += [text[at : at + _SLICE] for at in range(0, len(text), _SLICE)]
        await asyncio.sleep(0)
    return out
