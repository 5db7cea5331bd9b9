"""Payments from the settings. The provider's own library is imported at the first payment."""

from typing import TYPE_CHECKING, Final

import structlog

from trivium.clock import SystemClock
from trivium.observe.audit.service import Audit
from trivium.secret import Secret
from trivium.settings.model import Settings
from trivium.settings.payments import Payments as Given

if TYPE_CHECKING:
    from trivium.ledger.payments.provider import PaymentProvider
    from trivium.ledger.payments.service import Payments
    from trivium.storage.database import Database

log = structlog.get_logger()


def payments_of(settings: Settings, database: "Database", audit: Audit) -> "Payments":
    """Return payments through the provider of the settings, or through none."""
    from trivium.ledger.payments.service import Payments

    return Payments(database, SystemClock(), audit, settings.payments, _provider(settings))


def _provider(settings: Settings) -> "PaymentProvider | None":
    build = _BUILDERS.get(settings.payments.provider)
    return build(settings.payments) if build else None


def _stripe(given: Given) -> "PaymentProvider":
    from trivium.ledger.payments import stripe

    if not stripe.installed():
        log.error("payment_library_missing", what=stripe.MISSING)
    return stripe.Stripe(
        Secret(given.secret_key),
        Secret(given.webhook_secret),
        base_url=given.base_url,
        page_url=given.page_url,
    )


_BUILDERS: Final = {"stripe": _stripe}
"""One row a provider, by its name in the settings."""
