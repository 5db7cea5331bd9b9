"""A statement as rows of a table, of CSV, of FOCUS 1.2, and as plain data for JSON. Pure.

FOCUS: ``ledger/focus.py`` exports every entry by its meters; here a row is a sum over entries, so
quantities and list prices are left out, and ``ListCost`` is what was billed. A sum has no single
``SkuId`` unless the statement is by model. Column names: specification/columns of the FOCUS_Spec
repository of FinOps-Open-Cost-and-Usage-Spec, read 2026-11-28.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from trivium.ledger.amounts import format_usd
from trivium.ledger.focus import NAME
from trivium.ledger.spending.model import DAY_S, Dimension, SpendRow, SpendSums
from trivium.ledger.spending.service import SpendStatement

SUMS: Final = ("amount_usd", "requests", "input_tokens", "output_tokens")
FOCUS_COLUMNS: Final = (
    *("BilledCost", "BillingAccountId", "BillingAccountName", "BillingAccountType"),
    *("BillingCurrency", "BillingPeriodEnd", "BillingPeriodStart", "ChargeCategory"),
    *("ChargeClass", "ChargeDescription", "ChargeFrequency", "ChargePeriodEnd"),
    *("ChargePeriodStart", "ConsumedQuantity", "ConsumedUnit", "ContractedCost", "EffectiveCost"),
    *("InvoiceIssuerName", "ListCost", "PricingQuantity", "PricingUnit", "ProviderName"),
    *("PublisherName", "ServiceCategory", "ServiceName", "ServiceSubcategory", "SkuId"),
    *("SubAccountId", "SubAccountName", "SubAccountType", "Tags"),
    *("x_Channel", "x_EndUser", "x_InputTokens", "x_KeyId", "x_KeyName", "x_Model"),
    *("x_OutputTokens", "x_Session", "x_UserId", "x_UserName"),
)
"""In the specification's order; those that begin with ``x_`` are ours."""
_NAMED: Final = frozenset({Dimension.PAYER, Dimension.TEAM, Dimension.USER, Dimension.KEY})
"""Dimensions whose values are ids."""
_texts: Final = msgspec.json.Decoder(list[str]).decode


def focus_by(by: tuple[Dimension, ...]) -> tuple[Dimension, ...]:
    """By what an export to FOCUS is summed up: it names an account, and counts nothing twice."""
    found = tuple(Dimension.TAGS if each is Dimension.TAG else each for each in by)
    found = tuple(dict.fromkeys(found))
    return found if Dimension.PAYER in found else (Dimension.PAYER, *found)


def heads(statement: SpendStatement) -> tuple[str, ...]:
    """The columns of a row of CSV: of whatever has an id, it and its name."""
    found: list[str] = []
    for each in statement.by:
        found += [f"{each.value}_id", each.value] if each in _NAMED else [each.value]
    return (*found, *SUMS)


def cells(statement: SpendStatement, row: SpendRow) -> tuple[str, ...]:
    """A row in the order of ``heads``."""
    found: list[str] = []
    for each, value in zip(statement.by, row.values, strict=True):
        if each in _NAMED:
            found.append(str(value or ""))
        found.append(shown(statement, each, value))
    return (*found, *_sums(row.sums))


def shown(statement: SpendStatement, each: Dimension, value: int | str) -> str:
    """A value for people; empty for none."""
    if each is Dimension.DAY:
        return day_text(int(value))
    if each is Dimension.TAGS:
        return ", ".join(_texts(str(value)))
    return statement.name(each, value)


def plain(statement: SpendStatement) -> dict[str, Any]:
    """The statement as data for JSON."""
    scope = statement.scope
    return {
        "from": day_text(scope.since),
        "to": day_text(scope.until),
        "by": [each.value for each in statement.by],
        "rows": [{**_members(statement, row), **_plain_sums(row.sums)} for row in statement.rows],
        "total": _plain_sums(statement.total),
        "complete": statement.is_whole,
    }


def _members(statement: SpendStatement, row: SpendRow) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each, value in zip(statement.by, row.values, strict=True):
        if each in _NAMED:
            found[f"{each.value}_id"] = value or None
        if each is Dimension.TAGS:
            found[each.value] = _texts(str(value))
        else:
            found[each.value] = shown(statement, each, value)
    return found


