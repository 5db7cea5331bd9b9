"""Payments through the double of Stripe, by the official library."""

import pytest

import stripe_double
from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.ledger.payments.service import Payments
from trivium.ledger.payments.stripe import Stripe
from trivium.observe.audit.service import Audit
from trivium.secret import Secret
from trivium.settings.payments import PaymentsSettings as Limits


@pytest.fixture(scope="session")
def _double():
    """One server for all tests: starting it takes longer than most of them."""
    server = stripe_double.Stripe()
    yield server
    server.close()


@pytest.fixture
def double(_double):
    """The double, without a past."""
    _double.forget()
    return _double


@pytest.fixture
def provider(double):
    return Stripe(
        Secret(stripe_double.SECRET_KEY), Secret(stripe_double.WEBHOOK_SECRET), double.url
    )


@pytest.fixture
def audit(database, clock):
    return Audit(database, clock)


@pytest.fixture
def payments(database, clock, audit, provider):
    return Payments(database, clock, audit, Limits(provider="stripe"), provider)


@pytest.fixture
def entries(database, clock):
    return Entries(database, clock)


@pytest.fixture
def user(database, clock):
    """Makes users; returns the id."""

    async def make(name="ada"):
        return (await Identity(database, clock).create_user(name, f"{name}@example.com")).id

    return make


@pytest.fixture
def begin(payments):
    """Begins a payment of 25 dollars; returns it and its session at the double."""

    async def make(user_id, nanos=25 * 10**9, **more):
        def urls(reference):
            return f"https://gateway.example/topup/{reference}", "https://gateway.example/topup"

        return await payments.begin(user_id, nanos, urls, **more)

    return make
