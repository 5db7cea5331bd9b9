"""What a caller is told whose request is not paid for."""

from typing import Final

from trivium.faults import Fault, Kind
from trivium.ledger.amounts import format_usd
from trivium.routing.model import Model

RETRY_S: Final = 2.0
"""After which a caller may try again that could pay with what others have leased."""


def too_low(amount_nanos: int) -> Fault:
    """The refusal of an account that cannot pay."""
    return Fault(
        Kind.BALANCE_TOO_LOW,
        f"The balance is too low: this request may cost up to {format_usd(amount_nanos)} USD. "
        "Top up the balance, or ask for less: a lower limit on output tokens, fewer pictures, "
        "a shorter video.",
    )


def unpriced(model: Model, what: str) -> Fault:
    """The refusal of a request for what the model has no price for."""
    return Fault(
        Kind.NOT_PERMITTED,
        f"The model `{model.name}` has no price for {what}, so it is not served. Its operator can "
        "give it one.",
        param="model",
    )


def unknown() -> Fault:
    """What is told while the database is away."""
    return Fault(Kind.LEDGER_DOWN, "The balance cannot be looked up at the moment; try again.")


def elsewhere() -> Fault:
    """What is told where the money is there, and a worker that has leased it does not answer."""
    return Fault(
        Kind.LEDGER_DOWN,
        "What is left of the balance is set aside elsewhere at the moment; try again.",
        retry_after=RETRY_S,
    )


def unnoted() -> Fault:
    """What is told when the journal cannot be written."""
    return Fault(Kind.INTERNAL, "The gateway cannot note the request's cost, so it is not served.")
