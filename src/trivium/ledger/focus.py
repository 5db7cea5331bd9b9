"""Entries as charges in the columns of FOCUS, the FinOps Open Cost and Usage Specification, 1.2.

A usage entry becomes one row for each meter that ran (fresh input, cache reads, output, …), because
FOCUS prices one quantity a row. An entry is rounded once, up to the next nano-dollar; each row
gets what the sum up to it rounds to, less the rows before it. So the rows of an entry add up to the
entry, and none of them is negative. ``ListCost`` is by the price row, ``ContractedCost`` times the
user's group, both before that rounding.

Top-ups and redemptions are payments and no charges: they are left out, or what was paid ahead would
be charged again when it is used. Source: specification/columns of the FOCUS_Spec repository of
FinOps-Open-Cost-and-Usage-Spec, read 2026-11-21.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.ledger.amounts import format_usd
from trivium.ledger.cost import tariff_of
from trivium.ledger.model import Entry, EntryKind
from trivium.ledger.tariff import Rates, Tariff
from trivium.ledger.verify import Detail, detail_of, reckoned

COLUMNS: Final = (
    *("BilledCost", "BillingAccountId", "BillingAccountName", "BillingAccountType"),
    *("BillingCurrency", "BillingPeriodEnd", "BillingPeriodStart", "ChargeCategory"),
    *("ChargeClass", "ChargeDescription", "ChargeFrequency", "ChargePeriodEnd"),
    *("ChargePeriodStart", "ConsumedQuantity", "ConsumedUnit", "ContractedCost"),
    *("ContractedUnitPrice", "EffectiveCost", "InvoiceIssuerName", "ListCost", "ListUnitPrice"),
    *("PricingCategory", "PricingQuantity", "PricingUnit", "ProviderName", "PublisherName"),
    *("ServiceCategory", "ServiceName", "ServiceSubcategory", "SkuId", "SkuMeter", "SkuPriceId"),
    *("SubAccountId", "SubAccountType"),
    *("x_EntryId", "x_Estimated", "x_Model", "x_RequestId"),
)
"""In the specification's order; those that begin with ``x_`` are ours."""

CATEGORIES: Final = {
    EntryKind.USAGE: "Usage",
    EntryKind.REFUND: "Credit",
    EntryKind.ADJUSTMENT: "Adjustment",
}
"""Kinds of entries that are charges."""

NAME: Final = "Trivium"
_ATOMS: Final = 10**18
"""Atoms a dollar (``ledger/cost.py``)."""
_CLASSES: Final = {
    "fresh": "Input Tokens",
    "cache_read": "Cache Read Tokens",
    "cache_write_short": "Cache Write Tokens (5 min)",
    "cache_write_long": "Cache Write Tokens (1 h)",
    "output": "Output Tokens",
    "reasoning": "Reasoning Tokens",
    "audio_input": "Audio Input Tokens",
    "audio_output": "Audio Output Tokens",
    "image_input": "Image Input Tokens",
    "image_output": "Image Output Tokens",
}
"""Of usage and of rates, by their field."""


class _Meter(msgspec.Struct, frozen=True):
    """One quantity and its cost at the list price."""

    name: str
    unit: str
    quantity: int
    atoms: int
    """A unit."""


