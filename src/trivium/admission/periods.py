"""When a budget's period began and when it ends, in UTC. Pure."""

from datetime import UTC, datetime, timedelta
from typing import Final

from trivium.identity.model import Period

FOREVER: Final = float("inf")
DAY_S: Final = 86_400


def bounds(period: Period, now: float) -> tuple[int, float]:
    """Seconds since the epoch: the first of the period that ``now`` lies in, and the next one's."""
    if period is Period.TOTAL:
        return 0, FOREVER
    day = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if period is Period.DAY:
        end = day + timedelta(days=1)
    elif period is Period.WEEK:
        day -= timedelta(days=day.weekday())
        end = day + timedelta(days=7)
    else:
        day = day.replace(day=1)
        end = (day + timedelta(days=31)).replace(day=1)
    return int(day.timestamp()), end.timestamp()