def _plain_sums(sums: SpendSums) -> dict[str, Any]:
    return {
        "amount": format_usd(sums.nanos),
        "requests": sums.requests,
        "input_tokens": sums.input_tokens,
        "output_tokens": sums.output_tokens,
    }


def _sums(sums: SpendSums) -> tuple[str, ...]:
    return (
        format_usd(sums.nanos),
        str(sums.requests),
        str(sums.input_tokens),
        str(sums.output_tokens),
    )


def focus_rows(statement: SpendStatement) -> Iterator[tuple[str, ...]]:
    """Rows in the order of ``FOCUS_COLUMNS``, of a statement by ``focus_by``."""
    for row in statement.rows:
        told = _focus(statement, dict(zip(statement.by, row.values, strict=True)), row.sums)
        yield tuple(told.get(name, "") for name in FOCUS_COLUMNS)


def _focus(
    statement: SpendStatement, of: dict[Dimension, int | str], sums: SpendSums
) -> dict[str, str]:
    first = int(of.get(Dimension.DAY, statement.scope.since))
    last = int(of.get(Dimension.DAY, statement.scope.until))
    cost = format_usd(sums.nanos)
    model = str(of.get(Dimension.MODEL, ""))
    team = int(of.get(Dimension.TEAM, 0))

    def id_of(each: Dimension) -> str:
        return str(of.get(each) or "")

    def name_of(each: Dimension) -> str:
        return statement.name(each, of[each]) if of.get(each) else ""

    return {
        "BilledCost": cost,
        "BillingAccountId": id_of(Dimension.PAYER),
        "BillingAccountName": name_of(Dimension.PAYER),
        "BillingAccountType": "Account",
        "BillingCurrency": "USD",
        "BillingPeriodStart": _time(_month(first)),
        "BillingPeriodEnd": _time(_next(_month(last))),
        "ChargeCategory": "Usage",
        "ChargeDescription": f"{model or 'models'} over {NAME}",
        "ChargeFrequency": "Usage-Based",
        "ChargePeriodStart": _time(_begin(first)),
        "ChargePeriodEnd": _time(_begin(last + 1)),
        "ConsumedQuantity": str(sums.requests),
        "ConsumedUnit": "Requests",
        "ContractedCost": cost,
        "EffectiveCost": cost,
        "InvoiceIssuerName": NAME,
        "ListCost": cost,
        "PricingQuantity": str(sums.requests),
        "PricingUnit": "Requests",
        "ProviderName": NAME,
        "PublisherName": NAME,
        "ServiceCategory": "AI and Machine Learning",
        "ServiceSubcategory": "Generative AI",
        "ServiceName": NAME,
        "SkuId": model,
        "SubAccountId": str(team or ""),
        "SubAccountName": name_of(Dimension.TEAM),
        "SubAccountType": "Team" if team else "",
        "Tags": _tags(str(of[Dimension.TAGS])) if Dimension.TAGS in of else "",
        "x_Channel": str(of.get(Dimension.CHANNEL, "")),
        "x_EndUser": str(of.get(Dimension.END_USER, "")),
        "x_InputTokens": str(sums.input_tokens),
        "x_KeyId": id_of(Dimension.KEY),
        "x_KeyName": name_of(Dimension.KEY),
        "x_Model": model,
        "x_OutputTokens": str(sums.output_tokens),
        "x_Session": str(of.get(Dimension.SESSION, "")),
        "x_UserId": id_of(Dimension.USER),
        "x_UserName": name_of(Dimension.USER),
    }


def _tags(text: str) -> str:
    """Tags as FOCUS has them: keys with values; a tag without a value is true."""
    found: dict[str, str | bool] = {}
    for tag in _texts(text):
        key, colon, value = tag.partition(":")
        found[key] = value if colon else True
    return msgspec.json.encode(found).decode()


def day_text(day: int) -> str:
    """A day since the epoch as ``2026-11-28``."""
    return _begin(day).strftime("%Y-%m-%d")


def _begin(day: int) -> datetime:
    return datetime.fromtimestamp(day * DAY_S, UTC)


def _month(day: int) -> datetime:
    return _begin(day).replace(day=1)


def _next(month: datetime) -> datetime:
    return (month + timedelta(days=32)).replace(day=1)


def _time(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
