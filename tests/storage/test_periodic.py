"""Work that comes round."""

import pytest
from structlog.testing import capture_logs

from trivium.clock import FixedClock, SystemClock
from trivium.storage.errors import StorageDown
from trivium.storage.periodic import PurgeClock, rounds


class Enough(BaseException):
    """Ends an endless loop."""


class NoClock:
    """A database without a clock of its own."""

    async def now(self):
        return None


ALONE = {"db": NoClock(), "clock": FixedClock()}


async def played(outcomes, **more):
    """The pauses taken and the log while a round follows another with these outcomes."""
    pauses, left = [], list(outcomes)

    async def sleep(seconds):
        pauses.append(seconds)
        if not left:
            raise Enough

    async def work(now):
        assert ALONE["clock"].now() == now
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    with capture_logs() as logs, pytest.raises(Enough):
        await rounds("things", work, 100.0, sleep, **ALONE, **more)
    return pauses, [(line["event"], line["what"]) for line in logs]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("outcomes", "pauses", "told"),
    [
        ([True, 0, 7], [100, 100, 100, 100], 0),
        ([False, False, True], [100, 10, 10, 100], 0),
        ([StorageDown("x"), StorageDown("x"), True], [100, 100, 100, 100], 1),
        ([StorageDown("x"), True, StorageDown("x")], [100, 100, 100, 100], 2),
        ([False, StorageDown("x"), True], [100, 10, 100, 100], 1),
    ],
)
async def test_rounds_follow_each_other_whatever_became_of_the_last(outcomes, pauses, told):
    """Sooner when one left something; one line for each time that the database goes."""
    assert (pauses, [("sweep_waits", "things")] * told) == await played(outcomes)


@pytest.mark.asyncio
async def test_other_things_can_be_away_too():
    """As the caller says; what it does not name is its own to see to."""
    _, logs = await played([OSError("disk")], away=(OSError,))
    assert 1 == len(logs)
    with pytest.raises(OSError, match="disk"):
        await rounds("things", _broken, 0.0, _at_once, **ALONE)


async def _broken(now):
    raise OSError("disk")


async def _at_once(_):
    """No pause."""


class Server:
    """A database that says what time it is."""

    def __init__(self, at=None):
        self.at = at

    async def now(self):
        return self.at


class Jumping(FixedClock):
    """See the clock's own tests."""

    apart = 0.0

    def now(self):
        return self.at + self.apart


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("jump", "server", "now"),
    [
        (0, None, 1_000),
        (200_000, None, 1_000),
        (-500, None, 500),
        (0, 1_030, 1_000),
        (0, 990, 1_000),
        (0, 700, 700),
        (0, 9_000, 1_000),
        (200_000, 900, 900),
    ],
)
async def test_the_earliest_clock_decides(jump, server, now):
    """Its own before a jump, its own after it, the server's."""
    clock = Jumping(1_000.0)
    doubt = PurgeClock(Server(server), clock, "things")
    clock.apart = jump
    assert now == await doubt.now()


@pytest.mark.asyncio
async def test_a_clock_that_is_ahead_is_told_once():
    """And again when it is ahead again."""
    clock = Jumping(1_000.0)
    doubt = PurgeClock(Server(), clock, "things")
    with capture_logs() as logs:
        for clock.apart in (0, 300, 300, 0, 0, 300):
            await doubt.now()
    assert [("clock_ahead", "things", 300)] * 2 == [
        (line["event"], line["what"], line["seconds"]) for line in logs
    ]


@pytest.mark.asyncio
async def test_a_server_tells_the_time_and_a_file_does_not(database):
    """Both databases are asked."""
    theirs = await database.now()
    if database.is_sqlite:
        assert theirs is None
    else:
        assert abs(theirs - SystemClock().now()) < 60
