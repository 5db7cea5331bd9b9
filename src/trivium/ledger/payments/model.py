"""A payment, what a provider says of it, and why something was refused."""

from collections.abc import Mapping
from enum import Enum, unique
from typing import Final, Protocol

import msgspec

from trivium.ledger.errors import LedgerError
from trivium.ledger.model import NANOS

CURRENCY: Final = "usd"
"""Balances are US dollars; another currency would need a rate that somebody answers for."""
NANOS_PER_CENT: Final = NANOS // 100
REFUND: Final = ":refund:"
"""Between the request id of a payment's entry and, in cents, all that was given back with it."""
REFERENCE_BYTES: Final = 18
"""Of chance in a payment's name: two gateways may share one account at the provider."""


@unique
class PaymentState(Enum):
    """How far a payment has come."""

    OPEN = "open"
    """The payer was sent to the provider."""
    PROCESSING = "processing"
    """The payer is done, the money is on its way: bank debits take days."""
    PAID = "paid"
    """The money is there and booked."""
    FAILED = "failed"
    EXPIRED = "expired"
    HELD = "held"
    """Something was paid, but not what was asked for: an operator decides."""


WAITING: Final = (PaymentState.OPEN, PaymentState.PROCESSING)
"""States in which a payer waits for something to happen."""


class Payment(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt to buy balance. Times in seconds since the epoch; ``None``: not yet, or never."""

    id: int = 0
    reference: str
    """Our name for it at the provider and in addresses."""
    user_id: int
    app_id: int | None
    """The OAuth application that sent the user here."""
    provider: str
    session_id: str | None = None
    """The provider's name for the page where it is paid."""
    charge: str | None = None
    """The provider's name for the money itself, by which refunds and disputes name it."""
    amount_nanos: int
    currency: str
    state: PaymentState = PaymentState.OPEN
    refunded_nanos: int = 0
    """All that was given back; booked as soon as the payment itself is."""
    disputed_at: int | None = None
    created_at: int
    paid_at: int | None = None


@unique
class NoticeKind(Enum):
    """What an event means to us."""

    PAID = "paid"
    PROCESSING = "processing"
    FAILED = "failed"
    EXPIRED = "expired"
    REFUNDED = "refunded"
    UNREFUNDED = "unrefunded"
    """What was given back has come back: the payer's bank did not take it."""
    DISPUTED = "disputed"
    OTHER = "other"
    """Nothing: providers send more than was asked for."""


class PaymentEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event whose signature was right. Empty texts: the event does not say."""

    event_id: str
    event: str
    """The provider's own word for it."""
    kind: NoticeKind
    reference: str = ""
    session_id: str = ""
    charge: str = ""
    amount_cents: int | None = None
    """What was paid; of a refund, all that was given back so far."""
    currency: str = ""
    note: str = ""
    """For the operator: a dispute's reason and state."""


@unique
class PaymentOutcome(Enum):
    """What became of an event. The provider hears success for each: nothing is to be repeated."""

    CREDITED = "credited"
    REFUNDED = "refunded"
    HELD = "held"
    NOTED = "noted"
    """The payment's state was brought up to date, or told to the operator."""
    STALE = "stale"
    """Out of order: the payment is further already."""
    DUPLICATE = "duplicate"
    UNKNOWN = "unknown"
    """No payment of ours: others may use the same account."""
    IGNORED = "ignored"


@unique
class PaymentRefusal(Enum):
    """Why a payment or an event was refused."""

    AMOUNT = "amount"
    TOO_MANY = "too_many"
    NOT_CONFIGURED = "not_configured"
    UNAVAILABLE = "unavailable"
    """The provider did not answer, or not as it should."""
    FORGED = "forged"
    """The signature is missing, wrong or too old."""


class PaymentError(LedgerError):
    """Nothing was begun or believed. The message may be shown to whoever asked."""

    def __init__(self, why: PaymentRefusal, message: str) -> None:
        super().__init__(message)
        self.why = why


def cents(amount_nanos: int) -> int:
    """Whole cents of an amount that has no fraction of one. Raises ``PaymentError``."""
    if amount_nanos % NANOS_PER_CENT:
        raise PaymentError(PaymentRefusal.AMOUNT, "an amount to be paid has whole cents")
    return amount_nanos // NANOS_PER_CENT


class PaymentOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be paid, and where the payer goes after it."""

    reference: str
    amount_cents: int
    currency: str
    email: str
    """Fills the provider's form in; empty: leave it to the payer."""
    success_url: str
    cancel_url: str


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """A page at the provider where an order can be paid."""

    session_id: str
    url: str


class PaymentProvider(Protocol):
    """One account at one provider."""

    @property
    def name(self) -> str:
        """Begins the request ids of its entries: never to be changed."""
        ...

    @property
    def page_url(self) -> str:
        """Where its pages are; a browser that is sent there must be allowed to go."""
        ...

    async def begin(self, order: PaymentOrder) -> Begun:
        """A page where the order can be paid. Raises ``PaymentError`` (UNAVAILABLE).

        Called twice with one reference it makes one page.
        """
        ...

    async def read(self, body: bytes, headers: Mapping[str, str]) -> PaymentEvent:
        """What an event says, after its signature was found right.

        ``body`` as it came; ``headers`` by lower-case name. Raises ``PaymentError`` (FORGED).
        """
        ...
