"""OpenAI's exports: the Usage and Costs API's pages as JSON, the dashboard's files as CSV.

Sources: API reference, "Usage" and "Costs" (``organization.usage.completions.result``,
``organization.costs.result``), read 2026-11-21; the columns of the dashboard's CSV as people show
them, 2025-10 and later. ``input_tokens`` includes what was read from and written to caches, text,
audio and images. Counts of the CSV are written ``59200.0``, days without use have empty cells.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Final

import msgspec

from trivium.ledger.errors import LedgerError
from trivium.ledger.reconcile.model import ALL, COST, REQUESTS, DaySpan, ReportRow, number, span_of

PROVIDERS: Final = ("openai",)
USAGE_COLUMNS: Final = frozenset({"start_time", "end_time", "input_tokens", "output_tokens"})
COST_COLUMNS: Final = frozenset({"start_time", "end_time", "amount_value", "amount_currency"})

_COUNTS: Final = (
    "input_tokens",
    "input_cached_tokens",
    "input_cache_write_tokens",
    "output_tokens",
    "num_model_requests",
)
"""As both kinds of export call them; the first has the next two in it."""


class _Amount(msgspec.Struct):
    value: Decimal
    currency: str


class _Result(msgspec.Struct):
    object: str
    input_tokens: int = 0
    input_cached_tokens: int | None = None
    input_cache_write_tokens: int | None = None
    output_tokens: int = 0
    num_model_requests: int | None = None
    api_key_id: str | None = None
    model: str | None = None
    amount: _Amount | None = None
    line_item: str | None = None


class Bucket(msgspec.Struct):
    """A bucket of a page of either API."""

    start_time: int
    end_time: int
    results: tuple[_Result, ...]


def rows_of_bucket(bucket: Bucket) -> Iterator[ReportRow]:
    """The lines of one bucket. Raises ``LedgerError`` for another currency."""
    span = span_of(bucket.start_time, bucket.end_time)
    for result in bucket.results:
        key = result.api_key_id or ""
        if result.amount is not None:
            amount = Fraction(result.amount.value)
            yield _cost(span, result.line_item or "", key, amount, result.amount.currency)
            continue
        told = msgspec.structs.asdict(result)
        counts = {name: Fraction(told[name]) for name in _COUNTS if told[name] is not None}
        yield _usage(span, result.model or ALL, key, counts)


def rows_of_line(line: Mapping[str, str]) -> Iterator[ReportRow]:
    """The line of a CSV file; none for a day without use. Raises ``LedgerError``."""
    start, end = (float(number(line[name], name)) for name in ("start_time", "end_time"))
    span = span_of(start, end)
    key = line.get("api_key_id") or ""
    if "amount_value" in line:
        if line["amount_value"]:
            amount = number(line["amount_value"], "amount_value")
            yield _cost(span, line.get("line_item") or "", key, amount, line["amount_currency"])
        return
    if not line["input_tokens"] and not line["output_tokens"]:
        return
    counts = {name: number(line[name], name) for name in _COUNTS if line.get(name)}
    yield _usage(span, line.get("model") or ALL, key, counts)


def _usage(span: DaySpan, model: str, key: str, counts: Mapping[str, Fraction]) -> ReportRow:
    whole, read, written, output = (counts.get(name, Fraction(0)) for name in _COUNTS[:4])
    amounts = {"input": whole - read - written, "cache_read": read, "output": output}
    if written:
        amounts["cache_write"] = written
    if _COUNTS[4] in counts:
        amounts[REQUESTS] = counts[_COUNTS[4]]
    return ReportRow(span=span, model=model, key=key, amounts=amounts)


def _cost(span: DaySpan, item: str, key: str, amount: Fraction, currency: str) -> ReportRow:
    """``line_item`` is ``gpt-5-2025-08-07, cached input``, or empty for everything."""
    if currency.lower() != "usd":
        raise LedgerError(f"amounts are in {currency!r:.20}, but only US dollars can be compared")
    return ReportRow(
        span=span, model=item.partition(",")[0] or ALL, key=key, amounts={COST: amount}
    )
