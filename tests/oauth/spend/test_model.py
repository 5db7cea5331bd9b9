"""A cap has bounds, and the answer says what a program needs."""

import pytest

from trivium.ledger.model import NANOS
from trivium.oauth.spend.model import SpendKey, budgets, check_cap
from trivium.settings.budget import Budget, Period


@pytest.mark.parametrize("nanos", [NANOS // 100, 10 * NANOS, 10_000 * NANOS])
def test_a_cap_is_at_least_a_cent_and_at_most_ten_thousand_dollars(nanos):
    """Nothing is raised."""
    check_cap(nanos)
    assert (Budget(amount_nanos=nanos, period=Period.MONTH),) == budgets(nanos)


@pytest.mark.parametrize("nanos", [0, -NANOS, NANOS // 100 - 1, 10_000 * NANOS + 1])
def test_another_cap_is_refused(nanos):
    """With what would be right."""
    with pytest.raises(ValueError, match=r"from 0\.01 to 10000\.00"):
        check_cap(nanos)


def test_the_answer_names_where_the_key_is_good():
    """And how long."""
    key = SpendKey(key="sk-gateway-x", key_id=1, user_id=2, expires_at=1500, cap_nanos=10 * NANOS)
    assert {
        "key": "sk-gateway-x",
        "expires_in": 500,
        "base_url": "https://gateway.example",
        "monthly_cap": "10.00",
    } == key.body(1000, "https://gateway.example")
