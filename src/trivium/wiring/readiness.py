"""Says whether this worker can answer a priced call now, and which parts are missing."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from trivium.edge.listener import Listener
from trivium.edge.readiness import Readiness
from trivium.ledger.worker import WAITING_MAX

if TYPE_CHECKING:
    from trivium.identity.snapshot import Snapshot
    from trivium.ledger.worker import WorkerLedger
    from trivium.shared.state import SharedState
    from trivium.upstream.vendor_identity import VendorIdentity

STALE_POLLS = 3
"""Looks at the keys that have to fail in a row before the database counts as away."""


def identified(identities: "Sequence[VendorIdentity]") -> bool | None:
    """Whether no account's token or identity is missing; ``None`` where there is none to have."""
    if not identities:
        return None
    return not any(one.is_missed for one in identities)


class Parts:
    """The parts that a request needs, checked when ``/readyz`` is asked. Nothing here waits."""

    def __init__(
        self,
        listeners: Sequence[Listener],
        ledger: "WorkerLedger",
        snapshot: "Snapshot",
        shared: "SharedState | None",
        poll_s: float,
        secrets: Callable[[], bool | None] = lambda: None,
        identities: Callable[[], bool | None] = lambda: None,
    ) -> None:
        """``poll_s``: seconds between two looks at the keys; ``shared``: ``None`` for none;
        ``secrets``: whether stores gave every secret when last asked, ``None`` without stores;
        ``identities``: whether all channels that need one have a token or an identity that holds,
        ``None`` where no request wanted one yet.
        """
        self._listeners = listeners
        self._ledger = ledger
        self._snapshot = snapshot
        self._shared = shared
        self._poll_s = poll_s
        self._secrets = secrets
        self._identities = identities

    def now(self, *, database: bool | None = None) -> Readiness:
        """As it stands. ``database``: whether it answers; ``None``: whether it did lately.

        A priced call needs the journal, and a balance to hold its price against: the database's or,
        while that is away, a lease of this worker's.
        """
        if database is None:
            database = self._snapshot.age() < STALE_POLLS * self._poll_s + 1
        needed = {
            "accepting": not self._listeners[0].leaving,
            "journal": self._ledger.journal.takes(),
            "ledger": self._ledger.waiting < WAITING_MAX
            and (database or self._ledger.holds_leases()),
        }
        wanted = {"database": database, "keys": self._snapshot.age() < 10 * self._poll_s}
        if self._shared is not None:
            wanted["shared"] = self._shared.is_up
        fresh = self._secrets()
        if fresh is not None:
            wanted["secrets"] = fresh
        known = self._identities()
        if known is not None:
            wanted["identities"] = known
        return Readiness(needed=needed, wanted=wanted)
