"""``[payments]``: topping up by card, through a payment provider."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from trivium.settings.errors import Problem
from trivium.settings.section import Section

PROVIDERS: Final = ("stripe",)

_DOLLARS: Final = re.compile(r"[0-9]{1,6}(?:\.[0-9]{2})?")


class PaymentsSettings(Section, frozen=True):
    """Topping up by card. Amounts are US dollars, as balances are."""

    provider: str = ""
    """``stripe``; empty: there is none, and the top-up page names the operator."""
    secret_key: str = ""
    """The provider's key for its API; Stripe calls it a secret or a restricted key."""
    webhook_secret: str = ""
    """What the provider signs its events with; Stripe shows it beside the webhook's address."""
    amounts: tuple[str, ...] = ("10", "25", "50", "100")
    """Amounts the page offers; any other between the next two can be typed."""
    minimum: str = "5"
    """The least one may pay; a card payment costs the operator a fixed part."""
    maximum: str = "500"
    """The most one may pay at once: the loss from one stolen card."""
    base_url: str | None = None
    """The provider's API elsewhere, for tests; ``None``: the provider's own."""
    page_url: str = "https://checkout.stripe.com"
    """Where its pages are. Change it with a domain of your own at Stripe: browsers follow the
    form only to the origin that is named here."""
    contact: str = ""
    """How to reach the operator, as the page says it: an address or a sentence. Empty: nothing."""


def dollars(value: str) -> str | None:
    """Check a positive amount in whole cents."""
    if _DOLLARS.fullmatch(value) and Decimal(value) > 0:
        return None
    return 'must be US dollars with no or two decimals, such as "25" or "12.50"'


def relations(payments: PaymentsSettings, public_url: str | None) -> Iterator[Problem]:
    """What is wrong between settings whose own values are right."""
    if payments.provider:
        for name in ("secret_key", "webhook_secret"):
            if not getattr(payments, name):
                yield Problem(
                    ("payments", "provider"),
                    f"needs {name} beside it",
                    f'{name} = "env:STRIPE_{name.upper()}"',
                )
        if public_url is None:
            yield Problem(
                ("payments", "provider"),
                "needs server.public_url: payers come back to an address",
                'public_url = "https://gateway.example"',
            )
    amounts = (payments.minimum, payments.maximum, *payments.amounts)
    if any(dollars(amount) for amount in amounts):
        return
    low, high = Decimal(payments.minimum), Decimal(payments.maximum)
    if low > high:
        yield Problem(("payments", "minimum"), "is above payments.maximum")
        return
    for i, amount in enumerate(payments.amounts):
        if not low <= Decimal(amount) <= high:
            yield Problem(
                ("payments", "amounts", i), f"is not from {payments.minimum} to {payments.maximum}"
            )
