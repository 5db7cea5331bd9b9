"""Which sums are kept of closed days, and which of them add up to some days. Pure.

A *window* is some days in a row that begin at a multiple of their number, so that any period is a
few days, a few windows of 4, of 16 and of 64 days, and again a few days: what a month comes to
takes some 12 rows of each caller instead of 30, and a year some 20.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from enum import IntEnum, unique
from typing import Final, NamedTuple

OPEN_DAYS: Final = 2
"""A day is closed when so many others have ended after it. Whoever adds to one that is older than
the one before says so, so clocks of nodes may be a day apart."""
SPANS: Final = (1, 4, 16, 64)
"""Days of a window."""


@unique
class RollupShape(IntEnum):
    """What the sums of a window are told apart by."""

    WHOLE = 1
    """By everything, as ``spend_days`` has it: so there is none of a single day."""
    CALLERS = 2
    """By who paid and asked."""
    ANSWERS = 3
    """By team, model and channel."""

    @property
    def columns(self) -> tuple[str, ...]:
        """What it tells apart; the others are 0 or empty."""
        return _COLUMNS[self]

    @property
    def spans(self) -> tuple[int, ...]:
        """How many days each of its windows may have."""
        return SPANS[1:] if self is RollupShape.WHOLE else SPANS


EVERYTHING: Final = ("payer_id", "team_id", "user_id", "key_id", "model", "channel")
_COLUMNS: Final = {
    RollupShape.WHOLE: EVERYTHING,
    RollupShape.CALLERS: EVERYTHING[:4],
    RollupShape.ANSWERS: ("team_id", "model", "channel"),
}
_NARROW: Final = (RollupShape.ANSWERS, RollupShape.CALLERS)


class DayRun(NamedTuple):
    """Windows of one span in a row, by the first day of the first and of the last."""

    span: int
    """0: days that have no rows but those of ``spend_days``."""
    first: int
    last: int


class RollupWindow(NamedTuple):
    """A window of sums."""

    shape: RollupShape
    span: int
    day: int
    """Its first."""


def shape_of(columns: Iterable[str]) -> RollupShape:
    """The least that tells these columns apart."""
    wanted = set(columns) - {"day"}
    return next((each for each in _NARROW if wanted <= set(each.columns)), RollupShape.WHOLE)


def cover(
    since: int, until: int, spans: Sequence[int], closed: int, late: Sequence[int] = ()
) -> list[DayRun]:
    """What adds up to the days of a period, both included, in their order.

    ``closed``: the last day of which there are windows. ``late``: days that have been added to
    since, in their order; what has them in it is left out.
    """
    runs: list[DayRun] = []
    day = since
    while day <= until:
        if day > closed or not spans:
            runs.append(DayRun(0, day, until))
            break
        span = _largest(day, min(until, closed), spans, late)
        last = runs[-1] if runs else None
        if last is not None and last.span == span and last.last + max(span, 1) == day:
            runs[-1] = last._replace(last=day)
        else:
            runs.append(DayRun(span, day, day))
        day += max(span, 1)
    return runs


def _largest(day: int, until: int, spans: Sequence[int], late: Sequence[int]) -> int:
    """How many days the largest window has that begins here; 0: there is none."""
    at = bisect_left(late, day)
    until = min(until, late[at] - 1) if at < len(late) else until
    fits = (span for span in reversed(spans) if not day % span and day + span - 1 <= until)
    return next(fits, 0)


def windows_ending(after: int, until: int) -> list[RollupWindow]:
    """Those that end on these days, each after those that it is made of."""
    return [
        RollupWindow(shape, span, day)
        for span in SPANS
        # the first that ends later: its first day is rounded up
        for day in range(-(-(after - span + 2) // span) * span, until - span + 2, span)
        for shape in RollupShape
        if span in shape.spans
    ]


def windows_with(day: int, until: int) -> list[RollupWindow]:
    """Those that have a day in them and end by another, each after those that it is made of."""
    return [
        RollupWindow(shape, span, day - day % span)
        for span in SPANS
        for shape in RollupShape
        if span in shape.spans and day - day % span + span - 1 <= until
    ]


def parts(window: RollupWindow) -> tuple[int, int]:
    """What a window is made of: the span of its parts, 0 for days of ``spend_days``, and the first
    day of the last of them.
    """
    if window.span == 1:
        return 0, window.day
    less = SPANS[SPANS.index(window.span) - 1]
    if window.shape is RollupShape.WHOLE and less == 1:
        return 0, window.day + window.span - 1
    return less, window.day + window.span - less
