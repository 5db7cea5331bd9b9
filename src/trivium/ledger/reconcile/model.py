"""What both sides are brought to: disjoint token classes and dollars, by day and model."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Final

import msgspec

from trivium.ledger.errors import LedgerError

TOKENS: Final = ("input", "cache_read", "cache_write", "output")
"""Input that no cache had a part in, the two of caches, and all output, reasoning included."""
REQUESTS: Final = "requests"
COST: Final = "cost"
"""US dollars."""
ALL: Final = ""
"""The model of rows that say nothing of models."""

_DATED: Final = re.compile(r"(.+?)[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3}|latest)")
_OTHER: Final = re.compile(r"[^a-z0-9]+")
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,30})?(E-[0-9]{1,2})?", re.IGNORECASE)


class DaySpan(msgspec.Struct, frozen=True, order=True):
    """Whole days, both included."""

    first: date
    last: date

    def __str__(self) -> str:
        """``2027-01-01``, or both days with two dots between."""
        return f"{self.first}" if self.first == self.last else f"{self.first}..{self.last}"


class ReportRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of an export."""

    span: DaySpan
    model: str
    """As the vendor has it; ``ALL`` when the export does not tell models apart."""
    key: str = ""
    """The vendor's name or id of the API key; empty when the export does not tell."""
    amounts: Mapping[str, Fraction]
    """What the line says, by ``TOKENS``, ``REQUESTS`` and ``COST``; what it does not say is
    absent, which is not zero."""


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """A vendor's file, read."""

    form: str
    """What it was taken for."""
    providers: tuple[str, ...]
    """Whose channels it is about, by our names."""
    rows: tuple[ReportRow, ...]


def plain(model: str) -> str:
    """One name for a model's versions and spellings: ``Claude Opus 4.5``, ``claude-opus-4-5``."""
    name = model.strip().lower().removeprefix("models/")
    dated = _DATED.fullmatch(name)
    return _OTHER.sub("-", dated[1] if dated else name).strip("-")


def span_of(start: float, end: float) -> DaySpan:
    """The days of a bucket. Seconds since the epoch, the end not included."""
    last = max(start, end - 1)
    return DaySpan(
        datetime.fromtimestamp(start, UTC).date(), datetime.fromtimestamp(last, UTC).date()
    )


def number(text: str, what: str) -> Fraction:
    """An exact number as exports write them: ``59200.0``, ``1,000``; empty is zero.

    Raises ``LedgerError`` naming ``what``.
    """
    bare = text.strip().replace(",", "")
    if not bare:
        return Fraction(0)
    if not _NUMBER.fullmatch(bare):
        raise LedgerError(f"{what} is no number: {text!r:.80}")
    return Fraction(bare)


def day_of(text: str, what: str) -> date:
    """The day of ``2027-01-01`` or of a time on it. Raises ``LedgerError`` naming ``what``."""
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        raise LedgerError(f"{what} is no day: {text!r:.80}") from None
