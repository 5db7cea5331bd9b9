"""The writer behind a queue: its pauses, its end, and what it says."""

import asyncio

import pytest
from structlog.testing import capture_logs

from trivium.clock import FixedClock
from trivium.storage.errors import StorageDown
from trivium.storage.write_behind import PAUSE_S_MAX, WriteBehind, next_batch


class Queue(WriteBehind):
    """Numbers that wait; away while ``down``."""

    def __init__(self, **more):
        self.rows, self.written, self.down = [], [], False
        self.pauses = []
        self.limit = 10
        super().__init__("numbers", clock=FixedClock(), sleep=self.pause, **{"pause_s": 1.0} | more)

    @property
    def waiting(self):
        return len(self.rows)

    async def flush(self):
        if self.down and self.rows:
            return self.away(StorageDown("away"))
        self.written += self.rows
        self.rows.clear()
        return self.back()

    async def pause(self, seconds):
        self.pauses.append(seconds)
        if len(self.pauses) >= self.limit:
            await asyncio.Event().wait()
        await asyncio.sleep(0)

    def add(self, row):
        self.rows.append(row)
        self.wake()


async def turns(count=50):
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.mark.asyncio
async def test_an_unwoken_writer_writes_every_so_often():
    """Whether anything waits or not."""
    queue = Queue()
    queue.start()
    queue.add(1)
    await turns()
    assert ([1], [1.0] * 10) == (queue.written, queue.pauses)
    await queue.close(1)


@pytest.mark.asyncio
@pytest.mark.parametrize(("gathers", "before"), [(True, []), (False, [1])])
async def test_a_woken_writer_waits_for_the_first(gathers, before):
    """And then for others, or writes at once and pauses after."""
    queue = Queue(woken=True, gathers=gathers)
    queue.limit = 1
    queue.start()
    await turns()
    assert [] == queue.pauses
    queue.add(1)
    await turns()
    assert (before, [1.0]) == (queue.written, queue.pauses)
    await queue.close(1)
    assert [1] == queue.written


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("again_s", "pauses"),
    [(0.0, [1, 2, 4, 8, 16, PAUSE_S_MAX, PAUSE_S_MAX]), (20.0, [1, 20, PAUSE_S_MAX])],
)
async def test_pauses_grow_while_the_database_is_away(again_s, pauses):
    """To a limit; one line says that it went, one that it is back."""
    queue = Queue(woken=True, again_s=again_s)
    queue.limit = len(pauses)
    queue.down = True
    with capture_logs() as logs:
        queue.start()
        queue.add(1)
        await turns()
        assert pauses == queue.pauses
        queue.down = False
        await queue.close(1)
    assert [("writes_wait", "numbers", 1), ("writes_flow_again", "numbers", 0)] == [
        (line["event"], line["queue"], line["waiting"]) for line in logs
    ]
    assert [1] == queue.written


@pytest.mark.asyncio
async def test_what_is_lost_at_the_end_is_counted_and_told():
    """Within the limit of the end."""
    queue = Queue()
    queue.limit = 10_000
    queue.down = True
    queue.rows += [1, 2]
    queue.drop(3)
    with capture_logs() as logs:
        await queue.close(0.01)
    assert 5 == queue.dropped
    assert [("writes_dropped", 5, 5)] == [
        (line["event"], line["count"], line["total"])
        for line in logs
        if line["event"] == "writes_dropped"
    ]


@pytest.mark.parametrize(
    ("waiting", "batch"), [(0, 0), (3, 3), (100, 100), (150, 100), (600, 300), (90_000, 1000)]
)
def test_the_longer_the_queue_the_larger_the_batch(waiting, batch):
    """Or a busy worker would fall behind for ever: a batch costs it turns, not rows."""
    assert batch == next_batch(waiting, 100, 1000)
