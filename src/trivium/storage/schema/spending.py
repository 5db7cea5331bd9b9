"""What usage came to, by day and by whoever and whatever it was: sums beside the entries."""

from sqlalchemy import Column, ForeignKey, Index, LargeBinary, Text, UniqueConstraint, text

from trivium.storage.schema.core import BIG, table

_ZERO = text("0")


def _spender() -> tuple[Column, ...]:  # type: ignore[type-arg] # of several types
    """Who paid, asked and answered: the same in both tables of sums, and part of their keys."""
    return (
        Column("day", BIG, primary_key=True, autoincrement=False),  # UTC, days since the epoch
        Column("payer_id", BIG, primary_key=True, autoincrement=False),  # whose account paid
        Column("team_id", BIG, primary_key=True, autoincrement=False),  # of the key; 0: none
        Column("user_id", BIG, primary_key=True, autoincrement=False),  # who asked
        Column("key_id", BIG, primary_key=True, autoincrement=False),
        Column("model", Text, primary_key=True),  # that is paid
        Column("channel", Text, primary_key=True),  # empty: of interrupted requests
    )


def _sums() -> tuple[Column, ...]:  # type: ignore[type-arg] # as above
    return (
        Column("nanos", BIG, nullable=False),  # what usage entries took, as a positive number
        Column("requests", BIG, nullable=False),
        Column("input_tokens", BIG, nullable=False, server_default=_ZERO),
        Column("output_tokens", BIG, nullable=False, server_default=_ZERO),
    )


spend_days = table("spend_days", *_spender(), *_sums())
"""Every usage entry is in one row of it."""

spend_rollups = table(
    "spend_rollups",
    Column("shape", BIG, primary_key=True, autoincrement=False),  # of what it is not empty
    Column("span", BIG, primary_key=True, autoincrement=False),  # how many days
    *_spender(),  # the first of the days; 0 or empty: whatever the shape leaves out
    *_sums(),
    # a page about one user looks at the days of theirs alone
    Index("ix_spend_rollups_user_id", "user_id", "shape", "span", "day"),
)
"""Sums of ``spend_days`` by fewer of its columns or by several days, of days that are closed; see
``ledger/spending/rollups/model.py``. All of it can be made again from ``spend_days``."""

spend_closed = table("spend_closed", Column("day", BIG, primary_key=True, autoincrement=False))
"""Days whose sums are in ``spend_rollups``, as all before them are."""

spend_late = table(
    "spend_late",
    Column("day", BIG, primary_key=True, autoincrement=False),
    Column("payer_id", BIG, primary_key=True, autoincrement=False),
    Column("times", BIG, nullable=False),
)
"""Days that were over for long when they were added to: ``spend_rollups`` may lack that."""

attributions = table(
    "attributions",
    Column("id", BIG, primary_key=True),
    Column("payer_id", BIG, nullable=False),
    Column("digest", LargeBinary, nullable=False),  # of the next three; random once erased
    Column("end_user", Text, nullable=False),  # empty: none was said, as the next
    Column("session", Text, nullable=False),
    Column("tags", Text, nullable=False),  # JSON list
    Column("last_day", BIG, nullable=False),  # on which it was said
    UniqueConstraint("payer_id", "digest"),
    Index("ix_attributions_last_day", "last_day"),
    Index("ix_attributions_end_user", "end_user"),
)
"""What callers say together of whom and what their requests are for. The only place beside the
records that has it, so that it can be forgotten."""

attribution_tags = table(
    "attribution_tags",
    Column(
        "attribution_id", BIG, ForeignKey("attributions.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("tag", Text, primary_key=True),
)
"""The same tags, one a row."""

spend_attributed = table(
    "spend_attributed",
    *_spender(),
    Column(
        "attribution_id", BIG, ForeignKey("attributions.id", ondelete="CASCADE"), primary_key=True
    ),
    *_sums(),
    Index("ix_spend_attributed_attribution_id", "attribution_id"),
)
"""Of those whose caller said for whom or what they were: the same sums once more, finer."""
