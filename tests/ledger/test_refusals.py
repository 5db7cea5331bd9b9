"""What a caller is told who is not served for money."""

import pytest

from trivium.faults import Kind
from trivium.ledger.refusals import elsewhere, overspent, too_low, unknown, unnoted
from trivium.settings.budget import FOREVER, WINDOWS, Budget, Period


def test_only_what_nobody_can_pay_is_refused_for_good():
    """Clients repeat what they are told may come right, and no more than that."""
    assert Kind.BALANCE_TOO_LOW is too_low(30_000_000).kind
    assert "up to 0.03 USD" in too_low(30_000_000).message
    assert {Kind.LEDGER_DOWN} == {unknown().kind, elsewhere().kind}
    assert elsewhere().retry_after
    assert Kind.INTERNAL is unnoted().kind


@pytest.mark.parametrize("period", Period)
def test_a_spent_budget_says_how_much_and_for_how_long(period):
    """In dollars, exact, with whose it is and when it begins anew."""
    budget = Budget(amount_nanos=5 * 10**9, period=period, whose="the team research")
    fault = overspent(budget, 10**6, 1_796_083_200)
    assert Kind.BUDGET_SPENT is fault.kind
    assert fault.message.startswith("The budget of the team research does not cover it: 5.00 USD ")
    assert fault.message.endswith(" This request may cost up to 0.001 USD.")
    assert (period in WINDOWS) is ("step by step" in fault.message)
    assert (period not in WINDOWS) is ("anew at 2026-12-01T00:00:00Z" in fault.message)


def test_a_budget_of_a_key_is_of_this_key():
    """Where nobody else's is meant; one for good has no end."""
    fault = overspent(Budget(amount_nanos=1, period=Period.TOTAL), 1, FOREVER)
    assert "The budget of this key does not cover it: 0.000000001 USD in all. This" in fault.message
