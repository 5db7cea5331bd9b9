"""Quote, hold, settle: the three moments at which a request meets money.

``ledger/worker.py`` has the real ledger; ``OpenLedger`` lets everything pass and books nothing.
"""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from trivium.conversation.usage import Usage
from trivium.ledger.model import FREE, Hold, Quote
from trivium.routing.model import Model
from trivium.settings.budget import Budget
from trivium.wire.attribution import NOBODY, Attributed
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts


class Payer(Protocol):
    """Whose balance pays: what the ledger reads of a caller."""

    @property
    def payer_id(self) -> int:
        """The id of the account that pays."""
        ...

    @property
    def key_id(self) -> int:
        """The key that was presented, for the explained bill."""
        ...

    @property
    def user_id(self) -> int:
        """The id of who asks, where a team pays for them."""
        ...

    @property
    def team_id(self) -> int:
        """The team that the key spends for; 0: none."""
        ...

    @property
    def unlimited(self) -> bool:
        """Spends without a balance."""
        ...

    @property
    def group(self) -> str:
        """The price group; empty for none."""
        ...


class Ledger(Protocol):
    """What the pipeline asks of the ledger. Only ``lease`` waits: no database on the hot path."""

    def quote(
        self,
        caller: Payer,
        model: Model,
        operation: Operation,
        facts: RequestFacts,
        body_bytes: int,
    ) -> Quote:
        """The most this request can cost. Raises ``Fault`` (NOT_PERMITTED) without a price."""
        ...

    def hold(
        self,
        request_id: str,
        caller: Payer,
        quote: Quote,
        budgets: Sequence[Budget] = (),
        who: Attributed = NOBODY,
    ) -> Hold | None:
        """Reserve the quote, also of these budgets; ``None`` when that takes a ``lease`` first.
        ``who``: for whom, as the caller says.

        Raises ``Fault``: INTERNAL when the journal cannot be written, LEDGER_DOWN when too much
        waits to be booked.
        """
        ...

    async def lease(
        self,
        request_id: str,
        caller: Payer,
        quote: Quote,
        budgets: Sequence[Budget] = (),
        who: Attributed = NOBODY,
    ) -> Hold:
        """Reserve the quote after asking the account and the budgets for more.

        Raises ``Fault`` (BALANCE_TOO_LOW, BUDGET_SPENT, LEDGER_DOWN, INTERNAL).
        """
        ...

    def counted(self, hold: Hold, budgets: Sequence[Budget]) -> Hold:
        """The hold with the counters of these budgets, for one that is a row."""
        ...

    def extend(self, hold: Hold, more_nanos: int) -> Hold | None:
        """The hold with so much more in it; ``None`` when that cannot be had without waiting.

        Settle the hold that it returns, and no longer the one it was given.
        """
        ...

    def hand_over(self, hold: Hold, quote: Quote) -> Hold:
        """Another model is asked, at the prices of its quote; as much stays held as before.

        Raises ``Fault`` (INTERNAL) when the journal cannot be written; then all is as it was.
        """
        ...

    def settle(self, hold: Hold, usage: Usage | None, end: str = "", channel: str = "") -> int:
        """Book the real cost against the hold, exactly once; returns nano-dollars charged.

        ``usage``: ``None`` when nothing is charged. ``end``: how it ended, unless it ended well.

        ``channel``: which answered, or was asked last.
        """
        ...

    def gather(self) -> None:
        """From here to ``flush``, in the same turn of the loop, notes need not be written singly.

        No request whose hold was made meanwhile goes upstream before ``flush``, nor the last byte
        of an answer that was settled.
        """
        ...

    def flush(self) -> list[str]:
        """Write what was gathered; the requests whose hold could not be noted.

        They must not go upstream, and are settled with nothing.
        """
        ...


class OpenLedger:
    """Lets everything pass and books nothing."""

    def quote(
        self,
        caller: Payer,
        model: Model,
        operation: Operation,
        facts: RequestFacts,
        body_bytes: int,
    ) -> Quote:
        """Return a price of zero for every request."""
        del caller, model, operation, facts, body_bytes
        return FREE

    def hold(
        self,
        request_id: str,
        caller: Payer,
        quote: Quote,
        budgets: Sequence[Budget] = (),
        who: Attributed = NOBODY,
    ) -> Hold | None:
        """A hold of nothing."""
        del budgets, who
        return Hold(request_id=request_id, user_id=caller.payer_id, amount_nanos=quote.amount_nanos)

    async def lease(
        self,
        request_id: str,
        caller: Payer,
        quote: Quote,
        budgets: Sequence[Budget] = (),
        who: Attributed = NOBODY,
    ) -> Hold:
        """Never needed; the same."""
        del budgets, who
        return Hold(request_id=request_id, user_id=caller.payer_id, amount_nanos=quote.amount_nanos)

    def counted(self, hold: Hold, budgets: Sequence[Budget]) -> Hold:
        """Return the hold as it is: nothing is counted."""
        del budgets
        return hold

    def extend(self, hold: Hold, more_nanos: int) -> Hold | None:
        """Return a larger hold; it is never refused."""
        return msgspec.structs.replace(hold, amount_nanos=hold.amount_nanos + more_nanos)

    def hand_over(self, hold: Hold, quote: Quote) -> Hold:
        """The same hold with other prices."""
        return msgspec.structs.replace(hold, quote=quote)

    def settle(self, hold: Hold, usage: Usage | None, end: str = "", channel: str = "") -> int:
        """Return a cost of 0, without an entry."""
        del hold, usage, end, channel
        return 0

    def gather(self) -> None:
        """Do nothing, because there is no journal."""

    def flush(self) -> list[str]:
        """Return no ids, because nothing was gathered."""
        return []
