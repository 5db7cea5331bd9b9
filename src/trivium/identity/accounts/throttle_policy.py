"""How often something may be tried. Pure: counts in, counts out.

So many tries are free within a window; after those each one is followed by a pause that doubles.
Tries are counted before their outcome is known, so that many at once count as many, and forgiven
when they turn out well.
"""

from ipaddress import IPv6Address, ip_address
from typing import Final

import msgspec

_NETWORK_BITS: Final = 64
"""Of an IPv6 address: whoever has one has all the rest of them."""
SKEW_S: Final = 3_600
"""Nodes' clocks are closer than that. What lies further ahead than could be counted now was counted
by a clock that was set back since, and would hold until it is that late again."""


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """How many tries are free within a window, and the pauses after them."""

    free: int
    """Tries a window without a pause."""
    window_s: int
    """Also how long after the last pause everything is forgotten."""
    pause_s: int
    """After the last free try; doubles with every further one."""
    pause_max_s: int


class AttemptCount(msgspec.Struct, frozen=True, kw_only=True):
    """The tries of one subject so far."""

    count: int = 0
    since: int = 0
    """When the window began, in seconds since the epoch."""
    until: int = 0
    """Nothing more before."""
    forget_at: int = 0


NOTHING: Final = AttemptCount()

PER_ACCOUNT: Final = Limit(free=5, window_s=900, pause_s=30, pause_max_s=900)
"""Passwords for one name, and for one address, from anywhere: at most 5 in a row, then four an hour
for good. A user has one of each."""
PER_ADDRESS: Final = Limit(free=100, window_s=900, pause_s=30, pause_max_s=900)
"""Failed logins from one IP address (of IPv6: one network), whoever they are for. An office or a
mobile network is one address: browsers that somebody logged in with before are counted apart."""
PER_FACTOR: Final = Limit(free=5, window_s=900, pause_s=30, pause_max_s=3600)
"""Second factors of one account: of a million codes three are right at any time."""
CHALLENGES: Final = Limit(free=100, window_s=900, pause_s=30, pause_max_s=900)
"""Beginnings of logins that leave a row behind, from one IP address."""
LETTERS_TO: Final = Limit(free=3, window_s=3600, pause_s=900, pause_max_s=21_600)
"""Letters that strangers can cause, to one mailbox."""
KEY_LETTERS: Final = Limit(free=20, window_s=3600, pause_s=900, pause_max_s=21_600)
"""Letters about budgets of keys, to one mailbox: of all its keys together."""
LETTERS_FROM: Final = Limit(free=10, window_s=3600, pause_s=60, pause_max_s=3600)
"""The same, asked for from one IP address."""


def another(limit: Limit, seen: AttemptCount, now: int) -> AttemptCount | None:
    """Return the state after one more try; ``None`` when it is not allowed yet."""
    last = now + limit.pause_max_s + limit.window_s + SKEW_S
    if not now < seen.forget_at <= last:
        seen = AttemptCount(since=now)
    if now < seen.until:
        return None
    count = seen.count + 1
    over = count - limit.free
    pause = 0 if over < 0 else min(limit.pause_s << min(over, 20), limit.pause_max_s)
    until = now + pause if pause else 0
    # tries in quick succession are counted together, also over the end of a window
    forget_at = (
        until + limit.window_s if until else max(seen.since + limit.window_s, now + limit.pause_s)
    )
    return AttemptCount(count=count, since=seen.since, until=until, forget_at=forget_at)


def forgiven(limit: Limit, seen: AttemptCount) -> AttemptCount:
    """Return the state with one try less, because it succeeded."""
    count = max(seen.count - 1, 0)
    if count >= limit.free:
        return msgspec.structs.replace(seen, count=count)
    return AttemptCount(count=count, since=seen.since, forget_at=seen.since + limit.window_s)


def network_of(address: str) -> str:
    """An address as it is limited: IPv4 alone, IPv6 by its network."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        return str(int(found) >> (128 - _NETWORK_BITS))
    return address
