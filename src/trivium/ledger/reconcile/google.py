"""Google Cloud's cost table as CSV, for the Gemini API and for Vertex.

Source: cloud.google.com/billing/docs/how-to/cost-table, read 2026-11-21, and the columns as people
show them: a preamble about the invoice, then a head with ``SKU description``, ``Usage start date``,
``Usage end date``, ``Usage amount``, ``Usage unit`` and ``Cost ($)``. There is no column for the
model: it stands in the SKU, as ``Generate content input token count gemini 2.5 flash short input
text``. Days are those of Pacific time.
"""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from trivium.ledger.errors import LedgerError
from trivium.ledger.reconcile.model import COST, DaySpan, ReportRow, day_of, number

PROVIDERS: Final = ("gemini",)
COLUMNS: Final = frozenset(
    {"SKU description", "Usage start date", "Usage end date", "Usage amount", "Usage unit"}
)

_MODEL: Final = re.compile(
    r"\bgemini[ -][0-9.]+(?:[ -](?:pro|flash|lite|nano|ultra|preview|tts|live))*+", re.IGNORECASE
)
_UNROUNDED: Final = "Unrounded Cost ($)"
_ROUNDED: Final = "Cost ($)"


def rows_of_line(line: Mapping[str, str]) -> Iterator[ReportRow]:
    """The line of a CSV file; none for what has no Gemini model. Raises ``LedgerError``."""
    sku = line["SKU description"]
    model = _MODEL.search(sku)
    if model is None or not line["Usage start date"]:
        return
    cost = line.get(_UNROUNDED) or line.get(_ROUNDED)
    if cost is None:
        raise LedgerError(f"has no column {_ROUNDED!r}: only US dollars can be compared")
    amounts: dict[str, Fraction] = {COST: number(cost, _ROUNDED)}
    kind = _kind(sku.lower())
    if kind and line["Usage unit"].strip().lower() == "count" and not line.get("Credit type"):
        amounts[kind] = number(line["Usage amount"], "Usage amount")
    first = day_of(line["Usage start date"], "Usage start date")
    last = day_of(line["Usage end date"], "Usage end date")
    yield ReportRow(span=DaySpan(first, max(first, last)), model=model[0], amounts=amounts)


def _kind(sku: str) -> str:
    """Which tokens a SKU counts; empty for storage, searches and the like."""
    if "storage" in sku or "search" in sku:
        return ""
    if "output" in sku:
        return "output"
    if "cach" in sku:
        return "cache_read"
    return "input" if "input" in sku else ""
