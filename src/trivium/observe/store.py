"""Request records in SQL. Every function works in the transaction it is given."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import msgspec
from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.conversation.usage import Usage
from trivium.observe.record import Record
from trivium.storage.bulk_insert import Fixed, insert_new, names, upsert
from trivium.storage.schema.requests import records

Flag: TypeAlias = Callable[[bool], object]
"""Gives an object: compiled code would make an ``int`` of what is declared to be one, and of a
``bool``, which PostgreSQL's driver wants, as well."""

COLUMNS: Final = tuple(records.c.keys())
"""The order of a row's values."""
TEXT_CHARS_MAX: Final = 200
"""Whatever names a record carries; what callers send is not to fill the table."""

FAILED_MAX: Final = 50
"""Attempts that are kept of one request; routing makes a few."""

_encode: Final = msgspec.json.Encoder().encode
_INT_MAX: Final = 2**63 - 1
_NO_USAGE: Final = (None,) * 14
_ABSENT: Final[Fixed] = (
    ("fault", ""),
    ("end_user", ""),
    ("audio_input", 0),
    ("audio_output", 0),
    ("image_input", 0),
    ("image_output", 0),
    ("duration_ms", None),
    ("characters", None),
    ("requests", 1),
    ("estimated", False),
    ("dropped", None),
    ("repaired", None),
    ("asked_model", None),
    ("session", None),
    ("tags", None),
    ("failed", None),
)
"""What an answer of text that came as it was asked for has nothing of: most records."""
_PLAIN: Final = names(records, _ABSENT)
PLAIN: Final = len(_PLAIN)
"""Values of a row without what is absent."""
AGAIN: Final = 100
"""Rows a statement whose answer says which of them were new."""


def row_of(record: Record, flag: Flag = bool) -> tuple[Any, ...]:
    """A record's values in the order of ``COLUMNS``, of many without what is absent from them.

    Fits the columns whatever callers sent.

    ``flag`` is what the driver takes for yes and no without asking around: SQLite's looks for
    adapters of everything that is not exactly a number, a text or bytes (1 us a value, 2026-11-21).
    """
    usage = record.usage
    if (
        usage is None
        or record.fault
        or record.end_user
        or record.dropped
        or record.repaired
        or record.asked_model
        or record.session
        or record.tags
        or record.failed
        or usage.seconds is not None
        or usage.characters is not None
        or usage.estimated
    ):
        return _full(record, flag)
    # HOT: most records are such: 1.3 -> 0.5 us (2026-11-24, bench/hot.py --case record), and less
    # for the database to write
    request_id, model, channel = record.request_id, record.model, record.channel
    operation, upstream_model = record.operation, record.upstream_model
    together = f"{request_id}{operation}{model}{channel}{upstream_model}"
    fresh, cache_read, output = usage.fresh, usage.cache_read, usage.output
    short, long, reasoning = usage.cache_write_short, usage.cache_write_long, usage.reasoning
    if (
        len(together) > TEXT_CHARS_MAX
        or not together.isprintable()
        or (fresh | cache_read | short | long | output | reasoning) >> 63
        or usage.audio_input | usage.audio_output | usage.image_input | usage.image_output
        or usage.requests != 1
    ):
        return _full(record, flag)
    first = record.first_byte_ms
    return (
        request_id,
        int(record.at * 1000),
        record.key_id,
        record.user_id,
        operation,
        model,
        channel,
        upstream_model,
        record.status,
        flag(record.stream),
        record.attempts,
        None if first is None else round(first * 1000),
        round(record.total_ms * 1000),
        record.bytes_in,
        record.bytes_out,
        fresh,
        cache_read,
        short,
        long,
        output,
        reasoning,
    )


