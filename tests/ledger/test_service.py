"""The ledger that lets everything pass."""

from types import SimpleNamespace

import pytest

from trivium.conversation.usage import Usage
from trivium.ledger.model import FREE, Hold
from trivium.ledger.service import OpenLedger

CALLER = SimpleNamespace(payer_id=7, user_id=7, team_id=0, key_id=1, unlimited=False, group="")


@pytest.mark.asyncio
async def test_the_open_ledger_holds_what_it_is_told_and_charges_nothing():
    """Whatever was used, and also when nothing was."""
    ledger = OpenLedger()
    quote = ledger.quote(CALLER, None, None, None, 10**6)
    assert FREE == quote
    hold = ledger.hold("r1", CALLER, quote)
    assert Hold(request_id="r1", user_id=7, amount_nanos=0) == hold
    assert hold == await ledger.lease("r1", CALLER, quote)
    assert 0 == ledger.settle(hold, Usage(output=10**9))
    assert 0 == ledger.settle(hold, None)
