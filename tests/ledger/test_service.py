"""The ledger that lets everything pass."""

from trivium.conversation.usage import Usage
from trivium.ledger.model import Hold
from trivium.ledger.service import OpenLedger


def test_the_open_ledger_holds_what_it_is_told_and_charges_nothing():
    """Whatever was used, and also when nothing was."""
    ledger = OpenLedger()
    assert 0 == ledger.quote(None, None, 10**6)
    hold = ledger.hold("r1", 7, 5)
    assert Hold(request_id="r1", user_id=7, amount_nanos=5) == hold
    assert 0 == ledger.settle(hold, None, Usage(output=10**9))
    assert 0 == ledger.settle(hold, None, None)
