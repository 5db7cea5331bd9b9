"""One answer while somebody reads it: what has come of it, and who is to be told of more.

It is fed by the request that runs here, or by what another worker has stored of it, and read by
any number of callers, each at its own pace. As long as it is kept, its source need not wait for
anybody: all of it is bounded. What is no longer kept here is let go as soon as everybody has it,
and the source waits for the slowest.
"""

from typing import Final, Protocol

from trivium.faults import Fault, Kind
from trivium.idempotency.model import AnswerHead, Place

LAG_BYTES: Final = 1_048_576
"""How far behind the slowest reader may be of an answer that is not kept."""
PIECE_BYTES: Final = 262_144
"""Largest piece: what is sealed, stored and read again at once."""


class AnswerReader(Protocol):
    """Whoever reads an answer."""

    @property
    def at(self) -> int:
        """How many of its pieces it has."""
        ...

    def more(self) -> None:
        """There is more of it, or it has ended."""
        ...


class AnswerSource(Protocol):
    """Where an answer comes from, if it is made here."""

    def pause(self) -> None:
        """All who read it are too slow."""
        ...

    def resume(self) -> None:
        """They have caught up."""
        ...

    def interrupt(self, fault: Fault) -> None:
        """End the request now, as its shape ends a broken answer."""
        ...

    def leave(self) -> None:
        """Nobody reads it any more."""
        ...


class KeptAnswer:
    """Holds what has come of one answer, and tells its readers of more."""

    __slots__ = (
        "_held",
        "_readers",
        "_waits",
        "body_digest",
        "claim",
        "counted",
        "cuts",
        "fault",
        "first",
        "head",
        "is_broken",
        "is_cut",
        "is_ended",
        "is_kept",
        "is_own",
        "pieces",
        "place",
        "request_id",
        "size",
        "source",
        "stored",
        "stored_head",
    )

    def __init__(self, place: Place, body_digest: str) -> None:
        self.place = place
        self.body_digest = body_digest
        self.request_id = ""
        """Of the request that is answered; empty until that is known."""
        self.claim = 0
        self.head: AnswerHead | None = None
        """``None``: it has not begun."""
        self.pieces: list[bytes] = []
        """Of its body, without the ``first`` that everybody has."""
        self.first = 0
        self.size = 0
        """Bytes of its body so far."""
        self.is_own = False
        """Whether the request runs in this worker."""
        self.is_kept = True
        """Whether all of it stays here, for whoever may come."""
        self.is_ended = False
        self.is_broken = False
        """Whether it ended before it was whole."""
        self.is_cut = False
        """Whether whoever reads it must see that from the connection: nothing in it says so."""
        self.fault: Fault | None = None
        """Why there is no answer at all."""
        self.source: AnswerSource | None = None
        self.counted = 0
        """Bytes of it that its writer has counted."""
        self.stored = 0
        """How many of its pieces the database has."""
        self.cuts: list[int] = []
        """Of what it may have beyond those: where each of the rows ends that were tried."""
        self.stored_head = False
        self._readers: set[AnswerReader] = set()
        self._held = 0
        self._waits = False

    @property
    def is_deserted(self) -> bool:
        """Whether nobody reads it."""
        return not self._readers

    @property
    def is_good(self) -> bool:
        """Whether it is one that may be kept: whole, and no error."""
        head = self.head
        return self.is_ended and not self.is_broken and head is not None and head.status < 300

    # --- the source's side ----------------------------------------------------------------------

    def begin(self, head: AnswerHead) -> None:
        """It has a head. The readers are told with the first piece, or its end."""
        self.head = head

    def add(self, data: bytes) -> None:
        """A piece of its body has come."""
        if not data or self.is_ended:
            return
        if len(data) > PIECE_BYTES:
            self.pieces += [data[at : at + PIECE_BYTES] for at in range(0, len(data), PIECE_BYTES)]
        else:
            self.pieces.append(data)
        self.size += len(data)
        self._held += len(data)
        self._tell()
        self._let_go()

    def end(self, *, broken: bool = False, cut: bool = False) -> None:
        """Nothing follows. ``broken``: it is not whole; ``cut``: nor does it say so."""
        if not self.is_ended:
            self.is_ended = True
            self.is_broken = broken or cut
            self.is_cut = cut
            self.source = None
            self._tell()

    def fail(self, fault: Fault) -> None:
        """There is no answer: whoever reads it is told why, in its own shape."""
        self.fault = fault
        self.end(broken=True)

    def drop(self) -> None:
        """It is not kept any longer; those who read it have it to its end all the same."""
        if self.is_kept:
            self.is_kept = False
            self._let_go()

    # --- the readers' side ----------------------------------------------------------------------

    def enter(self, reader: AnswerReader) -> None:
        """Somebody reads it, from its beginning."""
        self._readers.add(reader)

    def read(self) -> None:
        """A reader has gone on."""
        self._let_go()

    def leave(self, reader: AnswerReader) -> None:
        """A reader has all of it, or has left. Nobody is left to read what is not kept: its source
        is told.
        """
        self._readers.discard(reader)
        self._let_go()
        if self.source is not None and not self.is_kept and not self._readers:
            self.source.leave()

    def interrupt(self, fault: Fault) -> bool:
        """End it now; ``False``: it comes from elsewhere, and may be read on there."""
        if self.source is None or not self.is_own:
            return False
        self.source.interrupt(fault)
        return True

    # --- own ------------------------------------------------------------------------------------

    def _tell(self) -> None:
        for reader in list(self._readers):
            reader.more()

    def _let_go(self) -> None:
        if self.is_kept:
            return
        least = min([reader.at for reader in self._readers], default=self.first + len(self.pieces))
        count = least - self.first
        if count > 0:
            self._held -= sum(map(len, self.pieces[:count]))
            del self.pieces[:count]
            self.first = least
        source = self.source
        if source is None:
            return
        if not self._waits and self._held > LAG_BYTES:
            self._waits = True
            source.pause()
        elif self._waits and self._held <= LAG_BYTES // 2:
            self._waits = False
            source.resume()


def cut_off() -> Fault:
    """The fault of a reader whose answer ends elsewhere before it has any of it."""
    return Fault(
        Kind.UPSTREAM_BUSY,
        "The worker that answered this `Idempotency-Key` has gone; ask again with the same key.",
        retry_after=1.0,
    )
