"""Heartbeats for streamed answers that have fallen silent, or have not begun.

One ticker looks at all of them. Whether bytes went out since its last look it reads from the
exchange's own count, so a stream that flows pays nothing. A silence before the answer begins is
broken by sending its head: from then on an error is told inside the stream, and another channel may
still be tried, for nothing of an answer has gone out.
"""

import asyncio
from typing import Final

from trivium.pipeline.attempt import Attempt
from trivium.pipeline.request_context import RequestContext
from trivium.wire.heartbeat import BLANK, heartbeat
from trivium.wire.operation import SHAPE

TICK_S: Final = 1.0
"""How often the ticker looks, at most: a heartbeat may come so much later than was set."""


class Heartbeats:
    """Keeps silent streams alive. Belongs to one loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, after_s: float) -> None:
        """``after_s``: seconds of silence before a heartbeat, and between two; 0: none are sent."""
        self._loop = loop
        self._after_s = after_s
        self._tick_s = min(TICK_S, after_s / 4)
        self._stories: dict[RequestContext, tuple[int, float] | None] = {}
        """Bytes sent and when that was first seen; ``None``: not looked at yet."""
        self._ticker: asyncio.TimerHandle | None = None

    def watch(self, context: RequestContext) -> None:
        """Look after a streamed answer until ``forget``."""
        if self._after_s:
            self._stories[context] = None
            if self._ticker is None:
                self._ticker = self._loop.call_later(self._tick_s, self._tick)

    def forget(self, context: RequestContext) -> None:
        """It has ended. Harmless for one that was never watched."""
        self._stories.pop(context, None)

    def _tick(self) -> None:
        if not self._stories:
            self._ticker = None
            return
        self._ticker = self._loop.call_later(self._tick_s, self._tick)
        now = self._loop.time()
        silent: list[RequestContext] = []
        for context, seen in self._stories.items():
            sent = context.exchange.bytes_out
            before, since = seen or (0, context.exchange.arrived)
            if sent != before:
                self._stories[context] = (sent, now)
            elif now - since < self._after_s:
                self._stories[context] = (sent, since)
            else:
                self._stories[context] = (sent, now)
                silent.append(context)
        for context in silent:
            beat(context)


def beat(context: RequestContext) -> None:
    """Send one heartbeat, unless the caller has yet to read what it was sent, or has it all."""
    exchange, facts = context.exchange, context.facts
    assert facts is not None
    if exchange.congested:
        return
    flow = exchange.flow
    watch = None
    if isinstance(flow, Attempt):
        if flow.conclude() or not flow.is_between_events:
            return  # its last event has passed, after which nobody would hear it, or is not whole
        watch = flow.running
    context.open_stream()
    blank = getattr(watch, "blank", BLANK)  # of a stream that passes as the vendor writes it
    beat = heartbeat(SHAPE[context.operation], array=facts.array, blank=blank)
    exchange.write(exchange.framed(beat))
