"""Work that comes round, such as sweeping. It waits while the database is away, and says so."""

from collections.abc import Awaitable, Callable

import structlog

from trivium.storage.errors import StorageError

log = structlog.get_logger()


async def rounds(
    what: str,
    work: Callable[[], Awaitable[object]],
    every_s: float,
    sleep: Callable[[float], Awaitable[None]],
    *,
    away: tuple[type[Exception], ...] = (StorageError,),
) -> None:
    """Work round after round, for ever; one log line a change of state.

    ``work`` gives ``False`` when its budget ended before it was done: then the next round comes
    after a tenth of ``every_s``. ``away``: what it raises while something that it needs is away.
    """
    is_down = False
    while True:
        await sleep(every_s)
        finished = False
        while not finished:
            try:
                finished = await work() is not False
            except away as error:
                if not is_down:
                    log.warning("sweep_waits", what=what, error=str(error))
                is_down = finished = True
            else:
                is_down = False
                if not finished:
                    await sleep(every_s / 10)
