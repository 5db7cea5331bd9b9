"""Payments as the settings say."""

import builtins

import pytest
from structlog.testing import capture_logs

from trivium.ledger.payments import stripe
from trivium.observe.audit.service import Audit
from trivium.settings.model import Settings
from trivium.settings.payments import PaymentsSettings as Limits
from trivium.wiring.console import payments_of

WHOLE = Limits(provider="stripe", secret_key="sk_test_x", webhook_secret="whsec_x")


def built(limits):
    return payments_of(Settings(payments=limits), None, Audit(None, None))


@pytest.mark.parametrize(
    ("limits", "provider", "page_url"),
    [(Limits(), None, ""), (WHOLE, "stripe", "https://checkout.stripe.com")],
)
def test_the_provider_is_the_one_of_the_settings(limits, provider, page_url):
    """Or there is none."""
    payments = built(limits)
    assert (provider, page_url) == (payments.provider, payments.page_url)
    assert (5 * 10**9, 500 * 10**9, 4) == (
        payments.minimum_nanos,
        payments.maximum_nanos,
        len(payments.offered_nanos),
    )


def test_a_missing_library_is_told_at_start(monkeypatch):
    """Not when the first payer stands before the form."""
    monkeypatch.setattr(stripe, "installed", lambda: False)
    with capture_logs() as logs:
        built(WHOLE)
    assert ["payment_library_missing"] == [line["event"] for line in logs]


def test_the_library_is_not_imported_at_start(monkeypatch):
    """It takes half a second."""
    real = builtins.__import__

    def without(name, *more, **named):
        assert name != "stripe"
        return real(name, *more, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    built(WHOLE)
