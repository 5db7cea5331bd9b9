"""Which parts a worker says it has."""

from types import SimpleNamespace

import pytest

from trivium.ledger.worker import WAITING_MAX
from trivium.upstream.vendor_identity import VendorIdentity
from trivium.wiring.readiness import Parts, identified


class World:
    """What is looked at; each may be changed."""

    def __init__(self):
        self.listener = SimpleNamespace(draining=False, leaving=False)
        self.journal = True
        self.leases = True
        self.ledger = SimpleNamespace(
            waiting=0,
            holds_leases=lambda: self.leases,
            journal=SimpleNamespace(takes=lambda: self.journal),
        )
        self.age = 0.5
        self.shared = SimpleNamespace(is_up=True)
        snapshot = SimpleNamespace(age=lambda: self.age)
        self.parts = Parts([self.listener], self.ledger, snapshot, self.shared, poll_s=1.0)


@pytest.fixture
def world():
    return World()


def test_all_is_well(world):
    """Every part is named."""
    found = world.parts.now(database=True)
    assert ("ok", {"accepting", "journal", "ledger", "database", "keys", "shared"}) == (
        found.status, set(found.parts),
    )  # fmt: skip


def test_leases_carry_a_worker_whose_database_is_away(world):
    """And only as long as they count."""
    found = world.parts.now(database=False)
    assert ("degraded", False, True) == (
        found.status,
        found.parts["database"],
        found.parts["ledger"],
    )
    world.leases = False
    assert "unavailable" == world.parts.now(database=False).status
    assert "ok" == world.parts.now(database=True).status


def test_a_journal_that_takes_nothing_ends_it(world):
    """Every priced call would be refused."""
    world.journal = False
    assert "unavailable" == world.parts.now(database=True).status


def test_so_does_a_queue_that_is_full(world):
    """More than that is not kept in memory."""
    world.ledger.waiting = WAITING_MAX
    assert "unavailable" == world.parts.now(database=True).status


def test_old_keys_and_a_silent_shared_state_are_told(world):
    """Requests go on."""
    world.age, world.shared.is_up = 60.0, False
    found = world.parts.now(database=True)
    assert ("degraded", False, False) == (found.status, found.parts["keys"], found.parts["shared"])


def test_without_asking_the_database_it_is_judged_by_the_keys(world):
    """Numbers for Prometheus are written without waiting for anything."""
    assert world.parts.now().parts["database"]
    world.age = 4.5
    assert not world.parts.now().parts["database"]


def test_no_shared_state_is_no_part(world):
    """A single node has none."""
    world.parts._shared = None
    assert "shared" not in world.parts.now(database=True).parts


@pytest.mark.parametrize(("fresh", "status"), [(True, "ok"), (False, "degraded"), (None, "ok")])
def test_a_store_that_gave_no_secret_is_told(world, fresh, status):
    """Calls are answered with what it gave before; without a store there is no such part."""
    told = Parts(
        [world.listener], world.ledger, SimpleNamespace(age=lambda: 0.5), None, 1.0, lambda: fresh
    ).now(database=True)
    assert (status, fresh) == (told.status, told.parts.get("secrets"))


def _identity(*, is_missed):
    return VendorIdentity(
        channel="c", source="", life_s=0.0, failures=1, why="no role", is_missed=is_missed
    )


@pytest.mark.parametrize(
    ("identities", "known", "status"),
    [
        ([], None, "ok"),
        ([_identity(is_missed=False)], True, "ok"),
        ([_identity(is_missed=False), _identity(is_missed=True)], False, "degraded"),
    ],
)
def test_an_identity_that_is_missed_is_told(world, identities, known, status):
    """Other channels go on serving; a gateway that needs none has no such part."""
    assert known is identified(identities)
    told = Parts(
        [world.listener], world.ledger, SimpleNamespace(age=lambda: 0.5), None, 1.0,
        identities=lambda: known,
    ).now(database=True)  # fmt: skip
    assert (status, known) == (told.status, told.parts.get("identities"))
