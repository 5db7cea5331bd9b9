"""A circuit breaker as a value: what it was, what happened, what it is now. Nothing else.

Closed, it counts. It opens on so many failures in a row, on a share of failures among enough
attempts of one window, or at once when the vendor names the time at which it may be asked again.
After the cooldown one attempt, the probe, is let through: a success closes it, a failure opens it
for twice as long.
"""

from typing import Final

import msgspec

from trivium.routing.channel_health import Breaker, State
from trivium.settings.model import RoutingSettings

LEAST: Final = 20
"""Attempts in a window before the share of failures counts."""
PROBE_S: Final = 60.0
"""A probe that nobody heard of again for so long makes room for another."""


def state(breaker: Breaker, now: float) -> State:
    """What it lets through now."""
    if not breaker.until:
        return State.CLOSED
    if now < breaker.until:
        return State.OPEN
    return State.PROBING if now < breaker.probe_until else State.READY


def succeeded(breaker: Breaker, now: float, rules: RoutingSettings) -> Breaker:
    """An attempt was answered."""
    if breaker.until:
        # one that began before it opened says nothing of what came after
        return breaker if now < breaker.until else Breaker(good=1, since=now)
    if now - breaker.since >= rules.window_s:
        return Breaker(good=1, since=now)
    return Breaker(good=breaker.good + 1, bad=breaker.bad, since=breaker.since)


def failed(
    breaker: Breaker, now: float, rules: RoutingSettings, why: str, *, wait_s: float | None = None
) -> Breaker:
    """An attempt failed, and it was the upstream's doing.

    ``wait_s``: how long the vendor asks to be left alone; ``None``: it does not say. Of two such
    deadlines the later holds.
    """
    told_until = now + wait_s if wait_s else None
    if breaker.until:
        if now < breaker.until and (told_until is None or told_until <= breaker.until):
            return breaker  # one that began before it opened
        if now < breaker.until:
            assert told_until is not None
            return msgspec.structs.replace(breaker, until=told_until, told=True, why=why)
        return _opened(breaker, now, rules, why, told_until)
    fresh = now - breaker.since >= rules.window_s
    good, bad = (0, 1) if fresh else (breaker.good, breaker.bad + 1)
    row = breaker.row + 1
    counted = Breaker(row=row, good=good, bad=bad, since=now if fresh else breaker.since)
    many = good + bad >= LEAST and bad >= rules.failures_ratio * (good + bad)
    if told_until is None and row < rules.failures and not many:
        return counted
    return _opened(counted, now, rules, why, told_until)


def refused(breaker: Breaker, now: float, rules: RoutingSettings, why: str) -> Breaker:
    """A vendor refused the credential: it rests for the cooldown, and twice as long each time.

    It is the vendor's word, so nobody is let through meanwhile.
    """
    if now < breaker.until:
        return breaker  # an attempt that began before it opened
    wait_s = min(rules.cooldown_s * 2.0 ** min(breaker.trips, 30), rules.recheck_s)
    return _opened(breaker, now, rules, why, now + wait_s)


def claimed(breaker: Breaker, now: float) -> Breaker:
    """An attempt begins: if it is the probe, no other may."""
    if state(breaker, now) is not State.READY:
        return breaker
    return msgspec.structs.replace(breaker, probe_until=now + PROBE_S)


def released(breaker: Breaker) -> Breaker:
    """An attempt ended without saying anything of the upstream: another may probe."""
    return msgspec.structs.replace(breaker, probe_until=0.0) if breaker.probe_until else breaker


def _opened(
    breaker: Breaker, now: float, rules: RoutingSettings, why: str, told_until: float | None
) -> Breaker:
    cooldown = min(rules.cooldown_s * 2.0 ** min(breaker.trips, 30), rules.cooldown_max_s)
    return Breaker(
        row=breaker.row,
        until=now + cooldown if told_until is None else told_until,
        trips=breaker.trips + 1,
        told=told_until is not None,
        why=why,
    )
