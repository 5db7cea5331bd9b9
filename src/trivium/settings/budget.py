"""What may be spent within a period, and when periods begin and end."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import Enum, unique
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

FOREVER: Final = 253_402_300_800
"""The end of a period without an end: the first second of the year 10000."""
DAY_S: Final = 86_400
UTC_NAME: Final = "UTC"


@unique
class Period(Enum):
    """How long a budget lasts before it begins anew."""

    DAY = "day"
    WEEK = "week"
    """From Monday."""
    MONTH = "month"
    TOTAL = "total"
    """For good."""
    FIVE_HOURS = "5h"
    """The last five hours, at any moment."""
    SEVEN_DAYS = "7d"
    """The last seven days, at any moment."""

    __hash__ = object.__hash__  # docs/decisions/0022-hot-marks.md


WINDOWS: Final = {Period.FIVE_HOURS: (5 * 3600, 300), Period.SEVEN_DAYS: (7 * DAY_S, 3600)}
"""Periods that end at every moment: how long they are, and by which steps what was spent leaves
them. In seconds."""


class Budget(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What somebody or something may cost within a period."""

    amount_nanos: int
    """Nano-dollars."""
    period: Period
    zone: str = UTC_NAME
    """The time zone, by its IANA name, in which days, weeks and months begin."""
    soft: bool = False
    """Whether exceeding it is told to people and refuses nobody."""
    instead: str = ""
    """The model that answers once it is spent; empty: requests are refused."""
    since: int = 0
    """When it was given, in seconds since the epoch: what was spent before in its period is summed
    up once. 0: before there was anything to spend."""
    scope: str = ""
    """Whose it is, as counters name it: ``key:5``, ``team:3``; empty: not known yet."""
    whose: str = ""
    """The same for people: ``this key``, ``the team research``."""


def beyond(budget: Budget) -> Budget:
    """A spent budget whose other model answers from now on: it goes on counting, and refuses no
    more. ``is_beyond`` tells such a one from a soft one, which has no other model.
    """
    return msgspec.structs.replace(budget, soft=True)


def within(budget: Budget) -> Budget:
    """The budget that ``beyond`` was given."""
    return msgspec.structs.replace(budget, soft=False)


def is_beyond(budget: Budget) -> bool:
    """Whether a budget is what ``beyond`` returned."""
    return budget.soft and bool(budget.instead)


class CounterId(NamedTuple):
    """Names what is counted together: a scope's spending within one period."""

    scope: str
    period: str
    starts_at: int
    """Seconds since the epoch; 0 for windows and for good."""


class PeriodBounds(NamedTuple):
    """A period, in seconds since the epoch."""

    starts_at: int
    ends_at: int
    """The first second of the next one; ``FOREVER`` where there is none."""


def bounds(period: Period, now: float, zone: str = UTC_NAME) -> PeriodBounds:
    """Return the period that ``now`` lies in. A window has neither beginning nor end of its own."""
    if period is Period.TOTAL or period in WINDOWS:
        return PeriodBounds(0, FOREVER)
    where = zone_of(zone)
    day = datetime.fromtimestamp(now, where).date()
    first, after = _calendar(period, day)
    starts_at, ends_at = _begins(first, where), _begins(after, where)
    if now >= ends_at:
        # clocks set back over midnight show the last minutes of a day again that has ended
        starts_at, ends_at = ends_at, _begins(_calendar(period, after)[1], where)
    return PeriodBounds(starts_at, ends_at)


def _calendar(period: Period, day: date) -> tuple[date, date]:
    """The first day of the period that a day lies in, and that of the next period."""
    if period is Period.WEEK:
        first = day - timedelta(days=day.weekday())
        return first, first + timedelta(days=7)
    if period is Period.MONTH:
        first = day.replace(day=1)
        return first, (first + timedelta(days=31)).replace(day=1)
    return day, day + timedelta(days=1)


def _begins(day: date, where: tzinfo) -> int:
    """The first second of a local day, also where clocks are set at midnight."""
    at = int(datetime.combine(day, time(), where).timestamp())
    # in a gap the hour that does not exist is read by the offset before it, which names a moment of
    # the day; where midnight comes twice, the first counts
    while datetime.fromtimestamp(at - 1, where).date() >= day:
        at -= 1
    return at


@lru_cache(maxsize=256)
def zone_of(name: str) -> tzinfo:
    """Return the time zone of an IANA name. Raises ``ValueError`` where there is none."""
    if name == UTC_NAME:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"{name[:80]!r} is no time zone, such as 'Europe/Berlin'") from None


class CountedBudgets(NamedTuple):
    """Budgets with their counters, as long as each is in the same period."""

    budgets: tuple[Budget, ...]
    counters: tuple[CounterId, ...]
    """Of each budget, in their order."""
    text: str
    """The same as JSON, as entries have them."""
    resets_at: int
    """When the first period ends of those that refuse, or did; ``FOREVER`` where none does."""
    since: float
    until: float


UNCOUNTED: Final = CountedBudgets((), (), "", FOREVER, 0, FOREVER)
"""Of a request that has no budget."""


REMEMBERED_MAX: Final = 10_000
"""Keys whose counters are remembered: some 5 MB."""


class PeriodClock:
    """Tells which counter a budget has at a moment; remembers each period until it ends."""

    __slots__ = ("_bounds", "_counted")

    def __init__(self) -> None:
        self._bounds: dict[tuple[Period, str], PeriodBounds] = {}
        self._counted: dict[int, CountedBudgets] = {}
        """By the identity of the budgets, which are those of a key for as long as nobody changes
        it.
        """

    def bounds(self, budget: Budget, now: float) -> PeriodBounds:
        """Return the period of a budget that ``now`` lies in."""
        key = budget.period, budget.zone
        found = self._bounds.get(key)
        if found is None or not found.starts_at <= now < found.ends_at:
            found = self._bounds[key] = bounds(budget.period, now, budget.zone)
        return found

    def counted(self, budgets: tuple[Budget, ...], now: float) -> CountedBudgets:
        """Return budgets with the counter that each has at a moment; the same as before for as long
        as no period ends.
        """
        known = self._counted.get(id(budgets))
        if known is not None and known.budgets is budgets and known.since <= now < known.until:
            return known
        periods = [self.bounds(budget, now) for budget in budgets]
        counters = tuple(
            [
                CounterId(budget.scope, budget.period.value, period.starts_at)
                for budget, period in zip(budgets, periods, strict=True)
            ]
        )
        if len(self._counted) >= REMEMBERED_MAX:
            self._counted.clear()
        hard = [
            at.ends_at
            for at, of in zip(periods, budgets, strict=True)
            if not of.soft or is_beyond(of)
        ]
        known = self._counted[id(budgets)] = CountedBudgets(
            budgets,
            counters,
            msgspec.json.encode(counters).decode(),
            min(hard, default=FOREVER),
            max([period.starts_at for period in periods], default=0),
            min([period.ends_at for period in periods], default=FOREVER),
        )
        return known
