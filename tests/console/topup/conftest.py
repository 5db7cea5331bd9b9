"""A payer before the pages, with the double of Stripe behind them."""

import msgspec
import pytest
import pytest_asyncio

import stripe_double
from console.visiting import console_over, visiting
from trivium.clock import FixedClock
from trivium.identity.model import UserRole
from trivium.ledger.payments.service import Payments
from trivium.ledger.payments.stripe import Stripe
from trivium.secret import Secret
from trivium.settings.payments import PaymentsSettings as Limits

CONTACT = "billing@gateway.example"


@pytest.fixture(scope="session")
def _double():
    server = stripe_double.Stripe()
    yield server
    server.close()


@pytest.fixture
def double(_double):
    """The double, without a past."""
    _double.forget()
    return _double


@pytest_asyncio.fixture
async def shop(database, double):
    """The pages' services, with payments through the double."""
    console = console_over(database, FixedClock())
    limits = Limits(provider="stripe", contact=CONTACT)
    provider = Stripe(
        Secret(stripe_double.SECRET_KEY),
        Secret(stripe_double.WEBHOOK_SECRET),
        double.url,
        double.url,
    )
    payments = Payments(database, console.clock, console.audit, limits, provider)
    settings = msgspec.structs.replace(console.settings, payments=limits)
    return msgspec.structs.replace(console, payments=payments, settings=settings)


@pytest_asyncio.fixture
async def ada(shop):
    """A user of the pages."""
    return await shop.identity.create_user("ada", "ada@example.com")


@pytest_asyncio.fixture
async def payer(database, shop, ada):
    """Her browser, logged in."""
    async with visiting(database, shop) as visitor:
        await visitor.log_in(ada)
        yield visitor


@pytest_asyncio.fixture
async def boss(database, shop):
    """An administrator's browser, logged in."""
    eve = await shop.identity.create_user("eve", "eve@example.com", UserRole.ADMIN)
    async with visiting(database, shop) as visitor:
        await visitor.log_in(eve)
        yield visitor
