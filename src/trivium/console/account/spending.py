"""What a user spent within some days: by model, key, application, tag, session or day."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Final
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, render, session
from trivium.console.account.overview import Bar, bars
from trivium.console.language import N_
from trivium.ledger.spending import rendering
from trivium.ledger.spending.model import DAY_S, Dimension, SpendRow, SpendScope, SpendSums
from trivium.ledger.spending.service import SpendStatement
from trivium.ledger.spreadsheet import csv_lines
from trivium.ledger.statement.service import Day
from trivium.settings.prices import day as day_of

DIMENSIONS: Final = {
    Dimension.MODEL: N_("Model"),
    Dimension.KEY: N_("Key"),
    Dimension.TAG: N_("Tag"),
    Dimension.SESSION: N_("Session"),
    Dimension.END_USER: N_("End user"),
    Dimension.DAY: N_("Day (UTC)"),
}
"""By what one may look. An application is its key."""
PERIODS: Final = (7, 30, 90)
ROWS: Final = 100
"""On the page; an export has all."""
BARS_MAX: Final = 92
"""Days of a period that has a chart."""
DAYS_MAX: Final = 400
"""Of one look: so long sums by tag and session are kept, unless the operator says otherwise."""
EXPORT: Final = "/account/spending.csv"


class ShownSpend(msgspec.Struct, frozen=True):
    """One row as it is shown."""

    names: tuple[str, ...]
    """One a dimension, empty for what had none."""
    sums: SpendSums
    share: float
    """Of the whole, in per cent."""


class AskedSpend(msgspec.Struct, frozen=True):
    """What the query asks for. What it does not say, or says wrongly, is as usual."""

    by: Dimension
    since: int
    """The first day, counted from the epoch."""
    until: int

    def query(self, **other: str) -> str:
        """The query of this, with other members."""
        told = {
            "by": self.by.value,
            "from": rendering.day_text(self.since),
            "to": rendering.day_text(self.until),
        }
        return urlencode(told | other)


def asked(query: Mapping[str, str], now: float) -> AskedSpend:
    """What a query asks for: by model and of the last 30 days unless it says otherwise."""
    by = next((each for each in DIMENSIONS if each.value == query.get("by")), Dimension.MODEL)
    return AskedSpend(by, *days(query, now))


def days(query: Mapping[str, str], now: float) -> tuple[int, int]:
    """The first and the last day of a query, counted from the epoch: the last 30 unless it says
    otherwise.
    """
    today = int(now) // DAY_S
    until = min(_day(query.get("to", ""), today), today)
    since = _day(query.get("from", ""), until - PERIODS[1] + 1)
    return max(min(since, until), until - DAYS_MAX + 1), until


def periods(
    since: int, until: int, now: float, query: Callable[[int, int], str]
) -> list[tuple[int, str, bool]]:
    """Periods to choose from: how many days, the query that asks for them, whether it is this."""
    today = int(now) // DAY_S
    return [
        (count, query(today - count + 1, today), (since, until) == (today - count + 1, today))
        for count in PERIODS
    ]


def _day(text: str, otherwise: int) -> int:
    try:
        return day_of(text) // DAY_S
    except ValueError:
        return otherwise


def shown(found: SpendStatement) -> list[ShownSpend]:
    """The rows with their shares of the whole."""
    whole = found.total.nanos
    return [
        ShownSpend(
            tuple(
                rendering.shown(found, each, value)
                for each, value in zip(found.by, row.values, strict=True)
            ),
            row.sums,
            round(100 * row.sums.nanos / whole, 1) if whole > 0 else 0.0,
        )
        for row in found.rows
    ]


def chart(scope: SpendScope, days: Iterable[SpendRow]) -> list[Bar]:
    """A bar for each day of a period, by what the days came to; empty for a long one."""
    count = scope.until - scope.since + 1
    if not 1 < count <= BARS_MAX:
        return []
    of = {int(row.values[0]): row.sums for row in days}
    nothing = SpendSums()
    return bars(
        [
            Day(
                at=at * DAY_S,
                nanos=of.get(at, nothing).nanos,
                requests=of.get(at, nothing).requests,
            )
            for at in range(scope.since, scope.until + 1)
        ]
    )


@session.signed_in
async def show(request: Request) -> Response:
    """Show the sums, the most expensive first, and how the days went."""
    console = context.of(request)
    user = session.user_of(request)
    now = console.clock.now()
    wanted = asked(request.query_params, now)
    scope = SpendScope(since=wanted.since, until=wanted.until, user_id=user.id)
    found, by_day = await console.spending.with_days(scope, (wanted.by,), ROWS)
    return render.page(
        request,
        "account/spending.html",
        wanted=wanted,
        since=rendering.day_text(wanted.since),
        until=rendering.day_text(wanted.until),
        dimensions=DIMENSIONS,
        labels=[DIMENSIONS[wanted.by]],
        rows=shown(found),
        total=found.total,
        is_whole=found.is_whole,
        bars=chart(scope, by_day),
        periods=periods(
            wanted.since,
            wanted.until,
            now,
            lambda since, until: AskedSpend(wanted.by, since, until).query(),
        ),
        export=f"{EXPORT}?{wanted.query()}",
    )


@session.signed_in
async def export(request: Request) -> Response:
    """The same as CSV, with all rows that a statement may have."""
    console = context.of(request)
    wanted = asked(request.query_params, console.clock.now())
    scope = SpendScope(since=wanted.since, until=wanted.until, user_id=session.user_of(request).id)
    found = await console.spending.statement(scope, (wanted.by,))
    return await csv_file(found, f"usage-by-{wanted.by.value}")


async def csv_file(found: SpendStatement, name: str, *, is_focus: bool = False) -> Response:
    """A statement as a file, in the columns of FOCUS or in those of its own."""
    if is_focus:
        lines = csv_lines(rendering.FOCUS_COLUMNS, rendering.focus_rows(found))
    else:
        rows = (rendering.cells(found, row) for row in found.rows)
        lines = csv_lines(rendering.heads(found), rows)
    name = f"{name}-{rendering.day_text(found.scope.since)}.csv"
    return Response(
        await asyncio.to_thread("".join, lines),  # of up to 100,000 rows
        media_type="text/csv",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


PAGES: Final = (Route("/account/spending", show), Route(EXPORT, export))
