"""Work that comes round."""

import pytest
from structlog.testing import capture_logs

from trivium.clock import FixedClock
from trivium.storage.errors import StorageDown
from trivium.storage.rounds import rounds


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
