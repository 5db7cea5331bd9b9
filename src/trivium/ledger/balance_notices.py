"""Tells people that a balance ran low: a line of the log, and a letter to whoever it is of.

The ledger says so once a crossing, whichever worker saw it (``ledger/store.py`` notes it in the
same transaction), in the middle of a turn, where nothing may wait: a task of its own writes.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

import structlog

WAITING_MAX: Final = 1000
"""Notices put by; with more at once the log alone has them."""

TellLow: TypeAlias = Callable[[int], Awaitable[None]]

log = structlog.get_logger()


class BalanceNotices:
    """Accounts whose balance ran low, until ``run`` has told of them."""

    def __init__(self, tell: TellLow | None = None) -> None:
        """``tell``: writes a letter; raises nothing."""
        self._tell = tell
        self._waiting: asyncio.Queue[int] = asyncio.Queue(WAITING_MAX)

    def put(self, account_id: int) -> None:
        """A balance was seen to be low. Does not wait and raises nothing."""
        log.info("balance_low", account=account_id)
        if self._tell is not None and not self._waiting.full():
            self._waiting.put_nowait(account_id)

    async def run(self) -> None:
        """Tell as they come; never ends."""
        while True:
            account_id = await self._waiting.get()
            if self._tell is not None:
                await self._tell(account_id)
