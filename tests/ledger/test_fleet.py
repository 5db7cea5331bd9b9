"""Many workers on one database, simulated by the bench with the ledger's own code and its own time."""

import sys
from pathlib import Path

import pytest

from trivium.ledger import ledger_sync

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture
def fleet(monkeypatch):
    """The bench's simulation."""
    monkeypatch.syspath_prepend(BENCH)
    import fleet

    return fleet


@pytest.mark.parametrize(
    ("case", "told"), [("calm", 0), ("by key", 0), ("dying", 100), ("away", 300)]
)
def test_whoever_has_the_money_is_served(fleet, case, told):
    """Small and ample balances on eight workers; and who has none is not.

    While the database is away, accounts that a worker has no lease of are told to try again, and
    while a dead node has leased what is left of them. Nobody hears that they are too poor, but for
    the last request or two of a balance that is in pieces. What a dead node had settled is in its
    journals.
    """
    options = fleet.FleetOptions(case=case, nodes=4, keys=60, rate=150, seconds=15, hot=0)
    found = fleet.simulated(options)
    assert found.get("too low, wrongly", 0) <= (3 if case == "away" else 0)
    assert found.get("try again, wrongly", 0) <= told
    ended = found["entries"] + found["in journals of the dead"]
    assert found["served"] == ended + found.get("lost with their node", 0)
    if case in ("calm", "away"):
        assert found["too low, rightly"] > 0


def test_a_shared_state_that_is_away_multiplies_no_limit_by_more_than_its_workers(fleet):
    """With it a limit holds to the request; without it each of two workers of that region counts."""
    options = {"nodes": 4, "keys": 50, "rate": 100, "seconds": 45, "hot": 20}
    most = "limits, most of one in 60 s (1: all of it)"
    # any 60 seconds may have up to twice the limit: admission/meter.py
    assert fleet.simulated(fleet.FleetOptions(**options))[most] <= 2
    apart = fleet.simulated(fleet.FleetOptions(case="region", **options))
    # four regions of two workers: each region has the limit, and one of them twice
    assert 1 < apart[most] <= 2 * (3 + 2)


def crowded(fleet):
    """Sixty workers with one account, and a database far away."""
    times = sys.modules["fleet_world"].DatabaseTimes(trips_s=0.06, booking_trips_s=0.02)
    options = fleet.FleetOptions(nodes=30, keys=1, rate=60, seconds=30, hot=0, times=times)
    return fleet.simulated(options)


def test_workers_that_share_an_account_are_not_all_in_its_queue(fleet, monkeypatch):
    """A flush that had to wait for others' is followed by a pause of some times as long: as much is
    booked, and who waits for the account waits for fewer.
    """
    paced = crowded(fleet)
    monkeypatch.setattr(ledger_sync, "PACE", 0)
    hasty = crowded(fleet)
    assert paced["turn, median s"] < 0.6 * hasty["turn, median s"]
    assert 0 == paced["turns out of time"]
    assert paced["entries"] > 0.95 * hasty["entries"]
