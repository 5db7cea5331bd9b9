"""Refusals of admission, with the meters that decided them; rate limit headers in vendors' forms.

The OpenAI family's headers have counts and durations (``6m0s``), Anthropic counts and moments (RFC
3339); each once for requests and once for tokens. The generate-content protocol has no such
headers. Of several limits of one kind the one with the least left is given. A model's limits are
shared between callers, so only a refusal shows them.
"""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from trivium.admission.meter import Meter, Of, Subject, remaining, reset
from trivium.faults import Fault, Kind
from trivium.ledger.amounts import format_usd
from trivium.ledger.refusals import BudgetRefusal
from trivium.settings.budget import FOREVER, WINDOWS
from trivium.wire.operation import Shape

Headers = list[tuple[bytes, bytes]]

_OWN: Final = (Subject.KEY, Subject.USER, Subject.TEAM)
_OPENAI: Final = tuple(
    tuple(b"x-ratelimit-%b-%b" % (what, of) for what in (b"limit", b"remaining", b"reset"))
    for of in (b"requests", b"tokens")
)
_ANTHROPIC: Final = tuple(
    tuple(b"anthropic-ratelimit-%b-%b" % (of, what) for what in (b"limit", b"remaining", b"reset"))
    for of in (b"requests", b"tokens")
)


def headers_of(meters: Sequence[Meter], into: float, shape: Shape | None, now: float) -> Headers:
    """Return an answer's headers. ``into``: seconds into the minute; ``now``: since the epoch."""
    return limit_headers([meter for meter in meters if meter.subject in _OWN], into, shape, now)


def limit_headers(meters: Sequence[Meter], into: float, shape: Shape | None, now: float) -> Headers:
    """Return the headers for these meters' limits on requests and tokens."""
    if shape is Shape.GENERATE or shape is Shape.CONVERSE:
        return []
    requests: tuple[int, int, float] | None = None
    tokens: tuple[int, int, float] | None = None
    for meter in meters:
        limit = meter.limits.requests
        if limit is not None:
            left = remaining(limit, meter.requests, meter.requests_before, into)
            if requests is None or left < requests[1]:
                requests = limit, left, reset(meter.requests, meter.requests_before, into)
        limit = meter.limits.tokens
        if limit is not None:
            left = remaining(limit, meter.tokens, meter.tokens_before, into)
            if tokens is None or left < tokens[1]:
                tokens = limit, left, reset(meter.tokens, meter.tokens_before, into)
    out: Headers = []
    anthropic = shape is Shape.MESSAGES
    for names, found in zip(_ANTHROPIC if anthropic else _OPENAI, (requests, tokens), strict=True):
        if found is not None:
            limit, left, wait = found
            out.append((names[0], b"%d" % limit))
            out.append((names[1], b"%d" % left))
            out.append((names[2], moment(int(now + wait) + 1) if anthropic else duration(wait)))
    return out


def duration(seconds: float) -> bytes:
    """As OpenAI writes one: ``1m13s``, ``59s``, ``24ms``."""
    if seconds < 1:
        return b"%dms" % (seconds * 1000)
    minutes, rest = divmod(int(seconds), 60)
    return b"%dm%ds" % (minutes, rest) if minutes else b"%ds" % rest


@lru_cache(maxsize=256)
def moment(at: int) -> bytes:
    """As Anthropic writes one: ``2026-11-21T08:00:00Z``. ``at``: seconds since the epoch."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ").encode()


_WHOSE: Final = {
    Subject.KEY: "this key",
    Subject.END_USER: "this end user",
    Subject.USER: "this key's user",
    Subject.TEAM: "this key's team",
    Subject.MODEL: "this model",
    Subject.CHANNEL: "the upstream",
}


class AdmissionRefusal(Fault):
    """A fault with the meter that its rate limit headers are written from."""

    __slots__ = ("into", "meter")

    def __init__(self, fault: Fault, meter: Meter, into: float) -> None:
        super().__init__(fault.kind, fault.message, retry_after=fault.retry_after)
        self.meter = meter
        self.into = into
        """Seconds into the minute of the meter."""


def limited(meter: Meter, of: Of, wait_s: float, into: float) -> AdmissionRefusal:
    """Return the refusal of a request that may come again in ``wait_s`` seconds. For a channel it
    means busy, and the next channel may be tried.
    """
    limits = meter.limits
    whose = _WHOSE[meter.subject]
    again = f"Please try again in {_seconds(wait_s)}."
    if meter.subject is Subject.CHANNEL:
        busy = "The upstream is at the limit its operator has set."
        return AdmissionRefusal(
            Fault(Kind.UPSTREAM_BUSY, f"{busy} {again}", retry_after=wait_s), meter, into
        )
    if of is Of.CONCURRENCY:
        text = f"Too many requests at once: {whose} may have {limits.concurrency} running."
    else:
        limit = limits.requests if of is Of.REQUESTS else limits.tokens
        text = f"Rate limit reached: {whose} may use {limit} {of.value} a minute."
    return AdmissionRefusal(
        Fault(Kind.RATE_LIMITED, f"{text} {again}", retry_after=wait_s), meter, into
    )


def too_large(meter: Meter, tokens: int, into: float) -> AdmissionRefusal:
    """Return the refusal of a request that exceeds the limit by itself and can never run."""
    text = (
        f"This request has about {tokens} tokens, and {_WHOSE[meter.subject]} may use "
        f"{meter.limits.tokens} tokens a minute. Shorten it, or have the limit raised."
    )
    busy = meter.subject is Subject.CHANNEL
    kind = Kind.UPSTREAM_BUSY if busy else Kind.LIMIT_TOO_LOW
    return AdmissionRefusal(Fault(kind, text), meter, into)


def budget_headers(refused: BudgetRefusal) -> Headers:
    """Return the headers of a spent budget: whose it is, and when its next period begins."""
    budget = refused.budget
    named = f"{budget.scope}; period={budget.period.value}; limit={format_usd(budget.amount_nanos)}"
    out = [(b"trivium-budget", named.encode("ascii", "replace"))]
    if refused.ends_at < FOREVER and budget.period not in WINDOWS:
        out.append((b"trivium-budget-reset", moment(refused.ends_at)))
    return out


@lru_cache(maxsize=64)
def reset_line(ends_at: int) -> bytes:
    """Return the header line of an answer whose key has budgets: when the next of their periods
    begins, of those that refuse, in seconds since the epoch. Empty where none does.
    """
    return b"trivium-budget-reset: %b\r\n" % moment(ends_at) if ends_at < FOREVER else b""


def _seconds(wait_s: float) -> str:
    """Format a wait in the words that coding agents parse out of an error message."""
    whole = max(1, math.ceil(wait_s))
    return f"{whole}s"
