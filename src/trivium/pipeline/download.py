"""Answers that are neither JSON nor events: a vendor's bytes, to the caller as they come.

The first bytes go out at once, at the caller's pace, with the length where the vendor gives one.
Nothing of a file can say that it broke off, so one that does is cut: the caller's HTTP library sees
that it is not whole.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

from trivium.faults import Fault
from trivium.pipeline.services import Exchange
from trivium.upstream.call import Call, HeaderLines

REFUSAL_BYTES_MAX: Final = 65_536
_LENGTH: Final = b"content-length"


def length_of(headers: HeaderLines) -> int | None:
    """The length that a vendor's headers give; ``None`` when they give none."""
    value = dict(headers).get(_LENGTH)
    return int(value) if value is not None and value.isdigit() else None


class FileDownload:
    """The sink and the flow of one call whose answer is a file, for those who are not an attempt.

    ``passes``: the vendor's headers that travel, names in lower case. ``type_of``: the caller's
    content type from the vendor's. Statuses other than 200, 206 and 416 are refusals: ``outcome``
    then has a fault made by ``refused`` from status, headers and body.
    """

    __slots__ = (
        "_begun",
        "_call",
        "_exchange",
        "_parts",
        "_passes",
        "_refused",
        "_size",
        "_type_of",
        "headers",
        "outcome",
        "status",
    )

    def __init__(
        self,
        exchange: Exchange,
        outcome: asyncio.Future[None],
        *,
        passes: frozenset[bytes],
        type_of: Callable[[bytes], bytes],
        refused: Callable[[int, Mapping[str, str], bytes], Fault],
    ) -> None:
        self._exchange = exchange
        self.outcome = outcome
        """Done when the caller has it all, or as much as there was."""
        self._passes = passes
        self._type_of = type_of
        self._refused = refused
        self._begun = False
        self._call: Call | None = None
        self._parts: list[bytes] = []
        self._size = 0
        self.status = 0
        self.headers: HeaderLines = ()

    def attach(self, call: Call) -> None:
        """The call runs: from now on the caller's pace and departure reach it."""
        self._call = call
        if self._exchange.congested:
            call.pause()

    def release(self) -> None:
        """Hang up, whatever state it is in. Harmless when repeated."""
        call, self._call = self._call, None
        if call is not None:
            call.abort()

    # --- the call's side ----------------------------------------------------------------------

    def head(self, status: int, headers: HeaderLines) -> None:
        """Keep it until the first byte: an error may still be told."""
        self.status = status
        self.headers = headers

    def data(self, data: bytes) -> None:
        """A piece of the file, or of what refuses it."""
        if self._is_file():
            self._begin()
            self._exchange.write(data)
        elif self._size < REFUSAL_BYTES_MAX:
            self._size += len(data)
            self._parts.append(data)

    def done(self, rest: bytes = b"") -> None:
        """The file is whole."""
        if self._is_file():
            self._begin()
            self._exchange.finish(rest)
            self._end(None)
            return
        body = b"".join([*self._parts, rest])[:REFUSAL_BYTES_MAX]
        told = {n.decode("latin-1"): v.decode("latin-1") for n, v in self.headers}
        self._end(self._refused(self.status, told, body))

    def broke(self, fault: Fault) -> None:
        """The file broke off: before its first byte somebody may still be told."""
        if self._begun:
            self._exchange.break_off()
            self._end(None)
        else:
            self._end(fault)

    # --- the caller's side --------------------------------------------------------------------

    def pause(self) -> None:
        """The caller reads too slowly."""
        if self._call is not None:
            self._call.pause()

    def resume(self) -> None:
        """The caller has caught up."""
        if self._call is not None:
            self._call.resume()

    def interrupt(self, fault: Fault) -> bool:
        """End a begun file, now: cut, as it cannot be ended otherwise."""
        if not self._begun or self.outcome.done():
            return False
        self.release()
        self.broke(fault)
        return True

    # --- own ------------------------------------------------------------------------------------

    def _is_file(self) -> bool:
        return self.status in (200, 206, 416)

    def _begin(self) -> None:
        if self._begun:
            return
        self._begun = True
        table = dict(self.headers)
        self._exchange.extra += [(n, v) for n, v in self.headers if n in self._passes]
        content_type = self._type_of(table.get(b"content-type", b""))
        self._exchange.begin(self.status, content_type, length=length_of(self.headers))

    def _end(self, fault: Fault | None) -> None:
        if self.outcome.done():
            return
        if fault is None:
            self.outcome.set_result(None)
        else:
            self.outcome.set_exception(fault)
