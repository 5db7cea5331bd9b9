"""Jobs on a real database, with accounts that pay for them."""

from decimal import Decimal

import pytest

from trivium.identity.service import Identity
from trivium.jobs.model import JobAccount, JobOrder
from trivium.jobs.service import Jobs, strays
from trivium.ledger.cost import tariff_of
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind, Hold, Quote
from trivium.ledger.refusals import overspent, too_low
from trivium.routing.model import PriceRow, VideoPrice
from trivium.secret import Keyring
from trivium.settings.budget import FOREVER
from trivium.settings.section import JobsSettings as Limits
from trivium.storage.vault import Vault
from trivium.wire.operation import Operation

DOLLAR = 10**9
TARIFF = tariff_of(
    "m",
    PriceRow(
        price={"per_second": Decimal("0.1")},
        videos=(VideoPrice(size="1280x720", price=Decimal("0.3")),),
    ),
)
ACCOUNT = JobAccount(channel="a", credential="f", operation=Operation.VIDEOS, model="own")


def order(user_id, number=1, **changes):
    values = {
        "user_id": user_id,
        "key_id": 5,
        "request_id": f"r{number}",
        "model": "m",
        "account": ACCOUNT,
        "size": "1280x720",
        "seconds": 8,
        "prompt": "a cät",
    }
    return JobOrder(**{**values, **changes})


def hold(user_id, number=1, *, limited=True, amount=2_400_000_000):
    quote = Quote(amount_nanos=amount, tariff=TARIFF)
    return Hold(
        request_id=f"r{number}",
        user_id=user_id,
        amount_nanos=amount,
        quote=quote,
        key_id=5,
        limited=limited,
    )


class Spare:
    """Counts how often a worker was asked for what it leased ahead; says what callers are told."""

    def __init__(self):
        self.asked = []
        self.gives = None

    async def spare(self, hold, budget):
        self.asked.append((budget.scope if budget else hold.user_id, hold.amount_nanos))
        if self.gives is not None:
            await self.gives()

    def refusal(self, hold, budget):
        if budget is None:
            return too_low(hold.amount_nanos)
        return overspent(budget, hold.amount_nanos, FOREVER)


@pytest.fixture
def spare():
    return Spare()


@pytest.fixture
def make_jobs(database, clock, spare):
    """Jobs of one node; several share the database."""

    def make(*, interrupted="free", **limits):
        vault = Vault(Keyring(b"k" * 32))
        limits = Limits(**limits)
        return Jobs(database, vault, limits, money=spare, clock=clock, interrupted=interrupted)

    return make


@pytest.fixture
def jobs(make_jobs):
    return make_jobs()


@pytest.fixture
def account(database, clock):
    """Makes users with a balance in dollars; returns the id."""
    made = iter(range(1000))

    async def make(dollars=10):
        name = f"user{next(made)}"
        user = await Identity(database, clock).create_user(name, f"{name}@example.com")
        if dollars:
            await Entries(database, clock).book(user.id, EntryKind.TOP_UP, dollars * DOLLAR)
        return user.id

    return make


@pytest.fixture
def books(database, clock, jobs):
    """Balance, leased and entries of an account; every invariant is checked on the way."""
    from trivium.ledger import verify
    from trivium.storage.schema.core import accounts

    async def read(user_id):
        entries = Entries(database, clock)
        assert [] == await entries.verify()
        assert [] == await entries.misleased()
        assert [] == await strays(database)
        async with database.read() as conn:
            query = accounts.select().where(accounts.c.user_id == user_id)
            row = (await conn.execute(query)).one()
        usage = [
            entry
            async for _, entry in verify.entries(database, user_id=user_id)
            if entry.kind is EntryKind.USAGE
        ]
        assert [None] * len(usage) == [verify.wrong_with(entry) for entry in usage]
        return row.balance_nanos, row.leased_nanos, usage

    return read
