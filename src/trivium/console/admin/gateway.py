"""What the gateway does, at a glance: how much, how well, for whom, and what it earns."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.catalogue.pricing.margins import EarnedMargin, earned, said_costs, together
from trivium.console import charts, context, render, session
from trivium.console.admin.period import CHOICES, ChosenPeriod, chosen, day_text
from trivium.console.language import N_, PageLanguage
from trivium.ledger.spending.model import DAY_S, Dimension, SpendRow, SpendScope
from trivium.observe.traffic.model import TrafficSums
from trivium.observe.traffic.service import TrafficOverview, TrafficPeriod

ROWS: Final = 50
"""Of the table by who or what."""
RATE_S: Final = 600
"""The rate is of so many seconds, as sums are of five minutes."""
EVER_S: Final = 400 * DAY_S
_COUNTED: Final = N_("%(at)s: %(requests)s requests, %(failed)s failed")
VIEWS: Final = {
    "model": N_("Models"),
    "channel": N_("Channels"),
    "team": N_("Teams"),
    "user": N_("Users"),
    "key": N_("Keys"),
    "tag": N_("Tags"),
}


class BreakdownRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table by who or what."""

    name: str
    query: str = ""
    """The member of a search for its requests; empty where there is none for it."""
    value: str = ""
    """What is searched for."""
    requests: int
    failed: int | None = None
    """``None``: only what was billed is known of it."""
    first_p50_ms: float | None = None
    first_p95_ms: float | None = None
    tokens: int | None = None
    nanos: int | None = None

    @property
    def error_rate(self) -> float | None:
        """What part of the requests failed, from 0 to 1; ``None``: nobody knows."""
        if self.failed is None:
            return None
        return self.failed / self.requests if self.requests else 0.0


