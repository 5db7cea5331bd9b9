"""Proves the books: balances against entries, entries against bills, and what hangs on them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trivium.clock import Clock
from trivium.ledger.amounts import format_usd
from trivium.ledger.entries import Entries
from trivium.ledger.model import Entry
from trivium.ledger.spending.model import DAY_S

if TYPE_CHECKING:
    from trivium.storage.database import Database

Strays = Callable[["Database"], Awaitable[Sequence[str]]]
"""Finds requests that money is held for though no job of them runs (``jobs/service.py``)."""


class LedgerProof:
    """One look at everything that was booked. Storage faults pass through as they are."""

    def __init__(self, database: "Database", clock: Clock, strays: Strays) -> None:
        self._database = database
        self._clock = clock
        self._strays = strays
        self.entries = 0
        """How many were looked at so far."""

    async def steps(self) -> AsyncIterator[list[str]]:
        """A line for everything that is wrong, as it is found, a step at a time; most find nothing.

        The last steps look at the entries, a page each.
        """
        from trivium.ledger import verify

        for part in (self._accounts, self._leases, self._sums, self._others):
            yield await part()
        async for page in verify.pages(self._database):
            # reckoning a page of bills takes longer than others should wait
            lines = await asyncio.to_thread(_wrong_entries, page)
            self.entries += len(page)
            yield lines

    async def _accounts(self) -> list[str]:
        return [
            f"account {row.user_id}: the balance is {format_usd(row.balance_nanos)}, its entries "
            f"add up to {format_usd(row.entries_nanos)}; used are {format_usd(row.used_nanos)}, by "
            f"its entries {format_usd(row.entries_used_nanos)}"
            for row in await Entries(self._database, self._clock).verify()
        ]

    async def _leases(self) -> list[str]:
        return [
            f"account {user_id}: {format_usd(leased)} are leased, its leases and holds add up to "
            f"{format_usd(leases)}"
            for user_id, leased, leases in await Entries(self._database, self._clock).misleased()
        ]

    async def _sums(self) -> list[str]:
        from trivium.ledger.spending.service import SpendStatements

        spending = SpendStatements(self._database)
        wrong = [
            f"account {row.payer_id}: the sums of {_day(row.at)} are "
            f"{format_usd(row.summed_nanos)}, its entries add up to {format_usd(row.entered_nanos)}"
            for row in await spending.verify()
        ]
        return wrong + [
            f"sums of {window.span} days from {_day(window.day * DAY_S)}: they come to "
            f"{format_usd(kept)}, these days one by one to {format_usd(true)}; to have all "
            "made anew, delete the rows of the table spend_closed"
            for window, kept, true in await spending.verify_windows()
        ]

    async def _others(self) -> list[str]:
        from trivium.ledger.codes.service import Codes
        from trivium.ledger.payments import service as payments

        wrong = [
            f"code {code_id}: its mark and its entry do not agree"
            for code_id in await Codes(self._database, self._clock).verify()
        ]
        wrong += [
            f"payment {payment_id}: its state and its entries do not agree"
            for payment_id in await payments.verify(self._database)
        ]
        wrong += [
            f"request {request_id}: money is held for it, and no job of it is running"
            for request_id in await self._strays(self._database)
        ]
        return wrong


def _wrong_entries(page: Sequence[tuple[str, Entry]]) -> list[str]:
    from trivium.ledger import verify

    return [
        f"entry {entry.id} of {user}, request {entry.request_id}: {what}"
        for user, entry in page
        if (what := verify.wrong_with(entry))
    ]


def _day(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")
