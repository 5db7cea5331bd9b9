"""A bill can be reckoned again from what its entry says."""

from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.usage import GeneratedImages, Usage
from trivium.ledger.cost import cost, tariff_of
from trivium.ledger.entries import Entries
from trivium.ledger.model import Entry, EntryKind
from trivium.ledger.verify import COLUMNS, Detail, detail_of, entries, reckoned, row_of, wrong_with
from trivium.routing.model import ImagePrice, PriceRow, PriceTier, VideoPrice

ROW = PriceRow(
    price={
        "input": Decimal("1.25"), "output": Decimal(10), "cache_read": Decimal("0.125"),
        "per_request": Decimal("0.001"), "per_second": Decimal("0.0001"),
        "per_character": Decimal("0.000015"), "per_image": Decimal("0.04"), "per_search": Decimal("0.002"),
    },
    tiers=(PriceTier(above=1000, price={"input": Decimal("2.5")}),),
    images=(ImagePrice(size="1x1", quality="hd", price=Decimal("0.167")),),
    videos=(VideoPrice(size="2x1", price=Decimal("0.3")),),
)  # fmt: skip
counts = st.integers(0, 10**5)


def entry(usage, multiplier=Fraction(1), **changes):
    """A usage entry as the worker makes it."""
    nanos, rates = cost(tariff_of("m", ROW, multiplier), usage)
    used = msgspec.json.encode(usage).decode()
    detail = f'{rates.label},"key":5,"end":"","usage":{used}}}'
    values = {"id": 1, "user_id": 2, "kind": EntryKind.USAGE, "amount_nanos": -nanos}
    return Entry(**{**values, "detail": detail, **changes})


@given(
    st.builds(
        Usage, fresh=counts, cache_read=counts, output=counts, reasoning=counts,
        audio_input=counts, cache_write_long=counts,
        seconds=st.none() | st.floats(0, 10**5), characters=st.none() | counts,
        searches=st.none() | counts,
        video_size=st.sampled_from(["", "1x2", "2x1"]),
        images=st.tuples() | st.tuples(st.builds(GeneratedImages, count=counts, size=st.sampled_from(["", "1x1"]), quality=st.sampled_from(["", "hd"]))),
    ),
    st.sampled_from([Fraction(1), Fraction(4, 5), Fraction(1, 3)]),
)  # fmt: skip
def test_what_was_booked_is_what_the_bill_comes_to(usage, multiplier):
    """Whatever was used, in whatever tier and group."""
    made = entry(usage, multiplier)
    assert -made.amount_nanos == reckoned(detail_of(made))
    assert None is wrong_with(made)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"amount_nanos": 0}, "its bill comes to 0.00100"),
        ({"detail": "{"}, "cannot be read"),
        ({"detail": '{"prices":{"input":"x"}}'}, "cannot be read"),
        ({"detail": '{"multiplier":"1/0","usage":{}}'}, "cannot be reckoned"),
        ({"detail": '{"multiplier":"a","usage":{}}'}, "cannot be reckoned"),
    ],
)
def test_an_entry_that_contradicts_itself_is_told(changes, said):
    """In its amount or in its bill."""
    assert said in wrong_with(entry(Usage(fresh=1), **changes))


@pytest.mark.parametrize(
    "changes", [{"detail": ""}, {"kind": EntryKind.TOP_UP}, {"detail": '{"end":"interrupted"}'}]
)
def test_an_entry_without_a_bill_cannot_contradict_it(changes):
    """Top-ups, and requests nobody lived to settle."""
    assert None is wrong_with(entry(Usage(fresh=1), amount_nanos=7, **changes))


def test_a_row_has_a_value_for_every_column():
    """Counters by name; a bill that is none leaves them empty."""
    full = dict(zip(COLUMNS, row_of("ada", entry(Usage(fresh=3, seconds=1.5))), strict=True))
    assert ("ada", "3", "1.5", "", "false") == (
        full["user"], full["fresh"], full["seconds"], full["characters"], full["estimated"],
    )  # fmt: skip
    bare = dict(zip(COLUMNS, row_of("ada", entry(Usage(), detail="")), strict=True))
    assert {""} == {bare[name] for name in ("key", "model", "fresh", "requests", "estimated")}
    assert Detail() == Detail(model="", usage=None)


@pytest.mark.asyncio
async def test_entries_come_page_by_page(database, clock, account, monkeypatch):
    """Each once, in the order of booking."""
    from trivium.ledger import verify

    monkeypatch.setattr(verify, "PAGE", 3)
    ada, bob = await account(), await account()
    for number in range(7):
        await Entries(database, clock).book(
            (ada, bob)[number % 2], EntryKind.TOP_UP, number + 1, f"n{number}"
        )
    found = [each async for each in entries(database)]
    assert [f"n{number}" for number in range(7)] == [made.note for _, made in found]
    assert ["user0", "user1"] == [name for name, _ in found[:2]]
    assert 4 == len([each async for each in entries(database, user_id=ada)])
    assert [] == [each async for each in entries(database, until=int(clock.now()))]
