"""Both sides added up by day and model, and where they part."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import msgspec

from trivium.ledger.errors import LedgerError
from trivium.ledger.model import NANOS, Entry, EntryKind
from trivium.ledger.reconcile.model import ALL, COST, REQUESTS, TOKENS, DaySpan, Export, plain
from trivium.ledger.verify import Detail, detail_of, reckoned

if TYPE_CHECKING:
    from trivium.storage.database import Database

PAGE: Final = 1_000

Sums = dict[tuple[DaySpan, str], dict[str, Fraction]]
"""By days and model, what each kind comes to."""


class ReconciledLine(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of one model in one span of days."""

    span: DaySpan
    model: str
    """``ALL``: every model together."""
    kind: str
    theirs: Fraction
    ours: Fraction
    beyond: bool
    """Whether the difference is above the tolerance."""


def spans(export: Export) -> list[DaySpan]:
    """The days the export is about, in order. Raises ``LedgerError`` where they overlap."""
    found = sorted({row.span for row in export.rows})
    for one, other in pairwise(found):
        if other.first <= one.last:
            raise LedgerError(f"counts days twice: {one} and {other}. Export it day by day")
    return found


def theirs(export: Export, key: str | None = None) -> Sums:
    """The vendor's sums; of one of its API keys if given."""
    sums: Sums = {}
    for row in export.rows:
        if key is None or key == row.key:
            _add(sums, (row.span, plain(row.model)), row.amounts)
    return sums


async def ours(
    database: "Database", channels: Sequence[str], found: Sequence[DaySpan]
) -> tuple[Sums, int]:
    """Our sums over those days, and how many entries of theirs have no record any more.

    A cost is what the answer comes to by the adopted prices, before a user's group: what it should
    have cost us if the prices are the vendor's. Days are by the moment of the request, in UTC.
    """
    from trivium.ledger.reconcile import store

    since, until = _midnight(found[0].first), _midnight(found[-1].last + timedelta(days=1))
    sums: Sums = {}
    after = (-1, "")
    while True:
        async with database.read() as conn:
            page = await store.answers(conn, channels, since * 1000, until * 1000, after, PAGE)
            missing = await store.unrecorded(conn, since, until) if len(page) < PAGE else 0
        for row in page:
            day = datetime.fromtimestamp(row.at_ms / 1000, UTC).date()
            span = next((s for s in found if s.first <= day <= s.last), DaySpan(day, day))
            _add(sums, (span, plain(row.upstream_model or row.model)), _amounts(row))
        if len(page) < PAGE:
            return sums, missing
        after = (page[-1].at_ms, page[-1].request_id)


def compare(vendor: Sums, own: Sums, tolerance: Fraction) -> Iterator[ReconciledLine]:
    """Every kind that the vendor tells anything of, by day and model.

    ``tolerance``: the part of the larger side that two sums may be apart.
    """
    kinds = {kind for amounts in vendor.values() for kind in amounts}
    whole = {span for span, model in vendor if model == ALL}
    for span in whole:
        for (when, _), amounts in list(own.items()):
            if when == span:
                _add(own, (span, ALL), amounts)
    for span, model in sorted(vendor.keys() | own.keys()):
        if span in whole and model != ALL and (span, model) not in vendor:
            continue
        told, had = vendor.get((span, model), {}), own.get((span, model), {})
        for kind in (*TOKENS, REQUESTS, COST):
            if kind not in kinds or (told and kind not in told):
                continue
            one, other = told.get(kind, Fraction(0)), had.get(kind, Fraction(0))
            if one or other:
                apart = abs(one - other) > tolerance * max(abs(one), abs(other))
                yield ReconciledLine(
                    span=span, model=model, kind=kind, theirs=one, ours=other, beyond=apart
                )


def _amounts(row: Any) -> dict[str, Fraction]:
    counts = {
        "input": row.fresh + row.audio_input + row.image_input,
        "cache_read": row.cache_read,
        "cache_write": row.cache_write_short + row.cache_write_long,
        "output": row.output + row.reasoning + row.audio_output + row.image_output,
        REQUESTS: 1,
    }
    amounts = {kind: Fraction(count) for kind, count in counts.items()}
    amounts[COST] = Fraction(0 if row.amount_nanos is None else _listed(row), NANOS)
    return amounts


def _listed(row: Any) -> int:
    """What a bill comes to without the group's multiplier; else what was booked."""
    entry = Entry(user_id=0, kind=EntryKind.USAGE, amount_nanos=0, detail=row.detail)
    detail: Detail | None = detail_of(entry)
    try:
        if detail is not None:
            nanos = reckoned(msgspec.structs.replace(detail, multiplier="1"))
            if nanos is not None:
                return nanos
    except ValueError:
        pass  # `ledger verify` names such an entry
    return int(-row.amount_nanos)


def _add(sums: Sums, where: tuple[DaySpan, str], amounts: Mapping[str, Fraction]) -> None:
    into = sums.setdefault(where, defaultdict(Fraction))
    for kind, amount in amounts.items():
        into[kind] += amount


def _midnight(day: date) -> int:
    return int(datetime.combine(day, time(), UTC).timestamp())
