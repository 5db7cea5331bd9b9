"""What is deleted for good is over by every clock there is."""

import pytest
from structlog.testing import capture_logs

from trivium.clock import FixedClock, SystemClock
from trivium.storage.doubt import Doubt


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
    doubt = Doubt(Server(server), clock, "things")
    clock.apart = jump
    assert now == await doubt.now()


@pytest.mark.asyncio
async def test_a_clock_that_is_ahead_is_told_once():
    """And again when it is ahead again."""
    clock = Jumping(1_000.0)
    doubt = Doubt(Server(), clock, "things")
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
