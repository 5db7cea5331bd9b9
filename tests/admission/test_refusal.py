"""Refusals say whose limit it is, what it is and when to come back."""

import pytest

from trivium.admission.meter import Meter, Of, Subject
from trivium.admission.purse import Spent
from trivium.admission.refusal import limited, overspent, too_large
from trivium.faults import Kind
from trivium.identity.model import Budget, Period
from trivium.settings.limits import RateLimits

LIMITS = RateLimits(10, 2000, 3)


@pytest.mark.parametrize(
    ("subject", "of", "wait", "kind", "text"),
    [
        (Subject.KEY, Of.REQUESTS, 1.2, Kind.RATE_LIMITED, "this key may use 10 requests a minute"),
        (Subject.USER, Of.TOKENS, 0.0, Kind.RATE_LIMITED, "user may use 2000 tokens a minute"),
        (Subject.MODEL, Of.CONCURRENCY, 1.0, Kind.RATE_LIMITED, "model may have 3 running"),
        (Subject.CHANNEL, Of.REQUESTS, 2.0, Kind.UPSTREAM_BUSY, "its operator has set"),
    ],
)
def test_a_refusal_for_now(subject, of, wait, kind, text):
    """Agents read the delay out of the words."""
    fault = limited(Meter(subject, "x", LIMITS), of, wait, 0.0)
    assert (kind, wait) == (fault.kind, fault.retry_after)
    assert text in fault.message
    assert fault.message.endswith(f"Please try again in {max(1, -int(-wait // 1))}s.")
    assert subject is not Subject.CHANNEL or "10" not in fault.message


def test_a_refusal_for_good():
    """Waiting does not make a request smaller."""
    fault = too_large(Meter(Subject.KEY, "x", LIMITS), 9000, 0.0)
    assert (Kind.LIMIT_TOO_LOW, None) == (fault.kind, fault.retry_after)
    assert Kind.UPSTREAM_BUSY is too_large(Meter(Subject.CHANNEL, "x", LIMITS), 9000, 0.0).kind


@pytest.mark.parametrize("period", Period)
def test_a_spent_budget_says_how_much_and_for_how_long(period):
    """In dollars, exact."""
    fault = overspent(Spent(Budget(amount_nanos=5 * 10**9, period=period), 0.0), 10**6)
    assert Kind.BUDGET_SPENT is fault.kind
    assert "5.00 USD" in fault.message
    assert "0.001 USD" in fault.message
