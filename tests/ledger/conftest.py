"""Workers of the ledger on a real database, driven turn by turn."""

from decimal import Decimal
from types import SimpleNamespace

import pytest

from trivium.clock import FixedClock
from trivium.ledger.cost import tariff_of
from trivium.ledger.entries import Entries
from trivium.ledger.journal import Journal
from trivium.ledger.ledger_sync import LedgerSync
from trivium.ledger.model import EntryKind, Quote
from trivium.ledger.worker import WorkerLedger
from trivium.routing.model import PriceRow
from trivium.settings.model import LedgerSettings as Limits

# one token of either kind costs one nano-dollar: amounts are counts
TARIFF = tariff_of("m", PriceRow(price={"input": Decimal("0.001"), "output": Decimal("0.001")}))


def quote(amount, input_tokens=0, own_nanos=None):
    """A quote of so many nano-dollars."""
    return Quote(amount_nanos=amount, tariff=TARIFF, input_tokens=input_tokens, own_nanos=own_nanos)


def payer(user_id, *, unlimited=False):
    """A caller whose balance pays."""
    return SimpleNamespace(
        payer_id=user_id, user_id=user_id, team_id=0, key_id=5, unlimited=unlimited, group=""
    )


class Worker:
    """One worker's ledger and its turns; ``die`` leaves its journal behind as a kill does."""

    def __init__(self, database, folder, name, clock=None, *, interrupted="free", **limits):
        self.clock = clock or FixedClock()
        self.name = name
        self.journal = Journal(folder, name)
        limits = Limits(**limits)
        self.ledger = WorkerLedger(
            self.journal, self.clock, interrupted=interrupted, ahead_s=limits.ahead_s
        )
        self.turns = LedgerSync(database, self.ledger, folder, limits, self.clock)

    def die(self):
        """Nothing is booked, given back or removed; the locks go."""
        self.journal.close(keep=True)


@pytest.fixture
def account(database, clock):
    """Makes users with a balance; returns the id."""
    from trivium.identity.service import Identity

    made = iter(range(1000))

    async def make(balance=0, overdraft=0):
        from trivium.ledger import store

        name = f"user{next(made)}"
        user = await Identity(database, clock).create_user(name, f"{name}@example.com")
        if balance:
            await Entries(database, clock).book(user.id, EntryKind.TOP_UP, balance)
        if overdraft:
            async with database.write() as conn:
                await store.set_overdraft(conn, user.id, overdraft)
        return user.id

    return make


@pytest.fixture
def worker(database, tmp_path):
    """Makes workers that share a database and a journal folder."""
    alive = []

    def make(name, clock=None, **more):
        made = Worker(database, tmp_path / "journal", name, clock, **more)
        alive.append(made)
        return made

    yield make
    for each in alive:
        try:
            each.journal.close(keep=True)
        except OSError:
            continue  # it died
