"""Runs periodic work, such as sweeping. It waits while the database is away, and logs that."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import structlog

from trivium.clock import Clock
from trivium.storage.doubt import Doubt
from trivium.storage.errors import StorageError

if TYPE_CHECKING:
    from trivium.storage.database import Database

log = structlog.get_logger()


async def rounds(
    what: str,
    work: Callable[[float], Awaitable[object]],
    every_s: float,
    sleep: Callable[[float], Awaitable[None]],
    *,
    db: "Database",
    clock: Clock,
    away: tuple[type[Exception], ...] = (StorageError,),
) -> None:
    """Run ``work`` at intervals, without end; logs one line when it fails and when it works again.

    ``work`` takes the time that decides what has expired (``doubt.py``). It returns ``False`` when
    its budget ended before it was done: then the next round comes after a tenth of ``every_s``.
    ``away``: the exceptions it raises while something that it needs is away.
    """
    is_down = False
    doubt = Doubt(db, clock, what)
    while True:
        await sleep(every_s)
        finished = False
        while not finished:
            try:
                finished = await work(await doubt.now()) is not False
            except away as error:
                if not is_down:
                    log.warning("sweep_waits", what=what, error=str(error))
                is_down = finished = True
            else:
                is_down = False
                if not finished:
                    await sleep(every_s / 10)
