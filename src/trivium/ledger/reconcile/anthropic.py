"""Anthropic's exports: the usage and cost reports of the Admin API as JSON, the console's CSV.

Sources: platform.claude.com, "Usage and Cost API" (``usage_report/messages``, ``cost_report``),
read 2026-11-21: the amount of a cost report is in **cents** as a decimal string; the columns of the
console's CSV as people show them, 2026-03 and later. Models of the cost CSV are titles (``Claude
Opus 4.5``), those of the others ids.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Final

import msgspec

from trivium.ledger.errors import LedgerError
from trivium.ledger.reconcile.model import ALL, COST, DaySpan, ReportRow, day_of, number, span_of

PROVIDERS: Final = ("anthropic",)
USAGE_COLUMNS: Final = frozenset(
    {"usage_date_utc", "model_version", "usage_input_tokens_no_cache", "usage_output_tokens"}
)
COST_COLUMNS: Final = frozenset({"usage_date_utc", "model", "cost_usd"})

_CLASSES: Final = {
    "usage_input_tokens_no_cache": "input",
    "usage_input_tokens_cache_read": "cache_read",
    "usage_input_tokens_cache_write_5m": "cache_write",
    "usage_input_tokens_cache_write_1h": "cache_write",
    "usage_output_tokens": "output",
}


class _Written(msgspec.Struct):
    ephemeral_5m_input_tokens: int = 0
    ephemeral_1h_input_tokens: int = 0


class _Result(msgspec.Struct):
    uncached_input_tokens: int | None = None
    cache_read_input_tokens: int = 0
    cache_creation: _Written = msgspec.field(default_factory=_Written)
    output_tokens: int = 0
    api_key_id: str | None = None
    model: str | None = None
    amount: str | None = None
    currency: str = "USD"


class Bucket(msgspec.Struct):
    """A bucket of a page of either report."""

    starting_at: datetime
    ending_at: datetime
    results: tuple[_Result, ...]


def rows_of_bucket(bucket: Bucket) -> Iterator[ReportRow]:
    """The lines of one bucket. Raises ``LedgerError`` for what is no amount in dollars."""
    end = max(bucket.ending_at, bucket.starting_at + timedelta(seconds=1))
    span = span_of(bucket.starting_at.timestamp(), end.timestamp())
    for result in bucket.results:
        model, key = result.model or ALL, result.api_key_id or ""
        if result.amount is not None:
            if result.currency != "USD":
                raise LedgerError(
                    f"amounts are in {result.currency!r:.20}, but only US dollars can be compared"
                )
            cents = number(result.amount, "amount")
            yield ReportRow(span=span, model=model, key=key, amounts={COST: cents / 100})
        elif result.uncached_input_tokens is not None:
            written = result.cache_creation
            yield ReportRow(
                span=span,
                model=model,
                key=key,
                amounts={
                    "input": Fraction(result.uncached_input_tokens),
                    "cache_read": Fraction(result.cache_read_input_tokens),
                    "cache_write": Fraction(
                        written.ephemeral_5m_input_tokens + written.ephemeral_1h_input_tokens
                    ),
                    "output": Fraction(result.output_tokens),
                },
            )


def rows_of_line(line: Mapping[str, str]) -> Iterator[ReportRow]:
    """The line of a CSV file. Raises ``LedgerError``."""
    day = day_of(line["usage_date_utc"], "usage_date_utc")
    amounts: dict[str, Fraction] = {}
    if "cost_usd" in line:
        amounts[COST] = number(line["cost_usd"], "cost_usd")
        model = line["model"]
    else:
        for column, kind in _CLASSES.items():
            count = number(line.get(column) or "", column)
            amounts[kind] = amounts.get(kind, Fraction(0)) + count
        model = line["model_version"]
    yield ReportRow(
        span=DaySpan(day, day), model=model or ALL, key=line.get("api_key") or "", amounts=amounts
    )
