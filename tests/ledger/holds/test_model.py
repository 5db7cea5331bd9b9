"""A hold keeps the prices of its moment, and its entry reckons with them."""

from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest

from trivium.conversation.usage import Usage
from trivium.ledger.cost import tariff_of
from trivium.ledger.holds.model import entry_of, held_of
from trivium.ledger.model import Hold, Quote, UsageDetail
from trivium.ledger.verify import detail_of, wrong_with
from trivium.routing.model import PriceRow, VideoPrice
from trivium.settings.budget import Budget, Period, PeriodClock

ROW = PriceRow(
    since=7,
    price={"per_second": Decimal("0.1"), "per_request": Decimal("0.02")},
    videos=(VideoPrice(size="1280x720", price=Decimal("0.3")),),
)


def hold(*, limited=True, multiplier=Fraction(1)):
    quote = Quote(amount_nanos=500, tariff=tariff_of("m", ROW, multiplier))
    return Hold(
        request_id="r1", user_id=3, amount_nanos=500, quote=quote, key_id=5, limited=limited
    )


@pytest.mark.parametrize(
    ("usage", "multiplier", "expected"),
    [
        (Usage(seconds=8, video_size="1280x720"), Fraction(1), 2_420_000_000),
        (Usage(seconds=8, video_size="720x1280"), Fraction(1), 820_000_000),
        (Usage(seconds=8, video_size="1280x720"), Fraction(1, 2), 1_210_000_000),
        (Usage(seconds=4, video_size="1280x720", requests=0), Fraction(1, 3), 400_000_000),
    ],
)
def test_an_entry_is_reckoned_with_the_holds_own_prices(usage, multiplier, expected):
    """By size, by request, times the group's factor; and it proves itself to an audit."""
    held = held_of(hold(multiplier=multiplier), 9)
    entry = entry_of(held, usage, at=11, note="video_1", end="x")
    assert -expected == entry.amount_nanos
    assert ("r1", 3, 11, "video_1") == (
        entry.request_id,
        entry.user_id,
        entry.created_at,
        entry.note,
    )
    detail = detail_of(entry)
    assert ("m", 7, 5, "x", usage) == (
        detail.model,
        detail.since,
        detail.key,
        detail.end,
        detail.usage,
    )
    assert wrong_with(entry) is None


@pytest.mark.parametrize("channel", ["", 'a"b'])
@pytest.mark.parametrize("team_id", [0, 8])
def test_an_entry_says_what_a_workers_settlement_would(channel, team_id):
    """The same members in the same order, after the model and its prices."""
    counted = PeriodClock().counted((Budget(amount_nanos=1, period=Period.TOTAL),), 0)
    of = {"counted": counted, "asker_id": 9 if team_id else 0, "team_id": team_id}
    held, usage = msgspec.structs.replace(hold(), **of), Usage(requests=2)
    said = UsageDetail(
        key=5,
        user=held.asker_id,
        team=team_id,
        channel=channel,
        end="x",
        usage=usage,
        budgets=held.counters,
    )
    label = held.quote.tariff.tiers[0].label
    found = entry_of(held_of(held, 9), usage, at=11, end="x", channel=channel).detail
    assert f"{label},{msgspec.json.encode(said)[1:].decode()}" == found


def test_an_unlimited_account_has_nothing_set_aside():
    """No balance has to cover it; its bill is kept all the same."""
    held = held_of(hold(limited=False), 9)
    assert 0 == held.amount_nanos
    assert -820_000_000 == entry_of(held, Usage(seconds=8), at=1).amount_nanos
