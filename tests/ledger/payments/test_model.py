"""Amounts that can be paid have whole cents."""

import pytest

from trivium.ledger.payments.model import (
    NoticeKind,
    PaymentError,
    PaymentRefusal,
    PaymentState,
    cents,
)


@pytest.mark.parametrize(("nanos", "paid"), [(10**7, 1), (25 * 10**9, 2500), (0, 0)])
def test_whole_cents(nanos, paid):
    """A dollar has a thousand million nanos and a hundred cents."""
    assert paid == cents(nanos)


@pytest.mark.parametrize("nanos", [1, 10**7 - 1, 10**7 + 1])
def test_a_fraction_of_a_cent_is_refused(nanos):
    """Rounding would book another amount than was paid."""
    with pytest.raises(PaymentError) as caught:
        cents(nanos)
    assert PaymentRefusal.AMOUNT is caught.value.why


def test_what_moves_a_payment_is_also_a_state():
    """``_moved`` goes from one word to the other."""
    moves = (NoticeKind.PROCESSING, NoticeKind.FAILED, NoticeKind.EXPIRED)
    assert [kind.value for kind in moves] == [PaymentState(kind.value).value for kind in moves]
