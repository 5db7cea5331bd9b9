"""What is read of an entry for the sums, and what the ledger writes for that."""

import msgspec
import pytest

from trivium.conversation.usage import Usage
from trivium.ledger.model import UsageDetail
from trivium.ledger.spending.model import REPEATED, BookedUsage, SpendPlace, SpendSums, summed

DAY_S = 86_400


def test_who_pays_is_who_asks_unless_the_bill_says_otherwise():
    """A key of a team names both."""
    own = summed(BookedUsage(7, 3 * DAY_S + 5, 11, '{"model":"m","key":2}', "r"))
    assert (SpendPlace(3, 7, 0, 7, 2, "m", ""), SpendSums(11, 1)) == own
    teams, _ = summed(BookedUsage(7, 0, 11, '{"user":9,"team":8,"channel":"c"}', "r"))
    assert SpendPlace(0, 7, 8, 9, 0, "", "c") == teams


def test_a_completed_bill_is_no_second_request():
    """Only its money counts."""
    assert 0 == summed(BookedUsage(7, 0, 11, "", "r" + REPEATED))[1].requests
    assert 1 == summed(BookedUsage(7, 0, 11, "", None))[1].requests


@pytest.mark.parametrize("detail", ["", "nonsense", "[]", '{"model":5}', '{"usage":"x"}'])
def test_a_bill_that_cannot_be_read_counts_all_the_same(detail):
    """Its amount is booked: the sums must have it."""
    key, sums = summed(BookedUsage(7, 0, 11, detail, "r"))
    assert (7, 7, "", 11) == (key.payer_id, key.user_id, key.model, sums.nanos)


def test_what_the_ledger_writes_is_read_back():
    """Also a channel's name that JSON escapes."""
    said = UsageDetail(key=1, user=9, team=8, channel='"', end="", usage=Usage(output=5))
    key, sums = summed(BookedUsage(7, 0, 11, msgspec.json.encode(said).decode(), "r"))
    assert (SpendPlace(0, 7, 8, 9, 1, "", '"'), 5) == (key, sums.output_tokens)
