"""Quote, hold, settle: the three moments at which a request meets money.

Until prices are in force every quote is zero and nothing is booked; the pipeline already tells
its story through this seam.
"""

from typing import Protocol

from trivium.conversation.usage import Usage
from trivium.ledger.model import Hold
from trivium.routing.model import Model
from trivium.wire.passage import Facts


class Ledger(Protocol):
    """What the pipeline asks of the ledger. All calls are synchronous: no database on this path."""

    def quote(self, model: Model, facts: Facts, body_bytes: int) -> int:
        """The most this request can cost, in nano-dollars."""
        ...

    def hold(self, request_id: str, user_id: int, amount_nanos: int) -> Hold:
        """Reserve the quote. Raises ``Fault`` (BALANCE_TOO_LOW)."""
        ...

    def settle(self, hold: Hold, model: Model | None, usage: Usage | None) -> int:
        """Book the real cost against the hold, exactly once; returns nano-dollars charged."""
        ...


class OpenLedger:
    """Lets everything pass and books nothing."""

    def quote(self, model: Model, facts: Facts, body_bytes: int) -> int:
        """Zero."""
        del model, facts, body_bytes
        return 0

    def hold(self, request_id: str, user_id: int, amount_nanos: int) -> Hold:
        """A hold of the quoted amount."""
        return Hold(request_id=request_id, user_id=user_id, amount_nanos=amount_nanos)

    def settle(self, hold: Hold, model: Model | None, usage: Usage | None) -> int:
        """Nothing to book."""
        del hold, model, usage
        return 0
