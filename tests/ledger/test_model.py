"""Money's nouns hold together."""

import msgspec

from trivium.ledger.model import FREE, Hold, Settlement


def test_what_is_free_holds_nothing():
    """And has no prices."""
    assert (0, None) == (FREE.amount_nanos, FREE.tariff)
    assert FREE is Hold(request_id="r", user_id=1, amount_nanos=0).quote


def test_a_settlement_is_a_list_in_the_journal():
    """Its members are told by their places."""
    settled = Settlement("r", 1, 2, 3, "note", "{}")
    assert b'["r",1,2,3,"note","{}",[],["","",[]]]' == msgspec.json.encode(settled)
