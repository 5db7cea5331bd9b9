"""What a payment provider must be able to do; one module a provider implements it."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from trivium.ledger.payments.model import Notice


class Order(msgspec.Struct, frozen=True, kw_only=True):
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

    async def begin(self, order: Order) -> Begun:
        """A page where the order can be paid. Raises ``PaymentError`` (UNAVAILABLE).

        Called twice with one reference it makes one page.
        """
        ...

    async def read(self, body: bytes, headers: Mapping[str, str]) -> Notice:
        """What an event says, after its signature was found right.

        ``body`` as it came; ``headers`` by lower-case name. Raises ``PaymentError`` (FORGED).
        """
        ...