@session.admin
async def show(request: Request) -> Response:
    """Show the gateway over the chosen period."""
    console = context.of(request)
    now = console.clock.now()
    period = chosen(request.query_params, now)
    view = request.query_params.get("by", "")
    view = view if view in VIEWS else "model"
    overview = await console.traffic.overview(period.of)
    spent = await _spent(request, period)
    days = _days(period, spent)
    speaking = render.speech_of(request)
    return render.page(
        request,
        "admin/gateway.html",
        period=period,
        choices=CHOICES,
        view=view,
        views=VIEWS,
        query=dict(period.given),
        total=overview.total,
        causes=overview.causes,
        by_step=_steps(overview, period.of),
        charts=_charts(overview, period, speaking) | {"billed": _billed(days, speaking)},
        days=days,
        rows=await _rows(request, period, view, spent),
        earned=_earned(request, spent),
        running=console.gateway.in_flight(),
        per_minute=await _rate(request, now),
        first_day=period.days[0] * DAY_S,
        last_day=period.days[1] * DAY_S,
        today=day_text(int(now) // DAY_S),
        start=None if overview.total.requests else await _start(request, now),
    )


async def _rate(request: Request, now: float) -> float:
    """Requests a minute, of the last five minutes that are whole and those that are not."""
    until = int(now) // 300 * 300 + 300
    period = TrafficPeriod(since=until - RATE_S, until=until, step_s=300)
    found = await context.of(request).traffic.overview(period)
    return found.total.requests / max(1.0, (now - period.since) / 60)


async def _start(request: Request, now: float) -> dict[str, bool] | None:
    """What a gateway that never served a request has already; ``None``: it did serve some."""
    console = context.of(request)
    ever = TrafficPeriod(since=int(now) - EVER_S, until=int(now) + DAY_S, step_s=DAY_S)
    if (await console.traffic.overview(ever)).total.requests:
        return None
    keys = await console.own_keys.own(session.user_of(request).id)
    return {
        "channels": bool(tuple(console.gateway.channels())),
        "models": bool(tuple(console.models())),
        "key": any(not key.disabled for key in keys),
    }


# --- money ----------------------------------------------------------------------------------------


def _scope(period: ChosenPeriod) -> SpendScope:
    first, last = period.days
    return SpendScope(since=first, until=last)


async def _spent(request: Request, period: ChosenPeriod) -> list[SpendRow]:
    """What was billed by day, model and channel: a single look at the sums for all who ask."""
    by = (Dimension.DAY, Dimension.MODEL, Dimension.CHANNEL)
    return await context.of(request).spending.rows(_scope(period), by)


def _earned(request: Request, spent: Sequence[SpendRow]) -> EarnedMargin:
    rows = [SpendRow(row.values[1:], row.sums) for row in spent]
    return together(earned(rows, said_costs(context.of(request).models())).values())


def _added(spent: Sequence[SpendRow], place: int) -> dict[int | str, int]:
    """What was billed by one of the three."""
    nanos: dict[int | str, int] = {}
    for row in spent:
        of = row.values[place]
        nanos[of] = nanos.get(of, 0) + row.sums.nanos
    return nanos


def _days(period: ChosenPeriod, spent: Sequence[SpendRow]) -> list[tuple[int, int]]:
    """What was billed on each day, if there are several."""
    first, last = period.days
    if first == last:
        return []
    nanos = _added(spent, 0)
    return [(day * DAY_S, nanos.get(day, 0)) for day in range(first, last + 1)]


# --- by whom and what -----------------------------------------------------------------------------


async def _rows(
    request: Request, period: ChosenPeriod, view: str, spent: Sequence[SpendRow]
) -> list[BreakdownRow]:
    if view == "tag":
        found = await context.of(request).spending.rows(_scope(period), (Dimension.TAG,), ROWS)
        return [
            BreakdownRow(
                name=str(row.values[0]),
                requests=row.sums.requests,
                tokens=row.sums.input_tokens + row.sums.output_tokens,
                nanos=row.sums.nanos,
            )
            for row in found
        ]
    if view in ("model", "channel"):
        return await _by_what(request, period, view, _added(spent, 1 if view == "model" else 2))
    return await _by_whom(request, period, view)


async def _by_what(
    request: Request, period: ChosenPeriod, view: str, nanos: Mapping[int | str, int]
) -> list[BreakdownRow]:
    traffic = context.of(request).traffic
    found: dict[str, TrafficSums] = await (
        traffic.by_model(period.of) if view == "model" else traffic.by_channel(period.of)
    )
    most = sorted(found.items(), key=lambda pair: (-pair[1].requests, pair[0]))[:ROWS]
    return [
        BreakdownRow(
            name=name,
            query=view if name else "",
            value=name,
            requests=sums.requests,
            failed=sums.failed,
            first_p50_ms=sums.first_p50_ms,
            first_p95_ms=sums.first_p95_ms,
            nanos=nanos.get(name, 0),
        )
        for name, sums in most
    ]


async def _by_whom(request: Request, period: ChosenPeriod, view: str) -> list[BreakdownRow]:
    traffic = context.of(request).traffic
    asked = {"team": traffic.by_team, "user": traffic.by_user, "key": traffic.by_key}[view]
    found = await asked(period.of, ROWS)
    ids = [each.id for each in found if each.id]
    spending = context.of(request).spending
    nanos = await spending.spent_by(_scope(period), Dimension(view), [each.id for each in found])
    names = await traffic.names("keys" if view == "key" else "users", ids)
    return [
        BreakdownRow(
            name=names.get(each.id, f"#{each.id}") if each.id else "",
            query=view if each.id else "",
            value=f"#{each.id}",
            requests=each.requests,
            failed=each.failed,
            nanos=nanos.get(each.id, 0),
        )
        for each in found
    ]


# --- charts ---------------------------------------------------------------------------------------


def _steps(overview: TrafficOverview, period: TrafficPeriod) -> list[tuple[int, TrafficSums]]:
    """Every step of the period, also those in which nothing happened."""
    return [(at, overview.steps.get(at, TrafficSums())) for at in period.starts()]


def _charts(
    overview: TrafficOverview, period: ChosenPeriod, speaking: PageLanguage
) -> dict[str, Any]:
    """Requests, and times to the first byte, by steps."""
    steps = _steps(overview, period.of)
    names = [step_name(period, at, speaking) for at, _ in steps]
    say = speaking.translations.gettext
    counts = [(sums.requests - sums.failed, sums.failed) for _, sums in steps]
    counted = [
        say(_COUNTED)
        % {
            "at": moment_name(period, at, speaking),
            "requests": speaking.number(sums.requests),
            "failed": speaking.number(sums.failed),
        }
        for at, sums in steps
    ]
    times = [(sums.first_p50_ms, sums.first_p95_ms) for _, sums in steps]
    timed = [
        f"{moment_name(period, at, speaking)}: "
        + (
            f"p50 {speaking.duration(round(p50))}, p95 {speaking.duration(round(p95))}"
            if p50 is not None and p95 is not None
            else "-"
        )
        for (at, _), (p50, p95) in zip(steps, times, strict=True)
    ]
    return {
        "requests": charts.bars(counts, names, counted, lambda n: speaking.compact(_whole(n))),
        "first_byte": charts.lines(
            [[p50 for p50, _ in times], [p95 for _, p95 in times]],
            names,
            timed,
            lambda ms: speaking.duration(round(ms)),
        ),
    }


def _billed(days: list[tuple[int, int]], speaking: PageLanguage) -> charts.Chart:
    """What was billed by day."""
    return charts.bars(
        [(nanos,) for _, nanos in days],
        [speaking.short_day(at) for at, _ in days],
        [f"{speaking.short_day(at)}: {speaking.money(nanos)}" for at, nanos in days],
        lambda nanos: speaking.money(round(nanos)),
    )


def _whole(number: float) -> Any:
    return int(number) if number == int(number) else number


def step_name(period: ChosenPeriod, at: int, speaking: PageLanguage) -> str:
    """A step under a chart: the time of day while the period is short, else the day."""
    is_short = period.of.until - period.of.since <= 2 * DAY_S
    return speaking.clock(at) if is_short and period.is_fine else speaking.short_day(at)


def moment_name(period: ChosenPeriod, at: int, speaking: PageLanguage) -> str:
    """A step in words: its day, and its time where it is shorter than a day."""
    day = speaking.short_day(at)
    return f"{day} {speaking.clock(at)}" if period.is_fine else day


PAGES: Final = (Route("/admin", show),)