def rows_of(user: str, entry: Entry) -> Iterator[tuple[str, ...]]:
    """An entry's charges in the order of ``COLUMNS``; none for a payment."""
    if entry.kind not in CATEGORIES:
        return
    detail = detail_of(entry) or Detail()
    common = _common(user, entry, detail)
    total = -entry.amount_nanos
    meters, multiplier = _meters(detail, total)
    if not meters:
        cost = format_usd(total)
        yield _row(common, BilledCost=cost, EffectiveCost=cost, ContractedCost=cost, ListCost=cost)
        return
    atoms = billed = 0
    for meter in meters:
        atoms += meter.quantity * meter.atoms
        nanos = -(-atoms * multiplier // 10**9)
        cost = format_usd(nanos - billed)
        billed = nanos
        each = Fraction(meter.atoms, _ATOMS)
        listed = each * meter.quantity
        sku = f"{detail.model}/{meter.name}"
        yield _row(
            common,
            BilledCost=cost,
            EffectiveCost=cost,
            ConsumedQuantity=str(meter.quantity),
            ConsumedUnit=meter.unit,
            ContractedCost=_decimal(listed * multiplier),
            ContractedUnitPrice=_decimal(each * multiplier),
            ListCost=_decimal(listed),
            ListUnitPrice=_decimal(each),
            PricingCategory="Standard",
            PricingQuantity=str(meter.quantity),
            PricingUnit=meter.unit,
            SkuId=sku,
            SkuMeter=meter.name,
            SkuPriceId=f"{sku}/{detail.since}/{detail.tier}",
        )


def _meters(detail: Detail, total: int) -> tuple[list[_Meter], Fraction]:
    """What ran, and the group's multiplier; nothing where the bill does not explain the amount."""
    try:
        if detail.usage is None or reckoned(detail) != total:
            return [], Fraction(1)
        multiplier = Fraction(detail.multiplier)
        tariff = tariff_of(detail.model, detail.row)
    except (ValueError, ZeroDivisionError):
        return [], Fraction(1)
    return [m for m in _all(detail.usage, tariff, tariff.tiers[0]) if m.quantity], multiplier


def _all(usage: Usage, tariff: Tariff, rates: Rates) -> Iterator[_Meter]:
    for field, name in _CLASSES.items():
        yield _Meter(name, "Tokens", getattr(usage, field), getattr(rates, field))
    if tariff.request:
        yield _Meter("Requests", "Requests", usage.requests, tariff.request)
    if usage.seconds is not None:
        milliseconds = round(usage.seconds * 1000)
        kind = f"Duration {usage.video_size}".strip()
        yield _Meter(kind, "Milliseconds", milliseconds, tariff.price_of_video(usage.video_size))
    if usage.characters is not None:
        yield _Meter("Characters", "Characters", usage.characters, tariff.character)
    if usage.searches is not None:
        yield _Meter("Searches", "Searches", usage.searches, tariff.search)
    for images in usage.images:
        kind = " ".join(filter(None, ("Images", images.size, images.quality)))
        atoms = tariff.price_of_image(images.size, images.quality)
        yield _Meter(kind, "Images", images.count, atoms)


def _common(user: str, entry: Entry, detail: Detail) -> dict[str, str]:
    at = datetime.fromtimestamp(entry.created_at, UTC)
    month = at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    after = (month + timedelta(days=32)).replace(day=1)
    is_usage = entry.kind is EntryKind.USAGE
    what = f"{detail.model or 'a request'} over {NAME}" if is_usage else entry.note
    return {
        "BillingAccountId": str(entry.user_id),
        "BillingAccountName": user,
        "BillingAccountType": "User",
        "BillingCurrency": "USD",
        "BillingPeriodStart": _time(month),
        "BillingPeriodEnd": _time(after),
        "ChargeCategory": CATEGORIES[entry.kind],
        "ChargeDescription": what or CATEGORIES[entry.kind],
        "ChargeFrequency": "Usage-Based" if is_usage else "One-Time",
        "ChargePeriodStart": _time(at),
        "ChargePeriodEnd": _time(at + timedelta(seconds=1)),
        "InvoiceIssuerName": NAME,
        "ProviderName": NAME,
        "PublisherName": NAME,
        "ServiceCategory": "AI and Machine Learning",
        "ServiceSubcategory": "Generative AI",
        "ServiceName": NAME,
        "SubAccountId": str(detail.key or ""),
        "SubAccountType": "Key" if detail.key else "",
        "x_EntryId": str(entry.id),
        "x_Estimated": "" if detail.usage is None else str(detail.usage.estimated).lower(),
        "x_Model": detail.model,
        "x_RequestId": entry.request_id or "",
    }


def _row(common: dict[str, str], **more: str) -> tuple[str, ...]:
    return tuple(more.get(name) or common.get(name, "") for name in COLUMNS)


def _time(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def _decimal(dollars: Fraction) -> str:
    """Format to 18 places, the most that a price per token and its products have."""
    whole, rest = divmod(round(dollars * _ATOMS), _ATOMS)
    return f"{whole}.{rest:018d}".rstrip("0").rstrip(".")
