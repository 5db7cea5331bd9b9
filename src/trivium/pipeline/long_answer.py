"""A long answer: a piece of a stream a turn of the loop, no faster than its caller reads, or a step
of what is made of a whole one.

What was read of a vendor at once may be megabytes, and some shapes say a long text again three or
four times at its end. While that is written the vendor waits, and so does what it sent since.
"""

import asyncio
from collections.abc import Callable, Iterator
from typing import Protocol

from trivium.faults import Fault
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.structs import WholeAnswer


class PieceWriter(Protocol):
    """The attempt that the answer belongs to."""

    context: RequestContext
    long: "LongAnswer | None"

    def pump(self, data: bytes) -> None:
        """Write what is made of these bytes; of none the next piece."""
        ...

    def done(self, rest: bytes = b"") -> None:
        """The vendor's body is whole."""
        ...

    def broke(self, fault: Fault) -> None:
        """The vendor's answer cannot go on."""
        ...

    def resume(self) -> None:
        """Have the vendor's connection read again."""
        ...

    def crash(self, error: Exception) -> None:
        """End it by what nobody planned."""
        ...


class LongAnswer:
    """What is left of one answer's reads, and what came from the vendor in the meantime."""

    __slots__ = ("_attempt", "_fault", "_has_ended", "_is_due", "_parts")

    def __init__(self, attempt: PieceWriter) -> None:
        self._attempt = attempt
        self._parts: list[bytes] = []
        self._has_ended = False
        self._fault: Fault | None = None
        """Why the vendor's answer cannot go on."""
        self._is_due = False
        """Whether a turn of the loop is to write the next piece."""

    def add(self, data: bytes) -> None:
        """Body bytes that came too early."""
        self._parts.append(data)

    def end(self, fault: Fault | None = None, rest: bytes = b"") -> None:
        """The vendor's body is whole, with these last bytes, or cannot go on."""
        self._parts.append(rest)
        self._has_ended, self._fault = True, fault

    def later(self) -> None:
        """Write the next piece in a later turn."""
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        """Write the next piece, unless the caller is behind: whoever is told of that asks again."""
        self._is_due = False
        attempt = self._attempt
        exchange = attempt.context.exchange
        if attempt.long is not self or (exchange.congested and not exchange.gone):
            return
        if attempt.context.catch_up():
            self.later()  # what was sent is counted in a turn of its own
            return
        try:
            attempt.pump(b"")
            if exchange.congested and not exchange.gone:
                return  # what follows would lie beside what the caller has yet to read
            if self._is_at_end() and any(self._parts):
                data, self._parts = b"".join(self._parts), []
                attempt.pump(data)
            if self._is_at_end():
                self._go_on(attempt)
        except Exception as exc:  # noqa: BLE001 - told to whoever waits for the outcome
            attempt.crash(exc)

    def _is_at_end(self) -> bool:
        """Whether nothing is left to be written, and nobody has ended the answer."""
        return self._attempt.long is self and not self._is_due

    def _go_on(self, attempt: PieceWriter) -> None:
        attempt.long = None
        if self._fault is not None:
            attempt.broke(self._fault)
        elif self._has_ended:
            attempt.done()
        elif not attempt.context.exchange.congested:
            attempt.resume()


class LongWhole(LongAnswer):
    """A long answer that came whole, and what a lane makes of it, a step a turn."""

    __slots__ = ("_deliver", "_give_up", "_steps")

    def __init__(
        self,
        attempt: PieceWriter,
        steps: Iterator[WholeAnswer | None],
        deliver: Callable[[WholeAnswer], None],
        give_up: Callable[[Exception], None],
    ) -> None:
        """``deliver`` gets what the last step gives, ``give_up`` what any raises."""
        super().__init__(attempt)
        self._steps = steps
        self._deliver = deliver
        self._give_up = give_up
        self.later()

    def _run(self) -> None:
        self._is_due = False
        attempt = self._attempt
        if attempt.long is not self:
            return
        try:
            whole = next(self._steps)
            if whole is None:
                self.later()
                return
            attempt.long = None
            self._deliver(whole)
        except Exception as exc:  # noqa: BLE001 - told to whoever waits for the outcome
            attempt.long = None
            self._give_up(exc)
