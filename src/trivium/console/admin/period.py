"""Which time a page is about: the last hour, day, week or month, or from one day to another. UTC.

Weeks and months are whole days, as money is summed up by the day, and long ago everything is.
"""

import datetime as dt
from collections.abc import Mapping
from typing import Final

import msgspec

from trivium.console.language import N_
from trivium.observe.traffic.model import DAY_S, HOUR_S, SPAN_S
from trivium.observe.traffic.service import TrafficPeriod

DAYS_MAX: Final = 400
FINE_DAYS: Final = 8
"""For so long hours can be told apart."""
CHOICES: Final = {
    "hour": N_("Last hour"),
    "day": N_("24 hours"),
    "week": N_("7 days"),
    "month": N_("30 days"),
}


class ChosenPeriod(msgspec.Struct, frozen=True, kw_only=True):
    """A period as somebody chose it."""

    name: str
    """A key of ``CHOICES``; empty: from one day to another."""
    of: TrafficPeriod
    given: Mapping[str, str]
    """What the address of the page says of it."""

    @property
    def is_fine(self) -> bool:
        """Whether its steps are shorter than a day."""
        return self.of.step_s < DAY_S

    @property
    def is_whole(self) -> bool:
        """Whether it is of whole days, as what was billed is."""
        return not self.of.since % DAY_S and not self.of.until % DAY_S

    @property
    def search(self) -> dict[str, str]:
        """The members of a search for its requests."""
        return {"from": _moment(self.of.since), "to": _moment(self.of.until)}

    @property
    def days(self) -> tuple[int, int]:
        """The first and the last day that it touches, since the epoch."""
        return self.of.since // DAY_S, (self.of.until - 1) // DAY_S


def chosen(asked: Mapping[str, str], now: float) -> ChosenPeriod:
    """The period of an address; the last 24 hours where that says none, or none that there is."""
    own = _own(asked.get("since", ""), asked.get("until", ""), now)
    if own is not None:
        return own
    name = asked.get("period", "")
    return _named(name if name in CHOICES else "day", now)


def _named(name: str, now: float) -> ChosenPeriod:
    second = int(now)
    if name == "hour":
        until = (second // SPAN_S + 1) * SPAN_S
        of = TrafficPeriod(since=until - HOUR_S, until=until, step_s=SPAN_S)
    elif name == "day":
        until = (second // HOUR_S + 1) * HOUR_S
        of = TrafficPeriod(since=until - DAY_S, until=until, step_s=HOUR_S)
    else:
        until = (second // DAY_S + 1) * DAY_S
        days, step_s = (7, 6 * HOUR_S) if name == "week" else (30, DAY_S)
        of = TrafficPeriod(since=until - days * DAY_S, until=until, step_s=step_s)
    return ChosenPeriod(name=name, of=of, given={"period": name})


def _own(first: str, last: str, now: float) -> ChosenPeriod | None:
    since, until = _day(first), _day(last)
    if since is None:
        return None
    today = int(now) // DAY_S
    since = min(since, today)
    until = today if until is None else min(until, today)
    until = max(since, until)
    since = max(since, until - DAYS_MAX + 1)
    days = until - since + 1
    if days <= 2 and today - since < FINE_DAYS:
        step_s = HOUR_S
    elif days <= FINE_DAYS and today - since < FINE_DAYS:
        step_s = 6 * HOUR_S
    else:
        step_s = DAY_S if days <= 100 else 7 * DAY_S
    of = TrafficPeriod(since=since * DAY_S, until=(until + 1) * DAY_S, step_s=step_s)
    return ChosenPeriod(name="", of=of, given={"since": day_text(since), "until": day_text(until)})


def _day(typed: str) -> int | None:
    try:
        day = dt.date.fromisoformat(typed)
    except ValueError:
        return None
    return max(0, (day - dt.date(1970, 1, 1)).days)


def _moment(at: int) -> str:
    return dt.datetime.fromtimestamp(at, dt.UTC).strftime("%Y-%m-%dT%H:%M")


def day_text(day: int) -> str:
    """A day since the epoch as ``2026-11-28``."""
    return (dt.date(1970, 1, 1) + dt.timedelta(days=day)).isoformat()