def _full(record: Record, flag: Flag) -> tuple[Any, ...]:
    """The row with all columns."""
    usage = record.usage
    first = record.first_byte_ms
    texts: Sequence[str] = (
        record.request_id,
        record.operation,
        record.model,
        record.channel,
        record.upstream_model,
        record.fault,
        record.end_user,
        record.dropped,
        record.repaired,
        record.asked_model,
        record.session,
    )
    together = "".join(texts)
    if len(together) > TEXT_CHARS_MAX or not together.isprintable():
        texts = [_text(text) for text in texts]
    request_id, operation, model, channel, upstream_model, fault, *rest = texts
    end_user, dropped, repaired, asked_model, session = rest
    return (
        request_id,
        int(record.at * 1000),
        record.key_id,
        record.user_id,
        operation,
        model,
        channel,
        upstream_model,
        record.status,
        fault,
        flag(record.stream),
        record.attempts,
        None if first is None else round(first * 1000),
        round(record.total_ms * 1000),
        record.bytes_in,
        record.bytes_out,
        end_user,
        *(_NO_USAGE if usage is None else _counters(usage, flag)),
        dropped or None,
        repaired or None,
        asked_model or None,
        session or None,
        _encode(record.tags).decode() if record.tags else None,
        _encode(record.failed[:FAILED_MAX]).decode() if record.failed else None,
    )


def _counters(usage: Usage, flag: Flag) -> tuple[Any, ...]:
    """Return a vendor's numbers, bounded so that absurd ones cannot make the row impossible to
    store.
    """
    counters = (
        usage.fresh,
        usage.cache_read,
        usage.cache_write_short,
        usage.cache_write_long,
        usage.output,
        usage.reasoning,
        usage.audio_input,
        usage.audio_output,
        usage.image_input,
        usage.image_output,
        0 if usage.seconds is None else round(usage.seconds * 1000),
        usage.characters or 0,
        usage.requests,
    )
    if max(counters) > _INT_MAX:
        counters = tuple(min(counter, _INT_MAX) for counter in counters)  # type: ignore[assignment] # same length
    return (
        *counters[:10],
        None if usage.seconds is None else counters[10],
        None if usage.characters is None else counters[11],
        counters[12],
        flag(usage.estimated),
    )


def _text(value: str) -> str:
    """Return short, printable text: PostgreSQL takes no NUL, drivers no half surrogate."""
    if len(value) <= TEXT_CHARS_MAX and value.isprintable():
        return value
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in value[:200])


async def insert(conn: AsyncConnection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Store rows; repeating the call with the same rows changes nothing.

    The driver is given text and values, which spares SQLAlchemy's work on
    each value: a row of a batch of 1,000 costs 9 instead of 15 us on SQLite, 4 instead of 12 on
    PostgreSQL (2026-11). SQLite's own part of it: 5.0 us row by row, 3.3 us together, 2.0 us
    without what is absent (2026-11-21).
    """
    plain = [row for row in rows if len(row) == PLAIN]
    await insert_new(conn, records, ("request_id",), plain, _ABSENT)
    if len(plain) != len(rows):
        full = [row for row in rows if len(row) != PLAIN]
        await insert_new(conn, records, ("request_id",), full)


async def insert_again(
    conn: AsyncConnection, rows: Sequence[tuple[Any, ...]]
) -> list[tuple[Any, ...]]:
    """Store rows some of which may be there already; returns those that were not."""
    absent = dict(_ABSENT)
    new: set[str] = set()
    for start in range(0, len(rows), AGAIN):
        values = [
            dict(zip(_PLAIN, row, strict=True)) | absent
            if len(row) == PLAIN
            else dict(zip(COLUMNS, row, strict=True))
            for row in rows[start : start + AGAIN]
        ]
        put = upsert(conn, records).values(values)
        put = put.on_conflict_do_nothing(index_elements=("request_id",))
        new.update(await conn.scalars(put.returning(records.c.request_id)))
    return [row for row in rows if row[0] in new]


async def delete_before(conn: AsyncConnection, at_ms: int, limit: int) -> int:
    """Delete at most ``limit`` records older than a moment, oldest first; returns how many. Rows
    that another node is deleting are left to it.
    """
    old = (
        select(records.c.request_id)
        .where(records.c.at_ms < at_ms)
        .order_by(records.c.at_ms)
        .limit(limit)
        .with_for_update(skip_locked=True)
        # a subquery may run again for each row, and would then find others; this runs once
        .cte("old", nesting=True)
    )
    mine = records.c.request_id.in_(select(old.c.request_id))
    done = await conn.execute(delete(records).where(mine))
    return int(done.rowcount)
