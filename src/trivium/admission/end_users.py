"""The end users of a key that are counted apart: as many as an application has, and no more.

Whoever has a key can invent end users, a new one for each request. So each worker tells at most
``END_USERS_MAX`` of a key apart within a day; whoever comes after those shares what one more has.
That opens nothing: the key's own limits, and those above it, hold for all of them together.
"""

from typing import Final

from trivium.admission.meter import Meter, Subject
from trivium.settings.limits import RateLimits

END_USERS_MAX: Final = 10_000
OTHERS: Final = "others"
"""Who comes after those."""
DAY_S: Final = 86_400


class EndUserSlots:
    """Which end users of each key have been seen in the running day, UTC."""

    __slots__ = ("_day", "_known")

    def __init__(self) -> None:
        self._day = 0
        self._known: dict[int, dict[str, Meter | None]] = {}

    def name(self, key_id: int, hashed: str, now: float) -> str:
        """By what an end user is counted: the hash of their name, or ``OTHERS``. ``now``: seconds
        since the epoch.
        """
        day = int(now // DAY_S)
        if day != self._day:
            self._day = day
            self._known = {}
        known = self._known.setdefault(key_id, {})
        if hashed in known:
            return hashed
        name = hashed if len(known) < END_USERS_MAX else OTHERS
        known.setdefault(name, None)
        return name

    def meter(self, key_id: int, hashed: str, limits: RateLimits, now: float) -> Meter:
        """The meter of an end user's requests."""
        name = self.name(key_id, hashed, now)
        known = self._known[key_id]
        meter = known[name]
        if meter is None:
            meter = known[name] = Meter(Subject.END_USER, scope_of(key_id, name), limits)
        elif meter.limits is not limits:
            meter.limits = limits
        return meter


def scope_of(key_id: int, name: str) -> str:
    """As counters name an end user of a key."""
    return f"key:{key_id}/end_user:{name}"
