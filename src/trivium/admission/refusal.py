"""Refusals of admission: their messages, and the meters that decided them."""

import math
from typing import Final

from trivium.admission.meter import Meter, Of, Subject
from trivium.admission.purse import Spent
from trivium.faults import Fault, Kind
from trivium.identity.model import Period
from trivium.ledger.amounts import format_usd

_WHOSE: Final = {
    Subject.KEY: "this key",
    Subject.USER: "this key's user",
    Subject.MODEL: "this model",
    Subject.CHANNEL: "the upstream",
}
_WHEN: Final = {
    Period.DAY: "for the day, which begins anew at midnight UTC",
    Period.WEEK: "for the week, which begins anew on Monday, midnight UTC",
    Period.MONTH: "for the month, which begins anew on the first, midnight UTC",
    Period.TOTAL: "in all",
}


class Refusal(Fault):
    """A fault with the meter that its rate limit headers are written from."""

    __slots__ = ("into", "meter")

    def __init__(self, fault: Fault, meter: Meter, into: float) -> None:
        super().__init__(fault.kind, fault.message, retry_after=fault.retry_after)
        self.meter = meter
        self.into = into
        """Seconds into the minute of the meter."""


def limited(meter: Meter, of: Of, wait_s: float, into: float) -> Refusal:
    """Return the refusal of a request that may come again in ``wait_s`` seconds. For a channel it
    means busy, and the next channel may be tried.
    """
    limits = meter.limits
    whose = _WHOSE[meter.subject]
    again = f"Please try again in {_seconds(wait_s)}."
    if meter.subject is Subject.CHANNEL:
        busy = "The upstream is at the limit its operator has set."
        return Refusal(
            Fault(Kind.UPSTREAM_BUSY, f"{busy} {again}", retry_after=wait_s), meter, into
        )
    if of is Of.CONCURRENCY:
        text = f"Too many requests at once: {whose} may have {limits.concurrency} running."
    else:
        limit = limits.requests if of is Of.REQUESTS else limits.tokens
        text = f"Rate limit reached: {whose} may use {limit} {of.value} a minute."
    return Refusal(Fault(Kind.RATE_LIMITED, f"{text} {again}", retry_after=wait_s), meter, into)


def too_large(meter: Meter, tokens: int, into: float) -> Refusal:
    """Return the refusal of a request that exceeds the limit by itself and can never run."""
    text = (
        f"This request has about {tokens} tokens, and {_WHOSE[meter.subject]} may use "
        f"{meter.limits.tokens} tokens a minute. Shorten it, or have the limit raised."
    )
    busy = meter.subject is Subject.CHANNEL
    kind = Kind.UPSTREAM_BUSY if busy else Kind.LIMIT_TOO_LOW
    return Refusal(Fault(kind, text), meter, into)


def overspent(spent: Spent, amount_nanos: int) -> Fault:
    """Return the fault of a request that a key's budget does not cover."""
    budget = spent.budget
    return Fault(
        Kind.BUDGET_SPENT,
        f"The budget of this key does not cover it: {format_usd(budget.amount_nanos)} USD "
        f"{_WHEN[budget.period]}. This request may cost up to {format_usd(amount_nanos)} USD.",
    )


def _seconds(wait_s: float) -> str:
    """Format a wait in the words that coding agents parse out of an error message."""
    whole = max(1, math.ceil(wait_s))
    return f"{whole}s"
