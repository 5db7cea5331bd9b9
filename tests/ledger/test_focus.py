"""Charges in FOCUS columns add up to the entries they come from."""

from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.usage import GeneratedImages, Usage
from trivium.ledger.cost import cost, tariff_of
from trivium.ledger.focus import COLUMNS, rows_of
from trivium.ledger.model import Entry, EntryKind
from trivium.routing.model import ImagePrice, PriceRow, PriceTier, VideoPrice

MANDATORY = [
    "BilledCost",
    "BillingAccountId",
    "BillingAccountName",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargeDescription",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "ContractedCost",
    "EffectiveCost",
    "InvoiceIssuerName",
    "ListCost",
    "ProviderName",
    "PublisherName",
    "ServiceCategory",
    "ServiceName",
]
"""Mandatory in 1.2 and never null."""

PRICES = {
    "input": Decimal("1.25"),
    "cache_read": Decimal("0.125"),
    "output": Decimal(10),
    "per_request": Decimal("0.000000001"),
    "per_second": Decimal("0.0001"),
    "per_character": Decimal("0.000015"),
    "per_search": Decimal("0.002"),
    "per_image": Decimal("0.04"),
}
ROW = PriceRow(
    price=PRICES,
    tiers=(PriceTier(above=1000, price={"input": Decimal("2.5")}),),
    images=(ImagePrice(size="1x1", quality="hd", price=Decimal("0.5")),),
    videos=(VideoPrice(size="2x1", price=Decimal("0.3")),),
)
AT = 1_798_761_600 + 31 * 86_400 - 1
"""The last second of January 2027."""


def booked(usage, multiplier=Fraction(1), key=5, kind=EntryKind.USAGE, row=ROW):
    """An entry as the ledger books it."""
    tariff = tariff_of("gpt-x", row, multiplier)
    nanos, rates = cost(tariff, usage)
    used = msgspec.json.encode(usage).decode()
    detail = f'{rates.label},"key":{key},"end":"","usage":{used}}}'
    return Entry(
        id=9,
        user_id=3,
        kind=kind,
        amount_nanos=-nanos,
        request_id="r1",
        created_at=AT,
        detail=detail,
    )


def rows(entry):
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows_of("ada", entry)]


def billed(found):
    return sum(int(Decimal(row["BilledCost"]) * 10**9) for row in found)


counts = st.integers(0, 5_000)
usages = st.builds(
    Usage,
    fresh=counts,
    cache_read=counts,
    cache_write_short=counts,
    cache_write_long=counts,
    output=counts,
    reasoning=counts,
    audio_input=counts,
    image_output=counts,
    seconds=st.none() | st.integers(0, 9_999).map(lambda n: n / 1000),
    video_size=st.sampled_from(["", "1x2", "2x1"]),
    characters=st.none() | counts,
    searches=st.none() | counts,
    images=st.lists(st.builds(GeneratedImages, count=counts, size=st.sampled_from(["", "1x1"]), quality=st.sampled_from(["", "hd"])), max_size=2).map(tuple),
)  # fmt: skip


@given(usages, st.fractions(Fraction(1, 50), 3, max_denominator=50))
def test_the_rows_of_an_entry_add_up_to_it(usage, multiplier):
    """To the nano-dollar, and none is negative."""
    entry = booked(usage, multiplier)
    found = rows(entry)
    assert -entry.amount_nanos == billed(found)
    assert all(not row["BilledCost"].startswith("-") for row in found)


@given(usages)
def test_a_price_times_its_quantity_is_the_list_cost(usage):
    """As the specification wants it, without rounding."""
    for row in rows(booked(usage)):
        if row["PricingQuantity"]:
            product = Decimal(row["ListUnitPrice"]) * int(row["PricingQuantity"])
            assert Decimal(row["ListCost"]) == product


def test_every_mandatory_column_is_filled():
    """On charges of any kind."""
    other = booked(Usage(), kind=EntryKind.ADJUSTMENT)
    for row in [*rows(booked(Usage(fresh=1, output=2))), *rows(other)]:
        assert [] == [name for name in MANDATORY if not row[name]]


def test_a_meter_is_a_row():
    """With what ran, its price, the group's share, and where it belongs."""
    first, second = rows(booked(Usage(fresh=2000, output=3, requests=0), Fraction(4, 5)))
    assert {
        "SkuMeter": "Input Tokens",
        "PricingQuantity": "2000",
        "PricingUnit": "Tokens",
        "ListUnitPrice": "0.0000025",
        "ListCost": "0.005",
        "ContractedCost": "0.004",
        "BilledCost": "0.004",
        "SkuPriceId": "gpt-x/Input Tokens/0/1000",
        "SubAccountId": "5",
        "BillingAccountName": "ada",
        "ChargeCategory": "Usage",
    }.items() <= first.items()
    assert ("Output Tokens", "0.000024") == (second["SkuMeter"], second["BilledCost"])


def test_periods_are_half_open():
    """A second, in its calendar month."""
    (row,) = rows(booked(Usage(fresh=1, requests=0)))
    assert ("2027-01-31T23:59:59Z", "2027-02-01T00:00:00Z") == (
        row["ChargePeriodStart"],
        row["ChargePeriodEnd"],
    )
    assert ("2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z") == (
        row["BillingPeriodStart"],
        row["BillingPeriodEnd"],
    )


@pytest.mark.parametrize("kind", [EntryKind.TOP_UP, EntryKind.REDEMPTION])
def test_payments_are_no_charges(kind):
    """What is paid ahead is charged when it is used."""
    assert [] == rows(booked(Usage(), kind=kind))


@pytest.mark.parametrize(
    ("kind", "category"), [(EntryKind.REFUND, "Credit"), (EntryKind.ADJUSTMENT, "Adjustment")]
)
def test_money_given_back_is_a_negative_charge(kind, category):
    """In the category the specification has for it."""
    entry = Entry(id=1, user_id=3, kind=kind, amount_nanos=5 * 10**9, note="sorry", created_at=AT)
    (row,) = rows(entry)
    assert (category, "-5.00", "sorry", "") == (
        row["ChargeCategory"],
        row["BilledCost"],
        row["ChargeDescription"],
        row["SkuMeter"],
    )


@pytest.mark.parametrize(
    "detail",
    [
        "",
        "{",
        '{"model":"m"}',
        '{"model":"m","prices":{"input":"1"},"usage":{"fresh":1}}',
        '{"model":"m","prices":{"input":"0.0000000000001"},"usage":{"fresh":1}}',
        '{"model":"m","prices":{"input":"1"},"multiplier":"1/0","usage":{"fresh":1}}',
    ],
)
def test_what_is_not_explained_is_one_row(detail):
    """An interrupted request, or a bill that does not come to what was booked."""
    entry = Entry(
        id=1, user_id=3, kind=EntryKind.USAGE, amount_nanos=-7, created_at=AT, detail=detail
    )
    (row,) = rows(entry)
    assert ("0.000000007", "") == (row["BilledCost"], row["PricingQuantity"])


def test_requests_without_a_price_are_no_charge():
    """Every answer is a request; a row of nothing would say nothing."""
    plain = PriceRow(price={"input": Decimal(1)})
    assert ["Input Tokens"] == [row["SkuMeter"] for row in rows(booked(Usage(fresh=1), row=plain))]
