"""What a caller is told who is not served for money."""

from trivium.faults import Kind
from trivium.ledger.refusals import elsewhere, too_low, unknown, unnoted


def test_only_what_nobody_can_pay_is_refused_for_good():
    """Clients repeat what they are told may come right, and no more than that."""
    assert Kind.BALANCE_TOO_LOW is too_low(30_000_000).kind
    assert "up to 0.03 USD" in too_low(30_000_000).message
    assert {Kind.LEDGER_DOWN} == {unknown().kind, elsewhere().kind}
    assert elsewhere().retry_after
    assert Kind.INTERNAL is unnoted().kind
